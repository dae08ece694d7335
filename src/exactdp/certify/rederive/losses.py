"""The expected loss of a program on a cone of inputs, of which a single input is one.

It is the sum over the paths of the loss of the output, integrated over the noise on the path:

    absolute:  |x − x*| for a number x of the output and the ideal one x*, summed over a list;
    squared:   (x − x*)², likewise;
    wrong:     1 if the output is not the ideal one, else 0;
    regret:    the largest value of the input less that at the position that is the output, or the
               largest score less that of the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .derivation import UNDEFINED, TakenPath
from .distances import holds_noise
from .linear import LinearForm, is_number
from .parametric import ProgramOnCone
from .points import at, vector_of
from .programs import frozen
from .ratios import EPS, Ratio, UnsupportedError, WrongProgramError
from .runs import Condition

LOSSES = ("absolute", "squared", "wrong", "regret")


class LossOnCone:
    """A loss, by its name (None for a Python function), and a program on a cone."""

    def __init__(self, loss: str | None, program: ProgramOnCone) -> None:
        self.loss, self.program = loss, program

    def expected(self) -> Ratio:
        """Return the expected loss."""
        program = self.program
        if self.loss is None:
            raise UnsupportedError("the loss is a Python function")
        ideal: Any = None
        if self.loss != "regret":
            found = program.ideal()
            if found is UNDEFINED:
                raise WrongProgramError("the ideal is not defined at an input")
            ideal = program.value(found)
        parts = (program.weight(way, []) * self._of_way(way, ideal) for way in program.ways)
        return sum(parts, Ratio.number(0))

    def _of_way(self, way: TakenPath, ideal: Any) -> Ratio:
        """Return the integral of the loss over the noise of a way, without its weight."""
        if self.loss in ("absolute", "squared"):
            errors = _errors(way.output, ideal)
            return sum((self._of_error(way, error) for error in errors), Ratio.number(0))
        if holds_noise(way.output):
            raise UnsupportedError("an output holds noise")
        chance = Ratio.lifted(self.program.chance(way, []))
        if self.loss == "wrong":
            return chance * (0 if frozen(way.output) == frozen(ideal) else 1)
        return chance * Ratio.line(vector_of(self._regret(way), self.program.region.size))

    def _regret(self, way: TakenPath) -> Any:
        """Return by how much a selection is below the best one."""
        # If the program begins with `expmech`.
        scored = [(one, at(s, way.point)) for one, s in way.path.scored]
        if scored:
            return max(s for _, s in scored) - dict(scored)[way.output]
        (listed,) = self.program.derivation.assembled(self.program.point)
        if not isinstance(listed, list) or type(way.output) is not int:
            raise UnsupportedError("an output is not a position in the input")
        if not 0 <= way.output < len(listed):
            raise UnsupportedError("an output is not a position in the input")
        return max(listed) - listed[way.output]

    def _of_error(self, way: TakenPath, error: Any) -> Ratio:
        """Return the integral of |error| or error² over a way."""
        if not holds_noise(error):
            size = Ratio.line(vector_of(abs(error), self.program.region.size))
            size = size if self.loss == "absolute" else size * size
            return Ratio.lifted(self.program.chance(way, [])) * size
        if self.loss == "squared":
            return self._integral(way, [], [error, error])
        above: list[Condition] = [(error, ">=")]
        below: list[Condition] = [(error, "<=")]
        return self._integral(way, above, [error]) - self._integral(way, below, [error])

    def _integral(self, way: TakenPath, more: list[Condition], factors: list[LinearForm]) -> Ratio:
        """Return the integral of a product of linear forms over a way and more conditions.

        A noise is z/ε: the product has a factor 1/ε for each noise in it.
        """
        real, total = way.real(more), Ratio.number(0)
        for coefficient, names in _expanded(factors):
            found = self.program.integrals.density(way.path.noises, real, tuple(names))
            total = total + Ratio.lifted(found) * coefficient / EPS ** len(names)
        return total


def _expanded(factors: list[LinearForm]) -> Iterator[tuple[Ratio, list[int]]]:
    """Yield the terms of a product of linear forms: functions of the inputs, and noises."""
    if not factors:
        yield Ratio.number(1), []
        return
    first, *rest = factors
    size = 1 - min((0, *first.coefficients))
    fixed = Ratio.line(vector_of(first, size))
    for coefficient, names in _expanded(rest):
        if fixed != 0:
            yield coefficient * fixed, names
        for name, c in first.coefficients.items():
            if name >= 0:
                yield coefficient * c, [name, *names]


def _errors(output: Any, ideal: Any) -> Iterator[Any]:
    """Yield the errors of the numbers in an output."""
    if isinstance(output, tuple) and isinstance(ideal, tuple) and len(output) == len(ideal):
        for one, two in zip(output, ideal, strict=True):
            yield from _errors(one, two)
        return
    if not all(is_number(x) or isinstance(x, LinearForm) for x in (output, ideal)):
        raise UnsupportedError("an output is not made of numbers as the ideal one is")
    yield output - ideal

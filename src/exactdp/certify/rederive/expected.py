"""Certificates of bounds on expected losses, at listed inputs.

The checker re-derives the expected loss at each input, or on a cone of inputs, from the program's
source: the sum over its paths of the loss of the output, integrated over the noise on the path:

    absolute:  |x − x*| for a number x of the output and the ideal one x*, summed over a list;
    squared:   (x − x*)², likewise;
    wrong:     1 if the output is not the ideal one, else 0;
    regret:    the largest value of the input less that at the position that is the output, or the
               largest score less that of the candidate.

The bound minus the expected loss must have a proof that it is ≥ 0, for each part of the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..kernel.cones import PolyhedralCone
from ..kernel.reading import counted, short
from . import values
from .at_inputs import AtInputs
from .derivation import UNDEFINED, Input, TakenPath, single
from .distances import holds_noise
from .linear import LinearForm, is_number
from .parametric import ProgramOnCone
from .points import at, vector_of
from .programs import frozen
from .ratios import EPS, Ratio, UnsupportedError, WrongProgramError
from .runs import Condition

_PARTS = "mechanism loss ideal at_most epsilon inputs"
_LOSSES = ("absolute", "squared", "wrong", "regret")


class ExpectedLosses(AtInputs):
    """One pass over the certificate of a bound on expected losses; raises if it is not proved."""

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.known(spec["loss"], {"name": _LOSSES, "python": None})
        self.loss = spec["loss"].get("name")
        self.known(
            spec["ideal"],
            {
                "noiseless": (True,),
                "source": None,
                "table": None,
                "python": None,
                "unused": (True,),
            },
        )
        bounds = self.entries(spec["at_most"])
        self.require(bounds, "there is no bound")
        self.bounds = [self.quotient(one) for one in bounds]
        self.read_program(spec)
        if "table" in spec["ideal"]:
            self.derivation.table = {
                str(values.an_input(self, u, self.kinds)): values.value(self, output)
                for u, output in map(self.pair, self.entries(spec["ideal"]["table"]))
            }
        function = self.derivation.mechanism.function
        assert function is not None
        self.claim = (
            f"the expected loss ({short(self.loss or spec['loss']['python'])}) of "
            f"{short(function.name)} is at most the bound at "
            f"{self.which()}, for every ε in {self.epsilon.text()}"
        )

    # The whole ------------------------------------------------------------------------

    def checked(self, parts: dict[str, Any]) -> str:
        """Check everything and return what was proved, as a sentence."""
        verdict = self.read_verdict(parts)
        self.read_signs(parts["signs"])
        given = self.entries(parts["losses"], len(self.inputs))
        self.losses = [self.stated(k, one) for k, one in enumerate(given)]
        if verdict == "holds":
            for k, loss in enumerate(self.losses):
                self.where = f"the input {k}"
                for bound in self.bounds:
                    self.require(self.is_proved(bound - loss), "the bound is not proved")
        listed = self.entries(parts["counterexamples"])
        self.where = "the counterexamples"
        self.require(bool(listed) == (verdict == "fails"), "do not fit the verdict")
        for k, one in enumerate(listed):
            self.where = f"counterexample {k + 1}"
            self.counterexample(one)
        examples = len(listed)
        said = {
            "holds": f"the claim holds: at each of {counted(len(self.inputs), 'input')} the bound "
            "is proved",
            "fails": f"the claim fails: {counted(examples, 'counterexample')} "
            f"{'is' if examples == 1 else 'are'} proved",
            "undecided": "the claim is undecided, so nothing is proved of it",
        }[verdict]
        return f"{said}; {self.account()}"

    def stated(self, k: int, given: Any) -> Ratio:
        """Return the expected loss at an input: as stated, and derived again."""
        self.where = f"the expected loss {k}"
        stated = self.quotient(given)
        found = self.derive("expected losses", lambda: self.expected(self.inputs[k]))
        if found is not None:
            self.require(found == stated, "it is not that of the program")
        return stated

    def counterexample(self, given: Any) -> None:
        """Check that at an input and an ε the expected loss is above a part of the bound."""
        place, part, eps, bits = self.fields(given, "input part eps bits")
        k = self.integer(place, 0, len(self.inputs) - 1)
        self.is_above(self.losses[k], part, eps, bits)

    def is_above(self, loss: Ratio, part: Any, eps: Any, bits: Any) -> None:
        """Check that a loss is above a part of the bound at an ε, with a precision."""
        bound = self.bounds[self.integer(part, 0, len(self.bounds) - 1)]
        point = self.rational(eps)
        self.require(self.epsilon.has(point), "ε is not one of the claim")
        over, under = (bound - loss).terms()
        precision = self.bits(bits)
        signs = [self.sign_at(point, precision, form) for form in (over, under)]
        self.require(signs[0] * signs[1] < 0, "it is none")

    # Expected losses ------------------------------------------------------------------

    def expected(self, u: Input) -> Ratio:
        """Return the expected loss at an input, from the program."""
        ray = PolyhedralCone(1, self).cut((Fraction(1),))  # only ε moves
        return self.expected_on(ProgramOnCone(self.derivation, ray, single(u)))

    def expected_on(self, program: ProgramOnCone) -> Ratio:
        """Return the expected loss on a cone of inputs."""
        if self.loss is None:
            raise UnsupportedError("the loss is a Python function")
        ideal: Any = None
        if self.loss != "regret":
            found = program.ideal()
            if found is UNDEFINED:
                raise WrongProgramError("the ideal is not defined at an input")
            ideal = program.value(found)
        total = Ratio.number(0)
        for way in program.ways:
            total = total + program.weight(way, []) * self.of_way(program, way, ideal)
        return total

    def of_way(self, program: ProgramOnCone, way: TakenPath, ideal: Any) -> Ratio:
        """Return the integral of the loss over the noise of a way, without its weight."""
        if self.loss in ("absolute", "squared"):
            total = Ratio.number(0)
            for error in _errors(way.output, ideal):
                total = total + self.of_error(program, way, error)
            return total
        if holds_noise(way.output):
            raise UnsupportedError("an output holds noise")
        chance = Ratio.lifted(program.chance(way, []))
        if self.loss == "wrong":
            return chance * (0 if frozen(way.output) == frozen(ideal) else 1)
        return chance * Ratio.line(vector_of(self.regret(program, way), program.region.size))

    def regret(self, program: ProgramOnCone, way: TakenPath) -> Any:
        """Return by how much a selection is below the best one."""
        # If the program begins with `expmech`.
        scored = [(one, at(s, way.point)) for one, s in way.path.scored]
        if scored:
            return max(s for _, s in scored) - dict(scored)[way.output]
        (listed,) = self.derivation.assembled(program.point)
        if not isinstance(listed, list) or type(way.output) is not int:
            raise UnsupportedError("an output is not a position in the input")
        if not 0 <= way.output < len(listed):
            raise UnsupportedError("an output is not a position in the input")
        return max(listed) - listed[way.output]

    def of_error(self, program: ProgramOnCone, way: TakenPath, error: Any) -> Ratio:
        """Return the integral of |error| or error² over a way."""
        if not holds_noise(error):
            size = Ratio.line(vector_of(abs(error), program.region.size))
            size = size if self.loss == "absolute" else size * size
            return Ratio.lifted(program.chance(way, [])) * size
        if self.loss == "squared":
            return self.integral(program, way, [], [error, error])
        above: list[Condition] = [(error, ">=")]
        below: list[Condition] = [(error, "<=")]
        return self.integral(program, way, above, [error]) - self.integral(
            program, way, below, [error]
        )

    def integral(
        self,
        program: ProgramOnCone,
        way: TakenPath,
        more: list[Condition],
        factors: list[LinearForm],
    ) -> Ratio:
        """Return the integral of a product of linear forms over a way and more conditions.

        A noise is z/ε: the product has a factor 1/ε for each noise in it.
        """
        conditions = [*way.conditions, *more]
        real = [one for one in conditions if not way.path.is_whole(one[0])]
        total = Ratio.number(0)
        for coefficient, names in _expanded(factors):
            found = program.integrals.density(way.path.noises, real, tuple(names))
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

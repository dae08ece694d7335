"""Expectations and variances of a mechanism's output, at an input or for all reals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.claims.expectations.loss_functions import LossFunction, expected, read_loss
from exactdp.claims.stated.ideals import IdealFunction, read_ideal
from exactdp.claims.stated.inputs import as_given
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, kinds
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm
from exactdp.reals.numbers import inf
from exactdp.semantics.by_epsilon import ByEpsilon, by_epsilon
from exactdp.semantics.engine import Engine
from exactdp.semantics.piecewise import Piecewise, piecewise
from exactdp.semantics.spots import Spot, Trace

Moment: TypeAlias = ClosedForm | float
Sides: TypeAlias = Sequence[Sequence[Fraction | int]]


def moments(
    mechanism: Program, u: object, of: object, ideal: object, *, central: bool
) -> Moment | tuple[Moment, ...]:
    """Return the expectation or variance at an input; for a list, those of its entries."""
    given = mechanism.read_input(u)
    found: Moment | tuple[Moment, ...]
    found = _Moments(mechanism, given, of, ideal, central=central).at(given, None)
    return found


def moments_everywhere(
    mechanism: Program, sides: Sides, of: object, ideal: object, *, central: bool
) -> Piecewise[Any]:
    """Return the same for all real inputs, with a formula for each cell."""
    some = [0 if kind is None else kind.members[0] for kind in kinds(mechanism.inputs)]
    somewhere = assembled(mechanism.inputs, some)
    found = _Moments(mechanism, somewhere, of, ideal, central=central)

    def run(u: tuple[Value, ...], spots: dict[str, Spot]) -> Any:
        return found.at(u, next(iter(spots.values())).trace)

    def alone(u: Value, _: tuple[Value, ...]) -> Any:
        ask = moments_by_epsilon if mechanism.moves else moments
        return ask(mechanism, u, of, ideal, central=central)

    return piecewise(mechanism, sides, run, alone)


def moments_by_epsilon(
    mechanism: Program, u: object, of: object, ideal: object, *, central: bool
) -> ByEpsilon[Any]:
    """Return the same, on intervals of ε, if a + b/ε or log(r)/ε is combined with reals."""
    given = mechanism.read_input(u)
    found = _Moments(mechanism, given, of, ideal, central=central)

    def run(values: tuple[Value, ...], trace: Trace) -> Any:
        return found.at(values, trace)

    return by_epsilon(mechanism, u, run, lambda at: moments(at, u, of, ideal, central=central))


class _Moments:
    """The functions of the output whose expectations or variances are requested."""

    def __init__(
        self, mechanism: Program, u: tuple[Value, ...], of: object, ideal: object, *, central: bool
    ) -> None:
        self.mechanism, self.central = mechanism, central
        self.functions = _functions(mechanism, u, of, ideal)
        self.ideal = _ideal(mechanism, of, ideal)
        self.is_list = _is_list(mechanism, u, of)

    def at(self, u: tuple[Value, ...], trace: Trace | None) -> Any:
        """Return the moment at an input; of a list, a tuple of those of its entries."""
        found = tuple(self._moment(one, u, trace) for one in self.functions)
        return found if self.is_list else found[0]

    def _moment(self, function: LossFunction, u: tuple[Value, ...], trace: Trace | None) -> Moment:
        first = expected(self.mechanism, function, self.ideal, u, trace)
        if not self.central:
            return first
        second = expected(self.mechanism, function.squared(), self.ideal, u, trace)
        if isinstance(first, float) or isinstance(second, float):
            return inf
        return second - first * first


def _ideal(mechanism: Program, of: object, ideal: object) -> IdealFunction | None:
    return read_ideal(ideal, mechanism) if of in ("absolute", "squared", "wrong") else None


def _functions(
    mechanism: Program, u: tuple[Value, ...], of: object, ideal: object
) -> list[LossFunction]:
    """Return the requested functions of the output."""
    if of is not None:
        return [read_loss(of, mechanism, ideal, lambda: [u])]
    if not _is_list(mechanism, u, of):
        return [_entry()]
    return [_entry(k) for k in range(len(mechanism.kept(Engine).patterns(u)[0]))]


def _entry(index: int | None = None) -> LossFunction:
    """Return the output itself, or an entry of it."""
    return LossFunction(
        "output",
        lambda _, output, __: output if index is None else output[index],
        uses_ideal=False,
        is_continuous=True,
    )


def _is_list(mechanism: Program, u: tuple[Value, ...], of: object) -> bool:
    """Whether the expectation of a list is requested, entry by entry."""
    if of is not None:
        return False
    engine = mechanism.kept(Engine)
    outputs = engine.patterns(u)
    if not outputs:  # every run ends in an error, which is reported
        engine.distribution(as_given(mechanism, u))
    lengths = {len(one) if isinstance(one, tuple) else None for one in outputs}
    if len(lengths) > 1:
        raise ValueRefusedError(
            "the outputs are lists of different lengths, or lists and numbers",
            rule="The expectation of a list is that of each of its entries.",
            way_out="Give a function of the output, such as lambda output: len(output).",
        )
    return bool(lengths) and lengths != {None}  # no output: every run fails with an error

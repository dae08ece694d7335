"""Probabilities of programs that combine a + b/ε with reals, at one input.

The comparisons of such a program depend on ε. Scaled by ε, 1/ε is a parameter that is 1, so a
comparison of constants is a linear form in ε and this parameter: its answer changes at rational ε,
and between two of them a probability is one closed form, with powers of e as constants. With
log(b)/ε it changes at rational multiples of log b, and powers of b are constants, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from exactdp.errors import ValueRefusedError
from exactdp.language.linear import UNIT, base_of
from exactdp.language.parted import Division, by_parts
from exactdp.language.program import Program
from exactdp.language.types import ListType, RealType, RecordType
from exactdp.language.values import List, Value
from exactdp.polyhedra.cone import Cone
from exactdp.reals import ClosedForm, Enclosure, Interval
from exactdp.reals.logs import (
    LogForm,
    constant_enclosure,
    enclosed,
    log_enclosure,
    ratio_enclosure,
    told_form,
)
from exactdp.reals.numbers import Number, inf, rational, spell
from exactdp.reals.solutions import SolutionSet, Stretch
from exactdp.reals.spans import Span, around, as_stretch
from exactdp.reals.told import Told
from exactdp.semantics.cells import explore
from exactdp.semantics.chain import Chain, chain, chain_with
from exactdp.semantics.engine import Engine
from exactdp.semantics.patterns import read_pattern
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

S = TypeVar("S")
T = TypeVar("T")

_MANY_DIGITS = 2**64


@dataclass(frozen=True, repr=False)
class EpsilonPiece(Told, Generic[T]):
    """A value for the ε of an interval; in its closed forms the parameter `eps[0]` is 1.

    >>> from exactdp import Mechanism
    >>> above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 1 / eps")
    >>> (piece,) = above.probability(0, True)
    >>> print(piece.on)
    (0, ∞)
    """

    on: Span
    """The ε; an end may be irrational."""
    value: T
    unit: str = UNIT
    """The parameter; if its name is `eps[20]` it is log(20), and `on` is in multiples of it."""

    @property
    def base(self) -> Fraction | None:
        """The number whose logarithm the unit is, or None."""
        return base_of(self.unit)

    def __contains__(self, eps: Fraction) -> bool:
        if self.base is None:
            return eps in self.on
        low, high = (eps / one for one in reversed(log_enclosure(self.base)))
        if (low in self.on) != (high in self.on) and not self._is_at_rounded_end(low, high):
            raise ValueRefusedError(f"eps = {eps} is too close to an end of {self._span}")
        return low in self.on or high in self.on

    def _is_at_rounded_end(self, low: Fraction, high: Fraction) -> bool:
        """Whether a rational end of all ε, divided by the logarithm, is between two numbers."""
        ends = (around(self.on).lower, around(self.on).upper)
        return any(
            isinstance(end, Fraction) and end.denominator >= _MANY_DIGITS and low <= end <= high
            for end in ends
        )

    @property
    def _span(self) -> str:
        unit = "" if self.base is None else f"log({self.base})·"
        if not isinstance(self.on, Interval):
            return f"{unit}{self.on}"
        left, right = "[("[self.on.lower_open], "])"[self.on.upper_open]
        return f"{unit}{left}{_end(self.on.lower)}, {_end(self.on.upper)}{right}"

    def __str__(self) -> str:
        return f"{shown_value(self.value)}  for ε in {self._span}"


@dataclass(frozen=True, repr=False)
class ByEpsilon(Generic[T]):
    """A value on each of several intervals, which cover all ε except the ends between them.

    >>> from exactdp import Mechanism
    >>> above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 1 / eps")
    >>> print(above.probability(0, True))
    1/2*exp(-1)  for ε in (0, ∞)
    """

    pieces: tuple[EpsilonPiece[T], ...]
    alone: Callable[[Fraction], T] = field(repr=False, compare=False)
    """The function that computes the value at a single ε."""

    def __iter__(self) -> Iterator[EpsilonPiece[T]]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def at(self, eps: Number, digits: int = 30) -> Any:
        """Return the value at an ε: an enclosure for each closed form; of chains, the one there."""
        point = rational(eps, "a value of eps")
        for piece in self.pieces:
            if point in piece:
                return _values(piece.value, point, digits)
        return _values(self.alone(point), point, digits)

    def values(self, points: Iterable[float]) -> NDArray[numpy.float64]:
        """Return the values of closed forms at many ε, as floats for a plot."""
        import numpy as np  # noqa: PLC0415 only for pictures

        return np.array([float(self.at(Fraction(point), 10)) for point in points])

    def mapped(self, function: Callable[[T], S]) -> ByEpsilon[S]:
        """Return a function of the value, on the same intervals."""
        pieces = (EpsilonPiece(one.on, function(one.value), one.unit) for one in self.pieces)
        return ByEpsilon(tuple(pieces), lambda point: function(self.alone(point)))

    def pretty(self) -> str:
        """Return the value on each interval, in one line."""
        return "; ".join(map(str, self.pieces))

    def __str__(self) -> str:
        return "\n".join(map(str, self.pieces))

    def __repr__(self) -> str:
        return f"<ByEpsilon: {'; '.join(map(str, self.pieces))}>"

    def _repr_html_(self) -> str:
        return "<br>".join(escape(str(one)) for one in self.pieces)


def _end(number: Fraction | float) -> str:
    """Return an end of an interval; one with many digits is close to an irrational number."""
    if not isinstance(number, Fraction):
        return "∞"
    return spell(number) if number.denominator < _MANY_DIGITS else f"{float(number):.12g}…"


def shown_value(value: Any) -> str:
    """Return closed forms as text, with 1 and logarithms instead of parameters."""
    if isinstance(value, Mapping):
        shown = (
            f"{repr(key).replace(UNIT, '1/eps')}: {shown_value(form)}"
            for key, form in value.items()
        )
        return "{" + ", ".join(shown) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown_value, value))})"
    return told_form(value) if isinstance(value, ClosedForm) else str(value)


def _values(value: Any, point: Fraction, digits: int) -> Any:
    if isinstance(value, Mapping):
        return {key: _values(form, point, digits) for key, form in value.items()}
    if isinstance(value, tuple):
        return tuple(_values(form, point, digits) for form in value)
    if isinstance(value, float | Chain):  # an infinite moment; a chain has many closed forms
        return value
    return at_unit(value, point, digits)


def at_unit(form: ClosedForm, point: Fraction, digits: int = 30) -> Enclosure:
    """Return the value of a closed form at an ε, with 1 or a logarithm as the unit."""
    if (found := LogForm.of(form)) is not None:
        return found.at(point, digits)
    return form.at(point, digits, **({UNIT: 1} if UNIT in form.parameters else {}))


def in_parts(program: Program, ask: Callable[[Any], T | ByEpsilon[T]]) -> T | ByEpsilon[T]:
    """Return a value: on intervals of ε, if the argument of a `min` or `max` changes.

    The value on such an interval may be given on intervals, too.
    """

    def alone(point: Fraction) -> T:
        found = ask(program.on(Interval(point, point)))
        assert not isinstance(found, ByEpsilon)
        return found

    def combined(division: Division[Any]) -> ByEpsilon[T]:
        pieces: list[EpsilonPiece[T]] = []
        for part, there in division:
            found = in_parts(there, ask)
            if isinstance(found, ByEpsilon):
                pieces += _inside(found, part)
            else:
                pieces.append(EpsilonPiece(part, found))
        return ByEpsilon(tuple(pieces), alone)

    return by_parts(program, ask, combined)


def _inside(found: ByEpsilon[T], part: Stretch) -> Iterator[EpsilonPiece[T]]:
    """Yield the pieces of a value that are in a part of ε, restricted to it."""
    for piece in found:
        for on in SolutionSet((as_stretch(piece.on),)) & SolutionSet((part,)):
            if not on.is_single:
                yield replace(piece, on=on)


def in_units(on: Interval, unit: str) -> Interval:
    """Return an interval that contains ε divided by the unit: 1, or a logarithm."""
    if (base := base_of(unit)) is None:
        return on
    low, high = log_enclosure(base)
    lower = Fraction(on.lower) / high
    upper = on.upper / low if isinstance(on.upper, Fraction) else on.upper
    return Interval(
        lower, upper, lower_open=on.lower_open and not on.lower, upper_open=upper == inf
    )


def sides_of_eps(
    on: Interval, units: Sequence[str], names: Sequence[str]
) -> list[tuple[Fraction, ...]]:
    """Return the sides of parameters that are not negative, of the ends of ε, and of constants.

    The ends are linear if there are constants among the parameters; the first is the unit of all.
    """
    form = {name: tuple(Fraction(one == name) for one in names) for name in names}
    sides = [form[name] for name in names if name in ("eps", *units[:1], "alpha", "gamma")]
    if not units:
        return sides
    inside = in_units(on, units[0])
    for end, sign in ((inside.lower, 1), (inside.upper, -1)):
        if isinstance(end, Fraction) and end:
            pairs = zip(form["eps"], form[units[0]], strict=True)
            sides.append(tuple(sign * (one - end * two) for one, two in pairs))
    for other in units[1:]:  # halfspaces around the points at which constants have their values
        for factor, sign in zip(ratio_enclosure(other, units[0]), (1, -1), strict=True):
            pairs = zip(form[other], form[units[0]], strict=True)
            sides.append(tuple(sign * (one - factor * two) for one, two in pairs))
    return sides


def cone_of_constants(on: Interval, units: Sequence[str], names: Sequence[str]) -> Cone:
    """Return a cone around the ε of an interval, with constants among the parameters."""
    return Cone.of(len(names), sides_of_eps(on, units, names))


def as_spots(program: Program, u: tuple[Value, ...], trace: Trace) -> tuple[Value, ...]:
    """Return an input with its real numbers as spots."""
    return tuple(
        _as_spot(value, param.type, trace) for value, param in zip(u, program.inputs, strict=True)
    )


def _as_spot(value: Value, kind: object, trace: Trace) -> Value:
    if isinstance(kind, RealType):
        return trace.of({"eps": value})
    if isinstance(kind, ListType):
        return List(_as_spot(item, kind.item, trace) for item in value)
    if isinstance(kind, RecordType):
        return tuple(_as_spot(*pair, trace) for pair in zip(value, kind.entries, strict=True))
    return value


def distribution_by_epsilon(program: Program, u: object) -> ByEpsilon[dict[Value, ClosedForm]]:
    """Return the distribution of the output at an input, on intervals of ε."""
    engine = program.kept(Engine)
    return by_epsilon(
        program,
        engine.units(program.read_input(u)),
        lambda trace: dict(engine.distribution_at_spots(_given(program, u, trace), trace)),
        lambda point: dict(_at(program, point).distribution(u)),
    )


def probability_by_epsilon(program: Program, u: object, output: object) -> ByEpsilon[ClosedForm]:
    """Return the probability of an output or a pattern at an input, on intervals of ε."""
    engine, pattern = program.kept(Engine), read_pattern(output)
    return by_epsilon(
        program,
        engine.units(program.read_input(u)),
        lambda trace: engine.probability_at_spots(_given(program, u, trace), pattern, trace),
        lambda point: _at(program, point).probability(u, pattern),
    )


def chain_by_epsilon(program: Program, u: object) -> ByEpsilon[Chain]:
    """Return the Markov chain at an input, on intervals of ε."""
    engine, given = program.kept(Engine), program.read_input(u)
    return by_epsilon(
        program,
        engine.units(given),
        lambda trace: chain_with(program, given, trace),
        lambda point: chain(program.on(Interval(point, point)), u),
    )


def _given(program: Program, u: object, trace: Trace) -> tuple[Value, ...]:
    return as_spots(program, program.read_input(u), trace)


def _at(program: Program, point: Fraction) -> Engine:
    return program.on(Interval(point, point)).kept(Engine)


def by_epsilon(
    program: Program,
    units: tuple[str, ...],
    run: Callable[[Trace], T],
    alone: Callable[[Fraction], T],
) -> ByEpsilon[T]:
    """Return the results of a run on intervals of ε; its trace has parameters ε and the units."""
    pieces: list[EpsilonPiece[T]] = []
    names = ("eps", *units)
    for cell in explore(names, cone_of_constants(program.epsilon, units, names), run):
        if len(units) > 1:
            on = interval_at_constants(cell.cone, units, program.epsilon)
        else:
            on = _interval(cell.cone).meet(in_units(program.epsilon, units[0]))
        if on is not None:
            unit = UNIT if len(units) > 1 else units[0]
            pieces.append(EpsilonPiece(on, cell.result, unit))
    if not pieces:
        raise ValueRefusedError("there is no eps to ask for")
    return ByEpsilon(tuple(sorted(pieces, key=lambda piece: around(piece.on).lower)), alone)


def interval_at_constants(
    cone: Cone, units: Sequence[str], on: Interval, *, outer: bool = False
) -> Interval | None:
    """Return the ε of an interval for which (ε, constants) is in a cone; None if there are none.

    Its ends are rationals just inside, or just outside.
    """
    ends = [*map(constant_enclosure, units)]
    lower, upper = Fraction(on.lower), on.upper
    for slope, *rest in cone.inequalities:
        bounds = enclosed(rest, ends)
        if not slope and bounds[1] < 0:
            return None
        if slope > 0:
            lower = max(lower, -bounds[outer] / slope)
        elif slope < 0:
            upper = min(upper, bounds[outer] / -slope)
    if lower >= upper:
        return None
    lower_open = on.lower_open or lower != on.lower
    return Interval(lower, upper, lower_open=lower_open, upper_open=upper == inf or on.upper_open)


def _interval(cone: Cone) -> Interval:
    """Return the ε of a cone in (ε, 1), without its ends."""
    ends = sorted(inf if not ray[1] else Fraction(ray[0], ray[1]) for ray in cone.rays)
    return Interval(ends[0], ends[-1], lower_open=True, upper_open=True)

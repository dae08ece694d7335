"""Numbers that are linear forms in parameters, evaluated at a sample point.

A `Spot` is such a number: a form, its value at the sample, and the trace that it belongs to. Each
comparison of spots is decided by the values and recorded, so that after a run the trace holds
conditions on the parameters under which the run takes the same path: a polyhedral cone. No other
part of the engine deals with parameters.

Everything is scaled by ε, so a rational constant c means c·ε.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from flint import fmpq

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.events import Compare, Done, State
from exactdp.language.linear import Linear, unit_in, wholes_in, with_whole
from exactdp.language.machine import Machine
from exactdp.language.operations import COMPARISONS
from exactdp.language.values import Value, plain
from exactdp.language.wholes import Whole
from exactdp.polyhedra.cone import Cone, dot
from exactdp.reals import ClosedForm, ExpPoly, eps, parameter
from exactdp.reals.numbers import exact, fraction
from exactdp.semantics.states import Visited

Vector: TypeAlias = tuple[fmpq, ...]
Rational: TypeAlias = int | Fraction

_ZERO, _ONE = fmpq(0), fmpq(1)


class OnFaceError(BaseException):
    """Two different forms are equal at the sample point; `form` is their difference.

    Not an `Exception`, so that it passes through a user's functions and their error handling.
    """

    def __init__(self, form: Vector) -> None:
        super().__init__()
        self.form = rational_vector(form)


def rational_vector(form: Vector) -> tuple[Fraction, ...]:
    """Return a form in Python's rationals."""
    return tuple(map(fraction, form))


class Trace:
    """The parameters, the sample point, and the forms that were found to be positive there.

    The first parameter is ε, and positive.
    """

    def __init__(
        self, names: Sequence[str], sample: Sequence[Rational], region: Cone | None = None
    ) -> None:
        self.names = tuple(names)
        self._region = region
        self.sample = tuple(exact(Fraction(value) / sample[0]) for value in sample)
        self._positive: dict[Vector, Vector] = {}  # by direction
        self.sides: dict[Vector, bool] = {}
        """The forms whose zeros are inputs at which a claim may jump; True if it may jump there
        although the ideal does not change."""
        self._like: dict[Vector, int] = {}  # by direction, on which side what is asked is the same
        self.watching = False
        """Whether every comparison is noted, because a user's function is running."""

    def __getstate__(self) -> dict[str, Any]:
        """Numbers that are sent or stored keep the point, without the record of a finished run."""
        return {**self.__dict__, "_region": None, "_positive": {}, "sides": {}, "_like": {}}

    @property
    def positive(self) -> tuple[tuple[Fraction, ...], ...]:
        """The forms that were compared with 0, with the sign that makes them positive."""
        return tuple(map(rational_vector, self._positive.values()))

    def spot(self, name: str) -> Spot:
        """Return the number that a parameter stands for."""
        return self.of({name: 1})

    def of(self, form: Mapping[str, Rational]) -> Spot:
        """Return the number Σ q·parameter."""
        return Spot(tuple(exact(form.get(name, 0)) for name in self.names), self)

    def from_closed_form(self, form: ExpPoly) -> Spot | None:
        """Return a closed form as a linear form in the parameters; None if it is not linear."""
        linear = form.linear_form()
        return None if linear is None else self.of(linear)

    def value(self, form: Vector) -> fmpq:
        """Return the value of a form at the sample, where ε is 1."""
        total = _ZERO
        for q, x in zip(form, self.sample, strict=True):
            if q:
                total += q * x
        return total

    def require_bounded(self, spot: Spot) -> None:
        """Refuse to round an unbounded number, which has a case for each whole number."""
        if self._region is None:
            return
        far = [ray for ray in self._region.rays if not ray[0]]
        # α and γ may be bounded by what is claimed of them, which is no side of the region.
        form = [
            0 if name in ("alpha", "gamma") else q
            for name, q in zip(self.names, rational_vector(spot.form), strict=True)
        ]
        if any(dot(form, one) for one in (*far, *self._region.lines)):
            if not any(
                q and not unit_in([n]) for n, q in zip(self.names[1:], form[1:], strict=True)
            ):
                raise ValueRefusedError(
                    "integer noise is compared with a + b / eps for arbitrarily small eps",
                    rule="There is a case for each whole number below a + b / eps.",
                    way_out='Ask for larger eps only, as with epsilon="[1/10, inf)".',
                )
            raise ValueRefusedError(
                "whole numbers are compared with unbounded real inputs",
                rule="Where noise is rounded, or integer noise is compared with reals, there is a "
                "case for each whole number between the inputs.",
                way_out="Give Box(lo, hi) with finite ends, Grid(lo, hi) or a list of inputs.",
            )

    def note(self, spot: Spot, *, always: bool = False) -> None:
        """Note that a claim may jump where a form is 0, `always` or where the ideal changes."""
        if spot:
            direction = _direction(spot.form)
            self.sides[direction] = always or self.sides.get(direction, False)

    def note_side(self, spot: Spot) -> None:
        """Note that where a form is 0 an answer is the same as where it is positive.

        If only 1 and logarithms are compared with ε, and all answers are the same as on one side,
        nothing else is claimed there. Otherwise the claim may jump there.
        """
        if not spot:
            return
        direction = _direction(spot.form)
        side = 1 if next(q for q in spot.form if q) > 0 else -1
        used = (name for name, q in zip(self.names, spot.form, strict=True) if q)
        is_constant = all(name == "eps" or unit_in([name]) for name in used)
        if not is_constant or self._like.setdefault(direction, side) != side:
            self.note(spot, always=True)

    def knows(self, form: Vector) -> bool:
        """Whether the sign of a form, or of a multiple of it, was requested before."""
        return _direction(form) in self._positive

    def sign(self, form: Vector) -> int:
        """Return the sign of a form at the sample, and remember it."""
        if not any(form):
            return 0
        value = self.value(form)
        if value == 0:
            raise OnFaceError(form)
        signed = form if value > 0 else tuple(-q for q in form)
        self._positive.setdefault(_direction(form), signed)
        return 1 if value > 0 else -1


def _direction(form: Vector) -> Vector:
    """Return a form up to a factor."""
    first = next(q for q in form if q)
    return form if first == 1 else tuple(q / first for q in form)


class Spot:
    """A linear form in the parameters of a trace."""

    __slots__ = ("_value", "form", "trace")

    def __init__(self, form: Vector, trace: Trace) -> None:
        self.form = form
        self.trace = trace
        self._value: fmpq | None = None

    @property
    def value(self) -> fmpq:
        """The value at the sample, in units of ε."""
        if self._value is None:
            self._value = self.trace.value(self.form)
        return self._value

    def closed_form(self) -> ExpPoly:
        """Return the form as a function of the parameters."""
        total = ExpPoly(0)
        for name, q in zip(self.trace.names, self.form, strict=True):
            if q:
                total = total + parameter(name) * fraction(q)
        return total

    def _vector(self, other: object) -> Vector | None:
        if isinstance(other, Spot):
            # Numbers of different runs are unrelated.
            return other.form if other.trace is self.trace else None
        if isinstance(other, int | Fraction):
            return (exact(other), *(_ZERO,) * (len(self.form) - 1))
        return None

    def formula(self) -> ClosedForm:
        """Return the number itself, not multiplied by ε, as a function of the parameters."""
        return self.closed_form() / eps

    def _combined(self, other: object, sign: int) -> Any:
        if isinstance(other, ClosedForm):
            return self.formula() + other * sign
        vector = self._vector(other)
        if vector is None:
            return NotImplemented
        return Spot(tuple(a + sign * b for a, b in zip(self.form, vector, strict=True)), self.trace)

    def __add__(self, other: object) -> Any:
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._combined(other, -1)

    def __rsub__(self, other: object) -> Any:
        return (-self)._combined(other, 1)

    def __neg__(self) -> Spot:
        return Spot(tuple(-q for q in self.form), self.trace)

    def __mul__(self, other: object) -> Any:
        if isinstance(other, ClosedForm):
            return self.formula() * other
        if not isinstance(other, int | Fraction):
            return NotImplemented
        factor = exact(other)
        return Spot(tuple(q * factor for q in self.form), self.trace)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, ClosedForm):
            return self.formula() / other
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return self if other == 1 else self * (1 / Fraction(other))

    def __abs__(self) -> Spot:
        return -self if self < 0 else self

    def __bool__(self) -> bool:
        return any(self.form)

    def __eq__(self, other: object) -> bool:
        vector = self._vector(other)
        if self.trace.watching and vector is not None and vector != self.form:
            self.trace.note(self - other, always=True)
        return vector == self.form

    def __hash__(self) -> int:
        # A multiple of ε is equal to a rational, so both need the same hash.
        return hash(self.form) if any(self.form[1:]) else hash(fraction(self.form[0]))

    def _order(self, other: object) -> int:
        if isinstance(other, float):  # ±inf
            return -1 if other > 0 else 1
        vector = self._vector(other)
        if vector is None:
            raise TypeError(f"a parameter cannot be compared with {shown(other)}")
        difference = tuple(a - b for a, b in zip(self.form, vector, strict=True))
        if self.trace.watching:
            self.trace.note(Spot(difference, self.trace), always=True)
        return self.trace.sign(difference)

    def __lt__(self, other: object) -> bool:
        return self._order(other) < 0

    def __le__(self, other: object) -> bool:
        return self._order(other) <= 0

    def __gt__(self, other: object) -> bool:
        return self._order(other) > 0

    def __ge__(self, other: object) -> bool:
        return self._order(other) >= 0

    def __repr__(self) -> str:
        return shown(symbolic(self))


def has_spots(value: Value) -> bool:
    """Whether a value is or contains a spot."""
    if isinstance(value, tuple):
        return any(not isinstance(part, int | Fraction) and has_spots(part) for part in value)
    return isinstance(value, Spot) or any(map(has_spots, getattr(value, "ends", ())))


def at_sample(value: Any) -> Any:
    """Return a number, that of a spot at the sample."""
    return fraction(value.value) if isinstance(value, Spot) else value


def trace_of(value: Value) -> Trace:
    """Return the trace of the spots in a value."""
    return next(_spots(value)).trace


def _spots(value: Value) -> Iterator[Spot]:
    if isinstance(value, Spot):
        yield value
    parts = value if isinstance(value, tuple) else getattr(value, "ends", ())
    for part in parts:
        if not isinstance(part, int | Fraction):
            yield from _spots(part)


@contextmanager
def watched(value: Value) -> Iterator[None]:
    """Note all comparisons of the spots in a value while a user's function runs."""
    spot = next(_spots(value), None)
    if spot is None:
        yield
        return
    spot.trace.watching = True
    try:
        yield
    finally:
        spot.trace.watching = False


def run_at_spots(machine: Machine, u: tuple[Value, ...]) -> Value:
    """Return the output of a run that samples nothing, at an input with spots."""
    trace = trace_of(u)
    event = machine.advance(machine.start(symbolic(u)))
    visited = Visited(machine)
    while True:
        assert isinstance(event, Compare | Done)
        looked_at = event.difference if isinstance(event, Compare) else event.output
        whole = next(wholes_in(looked_at), None)
        if whole is not None:
            number = whole_of(_spot(whole.form, trace), whole)
            env = tuple(with_whole(value, whole, number) for value in event.state.env)
            event = machine.advance(State(event.state.pc, env))
            continue
        if not isinstance(event, Compare):
            break
        visited.add(event.state)
        difference = _spot(event.difference, trace)
        trace.note(difference)
        truth = COMPARISONS[event.op](difference, 0)
        event = machine.advance(machine.resume(event, truth))
    return _spot(event.output, trace)


def whole_of(number: Any, whole: Whole) -> int:
    """Return the rounded value of a number or of a spot, whose neighbourhood is noted."""
    if not isinstance(number, Spot):
        return whole.value(number)
    number.trace.require_bounded(number)
    found = whole.value(fraction(number.value))
    for k, wanted in ((found, True), (found + 1, False)):
        op, limit = replace(whole, form=number).condition(k)
        number.trace.note(limit, always=True)
        assert COMPARISONS[op](limit, 0) == wanted
    return found


def symbolic(value: Value) -> Value:
    """Return a value with each spot replaced by a linear form in the parameters."""
    if isinstance(value, tuple):
        return type(value)(map(symbolic, value))
    if not isinstance(value, Spot):
        return value
    start, *factors = map(fraction, value.form)
    return Linear.build(dict(zip(value.trace.names[1:], factors, strict=True)), plain(start))


def _spot(value: Value, trace: Trace) -> Value:
    """Return a value with each linear form replaced by a spot."""
    if isinstance(value, tuple):
        return tuple(_spot(item, trace) for item in value)
    if not isinstance(value, Linear):
        return value
    factors = {str(name): q for name, q in value.coefficients.items()}
    return trace.of({trace.names[0]: value.constant, **factors})

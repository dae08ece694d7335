"""Functions with irrational rates: their signs and suprema, by certified numbers.

The sign is that of g = Σ c·ε^k·e^{qε}, numerator times denominator. At 0 its Taylor coefficients
are known exactly, and g = 0 for every ε is decided exactly, since its terms cancel.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.evaluated_zeros import EvaluatedRoot, OpenSignError
from exactdp.reals.evaluation import Enclosure, enclosure_of
from exactdp.reals.exp_poly import eps
from exactdp.reals.exponential_sums import Exponent, ExponentialSum
from exactdp.reals.extrema import Extremum
from exactdp.reals.interval import Interval
from exactdp.reals.limits import coefficient_at_zero, order_at_zero
from exactdp.reals.numbers import exact, inf
from exactdp.reals.radical_form import RadicalForm, end_value, made
from exactdp.reals.radicals import Radical, Surd, ball_of, sign_of
from exactdp.reals.sign_walk import Crossed, Seen
from exactdp.reals.surd_sum import SurdSum
from exactdp.reals.taylor_walk import TaylorWalk
from exactdp.reals.zeros import Root

_BITS = 256
_NARROW = Fraction(1, 2**40)  # relative width of a stretch that stays open
_MOST_TERMS = 40  # of a derivative whose zeros are found; a larger function is searched
_LOOKS = [Fraction(2) ** (k // 4) * (4 + k % 4) / 4 for k in range(-64, 65)]
_FINER = 40  # steps of a search between three points


class RadicalSum(ExponentialSum):
    """Numerator times denominator of a function, times a power of ε and an exponential.

    So it has the same signs, no power is negative, and no rate is positive.
    """

    rule = (
        "A probability with irrational rates is evaluated; that proves a sign where the function "
        "is not 0."
    )
    constant_ball = staticmethod(ball_of)
    constant_sign = staticmethod(sign_of)

    def __init__(self, function: RadicalForm) -> None:
        self.function = function
        rows = (function.over * function.under).rows()
        lowest = min(k for k, _, _ in rows)
        top = max(q for _, q, _ in rows)
        self._flat = SurdSum({(k - lowest, q - top): c for k, q, c in rows})
        numbers = [x for _, q, c in rows for x in (q, c, order_at_zero(self._flat)[1])]
        self.first_bits = _BITS
        while any(_is_rough(number, self.first_bits) for number in numbers):
            self.first_bits *= 2

    @property
    def divisor(self) -> RadicalSum | None:
        """The denominator, if it has irrational numbers."""
        under = self.function.denominator
        return RadicalSum(under) if isinstance(under, RadicalForm) else None

    @cached_property
    def terms(self) -> dict[Exponent, dict[int, Surd]]:
        """The coefficients by rate and power."""
        found: dict[Exponent, dict[int, Surd]] = {}
        for k, q, c in self._flat.rows():
            found.setdefault((q,) if q != 0 else (), {})[k] = c
        return found

    def coefficient_sign(self, point: Fraction, order: int) -> int | None:
        """Return the sign of a Taylor coefficient: exactly at 0, by values elsewhere."""
        if point == 0:
            return sign_of(coefficient_at_zero(self._flat.rows(), order))
        if order:
            return None
        try:
            return self.function.sign_at(point)
        except ValueRefusedError:
            return None


def _is_rough(number: Surd, bits: int) -> bool:
    """Whether an irrational number has few correct digits, since its parts nearly cancel."""
    with ctx.workprec(bits):
        return isinstance(number, Radical) and number.ball().rel_accuracy_bits() < bits // 2


def radical_supremum(function: RadicalForm, on: Interval, width: Fraction) -> Extremum:
    """Return the least upper bound: the largest value at an end or where the slope crosses 0."""
    if on.is_point:
        return _extremum([_at(function, Fraction(on.lower), True)])
    if len(function.over) * len(function.under) > _MOST_TERMS:
        return _searched(function, on, width)
    found: list[_Candidate] = []
    for end, is_open in ((on.lower, on.lower_open), (on.upper, on.upper_open)):
        if end in (0, inf):
            value = end_value(function, end)
            if value == inf:
                return Extremum(inf, inf, end, attained=False)
            if not isinstance(value, float):
                with ctx.workprec(_BITS):
                    found.append((enclosure_of(ball_of(value)), end, False))
        else:
            found.append(_at(function, Fraction(end), not is_open))
    slope = function.derivative()
    if isinstance(slope, RadicalForm):
        for piece in TaylorWalk(RadicalSum(slope), on).pieces():
            if isinstance(piece, Crossed):
                if piece.sign > 0:
                    zero = EvaluatedRoot(piece.lower, piece.upper, 1, eps, function=slope)
                    found.append(_at_root(function, zero, width))
            elif isinstance(piece, Seen) and piece.sign == 0:
                found.append(_open(function, piece))
    return _extremum(found)


def _searched(function: RadicalForm, on: Interval, width: Fraction) -> Extremum:
    """Return the least upper bound: the best value that is found, and a bound that is proved.

    With D > 0 the denominator and N the numerator, N/D ≤ c where c·D − N ≥ 0.
    """
    from exactdp.reals.signs import nonnegative  # noqa: PLC0415 needs this

    value, where, attained = _best_seen(function, on)
    if value == inf:
        return Extremum(inf, inf, where, attained=False)
    assert isinstance(value, Fraction)
    over, under = made(function.over), made(function.under)
    if not nonnegative(under, on).holds:
        over, under = -over, -under
        if not nonnegative(under, on).holds:
            raise ValueRefusedError(f"the denominator of {function} changes its sign")
    room = Fraction(0)
    while True:
        gap = under * (value + room) - over
        try:
            holds = nonnegative(gap, on).holds
        except OpenSignError:
            holds = False
        if holds:
            return Extremum(value, value + room, where, attained)
        room = width / 16 if not room else 2 * room
        if room > 2**60 * max(abs(value), Fraction(1)):
            return Extremum(value, inf, where, attained=None)


def _best_seen(function: RadicalForm, on: Interval) -> tuple[Fraction | float, Any, bool]:
    """Return the largest of some values and the limits at the ends, rounded down."""
    found: list[tuple[Any, Any, bool]] = []
    for end in (on.lower, on.upper):
        if end in (0, inf):
            limit = end_value(function, end)
            if limit == inf:
                return inf, end, False
            if not isinstance(limit, float):
                with ctx.workprec(_BITS):
                    low = enclosure_of(ball_of(limit)).lower
                found.append((limit if isinstance(limit, Fraction) else low, end, False))
        else:
            found.append((_below(function, Fraction(end)), Fraction(end), True))
    points = sorted({x for x in _LOOKS if x in on})
    values = [_below(function, x) for x in points]
    if points:
        best = max(range(len(points)), key=values.__getitem__)
        low, high = points[max(best - 1, 0)], points[min(best + 1, len(points) - 1)]
        x, value = points[best], values[best]
        for _ in range(_FINER):
            tried = [(_below(function, y), y) for y in ((low + x) / 2, (x + high) / 2) if y != x]
            top = max(tried, default=(value, x))
            if top[0] > value:
                low, high = (low, x) if top[1] < x else (x, high)
                value, x = top
            else:
                low, high = (low + x) / 2, (x + high) / 2
        found.append((value, x, True))
    return max(found, key=lambda one: (one[0], not one[2]))


def _below(function: RadicalForm, x: Fraction) -> Fraction:
    """Return a number just below a value."""
    return function.at(x, 20).lower


_Candidate: TypeAlias = tuple[Enclosure, Fraction | float | Root, bool]
"""The value, the place, and whether it is attained there."""


def _extremum(found: list[_Candidate]) -> Extremum:
    if not found:
        return Extremum(-inf, -inf, inf, attained=False)
    value, where, attained = max(found, key=lambda one: (one[0].upper, one[2]))
    others = [one for one in found if one[1] != where and not one[0].is_below(value)]
    lower = max(one[0].lower for one in found)
    is_sure = all(one[2] == attained for one in others)
    ties = tuple(one[1] for one in others)
    return Extremum(lower, value.upper, where, attained if is_sure else None, ties)


def _at(function: RadicalForm, point: Fraction, attained: bool) -> _Candidate:
    return function.at(point), point, attained


def _at_root(function: RadicalForm, zero: EvaluatedRoot, width: Fraction) -> _Candidate:
    while True:
        with ctx.workprec(_BITS):
            middle, half = (zero.lower + zero.upper) / 2, (zero.upper - zero.lower) / 2
            ball = function.on_ball(arb(exact(middle), exact(half)))
            if ball.is_finite():
                found = enclosure_of(ball)
                if found.is_within(width) or 2 * half < _NARROW * width:
                    return found, zero, True
        zero = zero.refined(half / 2**10)


def _open(function: RadicalForm, piece: Seen) -> _Candidate:
    """Return the values on a stretch on which the sign of the slope stays open."""
    if isinstance(piece.upper, Fraction) and piece.lower > 0:
        with ctx.workprec(_BITS):
            middle, half = (piece.lower + piece.upper) / 2, (piece.upper - piece.lower) / 2
            ball = function.on_ball(arb(exact(middle), exact(half)))
            if ball.is_finite():
                return enclosure_of(ball), piece.lower, True
    raise ValueRefusedError(
        f"a bound on {function} is not found: {piece.why}",
        rule="With irrational rates, signs are decided by certified numbers.",
        way_out="Restrict epsilon.",
    )

"""Signs of functions with irrational rates, by certified numbers.

g = Σ c·ε^k·e^{qε}, with the sign of numerator times denominator:

 * near 0: g = a·ε^m + …, with the first coefficient of its series that is not 0, which is known
   exactly, and a bound on the rest;
 * near ∞: the term that grows fastest, which is known exactly, and a bound on the others;
 * in between: on short stretches g is its Taylor polynomial around the middle, up to an enclosure
   of the next coefficient. Stretches are halved until g has a sign, or is monotone, on each.

g = 0 for every ε is decided exactly (its terms cancel). A function that touches 0 without crossing
it stays open, which is reported, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import factorial
from typing import Any, TypeAlias

from flint import arb, arb_poly, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.evaluated_zeros import Crossed, EvaluatedRoot, Found, Seen
from exactdp.reals.evaluation import Enclosure, enclosure_of
from exactdp.reals.exp_poly import eps
from exactdp.reals.extrema import Extremum
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import exact, inf
from exactdp.reals.radical_form import (
    RadicalForm,
    Terms,
    end_value,
    first_order,
    leading,
    made,
    product,
)
from exactdp.reals.radicals import Radical, Surd, ball_of, sign_of
from exactdp.reals.zeros import Root

_BITS = 256
_ORDER = 12  # of the Taylor polynomials
_MOST_BOXES = 6_000
_MOST_HALVINGS = 80  # of the first stretch; of the last, doublings
_NARROW = Fraction(1, 2**40)  # relative width of a stretch that stays open
_MOST_TERMS = 40  # of a derivative whose zeros are found; a larger function is searched
_LOOKS = [Fraction(2) ** (k // 4) * (4 + k % 4) / 4 for k in range(-64, 65)]
_FINER = 40  # steps of a search between three points


class Signs:
    """The signs of one function on an interval of ε > 0."""

    def __init__(self, function: RadicalForm, on: Interval) -> None:
        self.on = on
        terms = product(function.over, function.under)
        lowest = min(k for k, _ in terms)
        top = max(q for _, q in terms)
        self.terms: Terms = {(k - lowest, q - top): c for (k, q), c in terms.items()}
        """The terms times a power of ε and an exponential: no power is negative, no rate positive.
        """
        numbers = [
            x for (_, q), c in self.terms.items() for x in (q, c, first_order(self.terms)[1])
        ]
        self._bits = _BITS
        while any(_is_rough(number, self._bits) for number in numbers):
            self._bits *= 2

    def pieces(self) -> Iterator[Found]:
        """Yield stretches that cover the interval, from left to right."""
        place, end = Fraction(self.on.lower), self.on.upper
        if place == 0:
            first = self._from_zero(end)
            yield first
            if first.upper == end:
                return
            place = Fraction(first.upper)
        last = self._to_infinity(place) if end == inf else None
        stop = last.lower if last is not None else end
        assert isinstance(stop, Fraction)
        if place < stop:
            yield from self._between(place, stop)
        if last is not None:
            yield last

    def _from_zero(self, end: Fraction | float) -> Seen:
        """Return a stretch from 0 on with one sign: |g/ε^m − a| < |a| there.

        After m terms the rest of e^x is at most |x|^m/m!·e^|x|.
        """
        order, first = first_order(self.terms)
        stop = min(Fraction(1), end)
        for _ in range(_MOST_HALVINGS):
            with ctx.workprec(self._bits):
                x = arb(exact(Fraction(stop)))
                rest = arb(0)
                for (k, q), c in self.terms.items():
                    size, n = abs(ball_of(c)), max(order + 1 - k, 0)
                    speed = abs(ball_of(q))
                    rest += (
                        size * x ** (k + n - order) * speed**n / factorial(n) * (speed * x).exp()
                    )
                if rest < abs(ball_of(first)):
                    break
            stop /= 2
        else:
            return Seen(Fraction(0), end, 0, "no sign is seen near 0")
        return Seen(Fraction(0), Fraction(stop), sign_of(first))

    def _to_infinity(self, lower: Fraction) -> Seen:
        """Return a stretch to ∞ with one sign: the leading term is larger than all others."""
        _, power, first = leading(self.terms)
        start = max(Fraction(1), lower)
        for _ in range(_MOST_HALVINGS):
            with ctx.workprec(self._bits):
                x, rest, is_falling = arb(exact(start)), arb(0), True
                for (k, q), c in self.terms.items():
                    if k == power and q == 0:
                        continue
                    n, speed = k - power, ball_of(q)  # x^n·e^{qx} falls for x > n/|q|
                    is_falling &= n < 0 if q == 0 else bool(x * speed < -n)
                    rest += abs(ball_of(c)) * x**n * (speed * x).exp()
                if is_falling and rest < abs(ball_of(first)):
                    return Seen(start, inf, sign_of(first))
            start *= 2
        return Seen(start, inf, 0, "as ε grows no sign is seen")

    def _between(self, lower: Fraction, upper: Fraction) -> Iterator[Found]:
        waiting = [(lower, upper)]
        for _ in range(_MOST_BOXES):
            if not waiting:
                return
            low, high = waiting.pop()
            found = self._look(low, high)
            if found is not None:
                yield found
                continue
            if high - low < _NARROW * high:
                yield Seen(low, high, 0, f"the value is too close to 0 for ε near {float(low):.6g}")
                continue
            middle = (low + high) / 2
            waiting += [(middle, high), (low, middle)]
        for low, high in reversed(waiting):
            yield Seen(low, high, 0, f"the value is too close to 0 for ε near {float(low):.6g}")

    def _look(self, low: Fraction, high: Fraction) -> Found | None:
        """Return the sign on a stretch, or that it changes exactly once; None if neither shows."""
        middle, half = (low + high) / 2, (high - low) / 2
        with ctx.workprec(self._bits):
            size = arb(exact(half))
            inner = self._series(arb(exact(middle)), _ORDER)
            outer = self._series(arb(exact(middle), exact(half)), _ORDER + 1)
            found = [*inner, outer[_ORDER]]
            rest = sum((abs(a) * size**j for j, a in enumerate(found) if j), arb(0))
            if abs(found[0]) > rest:
                return Seen(low, high, 1 if found[0] > 0 else -1)
            steep = sum(
                (abs(a) * j * size ** (j - 1) for j, a in enumerate(found) if j > 1), arb(0)
            )
            if not abs(found[1]) > steep:
                return None
            ends = [self._value(x) for x in (low, high)]
            signs = [1 if one > 0 else -1 if one < 0 else 0 for one in ends]
        if 0 in signs:
            return None
        if signs[0] == signs[1]:
            return Seen(low, high, signs[0])
        return Crossed(low, high, signs[0])

    def _value(self, x: Fraction) -> Any:
        return self._series(arb(exact(x)), 1)[0]

    def _series(self, x: arb, length: int) -> list[Any]:
        """Return Taylor coefficients at a number, or enclosures of those on a stretch."""
        total = [arb(0)] * length
        place = arb_poly([x, 1])
        for (k, q), c in self.terms.items():
            rate = ball_of(q)
            current, listed = ball_of(c) * (rate * x).exp(), []
            for j in range(length):
                listed.append(current)
                current = current * rate / (j + 1)
            part = arb_poly(listed) * place**k if k else arb_poly(listed)
            total = [value + part[j] for j, value in enumerate(total)]
        return total


def _is_rough(number: Surd, bits: int) -> bool:
    """Whether an irrational number has few correct digits, since its parts nearly cancel."""
    with ctx.workprec(bits):
        return isinstance(number, Radical) and number.ball().rel_accuracy_bits() < bits // 2


def radical_pieces(function: RadicalForm, on: Interval) -> Iterator[Found]:
    """Yield stretches of one sign and crossings that cover an interval of ε ≥ 0."""
    under = function.denominator
    if isinstance(under, RadicalForm) and any(
        isinstance(piece, Crossed) or not piece.sign for piece in Signs(under, on).pieces()
    ):
        yield Seen(Fraction(on.lower), on.upper, 0, "the denominator may be 0")
        return
    yield from Signs(function, on).pieces()


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
        for piece in radical_pieces(slope, on):
            if isinstance(piece, Crossed):
                if piece.sign > 0:
                    zero = EvaluatedRoot(piece.lower, piece.upper, 1, eps, function=slope)
                    found.append(_at_root(function, zero, width))
            elif piece.sign == 0:
                found.append(_open(function, piece))
    return _extremum(found)


def _searched(function: RadicalForm, on: Interval, width: Fraction) -> Extremum:
    """Return the least upper bound: the best value that is found, and a bound that is proved.

    With D > 0 the denominator and N the numerator, N/D ≤ c where c·D − N ≥ 0.
    """
    from exactdp.reals.certified import OpenSignError  # noqa: PLC0415 needs this
    from exactdp.reals.signs import nonnegative  # noqa: PLC0415 likewise

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

"""The least quotient of a closed form and a probability that is not expanded.

Values at single ε bound it from above. It is at least κ if over − κ·under ≥ 0, a sign that
`certified` decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from exactdp.reals.certified import evaluated_sign
from exactdp.reals.chance_signs import ChanceWalk
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.exp_poly import eps
from exactdp.reals.extrema import Extremum
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import fraction, inf
from exactdp.reals.unexpanded import Unexpanded, ball_at
from exactdp.reals.zeros import Root

_LOOKS = -5, 10  # the least and the largest power of 2 that are tried in any case
_FLAT = 4  # bits of a chance that are those at 0
_STEPS = 40
_TRIES = 12
_LARGE = Fraction(2) ** 200  # that a quotient is larger is not important
_ACCURACY = 100  # bits of values


@dataclass(frozen=True, repr=False)
class NearRoot(Root):
    """An ε between two points at which a quotient is as small as its enclosure states."""

    @property
    def is_evaluated(self) -> bool:
        """Always True: it belongs to a function that is evaluated."""
        return True

    def refined(self, width: object) -> NearRoot:  # noqa: ARG002 as for every zero
        """Return the same: the quotient is nearly the same around it."""
        return self

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)


class _Quotient:
    """over/under, its values so far, and the place of the least one."""

    def __init__(self, over: ClosedForm, under: Unexpanded, on: Interval) -> None:
        self.over, self.under, self.on = over, under, on
        self.walk = ChanceWalk(under, on)
        self.known: dict[Fraction, Fraction] = {}

    def at(self, point: Fraction) -> Fraction:
        """Return an upper bound of the quotient, close to it."""
        if point not in self.known:
            with ctx.workprec(_ACCURACY + 64):
                value = ball_at(self.over, point) / self.walk.ball(point, _ACCURACY)
                self.known[point] = fraction(value.upper().fmpq())
        return self.known[point]

    def search(self) -> Fraction:
        """Return a point where the quotient is about as small as it gets."""
        ends = [x for x in (self.on.lower, self.on.upper) if isinstance(x, Fraction) and x > 0]
        points = [x for x in self._powers() if x in self.on]
        self._scan(sorted({*points, *ends}) or [self.on.simple_point()])
        best = min(self.known, key=self.known.__getitem__)
        for near in (best / 2, best * 2):
            if near in self.on:
                self.at(near)
        return min(self.known, key=self.known.__getitem__)

    def _powers(self) -> Iterator[Fraction]:
        """Yield powers of 4, from where chances are almost what they are at 0 to where they fall.

        A chance changes by at most ε·slope from 0 to ε, and falls as ε^n·e^{−D·ε} in the end.
        """
        first, last = _LOOKS
        for chance, _ in self.under.parts:
            slope, cost = chance.slope, max(chance.costs)
            if slope:
                first = min(first, -_FLAT - _log(slope))
            if cost:
                last = max(last, _log(chance.samples / cost))
        yield from (Fraction(2) ** k for k in range(first, last + 1, 2))

    def _scan(self, points: list[Fraction]) -> None:
        """Evaluate at points in order while the quotient is not much larger than the least one."""
        for x in points:
            if self.at(x) > 16 * min(self.known.values()):
                break

    def improve(self, share: Fraction) -> Fraction:
        """Return the best point after steps of parabolas through the best three points.

        They end when the quotient changes by much less than a share of it.
        """
        for _ in range(_STEPS):
            best = min(self.known, key=self.known.__getitem__)
            lower = max((x for x in self.known if x < best), default=None)
            upper = min((x for x in self.known if x > best), default=None)
            guess = _next_point(self.known, lower, best, upper)
            if guess is None or guess not in self.on or guess in self.known:
                return best
            before = self.known[best]
            after = self.at(guess)
            if abs(before - after) < before * min(share, Fraction(1)) / 2**10:
                return min(best, guess, key=self.known.__getitem__)
        return min(self.known, key=self.known.__getitem__)


def _log(number: Fraction) -> int:
    """Return a whole number close to the binary logarithm of a positive number."""
    return number.numerator.bit_length() - number.denominator.bit_length()


def _next_point(
    known: dict[Fraction, Fraction], lower: Fraction | None, best: Fraction, upper: Fraction | None
) -> Fraction | None:
    """Return where the parabola through three points is least, or a point in the wider gap."""
    if lower is None or upper is None:
        return None
    low, mid, high = float(lower), float(best), float(upper)
    f, g, h = (float(min(known[x] / known[best], _LARGE)) - 1 for x in (lower, best, upper))
    over = (mid - low) ** 2 * (g - h) - (mid - high) ** 2 * (g - f)
    under = (mid - low) * (g - h) - (mid - high) * (g - f)
    guess = mid - over / under / 2 if under else mid
    if not low < guess < high or abs(guess - mid) < 1e-12 * mid:
        return None
    wide = (high - low) / 64
    if high - mid > 8 * (mid - low) or mid - low > 8 * (high - mid):  # narrow the wider gap
        guess = mid + wide if high - mid > mid - low else mid - wide
    scale = Fraction(2) ** _log(best)
    return (Fraction(guess) / scale).limit_denominator(10**9) * scale


def least_ratio(over: ClosedForm, under: Unexpanded, on: Interval, width: Fraction) -> Extremum:
    """Return the infimum of over/under on an interval, under > 0, enclosed to a width if possible.

    Raises `OpenSignError` if no lower bound is proved.
    """
    if on.is_point:
        point = Fraction(on.lower)
        value = (over.at(point, 20), under.at(point, 20))
        return Extremum(
            value[0].lower / value[1].upper, value[0].upper / value[1].lower, point, attained=True
        )
    quotient = _Quotient(over, under, on)
    limit = _limit_at_zero(over, under, on)
    quotient.search()
    for share in _shares(width):
        best = quotient.improve(share)
        upper = quotient.at(best)
        is_limit = limit is not None and limit <= upper
        if is_limit and limit is not None:
            upper = limit
        for lower in (upper, upper - min(share * max(upper, Fraction(1)), upper / 2)):
            if lower == upper and not is_limit:
                continue
            try:
                holds, witness = evaluated_sign(over - under * lower, on)
            except OpenSignError:
                continue
            if holds:
                at = Fraction(0) if is_limit else _around(best)
                return Extremum(lower, upper, at, attained=not is_limit)
            if witness is not None:
                quotient.at(witness)
            break
    if (far := _limit_at_infinity(over, under)) is not None:
        return far
    evaluated_sign(over - under * (upper / 2), on)  # tells what stays open
    raise OpenSignError("the least quotient is not enclosed")


def _shares(width: Fraction) -> Iterator[Fraction]:
    """Yield widths to try, wider and wider."""
    for k in range(_TRIES):
        yield width * 8**k


def _around(best: Fraction) -> NearRoot:
    return NearRoot(best * (1 - Fraction(1, 10**9)), best * (1 + Fraction(1, 10**9)), 1, eps)


def _limit_at_zero(over: ClosedForm, under: Unexpanded, on: Interval) -> Fraction | None:
    """Return the limit at 0, if 0 is an end and it is a positive number."""
    if on.lower != 0:
        return None
    above, below = over.limit(0), under.limit(0)
    if isinstance(above, Fraction) and isinstance(below, Fraction) and below > 0:
        return above / below
    return None


def _limit_at_infinity(over: ClosedForm, under: Unexpanded) -> Extremum | None:
    """Return 0 if the quotient is proved to tend to 0 as ε grows."""
    for power in range(4, 11):
        place = Fraction(2) ** power
        least = ChanceWalk(under, Interval(place, inf)).far(1, place)
        if least is not None and least.at(place, 3).sign > 0 and (over / least).limit(inf) == 0:
            return Extremum(Fraction(0), Fraction(0), inf, attained=False)
    return None

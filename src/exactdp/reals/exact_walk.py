"""A walk along the positive line that finds the sign of a sum everywhere.

The walk takes the longest steps that the bounds of `expansion` allow. Each step yields a stretch
of one sign, or a crossing: a stretch on which the sum is strictly monotone (times an exponential)
and has opposite signs at the ends, hence exactly one zero, a simple one.

**Why the walk terminates**, for a sum F whose zeros on the interval are all simple and which is
not 0 at rational points other than 0: the first nonvanishing Taylor coefficient determines the sign
on some (0, a], and the dominant term on some [b, ∞). On the compact rest |F| + |F′| is bounded
away from 0, so every box below a certain width, evaluated with enough bits, shows a sign or
monotonicity. A walk over a sum that may have multiple zeros is given a `finest` width and
raises `Stuck` when its steps get shorter; it is then repeated on squarefree factors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from exactdp.reals.evaluation import sign_at
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.expansion import DEGREE, Expansion
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import fraction, inf
from exactdp.reals.sign_walk import Crossed, Seen, SignWalk

T = TypeVar("T")

_BITS = 64
_STEPS = 16  # number of steps of one kind after which a leap is tried


class Stuck(Exception):  # noqa: N818 not an error: the walk goes on with better factors
    """The steps have become too short: there may be a multiple zero."""


class ExactWalk(SignWalk):
    """The signs of a sum on a part of (0, ∞), each with what proves it.

    The sum is not 0 at rational points other than 0. Steps shorter than `finest` times their
    distance from 0 raise `Stuck`.
    """

    def __init__(self, form: ExpPoly, on: Interval, finest: Fraction | None = None) -> None:
        super().__init__(on)
        self._form, self._finest = form, finest
        self._expansion = Expansion(form)

    def start(self, place: Fraction) -> list[Seen]:
        """Return the start up to a power of two, or up to a near end; or the only point."""
        if self.on.is_point:
            return [self._at_point(place)]
        if place:
            return []
        expansion = self._expansion
        degree = DEGREE + expansion.order
        fastest = fraction(expansion.fastest)
        first = 1 / Fraction(2) ** _exponent(fastest) if fastest else Fraction(1)
        first = Fraction(min(first, self.on.upper))

        def start(n: int) -> Seen | None:
            upper = Fraction(2) ** (_exponent(first) - n) if n else first
            bits = _BITS
            while (reading := expansion.start(upper, degree, bits)).blurred:
                bits *= 2
            proof = "start", upper, degree
            return Seen(Fraction(0), upper, reading.sign, proof=proof) if reading.sign else None

        return [_first(start)]

    def next_end(self, place: Fraction) -> Fraction:
        """Return where the tail begins, or the end of the interval."""
        del place
        return self._tail.lower if self.on.upper == inf else Fraction(self.on.upper)

    def tail(self, place: Fraction) -> Seen | None:
        """Return the tail if a place is in it."""
        return replace(self._tail, lower=place) if place >= self._tail.lower else None

    @cached_property
    def _tail(self) -> Seen:
        """The tail from the first power of two (or the lower end) for which one is proved."""
        lower, fastest = Fraction(self.on.lower), fraction(self._expansion.fastest)
        first = max(lower, Fraction(2) ** -_exponent(fastest) if fastest else Fraction(1))

        def tail(n: int) -> Seen | None:
            place = Fraction(2) ** (_exponent(first) + n) if n else first
            bits = _BITS
            while (reading := self._expansion.span(place, inf, bits)).blurred:
                bits *= 2
            proof = "span", "inf", reading.power, reading.shift, bits + 16
            return Seen(place, inf, reading.sign, proof=proof) if reading.sign else None

        return _first(tail)

    def _at_point(self, point: Fraction) -> Seen:
        bits = _BITS
        while not (reading := self._expansion.box(point, point, 1, bits)).sign:
            bits *= 2
        proof = "box", point, reading.shift, 1, bits + 16, "middle"
        return Seen(point, point, reading.sign, proof=proof)

    def between(self, lower: Fraction, upper: Fraction) -> Iterator[Seen | Crossed]:
        """Yield what covers a stretch, in steps that grow while they succeed."""
        expansion, place, end = self._expansion, lower, upper
        bits = _BITS
        step = place / 2
        before, at, steps = 0, "middle", 0
        while place < end:
            if steps == _STEPS:
                steps = 0
                if (piece := _leap(expansion, place, end, bits)) is not None:
                    yield piece
                    place, before = Fraction(piece.upper), piece.sign
                    step = place / 2
                    continue
            upper = min(end, _round(place + step, step))
            degree = _degree(bits)
            reading = expansion.box(place, upper, degree, bits, at)
            if not reading.sign and at != "middle":
                at = "middle"
                reading = expansion.box(place, upper, degree, bits)
            if not reading.sign and not reading.monotone and not reading.blurred and reading.rising:
                # Steeply rising or falling: expand around the end where |F| is smaller.
                end_point = "lower" if reading.rising > 0 else "upper"
                second = expansion.box(place, upper, degree, bits, end_point)
                if second.sign:
                    reading, at = second, end_point
            if reading.sign:
                proof = "box", upper, reading.shift, degree, bits + 16, at
                yield Seen(place, upper, reading.sign, proof=proof)
                place, before, step, steps = upper, reading.sign, 2 * step, steps + 1
                continue
            if reading.monotone:
                before = before or sign_at(self._form, place)
                after = sign_at(self._form, upper)
                if after != before:
                    yield Crossed(place, upper, before)
                    place, before = upper, after
                    continue
            if reading.blurred:
                bits *= 2
                continue
            step /= 2
            if self._finest is not None and step < self._finest * place:
                raise Stuck


def _first(look: Callable[[int], T | None]) -> T:
    """Return the first result of `look` that is not None; all later ones are not None, too.

    After some consecutive looks the steps double each time; then the gap is bisected.
    """
    failed, n, tries = -1, 0, 0
    while (found := look(n)) is None:
        failed, tries = n, tries + 1
        n += 1 if tries < _STEPS else 2 ** (tries - _STEPS)
    while n - failed > 1:
        middle = (n + failed) // 2
        if (earlier := look(middle)) is None:
            failed = middle
        else:
            n, found = middle, earlier
    return found


def _leap(expansion: Expansion, place: Fraction, end: Fraction, bits: int) -> Seen | None:
    """Return a wide piece from here on, if one is proved: the widest that is easily found."""
    best, good, bad = None, 0, 0  # logarithms of widths
    width = 16
    while not bad or bad - good > 1 + good // 4:
        upper = min(end, Fraction(2) ** (_exponent(place) + width))
        found: Seen | None = None
        if (near := expansion.near(place, upper, bits)).sign:
            found = Seen(place, upper, near.sign, proof=("near", place, upper))
        elif (span := expansion.span(place, upper, bits)).sign:
            proof = "span", upper, span.power, span.shift, bits + 16
            found = Seen(place, upper, span.sign, proof=proof)
        if found is None:
            if best is None:
                return None
            bad = width
        else:
            best, good = found, width
            if upper == end:
                break
        width = (good + bad) // 2 if bad else 2 * width
    return best


def _degree(bits: int) -> int:
    """Return the degree of expansion: higher if more bits are needed, as more cancels there."""
    return DEGREE + (bits - _BITS) // 8


def _exponent(value: Fraction) -> int:
    """Return k with 2^k ≤ value < 2^{k+1}."""
    k = value.numerator.bit_length() - value.denominator.bit_length()
    return k if Fraction(2) ** k <= value else k - 1


def _round(value: Fraction, step: Fraction) -> Fraction:
    """Return a short dyadic within a quarter of the step below the value."""
    grid = Fraction(2) ** (_exponent(step) - 3)
    return grid * (value // grid)

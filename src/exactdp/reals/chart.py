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
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

from exactdp.reals.evaluation import sign_at
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.expansion import DEGREE, Expansion
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import fraction

T = TypeVar("T")

_BITS = 64
_STEPS = 16  # number of steps of one kind after which a leap is tried


@dataclass(frozen=True)
class Start:
    """(0, upper] has one sign."""

    upper: Fraction
    sign: int
    degree: int


@dataclass(frozen=True)
class TaylorBox:
    """[lower, upper] has one sign, seen after division by e^{shift·ε}."""

    lower: Fraction
    upper: Fraction
    sign: int
    shift: Fraction
    degree: int
    bits: int
    at: str = "middle"


@dataclass(frozen=True)
class SignSpan:
    """[lower, upper], wide, has the sign of the term with ε^power·e^{rate·ε}."""

    lower: Fraction
    upper: Fraction
    sign: int
    power: int
    rate: Fraction
    bits: int


@dataclass(frozen=True)
class NearZero:
    """[lower, upper], wide and close to 0, has the sign of the Taylor coefficient of ε^order."""

    lower: Fraction
    upper: Fraction
    sign: int
    order: int
    bits: int


@dataclass(frozen=True)
class Tail:
    """[lower, ∞) has one sign."""

    lower: Fraction
    sign: int
    bits: int


@dataclass(frozen=True)
class Crossing:
    """(lower, upper) contains exactly one zero, a simple one; before it the sign is `sign`."""

    lower: Fraction
    upper: Fraction
    sign: int


ChartPiece: TypeAlias = Start | TaylorBox | SignSpan | NearZero | Tail | Crossing


class Stuck(Exception):  # noqa: N818 not an error: the walk goes on with better factors
    """The steps have become too short: there may be a multiple zero."""


def walk(form: ExpPoly, on: Interval, finest: Fraction | None = None) -> Iterator[ChartPiece]:
    """Yield pieces that cover `on`, part of (0, ∞), from left to right.

    `form` is not 0 at rational points other than 0. Steps shorter than `finest` times their
    distance from 0 raise `Stuck`.
    """
    expansion = Expansion(form)
    end, tail = on.upper, None
    if not isinstance(end, Fraction):
        tail = _tail(expansion, on.lower)
        end = tail.lower
    assert isinstance(on.lower, Fraction)
    place = on.lower
    if place == 0:
        start = _start(expansion, end, bounded=tail is None)
        yield start
        place = start.upper
    yield from _boxes(form, expansion, place, end, finest, is_point=on.is_point)
    if tail is not None:
        yield Tail(max(place, end), tail.sign, tail.bits)


def _tail(expansion: Expansion, lower: object) -> Tail:
    """Return the tail from the first power of two (or the lower end) for which one is proved."""
    assert isinstance(lower, Fraction)
    fastest = fraction(expansion.fastest)
    first = max(lower, Fraction(2) ** -_exponent(fastest) if fastest else Fraction(1))

    def tail(n: int) -> Tail | None:
        place = Fraction(2) ** (_exponent(first) + n) if n else first
        bits = _BITS
        while (reading := expansion.tail(place, bits)).blurred:
            bits *= 2
        return Tail(place, reading.sign, bits + 16) if reading.sign else None

    return _first(tail)


def _start(expansion: Expansion, end: Fraction, *, bounded: bool) -> Start:
    """Return the start up to a power of two, or up to `end` if that is near."""
    degree = DEGREE + expansion.order
    fastest = fraction(expansion.fastest)
    first = 1 / Fraction(2) ** _exponent(fastest) if fastest else Fraction(1)
    if first >= end and bounded:
        first = end

    def start(n: int) -> Start | None:
        upper = Fraction(2) ** (_exponent(first) - n) if n else first
        bits = _BITS
        while (reading := expansion.start(upper, degree, bits)).blurred:
            bits *= 2
        return Start(upper, reading.sign, degree) if reading.sign else None

    return _first(start)


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


def _boxes(
    form: ExpPoly,
    expansion: Expansion,
    place: Fraction,
    end: Fraction,
    finest: Fraction | None,
    *,
    is_point: bool,
) -> Iterator[ChartPiece]:
    bits = _BITS
    if is_point:
        reading = expansion.box(place, end, 1, bits)
        while not reading.sign:
            bits *= 2
            reading = expansion.box(place, end, 1, bits)
        yield TaylorBox(place, end, reading.sign, reading.shift, 1, bits + 16)
        return
    step = place / 2
    before, at, steps = 0, "middle", 0
    while place < end:
        if steps == _STEPS:
            steps = 0
            if (piece := _leap(expansion, place, end, bits)) is not None:
                yield piece
                place, before, step = piece.upper, piece.sign, piece.upper / 2
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
            yield TaylorBox(place, upper, reading.sign, reading.shift, degree, bits + 16, at)
            place, before, step, steps = upper, reading.sign, 2 * step, steps + 1
            continue
        if reading.monotone:
            before = before or sign_at(form, place)
            after = sign_at(form, upper)
            if after != before:
                yield Crossing(place, upper, before)
                place, before = upper, after
                continue
        if reading.blurred:
            bits *= 2
            continue
        step /= 2
        if finest is not None and step < finest * place:
            raise Stuck


def _leap(
    expansion: Expansion, place: Fraction, end: Fraction, bits: int
) -> SignSpan | NearZero | None:
    """Return a wide piece from here on, if one is proved: the widest that is easily found."""
    best, good, bad = None, 0, 0  # logarithms of widths
    width = 16
    while not bad or bad - good > 1 + good // 4:
        upper = min(end, Fraction(2) ** (_exponent(place) + width))
        found: SignSpan | NearZero | None = None
        if (near := expansion.near(place, upper, bits)).sign:
            found = NearZero(place, upper, near.sign, near.power, bits + 16)
        elif (span := expansion.span(place, upper, bits)).sign:
            found = SignSpan(place, upper, span.sign, span.power, span.shift, bits + 16)
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

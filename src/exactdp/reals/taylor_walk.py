"""The signs of a function of ε with Taylor coefficients on balls, for `sign_walk`.

 * At 0, or at a rational zero, the first Taylor coefficient that is not 0 has the sign beside it:
   f(p + y) = c(ξ)·y^m with c the coefficient of order m at a point ξ in between.
 * In between, f is its Taylor polynomial around the middle of a stretch, up to an enclosure of the
   next coefficient. Stretches are halved until f has a sign, or is monotone, on each.
 * Near ∞, f is dominated by one of its parts, from some place on.

What a kind of function supplies is its Taylor coefficients on a ball, the exact sign of one at a
rational point as far as that is known, and the sign near ∞.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from exactdp.reals.interval import Interval
from exactdp.reals.numbers import exact, simplest_inside
from exactdp.reals.sign_walk import Crossed, Found, Part, Seen, SignWalk, Touched, bisected

_DEGREE = 12  # of the Taylor polynomials
_HIGHEST_ORDER = 64  # of a first coefficient
_MOST_BOXES = 6_000  # in one stretch
_MOST_HALVINGS = 400  # of a stretch beside a point
_NARROW = Fraction(1, 2**48)  # relative width of a stretch that is not halved
_WIDER = 1024  # times that width: where a rational zero is looked for


@dataclass(frozen=True)
class OnUnit:
    """A function of −1 ≤ τ ≤ 1: value and slope at 0, how much both change, what is unknown."""

    value: arb
    change: arb
    slope: arb
    steep: arb
    error: arb

    @classmethod
    def of(cls, listed: list[arb], error: arb | int = 0, slope_error: arb | int = 0) -> OnUnit:
        """Return the bounds of a polynomial, up to an error of its values and of its slope."""
        sizes = [one.abs_upper() for one in listed]
        steep = sum((j * one for j, one in enumerate(sizes) if j > 1), arb(0))
        value, slope = (*listed, arb(0), arb(0))[:2]
        return cls(value, sum(sizes[1:], arb(0)), slope, steep + slope_error, arb(error))

    @property
    def sign(self) -> int:
        """The sign everywhere, 0 if it is not seen."""
        if not abs(self.value) > self.change + self.error:
            return 0
        return 1 if self.value > 0 else -1

    @property
    def is_monotone(self) -> bool:
        """Whether the function is strictly monotone."""
        return bool(abs(self.slope) > self.steep)


class TaylorFunction:
    """A function of ε with Taylor coefficients on balls."""

    rule = SignWalk.rule
    way_out = SignWalk.way_out

    @property
    @abstractmethod
    def first_bits(self) -> int:
        """The number of bits with which an evaluation begins."""

    @property
    def divisor(self) -> TaylorFunction | None:
        """A function that has to be proved not to be 0."""
        return None

    @abstractmethod
    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε, or one with the same sign."""

    @abstractmethod
    def series(self, x: arb, length: int) -> list[arb]:
        """Return Taylor coefficients at every point of a ball, at the working precision."""

    def scaled_series(self, x: arb, length: int) -> list[arb]:
        """Return those of the function times a positive one, which are better on wide balls."""
        return self.series(x, length)

    @abstractmethod
    def coefficient_sign(self, point: Fraction, order: int) -> int | None:
        """Return the sign of a Taylor coefficient at a rational point, None if it is not known."""

    @abstractmethod
    def tail(self, place: Fraction, bits: int) -> Seen | None:
        """Return the sign on [place, ∞); None if it is not seen from there on."""


class TaylorWalk(SignWalk):
    """The signs of a function with Taylor coefficients."""

    def __init__(self, function: TaylorFunction, on: Interval) -> None:
        super().__init__(on)
        self.function = function
        self.bits = function.first_bits
        self.rule, self.way_out = function.rule, function.way_out

    def start(self, place: Fraction) -> list[Seen | Touched]:
        """Return the zero at the lower end, if it is one, and the sign beside it."""
        under = self.function.divisor
        if under is not None and not all(
            isinstance(piece, Seen) and piece.sign for piece in TaylorWalk(under, self.on).pieces()
        ):
            return [Seen(place, self.on.upper, 0, "the denominator may be 0")]
        is_zero = self.function.coefficient_sign(place, 0) == 0
        if place and not is_zero:
            return []
        found: list[Seen | Touched] = [Touched(place)] if is_zero and place in self.on else []
        beside = self._beside(place, 1, Fraction(min(1, self.on.upper - place)))
        if beside is not None:
            return [*found, Seen(place, beside.end, beside.sign)]
        return [] if place else [Seen(place, self.on.upper, 0, "no sign is seen near 0")]

    def tail(self, place: Fraction) -> Seen | None:
        """Return the sign on [place, ∞), as the function knows it."""
        return self.function.tail(place, self.bits)

    def quick_sign(self, point: Fraction) -> int:
        """Return the sign at a point if an evaluation shows it."""
        ball = self.function.ball(point, self.bits)
        return 1 if ball > 0 else -1 if ball < 0 else 0

    def _beside(self, point: Fraction, side: int, width: Fraction) -> _Beside | None:
        """Return the sign on one side of a point, up to a width at most; None if unknown."""
        for order in range(_HIGHEST_ORDER):
            found = self.function.coefficient_sign(point, order)
            if found is None:
                return None
            if found:
                break
        else:
            return None
        if not self._coefficient(arb(exact(point)), order) * found > 0:
            while not self._coefficient(arb(exact(point)), order) * found > 0:
                self.bits *= 2
            self.bits += self.function.first_bits
        for _ in range(_MOST_HALVINGS):
            middle = arb(exact(point + side * width / 2), exact(width / 2))
            if self._coefficient(middle, order) * found > 0:
                return _Beside(point + side * width, found * side**order)
            width /= 2
        return None

    def _coefficient(self, x: arb, order: int) -> arb:
        with ctx.workprec(self.bits):
            return self.function.series(x, order + 1)[order]

    # In between ---------------------------------------------------------------------------

    def between(self, lower: Fraction, upper: Fraction) -> Iterator[Found]:
        """Yield pieces that cover a stretch."""
        for one in bisected([(lower, upper)], self._look, _MOST_BOXES):
            yield _unseen(*one) if isinstance(one, tuple) else one

    def _look(self, part: Part) -> list[Found | Part]:
        """Return what covers a part: its sign, or where it changes; its halves if neither shows."""
        low, high = part
        found = self._seen(low, high)
        if found is not None:
            return [*found]
        if high - low < _NARROW * high:
            return self._touching(low, high)
        middle = (low + high) / 2
        return [(low, middle), (middle, high)]

    def _seen(self, low: Fraction, high: Fraction) -> list[Found] | None:
        """Return the sign on a stretch, or where it changes; None if neither shows."""
        middle, half = (low + high) / 2, (high - low) / 2
        with ctx.workprec(self.bits):
            size = arb(exact(half))
            whole = self.function.scaled_series(arb(exact(middle), exact(half)), 2)
            here = OnUnit.of(
                [self.function.scaled_series(arb(exact(middle)), 1)[0], whole[1] * size]
            )
            if here.sign:  # by the mean value theorem
                return [Seen(low, high, here.sign)]
            inner = self.function.scaled_series(arb(exact(middle)), _DEGREE)
            outer = self.function.scaled_series(arb(exact(middle), exact(half)), _DEGREE + 1)
            listed = [a * size**j for j, a in enumerate((*inner, outer[_DEGREE]))]
            here = OnUnit.of(listed)
            if here.sign:
                return [Seen(low, high, here.sign)]
            if not here.is_monotone:
                return None
        before, after = (
            self.quick_sign(x) or self.function.coefficient_sign(x, 0) for x in (low, high)
        )
        if before is None or after is None:
            return None
        if before * after < 0:
            return [Crossed(low, high, before)]
        found: list[Found] = [Seen(low, high, before or after)]
        return [*([] if before else [Touched(low)]), *found, *([] if after else [Touched(high)])]

    def _touching(self, low: Fraction, high: Fraction) -> list[Found | Part]:
        """Return what covers a narrow stretch, from left to right, if a rational zero is near."""
        around = (high - low) * _WIDER
        point = simplest_inside(low - around, high + around)
        if self.function.coefficient_sign(point, 0) != 0:
            return [_unseen(low, high)]
        left, right = self._beside(point, -1, Fraction(1)), self._beside(point, 1, Fraction(1))
        if left is None or right is None:
            return [_unseen(low, high)]
        parts: list[Found | Part] = [(low, min(high, left.end))]
        parts.append(Seen(max(low, left.end), min(high, point), left.sign))
        parts += [Touched(point)] if low <= point <= high else []
        parts.append(Seen(max(low, point), min(high, right.end), right.sign))
        parts.append((max(low, right.end), high))
        return [one for one in parts if isinstance(one, Touched) or _has_inside(one)]


@dataclass(frozen=True)
class _Beside:
    """The sign between a point and an end."""

    end: Fraction
    sign: int


def _has_inside(part: Part | Seen | Crossed) -> bool:
    lower, upper = part if isinstance(part, tuple) else (part.lower, part.upper)
    return lower < upper


def _unseen(low: Fraction, high: Fraction) -> Seen:
    return Seen(low, high, 0, "the value is too close to 0")


@contextmanager
def series_of(length: int) -> Iterator[None]:
    """Let power series have a length, which flint bounds by 10 otherwise."""
    before, ctx.cap = ctx.cap, length
    try:
        yield
    finally:
        ctx.cap = before

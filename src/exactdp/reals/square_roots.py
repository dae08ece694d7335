"""Square roots of rational numbers, as Euclidean distances: exact, or bounded from above.

An irrational root √s is compared with rationals by squaring. If a formula needs a number, a
rational just above or below it is used: what holds for all α below the upper one holds below √s,
and what fails at the lower one fails below √s.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, total_ordering
from math import inf, isqrt, sqrt
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import simplest_inside, spell

_CLOSE = Fraction(1, 10**9)  # relative


@total_ordering
@dataclass(frozen=True, eq=False)
class Enclosed:
    """A number that is known to be between two rationals; one between these is not compared."""

    below: Fraction
    above: Fraction

    def _sign(self, other: Any) -> int:
        if other <= self.below:
            return 1
        if other >= self.above:
            return -1
        raise ValueRefusedError(
            f"a distance to disagreement is {self}, and compared with {spell(Fraction(other))}",
            rule="With an ideal that multiplies reals, dd is known up to a small error.",
            way_out="Give another number for alpha.",
        )

    def __lt__(self, other: object) -> Any:
        is_number = other == inf or isinstance(other, int | Fraction)
        return self._sign(other) < 0 if is_number else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Enclosed) and (self.below, self.above) == (
            other.below,
            other.above,
        )

    def __hash__(self) -> int:
        return hash((Enclosed, self.below, self.above))

    def __float__(self) -> float:
        return float((self.below + self.above) / 2)

    def __str__(self) -> str:
        if self.above - self.below <= 10 * _CLOSE * self.above:
            return f"≈ {float(self):.9g}"
        return f"between {float(self.below):.6g} and {float(self.above):.6g}"


@total_ordering
@dataclass(frozen=True, eq=False)
class SquareRoot:
    """√s for a rational s > 0 that is not the square of a rational.

    >>> print(SquareRoot(Fraction(2)), SquareRoot(Fraction(2)) < Fraction(3, 2))
    √2 True
    """

    square: Fraction

    def _sign(self, other: Any) -> int:
        """Return the sign of √s − other."""
        if isinstance(other, SquareRoot):
            return (self.square > other.square) - (self.square < other.square)
        if other == inf:
            return -1
        return 1 if other < 0 or self.square > other * other else -1

    def _is_comparable(self, other: object) -> bool:
        return other == inf or isinstance(other, SquareRoot | int | Fraction)

    def __lt__(self, other: object) -> Any:
        return self._sign(other) < 0 if self._is_comparable(other) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SquareRoot) and self.square == other.square

    def __hash__(self) -> int:
        return hash((SquareRoot, self.square))

    @cached_property
    def above(self) -> Fraction:
        """A simple rational just above."""
        return self._near(1)

    @cached_property
    def below(self) -> Fraction:
        """A simple rational just below."""
        return self._near(-1)

    def _near(self, side: int) -> Fraction:
        scale = 10**15 * max(1, self.square.denominator)
        low = Fraction(isqrt(int(self.square * scale * scale)), scale)  # below, by 1/scale
        high = low + Fraction(1, scale)
        if side > 0:
            return simplest_inside(high, high + high * _CLOSE)
        return simplest_inside(low - low * _CLOSE, low)

    def __float__(self) -> float:
        return sqrt(self.square)

    def __str__(self) -> str:
        text = spell(self.square)
        return f"√({text})" if "/" in text else f"√{text}"


def square_root(square: Fraction) -> Fraction | SquareRoot:
    """Return the square root of a nonnegative number.

    >>> print(square_root(Fraction(4, 9)), square_root(Fraction(1, 2)))
    2/3 √(1/2)
    """
    over, under = isqrt(square.numerator), isqrt(square.denominator)
    if over * over == square.numerator and under * under == square.denominator:
        return Fraction(over, under)
    return SquareRoot(square)


def at_least(distance: Any) -> Any:
    """Return a distance; for an irrational one a rational just above it."""
    return distance.above if isinstance(distance, SquareRoot | Enclosed) else distance

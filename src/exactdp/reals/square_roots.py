"""Distances that are irrational: algebraic numbers (`radicals`), or only enclosed by rationals.

If a formula needs a rational, one just above or below it is used: what holds for all α below the
upper one holds below the distance, and what fails at the lower one fails below the distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from math import inf, isqrt
from typing import Any

from flint import fmpq_poly

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import exact, spell
from exactdp.reals.radicals import Radical, Surd, zero_of

CLOSE = Fraction(1, 10**9)  # relative


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
        if self.above - self.below <= 10 * CLOSE * self.above:
            return f"≈ {float(self):.9g}"
        return f"between {float(self.below):.6g} and {float(self.above):.6g}"


def square_root(square: Fraction) -> Surd:
    """Return the square root of a nonnegative number.

    >>> print(square_root(Fraction(4, 9)), square_root(Fraction(1, 2)))
    2/3 1/2*sqrt(2)
    """
    over, under = isqrt(square.numerator), isqrt(square.denominator)
    if over * over == square.numerator and under * under == square.denominator:
        return Fraction(over, under)
    return zero_of(fmpq_poly([exact(-square), 0, 1]), Fraction(0), square + 1)


def is_irrational(distance: Any) -> bool:
    """Whether a distance is no rational, or not known exactly."""
    return isinstance(distance, Radical | Enclosed)


def at_least(distance: Any, room: Fraction = CLOSE) -> Any:
    """Return a distance; for an irrational one a rational just above it, by `room` at most."""
    if isinstance(distance, Radical):
        return distance.near(1, room)
    return distance.above if isinstance(distance, Enclosed) else distance


def at_most(distance: Any) -> Any:
    """Return a distance; for an irrational one a rational just below it."""
    if isinstance(distance, Radical):
        return distance.near(-1)
    return distance.below if isinstance(distance, Enclosed) else distance

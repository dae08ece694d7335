"""Linear bounds on products of α and γ, where these are between numbers.

Let 0 ≤ a ≤ α ≤ b. A power α^j with j ≥ 2 is convex: it is at most the chord between a and b, and at
least the tangent at a. A product α^j·γ^k with j, k ≥ 1 is at most b^j·h^(k−1)·γ if γ ≤ h, and at
least a^j·g^(k−1)·γ if γ ≥ g; likewise with α kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf
from typing import NamedTuple

from .cones import Vector

LevelEnds = tuple[Fraction, Fraction | float]


class LinearBound(NamedTuple):
    """A number and multiples of α and γ."""

    constant: Fraction
    slopes: tuple[Fraction, Fraction]


def ends_of(cuts: Iterable[Vector], place: int) -> LevelEnds:
    """Return the ends of a number ≥ 0, by conditions that bound it by a multiple of ε alone."""
    low: Fraction = Fraction(0)
    high: Fraction | float = inf
    for cut in cuts:
        slope = cut[place]
        if slope and not any(q for k, q in enumerate(cut) if k not in (0, place)):
            end = -cut[0] / slope
            if slope > 0:
                low = max(low, end)
            elif end < high:
                high = end
    return low, high


def bound(
    powers: tuple[int, int], ends: tuple[LevelEnds, LevelEnds], keep: int, *, above: bool
) -> LinearBound | None:
    """Return a linear bound on α^j·γ^k from above or below; None if an end is infinite."""
    j, k = powers
    if j and k:
        side = [one[above] for one in ends]
        factor = Fraction(1)
        for place, power in enumerate(powers):
            left = power - (place == keep)
            end = side[place]
            if left and not isinstance(end, Fraction):
                return None
            factor *= Fraction(end) ** left if left else 1
        return LinearBound(Fraction(0), (factor * (keep == 0), factor * (keep == 1)))
    place, power = (0, j) if j else (1, k)
    low, high = ends[place]
    if above:
        if not isinstance(high, Fraction):
            return None
        slope = sum((low**i * high ** (power - 1 - i) for i in range(power)), Fraction(0))
    else:
        slope = power * low ** (power - 1)
    constant = low**power - slope * low
    return LinearBound(constant, (slope * (place == 0), slope * (place == 1)))

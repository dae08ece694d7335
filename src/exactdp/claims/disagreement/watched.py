"""Runs at a whole number of a domain, with the other whole numbers that take the same path.

A threshold on a count from 0 to a million has two paths. A run with a `Watched` number, which
records what each comparison with it implies, tells how far the same path reaches, so the search for
another output continues beyond. A `Watched` number can be added, multiplied and divided by numbers,
and compared. Every other use, as an index or in a user's function, ends the run with a `TypeError`:
then the path is known at that number only.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

from exactdp.language.values import Value
from exactdp.reals.operators import COMPARED, OrderedNumber


class WatchedRange:
    """The whole numbers from `least` to `most` for which all comparisons so far are alike."""

    def __init__(self, value: int, least: int, most: int) -> None:
        self.value, self.least, self.most = value, least, most

    def number(self) -> Watched:
        """Return the number itself."""
        return Watched(self, Fraction(1), Fraction(0))


class Watched(OrderedNumber):
    """slope·x + offset for a whole number x."""

    __slots__ = ("offset", "reach", "slope")

    def __init__(self, reach: WatchedRange, slope: Fraction, offset: Fraction) -> None:
        self.reach, self.slope, self.offset = reach, slope, offset

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Watched):
            slope = self.slope + other.slope
            return _watched(self.reach, slope, self.offset + other.offset)
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return Watched(self.reach, self.slope, self.offset + other)

    def __neg__(self) -> Watched:
        return Watched(self.reach, -self.slope, -self.offset)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return _watched(self.reach, self.slope * other, self.offset * other)

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / Fraction(other)) if isinstance(other, int | Fraction) else NotImplemented

    def _compared(self, op: str, other: Any) -> bool:
        gap = self - other
        decide = COMPARED[op]
        if not isinstance(gap, Watched):
            return decide(gap, 0)
        reach, zero = gap.reach, -gap.offset / gap.slope
        rising = 1 if gap.slope > 0 else -1
        below, at, above = (decide(sign, 0) for sign in (-rising, 0, rising))  # around the zero
        side = (reach.value > zero) - (reach.value < zero)
        found = (at, above, below)[side]
        if side < 0 and at != found:
            reach.most = min(reach.most, ceil(zero) - 1)
        elif side <= 0 and above != found:
            reach.most = min(reach.most, floor(zero))
        if side > 0 and at != found:
            reach.least = max(reach.least, floor(zero) + 1)
        elif side >= 0 and below != found:
            reach.least = max(reach.least, ceil(zero))
        return found

    def __repr__(self) -> str:
        raise TypeError("the text of a number is not watched")


def _watched(reach: WatchedRange, slope: Fraction, offset: Fraction) -> Any:
    """Return a form in the number, or a plain number if it does not depend on it."""
    if slope:
        return Watched(reach, slope, offset)
    return offset.numerator if offset.denominator == 1 else offset


def agreeing(
    run: Callable[[Value], Value], output: Value, value: int, ends: tuple[int, int]
) -> tuple[int, int] | None:
    """Return a range around a whole number on which the output of a run is the given one.

    None if it is another one at the number itself, or if the run is not followed.
    """
    reach = WatchedRange(value, *ends)
    try:
        other = run(reach.number())
        is_same = bool(other == output)
    except Exception:  # a use that is not watched, or an error of the program: run it plainly
        return None
    return (reach.least, reach.most) if is_same else None

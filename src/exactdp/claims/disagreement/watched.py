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


class WatchedRange:
    """The whole numbers from `least` to `most` for which all comparisons so far are alike."""

    def __init__(self, value: int, least: int, most: int) -> None:
        self.value, self.least, self.most = value, least, most

    def number(self) -> Watched:
        """Return the number itself."""
        return Watched(self, Fraction(1), Fraction(0))


class Watched:
    """slope·x + offset for a whole number x."""

    __slots__ = ("offset", "reach", "slope")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, reach: WatchedRange, slope: Fraction, offset: Fraction) -> None:
        self.reach, self.slope, self.offset = reach, slope, offset

    def _plus(self, other: Any, sign: int) -> Any:
        if isinstance(other, Watched):
            slope = self.slope + sign * other.slope
            return _watched(self.reach, slope, self.offset + sign * other.offset)
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return Watched(self.reach, self.slope, self.offset + sign * other)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Watched:
        return Watched(self.reach, -self.slope, -self.offset)

    def __pos__(self) -> Watched:
        return self

    def __abs__(self) -> Watched:
        return self if self >= 0 else -self

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return _watched(self.reach, self.slope * other, self.offset * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / Fraction(other)) if isinstance(other, int | Fraction) else NotImplemented

    def _sign(self, other: Any, alike: Callable[[int], bool]) -> bool:
        """Return whether the sign of the difference from another number is as wanted."""
        gap = self - other
        if gap is NotImplemented:
            raise TypeError("not a number")
        if not isinstance(gap, Watched):
            return alike((gap > 0) - (gap < 0))
        reach, zero = gap.reach, -gap.offset / gap.slope
        rising = 1 if gap.slope > 0 else -1
        below, at, above = alike(-rising), alike(0), alike(rising)  # of numbers around the zero
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

    def __lt__(self, other: Any) -> bool:
        return self._sign(other, lambda sign: sign < 0)

    def __le__(self, other: Any) -> bool:
        return self._sign(other, lambda sign: sign <= 0)

    def __gt__(self, other: Any) -> bool:
        return self._sign(other, lambda sign: sign > 0)

    def __ge__(self, other: Any) -> bool:
        return self._sign(other, lambda sign: sign >= 0)

    def __eq__(self, other: object) -> bool:
        return self._sign(other, lambda sign: sign == 0)

    def __ne__(self, other: object) -> bool:
        return self._sign(other, lambda sign: sign != 0)

    def __bool__(self) -> bool:
        return self != 0

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

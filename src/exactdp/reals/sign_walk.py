"""One traversal of the line for all functions of ε: signs on stretches, crossings, rational zeros.

An interval of ε ≥ 0 is covered from left to right. What a kind of function supplies is its sign
beside 0 (`start`), on a stretch between two positive numbers (`between`), and near ∞ (`tail`):

 * a sum with rational numbers has an exact procedure, which always ends (`exact_walk`);
 * other functions have Taylor coefficients on balls (`taylor_walk`);
 * probabilities that are not expanded have polynomials close to them (`chance_signs`).

A stretch on which a function of the last two kinds touches 0 may stay open. That is reported, never
guessed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.reals.interval import Interval
from exactdp.reals.numbers import inf

_MOST_STRETCHES = 400


@dataclass(frozen=True)
class Seen:
    """A stretch of ε with one sign; the sign is 0 if it stays open."""

    lower: Fraction
    upper: Fraction | float
    sign: int
    why: str = ""
    """Why it stays open."""
    proof: tuple[Any, ...] = ()
    """How a certificate proves it (see `certificates`)."""


@dataclass(frozen=True)
class Crossed:
    """A stretch with exactly one zero, a simple one, at which the sign changes."""

    lower: Fraction
    upper: Fraction
    sign: int
    """The sign before."""


@dataclass(frozen=True)
class Touched:
    """A rational zero."""

    point: Fraction

    @property
    def upper(self) -> Fraction:
        """The point."""
        return self.point


Found: TypeAlias = Seen | Crossed | Touched

Part: TypeAlias = tuple[Fraction, Fraction]
"""A stretch that is still to be examined."""


class SignWalk:
    """The signs of one function on an interval: stretches of one sign, crossings and zeros."""

    rule = (
        "A function without an exact procedure is evaluated; that proves a sign where it is not 0."
    )
    way_out = "Restrict epsilon, or change the bound slightly."

    def __init__(self, on: Interval) -> None:
        self.on = on

    def pieces(self) -> Iterator[Found]:
        """Yield what covers the interval, from left to right."""
        place, end = Fraction(self.on.lower), self.on.upper
        for piece in self.start(place):
            yield piece
            if piece.upper == end or (isinstance(piece, Seen) and not piece.sign):
                return
            place = Fraction(piece.upper)
        for _ in range(_MOST_STRETCHES):
            if place >= end:
                return
            if end == inf and (tail := self.tail(place)) is not None:
                yield tail
                return
            upper = min(self.next_end(place), end)
            assert isinstance(upper, Fraction)
            yield from self.between(place, upper)
            place = upper
        if place < end:
            yield Seen(place, end, 0, "as ε grows no sign is seen")

    @abstractmethod
    def start(self, place: Fraction) -> Sequence[Seen | Touched]:
        """Return what begins at the lower end of the interval; open if that is 0 and unknown."""

    @abstractmethod
    def tail(self, place: Fraction) -> Seen | None:
        """Return the sign on [place, ∞), None if it is not seen from there on."""

    @abstractmethod
    def between(self, lower: Fraction, upper: Fraction) -> Iterator[Found]:
        """Yield what covers a stretch between two positive numbers."""

    def next_end(self, place: Fraction) -> Fraction:
        """Return where the stretch from a place ends."""
        return 2 * place

    def quick_sign(self, point: Fraction) -> int:
        """Return the sign at a point that is tried before the walk; 0 if it is not seen."""
        del point
        return 0


def bisected(
    parts: Sequence[Part], look: Callable[[Part], Sequence[Found | Part] | None], most: int
) -> Iterator[Found | Part]:
    """Yield what at most a number of looks find on parts of the line, and the parts that are left.

    A look at a part returns what covers it, from left to right, or None.
    """
    waiting: list[Found | Part] = [*reversed(parts)]
    while waiting:
        part, found = waiting.pop(), None
        if isinstance(part, tuple) and most:
            most -= 1
            found = look(part)
        if found is None:
            yield part
        else:
            waiting += reversed(found)

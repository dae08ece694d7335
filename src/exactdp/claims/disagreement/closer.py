"""An input that disagrees and is nearly as close as dd allows, where dd is known.

The direction from u to an input that disagrees is turned, entry by entry and in smaller and smaller
steps, as long as inputs in the new direction disagree at a smaller distance. Nothing is proved this
way: the input that is found disagrees, and how far away it is can be computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Point = tuple[Fraction, ...]

_GRID = 2**80
_STEPS = 40  # halvings of the first step
_HALVINGS = 60  # of the way to an input that disagrees
_MOST_TURNS = 600
_GAIN = 1 - Fraction(1, 2**50)  # of a turn, at least
_DENOMINATORS = (1, 12, 100, 10_000)  # of simple numbers close to others


def closer(
    point: Sequence[Fraction],
    other: Point,
    disagrees: Callable[[Point], bool],
    distance: Callable[[Point], Any],
    wanted: Fraction,
) -> Point:
    """Return an input that disagrees, if possible one that is not further than wanted.

    `distance` is that of an input from the point.
    """
    best = _shortened(point, other, disagrees)
    reach = distance(best)
    step = max(abs(a - b) for a, b in zip(best, point, strict=True)) / 4
    turns = 0
    for _ in range(_STEPS):
        improved = True
        while improved and reach > wanted and turns < _MOST_TURNS:
            improved, turns = False, turns + 1
            for turn in product((0, 1, -1), repeat=len(point)):
                turned = _rounded([x + step * by for x, by in zip(best, turn, strict=True)])
                there = distance(turned)
                if not any(turn) or not there:
                    continue
                factor = Fraction(float(reach / there)).limit_denominator(2**40)
                moved = _rounded([u + (x - u) * factor for x, u in zip(turned, point, strict=True)])
                if disagrees(moved):
                    found = _shortened(point, moved, disagrees)
                    if (short := distance(found)) < reach * _GAIN:
                        best, reach, improved = found, short, True
        step /= 2
    return best


def simple_places(place: Point) -> Iterator[Point]:
    """Yield places with simple entries close to a place."""
    for most in _DENOMINATORS:
        yield tuple(x.limit_denominator(most) for x in place)


def _rounded(place: Sequence[Fraction]) -> Point:
    return tuple(Fraction(round(x * _GRID), _GRID) for x in place)


def _shortened(
    point: Sequence[Fraction], other: Point, disagrees: Callable[[Point], bool]
) -> Point:
    """Return an input that disagrees, on the way to another one."""
    low, high, best = Fraction(0), Fraction(1), other
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        place = _rounded([u + (x - u) * middle for x, u in zip(other, point, strict=True)])
        if disagrees(place):
            high, best = middle, place
        else:
            low = middle
    return best

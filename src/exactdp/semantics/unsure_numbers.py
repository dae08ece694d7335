"""Whole numbers that differ between hypotheses: each with those under which it is possible.

The combinations of two such numbers are not listed where a pass over both suffices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from exactdp.language.values import Value

Possible: TypeAlias = Mapping[int, int]
"""Numbers with masks of hypotheses."""


def possible_numbers(cases: Iterable[tuple[Value, int]], *, truths: bool) -> Possible | None:
    """Return cases of a whole number, None for other values; with `truths`, True counts as 1."""
    found: dict[int, int] = {}
    for value, mask in cases:
        if type(value) is not int and not (truths and type(value) is bool):
            return None
        found[int(value)] = found.get(int(value), 0) | mask
    return found


def added(one: Possible, two: Possible) -> Possible:
    """Return what the sum of two numbers may be."""
    found: dict[int, int] = {}
    for a, first in one.items():
        for b, second in two.items():
            if both := first & second:
                found[a + b] = found.get(a + b, 0) | both
    return found


def extreme(one: Possible, two: Possible, *, largest: bool) -> Possible:
    """Return what the larger, or the smaller, of two numbers may be.

    The larger one is v if one of them is v and the other one is at most v.
    """
    found: dict[int, int] = {}
    first = second = 0
    for value in sorted({*one, *two}, reverse=not largest):
        here, there = one.get(value, 0), two.get(value, 0)
        first, second = first | here, second | there
        if mask := here & second | there & first:
            found[value] = mask
    return found


def equality(one: Possible, two: Possible) -> tuple[int, int]:
    """Return the hypotheses under which two numbers may be equal, and may be different."""
    every = several = equal = different = 0
    for mask in two.values():
        several |= every & mask
        every |= mask
    for value, mask in one.items():
        other = two.get(value, 0)
        equal |= mask & other
        different |= mask & (every & ~other | several)
    return equal, different

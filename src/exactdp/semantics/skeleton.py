"""Skeletons of states: a state with holes for its symbolic values, and these values.

Two states can be merged if their skeletons are equal; their symbolic values are then at the
same places, in the same order.
"""

from __future__ import annotations

from typing import Any

from exactdp.language.nested import with_parts
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import Symbolic, Value


class Hole:
    """Stands for a symbolic value in a state whose finite values are compared."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "·"


HOLE = Hole()


def skeleton(value: Value, found: list[Any]) -> Value:
    """Return a value with every symbolic value replaced by a hole; they go to `found`."""
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: skeleton(part, found))
    if isinstance(value, Symbolic):
        found.append(value)
        return HOLE
    if isinstance(value, tuple):
        return with_parts(value, lambda part: skeleton(part, found))
    return value


def filled(value: Value, values: list[Any]) -> Value:
    """Return a value with its holes filled, in the same order."""
    if value is HOLE:
        return values.pop(0)
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: filled(part, values))
    if isinstance(value, tuple):
        return with_parts(value, lambda part: filled(part, values))
    return value

"""Folds: max, min and sorted as comparisons one after another, which stop where one is unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import fail
from ..ring.expr import Expr, maximum, minimum
from .comparisons import Fork
from .numbers import formula
from .values import List, Value

Compare = Callable[[str, Value, Value], bool | Fork]


@dataclass(frozen=True, slots=True)
class Branch:
    """A comparison of a fold that is unknown, and what is left to fold if it holds, and if not."""

    fork: Fork
    yes: Value
    no: Value


def folded(how: str, keyed: bool, state: Value, compare: Compare) -> Value | Branch:
    """Return the largest or least entry, or the entries in order, or where it depends on a fork.

    The first of equal entries is taken, and equal entries keep their order, as in Python. The state
    is a list, of pairs (key, item) if keyed; inside a sort (sorted, left, place).
    """
    assert isinstance(state, tuple)
    if not keyed and any(isinstance(one, Expr) for one in state) and how in ("max", "min"):
        return (maximum if how == "max" else minimum)(*map(formula, state))
    if how in ("max", "min"):
        return _extreme(how, keyed, state, compare)
    return _sorted(">" if how == "reversed" else "<", keyed, state, compare)


def _key(entry: Value, keyed: bool) -> Value:
    if not keyed:
        return entry
    assert isinstance(entry, tuple)
    return entry[0]


def _item(entry: Value, keyed: bool) -> Value:
    if not keyed:
        return entry
    assert isinstance(entry, tuple)
    return entry[1]


def _extreme(how: str, keyed: bool, state: tuple[Value, ...], compare: Compare) -> Value | Branch:
    if not state:
        fail("F05", problem=f"{how}() of an empty list")
    best, op = state[0], "<" if how == "max" else ">"
    for i, one in enumerate(state[1:], 1):
        better = compare(op, _key(best, keyed), _key(one, keyed))
        if isinstance(better, Fork):
            rest = state[i + 1 :]
            return Branch(better, List((one, *rest)), List((best, *rest)))
        if better:
            best = one
    return _item(best, keyed)


def _sorted(before: str, keyed: bool, state: tuple[Value, ...], compare: Compare) -> Value | Branch:
    """Insert one entry after another, each from the end on."""
    done, left, place = [], state, 0
    if not isinstance(state, List):
        some, rest, at = state
        assert isinstance(some, tuple)
        assert isinstance(rest, tuple)
        assert isinstance(at, int)
        done, left, place = list(some), rest, at
    for i, one in enumerate(left):
        place = place if i == 0 and not isinstance(state, List) else len(done)
        while place:
            smaller = compare(before, _key(one, keyed), _key(done[place - 1], keyed))
            if isinstance(smaller, Fork):
                stay = List((*done[:place], one, *done[place:])), List(left[i + 1 :])
                no = (*stay, len(stay[0]))
                return Branch(smaller, (List(done), List(left[i:]), place - 1), no)
            if not smaller:
                break
            place -= 1
        done.insert(place, one)
    return List(_item(one, keyed) for one in done)

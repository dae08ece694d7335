"""Rewrite expressions to equivalent ones that need fewer comparisons.

The position of the largest entry, `x.index(max(x))`, is that of the first entry that no other one
exceeds, which one pass finds. An end of a sorted list is its least or largest entry. Among entries
with equal keys it is the first one if the list is sorted upwards and its first entry is read, and
so on, because Python's sort is stable. The values are the same even if entries are equal.
"""

from __future__ import annotations

import ast

from exactdp.language.tree import literal, where
from exactdp.language.tree import put as placed

_OTHER = {"min": "max", "max": "min"}


def position_asked(node: ast.Call) -> str | None:
    """Return "max" or "min" if a call is `x.index(max(x))` or `x.index(min(x))`, else None."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(base), "index"), [inner], []):
            match end_of_sorted(inner) or inner:
                case ast.Call(ast.Name(("max" | "min") as word), [ast.Name(other)], []):
                    return word if base == other else None
    return None


def end_of_sorted(node: ast.expr) -> ast.Call | None:
    """Return a call of min or max equal to an end of a sorted list; None for other expressions."""
    match node:
        case ast.Subscript(ast.Call(ast.Name("sorted"), [items], keywords), index):
            place = literal(index)
        case _:
            return None
    given = {str(one.arg): one.value for one in keywords}
    key, reverse = given.pop("key", None), given.pop("reverse", None)
    if given or place not in (0, -1) or not (reverse is None or literal(reverse) in (0, 1)):
        return None
    word = "min" if place == 0 else "max"
    if reverse is not None and literal(reverse):
        word = _OTHER[word]
    at = where(node)
    if place == -1 and key is not None:  # the last of the entries with the same key
        step = placed(ast.Slice(None, None, placed(ast.Constant(-1), at)), at)
        items = placed(ast.Subscript(items, step, ast.Load()), at)
    more = [] if key is None else [placed(ast.keyword("key", key), at)]
    return placed(ast.Call(placed(ast.Name(word, ast.Load()), at), [items], more), at)


def part_of_sorted(node: ast.expr) -> tuple[ast.Call, int] | None:
    """Return `sorted(…)` and how many of its entries suffice, if few of them are read.

    The number is positive for the first entries, and negative for the last ones.
    """
    match node:
        case ast.Subscript(ast.Call(ast.Name("sorted")) as found, index):
            most = entries_read(index)
            return None if most is None else (found, most)
    return None


def entries_read(index: ast.expr) -> int | None:
    """Return how many of the first entries of a list an index reads; negative for the last ones.

    None if it may read any entry.
    """
    match index:
        case ast.Slice(None, upper, None) if upper is not None:
            found = literal(upper)
            return found if type(found) is int and found > 0 else None
        case ast.Slice(lower, None, None) if lower is not None:
            found = literal(lower)
            return found if type(found) is int and found < 0 else None
        case ast.Slice():
            return None
    found = literal(index)
    if type(found) is not int:
        return None
    return found + 1 if found >= 0 else found

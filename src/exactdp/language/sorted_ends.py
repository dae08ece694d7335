"""Rewrite expressions to equivalent ones that need fewer comparisons.

The position of the largest entry, `x.index(max(x))`, is that of the first entry that no other one
exceeds, which one pass finds. An end of a sorted list is its least or largest entry. Among entries
with equal keys it is the first one if the list is sorted upwards and its first entry is read, and
so on, because Python's sort is stable. The values are the same even if entries are equal. If a
program reads only a few entries from one end of a sorted list, the others need not be sorted.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from exactdp.language.tree import (
    Choose,
    Definition,
    ExpMech,
    NoiseCall,
    bound_names,
    constant,
    free_names,
    literal,
    nodes,
    rebuilt,
    roots,
    targets,
    where,
)
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


def with_fewer_comparisons(definition: Definition) -> Definition:
    """Return a definition with fewer comparisons for ends and parts of lists in variables.

    If `top = max(x)` is read only by `x.index(top)`, it is replaced by `max(x)` there, and so are
    the ends of `order = sorted(…)`. Otherwise only as many entries are sorted as are read.
    """
    body: list[ast.stmt] = []
    later = list(definition.body)
    assigned = [root for target in targets(later) for root in roots(target)]
    taken = {param.name for param in definition.params} | bound_names(later)
    while later:
        one = later.pop(0)
        match one:
            case ast.Assign([ast.Name(slot)], ast.Call(ast.Name(word)) as value) if (
                word in ("max", "min", "sorted")
                and word not in definition.constants
                and assigned.count(slot) == 1
                and slot not in taken
            ):
                subroutines = {name for name, _ in definition.subroutines()}
                found = _inlined(slot, value, later, subroutines)
                if found is not None:
                    later = found
                    continue
                if word == "sorted":
                    one = _part_read(one, slot, later)
        body.append(one)
    return replace(definition, body=body)


def _inlined(
    slot: str, value: ast.Call, later: list[ast.stmt], subroutines: set[str]
) -> list[ast.stmt] | None:
    """Return statements with a value for its variable; None if they do not only read its end.

    The value must be the same there: it has no samples, and nothing in it changes. In a loop it
    would be computed more than once.
    """

    def changed(node: Any) -> Any:
        match node:
            case ast.Call(ast.Attribute(), [ast.Name(word)], []) if word == slot:
                asked = placed(ast.Call(node.func, [value], []), where(node))
                return asked if position_asked(asked) else node
            case ast.Subscript(ast.Name(word), index) if word == slot:
                end = placed(ast.Subscript(value, index, ast.Load()), where(node))
                return end if end_of_sorted(end) else node
        return rebuilt(node, changed)

    uses = [one for one in later if slot in free_names(one)]
    if not uses or any(isinstance(one, ast.If | ast.For | ast.While) for one in uses):
        return None
    changing = bound_names(later).union(*(roots(target) for target in targets(later)))
    parts = [*nodes(value)]
    if any(isinstance(node, NoiseCall | ExpMech | Choose) for node in parts):
        return None
    if any(isinstance(node, ast.Name) and node.id in changing | subroutines for node in parts):
        return None
    found = [changed(one) for one in later]
    return None if slot in free_names(found) else found


def _part_read(one: ast.Assign, slot: str, later: list[ast.stmt]) -> ast.Assign:
    """Return the assignment of the first or last entries of a sorted list that are read later."""
    reads = [
        entries_read(node.slice)
        for node in nodes(later)
        if isinstance(node, ast.Subscript) and _is_name(node.value, slot)
    ]
    numbers = [found for found in reads if found is not None]
    uses = sum(_is_name(node, slot) for node in nodes(later))
    if not numbers or len(numbers) != uses or min(numbers) < 0 < max(numbers):
        return one
    place = where(one)
    most = constant(max(numbers, key=abs), place)
    index = placed(ast.Slice(None, most) if numbers[0] > 0 else ast.Slice(most), place)
    part = placed(ast.Subscript(one.value, index, ast.Load()), place)
    return placed(ast.Assign(one.targets, part), place)


def _is_name(node: object, word: str) -> bool:
    return isinstance(node, ast.Name) and node.id == word

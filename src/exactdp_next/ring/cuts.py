"""Cutting a formula at min, max, abs and cases into pieces without them; truth of conditions.

max(a, b) is a where a ≥ b, and b where b ≥ a: the pieces cover every point, may overlap, and agree
where they do. Of cases the first counts that holds, so a later piece has the negations of those
before it. Conditions become conjunctions of comparisons; a disjunction makes several pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

from ..errors import ExactdpError
from . import enclose, exact
from .dag import fold, postorder
from .expsum import ExpSum

if TYPE_CHECKING:
    from .expr import Condition, Expr
    from .node import Node

MOST_PIECES = 2_000
"""Pieces of one formula: each becomes a goal of its own."""

MOST_COMPARISONS = 10_000
"""Pieces of one formula times comparisons of one: a maximum of a hundred formulas has as many."""

MOST_CUTS = 100
"""Different min, max, abs and cases in one formula: nested, they take a second."""

CUTTING = frozenset({"min", "max", "abs", "cases"})

NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""Each comparison with its negation."""

Where = tuple["Condition", ...]
"""Comparisons of which all hold."""

Piece = tuple[Where, "Expr"]

Ways = tuple[list[Where], list[Where]]
"""How a condition can hold, and how it can fail."""


class _TooManyError(Exception):
    """There are more than MOST_PIECES."""


def pieces(root: Expr) -> list[Piece] | None:
    """Return (comparisons, formula without min, max, abs and cases) that cover where it is defined.

    None if there would be more than MOST_PIECES.
    """
    if sum(node.op in CUTTING for node in postorder(root)) > MOST_CUTS:
        return None
    try:
        found: Any = fold(root, _step)
    except _TooManyError:
        return None
    return found  # type: ignore[no-any-return]


def _step(node: Node, parts: list[Any]) -> list[Piece] | Ways:
    """Return the pieces of a formula, or the ways of a condition, from those of its arguments."""
    if not node.is_formula:
        return _ways(node, parts)
    return _cases(parts) if node.op == "cases" else _cut(node, parts)


def _cut(node: Node, parts: list[list[Piece]]) -> list[Piece]:
    """Return the pieces of a node from those of its arguments."""
    if node.op in CUTTING and len(node.args) ** 2 > MOST_COMPARISONS:
        raise _TooManyError
    if node.op not in CUTTING and all(len(part) == 1 and not part[0][0] for part in parts):
        return _rebuilt(node, (), [part[0][1] for part in parts])
    result: list[Piece] = []
    for chosen in _limited(parts):
        where = _all(one for one, _ in chosen)
        if where is None:
            continue
        values = [value for _, value in chosen]
        if node.op in ("min", "max"):
            for i, value in enumerate(values):
                others = values[:i] + values[i + 1 :]
                sides = [value <= x if node.op == "min" else value >= x for x in others]
                _put(result, (where, sides), value)
        elif node.op == "abs":
            _put(result, (where, [values[0] >= 0]), values[0])
            _put(result, (where, [values[0] <= 0]), -values[0])
        else:
            for _, one in _rebuilt(node, where, values):
                _put(result, (where,), one)
    return result


def _rebuilt(node: Node, where: Where, values: list[Expr]) -> list[Piece]:
    """Return the piece of other arguments; where it has no value, as log(0), there is none."""
    try:
        return [(where, node.rebuilt(values))]
    except ExactdpError:
        return []


def _cases(parts: list[Any]) -> list[Piece]:
    """Return the pieces of a formula by cases; where no case applies there is none."""
    result: list[Piece] = []
    before: list[Where] = [()]
    for (yes, no), value in zip(parts[::2], parts[1::2], strict=True):
        for one, two, (where, piece) in _limited([before, yes, value]):
            _put(result, (one, two, where), piece)
        before = _products([before, no])
    return result


def _ways(node: Node, parts: list[Any]) -> Ways:
    """Return the ways in which a condition can hold, and in which it can fail."""
    if node.op == "truth":
        return ([()], []) if node.data else ([], [()])
    if node.op == "not":
        return parts[0][::-1]  # type: ignore[no-any-return]
    if node.op in ("and", "or"):
        all_yes, all_no = zip(*parts, strict=True)
        if node.op == "and":
            return _products(all_yes), _joined(all_no)
        return _joined(all_yes), _products(all_no)
    yes: list[Where] = []
    no: list[Where] = []
    for (one, left), (two, right) in _limited(parts):
        test: Any = node.rebuilt((left, right))
        for ways, side in ((yes, test), (no, ~test)):
            where = _all((one, two, (side,)))
            if where is not None:
                ways.append(where)
    return yes, no


def _limited(parts: Iterable[list]) -> Iterable[tuple]:  # type: ignore[type-arg]
    """Return all choices of one from each part."""
    size = 1
    for part in (parts := list(parts)):
        size *= len(part)
        if size > MOST_PIECES:
            raise _TooManyError
    return product(*parts)


def _products(ways: Iterable[list[Where]]) -> list[Where]:
    return _joined([[one for one in map(_all, _limited(ways)) if one is not None]])


def _joined(ways: Iterable[list[Where]]) -> list[Where]:
    found = list(dict.fromkeys(one for each in ways for one in each))
    return [()] if () in found else found


def _put(result: list[Piece], where: Iterable[Iterable[Condition]], x: Expr) -> None:
    """Add a piece unless its conditions contradict each other."""
    found = _all(where)
    if found is not None:
        result.append((found, x))
        if len(result) > MOST_PIECES or len(result) * len(found) > MOST_COMPARISONS:
            raise _TooManyError


def _all(where: Iterable[Iterable[Condition]]) -> Where | None:
    """Return comparisons together, without what always holds; None if one never holds."""
    found: dict[Condition, None] = {}
    for one in (one for each in where for one in each):
        known = one.truth()
        if known is False or ~one in found:
            return None
        if known is None:
            found[one] = None
    return tuple(found)


def truth(root: Condition) -> bool | None:
    """Return whether a condition always holds, or never; None if that is not seen."""

    def step(node: Node, parts: list[int]) -> int:
        if node.op in NEGATED:
            return _compared(node.op, node.args[0] - node.args[1])  # type: ignore[operator]
        return connected(node, parts)

    found = fold(root, step, lambda node: () if node.op in NEGATED else node.args)
    return {1: True, -1: False, 0: None}[found]


def connected(node: Node, parts: list[int]) -> int:
    """Return 1, −1, or 0 where it is unknown, for a truth value and what and, or, not connect."""
    if node.op == "truth":
        return 1 if node.data else -1
    if node.op == "not":
        return -parts[0]
    return min(parts) if node.op == "and" else max(parts)


def _compared(op: str, gap: Expr) -> int:
    """Return whether gap `op` 0 holds: 1, −1, or 0 if it depends on names or is unknown."""
    form = exact.form(gap)
    if isinstance(form, ExpSum) and form.is_constant:
        return holds(op, form.sign())
    if gap.names:
        return 0
    return holds(op, enclose.sign(enclose.accurate(lambda: gap.value(1), 64)) or None)


def holds(op: str, sign: int | None) -> int:
    """Return 1 or −1 if x `op` 0 holds or not for an x with this sign, 0 if the sign is unknown."""
    if sign is None:
        return 0
    is_true = {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}
    is_true |= {"==": sign == 0, "!=": sign != 0}
    return 1 if is_true[op] else -1

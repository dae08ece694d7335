"""How a formula depends on one name: its degree as a polynomial, its sign, its direction.

The rules are those of calculus on signs: a product of nonnegative nondecreasing factors is
nondecreasing, and so on. They prove what they return; None says that no rule applies. ε, α and γ
are taken as nonnegative, inputs as any real number.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from .dag import fold

if TYPE_CHECKING:
    from .expr import Expr
    from .node import Node

POSITIVE = frozenset({"eps", "alpha", "gamma"})
"""Names that are never negative."""

Known = tuple[int | None, int | None]
"""The sign and the direction: 1 or −1 or 0 where they are proved, in the weak sense (≥, ≤, =)."""


def degree(root: Expr, name: str) -> int | None:
    """Return d such that the formula is a polynomial of degree ≤ d in a name, or None."""

    def step(node: Node, parts: list[int | None]) -> int | None:
        if name not in node.names:
            return 0
        match node.op, parts:
            case "name", _:
                return 1
            case "-", [a]:
                return a
            case "+", [int(a), int(b)]:
                return max(a, b)
            case "*", [int(a), int(b)]:
                return a + b
            case "/", [a, 0]:
                return a
            case "^", [int(a), _] if isinstance(node.args[1].data, int) and node.args[1].data > 0:
                return a * node.args[1].data
            case "exact", _:
                return fold(node.tree(), step)
        return None

    return fold(root, step)


def monotone(root: Expr, name: str) -> int | None:
    """Return the direction of a formula in one name, the others fixed; see `Expr.monotone`."""

    def step(node: Node, parts: list[Known]) -> Known:
        if node.op == "exact":
            return fold(node.tree(), step)
        sign, direction = _known(node, parts, name)
        return sign, 0 if name not in node.names else direction

    return fold(root, step)[1]


def _known(node: Node, parts: list[Known], name: str) -> Known:
    match node.op, parts:
        case "number", _:
            return _sign(node.data), 0
        case "name", _:
            return 1 if node.data in POSITIVE else None, 1 if node.data == name else 0
        case "+", [(s, d), (t, e)]:
            return _together(s, t), _together(d, e)
        case "-", [(s, d)]:
            return _times(-1, s), _times(-1, d)
        case "*", [(s, d), (t, e)]:
            # (ab)' = a'b + ab'
            return _times(s, t), _together(_times(d, t), _times(s, e))
        case "/", [(s, d), (t, e)]:
            # (a/b)' = (a'b − ab')/b²; b has one sign, so it is 0 at most at an end of the range
            if t is None:
                return None, None
            return _times(s, t), _together(_times(d, t), _times(_times(s, e), -1))
        case "^", [(s, d), _]:
            return _power(s, d, node.args[1].data)
        case "exp", [(_, d)]:
            return 1, d
        case "sqrt", [(_, d)]:
            return 1, d
        case "log", [(_, d)]:
            q = node.args[0].data if node.args[0].op == "number" else None
            return None if q is None else _sign(q - 1), d
        case "abs", [(s, d)]:
            return 1, None if s is None else _times(s, d)
        case (("min" | "max"), _):
            return _extreme(node.op, [s for s, _ in parts]), _all(d for _, d in parts)
        case "cases", _:
            values = parts[1::2]
            fixed = all(name not in test.names for test in node.args[::2])
            return _all(s for s, _ in values), _all(d for _, d in values) if fixed else None
    return None, None


def _sign(q: Fraction | int) -> int:
    return (q > 0) - (q < 0)


def _together(a: int | None, b: int | None) -> int | None:
    """Return the sign of a sum of two numbers with these signs."""
    if a is None or b is None:
        return None
    return a or b if a * b >= 0 else None


def _all(signs: object) -> int | None:
    """Return the sign that all have, where 0 fits to each."""
    found: int | None = 0
    for sign in signs:  # type: ignore[attr-defined]
        found = _together(found, sign)
    return found


def _times(a: int | None, b: int | None) -> int | None:
    """Return the sign of a product; 0 times anything is 0."""
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else a * b


def _extreme(op: str, signs: list[int | None]) -> int | None:
    """Return the sign of the least or largest of numbers with these signs."""
    side = 1 if op == "max" else -1
    return side if side in signs else _all(signs)


def _power(s: int | None, d: int | None, q: Fraction | int) -> Known:
    """Return sign and direction of a^q: its derivative is q·a^(q−1)·a'."""
    if q.denominator > 1:
        return 1, _times(_sign(q), d)
    sign = 1 if q % 2 == 0 else s
    if q > 0 and q % 2:
        return sign, d
    slope = _times(_sign(q), s if q % 2 == 0 else 1)
    if q < 0 and s is None:  # a may change its sign, where a^q has a pole
        return sign, None
    return sign, _times(slope, d)

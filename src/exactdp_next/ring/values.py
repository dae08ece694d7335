"""Values of formulas in ε alone: balls, Taylor series, and enclosures to certified digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb, arb_series

from ..errors import fail
from . import cuts, enclose, exact
from .dag import fold
from .enclose import Enclosure
from .expsum import ExpSum
from .linear import Rational
from .numbers import number
from .ratio import Ratio

if TYPE_CHECKING:
    from .expr import Expr
    from .node import Node

MOST_DIGITS = 10_000
"""Digits of a value: some seconds for a sum of a thousand terms."""


LARGEST_VALUE = 4_000_000
"""Bits of a power of ε that is written out: a megabyte of digits."""


def value(root: Expr, x: Rational | arb) -> arb:
    """Enclose the value of a formula at a rational, or its values on a ball.

    Where no case applies, or the formula has no value, the ball is not finite.
    """
    return series(root, x, 1)[0]


def series(root: Expr, x: Rational | arb, n: int) -> arb_series:
    """Enclose n coefficients of the Taylor series at the points of a ball.

    At a corner of min, max, abs and cases the balls contain the coefficients of all sides.
    """
    if not root.names <= {"eps"}:
        raise ValueError(f"{root} has no value, as it depends on more than eps")
    at = x if isinstance(x, arb) else enclose.point(x)
    with enclose.order(n):
        return fold(root, lambda node, parts: _step(node, parts, at, n))  # type: ignore[return-value]


def _step(node: Node, parts: list, at: arb, n: int) -> arb_series | int:  # type: ignore[type-arg]
    """Return the series of a node; for a condition 1, −1, or 0 if it is unknown."""
    match node.op, parts:
        case "number", _:
            return arb_series([enclose.point(node.data)], n)
        case "name", _:
            return arb_series([at, 1], n)
        case (("exact" | "leaf"), _):
            return node.data.series(at, n)  # type: ignore[no-any-return]
        case "+", [a, b]:
            return a + b  # type: ignore[no-any-return]
        case "-", [a]:
            return -a  # type: ignore[no-any-return]
        case "*", [a, b]:
            return a * b  # type: ignore[no-any-return]
        case "/", [a, b]:
            return a / b if not b[0].contains(0) else _unknown(n)
        case "^", [a, _]:
            return _power(a, node.args[1].data, n)
        case "sqrt", [a]:
            return _power(a, Fraction(1, 2), n)
        case "exp", [a]:
            return a.exp()  # type: ignore[no-any-return]
        case "log", [a]:
            return a.log() if a[0] > 0 else _unknown(n)
        case "abs", [a]:
            return a if a[0] > 0 else -a if a[0] < 0 else _hull([a, -a], n, abs(a[0]))
        case (("min" | "max"), _):
            return _extreme(node.op, parts, n)
        case "cases", _:
            return _by_cases(parts[::2], parts[1::2], n)
    if node.op not in cuts.NEGATED:
        return cuts.connected(node, parts)
    gap = (parts[0] - parts[1])[0]
    return cuts.holds(node.op, 0 if gap.is_zero() else enclose.sign(gap) or None)


def _power(a: arb_series, q: Rational, n: int) -> arb_series:
    """Return a^q; at a point where a = 0, only the value of a root is known."""
    if q < 0:
        under = _power(a, -q, n)
        return 1 / under if not under[0].contains(0) else _unknown(n)
    if q.denominator == 1:
        return _whole_power(a, q.numerator, n)
    if a[0] > 0:
        return (a.log() * enclose.point(q)).exp()
    if a[0] < 0:
        return _unknown(n)
    if n == 1 and a[0] == 0:
        return arb_series([0], n)
    top = a[0].abs_upper() ** enclose.point(q)
    first = arb(0).union(top) if a[0].lower() >= 0 else arb("nan")
    return arb_series([first, *_unknowns(n - 1)], n)


def _whole_power(a: arb_series, k: int, n: int) -> arb_series:
    """Return a^k for k ≥ 1 by products: flint takes logarithms, which a series of zeros has not."""
    result, square = arb_series([1], n), a
    while k:
        result, square, k = result * square if k & 1 else result, square * square, k >> 1
    return result


def _unknowns(n: int) -> list[arb]:
    return [arb("nan")] * n


def _unknown(n: int) -> arb_series:
    return arb_series(_unknowns(n), n)


def _hull(parts: list[arb_series], n: int, first: arb | None = None) -> arb_series:
    """Return balls that contain the coefficients of all parts."""
    found = []
    for i in range(n):
        both = parts[0][i]
        for part in parts[1:]:
            both = both.union(part[i])
        found.append(both)
    if first is not None:
        found[0] = first
    return arb_series(found, n)


def _extreme(op: str, parts: list[arb_series], n: int) -> arb_series:
    """Return the least or largest part; where it is unknown which, a hull of those it can be."""
    best: Callable[[arb, arb], arb] = arb.min if op == "min" else arb.max
    first = parts[0][0]
    for part in parts[1:]:
        first = best(first, part[0])
    possible = [p for p in parts if not (p[0] > first if op == "min" else p[0] < first)]
    return possible[0] if len(possible) == 1 else _hull(possible or parts, n, first)


def _by_cases(tests: list[int], parts: list[arb_series], n: int) -> arb_series:
    """Return the part of the first test that holds, a hull where it is unknown which that is."""
    possible = []
    for test, part in zip(tests, parts, strict=True):
        if test >= 0:
            possible.append(part)
        if test > 0:
            break
    else:
        possible.append(_unknown(n))
    return possible[0] if len(possible) == 1 else _hull(possible, n)


def enclosure(root: Expr, given: object, digits: int) -> Enclosure:
    """Enclose the value at a number ε to so many digits.

    A rational value of an exact form is found exactly: at a rational ε > 0 the form is a sum of
    independent constants (see `constants`). So it is not 0 where it is no such rational, and the
    precision, which is doubled until the digits are proved, suffices at some time. For formulas
    without an exact form, and with logarithms, the enclosure may stay wide: `enclose.accurate`.
    """
    x = number(given)
    if x is None:
        fail("E24", value=given)
    if not isinstance(digits, int) or isinstance(digits, bool) or not 0 < digits <= MOST_DIGITS:
        fail("E25", value=digits, most=MOST_DIGITS)
    if not root.names <= {"eps"}:
        fail("E26", what=str(root), names=sorted(root.names - {"eps"}))
    form = exact.form(root)
    if form is not None:
        found = rational_value(form, x)
        if found is not None:
            return Enclosure(found, found)
    source = root if form is None else form
    at = lambda: source.value(enclose.point(x))  # noqa: E731 evaluated at several precisions
    ball = enclose.accurate(at, digits * 10 // 3 + 8)
    if not ball.is_finite():
        fail("E27", what=str(root), value=x)
    if abs(ball).log().abs_lower() > enclose.LONGEST:
        fail("E41", what=str(root), value=x)
    with enclose.precision(digits * 4 + 64):
        return Enclosure.of(ball)


def rational_value(form: ExpSum | Ratio, x: Rational) -> Fraction | None:
    """Return the value at ε = x if the exact form shows that it is rational, otherwise None."""
    sums = (form.num, *form.factors) if isinstance(form, Ratio) else (form,)
    degree = max((k for f in sums for ks, _ in f.terms() for k in ks), default=0)
    if degree * max(abs(x.numerator), x.denominator).bit_length() > LARGEST_VALUE:
        return None
    try:
        return form.at(x).rational()
    except ZeroDivisionError:
        return None

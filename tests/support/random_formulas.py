"""Random formulas as plain trees, with values by mpmath: no code of the product computes here."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath

Tree = tuple[Any, ...]
"""("number", q), ("name", x), or an operation with trees; tests stand inside "cases" only."""

NAMES = ("eps", "eps", "eps", "alpha", "gamma")


class UndefinedError(Exception):
    """The formula has no value there, or one that is too close to a place without one."""


def small(r: random.Random) -> Fraction:
    """Return a small rational of any sign."""
    return Fraction(r.randint(-6, 6), r.randint(1, 5))


def rate(r: random.Random, names: tuple[str, ...]) -> Tree:
    """Return a linear form, as exponents of bounds are."""
    name = r.choice(names)
    one: Tree = ("*", ("number", small(r)), ("name", "eps"))
    if name != "eps":
        one = ("*", one, ("name", name))
    if r.random() < 0.3:
        return ("+", one, ("number", small(r)))
    return ("/", one, ("number", Fraction(r.randint(1, 4)))) if r.random() < 0.5 else one


def tree(
    r: random.Random, depth: int, names: tuple[str, ...] = NAMES, smooth: bool = False
) -> Tree:
    """Return a random formula; a smooth one has no corners."""
    kind = r.random()
    if depth == 0 or kind < 0.12:
        return ("number", small(r)) if r.random() < 0.4 else ("name", r.choice(names))
    if kind < 0.32:
        return ("exp", rate(r, names))
    if kind < 0.40:
        return (r.choice(["log", "sqrt"]), ("number", abs(small(r)) + Fraction(1, 7)))

    def part() -> Tree:
        return tree(r, depth - 1, names, smooth)

    if kind < 0.48:
        return ("^", part(), r.choice([Fraction(2), Fraction(3), Fraction(-1), Fraction(1, 2)]))
    if kind < 0.53:
        return (r.choice(["exp", "log", "sqrt"]), part())
    if kind < 0.65 and not smooth:
        op = r.choice(["min", "max", "abs", "cases"])
        if op == "abs":
            return (op, part())
        if op == "cases":
            test: Tree = (r.choice(["<", "<=", ">", ">=", "!="]), part(), part())
            if r.random() < 0.5:
                more = (r.choice(["<", ">="]), part(), ("number", small(r)))
                test = (r.choice(["and", "or"]), test, more)
            if r.random() < 0.3:
                test = ("not", test)
            return (op, (test, part()), (("truth", True), part()))
        return (op, *(part() for _ in range(r.randint(2, 3))))
    if kind < 0.7:
        return ("-", part())
    return (r.choice(["+", "+", "*", "*", "/", "minus"]), part(), part())


def names_of(one: Any) -> set[str]:
    """Return the names in a tree."""
    if not isinstance(one, tuple):
        return set()
    if one[0] == "name":
        return {one[1]}
    return set().union(*map(names_of, one)) if one else set()


def parts_of(one: Tree) -> list[Tree]:
    """Return all formulas in a tree."""
    op, *rest = one
    if op in ("number", "name"):
        return [one]
    if op == "cases":
        return [one, *(x for test, part in rest for x in (*sides_of(test), *parts_of(part)))]
    return [one, *(x for part in rest if isinstance(part, tuple) for x in parts_of(part))]


def sides_of(test: Tree) -> list[Tree]:
    """Return all formulas in a condition."""
    op, *rest = test
    if op == "truth":
        return []
    inner = sides_of if op in ("and", "or", "not") else parts_of
    return [x for part in rest for x in inner(part)]


def value(one: Tree, at: Mapping[str, Fraction]) -> mpmath.mpf:
    """Return the value with the precision of mpmath; near a corner or pole, UndefinedError."""
    op, *rest = one
    if op == "number":
        return number(rest[0])
    if op == "name":
        return number(at[rest[0]])
    if op == "cases":
        return next(value(part, at) for test, part in rest if holds(test, at))
    if op == "^":
        return power(value(rest[0], at), rest[1])
    parts = [value(part, at) for part in rest]
    if any(abs(part) > mpmath.mpf(10) ** 12 for part in parts):
        raise UndefinedError
    a = parts[0]
    match op:
        case "+":
            return a + parts[1]
        case "minus":
            return a - parts[1]
        case "-":
            return -a
        case "*":
            return a * parts[1]
        case "/":
            return a / apart(parts[1])
        case "exp":
            if abs(a) > 2000:
                raise UndefinedError
            return mpmath.exp(a)
        case "log":
            return mpmath.log(positive(a))
        case "sqrt":
            return mpmath.sqrt(positive(a))
        case "abs":
            return abs(a)
        case "min":
            return min(parts)
        case "max":
            return max(parts)
    raise AssertionError(op)


def number(q: Fraction) -> mpmath.mpf:
    """Return a rational as mpmath has it."""
    return mpmath.mpf(q.numerator) / q.denominator


def power(a: mpmath.mpf, q: Fraction) -> mpmath.mpf:
    """Return a^q."""
    if q.denominator > 1:
        return mpmath.power(positive(a), number(q))
    return (apart(a) if q < 0 else a) ** int(q)


def apart(a: mpmath.mpf) -> mpmath.mpf:
    """Return a number that is not 0."""
    if abs(a) < mpmath.mpf(10) ** -25:
        raise UndefinedError
    return a


def positive(a: mpmath.mpf) -> mpmath.mpf:
    """Return a number that is positive."""
    if a <= mpmath.mpf(10) ** -25:
        raise UndefinedError
    return a


def holds(test: Tree, at: Mapping[str, Fraction]) -> bool:
    """Return whether a condition holds; where both sides are almost equal, UndefinedError."""
    op, *rest = test
    match op:
        case "truth":
            return bool(rest[0])
        case "and":
            return min(holds(part, at) for part in rest)  # all are evaluated
        case "or":
            return max(holds(part, at) for part in rest)
        case "not":
            return not holds(rest[0], at)
    gap = apart(value(rest[0], at) - value(rest[1], at))
    return bool(gap != 0 if op == "!=" else gap < 0 if op in ("<", "<=") else gap > 0)


def written(one: Tree) -> str:
    """Return the tree as text of Python with every bracket."""
    op, *rest = one
    if op == "number":
        return f"({rest[0]})"
    if op == "name":
        return str(rest[0])
    if op == "truth":
        return str(rest[0])
    if op == "cases":
        parts = (f"({written(part)}, {written(test)})" for test, part in rest)
        return f"piecewise({', '.join(parts)})"
    if op == "^":
        return f"({written(rest[0])})**({rest[1]})"
    shown = [written(part) for part in rest]
    match op:
        case "not":
            return f"(not {shown[0]})"
        case "-":
            return f"(-{shown[0]})"
        case "exp" | "log" | "sqrt" | "abs" | "min" | "max":
            return f"{op}({', '.join(shown)})"
    sign = "-" if op == "minus" else op
    return f"({f' {sign} '.join(shown)})"

"""Formulas in ε, α and γ: read from their text, never executed; lowered to sums."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .document import Rejected, Work, need
from .sums import Sum, exponential, multiplied, number

_WRITTEN = re.compile(r"[A-Za-z0-9_()+*/ -]*")
"""No comments, lines or letters that look like others: the formula is printed as it is written."""

LONGEST = 10_000
"""Characters of a formula; those of the paper have some thirty."""


@dataclass(frozen=True)
class Formula:
    """Names, rationals, + − * / and whole powers, exp."""

    tree: ast.expr
    text: str

    def __str__(self) -> str:
        return self.text

    def lowered(self, values: Mapping[str, Fraction], work: Work) -> Sum:
        """Return it as a sum in ε, with numbers for the other names."""
        return _lowered(self.tree, values, work)

    def multiple_of_eps(self, work: Work) -> Fraction:
        """Return c for the formula c·ε."""
        f = self.lowered({}, work)
        need(set(f.terms) <= {(1, 0)}, "a formula that is no multiple of ε")
        return f.terms.get((1, 0), Fraction(0))

    def falls_in(self, name: str) -> bool:
        """Whether it is shown not to increase in a name ≥ 0, for all ε ≥ 0 and others ≥ 0."""
        return _direction(self.tree, name) <= 0


def read_formula(written: str) -> Formula:
    """Read a formula."""
    need(len(written) <= LONGEST, "a formula that is too long")
    need(_WRITTEN.fullmatch(written), "a formula with other characters")
    try:
        return Formula(ast.parse(written, mode="eval").body, written)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Rejected("a text that is no formula") from None


def _lowered(e: ast.expr, values: Mapping[str, Fraction], work: Work) -> Sum:
    work.spend()
    match e:
        case ast.Constant(value=v) if type(v) is int:
            return number(Fraction(v))
        case ast.Name(id="eps"):
            return Sum({(1, 0): Fraction(1)}, 1)
        case ast.Name(id=x):
            need(x in values, f"an unknown name {x}")
            return number(values[x])
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return number(Fraction(0)) - _lowered(a, values, work)
        case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=n)) if type(n) is int:
            result, base = number(Fraction(1)), _lowered(a, values, work)
            for _ in range(n):
                work.spend()
                result = multiplied(result, base, work)
            return result
        case ast.BinOp(left=left, op=op, right=right):
            one, two = _lowered(left, values, work), _lowered(right, values, work)
            work.spend(len(one.terms) + len(two.terms))
            match op:
                case ast.Add():
                    return one + two
                case ast.Sub():
                    return one - two
                case ast.Mult():
                    return multiplied(one, two, work)
                case ast.Div():
                    return multiplied(one, _inverse(two), work)
        case ast.Call(func=ast.Name(id="exp"), args=[a], keywords=[]):
            inside = _lowered(a, values, work)
            need(set(inside.terms) <= {(1, 0)}, "an exponent that is no multiple of ε")
            return exponential(inside.terms.get((1, 0), Fraction(0)))
    raise Rejected("a formula outside the language")


def _inverse(f: Sum) -> Sum:
    need(len(f.terms) == 1, "a division by a sum")
    (((k, rate), c),) = f.terms.items()
    need(k == 0, "a division by a power of ε")
    return Sum({(0, -rate): 1 / c}, f.unit)


def _direction(e: ast.expr, name: str) -> int:
    """Return 0 if a formula does not depend on a name, −1 if it does not grow, 1 if not fall.

    All names are ≥ 0. What is not shown is rejected.
    """
    match e:
        case ast.Constant():
            return 0
        case ast.Name(id=x):
            return int(x == name)
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return -_direction(a, name)
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b):
            two = _direction(b, name)
            return _both(_direction(a, name), two if isinstance(op, ast.Add) else -two)
        case ast.BinOp(left=a, op=ast.Mult(), right=b):
            return _both(_times(_direction(a, name), b), _times(_direction(b, name), a))
        case ast.BinOp(left=a, op=ast.Div(), right=b):
            below = _direction(b, name)  # where its sign is shown, it is 0 for no α > 0, or for all
            need(below == 0 or _sign(b), "a direction that is not shown")
            return _both(_times(_direction(a, name), b), -_times(below, a))
        case ast.BinOp(left=a, op=ast.Pow()):
            need(_direction(a, name) == 0, "a direction that is not shown")
            return 0
        case ast.Call(args=[a]):
            return _direction(a, name)  # exp, the one function that `_lowered` knows
    raise Rejected("a direction that is not shown")


def _both(one: int, two: int) -> int:
    need(one * two >= 0, "a direction that is not shown")
    return one or two


def _times(direction: int, factor: ast.expr) -> int:
    """Return the direction of a product with a factor that does not change."""
    sign = _sign(factor) if direction else 1
    need(sign, "a direction that is not shown")
    return direction * sign


def _sign(e: ast.expr) -> int:
    """Return 1 or −1 if a formula is shown to be ≥ 0 or ≤ 0, else 0; all names are ≥ 0."""
    match e:
        case ast.Constant() | ast.Name() | ast.Call():
            return 1
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return -_sign(a)
        case ast.BinOp(left=a, op=ast.Mult() | ast.Div(), right=b):
            return _sign(a) * _sign(b)
        case ast.BinOp(left=a, op=ast.Add(), right=b) if _sign(a) == _sign(b):
            return _sign(a)
    return 0

"""The arithmetics of the interpreter.

What operations and comparisons mean for each kind of number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import NotYet
from ..ring.exact import monomials
from ..ring.expr import Expr, expr
from ..ring.linear import Linear, Rational
from .values import Value

Number = Linear | Rational


@dataclass(frozen=True, slots=True)
class Fork:
    """A comparison that is not decided: it holds if and only if form > 0, or ≥ 0 if not strict."""

    form: Linear
    strict: bool


def applied(op: str, args: tuple[Value, ...]) -> Value:
    """Return the value of an operation: on finite values, numbers in ε, and linear forms."""
    a, b = args
    if op == "index":
        if not isinstance(a, tuple) or type(b) is not int or not -len(a) <= b < len(a):
            raise NotYet("language")
        return a[b]
    if isinstance(a, Expr) or isinstance(b, Expr):
        return _of_formulas(op, _formula(a), _formula(b))
    return _of_forms(op, _number(a), _number(b))


def compared(op: str, a: Value, b: Value) -> bool | Fork:
    """Return whether a op b holds, or on what it depends."""
    one, two = (a, b) if op in (">", ">=") else (b, a)
    difference, strict = _of_forms("-", _number(one), _number(two)), op in ("<", ">")
    if isinstance(difference, Linear):
        return Fork(difference, strict)
    return difference > 0 or (difference == 0 and not strict)


def rate_of(value: Value) -> Fraction:
    """Return the rate of a sampler, a number times ε, divided by ε."""
    rate = monomials(value) if isinstance(value, Expr) else None
    if rate is None or set(rate) != {(1, None)} or rate[1, None] <= 0:
        raise NotYet("language")
    return Fraction(rate[1, None])


def _of_forms(op: str, a: Number, b: Number) -> Number:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*" if not isinstance(b, Linear):
            return a * b
        case "*" if not isinstance(a, Linear):
            return b * a
        case "/" if not isinstance(b, Linear) and b:
            return a * Fraction(1, b)  # whole numbers give a fraction, never a float
    raise NotYet("language")


def _of_formulas(op: str, a: Expr, b: Expr) -> Expr:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
    raise NotYet("language")


def _number(value: Value) -> Number:
    """Return a number or a linear form."""
    if not isinstance(value, (int, Fraction, Linear)) or isinstance(value, bool):
        raise NotYet("language")
    return value


def _formula(value: Value) -> Expr:
    """Return a number of a program, a formula in ε."""
    return value if isinstance(value, Expr) else expr(_number(value))

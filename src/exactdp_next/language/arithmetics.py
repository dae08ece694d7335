"""The arithmetics of the interpreter: what operations and comparisons mean for each kind of number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from ..errors import NotYet
from ..ring.exact import monomials
from ..ring.expr import Expr
from ..ring.linear import Linear, Rational
from .values import Value


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
    if not _is_number(a) or not _is_number(b):
        raise NotYet("language")
    if op == "/":
        return _quotient(a, b)
    if op == "*" and isinstance(a, Linear) and isinstance(b, Linear):
        raise NotYet("language")
    operation = _OPERATIONS[op]
    return operation(a, b)


def compared(op: str, a: Value, b: Value) -> bool | Fork:
    """Return whether a op b holds, or on what it depends."""
    if not _is_number(a) or not _is_number(b) or isinstance(a, Expr) or isinstance(b, Expr):
        raise NotYet("language")
    difference = _OPERATIONS["-"](a, b) if op in (">", ">=") else _OPERATIONS["-"](b, a)
    strict = op in ("<", ">")
    if isinstance(difference, Linear):
        return Fork(difference, strict)
    number = cast(Rational, difference)
    return number > 0 or (number == 0 and not strict)


def rate_of(value: Value) -> Fraction:
    """Return the rate of a sampler, a number times ε, divided by ε."""
    if isinstance(value, Expr):
        rate = monomials(value)
        if rate is not None and set(rate) == {(1, None)} and rate[1, None] > 0:
            return Fraction(rate[1, None])
    raise NotYet("language")


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, Fraction, Linear, Expr)) and not isinstance(value, bool)


def _quotient(a: Value, b: Value) -> Value:
    """Return a / b; whole numbers give a fraction, never a float."""
    if isinstance(b, Linear) or (isinstance(b, (int, Fraction)) and b == 0):
        raise NotYet("language")
    if isinstance(b, Expr) or isinstance(a, Expr):
        return cast(Value, a / b)  # type: ignore[operator]
    return cast(Value, a * (1 / Fraction(cast(Rational, b))))  # type: ignore[operator]


_OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: cast(Value, a + b),  # type: ignore[operator]
    "-": lambda a, b: cast(Value, a - b),  # type: ignore[operator]
    "*": lambda a, b: cast(Value, a * b),  # type: ignore[operator]
}

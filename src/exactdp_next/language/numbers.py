"""Numbers: operators on finite numbers, on numbers in ε, and on linear forms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isnan
from types import MappingProxyType
from typing import NoReturn

from ..errors import NotYet, fail
from ..ring import exact
from ..ring.expr import Expr, eps, expr
from ..ring.linear import Linear, Rational, quotient, whole
from .foreign import Foreign
from .lists import LONGEST_LIST, Sequence, extended
from .values import INF, List, Value, shown, type_name

LARGEST_NUMBER = 10_000
"""Bits of a number: it is read in a message, and computed with in microseconds."""

BINARY: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "//": operator.floordiv,
        "%": operator.mod,
        "**": operator.pow,
        "&": operator.and_,
        "|": operator.or_,
        "^": operator.xor,
        "<<": operator.lshift,
        ">>": operator.rshift,
        "+=": operator.add,
        "*=": operator.mul,
    }
)
BITS = ("&", "|", "^", "<<", ">>")


def binary(op: str, a: Value, b: Value) -> Value:
    """Return the value of an operator."""
    if isinstance(a, Foreign) or isinstance(b, Foreign):
        fail("N15")
    if isinstance(a, Linear) or isinstance(b, Linear):
        return _of_forms(op, a, b)
    if isinstance(a, Expr) or isinstance(b, Expr):
        return _of_formulas(op, a, b)
    if isinstance(a, Sequence) or isinstance(b, Sequence):
        return _of_sequences(op, a, b)
    if op in BITS:
        return _of_bits(op, a, b)
    if not isinstance(a, int | Fraction | float) or not isinstance(b, int | Fraction | float):
        if op == "**":
            fail("F24")
        _no_operation(op, a, b)
    return _of_numbers(op, a, b)


def _of_numbers(op: str, a: Rational | float, b: Rational | float) -> Value:
    if op in ("/", "//", "%") and b == 0:
        fail("F01")
    if op == "**":
        return _power(a, b)
    if op == "/" and not isinstance(a, float) and not isinstance(b, float):
        return small(quotient(a, b))
    return small(BINARY[op](a, b))


def _no_operation(op: str, a: Value, b: Value) -> NoReturn:
    """Refuse as Python does: 1 + None has no value."""
    sign = op[0] if op in ("+=", "*=") else op
    problem = f"unsupported operand type(s) for {sign}: '{type_name(a)}' and '{type_name(b)}'"
    fail("F05", problem=problem)


def small(x: object) -> Value:
    """Return a number if it is one, and not too large."""
    match x:
        case bool():
            return x
        case int() | Fraction():
            if max(x.numerator.bit_length(), x.denominator.bit_length()) > LARGEST_NUMBER:
                fail("F17", most=LARGEST_NUMBER)
            return whole(x)
        case float() if x in (INF, -INF):
            return x
        case float() if not isnan(x) and x == int(x):
            return int(x)  # a number divided by ∞ is 0
    fail("F05", problem="∞ and this number have no such result")


def _power(a: Rational | float, b: Rational | float) -> Value:
    if isinstance(a, float) or isinstance(b, float):
        fail("F24")
    if a == 0 and b < 0:
        fail("F01")
    if Fraction(b).denominator != 1:
        root = (expr(a) ** expr(b)).number if a >= 0 else None
        if root is None and a > 0:
            return expr(a) ** expr(b)
        if root is None:
            fail("F24")
        return root
    size = max(Fraction(a).numerator.bit_length(), Fraction(a).denominator.bit_length())
    if abs(a) != 1 and (size - 1) * abs(int(b)) > LARGEST_NUMBER:
        fail("F17", most=LARGEST_NUMBER)
    return small(Fraction(a) ** int(b))


def _of_bits(op: str, a: Value, b: Value) -> Value:
    if not isinstance(a, int) or not isinstance(b, int):
        fail("F20")
    if op in ("<<", ">>"):
        if b < 0:
            fail("F05", problem="negative shift count")
        if op == "<<" and a and a.bit_length() + b > LARGEST_NUMBER:
            fail("F17", most=LARGEST_NUMBER)
        b = min(b, LARGEST_NUMBER)
    return small(BINARY[op](a, b))


def _of_sequences(op: str, a: Value, b: Value) -> Value:
    if op == "+=" and isinstance(a, List):
        return extended(a, b)
    if op == "**":
        fail("F24")
    if op in BITS:
        fail("F20")
    if op == "%" and isinstance(a, str):
        fail("F25")
    if op in ("+", "+=") and type(a) is type(b) and not isinstance(a, range):
        if isinstance(a, str):
            return a + str(b)
        assert isinstance(a, tuple)
        assert isinstance(b, tuple)
        return type(a)((*a, *b))
    if op in ("*", "*="):
        times, what = (a, b) if isinstance(a, int) else (b, a)
        if isinstance(times, int) and isinstance(what, List | tuple | str):
            if len(what) * times > LONGEST_LIST:
                fail("F19", most=LONGEST_LIST)
            if isinstance(what, str):
                return what * times
            return type(what)(tuple(what) * times)
    if op in ("+", "+=") and isinstance(a, str | tuple):
        kind = type_name(a)
        problem = f'can only concatenate {kind} (not "{type_name(b)}") to {kind}'
        fail("F05", problem=problem)
    _no_operation(op, a, b)


def _of_formulas(op: str, a: Value, b: Value) -> Value:
    one, two = formula(a), formula(b)
    match op:
        case "+" | "+=":
            return one + two
        case "-":
            return one - two
        case "*" | "*=":
            return one * two
        case "/":
            if two.number == 0 or exact.is_zero(two):
                fail("F01")
            return one / two
        case "**":
            if type(b) is int and abs(b) <= 100:
                return one**b
            if isinstance(a, Expr) and a.number is None and a.names:
                fail("S36")
            if isinstance(b, int | Fraction):
                return one**two
            fail("S36")
    fail("R12")


def formula(v: Value) -> Expr:
    """Return a number as a formula in ε."""
    if isinstance(v, Expr):
        return v
    if isinstance(v, float) or not isinstance(v, int | Fraction):
        fail("S40")
    return expr(int(v) if isinstance(v, bool) else v)


def _of_forms(op: str, a: Value, b: Value) -> Value:
    one, two = number(a), number(b)
    match op:
        case "+" | "+=":
            return one + two
        case "-":
            return one - two
        case "*" | "*=" if not (isinstance(a, Expr) or isinstance(b, Expr)):
            if not isinstance(two, Linear):
                return one * two
            if not isinstance(one, Linear):
                return two * one
            if not one.noises() or not two.noises():
                raise NotYet("language")  # a product of inputs, which are not bound
            fail("R04", a="a real", b="a real")
        case "/" if isinstance(one, Linear) and not isinstance(two, Linear):
            if isinstance(b, Expr):
                fail("R10")
            if not two:
                fail("F01")
            return one * Fraction(1, two)  # whole numbers give a fraction, never a float
        case "*" | "*=":
            fail("R10")
    if isinstance(one, Linear) and op in ("//", "%", "**", "/"):
        raise NotYet("language")
    fail("R05", a="a number", b="a real", op=op)


def number(v: Value) -> Linear | Rational:
    """Return a number or a form; a + b/ε is a form in "1/eps"."""
    if isinstance(v, Expr):
        found = exact.form(v * eps) if v.names <= {"eps"} else None
        scaled = None if found is None else exact.linear(found)
        if scaled is None:
            fail("R28", what=str(v))
        return scaled
    if isinstance(v, float) or not isinstance(v, int | Fraction | Linear):
        fail("F05", problem=f"{shown(v)} is not a number")
    return int(v) if isinstance(v, bool) else v

"""Comparisons of values: decided, or a fork where a form is unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import ge, gt, le, lt
from types import MappingProxyType

from ..errors import fail
from ..ring.expr import Expr
from ..ring.linear import Linear
from .foreign import Foreign
from .lists import iterated
from .numbers import number
from .values import List, Table, Value, equal, is_finite, key, type_name

ORDERS: Mapping[str, Callable[..., bool]] = MappingProxyType({"<": lt, "<=": le, ">": gt, ">=": ge})


@dataclass(frozen=True, slots=True)
class Fork:
    """A comparison that is not decided: it holds if and only if form > 0, or ≥ 0 if not strict.

    If `tie`, it holds if and only if form = 0. `rest` is what is left to look through otherwise, if
    the comparison is with the first of several entries.
    """

    form: Linear
    strict: bool = True
    tie: bool = False
    negated: bool = False
    rest: Value = None


def compared(op: str, a: Value, b: Value) -> bool | Fork:
    """Return whether a op b holds, or on what it depends."""
    if isinstance(a, Foreign) or isinstance(b, Foreign):
        fail("N17")
    match op:
        case "is" | "is not":
            return (key(a) == key(b)) == (op == "is")
        case "in" | "not in":
            return _contained(op, a, b)
        case "==" | "!=":
            return _equal(a, b, op == "!=")
    return _ordered(op, a, b)


def _ordered(op: str, a: Value, b: Value) -> bool | Fork:
    forms = isinstance(a, Linear), isinstance(b, Linear)
    if any(forms):
        for one, other, holds in ((a, b, ORDERS[op](0, 1)), (b, a, ORDERS[op](1, 0))):
            if isinstance(other, float) and isinstance(one, Linear):
                return holds == (other > 0)
        one, two = (a, b) if op in (">", ">=") else (b, a)
        difference = number(one) - number(two)
        if isinstance(difference, Linear):
            return Fork(difference, op in ("<", ">"))
        return ORDERS[">" if op in ("<", ">") else ">="](difference, 0)
    if isinstance(a, Expr) or isinstance(b, Expr):
        fail("R12")
    numbers = (int, Fraction, float)
    if isinstance(a, numbers) and isinstance(b, numbers):
        return ORDERS[op](a, b)
    if isinstance(a, str) and isinstance(b, str):
        return ORDERS[op](a, b)
    if isinstance(a, tuple) and type(a) is type(b):
        assert isinstance(b, tuple)
        return _lexicographic(op, a, b)
    problem = f"'{op}' not supported between '{type_name(a)}' and '{type_name(b)}'"
    fail("F05", problem=problem)


def _lexicographic(op: str, a: tuple[Value, ...], b: tuple[Value, ...]) -> bool | Fork:
    """Compare lists as Python does: by the first entries that differ, then by their length."""
    if not is_finite(a) or not is_finite(b):
        fail("R22", what="a real")
    for one, two in zip(a, b, strict=False):
        if not equal(one, two):
            return _ordered(op, one, two)
    return ORDERS[op](len(a), len(b))


def _equal(a: Value, b: Value, negated: bool) -> bool | Fork:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Linear):
            if not isinstance(other, int | Fraction | Linear | Expr):
                return negated
            difference = number(a) - number(b)
            if isinstance(difference, Linear):
                return Fork(difference, tie=True, negated=negated)
            return (difference == 0) != negated
    if isinstance(a, Expr) or isinstance(b, Expr):
        fail("R12")
    if not is_finite(a) or not is_finite(b):
        fail("R22", what="a real")
    return equal(a, b) != negated


def _contained(op: str, a: Value, b: Value) -> bool | Fork:
    negated = op == "not in"
    if isinstance(b, str):
        if not isinstance(a, str):
            fail("F05", problem=f"'in <string>' requires a string, not {type_name(a)}")
        return (a in b) != negated
    if isinstance(b, range) and isinstance(a, int):
        return (a in b) != negated
    entries = iterated(b)
    if isinstance(b, Table) and any(isinstance(one, List | Table) for one in (a,)):
        fail("F16", what=type_name(a))
    for i, one in enumerate(entries):
        found = _equal(one, a, negated=False)
        if isinstance(found, Fork):
            rest = List(entries[i + 1 :])
            return Fork(found.form, tie=True, negated=negated, rest=rest)
        if found:
            return not negated
    return negated

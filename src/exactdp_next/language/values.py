"""Values of a run: finite values, linear forms, numbers in ε; equal if kind and value are equal."""

from __future__ import annotations

from fractions import Fraction

from ..ring.expr import Expr
from ..ring.linear import Linear

Value = bool | int | Fraction | str | None | Linear | Expr | tuple["Value", ...]


def key(value: Value) -> object:
    """Return what equal outputs have in common: kind and value, so `True` is not `1`.

    >>> key(1) == key(Fraction(2, 2)), key(True) == key(1)
    (True, False)
    """
    if isinstance(value, tuple):
        return ("tuple", *map(key, value))
    return (type(value) is bool, value)


def shown(value: Value) -> str:
    """Return a value as a user would write it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' * (len(value) == 1)})"
    return repr(value) if isinstance(value, str) else str(value)


def json_of(value: Value) -> object:
    """Return a value as JSON.

    A rational is "p/q", a text {"text": …}, a number in ε {"expr": …}.
    """
    if isinstance(value, tuple):
        return [json_of(one) for one in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, str):
        return {"text": value}
    return {"expr": str(value)} if isinstance(value, Expr) else value

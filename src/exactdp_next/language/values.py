"""Values of a run: finite values, linear forms, numbers in ε; equal if kind and value are equal.

A list of Python is a `List`, a dictionary a `Table`; both are never changed. A range is itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isinf, isnan
from typing import TYPE_CHECKING, TypeAlias

from ..errors import fail
from ..ring.expr import Expr
from ..ring.linear import Linear, whole
from ..ring.text import parse

if TYPE_CHECKING:
    from .foreign import Foreign


class List(tuple["Value", ...]):
    """A list: as a tuple is written and indexed, but never equal to one."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary: keys and values in their order."""

    items: tuple[tuple[Value, Value], ...]

    def __getitem__(self, at: Value) -> Value:
        wanted = _python(at)
        for k, v in self.items:
            if _python(k) == wanted:
                return v
        raise KeyError(at)

    def __len__(self) -> int:
        return len(self.items)


Value: TypeAlias = (
    "bool | int | Fraction | float | str | Linear | Expr | range | Table | Foreign"
    " | tuple[Value, ...] | None"
)
"""The only floats are ∞ and −∞."""

INF = float("inf")
"""∞ as a finite value: larger than each number."""

NUMBER = re.compile(r"\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,4})?(/\d+)?\s*", re.IGNORECASE)
"""A text that is read as a number when it is captured."""


def value_of(x: object, spelled: bool = False) -> Value:
    """Return a Python object as a value; a text that spells a number is one if so wished."""
    match x:
        case bool() | Linear() | Expr() | Table() | range() | None:
            return x
        case int():
            return int(x)
        case Fraction():
            return whole(x)
        case str():
            return whole(Fraction(x)) if spelled and NUMBER.fullmatch(x) else x
        case float() | Decimal():
            if isnan(x):
                fail("N10", what="this")
            return float(x) if isinf(x) else whole(Fraction(str(x)))
        case List():
            return x
        case tuple():
            return tuple(value_of(one, spelled) for one in x)
        case list():
            return List(value_of(one, spelled) for one in x)
        case Mapping():
            return Table(tuple((value_of(k), value_of(v, spelled)) for k, v in x.items()))
    fail("N09", what="this", value=x)


def key(value: Value) -> object:
    """Return what equal outputs have in common: kind and value, so `True` is not `1`.

    >>> key(1) == key(Fraction(2, 2)), key(True) == key(1), key((0,)) == key(List((0,)))
    (True, False, False)
    """
    match value:
        case List():
            return ("list", *map(key, value))
        case tuple():
            return ("tuple", *map(key, value))
        case Table(items):
            return ("table", frozenset((key(k), key(v)) for k, v in items))
    return (type(value) is bool, value)


def equal(a: Value, b: Value) -> bool:
    """Whether finite values are equal as Python says: `True` is `1`, a list is no tuple."""
    return bool(_python(a) == _python(b))


def _python(v: Value) -> object:
    """Return something that compares and hashes as the value does in Python."""
    match v:
        case List():
            return ("list", *map(_python, v))
        case tuple():
            return ("tuple", *map(_python, v))
        case Table(items):
            return ("table", frozenset((_python(k), _python(x)) for k, x in items))
    return v


def plain(v: Value) -> object:
    """Return a finite value as Python's own: what a Python function is called with."""
    match v:
        case List():
            return [plain(one) for one in v]
        case tuple():
            return tuple(plain(one) for one in v)
        case Table(items):
            return {plain(k): plain(x) for k, x in items}
    return v


def inside(v: Value) -> Iterator[Value]:
    """Yield the value, and all values in it."""
    yield v
    parts: Iterable[Value] = ()
    if isinstance(v, tuple):
        parts = v
    elif isinstance(v, Table):
        parts = [one for item in v.items for one in item]
    for one in parts:
        yield from inside(one)


def is_finite(v: Value) -> bool:
    """Whether no linear form is in a value."""
    return not any(isinstance(one, Linear) for one in inside(v))


def shown(value: Value) -> str:
    """Return a value as a user would write it."""
    match value:
        case List():
            return f"[{', '.join(map(shown, value))}]"
        case tuple():
            return f"({', '.join(map(shown, value))}{',' * (len(value) == 1)})"
        case Table(items):
            return f"{{{', '.join(f'{shown(k)}: {shown(v)}' for k, v in items)}}}"
    return repr(value) if isinstance(value, str) else str(value)


def json_of(value: Value) -> object:
    """Return a value as JSON.

    A rational is "p/q", a text {"text": …}, a number in ε {"expr": …}; a list is a list.
    """
    match value:
        case List():
            return [json_of(one) for one in value]
        case tuple():
            return {"tuple": [json_of(one) for one in value]}
        case Table(items):
            return {"table": [[json_of(k), json_of(v)] for k, v in items]}
        case range():
            return {"range": [value.start, value.stop, value.step]}
        case Fraction():
            return str(value)
        case str():
            return {"text": value}
        case float() | Linear() | Expr():
            return {"expr": str(value)}
        case None | bool() | int():
            return value
    return {"function": value.name}


def value_of_json(x: object) -> Value:
    """Return the value that has this JSON.

    >>> value_of_json(json_of((1, List(("a", Fraction(1, 2))))))
    (1, ('a', Fraction(1, 2)))
    """
    match x:
        case list():
            return List(value_of_json(one) for one in x)
        case {"tuple": list(parts)}:
            return tuple(value_of_json(one) for one in parts)
        case {"table": list(rows)}:
            return Table(tuple((value_of_json(k), value_of_json(v)) for k, v in rows))
        case {"range": [int(start), int(stop), int(step)]}:
            return range(start, stop, step)
        case {"text": str(text)}:
            return text
        case {"expr": "inf" | "-inf" as text}:
            return float(text)
        case {"expr": str(text)}:
            return parse(text)
        case str():
            return whole(Fraction(x))
        case None | bool() | int():
            return x
    raise ValueError(x)


def type_name(v: object) -> str:
    """Return the name of a value's type as Python has it."""
    names = {List: "list", Table: "dict", type(None): "NoneType"}
    return names.get(type(v), type(v).__name__)

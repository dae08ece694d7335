"""Codec: values <-> JSON, for statements, parts, goals, proofs, certificates and stored answers.

A rational is a JSON integer or "p/q", a tuple a list, a set a sorted list, a map with names as keys
a sorted object (with others a sorted list of pairs), and a dataclass an object with its fields and
"kind", the name of its class. A class with `to_json` and `from_json` says itself what it is, as a
formula does, which is its text. Nothing is a float. Reading follows the types of the fields:
`read(Goal, written(goal)) == goal`.

What is read is what this program wrote. JSON of unknown origin is for `certify`.
"""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

Json = Any
"""What `json.dumps` takes and `json.loads` returns, without floats."""


def written(value: object) -> Json:
    """Return a value as JSON."""
    if value is None or isinstance(value, bool | int | str):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    if isinstance(value, Enum):
        return written(value.value)
    own = getattr(value, "to_json", None)
    if own is not None and not isinstance(value, type):
        return own()
    if isinstance(value, tuple | list):
        return [written(one) for one in value]
    if isinstance(value, AbstractSet):
        return sorted(map(written, value), key=text)
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: written(value[key]) for key in sorted(value)}
        return sorted(([written(key), written(one)] for key, one in value.items()), key=text)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {name: written(getattr(value, name)) for name in _fields(type(value))}
        return {"kind": type(value).__name__, **parts}
    raise TypeError(f"{type(value).__name__} has no JSON")


def text(data: Json) -> str:
    """Return JSON as the one text that equal data have."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: object) -> str:
    """Return a name of a value that others hardly have: the SHA-256 of its JSON."""
    from hashlib import sha256  # noqa: PLC0415 loads OpenSSL

    return sha256(text(written(value)).encode()).hexdigest()


def read(kind: Any, data: Json) -> Any:
    """Return the value of a type whose JSON this is; the type may be a union or generic."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind in (Any, object):
        return data
    if origin in (Union, types.UnionType):
        return read(_alternative(inside, data), data)
    if origin is tuple:
        _need(isinstance(data, list), kind, data)
        if inside[1:] == (...,):
            return tuple(read(inside[0], one) for one in data)
        _need(len(data) == len(inside), kind, data)
        return tuple(read(one, part) for one, part in zip(inside, data, strict=True))
    if isinstance(origin, type) and issubclass(origin, AbstractSet):
        _need(isinstance(data, list), kind, data)
        return frozenset(read(inside[0], one) for one in data)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        pairs = data.items() if isinstance(data, dict) else data
        return {read(inside[0], key): read(inside[1], one) for key, one in pairs}
    if not isinstance(kind, type):
        raise TypeError(f"{kind} has no JSON")
    if kind in (bool, int, str, type(None)):
        _need(type(data) is kind, kind, data)
        return data
    if kind is Fraction:
        _need(_is_rational(data), kind, data)
        return Fraction(data)
    if issubclass(kind, Enum):
        return kind(data)
    if hasattr(kind, "from_json"):
        return kind.from_json(data)
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"{kind.__name__} has no JSON")
    fields = _fields(kind)
    right = isinstance(data, dict) and data.keys() == {"kind", *fields}
    _need(right and data["kind"] == kind.__name__, kind, data)
    return kind(**{name: read(fields[name], data[name]) for name in fields})


@cache
def _fields(kind: type) -> dict[str, Any]:
    """Return the types of the fields that are arguments of a dataclass."""
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in dataclasses.fields(kind) if one.init}


def _alternative(kinds: tuple[Any, ...], data: Json) -> Any:
    """Return which type of a union wrote data: each has a form that no other one has."""
    found = [kind for kind in kinds if _fits(kind, data)]
    if int in found and Fraction in found:  # a rational: whole numbers are ints
        found.remove(Fraction)
    if len(found) > 1:  # a rational is no formula, and the name of a member no other text
        found = [kind for kind in found if not hasattr(kind, "from_json")] or found
    if len(found) != 1:
        raise ValueError(f"{text(data)[:80]} is not one of {kinds}")
    return found[0]


def _fits(kind: Any, data: Json) -> bool:
    if kind in (bool, int, str, type(None)):
        return type(data) is kind
    if kind is Fraction:
        return _is_rational(data)
    origin = get_origin(kind) or kind
    if origin in (list, tuple) or (isinstance(origin, type) and issubclass(origin, AbstractSet)):
        return isinstance(data, list)
    if isinstance(origin, type) and issubclass(origin, Enum):
        return data in [one.value for one in origin]
    if hasattr(origin, "from_json"):
        return True
    if isinstance(origin, type) and dataclasses.is_dataclass(origin):
        return isinstance(data, dict) and data.get("kind") == origin.__name__
    return isinstance(data, dict | list)


def _is_rational(data: Json) -> bool:
    """Return whether data is an integer, or "p/q" in lowest terms."""
    if not isinstance(data, str):
        return type(data) is int
    over, slash, under = data.partition("/")
    digits = over.removeprefix("-").isdecimal() and under.isdecimal() and data.isascii()
    return bool(slash) and digits and int(under) > 1 and str(Fraction(data)) == data


def _need(right: bool, kind: Any, data: Json) -> None:
    if not right:
        raise ValueError(f"{text(data)[:80]} is no {getattr(kind, '__name__', kind)}")

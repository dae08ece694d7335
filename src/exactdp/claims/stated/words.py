"""A complete description of a value as words, which identifies answers about it in a store.

Functions and classes of the user are described by their code and by the values that it uses, those
of libraries by their names. A value whose behaviour has no textual description is refused, since
answers about it could not be identified.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections import namedtuple
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from dis import get_instructions
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial
from importlib import import_module
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.chance import LIBRARIES, is_of_a_library, used_by
from exactdp.language.program import Program
from exactdp.language.tree import Definition
from exactdp.reals import ClosedForm

_CODE = (FunctionType, type, ModuleType)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, Fraction, range, type(Ellipsis))
_ENTRY = type(vars(namedtuple("_Entry", "one"))["one"])  # the accessors of a named tuple
_ACCESS = (MemberDescriptorType, GetSetDescriptorType, WrapperDescriptorType, _ENTRY)
_ELSEWHERE = {"compile", "eval", "exec", "globals", "input", "locals", "open", "vars"}
"""Functions whose results do not follow from the code that calls them."""
_ABOUT = {"__annotations__", "__dict__", "__doc__", "__module__", "__weakref__"} | {
    "__dataclass_fields__",
    "__dataclass_params__",
    "__firstlineno__",
    "__static_attributes__",
}
"""Entries of a class that do nothing; the code of a data class is generated from its fields."""


class Words:
    """The words of a value; repeated objects are described once."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, object]] = {}  # keeps objects alive, so ids stay unique

    @property
    def code(self) -> tuple[Any, ...]:
        """The functions and classes of the user that were described."""
        found = (one for _, one in self._seen.values() if isinstance(one, FunctionType | type))
        return tuple(one for one in found if not is_of_a_library(one))

    def of(self, value: Any) -> Iterator[str]:
        """Yield the words."""
        if type(value) in _PLAIN:
            yield f"{type(value).__name__} {value!r}"
            return
        is_own = not isinstance(value, _CODE) and not is_of_a_library(type(value))
        if is_own or isinstance(value, _CODE):  # may refer to itself
            if id(value) in self._seen:
                yield f"again {self._seen[id(value)][0]}"
                return
            self._seen[id(value)] = len(self._seen), value
        yield f"({type(value).__qualname__}"
        if is_own:
            yield from self.of(type(value))
        for part in self._parts(value):
            yield from self.of(part)
        yield ")"

    def _parts(self, value: Any) -> Iterator[Any]:
        kind = next((one for one in _PLAIN if isinstance(value, one)), None)
        match value:
            case Enum():
                yield value.name
            case Program():
                yield from (value.definition, value.definition.asked, value.definition.part)
            case Definition():
                yield value.key
            case ClosedForm():
                yield str(value)
            case ast.AST():
                yield ast.dump(value)
            case _ if kind is not None:
                yield kind.__repr__(value)  # type: ignore[call-arg]
                yield from _held(value)
            case Mapping():
                for key, item in value.items():
                    yield from (key, item)
                yield from _held(value)
            case Set():
                yield from sorted(value, key=repr)
                yield from _held(value)
            case tuple() | list():
                yield from value
                yield from _held(value)
            case _ if is_dataclass(value) and _is_ours(value) and not isinstance(value, type):
                yield from (getattr(value, one.name) for one in fields(value) if one.compare)
            case _ if isinstance(value, _CODE):
                yield from _text(value)
            case _:
                yield from _of_object(value)


def _text(value: Any) -> Iterator[Any]:
    """Yield the code of a function or a class, and the values of the names in it."""
    if isinstance(value, ModuleType):
        yield value.__name__
    elif is_of_a_library(value):
        yield f"{value.__module__}.{value.__qualname__}"
    elif isinstance(value, FunctionType):
        yield value.__code__
        yield from _used(value)
        yield from vars(value).items()
    elif issubclass(value, Enum):
        yield value.__qualname__
        yield from ((name, one.value) for name, one in value.__members__.items())
        yield from (one for one in vars(value).values() if isinstance(one, FunctionType | property))
    else:
        yield from (value.__qualname__, value.__bases__)
        yield from ((name, one) for name, one in vars(value).items() if name not in _ABOUT)


def _of_object(value: Any) -> Iterator[Any]:
    """Yield the parts that determine an object that is not a plain value."""
    match value:
        case CodeType():
            yield from (value.co_code, value.co_consts, value.co_names, value.co_varnames)
        case MethodType(__func__=function, __self__=owner):
            yield from (function, owner)
        case partial():
            yield from (value.func, value.args, value.keywords)
        case property():
            yield from (value.fget, value.fset)
        case cached_property():
            yield value.func
        case staticmethod() | classmethod():
            yield value.__func__
        case BuiltinFunctionType():
            yield f"{value.__module__}.{value.__qualname__}"
        case _ if isinstance(value, _ACCESS):
            yield getattr(value, "__name__", "")
        case _ if hasattr(value, "cache_info") and hasattr(value, "__wrapped__"):
            yield value.__wrapped__  # with a cache
        case _ if type(value).__module__ == "dataclasses" and vars(value) == {}:
            return  # a marker in generated code
        case _ if _is_ours(value) or not any(map(is_of_a_library, type(value).__mro__[:-1])):
            yield from _held(value)
        case _:
            raise _refused(shown(value))


def _held(value: Any) -> Iterator[object]:
    """Yield the attributes of an object."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    yield from (getattr(value, name, None) for name in slots)
    yield from getattr(value, "__dict__", {}).items()


def _slots(kind: type) -> tuple[str, ...]:
    found = vars(kind).get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def _is_ours(value: object) -> bool:
    return any(one.__module__.partition(".")[0] == "exactdp" for one in type(value).__mro__)


def _used(function: FunctionType) -> Iterator[object]:
    """Yield the values of the names in a function; of modules, the attributes it may use."""
    for one in get_instructions(function.__code__):
        if one.opname == "IMPORT_NAME":
            with contextlib.suppress(ImportError, ValueError):
                import_module(one.argval)  # as the function does
        name = one.argval if one.opname == "LOAD_GLOBAL" else ""
        if name in _ELSEWHERE and name not in function.__globals__:
            raise _refused(f"the function {function.__name__}, which calls {name}(),")
    strings = (one for one in function.__code__.co_consts if isinstance(one, str))
    given = tuple(strings)  # getattr(module, "name")
    for found, names in used_by(function):
        yield found
        yield from _attributes(found, (*names, *given), set())


def _attributes(found: object, names: tuple[str, ...], seen: set[int]) -> Iterator[object]:
    """Yield the attributes of a user's module that a function may use."""
    if not isinstance(found, ModuleType) or id(found) in seen or _is_installed(found):
        return
    seen.add(id(found))
    for one in (vars(found)[name] for name in names if name in vars(found)):
        yield one
        yield from _attributes(one, names, seen)


def _is_installed(module: ModuleType) -> bool:
    name = module.__name__.partition(".")[0]
    file = str(getattr(module, "__file__", None) or "")
    return file.startswith(LIBRARIES) or name in ("exactdp", *sys.stdlib_module_names)


def _refused(what: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"answers about {what} cannot be recognised in a store",
        rule="A store identifies a claim by its text: numbers, formulas and functions.",
        way_out="Leave out the store, or write the claim without this object.",
    )

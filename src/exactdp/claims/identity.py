"""What makes two claims the same, as a hash; and claims as bytes, without what is kept of them.

The hash covers the text of the program with its constants, every part of the claim, the code of all
Python functions that these use (as far as they are the user's own), the question, and the version.
What has no text that says what it does is refused: its answers could not be recognised again.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import pickle
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.chance import LIBRARIES, is_of_a_library, used_by
from exactdp.language.program import Program
from exactdp.language.tree import Definition
from exactdp.reals import ClosedForm
from exactdp.running.crew import unsendable
from exactdp.running.version import version

_CODE = (FunctionType, type, ModuleType)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, Fraction, range, type(Ellipsis))


def key_of(claim: object, question: object) -> str:
    """Return a hash of a claim, a question and the version of exactdp."""
    found = hashlib.blake2b(digest_size=20)
    words = _Words()
    for part in (version(), repr(question), *words.of(claim)):
        found.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


class _Words:
    """A value as words that say all of it; what occurs twice is told once."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, object]] = {}  # kept, so that each stays its own

    def of(self, value: Any) -> Iterator[str]:
        """Yield the words."""
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__} {value!r}"
            return
        if isinstance(value, _CODE):  # which may use itself
            if id(value) in self._seen:
                yield f"again {self._seen[id(value)][0]}"
                return
            self._seen[id(value)] = len(self._seen), value
        yield f"({type(value).__qualname__}"
        for part in self._parts(value):
            yield from self.of(part)
        yield ")"

    def _parts(self, value: Any) -> Iterator[Any]:
        match value:
            case Program():
                yield from (value.definition, value.definition.asked)
            case Definition():
                yield value.key
            case ClosedForm():
                yield str(value)
            case ast.AST():
                yield ast.dump(value)
            case Mapping():
                for key, item in value.items():
                    yield from (key, item)
            case Set():
                yield from sorted(value, key=repr)
            case tuple() | list():
                yield from value
            case Enum():
                yield value.name
            case _ if is_dataclass(value) and not isinstance(value, type):
                yield from (getattr(value, one.name) for one in fields(value) if one.compare)
            case _:
                yield from self._code(value)

    def _code(self, value: Any) -> Iterator[Any]:
        """Yield what a function does: its code, and what the names in it stand for."""
        match value:
            case CodeType():
                yield from (value.co_code, value.co_consts, value.co_names, value.co_varnames)
            case ModuleType():
                yield value.__name__
            case MethodType(__func__=function, __self__=owner):
                yield from (function, owner)
            case partial():
                yield from (value.func, value.args, value.keywords)
            case FunctionType() | type() if not is_of_a_library(value):
                if isinstance(value, FunctionType):
                    yield value.__code__
                    for one, names in used_by(value):
                        yield one
                        yield from _attributes(one, names)
                else:
                    yield value.__qualname__
                    yield from (one for one in vars(value).values() if _is_code(one))
            case FunctionType() | BuiltinFunctionType() | type():
                yield f"{value.__module__}.{value.__qualname__}"
            case _ if type(value).__module__.partition(".")[0] == "exactdp":
                slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
                yield from (getattr(value, name, None) for name in slots)
                yield from getattr(value, "__dict__", {}).items()
            case _:
                raise ValueRefusedError(
                    f"answers about {shown(value)} cannot be recognised in a store",
                    rule="A store knows a claim by its text: numbers, formulas and functions.",
                    way_out="Leave out the store, or write the claim without this object.",
                )


def _slots(kind: type) -> tuple[str, ...]:
    found = vars(kind).get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def _attributes(found: object, names: tuple[str, ...]) -> Iterator[object]:
    """Yield what a function may use of a module of the user's own."""
    file = str(getattr(found, "__file__", None) or "")
    if isinstance(found, ModuleType) and file and not file.startswith(LIBRARIES):
        yield from (vars(found)[name] for name in names if name in vars(found))


def _is_code(value: object) -> bool:
    return isinstance(value, FunctionType | staticmethod | classmethod | property)


# Claims as bytes ----------------------------------------------------------------------


def remade(kind: type, given: dict[str, Any]) -> Any:
    """Return a claim as it was given."""
    return kind(**given)


def as_given_only(claim: Any) -> tuple[object, ...]:
    """Return how to make a claim again from what was given, without what is kept of it."""
    return remade, (type(claim), {one.name: getattr(claim, one.name) for one in fields(claim)})


def blob_of(claim: object) -> bytes:
    """Return a claim as bytes for another process; refuse one that does not pickle."""
    try:
        cloudpickle: Any = __import__("cloudpickle")
    except ImportError:
        cloudpickle = None
    try:
        if cloudpickle is None:
            return pickle.dumps(claim)
        with _by_value(cloudpickle, claim):
            return bytes(cloudpickle.dumps(claim))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise unsendable(error) from error


class _by_value:  # noqa: N801 a context
    """Functions of modules that only this process has are sent as code."""

    def __init__(self, cloudpickle: Any, claim: object) -> None:
        words = _Words()
        with contextlib.suppress(ValueRefusedError):
            list(words.of(claim))
        functions = (one for _, one in words._seen.values() if isinstance(one, FunctionType | type))
        names = {one.__module__ for one in functions if not is_of_a_library(one)} - {"__main__"}
        self._modules = [sys.modules[name] for name in names if name in sys.modules]
        self._cloudpickle = cloudpickle

    def __enter__(self) -> None:
        for module in self._modules:
            self._cloudpickle.register_pickle_by_value(module)

    def __exit__(self, *_: object) -> None:
        for module in self._modules:
            self._cloudpickle.unregister_pickle_by_value(module)


def claim_of(data: bytes) -> Any:
    """Return a claim from bytes that a process of the same user sent."""
    return pickle.loads(data)

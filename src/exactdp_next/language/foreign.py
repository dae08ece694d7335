"""Foreign: Python functions of finite values, run on them; each call is made twice and kept."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType

from ..errors import ExactdpError, fail
from .values import Value, key, plain, shown, value_of

CHANCE = frozenset({"random", "secrets", "time", "datetime", "uuid"})
"""Modules whose functions have other results at each call."""


class Foreign:
    """A Python function of finite values, and the table of its calls."""

    def __init__(self, function: Callable[..., object], name: str) -> None:
        self.function, self.name = function, name
        self.table: dict[object, Value] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Foreign) and self.function is other.function

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def called(self, args: tuple[Value, ...]) -> Value:
        """Return the value for finite arguments; it is the same at each call, or refused."""
        if (asked := key(args)) not in self.table:
            self.table[asked] = self._computed(args)
        return self.table[asked]

    def _computed(self, args: tuple[Value, ...]) -> Value:
        results = []
        for _ in range(2):
            given = [plain(one) for one in args]
            try:
                found = self.function(*given)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                shown_args = ", ".join(map(shown, args))
                fail("F13", function=self.name, problem=problem, arguments=shown_args)
            results.append(self._exact(found))
            if any(key(value_of(a)) != key(b) for a, b in zip(given, args, strict=True)):
                fail("F37", function=self.name)
        one, two = results
        if key(one) != key(two):
            fail("F36", function=self.name, one=shown(one), two=shown(two))
        return one

    def _exact(self, found: object) -> Value:
        if isinstance(found, float) and found.as_integer_ratio()[1] > 2**20:
            fail("F12", function=self.name, value=found)
        try:
            return value_of(found)
        except ExactdpError:
            fail("F14", function=self.name, value=found)


def source_of_chance(function: object) -> str | None:
    """Return the name of a module by which a function draws chance or asks the time, or None.

    It follows global names and closures; it may miss a generator that the function makes itself.
    """
    seen: set[int] = set()
    todo = [function]
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        module = one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", None)
        top = str(module).split(".", maxsplit=1)[0].lstrip("_")
        if top in CHANCE or str(module).startswith("numpy.random"):
            return top
        if isinstance(one, FunctionType):
            todo += _used(one)
    return None


def _used(function: FunctionType) -> Iterator[object]:
    """Yield the globals and closure of a function."""
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    for one in dis.get_instructions(code):
        if one.opname.startswith("LOAD_GLOBAL"):
            yield str(one.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)

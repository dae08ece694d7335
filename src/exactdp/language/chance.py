"""Find Python functions that use randomness or the clock: their result is not determined.

Objects are recognised by where they are defined, not by the name under which they are used, so
`from random import randint as roll` is found too. The search follows the names that a function's
code uses, in its globals and its closure, and continues in the user's own functions and classes
among them. It does not enter libraries; `helpers` calls every function twice.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Mapping, Set
from dis import get_instructions
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import islice
from types import CodeType, FunctionType, MethodType, ModuleType

from exactdp.reals import ExpPoly

#: Modules in which no function depends on its arguments alone.
_MODULES = frozenset(("random", "secrets", "time", "numpy.random"))
#: Names in other modules that use randomness or the clock.
_NAMES = {
    "os": ("urandom", "getrandom"),
    "uuid": ("uuid1", "uuid4"),
    "datetime": ("now", "today", "utcnow"),
}
_SUSPECTS = frozenset((*_MODULES, *_NAMES, "numpy"))
_MOST_ENTRIES = 1_000  # of a container that are looked at
_VALUES = (bool, int, float, str, Fraction, ExpPoly)  # which use nothing
NO_CHANCE = (
    "Chance comes from the samplers alone, and no program knows the time: a Python function is "
    "called as a function of its arguments."
)
DRAW_INSTEAD = (
    "Draw in the mechanism, with choose({value: probability, …}), lap, dlap, expo or expmech."
)
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


Names = tuple[str, ...]


def source_of_chance(found: object) -> str | None:
    """Return the name of the source of randomness or time that an object uses, or None."""
    if type(found) in _VALUES:
        return None
    seen: dict[int, object] = {}  # by identity; kept, so that it stays its own
    waiting: list[tuple[object, Names]] = [(found, ())]
    for one, used in waiting:
        own = _own(one, used)
        if own is not None:
            return own
        if id(one) not in seen or isinstance(one, ModuleType):
            waiting += _parts(one, used, given=not seen)
            seen[id(one)] = one
    return None


def _own(found: object, used: Names) -> str | None:
    """Return the name of an object that is itself a source of randomness or time."""
    if isinstance(found, ModuleType):
        return found.__name__ if _home(found.__name__) in _MODULES else None
    owner = getattr(found, "__self__", None)
    for one in (found, owner, type(found), type(owner)):
        home = getattr(one, "__module__", None)
        if isinstance(home, str) and _home(home) in _MODULES:
            name = getattr(found, "__qualname__", type(found).__qualname__)
            return f"{_home(home)}.{str(name).rpartition('.')[2]}"
    for home, names in _NAMES.items():
        module = sys.modules.get(home)
        for name in names:
            if module is not None and found is getattr(module, name, module):
                return f"{home}.{name}"
            if home == "datetime" and (name in used or getattr(found, "__name__", "") == name):
                kinds = (getattr(module, "datetime", None), getattr(module, "date", None))
                if any(one in kinds for one in (found, owner) if isinstance(one, type)):
                    return f"{home}.{name}"
    return None


def _home(module: str) -> str:
    """Return the module that a user imports; numpy.random has private submodules."""
    return "numpy.random" if module.startswith("numpy.random") else module.lstrip("_")


def _parts(found: object, used: Names, *, given: bool) -> Iterator[tuple[object, Names]]:
    """Return the objects that an object may use, with the attributes of each that may be used.

    Objects of a library are not searched, except a function that is itself `given`.
    """
    match found:
        case ModuleType():
            for name in used:
                if name in vars(found):
                    yield vars(found)[name], tuple(other for other in used if other != name)
        case MethodType(__func__=function, __self__=owner):
            yield function, ()
            yield owner, ()
        case partial():
            for part in (found.func, *found.args, *found.keywords.values()):
                yield part, ()
        case FunctionType():
            if given or not is_of_a_library(found):
                yield from used_by(found)
                yield from ((part, ()) for part in vars(found).values())
        case type():
            if not is_of_a_library(found):
                for part in vars(found).values():
                    yield getattr(part, "__func__", part), ()
        case _:
            yield type(found), ()
            yield from ((part, used) for part in _held(found))


def _held(found: object) -> Iterator[object]:
    """Return what an object holds: entries, attributes, and what a cache or property calls."""
    if isinstance(found, Mapping):
        yield from islice(found.values(), _MOST_ENTRIES)
    elif isinstance(found, list | tuple | Set):
        yield from islice(found, _MOST_ENTRIES)
    for name in ("__wrapped__", "default_factory", "fget"):
        yield getattr(found, name, None)
    yield from getattr(found, "__dict__", {}).values()
    for kind in type(found).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            yield getattr(found, name, None)


def used_by(function: FunctionType) -> Iterator[tuple[object, Names]]:
    """Return the objects that the names in a function's code refer to."""
    codes = [function.__code__]
    for code in codes:  # also the functions inside it
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    names = tuple(dict.fromkeys(name for code in codes for name in code.co_names))
    for instruction in (one for code in codes for one in get_instructions(code)):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield function.__globals__.get(instruction.argval), names
        elif instruction.opname == "IMPORT_NAME":
            yield _imported(instruction.argval), names
    if {"__import__", "import_module"} & set(names):
        for name in (one for code in codes for one in code.co_consts if isinstance(one, str)):
            yield _imported(name), names
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents, names
        except ValueError:  # not assigned yet
            continue
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield value, names


def _imported(name: str) -> object:
    """Return a module that a function imports: a source of randomness, or one already loaded."""
    if name.partition(".")[0] in _SUSPECTS:
        try:
            return import_module(name)
        except ImportError:
            return None
    return sys.modules.get(name)


def is_of_a_library(found: object) -> bool:
    """Whether a function or class belongs to Python, an installed package or exactdp."""
    name = getattr(found, "__module__", None) or ""
    module = sys.modules.get(name)
    if module is None or name == "__main__":
        return False
    file = getattr(module, "__file__", None)
    return file is None or name.startswith("exactdp.") or str(file).startswith(LIBRARIES)

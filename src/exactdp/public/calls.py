"""Calls of public functions: one frame of exactdp in a traceback, and errors for wrong arguments.

The module for running processes is loaded on first use (PLC0415).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from exactdp.certify.collection import seldom_collected
from exactdp.errors import ArgumentRefusedError, ExactdpError, shown

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_SAME = (("eps", "epsilon"), ("within", "gamma"), ("risk", "beta"), ("size", "n"))
"""Names of one thing in different functions."""


def shortened(error: ExactdpError) -> ExactdpError:
    """Return an error without the frames of exactdp, which do not help to find a user's mistake.

    EXACTDP_TRACEBACK=full keeps them, for developers of exactdp.
    """
    return error if os.environ.get("EXACTDP_TRACEBACK") == "full" else error.with_traceback(None)


def folded(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a public function so that its errors show a single frame of exactdp."""

    @wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        __tracebackhide__ = True  # for pytest
        try:
            if keywords:
                _refuse_unknown(function, args, keywords)
            with seldom_collected():
                return function(*args, **keywords)
        except ExactdpError as error:
            raise shortened(error) from error.__cause__
        except TypeError:
            wrong = _unbound(function, args, keywords)
            if wrong is None:
                raise
            raise wrong from None

    return call


def folds(cls: type[T]) -> type[T]:
    """Wrap the public methods of a class, inherited ones included, with `folded`."""
    for name in dir(cls):
        found = next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
        if isinstance(found, FunctionType) and (not name.startswith("_") or name == "__init__"):
            setattr(cls, name, folded(found))
    return cls


@cache
def _names(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Return the names of the arguments of a function; None if it has arguments with any name."""
    names = []
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is not Parameter.VAR_KEYWORD:
            names.append(name)
        elif parameter.annotation == "Unpack[How]":
            from exactdp.running.conduct import How  # noqa: PLC0415

            names += How.__annotations__
        else:
            return None
    return tuple(names)


def _refuse_unknown(
    function: Callable[..., Any], args: Sequence[object], keywords: Mapping[str, object]
) -> None:
    names = _names(function)
    if names is None or keywords.keys() <= set(names):
        return
    name = next(name for name in keywords if name not in names)
    raise ArgumentRefusedError(
        f"{_called(function, args)} has no argument {name}",
        rule=_rule(names),
        way_out=_instead(name, keywords[name], function, args),
    )


def _unbound(
    function: Callable[..., Any], args: Sequence[object], keywords: Mapping[str, object]
) -> ArgumentRefusedError | None:
    """Return the error of a call with too many or too few arguments; None if they fit."""
    try:
        signature(function).bind(*args, **keywords)
    except TypeError as error:
        names = _names(function) or ()
        missing = str(error).rpartition("missing a required argument: ")[2].strip("'")
        called = _called(function, args)
        if missing in names:
            what, way_out = f"{called} needs the argument {missing}", f"Write {missing}=…."
        else:
            what, way_out = f"{called} has {error}", "Give the arguments by name."
        return ArgumentRefusedError(what, rule=_rule(names), way_out=way_out)
    return None


def _rule(names: Sequence[str]) -> str:
    own = [name for name in names if name != "self" and not name.startswith("_")]
    return f"Its arguments are {', '.join(own)}." if own else "It has no arguments."


def _called(function: Callable[..., Any], args: Sequence[object]) -> str:
    return type(args[0]).__name__ if function.__name__ == "__init__" else function.__name__


def _instead(name: str, value: object, function: Callable[..., Any], args: Sequence[object]) -> str:
    """Return what to write instead of an argument that a function does not have."""
    names = _names(function) or ()
    same = next((pair for pair in _SAME if name in pair), ())
    for other in (*same, *get_close_matches(name, names, 1)):
        if other in names:
            return f"Write {other}={shown(value)}."
    owner = type(args[0]) if "self" in names else None
    for other in same:
        if owner is not None and other in signature(owner).parameters:
            call = f"{owner.__name__}(…, {other}={shown(value)}).{_called(function, args)}"
            return f"Write {call}(…)."
    return f"Leave out {name}={shown(value)}."

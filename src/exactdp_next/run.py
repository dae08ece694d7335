"""Run: the one piece of state, a context variable: what was computed already."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Run:
    """What belongs to one run of exactdp."""

    def __init__(self) -> None:
        self.memo: dict[Hashable, object] = {}


_CURRENT: ContextVar[Run] = ContextVar("run")


def current() -> Run:
    """Return the run that is going on."""
    run = _CURRENT.get(None)
    if run is None:
        run = Run()
        _CURRENT.set(run)
    return run


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Compute a function once for equal arguments in a run."""

    @wraps(function)
    def kept(*args: P.args, **kwargs: P.kwargs) -> T:
        memo, key = current().memo, (function, args, tuple(kwargs.items()))
        if key not in memo:
            memo[key] = function(*args, **kwargs)
        return memo[key]  # type: ignore[return-value]

    return kept

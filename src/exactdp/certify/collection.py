"""Garbage collection during long computations."""

from __future__ import annotations

import gc

_SELDOM = 50_000  # new containers between two collections, instead of Python's 700


class seldom_collected:  # noqa: N801 (used like a function)
    """Let Python search for cyclic garbage less often during a computation.

    Graphs and closed forms are many small values without cycles, which remain until the end: to
    search them again and again takes a quarter of the time and finds nothing. The setting is that
    of the process; it is restored at the end.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        before = gc.get_threshold()
        self._before = before if 0 < before[0] < _SELDOM else None  # 0: never
        if self._before is not None:
            gc.set_threshold(_SELDOM, *before[1:])

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            gc.set_threshold(*self._before)

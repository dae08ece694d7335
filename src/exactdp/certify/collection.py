"""Garbage collection during long computations."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 50_000  # new containers between two collections, instead of Python's 700


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let Python search for cyclic garbage less often during a computation.

    Graphs and closed forms are many small values without cycles, which remain until the end: to
    search them again and again takes a quarter of the time and finds nothing. The setting is that
    of the process; it is restored at the end.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < _SELDOM:  # 0: never
        yield
        return
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)

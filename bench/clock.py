"""Processor time of this process, and a yardstick for comparison.

Other work on the machine is not counted, except that it makes caches and clocks slower. That
affects the yardstick too: it is measured alternately with the rest, and the shortest time of each
counts.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from typing import Any

from bench import prototype
from exactdp.reproduce.rows import rows

_TURN = 0.05
"""Seconds after which the yardstick is measured again."""


@dataclass(frozen=True)
class Time:
    """The shortest time of a call."""

    seconds: float
    yardsticks: float
    """The same as a multiple of the shortest time of the yardstick in the same period."""


def measure(action: Callable[[], object], least: float = 0.3) -> Time:
    """Return the shortest time of a call, over calls that take `least` seconds in total.

    Objects left by other measurements are excluded from garbage collection, and the caches of
    exactdp's functions are cleared before each call.
    """
    gc.collect()
    gc.freeze()
    try:
        kept = _caches()
        best = unit = float("inf")
        spent = 0.0
        while spent < least:
            unit = min(unit, _once(yardstick))
            turn = spent + _TURN
            while spent < turn:
                for cache in kept:
                    cache.cache_clear()
                one = _once(action)
                if not spent:
                    kept = _caches()  # the first call loads modules
                spent += one
                best = min(best, one)
        unit = min(unit, _once(yardstick), _once(yardstick))
        return Time(best, best / unit)
    finally:
        gc.unfreeze()


def seconds(action: Callable[[], object], least: float = 0.3) -> float:
    """Return the shortest time of a call, in seconds."""
    return measure(action, least).seconds


def yardstick() -> None:
    """Do some milliseconds of plain Python: the prototype at Sparse, m = 30."""
    prototype.sparse([-1] * 29 + [1])


def _caches() -> list[Any]:
    """Return the functions of exactdp that cache results, in all modules loaded so far."""
    modules = [module for name, module in sys.modules.items() if name.startswith("exactdp.")]
    found = [value for module in modules for value in vars(module).values()]
    return [value for value in found if isinstance(value, _lru_cache_wrapper) and value is not rows]


def _once(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start

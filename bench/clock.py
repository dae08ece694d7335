"""Processor time of this one process, and a yardstick beside it.

What else the machine does is not counted, except that it makes caches and clocks slower. That hits
the yardstick too: it is measured in turn with the rest, and the shortest time of each counts.
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
"""Seconds after which it is the turn of the yardstick again."""


@dataclass(frozen=True)
class Time:
    """The shortest time of a call."""

    seconds: float
    yardsticks: float
    """The same as a multiple of the shortest time of the yardstick meanwhile."""


def measure(action: Callable[[], object], least: float = 0.3) -> Time:
    """Return the shortest time of a call, over calls that take `least` seconds together.

    What other measurements left in memory is not searched for garbage meanwhile, and what functions
    of exactdp remember of their calls is forgotten before each call.
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
    """Return the functions of exactdp that remember results, in all modules loaded so far."""
    modules = [module for name, module in sys.modules.items() if name.startswith("exactdp.")]
    found = [value for module in modules for value in vars(module).values()]
    return [value for value in found if isinstance(value, _lru_cache_wrapper) and value is not rows]


def _once(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start

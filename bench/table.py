"""One row a measurement: a ratio, and the limit that an issue sets for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A measured ratio and what it must stay below (or above, if `at_least`)."""

    name: str
    ratio: float
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the ratio is within its limit."""
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit


def seconds(action: Callable[[], object], least: float = 0.2) -> float:
    """Return the shortest time of one call, over calls that take `least` seconds together."""
    best = float("inf")
    begun = time.perf_counter()
    while time.perf_counter() - begun < least:
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def show(rows: list[Row]) -> None:
    """Print the rows as a table."""
    width = max(len(row.name) for row in rows)
    print(f"{'what':{width}}  {'ratio':>10}  limit")
    for row in rows:
        sign = "≥" if row.at_least else "≤"
        mark = "" if row.met else "  NOT MET"
        print(f"{row.name:{width}}  {row.ratio:>10.3g}  {sign} {row.limit:g}{mark}")

"""One row a measurement: a ratio, and the limit that an issue sets for it."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

COMMITTED = Path(__file__).with_name("committed.json")
SLOWDOWN = 1.5
"""A ratio that is worse than the committed one by more than this factor is a slowdown."""


@dataclass(frozen=True)
class Row:
    """A measured ratio and what it must stay below (or above, if `at_least`).

    A name with " / " in it is a ratio of two times. They are of this run, so that the ratio can be
    compared with that of another machine, unless one of them is `recorded`.
    """

    name: str
    ratio: float
    limit: float
    at_least: bool = False
    recorded: bool = False

    @property
    def met(self) -> bool:
        """Whether the ratio is within its limit."""
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit

    @property
    def is_portable(self) -> bool:
        """Whether the ratio says the same on every machine, more or less."""
        return " / " in self.name and not self.recorded

    def slowdown(self, before: float) -> float:
        """Return by which factor the ratio is worse than it was before."""
        return before / self.ratio if self.at_least else self.ratio / before


def seconds(
    action: Callable[[], object],
    least: float = 0.2,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the shortest time of one call, over calls that take `least` seconds together."""
    best = float("inf")
    begun = clock()
    while clock() - begun < least:
        start = clock()
        action()
        best = min(best, clock() - start)
    return best


def show(rows: list[Row], committed: dict[str, float] | None = None) -> None:
    """Print the rows as a table, beside the committed ratios if they are given."""
    width = max(len(row.name) for row in rows)
    beside = "" if committed is None else f"{'committed':>10}  {'slower':>6}  "
    print(f"{'what':{width}}  {'ratio':>10}  {beside}limit")
    for row in rows:
        sign = "≥" if row.at_least else "≤"
        mark = "" if row.met else "  NOT MET"
        if committed is not None:
            before = committed.get(row.name)
            beside = f"{'':20}"
            if before is not None and row.is_portable:
                factor = row.slowdown(before)
                beside = f"{before:>10.3g}  {factor:>5.2f}×  "
                mark += "  SLOWER" if factor > SLOWDOWN else ""
        print(f"{row.name:{width}}  {row.ratio:>10.3g}  {beside}{sign} {row.limit:g}{mark}")


def slower(rows: Iterable[Row], committed: dict[str, float]) -> list[Row]:
    """Return the portable rows that are worse than the committed ones by more than `SLOWDOWN`."""
    return [
        row
        for row in rows
        if row.is_portable
        and row.name in committed
        and row.slowdown(committed[row.name]) > SLOWDOWN
    ]


def better(one: Row, other: Row) -> Row:
    """Return the better one of two measurements of a row."""
    return one if one.slowdown(other.ratio) <= 1 else other


def save(rows: Iterable[Row], path: Path = COMMITTED) -> None:
    """Write the rows with a description of this machine; rows that were not measured are kept."""
    known: dict[str, Any] = {}
    if path.exists():
        known = {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))["rows"]}
    known |= {row.name: {**asdict(row), "ratio": float(f"{row.ratio:.4g}")} for row in rows}
    document = {"machine": machine(), "rows": list(known.values())}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path = COMMITTED) -> dict[str, float]:
    """Return the committed ratios by name."""
    return {
        row["name"]: row["ratio"] for row in json.loads(path.read_text(encoding="utf-8"))["rows"]
    }


def machine() -> dict[str, Any]:
    """Return what the measurements depend on."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "python-flint": version("python-flint"),
        "exactdp": version("exactdp"),
        "date": time.strftime("%Y-%m-%d"),
    }

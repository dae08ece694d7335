"""Measurements, as rows with limits and as curves: printing, comparing and saving them."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.growth_laws import Point

COMMITTED = Path(__file__).with_name("committed.json")
LATEST = Path(__file__).with_name("latest.json")
SLOWDOWN = 1.5
"""A cost that is above the committed one by more than this factor is a slowdown."""
PACKAGES = ("exactdp", "python-flint", "numpy", "scipy", "sympy")


@dataclass(frozen=True)
class Row:
    """A measured number and its limit, an upper bound (or a lower one, if `at_least`)."""

    name: str
    value: float
    unit: str
    """"s" for seconds, "×" for a ratio, or what else is counted."""
    limit: float | None = None
    at_least: bool = False
    cost: float | None = None
    """Our time as a multiple of a time of other code in the same run, which `--check` compares."""
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the number is within its limit."""
        if self.limit is None:
            return True
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def shown(self) -> str:
        """The number with its unit."""
        return f"{number(self.value)} {self.unit}"

    @property
    def bound(self) -> str:
        """The limit as it is printed."""
        if self.limit is None:
            return ""
        return f"{'≥' if self.at_least else '≤'} {number(self.limit)}"

    def slowdown(self, before: float) -> float | None:
        """Return the ratio of the cost to the previous one; None if it is not guarded."""
        return None if self.cost is None else self.cost / before


@dataclass(frozen=True)
class Curve:
    """Times for growing sizes; those of one `plot` are drawn together."""

    plot: str
    name: str
    points: tuple[Point, ...]
    """Sizes and seconds."""


@dataclass(frozen=True)
class Measured:
    """The rows and curves of one run, by part."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    curves: dict[str, list[Curve]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)

    @property
    def costs(self) -> dict[str, float]:
        """The costs of all guarded rows by name."""
        return {
            row.name: row.cost
            for part in self.rows.values()
            for row in part
            if row.cost is not None
        }

    def beside(self, other: Measured) -> Measured:
        """Return these parts, and those of another run that are missing in this one."""
        return Measured(other.rows | self.rows, other.curves | self.curves)


def number(value: float) -> str:
    """Return a number with three digits, without an exponent unless it is huge."""
    if value >= 1e7:
        return f"{value:.2g}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show(found: Measured, committed: dict[str, float] | None = None) -> None:
    """Print one table, with the committed costs if they are given."""
    width = max(len(row.name) for part in found.rows.values() for row in part)
    for part, rows in found.rows.items():
        print(f"\n{part}")
        for row in rows:
            mark = "" if row.met else "  NOT MET"
            beside = ""
            if committed is not None:
                before = committed.get(row.name)
                factor = None if before is None else row.slowdown(before)
                beside = f"{'' if factor is None else f'{factor:.2f}× of committed':22}"
                mark += "  SLOWER" if factor is not None and factor > SLOWDOWN else ""
            print(f"  {row.name:{width}}  {row.shown:>14}  {beside}{row.bound}{mark}")


def slower(rows: Iterable[Row], committed: dict[str, float]) -> list[Row]:
    """Return the rows whose cost is above the committed one by more than `SLOWDOWN`."""
    return [
        row
        for row in rows
        if row.name in committed and (row.slowdown(committed[row.name]) or 0) > SLOWDOWN
    ]


def better(one: Row, other: Row) -> Row:
    """Return the measurement of a row with the lower cost; the first if it has none."""
    return other if (other.cost or 0) < (one.cost or 0) else one


def save(found: Measured, path: Path = COMMITTED) -> None:
    """Write the measurements, with a description of this machine."""
    document = {
        "machine": machine(),
        "rows": {
            part: [_rounded(asdict(row)) for row in rows] for part, rows in found.rows.items()
        },
        "curves": {
            part: [_rounded(asdict(curve)) for curve in curves]
            for part, curves in found.curves.items()
            if curves
        },
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path = COMMITTED) -> Measured:
    """Return the saved measurements."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return Measured(
        {part: [Row(**row) for row in rows] for part, rows in document["rows"].items()},
        {
            part: [
                Curve(one["plot"], one["name"], tuple((x, y) for x, y in one["points"]))
                for one in curves
            ]
            for part, curves in document["curves"].items()
        },
        document["machine"],
    )


def _rounded(found: Any) -> Any:
    """Return data with four digits in each number."""
    if isinstance(found, float):
        return float(f"{found:.4g}")
    if isinstance(found, dict):
        return {key: _rounded(value) for key, value in found.items()}
    return [_rounded(value) for value in found] if isinstance(found, list | tuple) else found


def machine() -> dict[str, Any]:
    """Return the properties of the machine that the measurements depend on."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "date": time.strftime("%Y-%m-%d"),
    }

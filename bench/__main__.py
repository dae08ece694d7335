"""Run benchmarks and print one table.

The measurements are written to `bench/latest.json`, with a description of the machine. `--save`
makes them the committed measurements, `bench/committed.json`; parts that were not measured are
kept. `--docs` draws the plots and fills the tables of `docs/benchmarks.md` from the committed
measurements; `--docs-only` measures nothing. `--check` compares costs with the committed ones, and
fails if one exceeds them by a factor over 1.5. A cost is a time as a multiple of that of other code
in the same run, so that it is comparable between machines. Without parts, `--check` runs the quick
ones; otherwise all parts run.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from bench import pages
from bench.table import COMMITTED, LATEST, Curve, Measured, Row, better, load, save, show, slower

QUICK = ("closed_forms", "probabilities", "claims", "privacy", "rivals")
PARTS = (*QUICK, "large", "reach", "growth", "everywhere", "long_work")
"""Modules of this package that measure something."""
TRIES = 3
"""The number of measurements before a slowdown counts, to exclude noise of the machine."""


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="fail on a slowdown")
    parser.add_argument("--save", action="store_true", help="write bench/committed.json")
    parser.add_argument("--docs", action="store_true", help="write plots and tables of the docs")
    parser.add_argument("--docs-only", action="store_true", help="the same without measuring")
    given = parser.parse_args(arguments)
    if wrong := set(given.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(wrong))}")
    if given.docs_only:
        pages.write(load())
        return 0
    parts = given.parts or (QUICK if given.check else PARTS)
    committed = load() if given.check else None
    found = Measured()
    for part in parts:
        found.rows[part], found.curves[part] = measured(part, committed)
        save(found, LATEST)
    show(found, committed.costs if committed else None)
    if given.save:
        save(found if set(parts) == set(PARTS) else found.beside(load()), COMMITTED)
    if given.docs:
        pages.write(load())
    return complaints(found, committed) if committed else 0


def measured(part: str, committed: Measured | None = None) -> tuple[list[Row], list[Curve]]:
    """Return the measurements of a part, the best of several tries if it seems slower."""
    print(f"measuring {part} …", file=sys.stderr)
    listed = measurements(part)
    rows = [one for one in listed if isinstance(one, Row)]
    for _ in range(TRIES - 1 if committed else 0):
        assert committed is not None
        if not slower(rows, committed.costs):
            break
        again = [one for one in measurements(part) if isinstance(one, Row)]
        rows = [better(*pair) for pair in zip(rows, again, strict=True)]
    return rows, [one for one in listed if isinstance(one, Curve)]


def measurements(part: str) -> list[Row | Curve]:
    """Return the current measurements of a part."""
    return list(import_module(f"bench.{part}").measured())


def complaints(found: Measured, committed: Measured) -> int:
    """Print what is slower, and what was committed but is no longer measured; return 1 if any."""
    worse = slower((row for rows in found.rows.values() for row in rows), committed.costs)
    for row in worse:
        print(f"slower than committed: {row.name}", file=sys.stderr)
    known = Measured({part: committed.rows.get(part, []) for part in found.rows}).costs
    gone = known.keys() - found.costs.keys()
    for name in sorted(gone):
        print(f"committed, but not measured any more: {name}", file=sys.stderr)
    return 1 if worse or gone else 0


if __name__ == "__main__":
    sys.exit(main())

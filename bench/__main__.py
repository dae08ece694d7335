"""Run benchmarks and print one table of ratios.

`--save` writes them to `bench/committed.json`, with a description of the machine. `--check`
compares ratios of two times of one run with those, and fails if one is worse by a factor above 1.5.
"""

from __future__ import annotations

import argparse
import sys
from types import ModuleType

from bench import claims, closed_forms, probabilities
from bench.table import Row, better, load, save, show, slower

PARTS: dict[str, ModuleType] = {
    "closed_forms": closed_forms,
    "probabilities": probabilities,
    "claims": claims,
}


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="fail on a slowdown")
    parser.add_argument("--save", action="store_true", help="write bench/committed.json")
    given = parser.parse_args()
    if wrong := set(given.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(wrong))}")
    found = {part: measured(part) for part in given.parts or PARTS}
    committed = load() if given.check else None
    if committed is not None:
        for part, rows in found.items():
            if slower(rows, committed):  # seen twice, or it was the machine
                again = measured(part)
                found[part] = [better(*pair) for pair in zip(rows, again, strict=True)]
    rows = [row for part in found.values() for row in part]
    show(rows, committed)
    if given.save:
        save(rows)
    worse = slower(rows, committed or {})
    for row in worse:
        print(f"slower than committed: {row.name}", file=sys.stderr)
    return 1 if worse else 0


def measured(part: str) -> list[Row]:
    """Return the measurements of a part."""
    return list(PARTS[part].rows())


if __name__ == "__main__":
    sys.exit(main())

"""`make mutants`: try a sample of mutants, and compare the survivors with `survivors.toml`.

A survivor is either killed by a new test or explained in the list. The sample is ordered by a
hash of each mutant's own text, so a change of the source leaves most of the sample as it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tomllib
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

from mutants.coverage import measure
from mutants.operators import Key, Mutant, is_valid, mutants_of
from mutants.trial import examined

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
STORE = ROOT / ".mutants"
RESULTS = STORE / "results.jsonl"
LIST = Path(__file__).with_name("survivors.toml")
LEAST = 8  # mutants of each package, however small it is


def main() -> int:
    """Return 1 if a mutant survives that the list does not explain."""
    options = _options()
    coverage = measure(ROOT, STORE)
    everything = _all(options.paths)
    explained = _explained()
    sample = _sample(everything, options.count, options.seed)
    killed = _killed() if options.resume else {}
    RESULTS.touch()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    open_ones = [one for one in sample if one.key not in explained and one.key not in killed]
    for mutant in sample:
        if mutant.key in explained or mutant.key in killed:
            outcome = "explained" if mutant.key in explained else "killed"
            counts[_package(mutant.path)][outcome] += 1
    killers = []
    for mutant, killer in examined(ROOT, STORE, open_ones, coverage, options):
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps([mutant.key, killer]) + "\n")
        counts[_package(mutant.path)]["killed" if killer else "survived"] += 1
        if killer:
            killers.append(killer)
        else:
            tests = "" if coverage.of(mutant.path, mutant.line) else "\n  (no test runs it)"
            print(f"{mutant}{tests}\n", flush=True)
    for package, found in sorted(counts.items()):
        print(f"{package:12}", ", ".join(f"{count} {name}" for name, count in found.items()))
    for one in explained.keys() - {one.key for one in everything} if not options.paths else ():
        print(f"no longer in the source: {one}")
    survived = sum(found["survived"] for found in counts.values())
    print(f"{len(sample)} mutants; {survived} survived and are not explained in {LIST.name}")
    return int(survived > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=400, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--seconds", type=float, default=8, help="of tests for each mutant")
    parser.add_argument("--processes", type=int, default=2, help="how many at a time")
    parser.add_argument("--resume", action="store_true", help="do not kill again what was killed")
    parser.add_argument("paths", nargs="*", help="only files whose path contains one of these")
    return parser.parse_args()


def _package(path: str) -> str:
    part = Path(path).parts[1]
    return "top level" if part.endswith(".py") else part


def _all(paths: list[str]) -> list[Mutant]:
    files = [str(file.relative_to(SOURCE)) for file in sorted(SOURCE.rglob("*.py"))]
    wanted = [file for file in files if not paths or any(part in file for part in paths)]
    return [mutant for file in wanted for mutant in mutants_of(SOURCE, file)]


def _sample(everything: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return mutants of all packages, in proportion to their size, in a random order."""
    packages: dict[str, list[Mutant]] = defaultdict(list)
    for one in everything:
        packages[_package(one.path)].append(one)

    def place(mutant: Mutant) -> bytes:
        return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()

    sample: list[Mutant] = []
    for mutants in packages.values():
        share = -(-count * len(mutants) // len(everything))
        ordered = sorted(mutants, key=place)
        valid = (one for one in ordered if is_valid(one, (SOURCE / one.path).read_bytes()))
        sample += islice(valid, max(LEAST, share))
    return sorted(sample, key=place)


def _killed() -> dict[Key, str]:
    if not RESULTS.exists():
        return {}
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return {(*key,): killer for key, killer in lines if killer}


def _explained() -> dict[Key, str]:
    """Return the reasons in the list of survivors."""
    found = {}
    for one in tomllib.loads(LIST.read_text(encoding="utf-8")).get("survivor", []):
        key = (one["path"], one["function"], one["before"], one["after"], one.get("occurrence", 0))
        found[key] = one["reason"]
    return found


if __name__ == "__main__":
    sys.exit(main())

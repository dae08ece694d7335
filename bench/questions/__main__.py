"""Ask questions, and print each result that is not the right answer, then a summary by file.

`python -m bench.questions [--core old|new] [FILE or beginning of an id …]`. The exit code is 1 if
an answer is wrong or an error. `--record` writes what the old tree answers into the questions.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace

from bench.questions import FOLDER, RESULTS, Question, chosen, load, recorded, save
from bench.questions.asking import Asker, Result


def main(arguments: list[str] | None = None) -> int:
    """Ask and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FILE or ID")
    parser.add_argument("--core", choices=("old", "new"), default="old")
    parser.add_argument("--record", action="store_true", help='write the field "old"')
    parser.add_argument("--slower", type=float, default=1, help="multiply all limits of time")
    parser.add_argument("--times", action="store_true", help="print every result with its time")
    given = parser.parse_args(arguments)
    if given.record and given.core != "old":
        parser.error("only the old tree's answers are recorded")
    found: dict[str, Result] = {}
    files: dict[str, list[Result]] = {}
    with Asker(given.core, given.slower) as asker:
        for one in chosen(given.names):
            result = found[one.id] = asker.ask(one)
            files.setdefault(one.file, []).append(result)
            if given.times or result.kind != "right":
                print(f"{one.id}: {result.text} [{result.seconds:.2f} s]", flush=True)
    for name, results in files.items():
        counts = Counter(one.kind for one in results)
        said = ", ".join(f"{counts[kind]} {kind}" for kind in RESULTS if counts[kind])
        print(f"{name}: {len(results)} questions, {sum(r.seconds for r in results):.1f} s: {said}")
        if given.record:
            path = FOLDER / f"{name}.jsonl"
            save(path, [_recorded(one, found.get(one.id)) for one in load(path)])
    return int(any(one.kind in ("wrong", "error") for one in found.values()))


def _recorded(question: Question, result: Result | None) -> Question:
    return replace(question, old=recorded(result.text)) if result else question


if __name__ == "__main__":
    sys.exit(main())

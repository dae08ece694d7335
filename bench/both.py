"""Ask both trees random questions, and an outside oracle, and print what differs.

`python -m bench.both --claims 500 --seed 1 [--kinds accuracy privacy] [--seconds 600]`. What the
old tree answers is kept in `.bench_both`, by question and by the state of the old tree.
The exit code is 1 if two answers differ, the oracle refutes one, or the new tree has an error.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.frozen import NoGitError, committed
from bench.questions import Question
from bench.questions.asking import Asker, Result
from bench.random_questions import KINDS, Posed, Poser
from bench.told import same

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".bench_both"
_MAKING = 20.0
"""Processor seconds for one question and its oracle; integrals of three noises may take longer."""


class _SlowError(Exception):
    """The oracle takes too long."""


def _stop(*_: object) -> None:
    raise _SlowError


def made(seed: str, kind: str) -> Posed | None:
    """Return a question of a kind, or None if there is none or its oracle takes too long."""
    poser = Poser(seed)
    has_timer = hasattr(signal, "setitimer")
    if has_timer:
        signal.signal(signal.SIGVTALRM, _stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, _MAKING)
    try:
        return poser.posed(kind)
    except _SlowError:
        return None
    finally:
        if has_timer:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class Remembered:
    """What the old tree answers, kept in a file: a line of JSON for each question."""

    def __init__(self, folder: Path | None = None) -> None:
        try:
            tree = committed()
        except NoGitError:
            tree = "without-git"
        self._file = (folder or CACHE) / f"old-{tree}.jsonl"
        self._known: dict[str, Result] = {}
        if self._file.exists():
            for line in self._file.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):  # a line that an interrupt left unfinished
                    key, text, seconds = json.loads(line)
                    self._known[key] = Result(text, seconds)

    def ask(self, asker: Asker, question: Question) -> Result:
        """Return the answer to a question, from the file if it is there."""
        asked = json.dumps([question.program, question.ask, question.seconds])
        key = hashlib.sha256(asked.encode()).hexdigest()[:24]
        if key not in self._known:
            found = self._known[key] = asker.ask(question)
            if not found.text.startswith("slow"):  # another machine, or a quiet one, is faster
                self._file.parent.mkdir(exist_ok=True)
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, *found]) + "\n")
        return self._known[key]


@dataclass
class Tally:
    """What was found of the questions of one kind."""

    asked: int = 0
    agree: int = 0
    differ: int = 0
    failed: int = 0
    """Errors of the new tree that are no refusals."""
    refuted: Counter[str] = field(default_factory=Counter)
    """By column: answers that the oracle refutes."""
    silent: Counter[str] = field(default_factory=Counter)
    """By column and result: what is no answer."""
    seconds: dict[str, float] = field(default_factory=lambda: {"old": 0.0, "new": 0.0})
    """Of questions that both answer."""
    ratios: list[float] = field(default_factory=list)
    """Processor time of the new tree in relation to the old one, question by question."""

    def lines(self, kind: str) -> list[str]:
        """Return the tally in words."""
        refuted = ", ".join(f"{name} {count}" for name, count in sorted(self.refuted.items()))
        rows = [
            f"{kind}: {self.asked} asked, {self.agree} agree, {self.differ} differ"
            f", {self.failed} errors, refuted by the oracle: {refuted or 'none'}"
        ]
        if self.ratios:
            mean = math.exp(sum(map(math.log, self.ratios)) / len(self.ratios))
            rows.append(
                f"  processor time new/old: {mean:.2f} in the mean, {max(self.ratios):.2f} at most"
                f" (old {self.seconds['old']:.1f} s, new {self.seconds['new']:.1f} s)"
            )
        rows += [f"  {count:>6}  {what}" for what, count in sorted(self.silent.items())]
        return rows


def told(result: Result) -> dict[str, Any] | None:
    """Return what a column answers, or None if that is no answer."""
    kind, _, text = result.text.partition(": ")
    return json.loads(text) if kind == "told" else None


def _no_answer(result: Result) -> str:
    """Return a result that is no answer with its class or family, without the message."""
    return ":".join(result.text.split(":")[:2])


def compare(posed: Posed, old: Result, new: Result, tally: Tally) -> str:
    """Count what two results say, and return what is wrong with them, or ""."""
    tally.asked += 1
    wrong = []
    for column, result in (("old", old), ("new", new)):
        answer = told(result)
        if answer is None:
            tally.silent[f"{column}: {_no_answer(result)}"] += 1
            if result.kind == "error":
                wrong.append(f"{column} fails: {result.text}")
                tally.failed += column == "new"
        elif objection := posed.refutes(answer):
            tally.refuted[column] += 1
            wrong.append(f"{column} is refuted by the oracle: {objection}")
    one, two = told(old), told(new)
    if one is not None and two is not None:
        undecided = [
            column
            for column, answer in (("old", one), ("new", two))
            if answer.get("outcome") == "undecided"
        ]
        if undecided and not same(one, two):
            tally.silent.update(f"{column}: undecided" for column in undecided)
        elif same(one, two):
            tally.agree += 1
        else:
            tally.differ += 1
            wrong.append("the trees differ")
        for column, result in (("old", old), ("new", new)):
            tally.seconds[column] += result.seconds
        tally.ratios.append(new.seconds / max(old.seconds, 1e-6))
    return "; ".join(wrong)


def main(arguments: list[str] | None = None) -> int:
    """Ask from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.both", description=__doc__)
    parser.add_argument("--claims", type=int, default=100, help="how many questions")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--seconds", type=float, default=math.inf, help="by the clock, at most")
    parser.add_argument("--columns", choices=("both", "old", "new"), default="both")
    given = parser.parse_args(arguments)
    tallies = {kind: Tally() for kind in given.kinds}
    remembered, begin, number = Remembered(), time.monotonic(), 0
    nothing = Result("not asked", 0)
    with Asker("old") as old_tree, Asker("new") as new_tree:
        while sum(one.asked for one in tallies.values()) < given.claims:
            if time.monotonic() - begin > given.seconds:
                break
            kind = given.kinds[number % len(given.kinds)]
            posed = made(f"{given.seed}:{number}", kind)
            number += 1
            if posed is None:
                continue
            old = new = nothing
            if given.columns != "new":
                old = remembered.ask(old_tree, posed.question)
            if given.columns != "old":
                new = new_tree.ask(posed.question)
            if wrong := compare(posed, old, new, tallies[kind]):
                one = posed.question
                print(f"=== {one.id} ({kind}): {wrong}\n{one.program}\n{one.ask}")
                print(f"old: {old.text}\nnew: {new.text}\n", flush=True)
    for kind, tally in tallies.items():
        print(*tally.lines(kind), sep="\n")
    return int(any(one.differ or one.failed or one.refuted for one in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())

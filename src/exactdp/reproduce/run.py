"""Runs the experiments again; the results are plain values."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from exactdp import Enclosure, Tightness, Verdict
from exactdp.reproduce.programs import ARTIFACT
from exactdp.reproduce.rows import Row, Universal, sources

Found = TypeVar("Found")


@dataclass(frozen=True)
class WitnessCheck:
    """A published witness, checked again."""

    distance: Fraction | float
    """The distance to disagreement of the input."""
    error: Enclosure
    """The exact probability of an error, at the published ε."""
    bound: Enclosure
    """The claimed bound."""

    @property
    def violates(self) -> bool:
        """Whether the claim is false there."""
        return self.error.lower > self.bound.upper


@dataclass(frozen=True)
class Run:
    """A row decided for one program."""

    source: str
    verdict: Verdict
    seconds: float
    """From the text of the program to the verdict."""
    examined: WitnessCheck | None
    """The published witness, if there is one."""
    best: Tightness | None
    """The best κ, for the rows of table 4."""

    @property
    def answer(self) -> str:
        """The verdict in a word."""
        return answer(self.verdict)


@dataclass(frozen=True)
class Result:
    """A row, decided for the executed program and, if it differs, for the printed one."""

    row: Row
    runs: tuple[Run, ...]

    @property
    def executed(self) -> Run:
        """The run of the program that the authors executed."""
        return self.runs[0]

    @property
    def printed(self) -> Run:
        """The run of the program printed in the paper."""
        return self.runs[-1]

    @property
    def reproduced(self) -> bool:
        """Whether verdict, number of inputs and witness are the published ones."""
        verdict, row, examined = self.executed.verdict, self.row, self.executed.examined
        counted = verdict.holds is False or verdict.inputs - verdict.silent == row.inputs
        witnessed = examined is None or examined.violates
        return self.executed.answer == row.expect and counted and witnessed


@dataclass(frozen=True)
class Everywhere:
    """A claim, decided for all real inputs."""

    subject: Universal
    verdict: Verdict
    seconds: float

    @property
    def answer(self) -> str:
        """The verdict in a word."""
        return answer(self.verdict)


def answer(verdict: Verdict) -> str:
    """Return a verdict as one word."""
    return {True: "holds", False: "fails", None: "undecided"}[verdict.holds]


def run_rows(rows: Iterable[Row]) -> list[Result]:
    """Decide rows, for both programs if there are two."""
    best: dict[tuple[object, ...], Tightness] = {}
    found = []
    for row in rows:
        runs = []
        for source in sources(row.program):
            verdict, seconds = timed(lambda row=row, source=source: row.claim(source).check())  # type: ignore[misc]
            key = *row.subject, source
            if row.table[0] == "4" and key not in best:
                whole = row.claim(source, beta=row.claim(source).beta * row.kappa)
                best[key] = whole.tightest(width="1e-9")
            examined = examine(row, source)
            runs.append(Run(source, verdict, seconds, examined, best.get(key)))
        found.append(Result(row, tuple(runs)))
    return found


def examine(row: Row, source: str = ARTIFACT) -> WitnessCheck | None:
    """Evaluate a program at the published witness of a row."""
    if row.witness is None:
        return None
    claim, u = row.claim(source), list(row.witness.input)
    curve = claim.error_probability(u)
    (bound,) = curve.claimed
    return WitnessCheck(
        claim.disagreement(u).distance, curve.at(row.witness.eps), bound.at(row.witness.eps)
    )


def run_everywhere(subjects: Iterable[Universal]) -> list[Everywhere]:
    """Decide claims for all real inputs."""
    found = []
    for subject in subjects:
        verdict, seconds = timed(lambda subject=subject: subject.claim().check())  # type: ignore[misc]
        found.append(Everywhere(subject, verdict, seconds))
    return found


def timed(action: Callable[[], Found]) -> tuple[Found, float]:
    """Return the result of an action, and its running time in seconds.

    Earlier results are excluded from garbage collection meanwhile, which would add to the time.
    """
    gc.freeze()
    begin = time.perf_counter()
    try:
        found = action()
        return found, time.perf_counter() - begin
    finally:
        gc.unfreeze()

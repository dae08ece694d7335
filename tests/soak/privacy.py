"""Privacy at a few inputs beside the oracle's probabilities, and how much memory is taken."""

from __future__ import annotations

import resource
from itertools import permutations
from random import Random
from typing import Any

import numpy as np

from exactdp import ExactdpError, Mechanism, Pairs, Privacy, eps

from .claims import Question
from .compare import Bench, Log

_CLOSE = 1e-7
_TINY = 1e-60  # far above the least double, or the other probability may be 0 by underflow
_FEW = 3  # inputs of which all pairs are looked at
_MOST = 600  # megabytes that a process may take


def compare_privacy(
    bench: Bench, question: Question, mechanism: Mechanism, random: Random, log: Log
) -> None:
    """Compare whether a mechanism is private at a few inputs with the oracle's probabilities."""
    points = question.points[:_FEW]
    multiple = random.choice((1, 2, 4))
    given = [bench.program.given(u) for u in points]
    shown: list[Any] = [one[0] if len(one) == 1 else tuple(one) for one in given]
    if len(points) < 2:
        return
    try:
        pairs = Pairs(*permutations(shown, 2))
        verdict = Privacy(mechanism, multiple * eps, inputs=pairs).check()
    except ExactdpError as refusal:
        log.counts[f"refused: {str(refusal).splitlines()[0][:60]}"] += 1
        return
    log.counts["private" if verdict.holds else "not private"] += 1
    judge = bench.judge(question.claim)
    chances = [judge.distribution(u, bench.masses) for u in points]
    factor = np.exp(multiple * bench.eps)
    worst = max(
        (
            float(np.max((1 - factor * other.get(output, 0 * p) / np.maximum(p, _TINY))[p > _TINY]))
            for one, other in permutations(chances, 2)
            for output, p in one.items()
            if np.any(p > _TINY)
        ),
        default=0.0,
    )
    if verdict.holds and worst > _CLOSE:
        log.disagree(f"{multiple}·ε-private at {shown}, and p exceeds by {worst}", question.claim)
    if verdict.counterexample is not None:
        breach = verdict.counterexample
        if not float(breach.probabilities[0]) > float(breach.limit) * (1 - _CLOSE):
            log.disagree(f"no counterexample: {breach}", question.claim)


def watch_memory(log: Log) -> None:
    """Note a process that takes too much memory."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    log.counts["largest process, MB"] = int(used)
    if used > _MOST:
        log.counts["too much memory"] += 1

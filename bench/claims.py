"""The cost of claims: the paper's experiments against recorded times, and all real inputs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.clock import measure
from bench.table import Curve, Row
from exactdp import certify
from exactdp.reproduce.programs import ARTIFACT, FIGURE
from exactdp.reproduce.rows import Row as Experiment
from exactdp.reproduce.rows import Universal, bound
from exactdp.reproduce.rows import rows as experiments

SCRIPTS = 19.5
"""Seconds that the authors' program took to write the scripts of one row, NumericSparse m = 4."""
EVERYWHERE = (
    Universal("noisy_max", ARTIFACT, 3, 1),
    Universal("sparse", ARTIFACT, 3, 1),
    Universal("sparse", ARTIFACT, 3, 2),
    Universal("sparse", ARTIFACT, 3, 3),
    Universal("sparse", ARTIFACT, 3, 1, 6),
    Universal("numeric_sparse", FIGURE, 3, 1),
    Universal("numeric_sparse", FIGURE, 3, 2),
)
"""Claims for all real inputs that are decided fast; the part `everywhere` has all of them."""


def decide(row: Experiment) -> None:
    """Decide a row of the paper's tables, from the text of its program."""
    assert row.claim().check().holds is (row.expect == "holds"), row


def decide_all() -> None:
    """Decide the 66 rows of the paper's tables."""
    for row in experiments():
        decide(row)


def decide_everywhere() -> None:
    """Decide some claims for all real inputs."""
    for subject in EVERYWHERE:
        assert subject.claim().check().holds, subject


def measured() -> Iterator[Row | Curve]:
    """Yield the measurements of claims."""
    spent = measure(decide_all, 8)
    recorded = sum(row.paper_seconds for row in experiments())
    yield Row("the 66 rows of the paper", spent.seconds, "s", 3, cost=spent.yardsticks)
    name = f"the authors' {recorded:,} s for the 66 rows / exactdp"
    yield Row(name, recorded / spent.seconds, "×", 3000, at_least=True)
    name = f"the authors' {SCRIPTS} s for writing the scripts of one row / exactdp, all 66 rows"
    yield Row(name, SCRIPTS / spent.seconds, "×", 1, at_least=True)
    pairs = [
        (row.paper_seconds, measure(partial(decide, row), 0.02).seconds) for row in experiments()
    ]
    slowest = min(pairs, key=lambda pair: pair[0] / pair[1])
    name = f"the authors' {slowest[0]} s for the row with the least gain / exactdp"
    yield Row(name, slowest[0] / slowest[1], "×", 100, at_least=True)
    yield Curve("authors", "a row of the paper's tables", tuple(sorted(pairs)))
    spent = measure(decide_everywhere, 4)
    name = f"{len(EVERYWHERE)} claims for all real inputs, m = 3"
    yield Row(name, spent.seconds, "s", 7, cost=spent.yardsticks)
    best = next(row for row in experiments() if row.table == "4b" and row.m == 4)
    verdict = best.claim().check()
    deciding = measure(lambda: best.claim().check()).seconds
    checking = measure(lambda: certify.check(verdict.certificate))
    name = "check the certificate of NoisyMax m = 4, κ = 4 / decide it"
    yield Row(name, checking.seconds / deciding, "×", 100, cost=checking.yardsticks)
    beta = bound(best.program, best.m, best.c)
    tightening = measure(lambda: best.claim(beta=beta).tightest())
    name = "the best κ of NoisyMax m = 4 / decide it"
    yield Row(name, tightening.seconds / deciding, "×", 10, cost=tightening.yardsticks)

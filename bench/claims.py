"""What claims cost: the paper's experiments against their recorded times, and all real inputs.

Processor time of this one process: what else the machine does is not counted.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from functools import partial

from bench import prototype
from bench.table import Row, seconds
from exactdp import certify
from exactdp.reproduce.programs import ARTIFACT, FIGURE
from exactdp.reproduce.rows import Universal, bound
from exactdp.reproduce.rows import rows as experiments

RECORDED = 19.5
"""Seconds that the authors' program took to write the scripts of one row, NumericSparse m = 4."""
EVERYWHERE = (
    ("NoisyMax m = 3", Universal("noisy_max", ARTIFACT, 3, 1), 1),
    ("Sparse m = 3, c = 1", Universal("sparse", ARTIFACT, 3, 1), 1),
    ("Sparse m = 3, c = 2", Universal("sparse", ARTIFACT, 3, 2), 1),
    ("Sparse m = 3, c = 3", Universal("sparse", ARTIFACT, 3, 3), 1),
    ("Sparse m = 3, c = 1, κ = 6", Universal("sparse", ARTIFACT, 3, 1, 6), 1),
    ("NumericSparse m = 3, c = 1", Universal("numeric_sparse", FIGURE, 3, 1), 2),
    ("NumericSparse m = 3, c = 2", Universal("numeric_sparse", FIGURE, 3, 2), 2),
)
"""Claims that hold, and the seconds that each may take."""


def processor(action: Callable[[], object], least: float = 0.5) -> float:
    """Return the shortest processor time of one call.

    What other measurements left in memory is not searched for garbage meanwhile.
    """
    gc.collect()
    gc.freeze()
    try:
        return seconds(action, least, time.process_time)
    finally:
        gc.unfreeze()


def decide_rows() -> None:
    """Decide the 66 rows of the paper's tables, each from the text of its program."""
    for row in experiments():
        assert row.claim().check().holds is (row.expect == "holds"), row


def everywhere(subject: Universal) -> float:
    """Return the seconds that a claim takes for all real inputs."""

    def decide() -> None:
        assert subject.claim().check().holds, subject

    return processor(decide)


def rows() -> Iterator[Row]:
    """Yield the measurements of claims."""
    spent = processor(decide_rows, 8)
    recorded = sum(row.paper_seconds for row in experiments())
    yield Row("seconds for the 66 rows of the paper", spent, 3)
    yield Row(f"recorded {recorded} s / the 66 rows", recorded / spent, 3000, True, True)
    yield Row(
        f"recorded {RECORDED} s for writing the scripts of one row / the 66 rows",
        RECORDED / spent,
        1,
        True,
        True,
    )
    yardstick = processor(partial(prototype.sparse, [-1] * 29 + [1]))
    yield Row("the 66 rows / prototype, Sparse m = 30", spent / yardstick, 300)
    whole = 0.0
    for name, subject, limit in EVERYWHERE:
        spent = everywhere(subject)
        whole += spent
        yield Row(f"seconds for {name}, all real inputs", spent, limit)
    name = f"the {len(EVERYWHERE)} claims for all real inputs / prototype, Sparse m = 30"
    yield Row(name, whole / yardstick, 300)
    best = next(row for row in experiments() if row.table == "4b" and row.m == 4)
    verdict = best.claim().check()
    deciding = processor(lambda: best.claim().check())
    checking = processor(lambda: certify.check(verdict.certificate))
    name = "check the certificate of NoisyMax m = 4, κ = 4 / decide it"
    yield Row(name, checking / deciding, 100)
    beta = bound(best.program, best.m, best.c)
    tightening = processor(lambda: best.claim(beta=beta).tightest())
    yield Row("the best κ of NoisyMax m = 4 / decide it", tightening / deciding, 10)

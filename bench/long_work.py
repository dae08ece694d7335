"""Two processes against one by the clock on the wall, which needs an idle machine."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from bench.programs import above_threshold, noisy_max
from bench.table import Curve, Row
from exactdp import Accuracy, AllReals, Privacy, alpha, eps, exp

SIZES = (250, 500, 1_000, 2_000, 4_000)
"""Numbers of listed inputs."""
TRIES = 2


def at_inputs(count: int) -> Accuracy:
    """Return a claim about NoisyMax at random inputs, new each time."""
    rng = Random(count)
    inputs = [[Fraction(rng.randint(-40, 40), 8) for _ in range(4)] for _ in range(count)]
    fresh = noisy_max(4)
    return Accuracy(fresh, 4 * exp(-alpha * eps / 4), inputs=inputs)


def everywhere() -> Accuracy:
    """Return a claim for all reals that is decided cell by cell."""
    fresh = above_threshold(6)
    return Accuracy(fresh, 12 * exp(-alpha * eps / 8), inputs=AllReals()).by_cells()


def pairs() -> Privacy:
    """Return a claim about all pairs of adjacent inputs, which are random eighths."""
    rng = Random(1)
    inputs = [[Fraction(rng.randint(0, 8), 8) for _ in range(4)] for _ in range(40)]
    return Privacy(noisy_max(4), inputs=inputs)


def slopes() -> Privacy:
    """Return a privacy claim for all reals, decided by the slopes of probabilities."""
    return Privacy(above_threshold(5), inputs=AllReals())


def once(make: Callable[[], Accuracy | Privacy], **how: Any) -> float:
    """Return the seconds in which a claim is found to hold."""
    claim = make()
    gc.collect()
    begin = perf_counter()
    assert claim.check(**how)
    return perf_counter() - begin


def both(make: Callable[[], Accuracy | Privacy]) -> tuple[float, float]:
    """Return the least of several times with one process and with two, measured alternately."""
    times = [(once(make), once(make, jobs=2)) for _ in range(TRIES)]
    one, two = zip(*times, strict=True)
    return min(one), min(two)


def speedups() -> Iterator[Row | Curve]:
    """Yield how much faster two processes are than one."""
    found = {n: both(partial(at_inputs, n)) for n in SIZES}
    yield Curve("jobs", "one process", tuple((n, one) for n, (one, _) in found.items()))
    yield Curve("jobs", "two processes", tuple((n, two) for n, (_, two) in found.items()))
    for name, (one, two) in (
        (f"{SIZES[-1]:,} listed inputs", found[SIZES[-1]]),
        ("privacy of NoisyMax with four queries at 1,560 pairs", both(pairs)),
        ("AboveThreshold with six queries for all reals, cell by cell", both(everywhere)),
        ("privacy of AboveThreshold with five queries for all reals", both(slopes)),
    ):
        yield Row(f"two processes, {name}: one / two", one / two, "×", 1.7, at_least=True)


def measured() -> Iterator[Row | Curve]:
    """Yield the measurements."""
    yield from speedups()

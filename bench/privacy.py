"""The cost of privacy: all pairs of adjacent inputs, against the times recorded for DiPC.

DiPC (Barthe, Chadha, Jagannath, Sistla, Viswanathan 2020) decides the same question for every ε
with Mathematica, at inputs from {−1, 0, 1}. Its times are those of its authors, on their machine.
The module also compares privacy with accuracy of the same mechanisms at the same inputs (paper,
section 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.clock import measure
from bench.programs import above_threshold, noisy_max
from bench.table import Curve, Row
from exactdp import Accuracy, AllReals, Grid, Mechanism, Privacy, alpha, eps, exp

GRID = Grid(-1, 1)
RECORDED = (
    ("argmax of three answers", noisy_max(3), 211),
    ("the sparse vector technique, three answers", above_threshold(3), 703),
    ("the sparse vector technique, four answers", above_threshold(4), 4648),
)


def decide(program: Mechanism, inputs: object) -> None:
    """Decide that a mechanism is ε-private, from its text."""
    fresh = Mechanism(program.definition)
    assert Privacy(fresh, inputs=inputs).check().holds


def decide_accuracy(program: Mechanism, m: int, rate: int, inputs: Grid | AllReals) -> None:
    """Decide that a mechanism with m queries errs with probability at most 2m·e^(−αε/rate)."""
    fresh = Mechanism(program.definition)
    assert Accuracy(fresh, 2 * m * exp(-alpha * eps / rate), inputs=inputs).check().holds


def measured() -> Iterator[Row | Curve]:
    """Yield the measurements of claims of privacy."""
    for name, program, recorded in RECORDED:
        spent = measure(lambda program=program: decide(program, GRID), 0.5)  # type: ignore[misc]
        yield Row(f"privacy of {name}, all pairs", spent.seconds, "s", 5, cost=spent.yardsticks)
        ratio = recorded / spent.seconds
        yield Row(f"DiPC's {recorded:,} s for {name} / exactdp", ratio, "×", 1000, at_least=True)
    for name, program in (("NoisyMax", noisy_max(4)), ("AboveThreshold", above_threshold(3))):
        spent = measure(lambda program=program: decide(program, AllReals()), 0.5)  # type: ignore[misc]
        yield Row(
            f"privacy of {name} for all real inputs", spent.seconds, "s", 10, cost=spent.yardsticks
        )
    yield from _beside_accuracy()


def _beside_accuracy() -> Iterator[Row]:
    """Yield the ratio of the times of privacy and accuracy, for the same mechanism and inputs."""
    makers = (("NoisyMax", noisy_max, 2), ("AboveThreshold", above_threshold, 8))
    spaces: tuple[tuple[str, Grid | AllReals, tuple[int, ...]], ...] = (
        ("at {−1, 0, 1}", GRID, (2, 3, 4)),
        ("for all real inputs", AllReals(), (2, 3)),
    )
    for name, make, rate in makers:
        for where, inputs, sizes in spaces:
            for m in sizes:
                program = make(m)
                private = measure(partial(decide, program, inputs), 0.5)
                accurate = measure(partial(decide_accuracy, program, m, rate, inputs), 0.5)
                what = f"privacy of {name}, m = {m}, {where} / accuracy"
                yield Row(what, private.seconds / accurate.seconds, "×")

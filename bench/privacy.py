"""What privacy costs: all pairs of adjacent inputs, against the times recorded for DiPC.

DiPC (Barthe, Chadha, Jagannath, Sistla, Viswanathan 2020) decides the same question for every ε
with Mathematica, at inputs from {−1, 0, 1}. Its times are those of its authors, on their machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.clock import measure
from bench.programs import above_threshold, noisy_max
from bench.table import Curve, Row
from exactdp import AllReals, Grid, Mechanism, Privacy

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

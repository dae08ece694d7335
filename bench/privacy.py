"""The cost of privacy: all pairs of adjacent inputs, against the times recorded for DiPC.

DiPC (Barthe, Chadha, Jagannath, Sistla, Viswanathan 2020) decides the same question for every ε
with Mathematica, at inputs from {−1, 0, 1}. Its times are those of its authors, on their machine.
The module also compares privacy with accuracy of the same mechanisms at the same inputs (paper,
section 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product

from bench.clock import measure
from bench.programs import above_threshold, noisy_max
from bench.table import Curve, Row
from exactdp import Accuracy, AllReals, Grid, Mechanism, Privacy, alpha, eps, exp, nonnegative

GRID = Grid(-1, 1)
RECORDED = (
    ("argmax of three answers", partial(noisy_max, 3), 211),
    ("the sparse vector technique, three answers", partial(above_threshold, 3), 703),
    ("the sparse vector technique, four answers", partial(above_threshold, 4), 4648),
)


def decide(make: Callable[[], Mechanism], inputs: object, budget: object = eps) -> None:
    """Decide that a mechanism is private, from its text."""
    assert Privacy(make(), budget, inputs=inputs).check().holds


def decide_accuracy(
    make: Callable[[int], Mechanism], m: int, rate: int, inputs: Grid | AllReals
) -> None:
    """Decide that a mechanism with m queries errs with probability at most 2m·e^(−αε/rate)."""
    assert Accuracy(make(m), 2 * m * exp(-alpha * eps / rate), inputs=inputs).check().holds


def decide_one_by_one(make: Callable[[], Mechanism]) -> None:
    """Decide the same at {−1, 0, 1}³, pair by pair, with public functions."""
    fresh = make()
    inputs = list(product((-1, 0, 1), repeat=3))
    for u, v in permutations(inputs, 2):
        if max(abs(a - b) for a, b in zip(u, v, strict=True)) <= 1:
            one, two = fresh.distribution(u), fresh.distribution(v)
            assert all(nonnegative(two[output] * exp(eps) - one[output]) for output in one)


def measured() -> Iterator[Row | Curve]:
    """Yield the measurements of claims of privacy."""
    for name, make, recorded in RECORDED:
        spent = measure(partial(decide, make, GRID), 0.5)
        yield Row(f"privacy of {name}, all pairs", spent.seconds, "s", 5, cost=spent.yardsticks)
        ratio = recorded / spent.seconds
        yield Row(f"DiPC's {recorded:,} s for {name} / exactdp", ratio, "×", 1000, at_least=True)
    for name, make in (
        ("NoisyMax", partial(noisy_max, 4)),
        ("AboveThreshold", partial(above_threshold, 3)),
    ):
        spent = measure(partial(decide, make, AllReals()), 0.5)
        yield Row(
            f"privacy of {name} for all real inputs", spent.seconds, "s", 10, cost=spent.yardsticks
        )
    for name, make, _ in RECORDED[:2]:
        slow = measure(partial(decide_one_by_one, make), 0.5)
        quick = measure(partial(decide, make, GRID), 0.5)
        ratio = slow.seconds / quick.seconds
        yield Row(f"privacy of {name}, pair by pair / all pairs at once", ratio, "×")
    text = "def largest(q: Real[3]): return max(lap(eps / 2, x) for x in q)"
    largest = partial(Mechanism.from_source, text)
    spent = measure(partial(decide, largest, AllReals(), 3 * eps / 2), 0.5)
    what = "privacy of the released largest of three answers for all real inputs"
    yield Row(what, spent.seconds, "s", 5, cost=spent.yardsticks)
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
                private = measure(partial(decide, partial(make, m), inputs), 0.5)
                accurate = measure(partial(decide_accuracy, make, m, rate, inputs), 0.5)
                what = f"privacy of {name}, m = {m}, {where} / accuracy"
                yield Row(what, private.seconds / accurate.seconds, "×")

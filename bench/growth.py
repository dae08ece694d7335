"""The growth of times with the number of queries, the range of a grid, and the number of noises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import log
from typing import Any

from bench.clock import seconds
from bench.probabilities import answer, last_above
from bench.programs import (
    all_noise_first,
    noisy_max,
    random_walk,
    range_of_noise,
    sparse,
    sparse_variant,
    sum_of_noise,
)
from bench.table import Curve, Row
from exactdp.reproduce.programs import ARTIFACT
from exactdp.reproduce.rows import NAMES
from exactdp.reproduce.rows import Row as Experiment

GRIDS: tuple[tuple[str, int, int, int], ...] = (
    ("noisy_max", 3, 1, 0),
    ("sparse", 3, 1, 0),
    ("sparse_variant", 3, 2, 0),
    ("numeric_sparse", 3, 1, 1),
)
"""Program, m, c and α of claims on grids from −r to r."""
RANGES = (1, 2, 3, 4, 6, 8)
QUERIES = {
    "noisy_max": (2, 7),
    "sparse": (2, 8),
    "sparse_variant": (2, 8),
    "numeric_sparse": (2, 8),
}
"""The least and largest number of queries of claims on the grid from −1 to 1."""


def mixed(m: int) -> list[int]:
    """Return an input with entries −1, 0 and 1 in turn, the hardest kind: most terms differ."""
    return [j % 3 - 1 for j in range(m)]


def on_grid(program: str, m: int, c: int, alpha: int, reach: int) -> float:
    """Return the seconds that the paper's claim takes on a grid."""
    row = Experiment("", program, m, c, (-reach, reach), 1, 0, "holds", 0, alpha)

    def decide() -> None:
        assert row.claim(ARTIFACT).check().holds, row

    return seconds(decide, 0.1)


def probability_curves() -> Iterator[Curve]:
    """Yield the time of one output at one input, by the number of queries."""
    questions: dict[str, tuple[Callable[[int], Any], Callable[[int], object]]] = {
        "NoisyMax": (noisy_max, lambda m: m - 1),
        "Sparse, c = 1": (lambda m: sparse(m, 1), last_above),
        "SparseVariant, c = 3": (lambda m: sparse_variant(m, 3, ARTIFACT), last_above),
    }
    for name, (make, output) in questions.items():
        points = [
            (m, answer(partial(make, m), mixed(m), output(m), 0.1).seconds)
            for m in (10, 20, 40, 80, 160, 320)
        ]
        yield Curve("probability", name, tuple(points))


def claim_curves() -> Iterator[Curve]:
    """Yield the time of claims on grids, by the number of queries and by the range."""
    for program, m, c, alpha in GRIDS:
        least, most = QUERIES[program]
        sizes = range(max(least, c), most + 1)
        points = [(n, on_grid(program, n, c, alpha, 1)) for n in sizes]
        yield Curve("queries", f"{NAMES[program]}, c = {c}", tuple(points))
        points = [(r, on_grid(program, m, c, alpha, r)) for r in RANGES]
        yield Curve("range", f"{NAMES[program]}, m = {m}, c = {c}", tuple(points))


def noise_curves() -> Iterator[Curve]:
    """Yield the time of one output, by the number of noises that depend on each other."""
    closed: tuple[tuple[str, Any, tuple[int, ...]], ...] = (
        ("sum of n noises", sum_of_noise, (2, 4, 6, 8, 10, 12, 14)),
        ("random walk with a barrier", random_walk, (2, 4, 6, 8, 10, 12)),
        ("largest of n, all noise first", all_noise_first, (3, 4, 5, 6, 7, 8, 9, 10)),
        ("largest minus least of n noises", range_of_noise, (2, 3, 4, 5, 6)),
    )
    for name, make, sizes in closed:
        points = []
        for n in sizes:
            u: Any = mixed(n) if make is all_noise_first else ()
            output: Any = 0 if make is all_noise_first else True
            points.append((n, answer(partial(make, n), u, output, 0.1).seconds))
        yield Curve("noises", name, tuple(points))


def measured() -> Iterator[Row | Curve]:
    """Yield the curves; the growth of probabilities has a limit."""
    for curve in probability_curves():
        (least, first), *_, (most, last) = curve.points
        power = log(last / first) / log(most / least)
        name = f"growth of {curve.name} from m = {least} to {most}"
        yield Row(name, power, "as a power of m", 3)
        yield curve
    yield from claim_curves()
    yield from noise_curves()

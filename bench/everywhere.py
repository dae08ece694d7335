"""The claims of the paper for all real inputs, each within its limit; cell by cell, their growth.

For NumericSparse that is Theorem 6, for all α and γ; for Laplace, all γ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from bench.clock import Time, measure
from bench.table import Curve, Row
from exactdp import Accuracy
from exactdp.reproduce.programs import ARTIFACT, FIGURE
from exactdp.reproduce.rows import NAMES, WORDS, Universal, sources

SIZES = {
    "noisy_max": [(m, 1) for m in range(2, 7)],
    "sparse": [(m, c) for m in range(1, 6) for c in range(1, m + 1)],
    "sparse_variant": [(m, c) for m in range(1, 5) for c in range(1, m + 1)],
    "numeric_sparse": [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (8, 2)],
    "laplace": [(k, 1) for k in range(1, 5)],
}
CELLS = {
    "noisy_max": [(m, 1) for m in range(2, 6)],
    "sparse": [(m, m) for m in range(1, 5)],
    "sparse_variant": [(m, m) for m in range(1, 5)],
    "numeric_sparse": [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)],
}
"""Sizes for the growth in cells."""
SHARPER = {
    Universal("noisy_max", ARTIFACT, 3, 1, 4): True,
    Universal("noisy_max", ARTIFACT, 3, 1, 5): False,
    Universal("sparse", ARTIFACT, 3, 1, 6): True,
    Universal("sparse", ARTIFACT, 3, 1, 7): False,
}
"""Claims with another κ, and whether they hold."""


def subjects() -> Iterator[tuple[Universal, bool]]:
    """Yield the claims, and whether they hold."""
    for program, sizes in SIZES.items():
        # The theorem about NumericSparse is about the printed program; the other is false.
        listed = (FIGURE,) if program == "numeric_sparse" else sources(program)
        for source in listed:
            for m, c in sizes:
                yield Universal(program, source, m, c), True
    yield from SHARPER.items()


def limit(subject: Universal) -> float:
    """Return the seconds that a claim may take: a second for m = 3, else a minute."""
    return 1 if subject.m == 3 else 60


def title(subject: Universal) -> str:
    """Return the title of a claim."""
    one = subject.program in ("noisy_max", "laplace")
    letter = "k" if subject.program == "laplace" else "m"
    size = f"{letter} = {subject.m}" + ("" if one else f", c = {subject.c}")
    two = subject.program == "sparse_variant"
    program = NAMES[subject.program] + (f" as {WORDS[subject.source]}" if two else "")
    return f"{program}, {size}" + (f", κ = {subject.kappa}" if subject.kappa > 1 else "")


def measured() -> Iterator[Row | Curve]:
    """Yield the time of each claim, and curves of time by the number of cells."""
    times = []
    for subject, holds in subjects():
        spent, _ = decided(subject.claim, holds)
        name = f"{title(subject)} {'holds' if holds else 'is refuted'}"
        yield Row(name, spent.seconds, "s", limit(subject), cost=spent.yardsticks)
        if subject.kappa == 1:
            times.append(spent.seconds)
    quick = sum(one <= 2 for one in times) / len(times)
    yield Row("share of the rows with κ = 1 within 2 s", 100 * quick, "%", 90, at_least=True)
    yield from by_cells()


def by_cells() -> Iterator[Curve]:
    """Yield the time by the number of cells, if worst inputs and symmetry are not used."""
    for program, sizes in CELLS.items():
        source = FIGURE if program == "numeric_sparse" else ARTIFACT
        points = []
        for m, c in sizes:
            spent, cells = decided(partial(whole, Universal(program, source, m, c)), True)
            points.append((cells, spent.seconds))
        yield Curve("cells", NAMES[program], tuple(sorted(points)))


def whole(subject: Universal) -> Accuracy:
    """Return a claim that is decided at all inputs."""
    return subject.claim().by_cells(whole=True)


def decided(make: Callable[[], Accuracy], holds: bool) -> tuple[Time, int]:
    """Return the time of a claim, which is new each time, and its number of cells."""
    counts = set()

    def decide() -> None:
        verdict = make().check()
        assert verdict.holds is holds, verdict
        counts.add(verdict.inputs)

    spent = measure(decide)
    (cells,) = counts
    return spent, cells

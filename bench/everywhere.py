"""The claims of the paper for all real inputs, each within its limit, and their growth in cells.

For NumericSparse that is Theorem 6, for all α and γ; for Laplace, all γ.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.clock import measure
from bench.table import Curve, Row
from exactdp.reproduce.programs import ARTIFACT, FIGURE
from exactdp.reproduce.rows import NAMES, WORDS, Universal, sources

SIZES = {
    "noisy_max": [(m, 1) for m in (*range(2, 7), 20, 50, 100)],
    "sparse": [*((m, c) for m in range(1, 6) for c in range(1, m + 1)), (100, 1), (30, 2), (8, 8)],
    "sparse_variant": [*((m, c) for m in range(1, 5) for c in range(1, m + 1)), (30, 2)],
    "numeric_sparse": [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (8, 2)],
    "laplace": [(k, 1) for k in range(1, 5)],
}
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
    points: dict[str, list[tuple[float, float]]] = {}
    times = []
    for subject, holds in subjects():
        verdict = None

        def decide(subject: Universal = subject) -> None:
            nonlocal verdict
            verdict = subject.claim().check()

        spent = measure(decide)
        assert verdict is not None
        assert verdict.holds is holds, subject
        answer = "holds" if holds else "is refuted"
        name = f"{title(subject)} {answer}"
        note = f"{verdict.inputs:,} cells" if verdict.inputs > 1 else "1 cell"
        yield Row(name, spent.seconds, "s", limit(subject), cost=spent.yardsticks, note=note)
        if subject.kappa == 1:
            times.append(spent.seconds)
            if verdict.inputs > 1:
                key = f"{NAMES[subject.program]}"
                points.setdefault(key, []).append((verdict.inputs, spent.seconds))
    quick = sum(one <= 2 for one in times) / len(times)
    yield Row("share of the rows with κ = 1 within 2 s", 100 * quick, "%", 50, at_least=True)
    for name, listed in points.items():
        yield Curve("cells", name, tuple(sorted(listed)))

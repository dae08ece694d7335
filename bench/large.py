"""Large grids, variants of one program, and boxes: costs that must not grow with the question."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from bench.programs import all_noise_first, noisy_max, sparse
from bench.table import Row
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Grid,
    Mechanism,
    alpha,
    eps,
    exp,
    gamma,
)
from exactdp.certify import check

POSITION = "def position(q: Real[{m}]):\n    x = [lap(eps / 2, y) for y in q]\n    return {what}\n"
WAYS = {
    "x.index(max(x))": "x.index(max(x))",
    "sorted(…)[-1]": "sorted(range({m}), key=lambda i: x[i])[-1]",
}
MANY = 40
"""Queries at one input."""


def decided(claim: Accuracy) -> float:
    """Return the seconds in which a claim is found to hold."""
    begin = process_time()  # of one run: a claim keeps what it found
    assert claim.check()
    return process_time() - begin


def grids() -> Iterator[Row]:
    """Yield the time of claims on grids that are not listed."""
    for m in (8, 10, 12):
        claim = Accuracy(noisy_max(m), m * exp(-alpha * eps / 2), inputs=Grid(-1, 1))
        yield Row(f"NoisyMax on {{−1, 0, 1}}^{m}, {3**m:,} inputs", decided(claim), "s", 60)
    claim = Accuracy(sparse(8, 2), 32 * exp(-alpha * eps / 16), inputs=Grid(-2, 2))
    yield Row(f"Sparse c = 2 on {{−2 … 2}}^8, {5**8:,} inputs", decided(claim), "s", 60)


def ways() -> Iterator[Row]:
    """Yield the costs of other variants of NoisyMax, as ratios to the running maximum."""
    given = [[0] * (MANY // 2) + [2] + [1] * (MANY // 2 - 1)]

    def spent(mechanism: Mechanism) -> float:
        return min(
            decided(Accuracy(mechanism, MANY * exp(-alpha * eps / 2), inputs=given))
            for _ in range(3)
        )

    running = spent(noisy_max(MANY))
    programs = {"max(…, key=…)": all_noise_first(MANY)}
    for name, what in WAYS.items():
        text = POSITION.format(m=MANY, what=what.format(m=MANY))
        programs[name] = Mechanism.from_source(text)
    for name, program in programs.items():
        yield Row(f"{name} / a running maximum, m = {MANY}", spent(program) / running, "×", 3)


def boxes() -> Iterator[Row]:
    """Yield the cost of the box of a noisy mean, as a ratio to all reals."""
    mean = Mechanism.from_source("def mean(x: Real[20]): return lap(20 * eps, sum(x) / 20)")

    def spent(inputs: object) -> float:
        bound = exp(-20 * gamma * eps)
        claim = Accuracy(mean, bound, gamma=ANY, input_distance="discrete", inputs=inputs)  # type: ignore[arg-type]
        return decided(claim)

    ratio = spent(Box(0, 1)) / spent(AllReals())
    yield Row("the mean of 20 numbers: a box / all reals", ratio, "×", 3)


def histograms() -> Iterator[Row]:
    """Yield the time of a claim about all reals with 2^20 ideal outputs."""
    bits = Mechanism.from_source(
        "def bits(q: Real[20]):\n    return [lap(eps / 2, x) > 5 for x in q]\n"
    )
    claim = Accuracy(bits, 10 * exp(-alpha * eps / 2), inputs=AllReals())
    yield Row("a thresholded histogram of 20 bins, all reals", decided(claim), "s", 10)
    begin = process_time()
    certificate = claim.check().certificate
    made = process_time()
    assert check(certificate).accepted
    yield Row("a thresholded histogram of 20 bins: certificate", made - begin, "s", 10)
    yield Row("a thresholded histogram of 20 bins: checked again", process_time() - made, "s", 10)


def refutations() -> Iterator[Row]:
    """Yield the cost of false claims, as ratios to true ones, and of a box to all reals."""

    def spent(kappa: int, inputs: object, expected: str) -> float:
        bound = 20 * exp(-alpha * eps / 2) / kappa
        times = []
        for _ in range(3):
            claim = Accuracy(noisy_max(20), bound, inputs=inputs)  # type: ignore[arg-type]
            begin = process_time()
            assert claim.check().outcome == expected
            times.append(process_time() - begin)
        return min(times)

    true = spent(1, AllReals(), "holds")
    name = "NoisyMax, m = 20, all reals: refute κ = "
    for kappa in (22, 100):
        yield Row(f"{name}{kappa} / check()", spent(kappa, AllReals(), "fails") / true, "×", 2)
    yield Row("NoisyMax, m = 20: a box / all reals", spent(1, Box(0, 10), "holds") / true, "×", 3)


def measured() -> Iterator[Row]:
    """Yield the measurements."""
    yield from grids()
    yield from ways()
    yield from boxes()
    yield from histograms()
    yield from refutations()

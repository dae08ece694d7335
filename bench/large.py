"""Large grids, variants of one program, and boxes: costs that must not grow with the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

from bench.clock import seconds
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


def decided(make: Callable[[], Accuracy], expected: str = "holds") -> float:
    """Return the seconds in which a claim is decided, from the text of its program on."""

    def decide() -> None:
        assert make().check().outcome == expected

    return seconds(decide, 0.1)


def grids() -> Iterator[Row]:
    """Yield the time of claims on grids that are not listed."""

    def largest(m: int) -> Accuracy:
        return Accuracy(noisy_max(m), m * exp(-alpha * eps / 2), inputs=Grid(-1, 1))

    for m in (8, 10, 12):
        spent = decided(partial(largest, m))
        yield Row(f"NoisyMax on {{−1, 0, 1}}^{m}, {3**m:,} inputs", spent, "s", 60)
    bound = 32 * exp(-alpha * eps / 16)
    spent = decided(lambda: Accuracy(sparse(8, 2), bound, inputs=Grid(-2, 2)))
    yield Row(f"Sparse c = 2 on {{−2 … 2}}^8, {5**8:,} inputs", spent, "s", 60)


def ways() -> Iterator[Row]:
    """Yield the costs of other variants of NoisyMax, as ratios to the running maximum."""
    given = [[0] * (MANY // 2) + [2] + [1] * (MANY // 2 - 1)]

    def spent(make: Callable[[], Mechanism]) -> float:
        return decided(lambda: Accuracy(make(), MANY * exp(-alpha * eps / 2), inputs=given))

    running = spent(partial(noisy_max, MANY))
    programs: dict[str, Callable[[], Mechanism]]
    programs = {"max(…, key=…)": partial(all_noise_first, MANY)}
    for name, what in WAYS.items():
        text = POSITION.format(m=MANY, what=what.format(m=MANY))
        programs[name] = partial(Mechanism.from_source, text)
    for name, make in programs.items():
        yield Row(f"{name} / a running maximum, m = {MANY}", spent(make) / running, "×", 3)


def boxes() -> Iterator[Row]:
    """Yield the cost of the box of a noisy mean, as a ratio to all reals."""

    def mean(inputs: Box | AllReals) -> Accuracy:
        text = "def mean(x: Real[20]): return lap(20 * eps, sum(x) / 20)"
        bound = exp(-20 * gamma * eps)
        program = Mechanism.from_source(text)
        return Accuracy(program, bound, gamma=ANY, input_distance="discrete", inputs=inputs)

    ratio = decided(partial(mean, Box(0, 1))) / decided(partial(mean, AllReals()))
    yield Row("the mean of 20 numbers: a box / all reals", ratio, "×", 3)


def histograms() -> Iterator[Row]:
    """Yield the time of a claim about all reals with 2^20 ideal outputs."""

    def bits() -> Accuracy:
        text = "def bits(q: Real[20]):\n    return [lap(eps / 2, x) > 5 for x in q]\n"
        bound = 10 * exp(-alpha * eps / 2)
        return Accuracy(Mechanism.from_source(text), bound, inputs=AllReals())

    yield Row("a thresholded histogram of 20 bins, all reals", decided(bits), "s", 10)
    verdict = bits().check()
    begin = process_time()
    certificate = verdict.certificate
    made = process_time()
    assert check(certificate).accepted
    yield Row("a thresholded histogram of 20 bins: certificate", made - begin, "s", 10)
    yield Row("a thresholded histogram of 20 bins: checked again", process_time() - made, "s", 10)


def refutations() -> Iterator[Row]:
    """Yield the cost of false claims, as ratios to true ones, and of a box."""

    def spent(kappa: int, inputs: Box | AllReals, expected: str) -> float:
        bound = 20 * exp(-alpha * eps / 2) / kappa
        return decided(lambda: Accuracy(noisy_max(20), bound, inputs=inputs), expected)

    true = spent(1, AllReals(), "holds")
    name = "NoisyMax, m = 20, all reals: refute κ = "
    for kappa in (22, 100):
        yield Row(f"{name}{kappa} / check()", spent(kappa, AllReals(), "fails") / true, "×", 2)
    yield Row("NoisyMax, m = 20: a box", spent(1, Box(0, 10), "holds"), "s", 3)


def measured() -> Iterator[Row]:
    """Yield the measurements."""
    yield from grids()
    yield from ways()
    yield from boxes()
    yield from histograms()
    yield from refutations()

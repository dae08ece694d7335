"""Factors of privacy against a search over all pairs, outputs and a grid of ε, and simulation.

The probabilities of the search are integrals of products of distribution functions, by Gauss and
Legendre's rule between the means; they share no code with exactdp.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import exp as mexp
from math import inf, log
from typing import Any

import numpy as np
import pytest

from claims.test_privacy import (
    GRID,
    HALF,
    QUARTER,
    exponential_max,
    noisy_max,
    randomized_response,
    rounded_max,
    sparse,
)
from exactdp import Accuracy, Mechanism, Privacy, ValueRefusedError, alpha, eps, exp, hamming, l1
from exactdp.claims.private.worst_pairs import worst_pairs
from exactdp.report.private import how_private

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
EPSILONS = (0.05, 0.3, 1.0, 4.0, 12.0)
Chances = dict[Any, float]


def below(x: Any, rate: float) -> Any:
    """Return the chance that Laplace noise is below x."""
    return np.where(x < 0, np.exp(rate * np.minimum(x, 0)) / 2, 1 - np.exp(-rate * abs(x)) / 2)


def below_expo(x: Any, rate: float) -> Any:
    return np.where(x < 0, 0, 1 - np.exp(-rate * np.maximum(x, 0)))


def integral(function: Callable[[Any], Any], points: tuple[float, ...], rate: float) -> float:
    """Return the integral of a function that is smooth between the points."""
    far = 40 / rate
    cuts = sorted({min(points) - far, min(points) - 3 / rate, *points, max(points) + far})
    cuts = sorted({*cuts, max(points) + 3 / rate, min(points) - 12 / rate, max(points) + 12 / rate})
    total = 0.0
    for low, high in pairwise(cuts):
        x = (low + high) / 2 + (high - low) / 2 * NODES
        total += (high - low) / 2 * float(WEIGHTS @ function(x))
    return total


def of_max(kind: str) -> Callable[[tuple[int, ...], float], Chances]:
    def chances(q: tuple[int, ...], e: float) -> Chances:
        rate = e / 2
        under = below if kind == "lap" else below_expo

        def here(k: int, x: Any) -> Any:
            gap = x - q[k]
            share = np.exp(-rate * abs(gap)) * rate
            found = share / 2 if kind == "lap" else np.where(gap < 0, 0, share)
            for j, other in enumerate(q):
                found = found * (1 if j == k else under(x - other, rate))
            return found

        return {k: integral(lambda x, k=k: here(k, x), q, rate) for k in range(len(q))}  # type: ignore[misc]

    return chances


def of_svt(first: float, second: float | None, *, cut: bool = True) -> Callable[..., Chances]:
    def chances(q: tuple[int, ...], e: float) -> Chances:
        found: Chances = {}
        for bits in product((True, False), repeat=len(q)):
            output = bits[: bits.index(True) + 1] if cut and True in bits else bits

            def here(t: Any, output: tuple[bool, ...] = output) -> Any:
                value = first * e / 2 * np.exp(-first * e * abs(t))
                for x, above in zip(q, output, strict=False):
                    under = below(t - x, second * e) if second is not None else 1.0 * (t > x)
                    value = value * (1 - under if above else under)
                return value

            if output not in found:
                rate = min(first, second or first) * e
                found[output] = integral(here, (0, *q), rate)
        return {output: chance for output, chance in found.items() if chance > 0}

    return chances


def of_rounded(q: tuple[int, ...], e: float) -> Chances:
    under = [float(np.prod([below(z + 0.5 - x, e / 2) for x in q])) for z in (-1, 0)]
    return {-1: under[0], 0: under[1] - under[0], 1: 1 - under[1]}


def of_response(b: tuple[int], e: float) -> Chances:
    return {b[0]: mexp(e) / (1 + mexp(e)), 1 - b[0]: 1 / (1 + mexp(e))}


HISTOGRAM = Mechanism.from_source(
    "def histogram(q: Real[2]): return [lap(eps, q[0]) > 1 / 2, lap(eps, q[1]) > 1 / 2]"
)


def of_histogram(q: tuple[int, ...], e: float) -> Chances:
    one, two = (1 - float(below(0.5 - x, e)) for x in q)
    return {
        (a, b): (one if a else 1 - one) * (two if b else 1 - two)
        for a, b in product((True, False), repeat=2)
    }


KNOWN: dict[str, tuple[Privacy, Callable[..., Chances], Any]] = {
    "noisy max": (Privacy(noisy_max(3), inputs=GRID), of_max("lap"), 1),
    "exponential noise": (Privacy(exponential_max(3), inputs=GRID), of_max("expo"), 1),
    "the maximum, rounded": (
        Privacy(rounded_max(3, -1, 1), inputs=GRID),
        of_rounded,
        Fraction(3, 2),
    ),
    "svt": (Privacy(sparse(3, (HALF, QUARTER)), inputs=GRID), of_svt(0.5, 0.25), Fraction(3, 4)),
    "svt, thresholds drawn again": (
        Privacy(sparse(3, (HALF, QUARTER), again=True), inputs=GRID),
        of_svt(0.5, 0.25),
        Fraction(3, 4),
    ),
    "svt without query noise": (
        Privacy(sparse(3, (HALF, None)), inputs=GRID),
        of_svt(0.5, None),
        inf,
    ),
    "svt, 1/4 and 3/4": (
        Privacy(sparse(3, (QUARTER, 3 * QUARTER)), inputs=GRID),
        of_svt(0.25, 0.75),
        Fraction(7, 4),
    ),
    "svt without cut-off": (
        Privacy(sparse(3, (HALF, HALF), c=None), inputs=GRID),
        of_svt(0.5, 0.5, cut=False),
        Fraction(3, 2),
    ),
    "histogram": (Privacy(HISTOGRAM, inputs=GRID, adjacent=l1(1)), of_histogram, 1),
    "randomized response": (Privacy(randomized_response, adjacent=hamming(1)), of_response, 1),
}


@pytest.mark.parametrize("name", ["noisy max", "exponential noise", "svt", "svt, 1/4 and 3/4"])
def test_the_worst_pairs_have_the_largest_losses(name: str) -> None:
    """For each output, the largest ratio over all pairs is found at few pairs, at any ε."""
    claim, chances, _ = KNOWN[name]
    worst = worst_pairs(claim)
    assert worst is not None
    few = {(tuple(u), tuple(v)) for u, v in worst.pairs}
    assert few <= set(claim.pairs)
    assert len(few) < len(claim.pairs) / 4
    for e in (0.3, 4.0):
        at = {u: chances(u, e) for u in product((-1, 0, 1), repeat=3)}
        for output in at[0, 0, 0]:
            ratios = {(u, v): at[u][output] / at[v][output] for u, v in claim.pairs}
            assert max(ratios[one] for one in few) == pytest.approx(max(ratios.values()), 1e-9)


@pytest.mark.parametrize("name", KNOWN)
def test_the_factor_by_search(name: str) -> None:
    """No pair, output and ε has a larger loss; at the ends of the grid one is nearly as large."""
    claim, chances, factor = KNOWN[name]
    found = claim.tightest()
    assert found.factor.lower == found.factor.upper == factor
    best = 0.0
    inputs = {u for pair in claim.pairs for u in pair}
    for e in EPSILONS:
        known = {u: chances(u, e) for u in inputs}
        for u, v in claim.pairs:
            for output, chance in known[u].items():
                other = known[v].get(output)
                if other is None:
                    best = inf
                elif min(chance, other) > 1e-10:  # below, the rule is not exact enough
                    best = max(best, log(chance / other) / e)
    assert best <= float(factor) + 1e-6
    assert best >= float(factor) - 0.2


@pytest.mark.parametrize("name", KNOWN)
def test_the_deciding_inputs_by_simulation(name: str) -> None:
    claim, chances, _ = KNOWN[name]
    found = claim.tightest()
    assert found.inputs is not None
    size = 3_000
    for u in found.inputs:
        runs = claim.mechanism.sample(u, 1, size, seed=5)
        seen = Counter(tuple(one) if isinstance(one, list) else one for one in runs)
        entries = tuple(u) if isinstance(u, list) else (u,)
        for output, chance in chances(entries, 1.0).items():
            assert abs(seen[output] / size - chance) < 5 * (chance * (1 - chance) / size) ** 0.5


# What is told ---------------------------------------------------------------------------


def test_a_counterexample_is_simulated_on_request() -> None:
    for claim in (
        Privacy(sparse(2, (QUARTER, 3 * QUARTER)), inputs=GRID),
        Privacy(exponential_max(3), inputs=GRID, measure="bounded_range"),
    ):
        verdict = claim.check()
        shares = verdict.simulated(20_000, seed=4)
        for share, value in zip(shares, verdict.counterexample.probabilities, strict=True):
            assert share == pytest.approx(float(value), abs=0.02)
    with pytest.raises(ValueRefusedError, match="no counterexample"):
        Privacy(noisy_max(2), inputs=GRID).check().simulated()


def test_a_verdict_in_latex() -> None:
    told = Privacy(noisy_max(2), eps / 2, 1 - exp(-eps), inputs=GRID).check()._repr_latex_()
    assert told.startswith(r"$\text{Holds: }")
    assert r"e^{\frac{1}{2} \varepsilon}" in told
    assert "+ 1 - e^{-" in told


def test_what_saved_noise_does_to_the_error() -> None:
    """Rate ε/4 where ε/2 would do: the error at [0, 2] is (1 + ε/4)·e^{−ε/2}/2, run with 2ε."""
    half = Mechanism.from_source(
        "def half(q: Real[2]): return 1 if lap(eps / 4, q[1]) > lap(eps / 4, q[0]) else 0"
    )
    accuracy = Accuracy(half, beta=exp(-alpha * eps / 4), inputs=[[0, 2]])
    _, saving, errors = how_private(Privacy(half, inputs=GRID), [accuracy])
    assert saving.startswith("Run with 2·ε for ε")
    before, after = (f"{(1 + e / 4) * mexp(-e / 2) / 2:.4f}" for e in (1, 2))
    assert f"{before} at ε = 1 and {after} at 2" in errors
    assert f"{mexp(-1 / 4):.4f} and {mexp(-1 / 2):.4f}" in errors

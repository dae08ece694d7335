"""Uniform and geometric noise, coins: by hand, by quadrature, in claims and certificates."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.integrate import quad

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    Ideal,
    Mechanism,
    ProgramError,
    Real,
    alpha,
    certify,
    eps,
    exp,
)
from semantics.quadrature import laplace_above


def read(body: str, head: str = "q: Real") -> Mechanism:
    return Mechanism.from_source(f"def f({head}):\n    return {body}\n")


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("at", [Fraction(1, 2), Fraction(5, 4), Fraction(3)])
def test_sums_of_uniform_noise(count: int, at: Fraction) -> None:
    """The Irwin–Hall distribution: Pr(ΣU ≤ x) = Σ_k (−1)^k·C(n, k)·(x − k)^n/n! over k ≤ x."""
    total = " + ".join(["unif(0, 1)"] * count)
    terms = range(min(math.floor(at), count) + 1)
    expected = sum((-1) ** k * math.comb(count, k) * (at - k) ** count for k in terms)
    found = read(f"{total} <= q").probability(at, True)
    assert found == min(Fraction(expected, math.factorial(count)), Fraction(1))


@pytest.mark.parametrize("budget", [Fraction(1, 3), Fraction(2)])
def test_uniform_beside_laplace_noise(budget: Fraction) -> None:
    """Pr(lap + U > t) is the mean of the Laplace tail over the range of U."""
    found = read("lap(eps / 2, q) + unif(q, 3) > 1").probability(Fraction(1, 2), True)
    rate = float(budget) / 2
    expected = quad(lambda x: laplace_above(rate, 0.5, 1 - x), 0.5, 3, points=[0.5])[0] / 2.5
    assert float(found.at(budget)) == pytest.approx(expected, rel=1e-10)


def test_ends_in_eps() -> None:
    """unif(0, 2/ε) > 2 has probability 1 − ε up to ε = 1, and none beyond."""
    found = read("q + unif(0, 2 / eps) > 3").probability(1, True)
    assert float(found.at(Fraction(1, 4))) == 0.75
    assert float(found.at(2)) == 0


def test_geometric_noise_and_coins() -> None:
    assert read("geometric(eps / 2, 1) >= 4", "").probability((), True) == exp(-3 * eps / 2)
    both = read("dlap(eps) + geometric(eps) == 0", "").probability((), True)
    # Σ_k (1 − s)²/(1 + s)·s^{2k} = (1 − s)/(1 + s)² with s = e^{−ε}.
    assert both == (1 - exp(-eps)) / (1 + exp(-eps)) ** 2
    assert read("bernoulli(p=exp(-eps))", "").probability((), 1) == exp(-eps)


def test_randomized_rounding_is_certified() -> None:
    """At distance α from 1/2 the rounded bit is wrong with probability 1/2 − α."""
    nearest = Ideal.from_source("def nearest(q: Real):\n    return 1 if 2 * q > 1 else 0")
    rounded = read("1 if unif(0, 1) < q else 0")
    claim = Accuracy(rounded, Fraction(1, 4), ideal=nearest, alpha="1/4", inputs=Box(0, 1))
    verdict = claim.check()
    assert verdict.outcome == "holds"
    report = certify.check(verdict.certificate)
    assert report.accepted
    assert not report.taken
    less = Accuracy(rounded, Fraction(1, 5), ideal=nearest, alpha="1/4", inputs=Box(0, 1))
    assert less.check().outcome == "fails"


def test_all_real_inputs_are_certified() -> None:
    """Pr(lap + U < 0) at q = x ≥ 1 is the mean of e^{−ε(x + u)}/2: at most e^{−ε(x − 1)}/2."""
    blurred = read("lap(eps, q) + unif(-1, 1) > 0")
    claim = Accuracy(blurred, exp(eps - alpha * eps) / 2, inputs=AllReals())
    verdict = claim.check()
    assert verdict.outcome == "holds"
    report = certify.check(verdict.certificate)
    assert report.accepted
    assert not report.taken


def test_the_ideal_is_the_middle() -> None:
    assert read("unif(q, 4)").noiseless().run(1) == Fraction(5, 2)
    density = read("unif(q, 4)").distribution(1).density(Real, 2)
    assert density == Fraction(1, 3)


def test_a_range_without_room_is_refused_where_it_is_met() -> None:
    program = read("unif(q, 0) > 0")
    assert not program.probability(-1, True).numerator
    for u in (0, 1):
        with pytest.raises(ProgramError, match="no room"):
            program.probability(u, True)

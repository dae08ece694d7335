"""Integers without bound whose probabilities are sums of several geometric sequences.

The probabilities at the integers are met by distribution functions and sums with mpmath, which
share no code with exactdp.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import mpmath
import pytest

from exactdp import Grid, Mechanism, Privacy, ValueRefusedError, certify, eps
from exactdp.claims.private.far_out import far_out
from exactdp.reals.certificates import seal

rounded_max = Mechanism.from_source(
    "def rounded_max(q: Real[2]): return round(max(lap(eps, q[0]), lap(eps, q[1])))"
)
summed = Mechanism.from_source("def summed(x: Dom(0, 1)): return dlap(eps, x) + dlap(eps, x)")


def of_rounded_max(q: tuple[int, ...], z: int, e: mpmath.mpf) -> mpmath.mpf:
    """Return Pr(z − ½ ≤ max < z + ½) by distribution functions."""

    def below(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(e * t) / 2 if t < 0 else 1 - mpmath.exp(-e * t) / 2

    half = mpmath.mpf(1) / 2
    ends = [mpmath.fprod(below(t - x) for x in q) for t in (z + half, z - half)]
    return ends[0] - ends[1]


def of_summed(q: tuple[int, ...], z: int, e: mpmath.mpf) -> mpmath.mpf:
    """Return tanh(ε/2)²·Σ x^{|k| + |n − k|} over k; the sum is xⁿ·(n + 1 + 2x²/(1 − x²))."""
    n, x = abs(z - 2 * q[0]), mpmath.exp(-e)
    return mpmath.tanh(e / 2) ** 2 * x**n * (n + 1 + 2 * x**2 / (1 - x**2))


CASES = {
    "the maximum, rounded": (Privacy(rounded_max, inputs=Grid(0, 1)), of_rounded_max, 2),
    "a sum with a double rate": (Privacy(summed), of_summed, 2),
}


@pytest.mark.parametrize("name", CASES)
def test_the_factor_by_search(name: str) -> None:
    """No pair, integer and ε of a grid has a larger loss, and some have nearly that."""
    claim, chance, factor = CASES[name]
    found = claim.tightest().factor
    assert found.lower == found.upper == factor
    best = mpmath.mpf(0)
    with mpmath.workdps(40):
        for e in map(mpmath.mpf, ("0.1", "0.7", "2", "6")):
            listed = {u for pair in claim.pairs for u in pair}
            known = {(u, z): chance(u, z, e) for u, z in product(listed, range(-12, 13, 3))}
            for u, v in claim.pairs:
                for z in range(-12, 13, 3):
                    best = max(best, mpmath.log(known[u, z] / known[v, z]) / e)
    assert factor - 0.2 < best <= factor + 1e-12


@pytest.mark.parametrize("name", CASES)
def test_the_counterexample(name: str) -> None:
    claim, chance, factor = CASES[name]
    verdict = claim.check()
    assert verdict.outcome == "fails"
    assert certify.check(verdict.certificate).outcome in ("accepted", "conditional")
    breach = verdict.counterexample
    if isinstance(breach.output, int):
        for u, value in zip(breach.inputs, breach.probabilities, strict=True):
            entries = tuple(u) if isinstance(u, tuple | list) else (u,)
            assert float(value) == pytest.approx(float(chance(entries, breach.output, breach.eps)))
    if claim.mechanism is rounded_max:
        assert Privacy(rounded_max, factor * eps, inputs=claim.inputs).check().holds


def test_divergences_of_integers_without_bound() -> None:
    """D_α = ln Σ p^α·p′^{1−α}/(α − 1), by a sum over 121 integers."""
    claim = Privacy(Mechanism.from_source("def count(n: Dom(0, 1)): return dlap(eps, n)"))

    def right(order: float) -> float:
        terms = (mpmath.exp(-order * abs(z) - (1 - order) * abs(z - 1)) for z in range(-60, 61))
        return float(mpmath.log(mpmath.tanh(0.5) * mpmath.fsum(terms)) / (order - 1))

    for order in (2, 3):
        assert float(claim.renyi(order, at=1)) == pytest.approx(right(order), abs=1e-6)
    found = claim.zcdp(at=1)
    orders = [1 + k / 10 for k in range(1, 60)]
    assert found.upper >= max(right(a) / a for a in orders) >= found.lower - 0.02
    wide = claim.zcdp(at="[9/10, 1]", width="1/20")
    assert wide.lower <= found.upper
    assert wide.upper >= found.lower


def test_delta_of_noise_drawn_again() -> None:
    """Two densities e^{−ε|y − x|}/(2c), c = 1 − e^{−3ε}, on x ± 3: they cross at y = 1/2.

    δ(0) = ∫ (p − p′)⁺ is (1 − e^{−ε/2})/c.
    """
    again = Mechanism.from_source("""
def again(q: Real):
    z = lap(eps, 0)
    while abs(z) > 3:
        z = lap(eps, 0)
    return q + z
""")
    curve = Privacy(again, 0 * eps, inputs=[0, 1]).smallest_delta()
    for e in (Fraction(1, 3), Fraction(2)):
        right = (1 - mpmath.exp(-float(e) / 2)) / (1 - mpmath.exp(-3 * float(e)))
        assert float(curve.at(e)) == pytest.approx(float(right))
    with pytest.raises(ValueRefusedError, match="draws noise again is not re-derived"):
        _ = Privacy(again, delta="1/2", inputs=[0, 1]).check().certificate


def test_a_rate_that_only_one_input_has() -> None:
    """Far out, p falls at 2ε and p′ at ε: no factor suffices."""
    source = "def either(x: Dom(0, 1)): return dlap(2 * eps, 0) if x == 0 else dlap(eps, 0)"
    claim = Privacy(Mechanism.from_source(source))
    assert claim.tightest().factor.lower == float("inf")
    assert claim.check().outcome == "fails"


def test_what_is_still_refused() -> None:
    with pytest.raises(ValueRefusedError, match="one ratio"):
        Privacy(summed).renyi(2, at=1)
    rate = "log(2 * exp(eps) - 1)"
    two = f"def two(x: Dom(0, 1)): return dlap({rate}, x) + dlap({rate}, 0)"
    with pytest.raises(ValueRefusedError, match="no geometric sequences"):
        Privacy(Mechanism.from_source(two)).check()
    with pytest.raises(ValueRefusedError, match="grow without bound as ε → 0"):
        Privacy(summed, delta="1/2").check()
    rounded = Privacy(rounded_max, 2 * eps, inputs=[[0, 0], [1, 1]]).check()
    assert rounded.holds
    with pytest.raises(ValueRefusedError, match="no certificate"):
        _ = rounded.certificate


SLOW = Mechanism.from_source("def slow(n: Dom(0, 1)): return dlap(eps, n) + dlap(eps / 2, 0)")
EVEN = Mechanism.from_source("def even(n: Dom(0, 1)): return dlap(eps, n) + dlap(eps, 0)")


def by_convolution(rate: float, e: float, budget: float) -> float:
    """Return δ of dlap(ε, n) + dlap(rate·ε, 0) at n = 0 and 1, by sums over 400 integers."""

    def mass(r: float, k: int) -> float:
        x = float(mpmath.exp(-r * e))
        return (1 - x) / (1 + x) * x ** abs(k)

    one = [mass(1, k) for k in range(-200, 201)]
    two = [mass(rate, k) for k in range(-200, 201)]
    p = {
        n: sum(one[k] * two[n - k + 400] for k in range(401) if 0 <= n - k + 400 <= 400)
        for n in range(-120, 121)
    }
    grown = float(mpmath.exp(budget * e))
    return sum(max(0.0, p[n] - grown * p[n - 1]) for n in range(-119, 121))


@pytest.mark.parametrize(("mechanism", "rate"), [(SLOW, 0.5), (EVEN, 1.0)])
def test_delta_of_integers_at_several_rates(mechanism: Mechanism, rate: float) -> None:
    """P − e^{ε/4}·p′ changes its sign where that is not far out, if ε is not small."""
    claim = Privacy(mechanism, eps / 4, epsilon="[1, 3]")
    curve = claim.smallest_delta()
    for e in (1, 2, 3):
        assert float(curve.at(e)) == pytest.approx(by_convolution(rate, e, 0.25), abs=1e-9)
    verdict = Privacy(mechanism, eps / 4, "1/2", epsilon="[1, 3/2]").check()
    assert verdict.holds
    assert certify.check(verdict.certificate).accepted


@pytest.mark.parametrize(("claim", "less"), [(Privacy(SLOW, eps / 2), "1/3"), (Privacy(EVEN), "1")])
def test_certificates_at_several_rates(claim: Privacy, less: str) -> None:
    """The checker sums over the noise itself, and finds the rates far out."""
    written = claim.check().certificate
    assert "nothing" in certify.check(written).reason
    assert certify.check(written).accepted
    stated = {**written["claim"], "budget": less if less != "1" else "9/10"}
    changed = {**{key: one for key, one in written.items() if key != "seal"}, "claim": stated}
    report = certify.check({**changed, "seal": seal(changed)})
    assert not report.accepted
    assert "a bound is not proved" in report.reason


def test_the_checker_takes_rounded_noise_from_the_solver() -> None:
    source = "def rounded(q: Real): return round(lap(eps, q))"
    verdict = Privacy(Mechanism.from_source(source), inputs=[0, 1]).check()
    report = certify.check(verdict.certificate)
    assert report.outcome == "conditional"
    assert report.taken


def test_numbers_that_suffice_are_seen_by_values() -> None:
    """Random g(k) = Σ c·k^i·e^{−r·k}: where all d_j ≥ 0 at ε = 1, no g(k) is negative."""
    random, positive = Random(3), 0
    for _ in range(60):
        rates = sorted(random.choices([Fraction(-1, 3), Fraction(-1), Fraction(-2)], k=3))
        terms = [(r, rates[:n].count(r), random.randint(-3, 9)) for n, r in enumerate(rates)]

        def g(k: int, terms: list[tuple[Fraction, int, int]] = terms) -> mpmath.mpf:
            powers = (c * mpmath.mpf(k) ** i * mpmath.exp(float(r) * k) for r, i, c in terms)
            return mpmath.fsum(powers)

        numbers = [
            mpmath.fsum(g(k) * float(weight.at(1)) for k, weight in one.weights())
            for one in far_out(0, 1, rates)
        ]
        values = [g(k) for k in range(60)]
        if min(numbers) > 0:
            positive += 1
            assert min(values) > 0
        assert (numbers[0] < 0) == (values[0] < 0)
    assert positive > 5

"""δ of real outputs for all real inputs, against formulas and a search over pairs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp as mexp
from math import log as mlog
from typing import Any

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactdp import (
    AllReals,
    Box,
    Mechanism,
    Pairs,
    Privacy,
    ValueRefusedError,
    certify,
    eps,
    exp,
    linf,
)
from support.examples import examples


def _mechanism(output: str) -> Mechanism:
    return Mechanism.from_source(f"def f(q: Real): return {output}")


@pytest.mark.parametrize(
    ("output", "budget", "change", "delta"),
    [
        ("lap(eps, q)", 0 * eps, 1, 1 - exp(-eps / 2)),
        ("lap(eps, q)", eps / 2, 2, 1 - exp(-3 * eps / 4)),
        ("expo(eps, q)", eps, 1, 1 - exp(-eps)),
    ],
)
def test_the_smallest_delta_for_all_reals(
    output: str, budget: Any, change: int, delta: Any
) -> None:
    """At a change d, Laplace noise has 1 − e^{−(dε − b)/2}; one-sided noise reveals d·ε of it."""
    claim = Privacy(_mechanism(output), budget, adjacent=linf(change), inputs=AllReals())
    (piece,) = claim.smallest_delta().pieces
    assert piece.delta == delta


def _above(u: float, v: float, budget: float) -> float:
    """Return δ of a release of u + noise if it is at least 2, at ε = 1."""

    def density(y: float, q: float) -> float:
        return mexp(-abs(y - q)) / 2

    def below(q: float) -> float:
        return mexp(2 - q) / 2 if q > 2 else 1 - mexp(q - 2) / 2

    grown = mexp(budget)
    places = sorted({2.0, max(2.0, u), max(2.0, v), max(2.0, (u + v) / 2), 40.0})
    real = mpmath.quad(lambda y: max(0, density(y, u) - grown * density(y, v)), places)
    return float(real) + max(0.0, below(u) - grown * below(v))


def test_a_release_above_a_threshold() -> None:
    """The worst pair is found by a search on a grid: δ slightly above it suffices."""
    claim = Mechanism.from_source("""
def above(q: Real):
    r = lap(eps, q)
    return None if r < 2 else r
""")
    places = [k / 2 for k in range(9)]
    best = max(_above(u, u + d, 0.5) for u in places for d in (-1, 1))
    more, less = (f"{best + d:.6f}" for d in (0.002, -0.01))
    assert Privacy(claim, eps / 2, more, inputs=AllReals(), epsilon=1).check().holds
    failing = Privacy(claim, eps / 2, less, inputs=Box(0, 4), epsilon=1).check()
    assert failing.outcome == "fails"
    assert certify.check(failing.certificate).accepted


def test_what_is_refused() -> None:
    twice = _mechanism("lap(eps, q) + lap(eps, 0)")
    with pytest.raises(ValueRefusedError, match="difference of two exponentials"):
        Privacy(twice, eps / 2, "1/2", inputs=AllReals()).check()


def test_the_smallest_budget_on_an_interval() -> None:
    """1 − e^{−(ε − aε)/2} = δ has a = 1 + 2·ln(1 − δ)/ε, largest at the largest ε."""
    right = 1 + 2 * float(mpmath.log(1 - mpmath.mpf(1) / 20)) / 2
    laplace = Privacy(_mechanism("lap(eps, q)"), inputs=[0, 1], epsilon="[1/2, 2]")
    found = laplace.smallest_budget(delta="1/20")
    assert float(found.lower) - 1e-9 <= right <= float(found.upper) + 1e-9
    assert found.upper - found.lower <= 1e-6


def test_the_smallest_budget_of_randomized_response() -> None:
    """(e^ε − e^{aε})/(1 + e^ε) = δ at the largest ε; discrete Laplace noise has the same δ."""
    right = mpmath.log(mpmath.e**2 - (1 + mpmath.e**2) / 10) / 2
    sources = (
        "def f(b: Dom(0, 1)): return b if bernoulli(exp(eps) / (1 + exp(eps))) else 1 - b",
        "def f(n: Dom(0, 2)): return dlap(eps, n)",
    )
    for source in sources:
        claim = Privacy(Mechanism.from_source(source), epsilon="[1/2, 2]")
        found = claim.smallest_budget(delta="1/10")
        assert float(found.lower) - 1e-9 <= right <= float(found.upper) + 1e-9


# Thresholds that depend on ε ----------------------------------------------------------


def _bucket(threshold: str, kind: str = "Dom(0, 3)", rate: str = "eps") -> Mechanism:
    """Return one bucket of a stability-based histogram."""
    return Mechanism.from_source(f"""
def bucket(count: {kind}):
    if count == 0:
        return None
    r = lap({rate}, count)
    return r if r > {threshold} else None
""")


@pytest.mark.parametrize("threshold", ["1 + log(20) / eps", "1 + log(20 / 3) / eps", "1 + 3 / eps"])
def test_the_stability_based_histogram(threshold: str) -> None:
    """δ is the chance that a count of 1 is released: half of 1/20, 3/20 or e^−3."""
    half = {"1 + log(20) / eps": Fraction(1, 40), "1 + log(20 / 3) / eps": Fraction(3, 40)}
    least = half.get(threshold, Fraction(24893534, 10**9))  # e^−3/2 = 0.0248935341…
    bucket, more = _bucket(threshold), Fraction(1, 10**8)
    assert Privacy(bucket, delta=least + (more if "log" not in threshold else 0)).check().holds
    breach = Privacy(bucket, delta=least - more * 1000).check().counterexample
    assert {0, 1} == {*breach.inputs}


def test_the_stability_based_histogram_for_all_reals() -> None:
    """The worst pair is the same as for whole counts."""
    source = str(_bucket("1 + log(20) / eps", "Real")).replace("==", "<=")
    claim = Privacy(Mechanism.from_source(source), delta="1/40", inputs=AllReals())
    assert claim.check().holds
    assert replace(claim, delta="1/41").check().holds is False


def test_finite_outputs_of_such_a_bucket() -> None:
    """The first input of the domain has no number with ε; what is known of the others counts."""
    bucket = Mechanism.from_source("""
def bucket(count: Dom(0, 3)):
    return count > 0 and lap(eps, count) > 1 + log(20) / eps
""")
    assert Privacy(bucket, delta="1/40").check().holds
    assert Privacy(bucket, delta="1/41").check().holds is False


def _delta(pair: tuple[Any, ...], at: float, bucket: tuple[float, float, float]) -> float:
    """Return δ of a bucket with rate·ε, a threshold a + b/ε and the budget ε/2, numerically."""
    (u, v), (rate, a, b) = pair, bucket
    threshold, grown, speed = a + b / at, mexp(at / 2), rate * at

    def density(y: float, x: int) -> float:
        return speed / 2 * mexp(-speed * abs(y - x)) if x else 0.0

    def below(x: int) -> float:
        gap = speed * (threshold - x)
        return (1 - mexp(-gap) / 2 if gap >= 0 else mexp(gap) / 2) if x else 1.0

    middle = (u, v, (u + v) / 2, (u + v) / 2 + 1 / 4 / rate, (u + v) / 2 - 1 / 4 / rate)
    places = sorted({threshold, *(y for y in middle if y > threshold)})
    ends = [*places, places[-1] + 40 / speed]
    real = mpmath.quad(
        lambda y: max(0.0, density(float(y), u) - grown * density(float(y), v)), ends
    )
    return float(real) + max(0.0, below(u) - grown * below(v))


@examples(60)
@given(
    st.sampled_from(["1", "2", "1 / 2"]),
    st.integers(0, 2),
    st.sampled_from(["1 / 2", "1", "3", "log(2)", "log(5)", "log(3 / 2)"]),
    st.permutations(range(4)),
    st.booleans(),
)
@example("2", 2, "log(2)", [3, 2, 0, 1], False)  # what is positive has no logarithm in it
@example("1 / 2", 2, "log(3 / 2)", [2, 0, 1, 3], True)
@example("2", 0, "log(5)", [1, 0, 2, 3], True)  # the mechanism compares an input without noise
def test_random_buckets(rate: str, a: int, b: str, order: list[int], is_real: bool) -> None:
    """A claim with a δ below that at some ε is refuted, with a δ that is too small there."""
    u, v = order[:2]
    numbers = eval(rate), a, eval(b, {"log": mlog})
    bucket = _bucket(f"{a} + {b} / eps", "Real" if is_real else "Dom(0, 3)", f"{rate} * eps")
    worst = max(_delta(one, at, numbers) for one in ((u, v), (v, u)) for at in (0.1, 0.7, 2, 6))
    claim = Privacy(bucket, eps / 2, inputs=Pairs((u, v)))
    if worst > 0.01:
        breach = replace(claim, delta=f"{worst * 0.98:.6f}").check().counterexample
        found = _delta(breach.inputs, float(breach.eps), numbers)
        assert found > worst * 0.98 - 1e-6
        one, two = map(float, breach.probabilities)
        assert one - mexp(float(breach.eps) / 2) * two <= found + 1e-6
    verdict = replace(claim, delta=f"{min(worst * 1.1 + 0.01, 1):.6f}").check()
    if not verdict.holds:  # another ε is worse
        inputs, at = verdict.counterexample.inputs, float(verdict.counterexample.eps)
        assert _delta(inputs, at, numbers) > worst * 1.1


def test_several_real_numbers_are_refused() -> None:
    """The error says what to ask instead."""
    two = Mechanism.from_source("def two(q: Real[2]): return [lap(eps, x) for x in q]")
    with pytest.raises(ValueRefusedError, match=r"several real numbers.*\n.*\n.*one bucket"):
        Privacy(two, delta="1/10", inputs=Pairs(([0, 0], [0, 1]))).check()


def test_a_single_eps_is_not_examined_where_inputs_jump() -> None:
    """Where an input is 0 and another number equals the threshold, ε is a single number.

    By a search over pairs and ε, the largest δ is 0.777.
    """
    source = str(_bucket("2 + 1 / (2 * eps)", "Real", "2 * eps")).replace("==", "<=")
    claim = Privacy(
        Mechanism.from_source(source), delta="9/10", inputs=AllReals(), epsilon="[3/10, 3]"
    )
    assert claim.check().holds
    assert replace(claim, delta="73/100").check().holds is False

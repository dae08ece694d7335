"""Amplification by subsampling: budgets ln r, and integer noise with a rate ln r, r in e^ε."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import ExactdpError, Mechanism, Privacy, certify, eps, exp, log

SAMPLED = """
def sampled(x: Dom(0, 1)):
    bit = x if bernoulli(1 / {odds}) else 0
    return dlap({rate}, bit)
"""


@pytest.mark.parametrize("odds", [2, 5])
def test_a_sample_is_as_private_as_the_theorem_says(odds: int) -> None:
    """Sampled with probability g, an ε-private release has the budget ln(1 + g·(e^ε − 1))."""
    mechanism = Mechanism.from_source(SAMPLED.format(odds=odds, rate="eps"))
    ratio = 1 + (exp(eps) - 1) / odds
    assert Privacy(mechanism, budget=log(ratio)).check().outcome == "holds"
    less = Privacy(mechanism, budget=log(ratio - (exp(eps) - 1) / 1000)).check()
    assert less.outcome == "fails"
    assert certify.check(less.certificate).accepted


@pytest.mark.parametrize("odds", [2, 5])
def test_noise_for_a_sample_is_just_enough(odds: int) -> None:
    """With the rate ln(1 + (e^ε − 1)/g) the sampled release is ε-private, and no better."""
    text = SAMPLED.format(odds=odds, rate=f"log(1 + {odds} * (exp(eps) - 1))")
    leak = Privacy(Mechanism.from_source(text)).tightest()
    assert leak.factor.lower == leak.factor.upper == 1


def test_masses_are_those_of_the_definition() -> None:
    """Pr(z) = (1 − p)/(1 + p)·p^|z − x| with p = 1/(2e^ε − 1); two of them convolved by hand."""
    one = Mechanism.from_source("def one(x: Dom(0, 3)): return dlap(log(2 * exp(eps) - 1), x)")
    p = 1 / (2 * exp(eps) - 1)
    for z in range(-2, 4):
        assert one.probability(1, z) == (1 - p) / (1 + p) * p ** abs(z - 1)
    both = Mechanism.from_source("""
def both(x: Dom(0, 3)):
    return dlap(log(2 * exp(eps) - 1), x) + geometric(2 * log(2 * exp(eps) - 1), 0)
""")
    at = 1 / (2 * 2.718281828459045 - 1)
    expected = sum(
        (1 - at) / (1 + at) * at ** abs(1 - k) * (1 - at**2) * at ** (2 * k) for k in range(60)
    )
    assert float(both.probability(0, 1).at(1)) == pytest.approx(expected)
    drawn = both.sample(0, 1, 5_000, seed=1)
    assert abs(drawn.count(1) / 5_000 - expected) < 0.03


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(): return dlap(log(exp(eps) - 1), 0)", "is not positive for every eps > 0"),
        ("def f(): return dlap(log(2 * exp(eps) - 1) / 2, 0)", "is not a rate here"),
        ("def f(): return lap(log(2 * exp(eps) - 1), 0) > 0", "is not a rate here"),
        ("def f(): return dlap(log(2 * exp(eps)), 0) > dlap(eps, 0)", "different rates"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExactdpError, match=message):
        Mechanism.from_source(text).distribution()
    one = Mechanism.from_source("def one(): return dlap(log(2 * exp(eps)), 0)")
    with pytest.raises(ExactdpError, match="negative for some eps"):
        Privacy(one, budget=log(exp(-eps)))
    real = Mechanism.from_source("def real(q: Real): return lap(eps, q) > 0")
    with pytest.raises(ExactdpError, match="about all real inputs"):
        Privacy(real, budget=log(Fraction(1, 2) + exp(eps) / 2))


@pytest.mark.parametrize("released", ["lap(eps, {})", "lap(eps, {}) > 0", "dlap(eps, {})"])
def test_certificates_of_amplification(released: str) -> None:
    """One person in three is sampled: ln(1 + (e^ε − 1)/3), and no less than that with 1/4."""
    source = f"""
def sampled(b: Dom(0, 1)):
    if bernoulli(1 / 3):
        return {released.format("b")}
    return {released.format("0")}
"""
    for share, outcome in ((3, "holds"), (4, "fails")):
        budget = log(1 + (exp(eps) - 1) / share)
        verdict = Privacy(Mechanism.from_source(source), budget).check()
        assert verdict.outcome == outcome
        assert certify.check(verdict.certificate).accepted

"""Mechanisms with numbers that move with ε, as users write them: histogram, margin, estimator."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    ErrorBound,
    Ideal,
    Mechanism,
    Privacy,
    alpha,
    certify,
    eps,
    exp,
    hamming,
    linf,
)

BIN = Mechanism.from_source("""
delta = 1/1000
def one_bin(count: Real):
    threshold = 1 + log(1 / delta) / eps
    return lap(eps, count) > threshold
""")
TRUTH = Ideal.from_source("def truth(count: Real): return count > 1")
ESTIMATE = Mechanism.from_source("""
def estimate(x: Dom(0, 1)[3]):
    p = exp(eps) / (1 + exp(eps))
    total = sum([choose({b: p, 1 - b: 1 - p}) for b in x])
    return (total - 3 * (1 - p)) / (2 * p - 1)
""")
TOTAL = Ideal.from_source("def total(x: Dom(0, 1)[3]): return x[0] + x[1] + x[2]")


def reported(count: float, e: float) -> float:
    """Pr(count + Laplace noise of rate ε > 1 + ln(1000)/ε)."""
    gap = count - 1 - math.log(1000) / e
    return 1 - math.exp(-e * gap) / 2 if gap > 0 else math.exp(e * gap) / 2


def test_privacy_of_a_histogram() -> None:
    """One bin is ε-private; that a new bin is reported has probability at most δ/2 at count 1."""
    for given in ([0, 1], AllReals()):
        whole: dict[str, Any] = {"inputs": given, "adjacent": linf(1)}
        assert Privacy(BIN, **whole).check().holds is True
        assert Privacy(BIN, delta=Fraction(1, 1000), **whole).check().holds is True
        breach = Privacy(BIN, budget=eps / 2, **whole).check().counterexample
        assert breach is not None
        e = float(breach.eps)
        one, two = (reported(float(u), e) for u in breach.inputs)
        if breach.output is False:
            one, two = 1 - one, 1 - two
        assert one > math.exp(e / 2) * two
        for value, wanted in zip(breach.probabilities, (one, two), strict=True):
            assert float(value.lower) == pytest.approx(wanted, rel=1e-9)


def test_accuracy_of_a_histogram() -> None:
    """At a count c > 1 the error is e^(−ε(c − 1))·1000/2 or less, and at most half otherwise."""
    claim = Accuracy(BIN, 500 * exp(-alpha * eps), ideal=TRUTH, inputs=AllReals())
    verdict = claim.check()
    assert verdict.holds is True
    assert certify.check(verdict.certificate).accepted
    false = Accuracy(BIN, 400 * exp(-alpha * eps), ideal=TRUTH, inputs=AllReals()).check()
    found = false.counterexample
    assert found is not None
    error = 1 - reported(float(found.input), float(found.eps))
    assert error > 400 * math.exp(-float(found.alpha) * float(found.eps))
    assert certify.check(false.certificate).accepted


def test_error_bounds() -> None:
    """Also where no curve in ε is known, and for outputs that are expressions in ε."""
    bound = ErrorBound(BIN, within=0, risk="5%", ideal=TRUTH, inputs=[20])
    found = bound.check().counterexample
    assert found is not None
    assert 1 - reported(20, float(found.eps)) > 0.05
    least = float(bound.smallest_epsilon().upper)
    assert 1 - reported(20, least) == pytest.approx(0.05, abs=1e-6)


def test_the_unbiased_estimator() -> None:
    """Each flipped bit moves it by 1/(2p − 1) > 1, so it is within 1 only if few are flipped."""
    bound = ErrorBound(ESTIMATE, within=1, risk="10%", ideal=TOTAL, inputs=[[1, 0, 1]])
    e = float(bound.smallest_epsilon(width="1e-6").upper)

    def risk(e: float) -> float:
        p = math.exp(e) / (1 + math.exp(e))
        total = 0.0
        for bits in range(8):
            flips = [bits >> k & 1 for k in range(3)]
            chance = math.prod(1 - p if f else p for f in flips)
            seen = sum(b ^ f for b, f in zip((1, 0, 1), flips, strict=True))
            if abs((seen - 3 * (1 - p)) / (2 * p - 1) - 2) > 1:
                total += chance
        return total

    assert risk(e + 1e-4) <= 0.1 < risk(e - 1e-3)
    assert str(ESTIMATE.expectation([1, 0, 1])) == "2"
    assert Privacy(ESTIMATE, adjacent=hamming(1)).check().holds is True

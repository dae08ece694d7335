"""Best constants and smallest ε of claims with conditions, β by cases, numbers that move with ε."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    ExactdpError,
    Ideal,
    Mechanism,
    alpha,
    eps,
    exp,
    maximum,
    piecewise,
)

LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)
ABOVE = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 2 + 3 / eps")
TWO = Ideal.from_source("def two(q: Real): return q > 2")
BOUND = exp(-alpha * eps / 2)


def test_constants_as_without_conditions() -> None:
    """At [0, 2] the error is e^(−ε)(1/2 + ε/4), and β/error is least as ε → 0: κ = 2."""
    plain = Accuracy(LARGER, BOUND, inputs=[[0, 2]]).tightest().kappa
    assert plain.lower == plain.upper == 2
    for claim in (
        Accuracy(LARGER, BOUND, inputs=[[0, 2]], region="alpha <= 1/2"),
        Accuracy(LARGER, piecewise((BOUND, alpha < 1), (2 * BOUND, True)), inputs=[[0, 2]]),
        Accuracy(LARGER, maximum(BOUND, exp(-eps)), inputs=[[0, 2]]),
        Accuracy(LARGER, lambda _: BOUND, inputs=[[0, 2]], region="alpha <= 1/2"),
    ):
        found = claim.tightest()
        assert found.kappa.lower == 2 < found.kappa.upper < 2 + Fraction(1, 10**5)
        assert found.integer == 2


def test_thresholds_that_move() -> None:
    """Pr(lap(ε, q) ≤ 2 + 3/ε) = e^(3 − ε(q − 2))/2 at q with ε(q − 2) ≥ 3, where dd is q − 2.

    So β/error is 2/e³ with β = e^(−αε); with β = 1/20 the least ε at q = 5 is (3 + ln 10)/3.
    """
    for inputs in (AllReals(), [5]):
        kappa = Accuracy(ABOVE, exp(-alpha * eps), ideal=TWO, inputs=inputs).tightest().kappa
        assert kappa.lower <= 2 * math.exp(-3) <= kappa.upper
        assert kappa.upper - kappa.lower <= Fraction(1, 10**6)
    claim = Accuracy(ABOVE, Fraction(1, 20), ideal=TWO, inputs=[5])
    found = claim.smallest_epsilon(width="1e-9")
    assert float(found) == pytest.approx((3 + math.log(10)) / 3, abs=1e-8)
    (stretch,) = claim.epsilons()
    assert float(stretch.lower) == pytest.approx((3 + math.log(10)) / 3, abs=1e-12)
    with pytest.raises(ExactdpError, match="the set of ε for all real inputs is not computed"):
        Accuracy(ABOVE, exp(-alpha * eps) / 5, ideal=TWO, inputs=AllReals()).epsilons()


def test_a_mechanism_without_errors() -> None:
    """Nothing bounds κ where there is no error; a claim that says nothing is refused."""
    exact = Mechanism.from_source("def f(q: Real): return 1")
    none = Accuracy(exact, BOUND, inputs=[1], region="alpha <= 1").tightest()
    assert none.kappa.lower == math.inf
    with pytest.raises(ExactdpError, match="says nothing"):
        Accuracy(LARGER, BOUND, inputs=[[0, 0]], region="alpha <= 1").tightest()


def test_a_simple_constant_is_tried_before_others() -> None:
    """κ = 2 is the limit at ε → 0, where both sides are 1/2 at α = 0; few trials show it."""
    claim = Accuracy(LARGER, exp(-alpha * eps / 2), alpha="[eps, inf)", inputs=[[2, 0]])
    steps: list[int] = []
    kappa = claim.tightest(progress=lambda done, _: steps.append(done)).kappa
    assert kappa.lower == 2
    assert kappa.upper <= Fraction(2_000_003, 1_000_000)
    assert len(steps) < 10

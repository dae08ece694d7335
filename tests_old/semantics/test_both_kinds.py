"""Integer noise and real noise in one number, as in the staircase mechanism and Tulap noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Expected,
    Ideal,
    Mechanism,
    Privacy,
    Real,
    certify,
    eps,
    exp,
    linf,
)

TULAP = Mechanism.from_source("def tulap(q: Real): return q + dlap(eps, 0) + unif(-1/2, 1/2)")
RUNS = 50_000


def dlap(rng: np.random.Generator, rate: float) -> np.ndarray:
    p = 1 - math.exp(-rate)
    return rng.geometric(p, RUNS) - rng.geometric(p, RUNS)


def test_moments_of_tulap_noise() -> None:
    """The variance is that of the discrete Laplace noise plus 1/12."""
    discrete = 2 * exp(-eps) / (1 - exp(-eps)) ** 2
    assert TULAP.variance("1/3") == discrete + Fraction(1, 12)
    assert str(TULAP.variance(AllReals()).pieces[0].value) == str(TULAP.variance(0))


@pytest.mark.parametrize("width", [Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)])
def test_staircase(width: Fraction) -> None:
    """Geng and Viswanath: E|x| = b/(1 − b) + (b + (1 − b)g²)/(2(b + (1 − b)g)), b = e^(−ε)."""
    mechanism = Mechanism.from_source(
        """
def staircase(q: Real):
    steps = geometric(eps, 0)
    if bernoulli(g / (g + (1 - g) * exp(-eps))):
        x = steps + g * unif(0, 1)
    else:
        x = steps + unif(g, 1)
    return q + x if bernoulli(1 / 2) else q - x
""",
        constants={"g": width},
    )
    b = exp(-eps)
    want = b / (1 - b) + (b + (1 - b) * width**2) / (2 * (b + (1 - b) * width))
    assert mechanism.expectation("2/7", lambda u, y: abs(y - u)) == want


CASES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "lap(eps, q) + dlap(eps / 2, 0)": lambda rng: (
        1 / 3 + rng.laplace(0, 1, RUNS) + dlap(rng, 1 / 2)
    ),
    "lap(eps, dlap(eps, 1)) - q": lambda rng: rng.laplace(0, 1, RUNS) + 1 + dlap(rng, 1) - 1 / 3,
    "max(lap(eps, q), dlap(eps, 1))": lambda rng: np.maximum(
        1 / 3 + rng.laplace(0, 1, RUNS), 1 + dlap(rng, 1)
    ),
    "lap(eps, q) + dlap(eps, 0) / 2": lambda rng: (
        1 / 3 + rng.laplace(0, 1, RUNS) + dlap(rng, 1) / 2
    ),
    "lap(eps, q) // 1 + unif(0, 2)": lambda rng: (
        np.floor(1 / 3 + rng.laplace(0, 1, RUNS)) + rng.uniform(0, 2, RUNS)
    ),
    "(lap(eps, q) + dlap(eps, 0)) // 1": lambda rng: np.floor(
        1 / 3 + rng.laplace(0, 1, RUNS) + dlap(rng, 1)
    ),
    "q + dlap(eps, 0)": lambda rng: 1 / 3 + dlap(rng, 1),
}


@pytest.mark.parametrize("body", CASES)
def test_against_simulation(body: str) -> None:
    runs = CASES[body](np.random.default_rng(5))
    mechanism = Mechanism.from_source(f"def f(q: Real): return {body}")
    above = Mechanism.from_source(f"def f(q: Real): return {body} > 3 / 4")
    for exact, seen in (
        (mechanism.expectation("1/3", lambda y: max(y, 0)), np.maximum(runs, 0)),
        (mechanism.variance("1/3"), (runs - runs.mean()) ** 2),
        (above.probability("1/3", True), (runs > 3 / 4).astype(float)),
    ):
        assert abs(float(exact.at(1)) - seen.mean()) < 4.5 * seen.std() / math.sqrt(RUNS)


def test_a_threshold_with_the_other_noise() -> None:
    """Pr(x ≥ T) for Laplace x and discrete T is Σ Pr(T = k)·Pr(x ≥ k)."""
    above = Mechanism.from_source("def f(q: Real): return lap(eps, q) >= dlap(eps / 2, 1)")

    def tail(t: float) -> float:
        return math.exp(-t) / 2 if t > 0 else 1 - math.exp(t) / 2

    a = math.exp(-1 / 2)
    want = sum((1 - a) / (1 + a) * a ** abs(k - 1) * tail(k - 0.4) for k in range(-200, 200))
    assert float(above.probability("2/5", True).at(1)) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("op", ["<", "<=", "==", "!=", ">=", ">"])
@pytest.mark.parametrize("noise", ["dlap(eps, 0)", "lap(eps, 0) // 1", "dlap(eps, 0) + unif(0, 1)"])
def test_formulas_in_a_box_agree_with_inputs(noise: str, op: str) -> None:
    """At the ends of pieces, too, where the probability of integer noise jumps."""
    mechanism = Mechanism.from_source(f"def f(q: Real): return {noise} {op} q")
    formula = mechanism.probability(Box(-1, 2), True)
    for k in range(-2, 5):
        assert formula.at(Fraction(k, 2)) == mechanism.probability(Fraction(k, 2), True)


def test_claims_see_where_integer_noise_jumps() -> None:
    """Pr(z ≥ q) is 1/(1 + e^−ε) at q = 0 alone, and at most e^−ε/(1 + e^−ε) above."""
    reached = Mechanism.from_source("def f(q: Real): return 1 if dlap(eps, 0) >= q else 0")
    none = Ideal.from_source("def none(q: Real): return 0")
    bound = exp(-eps) / (1 + exp(-eps))
    for low, outcome in (("0", "fails"), ("1/8", "holds")):
        claim = Expected(reached, lambda y: y, at_most=bound, inputs=Box(low, 3))
        assert claim.check().outcome == outcome
        accurate = Accuracy(
            reached, beta=bound, ideal=none, input_distance="discrete", inputs=Box(low, 3)
        )
        verdict = accurate.check()
        assert verdict.outcome == outcome
        assert certify.check(verdict.certificate).outcome != "rejected"


def test_claims() -> None:
    """Pr(|z + u| > 2) is Pr(|z| ≥ 3) + Pr(|z| = 2)/2 = e^(−2ε)."""
    for inputs in (AllReals(), ["0", "1/3"]):
        claim = Accuracy(TULAP, beta=exp(-2 * eps), gamma=2, inputs=inputs)
        assert claim.check().outcome == "holds"
        assert certify.check(claim.check().certificate).outcome == "conditional"
        assert claim.tightest().kappa.lower == claim.tightest().kappa.upper == 1
    tests = Mechanism.from_source("def f(q: Real): return q + dlap(eps, 0) + unif(-1/2, 1/2) > 1")
    private = Privacy(tests, budget=eps, adjacent=linf(1), inputs=["0", "1/2", "1"])
    assert private.check().outcome == "holds"


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: TULAP.distribution(0).density(Real, 0), "the sum of"),
        (lambda: TULAP.expectation(AllReals(), abs), "unbounded real inputs"),
        (
            lambda: Mechanism.from_source("def f(q: Real): return lap(eps, q) % 1").variance(
                AllReals()
            ),
            "unbounded real inputs",
        ),
        (
            lambda: Privacy(
                Mechanism.from_source("def f(q: Real): return q + dlap(eps, 0)"),
                budget=eps,
                adjacent=linf(1),
                inputs=["1/3", "1/2"],
            ).check(),
            "may not be a whole number",
        ),
        (
            lambda: Mechanism.from_source(
                "def f(q: Real): return (lap(eps, q) + dlap(eps, 0) / 2) // 1"
            ).variance(0),
            "a part of integer noise is rounded",
        ),
    ],
)
def test_refusals(ask: Callable[[], object], told: str) -> None:
    """The privacy of q + dlap at 1/3 and 1/2 was said to hold; the others did not end or failed."""
    with pytest.raises(ExactdpError, match=told):
        ask()


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Dom(0, 3)[2]): return [dlap(eps, one) for one in x]",
        """
def f(x: Dom(0, 3)[2]):
    out = []
    for one in x:
        out.append(dlap(eps, one))
    return out
""",
    ],
)
def test_lists_of_integer_noise_can_equal_numbers(text: str) -> None:
    """Integer noise is 0 with probability (1 − p)/(1 + p), p = e^(−ε); the answer was 0."""
    mechanism = Mechanism.from_source(text)
    exact = ((1 - exp(-eps)) / (1 + exp(-eps))) ** 2
    assert mechanism.probability([1, 2], [1, 2]) == exact
    assert mechanism.within([1, 2], 0, distance="discrete") == exact
    real = Mechanism.from_source(text.replace("dlap", "lap"))
    nothing: Any = real.probability([1, 2], [1, 2])
    assert nothing == 0

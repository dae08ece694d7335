"""Outputs that are expressions in ε: estimators of randomized response and their errors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from exactdp import (
    ANY,
    Accuracy,
    ExactdpError,
    Ideal,
    Mechanism,
    Privacy,
    discrete,
    eps,
    exp,
    hamming,
    value_gap,
)

ESTIMATE = Mechanism.from_source("""
def estimate(x: Dom(0, 1)):
    flip = 1 / (1 + exp(eps))
    answer = choose({x: 1 - flip, 1 - x: flip})
    return (answer - flip) / (1 - 2 * flip)
""")
TRUTH = Ideal.from_source("def truth(x: Dom(0, 1)): return x")


def about(beta: Any, **more: Any) -> Accuracy:
    given: dict[str, Any] = {"gamma": 1, "ideal": TRUTH} | more
    return Accuracy(ESTIMATE, beta, **given)


def test_outputs_and_runs() -> None:
    """The truth is told with p = e^ε/(1 + e^ε); the outputs are e^ε/(e^ε − 1) and −1/(e^ε − 1)."""
    found = ESTIMATE.distribution(1)
    assert dict(found) == {
        exp(eps) / (exp(eps) - 1): exp(eps) / (1 + exp(eps)),
        -1 / (exp(eps) - 1): 1 / (1 + exp(eps)),
    }
    assert ESTIMATE.probability(1, 1 / (1 - exp(-eps))) == exp(eps) / (1 + exp(eps))
    seen = ESTIMATE.sample(1, eps=2, size=20_000, seed=1)
    assert sum(seen) / len(seen) == pytest.approx(1, abs=0.05)  # unbiased
    assert sorted(set(seen)) == pytest.approx([-1 / (math.e**2 - 1), 1 / (1 - math.e**-2)])


def test_the_error_jumps_where_an_output_comes_within_reach() -> None:
    """|output − x| is 1/(e^ε − 1) for the truth: within 1 from ln 2 on; the lie never is."""
    told = 1 / (1 + exp(eps))
    assert about(told, epsilon="[0.7, inf)").check().holds
    verdict = about(told).check()
    assert verdict.outcome == "fails"
    (found,) = verdict.counterexamples
    assert found.eps < math.log(2)
    assert about(told, epsilon="(0, 69/100]").check().outcome == "fails"
    assert about(1 / (2 + exp(eps)), epsilon="[1, 2]").check().outcome == "fails"
    assert about("1/2", epsilon=1).check().holds
    assert about("1/2", epsilon="1/2").check().outcome == "fails"


def test_best_constants_and_the_smallest_epsilon() -> None:
    """The error is 1 below ln 2, then 1/(1 + e^ε): at most 1/20 from ln 19 on."""
    found = about("1/20").smallest_epsilon(width="1e-9")
    assert float(found) == pytest.approx(math.log(19), abs=1e-8)
    kappa = about(3 / (1 + exp(eps)), epsilon="[1, 2]").tightest().kappa
    assert kappa.lower <= 3 <= kappa.upper < Fraction(301, 100)


def test_random_estimators_against_the_definition() -> None:
    """Scaled choices among several values, at ε on a fine grid, with floats away from ties."""
    for seed in range(12):
        rng = Random(seed)
        scale = rng.choice(["(1 + exp(eps))", "1 / (exp(eps) - 1)", "exp(eps) / (exp(eps) - 1)"])
        value = rng.choice(["y", "y - 1", "2 * y"])
        source = f"""
def f(x: Dom(0, 2)):
    y = choose({{x: exp(eps) / (2 + exp(eps)), (x + 1) % 3: 1 / (2 + exp(eps)),
                (x + 2) % 3: 1 / (2 + exp(eps))}})
    return ({value}) * {scale}
"""
        program = Mechanism.from_source(source)
        gamma, beta = Fraction(rng.randint(1, 6), 2), Fraction(rng.randint(1, 9), 10)
        low = Fraction(rng.randint(1, 8), 4)
        ideal = Ideal.from_source("def f(x: Dom(0, 2)): return x")
        claim = Accuracy(program, beta, gamma=gamma, ideal=ideal, epsilon=(low, low + 1), alpha=0)
        worst = 0.0
        for x, k in product(range(3), range(201)):
            at = float(low) + k / 200
            e = math.exp(at)
            factor = eval(scale.replace("exp(eps)", "e"), {"e": e})
            chances = {x: e / (2 + e), (x + 1) % 3: 1 / (2 + e), (x + 2) % 3: 1 / (2 + e)}
            miss = sum(
                chance
                for y, chance in chances.items()
                if abs(eval(value, {"y": y}) * factor - x) > float(gamma) + 1e-9
            )
            worst = max(worst, miss)
        if abs(worst - float(beta)) > 0.02:
            assert claim.check().holds == (worst < beta), source


def test_privacy_and_refusals() -> None:
    assert Privacy(ESTIMATE, adjacent=hamming(1)).check().holds
    for refused, message in (
        (about("1/4", gamma=ANY), "is not a number"),
        (about("1/4", output_distance=value_gap), "compared by sup"),
        (about("1/4", ideal=lambda x: x + exp(eps)), "an expression in eps"),
    ):
        with pytest.raises(ExactdpError, match=message):
            refused.check()
    scaled = Ideal.from_source("def f(x: Dom(0, 1)): return x * exp(eps)")
    with pytest.raises(ExactdpError, match="depends on eps"):
        about("1/4", ideal=scaled)
    with pytest.raises(ExactdpError, match="not defined for every eps"):
        Mechanism.from_source("def f(x: Dom(0, 1)): return x / (eps - 1)").distribution(1)
    assert about("99/100", output_distance=discrete, gamma=0).check().outcome == "fails"

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
    ErrorBound,
    ExactdpError,
    Expected,
    Ideal,
    Interval,
    Mechanism,
    Privacy,
    discrete,
    eps,
    exp,
    gamma,
    hamming,
    inf,
    parse,
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


def test_within_and_intervals() -> None:
    """The true answer is 1/(e^ε − 1) off: within 1 from ln 2 on, as a number in (0, 2]."""
    told = exp(eps) / (1 + exp(eps))
    for found in (ESTIMATE.within(1, 1, ideal=TRUTH), ESTIMATE.probability(1, Interval(0, 2))):
        assert [one.value for one in found] == [0, told]  # type: ignore[attr-defined]
        assert float(found.at("0.693")) == 0
        assert float(found.at("0.694")) == pytest.approx(math.exp(0.694) / (1 + math.exp(0.694)))
    assert ESTIMATE.probability(1, Interval(-inf, inf)) == parse("1")
    line = Mechanism.from_source("def f(x: Dom(0, 1)): return choose({x: 1/2, 2: 1/2}) * eps")
    closed, open_end = (
        line.probability(1, Interval(0, 2, upper_open=is_open)) for is_open in (False, True)
    )
    assert [float(closed.at(one)) for one in ("1/2", 1, "3/2", 2, 3)] == [1, 1, 0.5, 0.5, 0]
    assert [float(open_end.at(one)) for one in ("1/2", 1, "3/2", 2, 3)] == [1, 0.5, 0.5, 0, 0]


def test_sets_of_epsilon() -> None:
    """With γ = 1 from ln 2 on, with γ = 1/2 from ln 3 on; with γ = ε where 1/(e^ε − 1) ≤ ε."""
    told = 1 / (1 + exp(eps))
    for given, least in ((1, math.log(2)), ("1/2", math.log(3)), ("[1/2, 3]", math.log(3))):
        (stretch,) = about(told, gamma=given).epsilons()
        assert float(stretch.lower) == pytest.approx(least, rel=1e-10)
        assert stretch.upper == inf
    (stretch,) = about(told, gamma=eps).epsilons()
    root = float(stretch.lower)
    assert root * (math.exp(root) - 1) == pytest.approx(1)
    assert about(told, gamma=2 / eps).check().holds
    assert about(told * Fraction(99, 100), gamma=2 / eps).check().outcome == "fails"
    assert about("1/4", gamma=ANY).check().outcome == "fails"
    exactly = about(told, gamma=1 / (exp(eps) - 1))
    assert exactly.check().holds
    with pytest.raises(ExactdpError, match="is at least 1"):
        exactly.tightest()


def test_an_epsilon_at_which_more_outputs_are_near() -> None:
    """ε and 2 − ε are within 1/2 of 1 for ε in [1/2, 3/2]; ε − 1 and 1 − ε, of 0, at 1 alone."""
    pair = Mechanism.from_source(
        "def f(x: Dom(0, 1)): return choose({0: 1/2, 1: 1/2}) * (2 - 2 * eps) + eps - x"
    )
    zero = Ideal.from_source("def zero(x: Dom(0, 1)): return 1 - x")
    for given, ends in ((0, (1, 1)), ("1/2", (Fraction(1, 2), Fraction(3, 2)))):
        claim = Accuracy(pair, "1/3", gamma=given, ideal=zero, alpha=0)
        (stretch,) = claim.epsilons()
        assert (stretch.lower, stretch.upper) == ends
        assert claim.check().outcome == "fails"


def test_the_least_radius() -> None:
    """At ε = 1 the truth is 1/(e − 1) off, and a lie more; a lie has probability 0.27."""
    for risk, least in (("30%", 1 / (math.e - 1)), ("20%", math.e / (math.e - 1))):
        found = ErrorBound(ESTIMATE, risk=risk, ideal=TRUTH).smallest_within(eps=1)
        assert float(found) == pytest.approx(least, rel=1e-9)


def test_privacy_and_refusals() -> None:
    assert Privacy(ESTIMATE, adjacent=hamming(1)).check().holds
    for refused, message in (
        (about(exp(-gamma * eps), gamma=ANY), "is not a number"),
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


ZERO_AT_ONE = Mechanism.from_source("def f(x: Dom(0, 1)): return x * (eps - 1)")
NOTHING = Ideal.from_source("def nothing(x: Dom(0, 1)): return 0")


def test_outputs_that_are_equal_at_one_epsilon() -> None:
    """At ε = 1 the output is always 0: right, and private; nowhere else is it."""
    assert Privacy(ZERO_AT_ONE, epsilon=1).check().holds
    assert Privacy(ZERO_AT_ONE, epsilon="[2, 3]").check().outcome == "fails"
    with pytest.raises(ExactdpError, match="are equal at eps"):
        Privacy(ZERO_AT_ONE).check()
    for distance in (None, discrete):
        claim = Accuracy(
            ZERO_AT_ONE, "1/3", gamma=0, ideal=NOTHING, alpha=0, output_distance=distance
        )
        assert str(claim.epsilons()) == "{1}"
        assert claim.check().outcome == "fails"
    assert Expected(ZERO_AT_ONE, "wrong", at_most="1/3", ideal=NOTHING, epsilon=1).check().holds
    with pytest.raises(ExactdpError, match="depends on eps"):
        Expected(ZERO_AT_ONE, "wrong", at_most="1/3", ideal=NOTHING).check()


def test_expected_absolute_errors() -> None:
    """|x·(ε − 1)| has one formula on each side of 1; estimators against a sum over all answers."""
    error: Any = ZERO_AT_ONE.expectation(1, "absolute", ideal=NOTHING)
    assert [float(error.at(one)) for one in ("1/2", 1, 3)] == [0.5, 0, 2]
    found = Expected(ZERO_AT_ONE, "absolute", at_most="1/3", ideal=NOTHING).epsilons()
    assert str(found) == "[2/3, 4/3]"
    summed = Mechanism.from_source("""
def summed(x: Dom(0, 1)[3]):
    p = exp(eps) / (1 + exp(eps))
    total = sum([choose({y: p, 1 - y: 1 - p}) for y in x])
    return (total - 3 * (1 - p)) / (2 * p - 1)
""")
    truth = Ideal.from_source("def truth(x: Dom(0, 1)[3]): return sum(x)")
    for u in ([1, 0, 1], [0, 0, 0]):
        error = summed.expectation(u, "absolute", ideal=truth)
        for at in (Fraction(1, 2), Fraction(1), Fraction(3)):
            p = math.exp(at) / (1 + math.exp(at))
            known = sum(
                math.prod(p if y == x else 1 - p for y, x in zip(ys, u, strict=True))
                * abs((sum(ys) - 3 * (1 - p)) / (2 * p - 1) - sum(u))
                for ys in product((0, 1), repeat=3)
            )
            assert float(error.at(at)) == pytest.approx(known)

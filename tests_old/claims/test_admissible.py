"""Regions of α and γ that depend on ε and on the input (section 4 of the paper, example:simple)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.mechanisms import LARGER
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Grid,
    Mechanism,
    Range,
    ValueRefusedError,
    Verdict,
    alpha,
    certify,
    discrete,
    eps,
    exp,
    gamma,
    inf,
    maximum,
    piecewise,
    sup,
)
from exactdp.claims.stated.conditions import CaseFormula
from exactdp.claims.stated.expressions import Expression
from support.examples import examples

NOISY = Mechanism.from_source("def noisy(x: Real):\n    return lap(eps, x)")
BOUND = exp(-alpha * eps / 2)
SETS = [[[2, 0]], Grid(-2, 2), AllReals(), Box(-2, 2)]
WITH_NOISE: dict[str, Any] = {"input_distance": discrete, "output_distance": sup}

Fine = [Fraction(k, 8) for k in range(33)]
Budgets = [Fraction(k, 16) for k in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 160)]


def violations(claim: Accuracy, holds_at: Any, inputs: list[Any]) -> list[Any]:
    """From the definition: α, ε and an input at which the claim is made and false."""
    found = []
    for u in inputs:
        distance = claim.disagreement(u).distance
        error = 1 - claim.mechanism.within(u, 0)
        for budget, level in product(Budgets, Fine):
            if level < distance and holds_at(u, budget, level):
                bound = claim.beta_at(u)
                value = bound_at(bound, level).at(budget)
                if error.at(budget).lower > value.upper:
                    found.append((u, budget, level))
    return found


def bound_at(bound: Any, level: Fraction) -> Any:
    if isinstance(bound, CaseFormula):
        return bound.pieces[0 if level < 1 else 1][0].at({"alpha": level})
    return bound.at({"alpha": level})


def is_refuted(verdict: Verdict, holds_at: Any) -> None:
    """Compare a counterexample with the definition."""
    one = verdict.counterexample
    assert one is not None
    assert one.alpha < one.distance
    assert holds_at(one.input, one.eps, one.alpha)
    assert one.error.lower > one.allowed.upper


@pytest.mark.parametrize("inputs", SETS, ids=str)
def test_the_regions_of_the_paper(inputs: Any) -> None:
    """η₁: a ≥ 0; η₂: a ≥ ε; η₃: another bound from 1 on.

    The error at distance d is (1/2 + εd/4)·e^{−εd}, by hand, which is below all three bounds.
    """
    assert Accuracy(LARGER, BOUND, inputs=inputs).check()
    assert Accuracy(LARGER, BOUND, alpha="[eps, inf)", inputs=inputs).check()
    jump = piecewise((BOUND, alpha < 1), (exp(-3 * alpha * eps / 5), True))
    verdict = Accuracy(LARGER, jump, inputs=inputs).check()
    assert verdict.holds is True
    assert "alpha < 1" in verdict.sentence
    same = Accuracy(
        LARGER,
        lambda alpha, eps: exp(-alpha * eps / 2) if alpha < 1 else exp(-3 * alpha * eps / 5),
        inputs=inputs,
    )
    assert same.check().holds is True
    by_budget = piecewise((BOUND, "eps < 2"), (exp(-3 * alpha * eps / 5), True))
    assert Accuracy(LARGER, by_budget, inputs=inputs).check().holds is True


@pytest.mark.parametrize("inputs", SETS, ids=str)
def test_the_second_region_claims_less(inputs: Any) -> None:
    """A bound that is false only for α < ε: e^{−αε/2}·(1 − 1/4·e^{…}) is not at hand, so by search.

    With β = e^{−αε/2}/3 the claim is false at small α and ε; where α ≥ 8 and α ≥ ε it is true.
    """
    tight = BOUND / 3
    verdict = Accuracy(LARGER, tight, alpha="[eps, inf)", inputs=inputs).check()
    is_refuted(verdict, lambda _, budget, level: level >= budget)
    far = Accuracy(LARGER, tight, region=lambda alpha, eps: alpha >= eps and alpha * eps >= 8,
                   inputs=[[90, 0]]).check()  # fmt: skip
    assert far.outcome == "holds"


@pytest.mark.parametrize("inputs", SETS, ids=str)
def test_a_jump_of_the_bound_is_seen(inputs: Any) -> None:
    jump = piecewise((BOUND, alpha < 1), (exp(-3 * alpha * eps), True))
    verdict = Accuracy(LARGER, jump, inputs=inputs).check()
    if inputs == [[2, 0]]:  # dd is 1: no α ≥ 1 is claimed
        assert verdict.outcome == "holds"
    else:
        is_refuted(verdict, lambda _, __, level: level >= 1)


@pytest.mark.parametrize("inputs", SETS, ids=str)
def test_levels_that_are_functions_of_the_input(inputs: Any) -> None:
    """At α = |x₀ − x₁|/4 = dd/2 the bound e^{−αε/2} holds; Pr(|Lap| > γ) is e^{−γε}."""
    claim = Accuracy(LARGER, BOUND, alpha=lambda u: abs(u[0] - u[1]) / 4, inputs=inputs)
    assert claim.check()
    inputs = {str(SETS[0]): [2, 0]}.get(str(inputs), inputs)
    for factor, holds in ((1, True), (Fraction(1, 2), False)):
        level = Accuracy(NOISY, exp(-gamma * eps) * factor, alpha=0, gamma=lambda x: 1 + abs(x),
                         inputs=inputs, **WITH_NOISE)  # fmt: skip
        assert level.check().holds is holds


@pytest.mark.parametrize("inputs", [[0, 3], Grid(-1, 1), AllReals(), Box(-1, 1)], ids=str)
def test_ranges_with_formulas_as_ends(inputs: Any) -> None:
    """e^{−γε} ≤ e^{−αε} exactly where γ ≥ α; and γ ≥ 1/ε makes the error at most 1/e."""
    given: dict[str, Any] = {"inputs": inputs, **WITH_NOISE}
    assert Accuracy(NOISY, exp(-alpha * eps), gamma=(alpha, inf), **given).check()
    false = Accuracy(
        NOISY, exp(-alpha * eps) * Fraction(9, 10), gamma=(alpha, inf), **given
    ).check()
    assert false.counterexample is not None
    assert false.counterexample.gamma >= false.counterexample.alpha
    assert Accuracy(NOISY, Fraction(3, 8), gamma=Range(1 / eps, inf), **given).check()
    verdict = Accuracy(NOISY, Fraction(3, 8), gamma=Range(1 / (2 * eps), 1 / eps), **given).check()
    assert verdict.counterexample is not None
    one = verdict.counterexample
    assert 1 <= 2 * one.gamma * one.eps <= 2
    assert Accuracy(NOISY, exp(-gamma * eps), gamma="[1/eps, 2 + eps]", **given).check()


@cache
def samples() -> list[list[int]]:
    return [[0, 1], [2, 0], [-1, 3]]


@examples(15)
@given(
    st.sampled_from(["0", "eps", "1/eps", "1 + eps", "eps*eps", "1/4"]),
    st.sampled_from(["inf", "2*eps", "1 + 1/eps", "3/2", "eps"]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["skip", "check"]),
)
def test_random_ranges(low: str, high: str, kappa: int, boundary: str) -> None:
    """Against the definition on a grid of ε and α."""

    def value(text: str, budget: Fraction) -> Any:
        return inf if text == "inf" else eval(text, {"eps": budget})

    def holds_at(u: object, budget: Fraction, level: Fraction) -> bool:
        del u
        return bool(value(low, budget) <= level <= value(high, budget))

    claim = Accuracy(
        LARGER, BOUND / kappa, alpha=f"[{low}, {high}]" if high != "inf" else f"[{low}, inf)",
        inputs=samples(), boundary=boundary,
    )  # fmt: skip
    verdict = claim.check()
    found = violations(claim, holds_at, samples())
    assert verdict.holds is not None
    if verdict.holds:
        assert not found
    elif boundary == "skip":
        is_refuted(verdict, holds_at)


@examples(10)
@given(st.integers(1, 3), st.sampled_from([Fraction(1, 2), 1, 2]), st.sampled_from([0, 1, 3]))
def test_random_regions_everywhere(kappa: int, slope: Fraction, start: int) -> None:
    """All reals, listed inputs and the definition agree on the region s·α ≤ x₀ − x₁ + c/ε."""

    def region(u, alpha, eps):  # type: ignore[no-untyped-def]
        return slope * alpha <= u[0] - u[1] + start / eps

    def holds_at(u: Any, budget: Fraction, level: Fraction) -> bool:
        return bool(slope * level <= u[0] - u[1] + start / budget)

    everywhere = Accuracy(LARGER, BOUND / kappa, region=region, inputs=AllReals()).check()
    claim = Accuracy(LARGER, BOUND / kappa, region=region, inputs=samples())
    verdict = claim.check()
    assert None not in (everywhere.holds, verdict.holds)
    if everywhere.holds:
        assert verdict.holds
    else:
        is_refuted(everywhere, holds_at)
    if verdict.holds:
        assert not violations(claim, holds_at, samples())
    else:
        is_refuted(verdict, holds_at)


def test_the_largest_of_two_bounds() -> None:
    """Error ≤ max(a, b) holds although neither a nor b bounds the error for every ε."""
    error = 1 - LARGER.within([2, 0], 0)
    low, high = BOUND / 2, exp(-3 * alpha * eps) * Fraction(4, 5)
    whole = Accuracy(LARGER, maximum(low, high), alpha=Fraction(1, 2), inputs=[[2, 0]])
    values = [low.at({"alpha": Fraction(1, 2)}), high.at({"alpha": Fraction(1, 2)})]
    budgets = [Fraction(k, 50) for k in range(1, 500)]
    expected = all(
        error.at(budget).upper <= max(one.at(budget).lower for one in values) for budget in budgets
    )
    assert whole.check().holds is expected
    assert Accuracy(LARGER, maximum(BOUND, 0), inputs=[[2, 0]]).check()
    assert not Accuracy(LARGER, maximum(BOUND / 4, BOUND / 5), inputs=[[2, 0]]).check()


@pytest.mark.parametrize("high", [Fraction(1, 2), Fraction(3, 5), 1, 2])
@pytest.mark.parametrize("rate", [Fraction(1, 2), 1, 2])
@pytest.mark.parametrize("low", [Fraction(1, 10), Fraction(2, 5), exp(-alpha * eps / 4) / 5])
def test_the_largest_of_two_bounds_for_all_reals(high: Any, rate: Any, low: Any) -> None:
    """At a gap d and x = εd the error is e^(−x/2)·(1/2 + x/8), and the largest α is d/2."""
    x = np.linspace(0, 60, 60_001)
    error = np.exp(-x / 2) * (1 / 2 + x / 8)
    constant = np.exp(-x / 8) / 5 if isinstance(low, Expression) else float(low)
    slack = np.maximum(float(high) * np.exp(-float(rate) * x / 2), constant) - error
    claim = Accuracy(LARGER, maximum(high * exp(-rate * alpha * eps), low), inputs=AllReals())
    worst = (slack / error)[:20_000].min()
    if abs(worst) > 1 / 100:
        verdict = claim.check()
        assert verdict.holds is bool(worst > 0)
        if verdict.counterexample is not None:
            assert verdict.counterexample.error.lower > verdict.counterexample.allowed.upper


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"region": 3}, "region is 3"),
        ({"region": lambda alpha, gamma: alpha * gamma * gamma <= 1}, "not linear"),
        ({"region": "alpha >="}, "no expression"),
        ({"region": "alpha >= beta"}, "beta is not known"),
        ({"region": lambda alpha: alpha}, "neither true nor false"),
        ({"beta": 1 / maximum(2, 1 + alpha)}, "inside another formula"),
        ({"alpha": lambda _: "much"}, "alpha is a string"),
        ({"alpha": (1 + eps, "x")}, "x is not known"),
        ({"alpha": (2 * eps, eps)}, "empty for every ε"),
    ],
)
def test_refused(wrong: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"beta": BOUND, "inputs": [[2, 0]], **wrong}
    with pytest.raises(ValueRefusedError, match=words):
        Accuracy(LARGER, **given).check()


def test_gamma_any_is_unchanged() -> None:
    assert Accuracy(LARGER, BOUND, gamma=ANY, inputs=[[2, 0]]).check().holds is True


def test_a_region_that_uses_gamma_leaves_it_free() -> None:
    """Pr(error > γ) = e^(−γε): the bound holds with equality for all γ ≥ 1, and not below it."""
    claim = Accuracy(NOISY, exp(-gamma * eps), alpha=0, region="gamma >= 1", inputs=[0])
    assert (claim.gamma, claim.check().outcome) == (ANY, "holds")
    assert not Accuracy(NOISY, exp(-eps), alpha=0, region="gamma >= 1/2", inputs=[0]).check().holds


@pytest.mark.parametrize(("factor", "outcome"), [(2, "holds"), (1, "fails")])
def test_integer_noise_and_a_range_of_gamma(factor: int, outcome: str) -> None:
    """For γ in [k, k + 1) the error is 2e^(−(k + 1)ε)/(1 + e^(−ε)), β ≥ f·e^(−(k + 1)ε)."""
    mechanism = Mechanism.from_source("def geometric(x: Dom(0, 3)): return dlap(eps, x)")
    bound = factor * exp(-gamma * eps)
    claim = Accuracy(mechanism, bound, alpha=0, gamma=(0, 5), inputs=[0, 3])
    verdict = claim.check()
    assert verdict.outcome == outcome
    assert certify.check(verdict.certificate).accepted


def test_integers_that_only_select_the_noise() -> None:
    """The error is a mean of e^(−γε/2) and e^(−γε), with weights that are not 0."""
    mechanism = Mechanism.from_source(
        "def either(q: Real): return lap(eps / 2, q) if dlap(eps, 0) >= 1 else lap(eps, q)"
    )
    outcomes = [
        Accuracy(mechanism, bound, alpha=0, gamma=ANY, inputs=AllReals()).check().outcome
        for bound in (exp(-gamma * eps / 2), exp(-gamma * eps))
    ]
    assert outcomes == ["holds", "fails"]


def wider(u: Any) -> Any:
    return abs(u) + 1 / eps


def nearer(u: Any) -> Any:
    return abs(u[0] - u[1]) / 4 + 1 / eps


@pytest.mark.parametrize("inputs", [AllReals(), Box(-1, 3), [2]], ids=str)
def test_levels_that_depend_on_the_input_and_on_eps(inputs: Any) -> None:
    """Pr(error > γ) = e^(−γε), with equality for every γ."""
    for factor, outcome in ((1, "holds"), (Fraction(9, 10), "fails")):
        bound = factor * exp(-gamma * eps)
        verdict = Accuracy(NOISY, bound, alpha=0, gamma=wider, inputs=inputs).check()
        assert verdict.outcome == outcome
        assert certify.check(verdict.certificate).accepted
        if verdict.counterexample is not None:
            found = verdict.counterexample
            assert found.gamma == abs(found.input) + 1 / found.eps


def test_a_bound_that_is_met_where_alpha_reaches_the_distance() -> None:
    """Let x = ε·dd: α < dd where x > 2; (2 + x)/4·e^(−x) ≤ e^(−x/2 − 1), with equality at x = 2."""
    for rate, outcome in ((1, "holds"), (Fraction(101, 100), "fails")):
        claim = Accuracy(LARGER, exp(-rate * alpha * eps), alpha=nearer, inputs=AllReals())
        verdict = claim.check()
        assert verdict.outcome == outcome
        assert certify.check(verdict.certificate).accepted

"""Wrong answers that a hostile review found in claims with conditions; each by hand.

At a gap d the error of `LARGER` is e^{−εd/2}·(1/2 + εd/8), and dd is d/2.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from claims.mechanisms import LARGER
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Mechanism,
    Real,
    alpha,
    certify,
    discrete,
    eps,
    exp,
    gamma,
    maximum,
    piecewise,
    sup,
    value_gap,
)

NOISY = Mechanism.from_source("def noisy(x: Real):\n    return lap(eps, x)")
BOUND = exp(-alpha * eps / 2)
TINY = Fraction(1, 100)
WITH_NOISE: dict[str, Any] = {"input_distance": discrete, "output_distance": sup}


LATE = Mechanism.from_source("def late(q: Real):\n    return lap(eps, q) >= log(3) / eps")
LATER = Mechanism.from_source("def later(q: Real):\n    return lap(eps, q) >= 1 + 2 / eps")


def one_or_more(q: Real) -> bool:  # type: ignore[valid-type]
    return q >= 1


def quarter(_, a, b):  # type: ignore[no-untyped-def]
    return abs(a - b) * Fraction(1, 4)


FALSE: dict[str, Any] = {
    "cells of one piece are not those of another": lambda: Accuracy(
        LARGER, piecewise((BOUND / 4, "eps < 2"), (Fraction(9, 10), True)), inputs=AllReals()
    ),
    "an open end beside a condition": lambda: Accuracy(
        LARGER, BOUND * TINY, alpha="[0, 1)", region="alpha > 1/4", inputs=[[6, 0]]
    ),
    "a single ε": lambda: Accuracy(
        LARGER, BOUND * TINY, alpha="[eps, inf)", epsilon="[1, 1]", inputs=[[6, 0]]
    ),
    "a single ε and a piece": lambda: Accuracy(
        LARGER,
        piecewise((BOUND * TINY, alpha > Fraction(1, 4)), (BOUND, True)),
        epsilon="[1, 1]",
        inputs=[[6, 0]],
    ),
    "the largest at a single ε": lambda: Accuracy(
        LARGER, maximum(BOUND * TINY, BOUND / 50), epsilon="[1, 1]", inputs=[[6, 0]]
    ),
    "an equality of γ": lambda: Accuracy(
        NOISY, exp(-gamma * eps) / 2, alpha=0, gamma=ANY, region="gamma == 1", inputs=[0],
        **WITH_NOISE,
    ),
    "an equality of γ and α": lambda: Accuracy(
        NOISY, exp(-gamma * eps) / 2, gamma=ANY, region="gamma == alpha", inputs=[0], **WITH_NOISE
    ),
    "a third is no float": lambda: Accuracy(
        LARGER, BOUND * TINY, alpha=Fraction(1, 3), region="alpha == 1/3", inputs=[[6, 0]]
    ),
    "a condition that is irrational at every rational ε": lambda: Accuracy(
        NOISY, exp(-gamma * eps) / 2, alpha=0, gamma="[exp(-eps), inf)", inputs=[0], **WITH_NOISE
    ),
    "coefficients that are irrational at every rational ε": lambda: Accuracy(
        LARGER, BOUND / 4, gamma=ANY, region="alpha < exp(-eps) * (1 - gamma)", inputs=[[6, 0]]
    ),
    "a condition with 1/ε beside another, at an end of an interval": lambda: Accuracy(
        NOISY,
        exp(-2 * eps * gamma) / 2,
        alpha=0,
        gamma="[1/eps, inf)",
        region="gamma <= 1 + exp(-eps)",
        inputs=[0],
        epsilon="[1, inf)",
        **WITH_NOISE,
    ),
    "a strict condition on ε alone, false at its end": lambda: Accuracy(
        LARGER, BOUND / 4, alpha=Fraction(3, 4), region="alpha < 1/(1 + eps)", inputs=[[5, 0]]
    ),
    "α is a function of the input beside a condition": lambda: Accuracy(
        LARGER, BOUND / 4, alpha=lambda u: abs(u[0] - u[1]) / 4, region="alpha > 2*eps",
        inputs=AllReals(),
    ),
    "the largest of two bounds, and a logarithm": lambda: Accuracy(
        LATE, maximum(exp(-alpha * eps) / 2, exp(-2 * alpha * eps)), ideal=one_or_more,
        inputs=AllReals(),
    ),
    "a small ε alone: e^(−5ε) is above β where ε < 0.028": lambda: Accuracy(
        NOISY, exp(-gamma * eps / 4) * Fraction(9, 10), alpha="[1/(1 + eps), inf)", gamma=5,
        inputs=AllReals(), **WITH_NOISE,
    ),
    "1/ε in the mechanism beside a condition": lambda: Accuracy(
        LATER, exp(-alpha * eps), region="alpha < 3*(1 - exp(-eps))", ideal=one_or_more,
        inputs=AllReals(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(FALSE))
def test_false_claims_are_refuted(name: str) -> None:
    verdict = FALSE[name]().check()
    assert verdict.holds is False
    found = verdict.counterexample
    assert found.error.lower > found.allowed.upper


EMPTY: dict[str, Any] = {
    "eps < 1 on [1, 2]": lambda: Accuracy(
        LARGER, piecewise((TINY, "eps < 1"), (Fraction(99, 100), True)), epsilon="[1, 2]",
        inputs=[[6, 0]],
    ),
    "nothing above and below": lambda: Accuracy(
        LARGER, BOUND * TINY, region="alpha > 1/2 and alpha <= 1/2", inputs=[[6, 0]]
    ),
    "two strict ends": lambda: Accuracy(
        LARGER, BOUND * TINY, region="alpha > 1/2 and alpha < 1/2", inputs=[[6, 0]]
    ),
    "a negative α": lambda: Accuracy(LARGER, BOUND * TINY, region="alpha < 0", inputs=[[6, 0]]),
    "ε beyond the claim": lambda: Accuracy(
        LARGER, BOUND * TINY, region="eps < 1/2", epsilon="[1/2, 2]", inputs=AllReals()
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(EMPTY))
def test_true_claims_are_not_refuted(name: str) -> None:
    assert EMPTY[name]().check().holds is not False


TRUE: dict[str, Any] = {
    "1/ε in the mechanism beside a condition": lambda: Accuracy(
        LATER, exp(-alpha * eps), region="alpha < 1 + q", ideal=one_or_more, inputs=[0],
        epsilon="[1/2, 2]",
    ),
    "1/ε in the mechanism beside a function of ε": lambda: Accuracy(
        LATER, exp(-alpha * eps), alpha=1 / (1 + eps), ideal=one_or_more, inputs=[0]
    ),
    "1/ε in a condition at one ε": lambda: Accuracy(
        LARGER, BOUND * Fraction(9, 10), alpha="[11/eps, inf)", inputs=AllReals(), epsilon="[1, 1]"
    ),
    "1/ε beside a case that is empty": lambda: Accuracy(
        LARGER, piecewise((BOUND, alpha < 6), (TINY, True)), alpha=5, region="alpha > 1/eps",
        inputs=AllReals(), epsilon="[1/2, 2]",
    ),
    "the largest of two bounds, of which neither suffices": lambda: Accuracy(
        LARGER, maximum(Fraction(11, 20) * exp(-alpha * eps), Fraction(23, 50)), inputs=AllReals()
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(TRUE))
def test_true_claims_are_proved(name: str) -> None:
    """By hand, with the errors e^(−2 − ε(1 − q))/2 of `later` below 1, and those of `LARGER`."""
    assert TRUE[name]().check().holds is True


def test_a_mean_certifies_the_largest_of_two_bounds() -> None:
    """Neither formula bounds the error everywhere, so the proof needs both; a mutant is refused."""
    written = TRUE["the largest of two bounds, of which neither suffices"]().check().certificate
    assert certify.check(written).accepted
    text = json.dumps(written)
    assert '"part": 2' in text
    for part in ("0", "1", "3"):
        mutant = json.loads(text.replace('"part": 2', f'"part": {part}'))
        assert not certify.check(mutant).accepted


def test_gamma_that_follows_alpha_beside_a_condition() -> None:
    """At α = γ = 1/5 only the ideal output is near: the error at −1 is e^{−ε}/2."""
    three = Mechanism.from_source(
        "def three(x: Real):\n    n = lap(eps, x)\n    return 0 if n < 0 else 1 if n < 4 else 2\n"
    )
    claim = Accuracy(
        three, exp(-4 * eps), gamma=alpha, region="alpha <= 1/3", output_distance=quarter,
        inputs=[-1],
    )  # fmt: skip
    assert claim.check().holds is not True


def test_conditions_that_look_linear_at_three_points() -> None:
    """They hold for α ≤ 1 and α ≥ 2; between, the bound is false."""
    beta = piecewise((exp(-9 * alpha * eps), "alpha >= 5/4 and alpha <= 7/4"), (BOUND, True))
    outcomes = [
        Accuracy(LARGER, beta, region=condition, inputs=[[6, 0]]).check().outcome
        for condition in (
            "alpha*(alpha - 1)*(alpha - 2) >= 0",
            "alpha**3 >= 3*alpha**2 - 2*alpha",
            "alpha*(alpha - 1)*(alpha - 3) >= -1",
        )
    ]
    assert outcomes == ["holds", "holds", "fails"]


def test_an_input_that_is_called_gamma() -> None:
    named = Mechanism.from_source("def named(gamma: Real):\n    return lap(eps, gamma) >= 1")
    claim = Accuracy(named, lambda gamma: exp(-2 * abs(gamma - 1) * eps), alpha=0, inputs=[3])
    assert claim.check().holds is False


def test_the_distance_where_outputs_agree_by_value() -> None:
    """Under value_gap the answers differ in value at every other input: dd is 1 in `discrete`."""
    claim = Accuracy(
        LARGER, TINY, alpha=5, gamma=0, input_distance=discrete, output_distance=value_gap,
        agreement="output_distance", inputs=[[1, 0]],
    )  # fmt: skip
    assert claim.obligations.distance(claim.mechanism.read_input([1, 0])) == 1
    assert claim.check().holds is True


def test_other_questions_do_not_forget_conditions() -> None:
    """α ≥ ε and α < 1 leave ε < 1: there β/error = e^(ε/2)/(3/2 + 3ε/4) is least, 2/3, as ε → 0."""
    claim = Accuracy(LARGER, BOUND / 3, alpha="[eps, inf)", inputs=[[2, 0]])
    verdict = claim.check()
    kappa = claim.tightest().kappa
    assert kappa.lower <= Fraction(2, 3) <= kappa.upper
    assert str(claim.epsilons()) == "[1, ∞)"
    assert certify.check(verdict.certificate).accepted
    assert certify.check(
        Accuracy(LARGER, maximum(BOUND, 0), inputs=[[2, 0]]).check().certificate
    ).accepted


def test_what_is_claimed_at_an_end_or_on_a_face_alone() -> None:
    """α = ε is dd = 1 at ε = 1 alone, where the error e^(−1/2) is above β; and ε ≤ 1 leaves 1."""
    for on in ("[1, inf)", "(0, inf)"):
        claim = Accuracy(
            NOISY, exp(-alpha * eps) / 4, alpha="(1/2, inf)", gamma="(0, 1]",
            region="alpha == eps", inputs=[0], epsilon=on, boundary="check",
        )  # fmt: skip
        assert claim.check().holds is False
    alone = Accuracy(LARGER, BOUND / 4, region="eps <= 1", inputs=AllReals(), epsilon="[1, inf)")
    assert alone.check().counterexample is not None


def test_a_level_that_moves_beside_conditions_on_the_other() -> None:
    """γ is free where it is at most ε, and α is ε/2: at γ = 0 the error of Laplace noise is 1."""
    claim = Accuracy(
        NOISY, "1/100", alpha=eps / 2, gamma=ANY, region="gamma <= eps", inputs=[0],
        epsilon="(1, 2)",
    )  # fmt: skip
    found = claim.check().counterexample
    assert found is not None
    assert found.alpha == found.eps / 2


def test_effort_inside_of_irrational_conditions_is_bounded() -> None:
    """β is at least the error e^{−εγ}, which the pieces do not show: undecided, not endless."""
    started = time.process_time()
    claim = Accuracy(
        NOISY,
        maximum(exp(-gamma * eps), exp(-eps)),
        alpha=ANY,
        gamma=ANY,
        region="gamma >= exp(-eps) + alpha",
        inputs=[0],
        **WITH_NOISE,
    )
    assert claim.check().outcome in ("holds", "undecided")
    assert time.process_time() - started < 15


def test_the_best_constant_of_a_number() -> None:
    """The error tends to 1/2 as ε → 0, so 1/10 is right for κ = 1/5; at κ = 1/10 it would be 1."""
    kappa = Accuracy(LARGER, "1/10", region="alpha >= eps", inputs=[[2, 0]]).tightest().kappa
    assert kappa.lower <= Fraction(1, 5) <= kappa.upper


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"region": "eps >= 1/2"}, "(0, 1/2) ∪ [2.39727598728…, ∞)"),
        ({"region": "eps < 2"}, "[2, ∞)"),
        ({"region": "eps > 2"}, "(0, 2] ∪ [2.39727598728…, ∞)"),
        ({"beta": maximum("1/10", exp(-alpha * eps))}, "(0, 2] ∪ [2.39727598728…, ∞)"),
        ({"beta": piecewise((Fraction(1, 10), "eps < 2"), (TINY, True))}, "[5.19182010908…, ∞)"),
    ],
)
def test_sets_of_eps_with_conditions(parts: dict[str, Any], expected: str) -> None:
    """At a gap of 2 the error e^(−ε)·(1/2 + ε/4) is 1/10 at ε ≈ 2.397, and 1/100 at 5.192."""
    claim: dict[str, Any] = {"beta": "1/10", "inputs": [[2, 0]], **parts}
    found = Accuracy(LARGER, **claim).epsilons()
    assert str(found) == expected
    for k in range(1, 40):
        point = Fraction(k, 6)
        assert Accuracy(LARGER, epsilon=point, **claim).check().holds is (point in found)


def test_questions_where_an_order_changes() -> None:
    """The error is min(1/2, e^(−ε)): β/error is least at ln 2, where it is √2."""
    choice = Mechanism.from_source(
        "def choice(x: Dom(0, 1)):\n"
        "    return choose({x: max(1/2, 1 - exp(-eps)), 1 - x: min(1/2, exp(-eps))})"
    )
    claim = Accuracy(choice, exp(-eps / 2), ideal={0: 0, 1: 1})
    kappa = claim.tightest().kappa
    assert kappa.lower**2 <= 2 <= kappa.upper**2
    assert kappa.upper - kappa.lower < Fraction(1, 10**5)
    assert str(claim.epsilons()) == "(0, ∞)"
    tighter = replace(claim, beta=Fraction(3, 10))
    assert str(tighter.epsilons()) == "[1.20397280433…, ∞)"  # ln(10/3)
    assert abs(float(tighter.smallest_epsilon()) - 1.2039728043259) < 1e-11


def test_functions_of_eps_that_nearly_vanish() -> None:
    """At large ε, e^(−ε) has no float; the claim is not refuted, since e^(−ε) is irrational."""
    claim = Accuracy(
        NOISY, exp(-gamma * eps) * Fraction(9, 10), alpha=0, gamma=exp(-eps), inputs=[0],
        **WITH_NOISE,
    )  # fmt: skip
    assert "irrational" in claim.check().missing


def test_a_counterexample_with_a_logarithm_keeps_the_least_alpha() -> None:
    """P(Laplace ≤ ln 2/ε − 1) = e^(−ε) at ε = 2 ≥ ln 2 is above e^(−2α)/4 for α < 1."""
    half = Mechanism.from_source("def half(q: Real): return lap(eps, q) > log(2) / eps")
    claim = Accuracy(
        half,
        exp(-alpha * eps) / 4,
        region="alpha >= 99/100",
        ideal=lambda q: q > 0,
        inputs=[1],
    )
    found = claim.check().counterexample
    assert found is not None
    assert Fraction(99, 100) <= found.alpha < 1

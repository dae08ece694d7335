"""Claims that say nothing are not answered with yes.

A claim is vacuous if it holds whatever the mechanism does. So the oracle is the claim itself, about
other mechanisms: it must hold for each one that ignores its input and always returns the same of
the possible outputs, for these make the largest errors.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.formulas import exp
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Grid,
    Mechanism,
    Privacy,
    VacuousClaimError,
    alpha,
    discrete,
    eps,
    gamma,
    linf,
    minimum,
    sup,
    value_gap,
)
from support.examples import examples

COUNT = Mechanism.from_source("def count(q: Real): return lap(eps, q)")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps, q[1]) > lap(eps, q[0]) else 0"
)
EXACT = Mechanism.from_source("def exact(x: Dom(0, 3)): return x")
GEOMETRIC = Mechanism.from_source("def geometric(x: Dom(0, 3)): return dlap(eps, x)")


def always(output: int) -> Mechanism:
    """Return a mechanism that always returns the same."""
    return Mechanism.from_source(f"def always(q: Real[2]): return {output}")


def holds_whatever_it_does(claim: Accuracy) -> bool:
    """Whether a claim about `LARGER` holds for every mechanism with these outputs."""
    ideal = LARGER.noiseless()
    return all(replace(claim, mechanism=always(k), ideal=ideal).check().holds for k in (0, 1))


@examples(40)
@given(
    beta=st.sampled_from(
        [
            *(0, Fraction(1, 20), 2 * exp(-alpha * eps), exp(-alpha) + exp(-eps), exp(eps)),
            *(minimum(2, 1 + exp(-alpha * eps)), 1 + alpha, 1 / (2 * eps), exp(-gamma * eps) * 3),
        ]
    ),
    alpha_=st.sampled_from([ANY, 0, Fraction(1, 2), 1, 3, (1, 4), eps, 1 / eps]),
    gamma_=st.sampled_from([0, Fraction(1, 2), 1, 10, ANY, (1, 8), 1 + eps, 1 / eps, 2 * alpha]),
    output_distance=st.sampled_from([discrete, sup, value_gap]),
    inputs=st.sampled_from(
        [Grid(-1, 1), [[0, 0]], [[0, 1]], [[0, 3], [2, 2]], AllReals(), Box(-1, 1)]
    ),
    epsilon=st.sampled_from(["(0, inf)", "(0, 1/2]", "[1, 2]", "[3, 3]"]),
    boundary=st.sampled_from(["skip", "check"]),
)
def test_a_claim_is_vacuous_if_it_holds_for_every_mechanism(
    beta: Any,
    alpha_: Any,
    gamma_: Any,
    output_distance: Any,
    inputs: Any,
    epsilon: str,
    boundary: str,
) -> None:
    claim = Accuracy(
        LARGER,
        beta,
        alpha=alpha_,
        gamma=gamma_,
        output_distance=output_distance,
        inputs=inputs,
        epsilon=epsilon,
        boundary=boundary,
    )
    try:
        verdict = claim.check()
        expected = holds_whatever_it_does(claim)
    except ValueError:  # refused, such as a γ that moves with ε for all real inputs
        return
    if verdict.holds is not None:
        assert (verdict.outcome == "vacuous") is expected, verdict
        assert bool(verdict) is (verdict.holds and not expected)
    if verdict.outcome == "vacuous":
        for question in (claim.smallest_epsilon, claim.tightest):
            with pytest.raises(ValueError, match=r"says nothing|is not known|not a closed form"):
                question()


NORM: dict[str, Any] = {"input_distance": linf, "output_distance": discrete}

EMPTY = {
    "a norm on the inputs of a released number": (
        Accuracy(COUNT, 0.05, gamma=10, inputs=[50], **NORM),
        "write input_distance=discrete and output_distance=sup",
    ),
    "for all reals": (
        Accuracy(COUNT, 0.05, gamma=10, **NORM),
        "write input_distance=discrete and output_distance=sup",
    ),
    "an error of 10 under the discrete distance": (
        Accuracy(COUNT, 0.05, gamma=10, output_distance=discrete, inputs=[50]),
        "write output_distance=sup",
    ),
    "a large alpha": (Accuracy(LARGER, 0.05, alpha=9, inputs=Grid(-1, 1)), "Give a smaller alpha"),
    "only ties": (Accuracy(LARGER, 0.05, inputs=[[1, 1]]), "agreement='output_distance'"),
    "all numbers of a domain are near enough": (
        Accuracy(EXACT, 0, gamma=3, output_distance=sup),
        "Give a smaller gamma",
    ),
    "positions of values in a box": (
        Accuracy(LARGER, 0.05, gamma=2, output_distance=value_gap, inputs=Box(-1, 1)),
        "Give a smaller gamma",
    ),
    "only where the bound is above 1": (
        Accuracy(LARGER, 2 * exp(-alpha * eps), inputs=Grid(-1, 1), epsilon="(0, 1/2]"),
        "larger epsilon",
    ),
}


@pytest.mark.parametrize("name", EMPTY)
def test_the_sentence_says_why_and_what_to_write(name: str) -> None:
    claim, instead = EMPTY[name]
    verdict = claim.check()
    assert verdict.outcome == "vacuous"
    assert verdict.holds is True
    assert not verdict
    assert verdict.sentence.startswith("Vacuous: ")
    assert "This says nothing: " in verdict.sentence
    assert instead in verdict.sentence
    with pytest.raises(VacuousClaimError, match="says nothing") as caught:
        claim.tightest()
    assert instead in str(caught.value)
    for kind in ("error", "kappa"):
        if kind == "error" or not verdict.is_everywhere:
            with pytest.raises(ValueError, match=r"says nothing"):
                claim.plot(kind)


MEANT = [
    Accuracy(COUNT, 0.05, gamma=10, input_distance=discrete, output_distance=sup, inputs=[50]),
    Accuracy(EXACT, 0),
    Accuracy(always(1), Fraction(1, 2), alpha=0, inputs=[[0, 1]], output_distance=sup),
    Accuracy(EXACT, 0, gamma=2, output_distance=sup),
    Accuracy(EXACT, 0, gamma=ANY, output_distance=sup),
    Accuracy(GEOMETRIC, 0, gamma=100, input_distance=discrete, output_distance=sup),
    Accuracy(LARGER, 2 * exp(-alpha * eps), inputs=Grid(-1, 1), epsilon="(0, 1]"),
    Accuracy(LARGER, Fraction(999, 1000), inputs=[[0, 0], [0, 1]]),
]


@pytest.mark.parametrize("claim", MEANT, ids=str)
def test_claims_that_say_something(claim: Accuracy) -> None:
    """Whether they hold or not: there is a mechanism for which they fail."""
    assert claim.check().outcome in ("holds", "fails")


def test_inputs_where_nothing_is_said_are_counted_in_the_sentence() -> None:
    """At 3 of the 9 inputs there is a tie; γ = 1 is the gap of 4 others."""
    claim = Accuracy(LARGER, exp(-eps / 2), inputs=Grid(-1, 1))
    verdict = claim.check()
    assert (verdict.silent, verdict.trivial) == (3, 0)
    assert verdict.sentence.endswith("it says nothing at 3 of the 9 inputs.")
    wider = replace(claim, output_distance=value_gap, gamma=1).check()
    assert (wider.silent, wider.trivial) == (3, 4)
    assert wider.sentence.endswith("it says nothing at 7 of the 9 inputs.")


def test_counterexamples_tell_two_error_probabilities_that_differ() -> None:
    """Pr(wrong) = e^{−ε}(1 + ε/2)/2 at [0, 1], so 1 − 10⁻³⁰ of it is too small a bound."""
    wrong = exp(-eps) * (1 + eps / 2) / 2
    claim = Accuracy(LARGER, wrong * (1 - Fraction(1, 10**30)), inputs=[[0, 1]])
    one = claim.check().counterexample
    assert one is not None
    assert one.error.lower > one.allowed.upper
    told = str(one).partition("is wrong with probability ")[2].split(", and the claim allows ")
    assert told[0] != told[1]
    assert Fraction(told[0]) > Fraction(told[1])
    close = replace(claim, beta=wrong * (1 - Fraction(1, 10**99))).check().counterexample
    assert str(close).endswith("the claim allows less, by 1.000e-99 of this")


def test_the_sentence_names_distances_that_nobody_would_assume() -> None:
    assert "distance" not in str(Accuracy(LARGER, 0.05))
    assert "(distances: discrete of inputs, sup of outputs)" in str(Accuracy(COUNT, 0.05))
    assert "value_gap of outputs" in str(Accuracy(LARGER, 0.05, output_distance=value_gap))


DEFAULTS = {
    "a number": ("def f(x: Real): return lap(eps, x)", "discrete", "sup"),
    "integer noise": ("def f(x: Dom(0, 2)): return dlap(eps, x)", "discrete", "sup"),
    "numbers": ("def f(q: Real[2]): return [lap(eps, x) for x in q]", "discrete", "sup"),
    "a truth value": ("def f(x: Real): return lap(eps, x) > 0", "linf", "discrete"),
    "truth values": ("def f(q: Real[2]): return [lap(eps, x) > 0 for x in q]", "linf", "discrete"),
    "a position and a number": ("def f(q: Real[2]): return 1, lap(eps, q[1])", "discrete", "sup"),
    "None or a number": (
        "def f(q: Real[2]):\n"
        "    out = []\n"
        "    for x in q:\n"
        "        r = lap(eps, x)\n"
        "        out.append(r if r > 0 else None)\n"
        "    return out",
        "numeric",
        "sup",
    ),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_distances_fit_the_outputs_and_are_named(name: str) -> None:
    source, inputs, outputs = DEFAULTS[name]
    claim = Accuracy(Mechanism.from_source(source), "5%", alpha=0)
    assert (str(claim.input_metric), str(claim.output_metric)) == (inputs, outputs)
    assert f"distances: {inputs} of inputs, {outputs} of outputs" in claim.conventions


@pytest.mark.parametrize("beta", [1, 5, "100%", "1.5", Fraction(7, 6)])
def test_a_constant_bound_of_one_is_refused(beta: Any) -> None:
    with pytest.raises(ValueError, match="beta is") as caught:
        Accuracy(LARGER, beta)
    assert "5%" in str(caught.value)


def test_percentages_and_single_budgets() -> None:
    claim = Accuracy(COUNT, "5%", gamma=3, epsilon=1)
    assert str(claim.formula) == "1/20"
    assert claim.check()  # e^(−3) < 0.05
    assert not Accuracy(COUNT, "4.9%", gamma=3, epsilon=1).check()
    assert claim.smallest_epsilon(beta="5%").exists


def test_the_least_gamma_of_a_claim() -> None:
    """Laplace: γ = ln(20)/ε. NoisyMax at [0, 1] is off by 1 or not at all."""
    found = Accuracy(COUNT, "5%").smallest_gamma(eps=2)
    assert float(found) == pytest.approx(1.4978661367769954, abs=1e-11)
    wrong = Accuracy(LARGER, "5%", output_distance=value_gap, inputs=[[0, 1]])
    assert wrong.smallest_gamma(eps=1).upper == 1
    assert wrong.smallest_gamma(eps=20).upper == 0
    with pytest.raises(ValueError, match="depends on gamma"):
        Accuracy(COUNT, exp(-gamma * eps)).smallest_gamma(eps=1)


def test_the_privacy_of_a_mechanism_without_inputs_says_nothing() -> None:
    mechanism = Mechanism.from_source("def f(): return lap(eps, 0)")
    verdict = Privacy(mechanism).check()
    assert verdict.outcome == "vacuous"
    assert "no two different inputs are adjacent" in str(verdict)

"""`min` and `max` in probabilities of `choose` whose order changes with ε.

Expected values are computed here with floats; at the ε where an order changes, by hand.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Dom,
    Expected,
    Interval,
    Mechanism,
    Privacy,
    alpha,
    choose,
    eps,
    exp,
    ideal,
    mechanism,
    sup,
)
from exactdp.language.sampling import OrderChangesError, order_changes
from exactdp.running.packing import pack, unpack

PARTS = ("exp(-eps)", "1 - exp(-eps)", "eps / 4", "1 / 2", "1 / (1 + eps)", "2 * exp(-2 * eps)")
"""Closed forms of which `min` and `max` are taken; all cross some of the others."""
POINTS = [Fraction(k, 7) for k in (1, 2, 4, 5, 6, 8, 11, 15, 22, 40)]


def chosen(chance: str) -> Mechanism:
    """Return a bit that is told with a chance."""
    return Mechanism.from_source(
        f"def chosen(x: Dom(0, 1)): return choose({{x: {chance}, 1 - x: 1 - ({chance})}})"
    )


def value(chance: str, at: Fraction) -> float:
    """Return the chance at an ε as a float."""
    known: dict[str, Any] = {"eps": float(at), "exp": math.exp, "min": min, "max": max}
    return float(eval(chance, known))


def truth(x: int) -> int:
    return x


@pytest.mark.parametrize(("one", "two"), list(product(PARTS, PARTS))[::5])
def test_probabilities_are_those_of_the_parts(one: str, two: str) -> None:
    chance = f"min(1, max(0, min({one}, {two})))"
    found = chosen(chance).probability(1, 1)
    for at in POINTS:
        assert float(found.at(at)) == pytest.approx(value(chance, at), abs=1e-12)


@pytest.mark.parametrize(("one", "two"), list(product(PARTS, PARTS))[::7])
def test_verdicts_agree_with_sampled_errors(one: str, two: str) -> None:
    chance = f"min(1, max({one}, {two}))"
    grid = [Fraction(k, 100) for k in (*range(1, 400), *range(400, 4000, 37))]
    worst = max(1 - value(chance, at) for at in grid)
    for beta in (worst + Fraction(1, 50), worst - Fraction(1, 50)):
        if not 0 < beta < 1:
            continue
        claim = Accuracy(
            chosen(chance), Fraction(beta), alpha=0, ideal=truth, epsilon=(grid[0], 40)
        )
        verdict = claim.check()
        assert verdict.holds is (beta > worst)
        if not verdict.holds:
            at = verdict.counterexample.eps
            assert 1 - value(chance, at) > beta


def test_a_claim_that_is_met_exactly_where_the_order_changes_at_an_irrational_eps() -> None:
    """The larger of e^(−ε) and 1 − e^(−ε) is least at ε = log 2, where it is 1/2."""
    claim = Accuracy(chosen("max(exp(-eps), 1 - exp(-eps))"), "1/2", alpha=0, ideal=truth)
    verdict = claim.check()
    assert verdict.holds
    assert len(verdict.parts) == 2
    assert str(claim.mechanism.probability(1, 1)).splitlines()[1].endswith("[0.69314718056…, ∞)")
    assert Accuracy(claim.mechanism, "1/2", alpha=0, ideal=truth).check(jobs=2).holds
    assert Accuracy(claim.mechanism, Fraction(49, 100), alpha=0, ideal=truth).check().holds is False


def test_a_chance_that_is_0_from_an_irrational_eps_on() -> None:
    """1 − e^ε/2 is negative beyond log 2, where `max` takes 0."""
    chance = "1 - max(0, 1 - exp(eps) / 2)"
    assert str(chosen(chance).probability(1, 0)).splitlines()[1].startswith("0  for ε in [0.6931")
    assert Accuracy(chosen(chance), "1/2", alpha=0, ideal=truth).check().holds


def test_privacy_in_parts() -> None:
    """e^ε/(1 + e^ε), but no more than 3/4: the ratio is at most e^ε on both sides of log 3."""
    chance = "min(exp(eps) / (1 + exp(eps)), 3 / 4)"
    assert Privacy(chosen(chance), budget=eps).check().holds
    assert Privacy(chosen(chance), budget=eps * Fraction(9, 10)).check().holds is False


def test_expectations_in_parts() -> None:
    found = chosen("min(1, eps)").expectation(1)
    assert [float(found.at(at)) for at in ("1/2", 1, 3)] == [0.5, 1, 1]


def test_an_expected_loss_that_is_tight_where_the_order_changes() -> None:
    """Pr(1) = min(1/2, e^(−ε)) is 1/2 up to log 2, and below it from there on."""
    loss = chosen("min(1/2, exp(-eps))")
    for bound, outcome in (("1/2", "holds"), ("49/100", "fails")):
        assert Expected(loss, lambda y: y, at_most=bound, inputs=[1]).check().outcome == outcome


@ideal
def sign(q: Real):  # type: ignore[no-untyped-def, name-defined]  # noqa: F821
    return q >= 0


def test_all_real_inputs() -> None:
    """The noisy sign is told with probability max(1/2, 1 − ε); otherwise the wrong one."""
    told = Mechanism.from_source("""
def told(q: Real):
    right = choose({True: max(1 / 2, 1 - eps), False: 1 - max(1 / 2, 1 - eps)})
    above = lap(eps, q) >= 0
    if right:
        return above
    return not above
""")

    def error(at: float, d: float) -> float:
        right, tail = max(0.5, 1 - at), math.exp(-at * d) / 2
        return right * tail + (1 - right) * (1 - tail)

    assert max(error(k / 50, d / 10) for k in range(1, 200) for d in range(100)) <= 0.5
    assert Accuracy(told, "51/100", ideal=sign, inputs=AllReals()).check().holds
    small = Accuracy(told, Fraction(2, 5), alpha=1, ideal=sign, inputs=AllReals()).check()
    assert small.holds is False
    found = small.counterexample
    assert error(float(found.eps), abs(float(found.input))) > 0.4
    moving = Accuracy(told, exp(-alpha * eps) / 2 + eps, ideal=sign, inputs=[3], epsilon="(0, 1]")
    assert moving.check().holds


def test_released_numbers_in_parts() -> None:
    """The output is min(1, ε), which is 1/2 off at most for ε ≥ 1/2."""
    released = Mechanism.from_source("def released(x: Dom(0, 1)): return x * min(1, eps)")
    claim = Accuracy(
        released, 0, alpha=0, gamma="1/2", ideal=truth, output_distance=sup, epsilon="[1/2, 3]"
    )
    assert claim.check().holds
    assert (
        Accuracy(
            released, 0, alpha=0, gamma="1/2", ideal=truth, output_distance=sup, epsilon="[1/3, 3]"
        )
        .check()
        .holds
        is False
    )


def test_an_order_that_changes_is_known_to_the_process_that_asked() -> None:
    """A worker sends the function whose sign changes, by which the question is divided."""
    error = order_changes(exp(-eps) - eps, "it", Interval.of("(0, 3]"))
    found = unpack(pack(error))
    assert isinstance(found, OrderChangesError)
    assert (found.gap, found.message, found.rule) == (error.gap, error.message, error.rule)


def test_one_epsilon_of_a_mechanism_that_is_defined_for_more() -> None:
    """The order changes at 1; at a single ε there is one order, though it was asked for more."""

    @mechanism(epsilon="[1/2, 4]")
    def flip(x: Dom(0, 1)):  # type: ignore[no-untyped-def,valid-type]
        p = min(1 / 2, 1 / (1 + eps))
        return choose({x: 1 - p, 1 - x: p})  # type: ignore[operator]

    for wide in (flip, chosen("1 - min(1 / 2, 1 / (1 + eps))")):
        claim = Accuracy(wide, "2/5", alpha=0, ideal=truth, epsilon="[1/2, 4]")
        for at, outcome in ((Fraction(1), "fails"), (Fraction(2), "holds")):
            single = replace(claim, epsilon=Interval(at, at))
            assert single.check().outcome == outcome
            assert (at in single.epsilons()) is (outcome == "holds")
        assert Privacy(wide, epsilon="[2, 2]").check().holds
    never = Accuracy(flip, "1/6", alpha=0, ideal=truth, epsilon="[1/2, 4]")
    assert not never.smallest_epsilon().everywhere.stretches

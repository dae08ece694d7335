"""One way from a claim to its verdict: listed inputs, boxes of a point and free α and γ agree."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from exactdp import (
    ANY,
    Accuracy,
    Box,
    Mechanism,
    alpha,
    discrete,
    eps,
    exp,
    gamma,
    numeric,
    sup,
)
from exactdp.claims.regions.of_claim import regions_of
from language.corpus import FACTORIES

LAPLACE = Mechanism.from_source("def noisy(x: Real):\n    return lap(eps, x)")
NOISY_MAX = FACTORIES["noisy_max"](3)


@pytest.mark.parametrize("u", list(product((-1, 0, 1), repeat=3)))
@pytest.mark.parametrize("kappa", [1, 5])
def test_a_box_of_one_point_is_a_listed_input(u: tuple[int, ...], kappa: int) -> None:
    claim = Accuracy(NOISY_MAX, 3 * exp(-alpha * eps / 2) / kappa, inputs=[list(u)])
    box = Accuracy(NOISY_MAX, 3 * exp(-alpha * eps / 2) / kappa, inputs=Box(u, u))
    ((region,),) = regions_of(box)
    assert region.is_ray
    one, two = claim.check(), box.check()
    assert (one.outcome, one.inputs) == (two.outcome, two.inputs)
    if one.counterexample is not None:
        assert two.counterexample is not None
        assert one.counterexample.eps == two.counterexample.eps


@pytest.mark.parametrize(("factor", "holds"), [(1, True), (Fraction(99, 100), False)])
def test_every_gamma_of_a_released_number(factor: Any, holds: bool) -> None:
    """Pr(|Lap| > γ) is e^{−γε}, by hand: refused at listed inputs before, for no reason."""
    given: dict[str, Any] = {"input_distance": discrete, "output_distance": sup, "gamma": ANY}
    claim = Accuracy(LAPLACE, factor * exp(-gamma * eps), inputs=[0, 3], **given)
    verdict = claim.check()
    assert verdict.holds is holds
    assert verdict.inputs == (2 if holds else 1)
    found = claim.tightest().kappa
    assert found.lower <= factor <= found.upper
    if verdict.counterexample is not None:
        at = verdict.counterexample
        assert at.error.lower > at.allowed.upper


def test_every_gamma_of_lists_of_numbers_and_answers() -> None:
    """Listed inputs and boxes of one point say the same."""
    mechanism = FACTORIES["numeric_sparse"](2)
    given: dict[str, Any] = {"input_distance": numeric, "output_distance": sup, "gamma": ANY}
    for bound in (exp(-gamma * eps / 9), 9 * exp(-gamma * eps / 9) + 9 * exp(-alpha * eps / 9)):
        listed = Accuracy(mechanism, bound, inputs=[[-1, 3]], **given).check()
        box = Accuracy(mechanism, bound, inputs=Box((-1, 3), (-1, 3)), **given).check()
        assert listed.outcome == box.outcome


def test_the_smallest_budget_where_alpha_is_free() -> None:
    """β = αε does not fall in α; at α = 0 it claims certainty, so no ε is large enough.

    With β = 1/2 + αε the claim is strictest at α = 0, where it says error ≤ 1/2.
    """
    claim = Accuracy(LAPLACE, Fraction(1, 2) + alpha * eps, gamma=1, inputs=[0],
                     input_distance=discrete, output_distance=sup)  # fmt: skip
    assert not claim.check()
    found = claim.smallest_epsilon(width=Fraction(1, 1000))
    assert isinstance(found.upper, Fraction)
    assert found.lower <= Fraction(6931472, 10**7) <= found.upper + Fraction(1, 10**6)


def test_a_condition_on_a_gamma_that_depends_on_a_finite_entry() -> None:
    """Pr(|Lap| > γ) is e^{−γε}, which is above e^{−xε}/2 at x = γ = 2b: the box is not vacuous."""
    mechanism = Mechanism.from_source("def f(b: Dom(0, 3), x: Real): return lap(eps, x)")
    given: dict[str, Any] = {"input_distance": discrete, "output_distance": sup, "gamma": "2*b"}
    for inputs in (Box(1, 5), [[1, 2]]):
        claim = Accuracy(
            mechanism, "exp(-eps*x)/2", inputs=inputs, region="x <= gamma", alpha=ANY, **given
        )
        verdict = claim.check()
        assert verdict.holds is False
        assert verdict.counterexample is not None
        b, x = verdict.counterexample.input
        assert x <= 2 * b

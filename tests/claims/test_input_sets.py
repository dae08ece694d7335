"""Inputs given by one-sided boxes and by predicates."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from claims.mechanisms import LARGER
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Grid,
    Mechanism,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    exp,
    gamma,
    inf,
)

SIGN = Mechanism.from_source("def sign(x: Real):\n    return lap(eps, x) >= 0")
LEVEL = Mechanism.from_source("def level(x: Dom(0, 5)):\n    return lap(eps, x) > 2")
UNEVEN = Mechanism.from_source("""
def uneven(x: Real):
    if x >= 0:
        return lap(eps, x) >= 0
    return lap(eps / 2, x) >= 0
""")


@pytest.mark.parametrize(
    ("box", "holds"), [(Box(0, inf), True), (Box("-inf", 0), False), (Box(-inf, inf), False)]
)
def test_one_sided_boxes(box: Box, holds: bool) -> None:
    """The sign is wrong with probability e^{−εx}/2 above 0, and e^{−ε|x|/2}/2 below, by hand."""
    verdict = Accuracy(UNEVEN, exp(-alpha * eps) / 2, inputs=box).check()
    assert verdict.holds is holds
    if verdict.holds:
        assert certify.check(verdict.certificate).accepted
        assert "∞" in verdict.sentence
    else:
        assert verdict.counterexample is not None
        assert verdict.counterexample.input < 0


def test_a_box_between_infinite_ends_is_all_reals() -> None:
    everywhere, box = (
        Accuracy(LARGER, exp(-alpha * eps), inputs=inputs)
        for inputs in (AllReals(), Box(-inf, inf))
    )
    assert everywhere.check().outcome == box.check().outcome
    one, two = everywhere.tightest().kappa, box.tightest().kappa
    assert max(one.lower, two.lower) <= min(one.upper, two.upper)


@pytest.mark.parametrize(
    ("inputs", "holds"),
    [
        (lambda x: x >= 0, True),
        (lambda x: x < 0, False),
        (lambda x: x >= 1 or x == 0, True),
        (lambda x: abs(x) >= 2, False),
        (lambda x: not x < 0 and x <= 7, True),
    ],
)
def test_predicates_of_reals(inputs: Any, holds: bool) -> None:
    verdict = Accuracy(UNEVEN, exp(-alpha * eps) / 2, inputs=inputs).check()
    assert verdict.holds is holds
    if verdict.counterexample is not None:
        assert inputs(verdict.counterexample.input)


@pytest.mark.parametrize("kappa", [2, 3])
def test_a_predicate_says_what_the_same_grid_says(kappa: int) -> None:
    """On inputs with q[0] ≥ q[1] + 1 against all such inputs of a grid."""
    bound = exp(-alpha * eps / 2) / kappa
    verdict = Accuracy(LARGER, bound, inputs=lambda q: q[0] >= q[1] + 1).check()
    grid = [list(u) for u in product(range(-3, 4), repeat=2) if u[0] >= u[1] + 1]
    listed = Accuracy(LARGER, bound, inputs=grid).check()
    assert verdict.holds is not None
    if verdict.holds:
        assert listed.holds
    else:
        assert verdict.counterexample is not None
        left, right = verdict.counterexample.input
        assert left >= right + 1
    assert Accuracy(LARGER, bound, inputs=Grid(0, 1)).check().holds is listed.holds


def test_predicates_of_finite_inputs() -> None:
    verdict = Accuracy(LEVEL, exp(-alpha * eps), inputs=lambda x: x >= 3).check()
    assert verdict.inputs == 3
    with pytest.raises(ValueRefusedError, match="empty"):
        Accuracy(LEVEL, exp(-alpha * eps), inputs=lambda x: x >= 9)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (lambda x: x * x >= 2, "not linear"),
        (lambda x: int(x) >= 1, "not understood"),
        (lambda x: x, "neither true nor false"),
        (lambda x, alpha: x >= alpha, "uses alpha"),
    ],
)
def test_refused(inputs: Any, words: str) -> None:
    with pytest.raises(ValueRefusedError, match=words):
        Accuracy(SIGN, exp(-alpha * eps), inputs=inputs).check()


def test_a_box_with_many_corners_is_no_harder_than_all_reals() -> None:
    """The mean of twenty numbers: a box has 2^20 corners, all reals are one cone."""
    mean = Mechanism.from_source("def mean(x: Real[20]): return lap(20 * eps, sum(x) / 20)")
    bound = exp(-20 * gamma * eps)
    claim = Accuracy(mean, bound, gamma=ANY, input_distance="discrete", inputs=Box(0, 1))
    verdict = claim.check()
    assert verdict.outcome == "holds"
    assert "the box 0 … 1" in verdict.sentence
    assert certify.check(verdict.certificate).accepted


@pytest.mark.parametrize("entry", ["y", "min(max(y, 0), 1)"])
def test_best_constant_of_a_mean_in_a_box(entry: str) -> None:
    """The box of 20 numbers has 2^20 corners, the clipped mean 3^20 cells: neither are listed."""
    text = f"def mean(x: Real[20]): return lap(20 * eps, sum([{entry} for y in x]) / 20)"
    mean, bound = Mechanism.from_source(text), 3 * exp(-20 * gamma * eps)
    for inputs in (Box(0, 1), AllReals()):
        claim = Accuracy(mean, bound, gamma=ANY, input_distance="discrete", inputs=inputs)
        assert claim.check()
        kappa = claim.tightest().kappa  # P(|noise| > γ) is exp(−20γε)
        assert kappa.lower == kappa.upper == 3
        assert claim.with_bound(bound / 4).check().outcome == "fails"


def test_a_predicate_as_text() -> None:
    """A comparison as text is the same set as a function."""
    bound = exp(-eps) / 2
    for text, function in (
        ("x >= 1 or x <= -2", lambda u: u >= 1 or u <= -2),
        ("x >= 1/2", lambda u: 2 * u >= 1),
    ):
        one, two = (Accuracy(SIGN, bound, alpha=0, inputs=inputs) for inputs in (text, function))
        assert one.check().outcome == two.check().outcome
    with pytest.raises(ValueRefusedError, match="p is not known"):
        Accuracy(SIGN, bound, alpha=0, inputs="p >= 1").check()
    with pytest.raises(ValueRefusedError, match="not a list of inputs"):
        Accuracy(SIGN, bound, alpha=0, inputs="all")

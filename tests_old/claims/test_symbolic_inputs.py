"""What is known for all inputs at once as a formula: dd, and distributions beside finite inputs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    Ideal,
    Mechanism,
    ValueRefusedError,
    alpha,
    discrete,
    eps,
    exp,
    l1,
    linf,
)
from language.corpus import FACTORIES

MIXED = Mechanism.from_source("def mixed(x: Dom(0, 1), y: Real):\n    return lap(eps, y) > x")
POINTS = [Fraction(k, 3) for k in (-4, -1, 0, 2, 5)]


@pytest.mark.parametrize("metric", [linf, l1, discrete], ids=str)
@pytest.mark.parametrize(
    ("mechanism", "size"),
    [(FACTORIES["noisy_max"](3), 3), (FACTORIES["sparse"](2, 1), 2)],
    ids=["noisy_max", "sparse"],
)
def test_the_distance_is_that_of_single_inputs(
    mechanism: Mechanism, size: int, metric: Any
) -> None:
    claim = Accuracy(mechanism, exp(-alpha * eps), inputs=AllReals(), input_distance=metric)
    formula = claim.disagreement(AllReals())
    for u in product(POINTS, repeat=size):
        assert formula.at(*u) == claim.disagreement(list(u)).distance


def test_the_distance_as_words() -> None:
    """Of two numbers half of their gap, by hand."""
    mechanism = FACTORIES["noisy_max"](2)
    formula = Accuracy(mechanism, exp(-alpha * eps), inputs=AllReals()).disagreement(AllReals())
    assert str(formula) == (
        "1/2·q[0] − 1/2·q[1]  where q[0] ≥ q[1]\n−1/2·q[0] + 1/2·q[1]  where q[1] ≥ q[0]"
    )
    assert "2 pieces" in repr(formula)


def test_a_formula_beside_finite_inputs() -> None:
    formula = MIXED.distribution(AllReals())
    chances = MIXED.probability(Box(-2, 2), True)
    for x, y in product((0, 1), (Fraction(-1, 2), Fraction(0), Fraction(1), Fraction(3, 2))):
        exact = MIXED.distribution((x, y))
        assert formula.at(x, y) == dict(exact)
        assert chances.at(x, y) == exact[True]
    claim = Accuracy(MIXED, exp(-alpha * eps), inputs=AllReals())
    assert claim.disagreement(AllReals()).at(1, -3) == claim.disagreement((1, -3)).distance
    assert any("x = 0" in piece.conditions for piece in formula)


def test_the_distance_of_a_partial_ideal() -> None:
    """Inputs below 0 never disagree, and have no distance."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 1")
    part = Ideal.from_source("def part(q: Real):\n    assert q >= 0\n    return q > 1\n")
    formula = Accuracy(above, exp(-alpha * eps), ideal=part, inputs=AllReals()).disagreement(
        AllReals()
    )
    assert (formula.at(3), formula.at(Fraction(1, 4))) == (2, Fraction(3, 4))
    with pytest.raises(ValueRefusedError):
        formula.at(-1)


def test_inputs_may_be_given_in_a_list() -> None:
    """As for distribution([x, q]); a wrong number of them is refused."""
    mixed = Mechanism.from_source("def mixed(x: Dom(0, 2), q: Real): return lap(eps, q + x) >= 1")
    found = mixed.distribution(AllReals())
    assert found.at([2, -3]) == found.at(2, -3) == mixed.distribution((2, -3))
    claim = Accuracy(mixed, beta=exp(-alpha * eps), inputs=AllReals())
    assert claim.disagreement(AllReals()).at([2, -3]) == 2
    with pytest.raises(ValueRefusedError, match="1 number is given for x, q"):
        found.at([2])

"""Inputs and events: alike in every spelling, refused with one clear error."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import Interval, Real, ValueRefusedError
from exactdp.reals import ExpPoly, eps, exp
from exactdp.semantics.engine import Engine
from language.corpus import FACTORIES


def test_every_spelling_of_an_input() -> None:
    mechanism = FACTORIES["noisy_max"](2)
    expected = mechanism.probability([Fraction(1, 2), 0], 0)
    for u in (("1/2", 0), ["0.5", "0"], (0.5, 0), {"q": [Fraction(1, 2), 0]}):
        assert mechanism.probability(u, 0) == expected


def test_lists_and_tuples_are_the_same_output() -> None:
    mechanism = FACTORIES["above_threshold"](2)
    found = mechanism.distribution([0, 1])
    assert found[[False, True]] == found[(False, True)]
    assert mechanism.probability([0, 1], [False, True]) == found[False, True]
    assert found[[True, True]] == ExpPoly(0)


@pytest.mark.parametrize(
    "u", [[1], [1, 2, 3], 1, "ab", [1, None], [1, float("nan")], [1, float("inf")], [1, "x"], None]
)
def test_wrong_inputs(u: object) -> None:
    mechanism = FACTORIES["noisy_max"](2)
    for ask in (mechanism.distribution, mechanism.chain):
        with pytest.raises(ValueRefusedError, match="the input q of noisy_max"):
            ask(u)
    with pytest.raises(ValueRefusedError, match="the input q of noisy_max"):
        mechanism.probability(u, 0)


def test_values_outside_a_domain() -> None:
    with pytest.raises(ValueRefusedError, match="outside"):
        FACTORIES["counting"]().distribution(99)


def test_within() -> None:
    laplace = FACTORIES["laplace"](2)
    tail = 1 - exp(-2 * eps)
    assert laplace.within([0, 3], 2) == tail**2
    assert laplace.within([0, 3], 2, ideal=[0, 3]) == tail**2
    assert laplace.within([0, 3], 0) == ExpPoly(0)
    assert laplace.probability([0, 3], [Interval(-2, 2), Real]) == tail
    sparse = FACTORIES["above_threshold"](2)
    correct = sparse.probability([-1, 1], [False, True])
    assert sparse.within([-1, 1], 0) == correct
    assert sparse.within([-1, 1], 0, distance="discrete") == correct
    assert sparse.within([-1, 1], 1, distance="discrete") == ExpPoly(1)
    for wrong in (-1, "x", float("nan")):
        with pytest.raises(ValueRefusedError):
            laplace.within([0, 3], wrong)
    with pytest.raises(ValueRefusedError, match="not known"):
        laplace.within([0, 3], 1, distance="manhattan")


def test_unknown_patterns_of_real_outputs() -> None:
    found = FACTORIES["laplace"](1).distribution([0])
    with pytest.raises(ValueRefusedError, match="no output has the pattern"):
        found.cumulative([None], 1)
    with pytest.raises(ValueRefusedError, match="none at position 1"):
        found.cumulative([Real], 1, position=1)


def test_inputs_that_give_the_same_integral_share_it() -> None:
    """NoisyMax sees differences only: 343 inputs on {−3..3}³ are 127 up to a shift.

    The last two numbers may be exchanged. They are equal in 13 of the 127, so there are
    (127 + 13)/2 = 70 integrals.
    """
    mechanism = FACTORIES["noisy_max"](3)
    grid = [(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in range(-3, 4)]
    answers = {u: mechanism.probability(u, 0) for u in grid}
    known = mechanism.kept(Engine)._answers
    assert sum(isinstance(key, tuple) for key in known) == 127  # by input
    assert sum(isinstance(key, frozenset) for key in known) == 70  # by integral
    fresh = FACTORIES["noisy_max"](3)
    for u in grid[::37]:
        assert FACTORIES["noisy_max"](3).probability(u, 0) == answers[u]
        assert fresh.distribution(u)[0] == answers[u]


def test_sharing_does_not_mix_up_thresholds() -> None:
    """AboveThreshold compares with a threshold at 0, so a shift of the queries does matter."""
    mechanism = FACTORIES["above_threshold"](2)
    outputs = {mechanism.probability([a, a], [True]) for a in range(-3, 4)}
    assert len(outputs) == 7
    plain = FACTORIES["laplace"](1)
    assert plain.within([0], 1) == plain.within([5], 1)
    assert plain.probability([0], [Interval(0, 1)]) != plain.probability([5], [Interval(0, 1)])

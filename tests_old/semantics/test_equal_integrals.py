"""Probabilities of single outputs, which share integrals, against distributions, which do not."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"
from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Mechanism, Real, eps, expo, lap, mechanism
from exactdp.reproduce.programs import ARTIFACT, noisy_max, sparse_variant
from semantics.random_programs import Input, Program, inputs, programs
from support.examples import examples


@mechanism
def lowest(q: Real[3]):
    """Return the index of the least of three: no maximum; ties go to the last."""
    best, least = 0, lap(eps, q[0])
    for i in range(1, 3):
        r = lap(eps, q[i])
        if r <= least:
            best, least = i, r
    return best


@mechanism
def one_sided(q: Real[3]):
    """Return the index of the largest of three, with exponential noise."""
    best, top = 0, expo(eps, q[0])
    for i in range(1, 3):
        r = expo(eps, q[i])
        if r > top:
            best, top = i, r
    return best


@mechanism
def clipped(q: Real[2]):
    """Compare a maximum from above, too."""
    top = max(lap(eps, q[0]), lap(2 * eps, q[1]))
    return [top > 0, top < lap(eps, 1)]


@mechanism
def released(q: Real[2]):
    """Return a maximum."""
    first, second = lap(eps, q[0]), lap(eps, q[1])
    return first if first > second else second


def against_distributions(one: Mechanism, points: list[Any]) -> None:
    for u in points:
        for output, chance in dict(one.distribution(u)).items():
            assert one.probability(u, output) == chance, (u, output)


@examples(24)
@given(programs(4, terms=4), st.lists(inputs, min_size=2, max_size=4))
def test_random_programs(program: Program, points: list[Input]) -> None:
    against_distributions(program.mechanism(), points)


@pytest.mark.parametrize(
    "one",
    [noisy_max(3), one_sided, sparse_variant(3, 3, ARTIFACT), lowest],
    ids=lambda one: one.__name__,
)
def test_grids(one: Mechanism) -> None:
    against_distributions(one, [list(u) for u in product([-1, 0, 1], repeat=3)])


def test_maxima() -> None:
    against_distributions(clipped, [list(u) for u in product([-1, 0, 1], repeat=2)])
    total = sum(float(released.probability([a, b], Real).at(1).lower) for a, b in [(0, 1), (1, 0)])
    assert total == pytest.approx(2)


def test_one_integral_for_exchanged_queries() -> None:
    """Samples below and above one threshold, in any order: the same closed form, found once."""
    one = sparse_variant(3, 3, ARTIFACT)
    first = one.probability([-1, 1, 1], [False, True, True])
    assert one.probability([1, -1, 1], [True, False, True]) is first
    assert one.probability([1, 1, -1], [True, True, False]) is first
    assert one.probability([1, 0, -1], [True, True, False]) is not first


def test_one_integral_for_the_winner() -> None:
    """NoisyMax: it matters how far the others are below the winner, not where they stand."""
    one = noisy_max(3)
    first = one.probability([2, 1, 0], 0)
    assert one.probability([1, 3, 2], 1) is first
    assert one.probability([0, 1, 2], 2) is first
    assert one.probability([0, 1, 2], 1) is not first

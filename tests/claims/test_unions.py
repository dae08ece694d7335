"""Pieces of one output made one: the same function, with as few pieces as it needs."""

from __future__ import annotations

import random
from itertools import product

import pytest

from exactdp import Accuracy, AllReals, Mechanism, alpha, eps, exp
from exactdp.claims.pieces import Piece
from exactdp.claims.unions import united
from exactdp.language.layout import assembled
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.form import Name, Number
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.semantics.linear import Linear
from language.corpus import FACTORIES

NAMES = ("x", "y", "z")


def random_pieces(source: random.Random, depth: int, rows: Polyhedron = ()) -> list[Piece]:
    """Return the leaves of a tree of comparisons, in order."""
    if depth == 0 or source.random() < 0.1:
        return [Piece(rows, source.choice("ab"))]
    factors: dict[Name, Number] = {
        name: source.choice((-2, -1, -1, 0, 0, 1, 1, 2)) for name in NAMES
    }
    asked = Halfspace.of(factors, source.choice((-1, 0, 0, 1)), strict=source.random() < 0.5)
    found = []
    for row in (asked, asked.negated()):
        if feasible((*rows, row)):
            found += random_pieces(source, depth - 1, (*rows, row))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_united_pieces_are_the_same_function(seed: int) -> None:
    source = random.Random(seed)
    listed = random_pieces(source, 4)
    found = united(listed)
    assert len(found) <= len(listed)
    for values in product((-2, -1, 0, 1, 2), repeat=3):
        point: dict[Name, Number] = dict(zip(NAMES, values, strict=True))
        before, after = (
            [piece.output for piece in some if all(row.holds(point) for row in piece.rows)]
            for some in (listed, found)
        )
        assert before == after
        assert len(after) == 1


def test_some_random_pieces_are_united() -> None:
    assert any(
        len(united(listed)) < len(listed)
        for seed in range(60)
        if (listed := random_pieces(random.Random(seed), 4))
    )


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_the_search_for_the_largest_has_a_piece_for_each_answer(m: int) -> None:
    mechanism = FACTORIES["noisy_max"](m)
    claim = Accuracy(mechanism, m * exp(-alpha * eps / 2), inputs=AllReals())
    symbols = assembled(mechanism.inputs, [Linear.symbol(f"x{k}") for k in range(m)])
    listed = list(claim.ideal_function.pieces(symbols))
    assert len(listed) == 2 ** (m - 1)
    found = united(listed)
    assert sorted(len(piece.rows) for piece in found) == [m - 1] * m


def test_the_orders_of_noisy_max_are_one_problem() -> None:
    claim = Accuracy(FACTORIES["noisy_max"](4), 4 * exp(-alpha * eps / 2), inputs=AllReals())
    verdict = claim.check()
    assert verdict.inputs == 24
    assert len({problem.shape for problem, _ in verdict.decided}) == 1


def test_a_truth_value_is_not_united_with_a_number() -> None:
    """The input (−1, 0) lies in no piece whose output is a real number, and True equals 1.

    So another output needs q[0] > q[1], which is 1/2 away in both entries.
    """
    mechanism = Mechanism.from_source("""
def f(q: Real[2]):
    if q[0] > q[1]:
        return [q[0]]
    if q[0] != -1:
        return [True]
    return [1]
""")
    claim = Accuracy(mechanism, exp(-alpha * eps), inputs=AllReals())
    assert claim.disagreement([-1, 0]).distance * 2 == 1

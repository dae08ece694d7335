"""Cones: rays, lines, faces, splitting and simplicial pieces."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError
from exactdp.polyhedra.cone import dot, rank
from support.examples import examples

rows = st.lists(st.tuples(*[st.integers(-3, 3)] * 3), max_size=6)


def test_a_square_cone() -> None:
    cone = Cone.of(3, [(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1), (0, 0, 1)])
    assert set(cone.rays) == {(-1, -1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, 1)}
    assert len(cone.simplices()) == 2
    assert len(cone.irredundant().inequalities) == 4
    assert cone.interior_point() == (0, 0, 4)
    assert cone.is_full


def test_a_half_space_is_cut_into_pointed_parts() -> None:
    cone = Cone.of(3, [(1, 0, 0)])
    assert len(cone.lines) == 2
    parts = cone.pointed_parts()
    assert len(parts) == 4
    assert all(not part.lines for part in parts)
    with pytest.raises(ValueRefusedError, match="line"):
        cone.simplices()


def test_implied_equalities() -> None:
    cone = Cone.of(3, [(1, 0, 0), ("-1/2", 0, 0), (0, 1, 0), (0, 0, 1)])
    assert cone.dimension == 2
    assert cone.contains_inside((0, 1, 1))
    assert not cone.contains_inside((0, 1, 0))
    assert cone.irredundant() == Cone.of(3, [(0, 1, 0), (0, 0, 1)], [(1, 0, 0)])
    assert Cone.of(2, [(1, 0), (0, 1)], [(1, 1)]).rays == ()


def test_a_condition_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueRefusedError, match="3 coefficients, not 2"):
        Cone.of(2, [(1, 2, 3)])


@examples(75)
@given(rows)
def test_rays_agree_with_linear_programming(conditions: list[tuple[int, ...]]) -> None:
    """A direction in the cone is a nonnegative sum of rays and lines, by scipy's LP."""
    cone = Cone.of(3, conditions)
    assert all(cone.contains(ray) for ray in cone.rays)
    for line in cone.lines:
        assert cone.contains(line)
        assert cone.contains([-entry for entry in line])
    generators = [*cone.rays, *cone.lines, *([-e for e in line] for line in cone.lines)]
    random = np.random.default_rng(1)
    for goal in random.normal(size=(5, 3)):
        inside = linprog(
            goal,
            A_ub=-np.array(cone.inequalities).reshape(-1, 3),
            b_ub=np.zeros(len(cone.inequalities)),
            bounds=[(-1, 1)] * 3,
        )
        if generators:
            matrix = np.array(generators, dtype=float).T
            found = linprog(
                np.zeros(len(generators)), A_eq=matrix, b_eq=inside.x, bounds=[(0, None)]
            )
            assert found.status == 0
        else:
            assert np.allclose(inside.x, 0)


@examples(150)
@given(rows)
def test_simplices_cover_the_cone_once(conditions: list[tuple[int, ...]]) -> None:
    """A random point of the cone is in some simplex; a point inside one simplex is in no other."""
    cone = Cone.of(3, conditions)
    cells = [cell for part in cone.pointed_parts() for cell in part.simplices()]
    if not cells:
        assert cone.dimension == 0
        return
    assert all(len(cell) == rank(cell) == cone.dimension for cell in cells)
    random = np.random.default_rng(2)
    generators = [*cone.rays, *cone.lines, *([-e for e in line] for line in cone.lines)]
    for _ in range(5):
        weights = random.integers(1, 1000, size=len(generators))
        point = np.array(generators, dtype=float).T @ weights
        inside, near = 0, 0
        for cell in cells:
            s, *_ = np.linalg.lstsq(np.array(cell, dtype=float).T, point, rcond=None)
            inside += bool(np.all(s > 1e-6))
            near += bool(np.all(s > -1e-6))
        assert near >= 1
        assert inside <= 1


@examples(100)
@given(rows, st.tuples(*[st.integers(-2, 2)] * 3))
def test_splitting_keeps_every_point(
    conditions: list[tuple[int, ...]], form: tuple[int, ...]
) -> None:
    cone = Cone.of(3, conditions)
    above, below = cone.split(form)
    for part, sign in ((above, 1), (below, -1)):
        assert all(cone.contains(ray) and sign * dot(form, ray) >= 0 for ray in part.rays)
    for ray in cone.rays:
        assert above.contains(ray) or below.contains(ray)


def test_relative_interior_is_strict() -> None:
    cone = Cone.of(2, [(1, -1), (0, 1)])
    assert cone.contains_inside((2, Fraction(1, 1000)))
    assert not cone.contains_inside((1, 1))

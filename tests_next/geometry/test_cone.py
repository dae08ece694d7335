"""Cones beside brute force: all sets of sides for rays, linear programs and Z3 for points."""

from __future__ import annotations

import os
import random
from fractions import Fraction
from itertools import combinations

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Matrix

from exactdp_next.geometry.cone import Cone, Vector, primitive
from exactdp_next.geometry.lp import Optimum, maximize

CASES = 10_000 * int(os.environ.get("EXACTDP_EXAMPLES", "1")) // 16


def dot(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def rank(vectors: list[Vector]) -> int:
    """Return the rank, by fractions, without flint."""
    rows, found = [[Fraction(x) for x in v] for v in vectors], 0
    for j in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(found, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][j] / rows[found][j]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def rays_by_brute_force(n: int, sides: list[Vector]) -> set[Vector]:
    """Return the lines in which n − 1 sides meet, as far as they satisfy all sides."""
    found = set()
    for chosen in combinations(sides, n - 1):
        if rank(list(chosen)) < n - 1:
            continue
        kernel = Matrix([list(h) for h in chosen]).nullspace() if n > 1 else [Matrix([1])]
        (line,) = kernel
        ray = primitive([Fraction(int(x.p), int(x.q)) for x in line])
        for r in (ray, tuple(-x for x in ray)):
            if all(dot(h, r) >= 0 for h in sides):
                found.add(r)
    return found


def draw(rng: random.Random, most: int = 4) -> tuple[int, list[Vector]]:
    """Sides of a cone in an orthant, with equations and repeated sides."""
    n = rng.randint(1, most)
    sides = [tuple(int(i == j) for j in range(n)) for i in range(n)]
    for _ in range(rng.randint(0, 4)):
        h = tuple(rng.choice([0, 0, 1, -1, 2, -3]) for _ in range(n))
        sides.append(h)
        if rng.random() < 0.15:
            sides.append(tuple(-x for x in h))
    rng.shuffle(sides)
    return n, sides


def test_rays_are_those_of_brute_force() -> None:
    rng = random.Random(1)
    for _ in range(CASES // 10):
        n, sides = draw(rng)
        cone = Cone.of_sides(n, sides)
        assert set(cone.rays) == rays_by_brute_force(n, sides)
        assert Cone.of_sides(n, cone.sides) == cone, "the sides that are kept are enough"
        if cone.rays:
            assert rank(list(cone.rays)) == cone.span


def test_rays_and_sides_say_the_same() -> None:
    rng = random.Random(2)
    for _ in range(CASES):
        n, sides = draw(rng, 5)
        cone = Cone.of_sides(n, sides)
        again = Cone.of_rays(n, [*cone.rays, cone.inside(), *cone.rays[:1]])
        assert again == cone
        assert Cone.of_sides(n, again.sides) == cone
        assert all(dot(h, r) >= 0 for h in again.sides for r in cone.rays)


def test_points_are_inside_if_z3_says_so() -> None:
    rng = random.Random(3)
    for _ in range(CASES // 20):
        n, sides = draw(rng)
        cone = Cone.of_sides(n, sides)
        point = tuple(rng.randint(-1, 3) for _ in range(n))
        weights = [z3.Real(f"s{i}") for i in range(len(cone.rays))]
        solver = z3.Solver()
        solver.add([w >= 0 for w in weights])
        for i in range(n):
            pairs = zip(weights, cone.rays, strict=True)
            solver.add(sum((w * r[i] for w, r in pairs), z3.RealVal(0)) == point[i])
        assert (solver.check() == z3.sat) == all(dot(h, point) >= 0 for h in sides)
        assert cone.contains(point) == all(dot(h, point) >= 0 for h in sides)


def inner_points(cone: Cone, rng: random.Random, count: int) -> list[Vector]:
    found = []
    for _ in range(count):
        weights = [rng.randint(1, 50) for _ in cone.rays]
        pairs = [
            list(zip(weights, (r[i] for r in cone.rays), strict=True))
            for i in range(cone.dimension)
        ]
        found.append(tuple(sum(w * x for w, x in one) for one in pairs))
    return found


def test_simplicial_pieces_cover_a_cone_once() -> None:
    rng = random.Random(4)
    for _ in range(CASES // 5):
        n, sides = draw(rng, 5)
        cone = Cone.of_sides(n, sides)
        if not cone.rays:
            continue
        pieces = cone.simplicial()
        assert all(len(p.rays) == p.span == cone.span for p in pieces)
        assert {r for p in pieces for r in p.rays} <= set(cone.rays)
        for point in inner_points(cone, rng, 5):
            inside = [p for p in pieces if p.contains(point)]
            assert inside
            strictly = [p for p in inside if all(dot(h, point) > 0 for h in proper(p))]
            assert len(strictly) <= 1


def proper(cone: Cone) -> list[Vector]:
    """Return the sides that are no equations."""
    return [h for h in cone.sides if any(dot(h, r) for r in cone.rays)]


def test_facets() -> None:
    rng = random.Random(5)
    for _ in range(CASES // 5):
        n, sides = draw(rng, 5)
        cone = Cone.of_sides(n, sides)
        for facet in cone.facets():
            assert facet.span == cone.span - 1
            assert set(facet.rays) <= set(cone.rays)
            assert Cone.of_sides(n, facet.sides) == facet
        if cone.span > 1:
            on_facets = {r for facet in cone.facets() for r in facet.rays}
            assert on_facets == set(cone.rays)


def test_a_clip_is_an_intersection() -> None:
    rng = random.Random(6)
    for _ in range(CASES):
        n, sides = draw(rng)
        h = tuple(rng.choice([0, 1, -1, 2, -2, 5]) for _ in range(n))
        cone = Cone.of_sides(n, sides)
        clipped = cone.clip(h)
        assert clipped == Cone.of_sides(n, [*sides, h])
        edge = cone.boundary(h)
        assert edge == Cone.of_sides(n, [*sides, h, tuple(-x for x in h)])


def test_the_largest_value_of_a_form_on_a_slice_is_at_a_ray() -> None:
    rng = random.Random(7)
    for _ in range(CASES // 5):
        n, sides = draw(rng)
        cone = Cone.of_sides(n, sides)
        form = tuple(rng.randint(-3, 3) for _ in range(n))
        ones = (1,) * n
        rows = [tuple(-x for x in h) for h in sides] + [ones, tuple(-x for x in ones)]
        answer = maximize(form, rows, [0] * len(sides) + [1, -1])
        ratios = [Fraction(dot(form, r), sum(r)) for r in cone.rays]
        assert isinstance(answer, Optimum) == bool(ratios)
        if isinstance(answer, Optimum):
            assert answer.value == max(ratios)


def test_lines_are_refused() -> None:
    with pytest.raises(ValueError, match="line"):
        Cone.of_sides(2, [(1, 0)])
    with pytest.raises(ValueError, match="line"):
        Cone.of_rays(2, [(1, 0), (-1, 0)])
    with pytest.raises(ValueError, match="line"):
        Cone.of_rays(3, [(1, 0, 1), (-1, 0, -1), (0, 1, 0)])


def test_small_cones() -> None:
    assert Cone.orthant(2).clip((1, -1)).rays == ((1, 0), (1, 1))
    assert Cone.orthant(2).clip((-1, -1)).rays == ()
    assert Cone.of_rays(2, []).rays == ()
    assert Cone.of_rays(2, []).sides == ((-1, 0), (0, -1), (0, 1), (1, 0))
    assert not Cone.orthant(3).boundary((1, -1, 0)).is_full
    cube = Cone.of_rays(4, [(1, x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    assert len(cube.sides) == 6
    assert len(cube.facets()) == 6


@settings(max_examples=100)
@given(st.lists(st.fractions(max_denominator=9), min_size=1, max_size=4))
def test_primitive(v: list[Fraction]) -> None:
    found = primitive(v)
    factors = {Fraction(x) / y for x, y in zip(found, v, strict=True) if y}
    assert len(factors) <= 1
    assert all(f > 0 for f in factors)
    assert all(not x for x, y in zip(found, v, strict=True) if not y)

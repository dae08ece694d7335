"""Feasibility, projections and points of polyhedra, against z3."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import z3

from exactdp.polyhedra.combination import has_interior
from exactdp.polyhedra.elimination import feasible, project, solution
from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron

NAMES = ("x", "y", "z")


def random_halfspaces(source: random.Random) -> Polyhedron:
    """Return a few halfspaces in two or three variables."""
    names = NAMES[: source.randint(2, 3)]
    return tuple(
        Halfspace.of(
            {name: Fraction(source.randint(-2, 2), source.choice((1, 1, 3))) for name in names},
            Fraction(source.randint(-3, 3), source.choice((1, 2))),
            strict=source.random() < 0.5,
        )
        for _ in range(source.randint(2, 8))
    )


def as_z3(one: Halfspace, *, strict: bool | None = None) -> z3.BoolRef:
    """Return a halfspace as a formula."""
    total = z3.RealVal(str(one.form.constant))
    for name, c in one.form.coefficients.items():
        total = total + z3.RealVal(str(c)) * z3.Real(name)
    return total > 0 if (one.strict if strict is None else strict) else total >= 0


def satisfiable(*formulas: z3.BoolRef) -> bool:
    """Whether z3 finds a point."""
    solver = z3.Solver()
    solver.add(*formulas)
    return bool(solver.check() == z3.sat)


@pytest.mark.parametrize("seed", range(120))
def test_agrees_with_z3(seed: int) -> None:
    halfspaces = random_halfspaces(random.Random(seed))
    expected = satisfiable(*map(as_z3, halfspaces))
    assert feasible(halfspaces) == expected
    assert has_interior(halfspaces) == satisfiable(*(as_z3(h, strict=True) for h in halfspaces))
    point = solution(halfspaces)
    assert (point is not None) == expected
    assert point is None or all(one.holds(point) for one in halfspaces)
    shadow = project(halfspaces, ["x"])
    if shadow is None:
        assert not expected
    else:
        here, there = z3.And(*map(as_z3, halfspaces)), z3.And(*map(as_z3, shadow))
        assert not satisfiable(z3.Exists(z3.Real("x"), here) != there)


def test_a_halfspace_has_one_spelling() -> None:
    """x/2 − y/3 + 1/6 ≥ 0 is 3x − 2y + 1 ≥ 0; its x ends at 2y/3 − 1/3."""
    one = Halfspace.of({"x": Fraction(1, 2), "y": Fraction(-1, 3), "z": 0}, Fraction(1, 6))
    assert one == Halfspace.of({"y": -4, "x": 6}, 2)
    assert one.form == Form({"x": 3, "y": -2}, 1)
    assert one.end("x") == Form({"y": Fraction(2, 3)}, Fraction(-1, 3))
    assert one.negated() == Halfspace.of({"x": -3, "y": 2}, -1, strict=True)
    assert one.negated().negated() == one
    assert one.at({"x": 1, "y": 5}) == Halfspace.of({}, -6)

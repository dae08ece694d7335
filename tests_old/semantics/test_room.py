"""Whether linear conditions leave room: at numbers by simplex, with parameters by elimination."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from exactdp.measure.joint import has_room
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.semantics.spots import OnFaceError, Spot, Trace

NAMES = ("eps", "a", "b")


def conditions_at(
    sides: list[dict[int, Fraction]], forms: list[tuple[int, ...]], point: tuple[int, ...]
) -> list[Halfspace]:
    """Return the conditions with numbers for the parameters."""
    values = [Fraction(sum(q * x for q, x in zip(form, point, strict=True))) for form in forms]
    return [Halfspace.of(side, value) for side, value in zip(sides, values, strict=True)]


@pytest.mark.parametrize("seed", range(150))
def test_elimination_agrees_with_simplex(seed: int) -> None:
    """At the sample, and wherever what was compared comes out the same."""
    source = random.Random(seed)
    variables = source.randint(1, 3)
    sides, forms = [], []
    for _ in range(source.randint(1, 7)):
        side = {v: Fraction(source.choice((-2, -1, -1, 0, 1, 1))) for v in range(variables)}
        if any(side.values()):
            sides.append(side)
            forms.append(tuple(source.randint(-2, 2) for _ in NAMES))
    sample = (1, source.randint(-50, 50), source.randint(-50, 50))
    trace = Trace(NAMES, sample)
    spots = [trace.of(dict(zip(NAMES, form, strict=True))) for form in forms]
    assert all(isinstance(one, Spot) for one in spots)
    with_parameters = [Halfspace.of(side, spot) for side, spot in zip(sides, spots, strict=True)]
    try:
        found = has_room(with_parameters)
    except OnFaceError:
        return
    assert found == has_room(conditions_at(sides, forms, sample))
    for _ in range(20):
        point = (1, source.randint(-50, 50), source.randint(-50, 50))
        if all(sum(q * x for q, x in zip(form, point, strict=True)) > 0 for form in trace.positive):
            assert found == has_room(conditions_at(sides, forms, point))

"""The point of a polyhedron that is nearest to a given point, in the Euclidean distance.

At the nearest point v some conditions a·v + c ≥ 0 are equalities and v = u + Σ λ·a over them with
λ ≥ 0: these are the Karush–Kuhn–Tucker conditions, which suffice because the squared distance is
convex. Subsets of conditions are tried, small ones first, in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from flint import fmpq_mat

from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals.numbers import exact, fraction

MOST_CONDITIONS = 16


def nearest_point(
    rows: Sequence[Halfspace], point: Mapping[Name, Fraction]
) -> dict[Name, Fraction] | None:
    """Return the point of the closure of a polyhedron that is nearest; None if it is empty.

    At most `MOST_CONDITIONS` conditions are tried.
    """
    given = list(dict.fromkeys(rows))
    for count in range(min(len(given), len(point)) + 1):
        for chosen in combinations(given, count):
            found = _moved(point, chosen)
            if found is not None and all(row.form.value(found) >= 0 for row in given):
                return found
    return None


def _moved(
    point: Mapping[Name, Fraction], rows: Sequence[Halfspace]
) -> dict[Name, Fraction] | None:
    """Return point + Σ λ·a where all rows are 0, if λ ≥ 0; None if not, or if dependent."""
    if not rows:
        return dict(point)
    slopes = fmpq_mat([[exact(row.form.coefficients.get(n, 0)) for n in point] for row in rows])
    lacking = fmpq_mat([[-exact(row.form.value(point))] for row in rows])
    try:
        multiples = (slopes * slopes.transpose()).solve(lacking)
    except ZeroDivisionError:
        return None
    if any(q < 0 for q in multiples.entries()):
        return None
    steps = (slopes.transpose() * multiples).entries()
    return {name: x + fraction(q) for (name, x), q in zip(point.items(), steps, strict=True)}

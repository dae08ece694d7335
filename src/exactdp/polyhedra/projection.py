"""The point of a polyhedron that is nearest to a given point, in the Euclidean distance.

At the nearest point v some conditions a·v + c ≥ 0 are equalities and v = u + Σ λ·a over them with
λ ≥ 0: these are the Karush–Kuhn–Tucker conditions, which suffice because the squared distance is
convex. Subsets of conditions are tried, small ones first, in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace

MOST_CONDITIONS = 16


def nearest_point(
    rows: Sequence[Halfspace], point: Mapping[Name, Fraction]
) -> dict[Name, Fraction] | None:
    """Return the point of the closure of a polyhedron that is nearest; None if it is empty.

    At most `MOST_CONDITIONS` conditions are tried.
    """
    names = list(point)
    given = [
        (
            [Fraction(row.form.coefficients.get(name, 0)) for name in names],
            Fraction(row.form.constant),
        )
        for row in dict.fromkeys(rows)
    ]
    here = [Fraction(point[name]) for name in names]
    for count in range(min(len(given), len(names)) + 1):
        for chosen in combinations(given, count):
            found = _moved(here, chosen)
            if found is not None and all(_value(row, found) >= 0 for row in given):
                return dict(zip(names, found, strict=True))
    return None


def _value(row: tuple[list[Fraction], Fraction], point: Sequence[Fraction]) -> Fraction:
    return sum((a * x for a, x in zip(row[0], point, strict=True)), row[1])


def _moved(
    point: list[Fraction], rows: Sequence[tuple[list[Fraction], Fraction]]
) -> list[Fraction] | None:
    """Return point + Σ λ·a where all rows are 0, if λ ≥ 0; None if not, or if dependent."""
    system = [
        [
            *(
                sum((a * b for a, b in zip(one[0], two[0], strict=True)), Fraction(0))
                for two in rows
            ),
            -_value(one, point),
        ]
        for one in rows
    ]
    size = len(rows)
    for k in range(size):
        pivot = next((i for i in range(k, size) if system[i][k]), None)
        if pivot is None:
            return None
        system[k], system[pivot] = system[pivot], system[k]
        system[k] = [q / system[k][k] for q in system[k]]
        for i in range(size):
            if i != k and system[i][k]:
                factor = system[i][k]
                system[i] = [a - factor * b for a, b in zip(system[i], system[k], strict=True)]
    weights = [row[-1] for row in system]
    if any(weight < 0 for weight in weights):
        return None
    found = list(point)
    for weight, (slopes, _) in zip(weights, rows, strict=True):
        found = [x + weight * a for x, a in zip(found, slopes, strict=True)]
    return found

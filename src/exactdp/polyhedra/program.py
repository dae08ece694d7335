"""Exact linear programming: decide whether a polyhedron has interior points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flint import fmpq

from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals.numbers import exact


def has_interior(halfspaces: Iterable[Halfspace]) -> bool:
    """Whether some point is in the interior of all halfspaces.

    Maximises the slack s ≤ 1 with every form ≥ s by the simplex method with Bland's rule, which
    cannot cycle; it starts at x = 0 with a small enough s.
    """
    forms = []
    columns: dict[Name, int] = {}
    for one in halfspaces:
        form = one.form
        if form.coefficients:
            forms.append(form)
            for name in form.coefficients:
                columns.setdefault(name, 1 + 2 * len(columns))
        elif form.constant <= 0:
            return False
    if not forms:
        return True
    lowest = min(0, *(form.constant for form in forms))
    # Columns: σ, then x⁺ and x⁻ for every variable; s = lowest + σ. The last is the right side.
    unit = [fmpq(1)] + [fmpq(0)] * (2 * len(columns))
    rows = [[*unit, exact(1 - lowest)]]
    for form in forms:
        row = [*unit, exact(form.constant - lowest)]
        for name, c in form.coefficients.items():
            j = columns[name]
            row[j], row[j + 1] = exact(-c), exact(c)
        rows.append(row)
    return _exceeds(rows, exact(-lowest))


def _exceeds(rows: list[list[Any]], enough: Any) -> bool:
    """Whether the first variable, which is bounded, can be larger than `enough`."""
    width = len(rows[0]) - 1
    # A pivot exchanges a basis variable (a row) with one of the others (a column).
    basis, others = list(range(width, width + len(rows))), list(range(width))
    goal = [fmpq(1)] + [fmpq(0)] * width  # its last entry is the maximum so far, negated
    while -goal[-1] <= enough:
        candidates = [j for j in range(width) if goal[j] > 0]
        if not candidates:
            return False
        enter = min(candidates, key=lambda j: others[j])
        leave = min(
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(rows) if row[enter] > 0
        )[2]
        pivot = rows[leave][enter]
        new = [entry / pivot for entry in rows[leave]]
        new[enter] = 1 / pivot
        rows = [
            new if i == leave else _reduced(row, new, enter) if row[enter] else row
            for i, row in enumerate(rows)
        ]
        goal = _reduced(goal, new, enter)
        basis[leave], others[enter] = others[enter], basis[leave]
    return True


def _reduced(row: list[Any], pivot_row: list[Any], enter: int) -> list[Any]:
    """Return a row minus the multiple of the pivot row that makes a column 0."""
    factor = row[enter]
    found = [a - factor * b for a, b in zip(row, pivot_row, strict=True)]
    found[enter] = -factor * pivot_row[enter]
    return found

"""Vectors as sums of nonnegative multiples of other vectors (Farkas): exact, by the simplex method.

By Farkas's lemma such multiples prove what linear conditions imply, and that they contradict each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals.numbers import exact, fraction


def combination(
    vectors: Sequence[Sequence[Fraction | int]], target: Sequence[Fraction | int]
) -> dict[int, Fraction] | None:
    """Return multiples > 0 of some vectors that add up to the target, by place; None if none do.

    Each row of a tableau is a coordinate, with a slack variable that is to become 0. The sum of the
    slacks is minimised with Bland's rule, which cannot cycle.

    >>> combination([(1, 0), (1, 1), (0, -1)], (3, 1))
    {0: Fraction(2, 1), 1: Fraction(1, 1)}
    """
    count = len(vectors)
    rows: list[list[Any]] = []
    for coordinate, wanted in enumerate(target):
        sign = -1 if wanted < 0 else 1
        rows.append([exact(sign * vector[coordinate]) for vector in vectors])
        rows[-1].append(exact(sign * wanted))
    goal = [sum((row[j] for row in rows), fmpq(0)) for j in range(count + 1)]
    basis = list(range(count, count + len(rows)))  # from `count` on: slacks, which never return
    while goal[-1] > 0:
        enter = next((j for j in range(count) if goal[j] > 0), None)
        if enter is None:
            return None
        leave = min(
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(rows) if row[enter] > 0
        )[2]
        pivot = rows[leave][enter]
        new = [q / pivot for q in rows[leave]]
        rows = [new if i == leave else _less(row, new, enter) for i, row in enumerate(rows)]
        goal = _less(goal, new, enter)
        basis[leave] = enter
    pairs = sorted((k, row[-1]) for k, row in zip(basis, rows, strict=True) if k < count)
    return {k: fraction(q) for k, q in pairs if q}


def _less(row: list[Any], pivot: list[Any], column: int) -> list[Any]:
    """Return a row minus the multiple of another one that makes a column 0."""
    factor = row[column]
    return [a - factor * b for a, b in zip(row, pivot, strict=True)] if factor else row


def has_interior(halfspaces: Iterable[Halfspace]) -> bool:
    """Whether some point is in the interior of all halfspaces.

    If there is none, multiples ≥ 0 of the forms, not all of them 0, add up to a number ≤ 0.
    """
    forms = [one.form for one in halfspaces]
    names = list(dict.fromkeys(name for form in forms for name in form.coefficients))
    rows = [[*(form.coefficients.get(n, 0) for n in names), form.constant, 1] for form in forms]
    zero = [0] * len(names)
    return combination([*rows, [*zero, 1, 0]], [*zero, 0, 1]) is None

"""Linear conditions with whole coefficients: whether they can hold, and how far away that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np


@dataclass(frozen=True, order=True)
class Row:
    """Σ coefficient·variable + constant < 0, or ≤ 0 if it is not strict."""

    terms: tuple[tuple[Any, int], ...]
    constant: int
    strict: bool

    @classmethod
    def of(cls, terms: dict[Any, Fraction], constant: Fraction, strict: bool) -> Row:
        """Return a condition with coefficients that are whole and coprime."""
        numbers = [*terms.values(), constant]
        scale = Fraction(math.lcm(*(q.denominator for q in numbers)))
        common = math.gcd(*(int(q * scale) for q in numbers)) or 1
        found = ((v, int(q * scale) // common) for v, q in terms.items() if q)
        return cls(tuple(sorted(found)), int(constant * scale) // common, strict)

    @property
    def negated(self) -> Row:
        """The condition that holds where this one does not."""
        return Row(tuple((v, -c) for v, c in self.terms), -self.constant, not self.strict)

    @property
    def holds(self) -> bool:
        """Whether a condition without variables holds."""
        return self.constant < 0 or (self.constant == 0 and not self.strict)


def feasible(rows: Iterable[Row]) -> bool:
    """Whether all conditions can hold at once (Fourier–Motzkin elimination)."""
    now = _tightest(rows)
    while now is not None:
        counts: dict[Any, list[int]] = {}
        for row in now:
            for v, c in row.terms:
                counts.setdefault(v, [0, 0])[c > 0] += 1
        if not counts:
            return True
        chosen = min(counts, key=lambda v: counts[v][0] * counts[v][1] - sum(counts[v]))
        above: list[Row] = []
        below: list[Row] = []
        rest: list[Row] = []
        for row in now:
            c = dict(row.terms).get(chosen, 0)
            (above if c > 0 else below if c < 0 else rest).append(row)
        now = _tightest([*rest, *(_without(chosen, a, b) for a in above for b in below)])
    return False


def _without(v: Any, a: Row, b: Row) -> Row:
    one, two = dict(a.terms), dict(b.terms)
    p, q = -two[v], one[v]
    terms = {w: p * one.get(w, 0) + q * two.get(w, 0) for w in {*one, *two}}
    constant = p * a.constant + q * b.constant
    common = math.gcd(constant, *terms.values()) or 1
    found = sorted((w, c // common) for w, c in terms.items() if c)
    return Row(tuple(found), constant // common, a.strict or b.strict)


def _tightest(rows: Iterable[Row]) -> list[Row] | None:
    """Return the conditions without those that parallel ones imply; None if one is false."""
    found: dict[Any, tuple[Fraction, bool, Row]] = {}
    for row in rows:
        if not row.terms:
            if not row.holds:
                return None
            continue
        scale = math.gcd(*(c for _, c in row.terms))
        key = tuple((v, c // scale) for v, c in row.terms)
        rank = Fraction(row.constant, scale), row.strict
        if key not in found or found[key][:2] < rank:
            found[key] = *rank, row
    return [row for *_, row in found.values()]


class Distance:
    """How far points are from a polyhedron, by `linf` or `l1`: one linear program for each point.

    The variables are a point v of the polyhedron and the distance t, least at a corner: at a
    solution of as many conditions as there are variables. All corners are tried in floats, and the
    best is solved again in fractions.
    """

    def __init__(self, rows: Sequence[Row], variables: Sequence[Any], norm: str) -> None:
        size = len(variables)
        if norm == "linf":
            signs = [[s * (j == k) for j in range(size)] for k in range(size) for s in (1, -1)]
        else:
            signs = [list(pattern) for pattern in product((1, -1), repeat=size)]
        self._fixed = [Fraction(-row.constant) for row in rows]
        self._signs = signs
        sides = [[dict(row.terms).get(v, 0) for v in variables] + [0] for row in rows]
        self._sides = sides + [[*pattern, -1] for pattern in signs]
        self._matrix = np.array(self._sides, float)
        which = np.array(list(combinations(range(len(self._sides)), size + 1)))
        chosen = self._matrix[which]
        good = np.abs(np.linalg.det(chosen)) > 1e-9
        self._which = which[good]
        self._inverse = np.linalg.inv(chosen[good])

    def of(self, point: Sequence[Fraction]) -> Fraction:
        """Return the distance of a point, 0 if it lies in the closed polyhedron."""
        moving = [
            sum((s * x for s, x in zip(p, point, strict=True)), Fraction(0)) for p in self._signs
        ]
        exact: list[Fraction] = [*self._fixed, *moving]
        ends = np.array([float(x) for x in exact])
        corners = np.einsum("kij,kj->ki", self._inverse, ends[self._which])
        inside = np.all(corners @ self._matrix.T <= ends + 1e-9, axis=1)
        best = int(np.argmin(np.where(inside, corners[:, -1], np.inf)))
        active = self._which[best]
        system = [[*map(Fraction, self._sides[k]), exact[k]] for k in active]
        distance: Fraction = solved(system)[-1]
        return distance


def solved(rows: list[list[Any]]) -> list[Any]:
    """Return the solution of a system that has one; the last column is the right side."""
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda j: abs(rows[j][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for j in range(len(rows)):
            if j != k and rows[j][k]:
                factor = rows[j][k]
                rows[j] = [x - factor * y for x, y in zip(rows[j], rows[k], strict=True)]
    return [row[-1] for row in rows]

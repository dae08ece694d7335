"""Cones: pointed polyhedral cones by their rays and their sides, exact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

from flint import fmpq_mat, fmpz_mat

from ..ring.enclose import fraction_of
from ..ring.linear import Rational

Vector = tuple[int, ...]
"""Whole numbers without a common divisor."""


@dataclass(frozen=True)
class Cone:
    """{θ : side·θ ≥ 0 for each side} = {Σ sⱼ·rayⱼ : sⱼ ≥ 0}, which contains no line.

    The rays are its extreme rays, sorted, so equal cones have equal rays. Sides that other sides
    imply are left out; where the cone is flat some sides occur with their negatives.
    """

    dimension: int
    rays: tuple[Vector, ...]
    sides: tuple[Vector, ...] = field(compare=False)

    # ---- making one

    @staticmethod
    def orthant(n: int) -> Cone:
        """Return {θ : θ ≥ 0}."""
        axes = tuple(sorted(tuple(int(i == j) for j in range(n)) for i in range(n)))
        return Cone(n, axes, axes)

    @staticmethod
    def of_sides(n: int, sides: Iterable[Sequence[Rational]]) -> Cone:
        """Return the cone with these sides; it contains no line, or ValueError is raised.

        n independent sides are a simplicial cone, whose rays are the columns of an inverse matrix;
        it is clipped by the others.
        """
        found = [primitive(h) for h in sides]
        chosen = _independent(found)
        if len(chosen) < n:
            raise ValueError("a cone that contains a line: its sides have a common zero")
        first = [found[i] for i in chosen]
        inverse = fmpq_mat(fmpz_mat(n, n, [x for h in first for x in h])).inv()
        columns = ([fraction_of(inverse[i, j]) for i in range(n)] for j in range(n))
        rays = map(primitive, columns)
        cone = Cone(n, tuple(sorted(rays)), tuple(sorted(first)))
        for i, h in enumerate(found):
            if i not in chosen:
                cone = cone.clip(h)
        return cone

    @staticmethod
    def of_rays(n: int, rays: Iterable[Sequence[Rational]]) -> Cone:
        """Return the least cone with these rays; it contains no line, or ValueError is raised.

        In coordinates of the space that the rays span, sides and rays change places: a vector is a
        side if and only if it is in the cone whose sides are the rays.
        """
        given = [r for r in map(primitive, rays) if any(r)]
        pivots, equations = _span(n, given)
        flat = [tuple(r[i] for i in pivots) for r in given]
        dual = Cone.of_sides(len(pivots), flat)
        if len(dual.rays) < len(pivots) or _rank(dual.rays) < len(pivots):
            raise ValueError("rays that span a line")
        lifted = [_lifted(h, pivots, n) for h in dual.rays]
        both = [s for h in equations for s in (h, tuple(-v for v in h))]
        extreme = set(Cone.of_sides(len(pivots), dual.rays).rays)
        kept = {r for r, f in zip(given, flat, strict=True) if primitive(f) in extreme}
        return Cone(n, tuple(sorted(kept)), tuple(sorted({*lifted, *both})))

    # ---- questions

    @cached_property
    def span(self) -> int:
        """The dimension of the space that the cone spans."""
        return _rank(self.rays)

    @property
    def is_full(self) -> bool:
        """Whether it has inner points."""
        return self.span == self.dimension

    def contains(self, point: Sequence[Rational]) -> bool:
        """Return whether a point is in the cone."""
        return all(_dot(h, point) >= 0 for h in self.sides)

    def inside(self) -> Vector:
        """Return a point of the relative interior: the sum of the rays."""
        return tuple(sum(r[i] for r in self.rays) for i in range(self.dimension))

    # ---- parts

    def clip(self, form: Sequence[Rational]) -> Cone:
        """Return the part where form·θ ≥ 0.

        Rays on the right side stay. Between two rays on different sides there is a new one if they
        are neighbours: no other ray lies on all sides on which both lie (the double description
        method).
        """
        h = primitive(form)
        values = {r: _dot(h, r) for r in self.rays}
        if all(v >= 0 for v in values.values()):
            return self
        tight = {r: self._tight(r) for r in self.rays}
        rays = {r for r, v in values.items() if v >= 0}
        for r in (r for r, v in values.items() if v > 0):
            for s in (s for s, v in values.items() if v < 0):
                common = tight[r] & tight[s]
                if not any(common <= tight[t] for t in self.rays if t not in (r, s)):
                    pairs = zip(r, s, strict=True)
                    rays.add(primitive([values[r] * y - values[s] * x for x, y in pairs]))
        found = tuple(sorted(rays))
        return Cone(self.dimension, found, _needed((*self.sides, h), found))

    def boundary(self, form: Sequence[Rational]) -> Cone:
        """Return the part where form·θ = 0."""
        return self.clip(form).clip([-v for v in form])

    def facets(self) -> list[Cone]:
        """Return the faces with one dimension less."""
        found = {}
        for h in self.sides:
            rays = tuple(r for r in self.rays if _dot(h, r) == 0)
            if len(rays) < len(self.rays) and _rank(rays) == self.span - 1:
                found[rays] = Cone(self.dimension, rays, _flat(self.sides, h, rays))
        return list(found.values())

    def simplicial(self) -> list[Cone]:
        """Return cones with independent rays that cover it and meet in faces only.

        The first ray is joined with the pieces of each facet that does not contain it. Facets have
        one dimension less, so it ends.
        """
        if len(self.rays) == self.span:
            return [self]
        top = self.rays[0]
        pieces = [p for facet in self.facets() if top not in facet.rays for p in facet.simplicial()]
        return [Cone.of_rays(self.dimension, (top, *piece.rays)) for piece in pieces]

    def _tight(self, ray: Vector) -> frozenset[int]:
        return frozenset(i for i, h in enumerate(self.sides) if _dot(h, ray) == 0)


def primitive(v: Sequence[Rational]) -> Vector:
    """Return the positive multiple with whole numbers that have no common divisor."""
    scale = 1
    for x in v:
        scale = scale * x.denominator // gcd(scale, x.denominator)
    found = [int(x * scale) for x in v]
    divisor = gcd(*found) or 1
    return tuple(x // divisor for x in found)


def _dot(a: Sequence[Rational], b: Sequence[Rational]) -> Rational:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0)


def _rank(vectors: Sequence[Vector]) -> int:
    return int(fmpz_mat([list(v) for v in vectors]).rank()) if vectors and vectors[0] else 0


def _independent(vectors: Sequence[Vector]) -> list[int]:
    """Return the numbers of vectors that are a basis of all, the first ones that are."""
    chosen: list[int] = []
    for i, _ in enumerate(vectors):
        if _rank([vectors[j] for j in (*chosen, i)]) > len(chosen):
            chosen.append(i)
    return chosen


def _needed(sides: Sequence[Vector], rays: Sequence[Vector]) -> tuple[Vector, ...]:
    """Drop sides that others imply: those that touch the rays where another side touches more."""
    touched = {h: frozenset(r for r in rays if _dot(h, r) == 0) for h in sides}
    every = frozenset(rays)
    found, seen = list[Vector](), set[frozenset[Vector]]()
    for h, where in touched.items():
        implied = any(where < other < every for other in touched.values()) or where in seen
        if where == every or not implied:
            found.append(h)
            seen |= {where} - {every}
    return tuple(sorted(set(found)))


def _flat(sides: Sequence[Vector], h: Vector, rays: Sequence[Vector]) -> tuple[Vector, ...]:
    """Return the sides of the face where h·θ = 0."""
    return _needed((*sides, h, tuple(-v for v in h)), rays)


def _span(n: int, rays: Sequence[Vector]) -> tuple[list[int], list[Vector]]:
    """Return coordinates in which the rays span everything, and the equations of their space."""
    if not rays:
        return [], [tuple(int(i == j) for j in range(n)) for i in range(n)]
    reduced, rank = fmpq_mat(fmpz_mat([list(r) for r in rays])).rref()
    pivots = [next(j for j in range(n) if reduced[i, j]) for i in range(rank)]
    equations = list[Vector]()
    for j in (j for j in range(n) if j not in pivots):
        h = list[Rational](int(i == j) for i in range(n))
        for i, p in enumerate(pivots):
            h[p] = -fraction_of(reduced[i, j])
        equations.append(primitive(h))
    return pivots, equations


def _lifted(h: Vector, pivots: Sequence[int], n: int) -> Vector:
    found = [0] * n
    for i, v in zip(pivots, h, strict=True):
        found[i] = v
    return tuple(found)

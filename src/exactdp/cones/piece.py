"""A sum of exponentials on a simplicial cone, in the coordinates of its rays.

With independent rays ρ₁, …, ρₙ every θ of the cone is Σ sⱼρⱼ with sⱼ ≥ 0. Divided by the
exponential exp(Σ Dⱼsⱼ), Dⱼ the largest rate along ρⱼ, and with rays and coefficients scaled to
integers, the function becomes

    g(s) = Σ c·∏ sⱼ^kⱼ·exp(−aⱼsⱼ),   c, k, a integers, a ≥ 0, s in the positive orthant,

and has the same sign as f. This is the form in which signs are decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import TypeAlias

from exactdp.cones.ordered_sum import OrderedSum, Vector, ring_of
from exactdp.polyhedra.cone import Integers
from exactdp.reals.numbers import exact, fraction

Factor: TypeAlias = tuple[int, int]
"""(k, a) for s^k·exp(−a·s)."""

LocalTerms: TypeAlias = dict[tuple[Factor, ...], int]
"""Σ c·∏ sⱼ^kⱼ·exp(−aⱼsⱼ) as {((k₁, a₁), …): c}, no c zero."""


_ZERO = Fraction(0)


@dataclass(frozen=True)
class LocalSum:
    """The function g on the cone of these (scaled) rays, and the exponential divided out."""

    rays: tuple[Vector, ...]
    terms: LocalTerms
    dominant: Vector

    def point(self, coordinates: Sequence[Fraction]) -> Vector:
        """Return θ = Σ sⱼρⱼ."""
        size = len(self.rays[0])
        return tuple(
            sum((s * ray[i] for s, ray in zip(coordinates, self.rays, strict=True)), Fraction(0))
            for i in range(size)
        )


def piece_of(f: OrderedSum, rays: Sequence[Integers | Vector]) -> LocalSum:
    """Return f on the cone of linearly independent rays."""
    # In whole numbers: rates times their common denominator, each ray times its own.
    under = math.lcm(*(rate.denominator for rates in f.parts for rate in rates))
    unders = [math.lcm(*(Fraction(entry).denominator for entry in ray)) for ray in rays]
    whole = [[int(entry * n) for entry in ray] for ray, n in zip(rays, unders, strict=True)]
    along = []
    for rates in f.parts:
        numerators = [rate.numerator * (under // rate.denominator) for rate in rates]
        along.append([sum(map(mul, numerators, ray)) for ray in whole])
    columns = list(zip(*along, strict=True)) or [(0,)] * len(rays)
    tops = [max(mine) for mine in columns]
    gaps = [
        math.gcd(*(top - one for one in mine)) or under * n
        for top, mine, n in zip(tops, columns, unders, strict=True)
    ]
    scaled = [
        tuple(Fraction(entry * under, gap) for entry in ray)
        for ray, gap in zip(whole, gaps, strict=True)
    ]
    ring = ring_of(len(rays))
    images = [
        sum(
            (gen * exact(ray[i]) for gen, ray in zip(ring.gens(), scaled, strict=True)),
            ring.constant(0),
        )
        for i in range(len(f.names))
    ]
    found: dict[tuple[Factor, ...], Fraction] = {}
    for mine, part in zip(along, f.parts.values(), strict=True):
        decay = [(top - one) // gap for top, one, gap in zip(tops, mine, gaps, strict=True)]
        local = (
            ring.constant(part.leading_coefficient())
            if part.is_constant()
            else part.compose(*images, ctx=ring)
        )
        for powers, coefficient in local.to_dict().items():
            key = tuple((int(k), a) for k, a in zip(powers, decay, strict=True))
            found[key] = found.get(key, _ZERO) + fraction(coefficient)
    found = {key: value for key, value in found.items() if value}
    scale = math.lcm(*(value.denominator for value in found.values())) if found else 1
    divisor = math.gcd(*(int(value * scale) for value in found.values())) or 1
    terms = {key: int(value * scale) // divisor for key, value in found.items()}
    dominant = tuple(Fraction(top, gap) for top, gap in zip(tops, gaps, strict=True))
    return LocalSum(tuple(scaled), terms, dominant)


def shifted_derivative(terms: LocalTerms, axis: int, shift: int) -> LocalTerms:
    """Return (∂/∂sⱼ + shift)·g."""
    result: LocalTerms = {}
    for key, c in terms.items():
        k, a = key[axis]
        if k:
            lower = (*key[:axis], (k - 1, a), *key[axis + 1 :])
            result[lower] = result.get(lower, 0) + k * c
        if shift != a:
            result[key] = result.get(key, 0) + (shift - a) * c
    return {key: c for key, c in result.items() if c}


def face_at_zero(terms: LocalTerms, axis: int) -> LocalTerms:
    """Return g on the face sⱼ = 0, as a function that no longer depends on sⱼ."""
    result: LocalTerms = {}
    for key, c in terms.items():
        if key[axis][0] == 0:
            face = (*key[:axis], (0, 0), *key[axis + 1 :])
            result[face] = result.get(face, 0) + c
    return {key: c for key, c in result.items() if c}


def face_at_infinity(terms: LocalTerms, axis: int) -> LocalTerms | None:
    """Return lim g as sⱼ → ∞, None if g grows with a power of sⱼ."""
    slowest = [(key, c) for key, c in terms.items() if key[axis][1] == 0]
    if any(key[axis][0] for key, _ in slowest):
        return None
    return dict(slowest)

"""Points at which a sum is negative: searched for in doubles, certified at a rational point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from exactdp.cones.boxes import Corner, Slab
from exactdp.cones.ordered_sum import OrderedSum, Vector
from exactdp.cones.piece import LocalSum, LocalTerms
from exactdp.cones.segments import Array
from exactdp.polyhedra.cone import primitive
from exactdp.reals.numbers import double, inf, logarithm

_SIMPLE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 50, 64, 100)
_DENOMINATORS = (*_SIMPLE, *(2**k for k in range(7, 40)))
_SAMPLES = 400
_NEGATIVE = -1e-13
_CLEARLY_NEGATIVE = -1e-3


class PointSampler:
    """The relative value of g, g/Σ|terms| ∈ [−1, 1], at many points of the orthant in doubles."""

    def __init__(self, terms: Iterable[tuple[Sequence[int], Sequence[Any], Any]]) -> None:
        powers, rates, coefficients = zip(*terms, strict=True)
        self.powers = np.array(powers, dtype=np.float64)
        self.rates = np.array([[float(q) for q in one] for one in rates])
        self.signs = np.array([1.0 if c > 0 else -1.0 for c in coefficients])
        self.sizes = np.array([logarithm(c) for c in coefficients])

    @classmethod
    def of(cls, terms: LocalTerms) -> PointSampler:
        """Return the values of a function on a piece."""
        return cls(([k for k, _ in key], [-a for _, a in key], c) for key, c in terms.items())

    def __call__(self, logs: Array) -> Array:
        """Return the relative values at points given by the logarithms of their coordinates."""
        weights, _ = self._weights(logs)
        return np.asarray((weights @ self.signs) / weights.sum(axis=1))

    def scaled(self, logs: Array) -> tuple[Array, Array]:
        """Return the values at points divided by the largest term, and the logarithm of that."""
        weights, largest = self._weights(logs)
        return weights @ self.signs, largest

    def _weights(self, logs: Array) -> tuple[Array, Array]:
        with np.errstate(over="ignore", under="ignore"):
            exponents = self.sizes + logs @ self.powers.T + np.exp(logs) @ self.rates.T
            largest = exponents.max(axis=1)
            return np.exp(exponents - largest[:, None]), largest

    def scales(self) -> Array:
        """Return log(1 / mean decay) for each axis."""
        mean = -self.rates.mean(axis=0)
        return np.asarray(-np.log(np.where(mean > 0, mean, 1.0)))

    def samples(self, count: int, inside: Slab) -> tuple[Array, Array]:
        """Return points (by logarithms), near and wide, and their values."""
        size = self.powers.shape[1]
        random = np.random.default_rng(7)
        near = random.normal(0.0, 1.0, (count, size))
        wide = random.uniform(-7.0, 6.0, (count, size))
        logs = moved_inside(
            np.concatenate([near, wide, np.zeros((1, size))]) + self.scales(), inside
        )
        return logs, self(logs)

    def lowest(self, count: int, inside: Slab) -> tuple[Array, float]:
        """Return the point (by logarithms) with the least value found, and that value."""
        logs, values = self.samples(count, inside)
        best = np.argsort(values)[:4]
        found = [self._descended(logs[i], float(values[i]), inside) for i in best]
        return min(found, key=lambda entry: entry[1])

    def _descended(self, logs: Array, value: float, inside: Slab) -> tuple[Array, float]:
        """Return a nearby point with a lower value: steps along the axes, halved when stuck."""
        size = len(logs)
        moves = np.concatenate(
            [np.eye(size), -np.eye(size), np.ones((1, size)), -np.ones((1, size))]
        )
        step = 0.5
        for _ in range(60):
            around = moved_inside(logs + step * moves, inside)
            values = self(around)
            i = int(np.argmin(values))
            if values[i] < value - 1e-12:
                logs, value = around[i], float(values[i])
            else:
                step /= 2
                if step < 0.01:
                    break
        return np.clip(logs, -40.0, 40.0), value


def moved_inside(logs: Array, inside: Slab) -> Array:
    """Return points (by logarithms), those outside a window moved to its nearer end."""
    window = inside.window
    if window is None:
        return logs
    weights = np.array([double(Fraction(w)) for w in inside.weights])  # may be huge
    with np.errstate(all="ignore"):
        value = np.exp(logs) @ weights
        low, high = float(window.lower), float(window.upper)
        middle = (low + high) / 2 if high < inf else low + 1.0
        wanted = np.clip(value, low, high)
        wanted = np.where(np.isfinite(wanted) & (wanted > 0), wanted, middle)
        factor = np.log(wanted / value)
    moved = logs + np.where(weights > 0, 1.0, 0.0) * factor[:, None]
    return np.asarray(np.clip(moved, -40.0, 40.0))


def sampled_witness(f: OrderedSum, piece: LocalSum, inside: Slab) -> Vector | None:
    """Return a rational point in the interior of the piece at which f < 0, if one is found.

    Of clearly negative points those of moderate size are tried first: they round to simple ones.
    """
    sampler = PointSampler.of(piece.terms)
    logs, values = sampler.samples(_SAMPLES, inside)
    clear = logs[values < _CLEARLY_NEGATIVE]
    # The length of a ray may be too small for a float.
    lengths = [*map(logarithm, _lengths(piece))]
    size = np.abs(clear + np.array(lengths)).max(axis=1)
    found = [
        point
        for place in clear[np.argsort(size)[:6]]
        if (point := rounded_witness(f, piece, np.exp(place).tolist(), inside)) is not None
    ]
    if found:
        return min(found, key=_length_in_print)
    place, value = sampler.lowest(_SAMPLES, inside)
    if value <= _NEGATIVE:
        near = rounded_witness(f, piece, np.exp(place).tolist(), inside)
        if near is not None:
            return near
    return _end_witness(f, piece, inside)


def _length_in_print(point: Vector) -> int:
    """Return the number of bits of all numerators and denominators."""
    return sum(q.numerator.bit_length() + q.denominator.bit_length() for q in point)


def rounded_witness(
    f: OrderedSum, piece: LocalSum, place: Sequence[float], inside: Slab
) -> Vector | None:
    """Return the simplest rational point near a place (in coordinates s) at which f < 0."""
    sampler = PointSampler.of(piece.terms)
    for near in _near(piece, place):
        coordinates = inside.moved(near)
        if sampler(np.log([[float(s) for s in coordinates]]))[0] < _NEGATIVE:
            point = piece.point(coordinates)
            if f.sign_at(point) < 0:
                return point
    return None


def _end_witness(f: OrderedSum, piece: LocalSum, inside: Slab) -> Vector | None:
    """Return a point at which f < 0 near a vertex of the part of a piece in a window."""
    if inside.window is None:
        return None
    for end in (inside.window.lower, inside.window.upper):
        for j, weight in enumerate(inside.weights):
            if weight and end and isinstance(end, Fraction):
                corner = [Fraction(0)] * len(inside.weights)
                corner[j] = end / weight
                if f.sign_at(piece.point(corner)) < 0:
                    found = corner_witness(f, piece, tuple(corner), inside)
                    if found is not None:
                        return found
    return None


def near_points(piece: LocalSum, place: Sequence[float], inside: Slab) -> list[Vector]:
    """Return interior rational points, ever closer to a place (in coordinates s)."""
    return [piece.point(inside.moved(near)) for near in _near(piece, place)]


def _near(piece: LocalSum, place: Sequence[float]) -> Iterator[list[Fraction]]:
    """Yield coordinates, simple ones first: multiples of 1/q of the integer rays."""
    lengths = _lengths(piece)
    target = [min(s * float(length), 1e9) for s, length in zip(place, lengths, strict=True)]
    seen = set()
    for q in _DENOMINATORS:
        near = tuple(Fraction(max(1, round(s * q)), q) for s in target)
        if near in seen:
            continue
        seen.add(near)
        yield [s / length for s, length in zip(near, lengths, strict=True)]


def _lengths(piece: LocalSum) -> list[Fraction]:
    """Return the factors by which the rays of the piece are multiples of integer directions."""
    return [
        next(a / b for a, b in zip(ray, primitive(ray), strict=True) if b) for ray in piece.rays
    ]


def corner_witness(f: OrderedSum, piece: LocalSum, corner: Corner, inside: Slab) -> Vector | None:
    """Return an interior point at which f < 0 near a vertex of a box, which may be at infinity."""
    for t in range(2, 60, 3):
        place = inside.moved(
            [Fraction(2) ** (t // 2) if s is None else s + Fraction(1, 2**t) for s in corner]
        )
        point = piece.point(place)
        if f.sign_at(point) < 0:
            return rounded_witness(f, piece, [float(s) for s in place], inside) or point
    return None

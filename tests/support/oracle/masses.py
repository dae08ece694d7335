"""Pr(linear conditions on independent centred noises), at many ε at once.

Conditions that share no noise are independent. One noise alone is between two bounds, and the
chance of that is a formula. Otherwise one noise is fixed at many values, what is left is solved
in the same way, and the values are added up: all of them for integer noise, Gauss-Legendre nodes
for continuous noise. Between its kinks the integrand is a sum of exponentials. Panels shrink
towards the kinks by halves, so both ends of an exponential, however steep, are met with the same
relative precision. All terms are positive: small probabilities are as precise as large ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .linear import Row, feasible
from .runs import Array, Noise

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
_REACH = 60.0  # e^−60 is nothing
_AT_ONCE = 200_000
_MOST = 2**28


class _Side(NamedTuple):
    """Σ coefficient·noise + constant < 0 (≤ 0 for whole numbers), one constant for each case."""

    terms: dict[Noise, Any]
    constant: NDArray[Any]


@dataclass
class Masses:
    """Probabilities at fixed ε; each set of conditions is integrated once."""

    eps: Array
    _known: dict[frozenset[Row], Array] = field(default_factory=dict)

    def of(self, rows: Iterable[Row]) -> Array:
        """Return the probability of the conditions at each ε; nan where it would cost too much."""
        total = np.ones_like(self.eps)
        for part in _components(list(rows)):
            key = frozenset(part)
            if key not in self._known:
                self._known[key] = self._integrated(part)
            total = total * self._known[key]
        return total

    def _integrated(self, rows: list[Row]) -> Array:
        if len({v for row in rows for v, _ in row.terms}) > 2:
            rows = _needed(rows)
        if any(v.kind == "dlap" for v, _ in rows[0].terms):
            sides = [
                _Side(dict(row.terms), np.array([row.constant + int(row.strict)])) for row in rows
            ]
            return np.array([_Whole(float(e)).mass(sides, 1)[0] for e in self.eps])
        sides = [
            _Side({v: float(c) for v, c in row.terms}, row.constant * self.eps) for row in rows
        ]
        return _Continuous().mass(sides, len(self.eps))


def _needed(rows: list[Row]) -> list[Row]:
    """Return the conditions without those that follow from others: fewer noises are coupled."""
    for row in sorted(rows, key=lambda row: -len(row.terms)):
        others = [one for one in rows if one is not row]
        if not feasible([*others, row.negated]):
            rows = others
    return rows


def _components(rows: list[Any]) -> list[list[Any]]:
    """Return the conditions in groups that share no noise."""
    groups: list[tuple[set[Any], list[Any]]] = []
    for row in rows:
        names, members = {v for v, _ in _terms(row)}, [row]
        others = []
        for group in groups:
            if group[0] & names:
                names, members = names | group[0], group[1] + members
            else:
                others.append(group)
        groups = [*others, (names, members)]
    return [members for _, members in groups]


def _terms(row: Row | _Side) -> Iterable[tuple[Noise, Any]]:
    return row.terms.items() if isinstance(row.terms, dict) else row.terms


class _Continuous:
    """Laplace and exponential noise; lengths are multiplied by ε, so that rates are plain."""

    def mass(self, sides: list[_Side], cases: int) -> Array:
        """Return the probability of all conditions in each case."""
        result = np.ones(cases)
        for side in sides:
            if not side.terms:
                result = result * (side.constant < 0)
        for part in _components([side for side in sides if side.terms]):
            names = {v for side in part for v in side.terms}
            if len(names) == 1:
                result = result * self.between(next(iter(names)), *self._bounds(part, cases))
            else:
                result = result * self._sum(part, names, cases)
        return result

    @staticmethod
    def _bounds(sides: list[_Side], cases: int) -> tuple[Array, Array]:
        low, high = np.full(cases, -np.inf), np.full(cases, np.inf)
        for side in sides:
            ((_, c),) = side.terms.items()
            end = -side.constant / c
            if c > 0:
                high = np.minimum(high, end)
            else:
                low = np.maximum(low, end)
        return low, high

    @staticmethod
    def between(noise: Noise, low: Array, high: Array) -> Array:
        """Return Pr(low < noise < high)."""
        rate = noise.rate
        found = _upper(rate, low, high)
        if noise.kind == "expo":
            return found
        return (found + _upper(rate, -high, -low)) / 2

    def _sum(self, sides: list[_Side], names: set[Noise], cases: int) -> Array:
        """Integrate over one noise, the others given it."""
        outer = min(names, key=lambda v: (_largest_without(v, sides), v))
        kinks = _kinks(outer, sides, names, cases)
        rate = outer.rate
        reach = _REACH / rate
        ends = np.concatenate([kinks[:, :1] - reach, kinks, kinks[:, -1:] + reach], axis=1)
        steepest = rate + sum(
            v.rate * max(abs(s.terms[outer] / s.terms[v]) for s in both)
            for v in names - {outer}
            if (both := [s for s in sides if outer in s.terms and v in s.terms])
        )
        result = np.zeros(cases)
        for which, x, share in _nodes(ends, steepest):
            weight = share * rate * np.exp(-rate * np.abs(x))
            weight *= (x > 0) if outer.kind == "expo" else 0.5
            found = self.mass(_given(sides, outer, x, which), len(x))
            result += np.bincount(which, weight * found, cases)
        return result


def _nodes(ends: Array, steepest: float) -> Iterator[tuple[NDArray[np.int64], Array, Array]]:
    """Return nodes for panels between ends, some at a time: the case of each, place and weight.

    A panel is halved towards its ends, the first and the last towards the inner one only, until
    the smallest parts are short for the steepest exponential.
    """
    length = np.diff(ends, axis=1)
    lengths = np.maximum(steepest * length / 2, 1.0)
    halvings = np.ceil(np.log2(lengths)).astype(int)
    last = length.shape[1] - 1
    for halves in np.unique(halvings):
        for kind, columns in (("left", [0]), ("inner", list(range(1, last))), ("right", [last])):
            chosen = (halvings[:, columns] == halves) & (length[:, columns] > 0)
            cases, panels = np.nonzero(chosen)
            panels = np.asarray(columns, int)[panels]
            places, shares = _panel(int(halves), kind)
            step = max(1, _AT_ONCE // len(places))
            for first in range(0, len(cases), step):
                case, panel = cases[first : first + step], panels[first : first + step]
                start, long = ends[case, panel][:, None], length[case, panel][:, None]
                x, weight = start + long * places, long * shares
                yield np.repeat(case, len(places)), x.reshape(-1), weight.reshape(-1)


@cache
def _panel(halves: int, kind: str) -> tuple[Array, Array]:
    """Return nodes and weights on [0, 1], denser towards one end or both."""
    inner = 0.5 ** np.arange(halves, 0, -1)
    if kind == "inner":
        cuts = np.concatenate([[0.0], inner, (1 - inner[:-1])[::-1], [1.0]])
    elif kind == "right":
        cuts = np.concatenate([[0.0], inner, [1.0]])
    else:
        cuts = np.concatenate([[0.0], (1 - inner)[::-1], [1.0]])
    width = np.diff(cuts)[:, None] / 2
    places = (cuts[:-1] + cuts[1:])[:, None] / 2 + width * _NODES
    return places.reshape(-1), (width * _WEIGHTS).reshape(-1)


def _upper(rate: float, low: Array, high: Array) -> Array:
    """Return Pr(low < x < high) for exponential noise x."""
    start = np.maximum(low, 0.0)
    with np.errstate(invalid="ignore"):
        length = np.maximum(high - start, 0.0)
    return np.asarray(np.exp(-rate * start) * -np.expm1(-rate * length))


def _given(sides: list[_Side], v: Noise, x: NDArray[Any], which: NDArray[np.int64]) -> list[_Side]:
    """Return the conditions on the other noises where v is x, in the cases `which`."""
    found = []
    for side in sides:
        constant = side.constant[which]
        if v in side.terms:
            constant = constant + side.terms[v] * x
        found.append(_Side({w: c for w, c in side.terms.items() if w != v}, constant))
    return found


def _largest_without(v: Noise, sides: list[_Side]) -> int:
    """Return how many noises are still coupled once v is fixed."""
    rest = [_Side({w: c for w, c in s.terms.items() if w != v}, s.constant) for s in sides]
    parts = _components([side for side in rest if side.terms])
    return max(len({w for side in part for w in side.terms}) for part in parts)


def _kinks(outer: Noise, sides: list[_Side], names: set[Noise], cases: int) -> Array:
    """Return where the integral over the other noises may not be smooth, sorted in each case.

    It is smooth where the order of all bounds and kinks of an inner noise stays the same.
    """
    planes = [(dict(side.terms), side.constant) for side in sides]
    planes += [({v: 1.0}, np.zeros(cases)) for v in names]
    for v in names - {outer}:
        having = [plane for plane in planes if v in plane[0]]
        planes = [plane for plane in planes if v not in plane[0]]
        for k, (one, first) in enumerate(having):
            for two, second in having[:k]:
                p, q = two[v], one[v]
                terms = {
                    w: p * one.get(w, 0.0) - q * two.get(w, 0.0) for w in {*one, *two} if w != v
                }
                terms = {w: c for w, c in terms.items() if c}
                if terms:
                    planes.append((terms, p * first - q * second))
    places: list[Array] = []
    for terms, constant in planes:
        place = -constant / terms[outer]
        if not any(np.array_equal(place, other) for other in places):
            places.append(place)
    return np.sort(np.stack(places, axis=1), axis=1)


class _Whole:
    """Discrete Laplace noise at one ε; constants are whole numbers."""

    def __init__(self, eps: float) -> None:
        self._eps = eps

    def mass(self, sides: list[_Side], cases: int) -> Array:
        """Return the probability of all conditions in each case."""
        result = np.ones(cases)
        for side in sides:
            if not side.terms:
                result = result * (side.constant <= 0)
        for part in _components([side for side in sides if side.terms]):
            names = {v for side in part for v in side.terms}
            if len(names) == 1:
                result = result * self._between(next(iter(names)), part, cases)
            else:
                result = result * self._sum(part, names, cases)
        return result

    def _between(self, noise: Noise, sides: list[_Side], cases: int) -> Array:
        low, high = np.full(cases, -np.inf), np.full(cases, np.inf)
        for side in sides:
            ((_, c),) = side.terms.items()
            if c > 0:
                high = np.minimum(high, -side.constant // c)
            else:
                low = np.maximum(low, -(side.constant // c))
        rate = noise.rate * self._eps
        return _tail(rate, low, high, 0) + _tail(rate, -high, -low, 1)

    def _sum(self, sides: list[_Side], names: set[Noise], cases: int) -> Array:
        """Add up over one noise, the others given it."""
        outer = min(names, key=lambda v: (_largest_without(v, sides), v))
        rate = outer.rate * self._eps
        shift = max(float(np.max(np.abs(side.constant))) for side in sides)
        reach = math.ceil(45 / rate + shift)
        if cases * (2 * reach + 1) > _MOST // 16:
            return np.full(cases, np.nan)
        values = np.arange(-reach, reach + 1)
        weight = np.exp(-rate * np.abs(values)) * math.tanh(rate / 2)
        result = np.zeros(cases)
        step = max(1, _AT_ONCE // len(values))
        for first in range(0, cases, step):
            some = np.arange(first, min(cases, first + step))
            which = np.repeat(some, len(values))
            rest = _given(sides, outer, np.tile(values, len(some)), which)
            result[some] = self.mass(rest, len(which)).reshape(len(some), -1) @ weight
        return result


def _tail(rate: float, low: Array, high: Array, least: int) -> Array:
    """Return Pr(low ≤ x ≤ high, x ≥ least) for discrete Laplace noise x, `least` 0 or 1."""
    start = np.maximum(low, least)
    with np.errstate(invalid="ignore"):
        count = np.maximum(high - start + 1, 0.0)
    head = np.exp(-rate * start) * -np.expm1(-rate * count)
    return np.asarray(head / (1 + math.exp(-rate)))

"""The paper's mechanisms by numerical quadrature; nothing here knows exactdp.

Given the noisy threshold (or the winning noise) the other noises are independent, so a probability
is an integral over one variable, or a product of such integrals where the threshold is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
Numbers = Any


def density(rate: float, mean: float, x: Numbers) -> Numbers:
    """Return the density of Laplace noise."""
    return rate / 2 * np.exp(-rate * np.abs(x - mean))


def below(rate: float, mean: float, x: Numbers) -> Numbers:
    """Return Pr(Laplace noise < x)."""
    gap = rate * (np.asarray(x) - mean)
    half = np.exp(-np.abs(gap)) / 2
    return np.where(gap < 0, half, 1 - half)


def between(rate: float, mean: float, a: Numbers, b: Numbers) -> Numbers:
    """Return Pr(a ≤ Laplace noise ≤ b), 0 if a > b."""
    return np.maximum(0, below(rate, mean, b) - below(rate, mean, a))


def along(f: Callable[[Numbers], Numbers], kinks: Sequence[float], rates: Sequence[float]) -> float:
    """Return the integral of f over all numbers; f is smooth between kinks, with decay by rates."""
    points = sorted(set(map(float, kinks)))
    reach, step = 40 / min(rates), 4 / max(rates)
    ends = [points[0] - reach, *points, points[-1] + reach]
    cuts = np.concatenate(
        [np.linspace(a, b, math.ceil((b - a) / step) + 1)[:-1] for a, b in pairwise(ends)]
        + [np.array([ends[-1]])]
    )
    half = np.diff(cuts)[:, None] / 2
    middle = (cuts[1:] + cuts[:-1])[:, None] / 2
    return float(np.sum(half * _WEIGHTS * f(middle + half * _NODES)))


def _stretch(
    threshold: float, query: float, q: Sequence[float], last: Callable[[Numbers], Numbers] | None
) -> float:
    """Return Pr(all of q below one threshold; the last fulfils `last` given the threshold)."""

    def given(t: Numbers) -> Numbers:
        chance = density(threshold, 0, t)
        for mean in q if last is None else q[:-1]:
            chance = chance * below(query, mean, t)
        return chance if last is None else chance * last(t)

    return along(given, [0, *q, *(x + d for x in q for d in (-1, 1, -2, 2))], [threshold, query])


def _stretches(q: Sequence[float], c: int) -> tuple[list[list[float]], list[float]]:
    """Return the queries up to each of the first c at or above 0, and the queries after them."""
    found: list[list[float]] = []
    now: list[float] = []
    for x in q:
        now.append(x)
        if x >= 0:
            found.append(now)
            now = []
            if len(found) == c:
                break
    return found, now


def sparse(q: Sequence[float], c: int, eps: float) -> float:
    """Return Pr(Sparse answers rightly)."""
    threshold, query = eps / (2 * c), eps / (4 * c)
    tops, rest = _stretches(q, c)
    chance = 1.0
    for some in tops:
        chance *= _stretch(threshold, query, some, _at_least(query, some[-1]))
    return chance * (_stretch(threshold, query, rest, None) if rest else 1.0)


def _at_least(rate: float, mean: float) -> Callable[[Numbers], Numbers]:
    return lambda t: 1 - below(rate, mean, t)


def sparse_variant(q: Sequence[float], c: int, eps: float, artifact: bool) -> float:
    """Return Pr(SparseVariant answers rightly): one threshold for all."""
    threshold, query = eps / (2 if artifact else 2 * c), eps / (4 * c)
    tops, rest = _stretches(q, c)
    prefix = [x for some in tops for x in some] + rest

    def given(t: Numbers) -> Numbers:
        chance = density(threshold, 0, t)
        for x in prefix:
            under = below(query, x, t)
            chance = chance * (1 - under if x >= 0 else under)
        return chance

    return along(given, [0, *prefix], [threshold, query])


def noisy_max(q: Sequence[float], right: Sequence[int], eps: float) -> float:
    """Return Pr(NoisyMax returns one of the right indices)."""
    rate = eps / 2

    def won_by(i: int) -> float:
        def given(x: Numbers) -> Numbers:
            chance = density(rate, q[i], x)
            for j, mean in enumerate(q):
                if j != i:
                    chance = chance * below(rate, mean, x)
            return chance

        return along(given, q, [rate])

    return math.fsum(won_by(i) for i in right)


def numeric_sparse(q: Sequence[float], c: int, radius: float, eps: float, artifact: bool) -> float:
    """Return Pr(NumericSparse releases the right queries, each within the radius)."""
    threshold = 4 * eps / (9 * c)
    query = eps / (9 * c) if artifact else 2 * eps / (9 * c)
    release = eps / (9 * c)
    tops, rest = _stretches(q, c)
    chance = 1.0
    for some in tops:
        x = some[-1]
        if artifact:  # the sample that is at least t is the one released

            def last(t: Numbers, x: float = x) -> Numbers:
                return between(query, x, np.maximum(t, x - radius), x + radius)

            chance *= _stretch(threshold, query, some, last)
        else:
            chance *= _stretch(threshold, query, some, _at_least(query, x))
            chance *= 1 - math.exp(-radius * release)
    return chance * (_stretch(threshold, query, rest, None) if rest else 1.0)

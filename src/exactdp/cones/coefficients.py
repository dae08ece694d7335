"""Exact proof of g ≥ 0 on the whole orthant, by coefficients in a basis of nonnegative functions.

Let a₁ ≥ a₂ ≥ … ≥ aₙ be the decay rates along one axis, each as often as its powers need, and let
φᵢ(s) be the convolution of exp(−a₁s), …, exp(−aᵢs) on [0, s] (up to a factor the density of a sum
of exponential variables, so φᵢ ≥ 0). Every g in the span of the s^k·exp(−as) is Σ dᵢφᵢ with

    dᵢ = (Lᵢ₋₁ ⋯ L₁ g)(0),   Lⱼ = d/ds + aⱼ,

by integrating exp(aⱼs)·Lⱼg = d/ds (exp(aⱼs)·g) repeatedly. So if all dᵢ ≥ 0 then g ≥ 0. For
rates 0, 1, …, n and z = exp(−s) this is the test by Bernstein coefficients of a polynomial on
[0, 1]; here powers of s and missing exponents are allowed, as are zeros of g of any order at s = 0
or at infinity. Several axes are treated one by one (a tensor product).
"""

from __future__ import annotations

import math
from collections.abc import Set
from functools import lru_cache

from exactdp.cones.piece import Factor, LocalTerms


@lru_cache(maxsize=4096)
def functionals(nodes: tuple[int, ...]) -> tuple[dict[Factor, int], ...]:
    """Return for each i the numbers dᵢ(s^k·exp(−as)) that are not 0; all are positive.

    The nodes are the rates in decreasing order. Lⱼ maps exp(−as)·p to exp(−as)·(p′ + (aⱼ−a)p),
    so dᵢ(s^k·exp(−as)) is k! times the coefficient of x^k in ∏ (x + aⱼ − a) over j < i.
    """
    rows: list[dict[Factor, int]] = []
    products = {a: [1] + [0] * (nodes.count(a) - 1) for a in sorted(set(nodes))}
    for node in nodes:
        rows.append(
            {
                (k, a): math.factorial(k) * entry
                for a, product in products.items()
                for k, entry in enumerate(product)
                if entry
            }
        )
        for a, product in products.items():
            shift = node - a
            products[a] = [
                (product[k - 1] if k else 0) + shift * entry for k, entry in enumerate(product)
            ]
    return tuple(rows)


@lru_cache(maxsize=65_536)
def _functionals(factors: frozenset[Factor]) -> tuple[dict[Factor, int], ...]:
    return functionals(nodes_of(factors))


def nodes_of(factors: Set[Factor]) -> tuple[int, ...]:
    """Return the rates along an axis, decreasing, each once more often than its largest power."""
    highest: dict[int, int] = {}
    for k, a in factors:
        highest[a] = max(highest.get(a, 0), k)
    return tuple(a for a in sorted(highest, reverse=True) for _ in range(highest[a] + 1))


def nonnegative(terms: LocalTerms) -> bool:
    """Whether all coefficients of g in the basis are nonnegative; if so, g ≥ 0 on the orthant."""
    if all(c >= 0 for c in terms.values()):
        return True
    size = len(next(iter(terms)))
    width = [len(nodes_of({key[j] for key in terms})) for j in range(size)]
    order = sorted(range(size), key=lambda j: width[j])
    # The last axis of a key is expanded first: the one with the fewest functions last.
    return _expanded({tuple(key[j] for j in order): c for key, c in terms.items()}, size)


def _expanded(terms: LocalTerms, axes: int) -> bool:
    if all(c >= 0 for c in terms.values()):
        return True
    if axes == 0:
        return False
    groups: dict[Factor, LocalTerms] = {}
    for key, c in terms.items():
        groups.setdefault(key[-1], {})[key[:-1]] = c
    if len(groups) == 1:
        (rest,) = groups.values()
        return _expanded(rest, axes - 1)
    rows = _functionals(frozenset(groups))
    if axes == 1:
        single = [(factor, group[()]) for factor, group in groups.items()]
        return all(sum([row.get(factor, 0) * c for factor, c in single]) >= 0 for row in rows)
    for row in rows:
        rest = {}
        for factor, group in groups.items():
            weight = row.get(factor)
            if weight:
                for key, c in group.items():
                    rest[key] = rest.get(key, 0) + weight * c
        if not _expanded(rest, axes - 1):
            return False
    return True

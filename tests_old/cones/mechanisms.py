"""Closed forms of two mechanisms on one cell, by integrating one live variable by hand.

Everything is scaled by ε: rates are plain numbers, and x stands for εx. The integrand is a
product of Laplace densities and distribution functions; between two neighbouring breakpoints it is
a sum of exponentials in t, and ∫ exp(λt) dt is elementary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from exactdp.cones import Cone, OrderedSum
from exactdp.reals import ExpPoly, exp, parameter

Line = tuple[Fraction, ExpPoly]
"""exp(λ·t)·c as (λ, c), c a sum that does not depend on t."""


def density(rate: Fraction, mean: ExpPoly, above: bool) -> list[Line]:
    """Return the Laplace density where t ≥ mean (above) or t ≤ mean."""
    sign = -1 if above else 1
    return [(sign * rate, exp(mean * (-sign * rate)) * (rate / 2))]


def below(rate: Fraction, mean: ExpPoly, above: bool) -> list[Line]:
    """Return Pr(noise ≤ t)."""
    if above:
        return [(Fraction(0), ExpPoly(1)), (-rate, exp(mean * rate) * Fraction(-1, 2))]
    return [(rate, exp(mean * -rate) * Fraction(1, 2))]


def beyond(rate: Fraction, mean: ExpPoly, above: bool) -> list[Line]:
    """Return Pr(noise ≥ t)."""
    return [(Fraction(0), ExpPoly(1))] + [(lam, -c) for lam, c in below(rate, mean, above)]


Kind = Callable[[Fraction, ExpPoly, bool], list[Line]]


def integral(
    factors: Sequence[tuple[Kind, Fraction, ExpPoly]], order: Sequence[ExpPoly]
) -> ExpPoly:
    """Return ∫ ∏ factor(t) dt over the line; `order` lists the different means, smallest first."""
    total = ExpPoly(0)
    for gap in range(len(order) + 1):
        product: list[Line] = [(Fraction(0), ExpPoly(1))]
        for kind, rate, mean in factors:
            lines = kind(rate, mean, order.index(mean) < gap)
            product = [(a + b, c * d) for a, c in product for b, d in lines]
        gathered: dict[Fraction, ExpPoly] = {}
        for lam, c in product:
            gathered[lam] = gathered[lam] + c if lam in gathered else c
        for lam, c in gathered.items():
            if not c:
                continue
            if lam == 0:
                total += c * (order[gap] - order[gap - 1])
                continue
            if gap < len(order):
                total += c * exp(order[gap] * lam) / lam
            if gap > 0:
                total -= c * exp(order[gap - 1] * lam) / lam
    return total


def names_of(size: int) -> tuple[str, ...]:
    """Return the names of so many parameters: those of the queries, and α."""
    return (*(f"x{i}" for i in range(1, size)), "alpha")


def ordered(f: ExpPoly, cone: Cone) -> OrderedSum:
    """Return a sum of one of these mechanisms as a function on its cone."""
    return OrderedSum(f, names_of(cone.size))


def noisy_max(m: int) -> tuple[ExpPoly, ExpPoly, Cone]:
    """Return β = m·exp(−α/2), the probability of a wrong answer and x₁ ≥ … ≥ x_m, x₁ − x₂ ≥ 2α.

    The variables are the gaps xᵢ − x_m for i < m (the law depends on them alone), and α.
    """
    variables = [parameter(name) for name in names_of(m)]
    xs = (*variables[:-1], ExpPoly(0))
    half = Fraction(1, 2)
    factors: list[tuple[Kind, Fraction, ExpPoly]] = [(density, half, xs[0])]
    factors += [(below, half, x) for x in xs[1:]]
    right = integral(factors, xs[::-1])
    rows = [[int(j == i) - int(j == i + 1 and i + 1 < m - 1) for j in range(m)] for i in range(m)]
    rows[m - 1] = [0] * (m - 1) + [1]
    gap = [*rows[0][:-1], -2]
    return m * exp(-variables[-1] / 2), 1 - right, Cone.of(m, [*rows, gap])


def above_threshold(m: int, k: int) -> tuple[ExpPoly, ExpPoly, Cone]:
    """Return β = 2m·exp(−α/8), Pr(not ⊥^{k−1}⊤) and the cell x₁ ≤ … ≤ x_{k−1} ≤ 0 ≤ x_k.

    With k = m + 1 the ideal answer is ⊥^m. The cell has 0 ≤ α ≤ |xᵢ| for each i that matters.
    """
    size = min(k, m)
    variables = [parameter(name) for name in names_of(size + 1)]
    alpha, xs = variables[-1], variables[:-1]
    quarter, zero = Fraction(1, 4), ExpPoly(0)
    low = list(xs[: k - 1])
    factors: list[tuple[Kind, Fraction, ExpPoly]] = [(density, Fraction(1, 2), zero)]
    factors += [(below, quarter, x) for x in low]
    order = [*low, zero]
    rows = [[int(j == i + 1) - int(j == i) for j in range(size + 1)] for i in range(len(low) - 1)]
    rows.append([0] * size + [1])
    if low:
        rows.append([-int(j == len(low) - 1) for j in range(size)] + [-1])
    if k <= m:
        factors.append((beyond, quarter, xs[k - 1]))
        order.append(xs[k - 1])
        rows.append([int(j == k - 1) for j in range(size)] + [-1])
    right = integral(factors, order)
    return 2 * m * exp(-alpha / 8), 1 - right, Cone.of(size + 1, rows)

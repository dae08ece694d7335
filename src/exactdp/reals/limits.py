"""The exact behaviour of a closed form at 0 and at ∞."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING

from flint import fmpq

from exactdp.reals.numbers import exact, fraction, inf

if TYPE_CHECKING:
    from exactdp.reals.exp_poly import ExpPoly


def order_at_zero(form: ExpPoly) -> tuple[int, Fraction]:
    """Return (k, c) with form(ε) = c·ε^k + O(ε^{k+1}), c ≠ 0, for a form that is not 0.

    Σ pᵢ(ε)·e^{qᵢε} solves a linear differential equation of order n = Σ (deg pᵢ + 1), so its
    first n Taylor coefficients are not all 0: the search terminates.
    """
    parts = [
        (exact(rate), [(k, c) for k, c in enumerate(polynomial.coeffs()) if c])
        for rate, polynomial in form.exponentials().items()
    ]
    order = 0
    while True:
        coefficient = fmpq(0)
        for rate, polynomial in parts:
            for k, c in polynomial:
                if k <= order:
                    coefficient += c * rate ** (order - k) / factorial(order - k)
        if coefficient:
            return order, fraction(coefficient)
        order += 1


def at_zero(over: ExpPoly, under: ExpPoly) -> Fraction | float:
    """Return the limit of over/under at 0⁺."""
    if not over:
        return Fraction(0)
    (high, above), (low, below) = order_at_zero(over), order_at_zero(under)
    return _limit(low - high, above / below)


def at_infinity(over: ExpPoly, under: ExpPoly) -> Fraction | float:
    """Return the limit of over/under at ∞: the dominant terms decide."""
    if not over:
        return Fraction(0)
    (rate, power, above), (under_rate, under_power, below) = dominant(over), dominant(under)
    growth = rate - under_rate or Fraction(power - under_power)
    return _limit(growth, above / below)


def dominant(form: ExpPoly) -> tuple[Fraction, int, Fraction]:
    """Return (q, k, c) of the term c·ε^k·e^{qε} that dominates at ∞."""
    rate, polynomial = max(form.exponentials().items())
    return rate, polynomial.degree(), fraction(polynomial[polynomial.degree()])


def _limit(growth: Fraction | int, factor: Fraction) -> Fraction | float:
    if growth == 0:
        return factor
    if growth < 0:
        return Fraction(0)
    return inf if factor > 0 else -inf

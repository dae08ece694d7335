"""The exact behaviour of a quotient of sums Σ c·ε^k·e^{qε} at 0 and at ∞."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial
from typing import Any, Protocol, TypeAlias

from flint import fmpq

from exactdp.reals.numbers import fraction, inf

Row: TypeAlias = tuple[int, Any, Any]
"""k, q and c of a term c·ε^k·e^{qε}."""


class HasRows(Protocol):
    """A sum whose numbers are rational, or made of roots."""

    def rows(self) -> Sequence[Row]:
        """Return the terms."""


def coefficient_at_zero(rows: Sequence[Row], order: int) -> Any:
    """Return a coefficient of the series of a sum at 0."""
    return sum(c * q ** (order - k) / factorial(order - k) for k, q, c in rows if k <= order)


def order_at_zero(form: HasRows) -> tuple[int, Any]:
    """Return (k, c) with form(ε) = c·ε^k + O(ε^{k+1}), c ≠ 0, for a form that is not 0.

    Σ pᵢ(ε)·e^{qᵢε} solves a linear differential equation of order n = Σ (deg pᵢ + 1), so its
    first n Taylor coefficients are not all 0: the search terminates.
    """
    rows = form.rows()
    order = min(k for k, _, _ in rows)
    while (found := coefficient_at_zero(rows, order)) == 0:
        order += 1
    return order, _plain(found)


def at_zero(over: HasRows, under: HasRows) -> Any:
    """Return the limit of over/under at 0⁺."""
    if not over:
        return Fraction(0)
    (high, above), (low, below) = order_at_zero(over), order_at_zero(under)
    return _limit(low - high, above / below)


def at_infinity(over: HasRows, under: HasRows) -> Any:
    """Return the limit of over/under at ∞: the dominant terms decide."""
    if not over:
        return Fraction(0)
    (rate, power, above), (under_rate, under_power, below) = dominant(over), dominant(under)
    return _limit(rate - under_rate or Fraction(power - under_power), above / below)


def dominant(form: HasRows) -> tuple[Any, int, Any]:
    """Return (q, k, c) of the term c·ε^k·e^{qε} that dominates at ∞."""
    power, rate, factor = max(form.rows(), key=lambda row: (row[1], row[0]))
    return _plain(rate), power, _plain(factor)


def _limit(growth: Any, factor: Any) -> Any:
    if growth == 0:
        return factor
    if growth < 0:
        return Fraction(0)
    return inf if factor > 0 else -inf


def _plain(number: Any) -> Any:
    return fraction(number) if isinstance(number, fmpq) else number

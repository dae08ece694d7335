"""Limits of exact forms on a line at 0 and ∞, and derivatives."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, inf
from typing import TYPE_CHECKING, Any

from ..errors import fail
from . import exact
from .expsum import ExpSum
from .ratio import Ratio

if TYPE_CHECKING:
    from .expr import Expr

Limit = Fraction | float | ExpSum | Ratio
"""A rational, ±∞, or a constant that is not known to be rational."""


def form_on_a_line(root: Expr) -> ExpSum | Ratio:
    """Return the exact form of a formula in ε alone; others are refused."""
    if not root.names <= {"eps"}:
        fail("E26", what=str(root), names=sorted(root.names - {"eps"}))
    found = exact.form(root)
    if found is None:
        fail("E38", what=str(root))
    return found


def limit(root: Expr, at: object) -> Limit:
    """Return the limit of a formula for ε → 0 from above (at=0) or ε → ∞ (at=inf).

    Near 0 a sum is c·εⁿ + …, where its n-th derivative is the first that is not 0; near ∞ it is
    c·ε^k·e^{bε} + … with its dominant term. So a quotient tends to 0 or ±∞ if these differ, and to
    the quotient of the constants otherwise.
    """
    if isinstance(at, bool) or at not in (0, inf):
        fail("E39", value=at)
    form = form_on_a_line(root)
    over, under = (form.num, form.den) if isinstance(form, Ratio) else (form, ExpSum.of(1))
    if not over:
        return Fraction(0)
    (size, c), (other, d) = (_leading(f, at == 0) for f in (over, under))
    if size < other:
        return Fraction(0)
    if size > other:
        signs = c.sign(), d.sign()
        if None in signs:
            fail("E27", what=str(root), value="0" if at == 0 else "∞")
        return inf if signs[0] == signs[1] else -inf
    found: ExpSum | Ratio = exact.simple(Ratio.of(c) / d)
    number = found.rational()
    return found if number is None else number


def _leading(f: ExpSum, near_zero: bool) -> tuple[tuple[Any, int], ExpSum]:
    """Return the size of the leading term, which larger terms exceed, and its coefficient."""
    if near_zero:
        n, g = f.order_at_zero(), f
        for _ in range(n):
            g = g.derivative()
        return (0, -n), g.at_zero() / factorial(n)
    k, b = f.dominant()
    return (Fraction(b, f.unit), k), f.lead


def derivative(root: Expr) -> ExpSum | Ratio:
    """Return the derivative by ε of a formula in ε alone that has an exact form."""
    return form_on_a_line(root).derivative()

"""Formulas with rational numbers that are never above, or never below, one with irrational numbers.

For all reals, probabilities are sums of exponentials with rational rates, and β has to be one, too.
A claim that holds with a smaller β holds, and one that fails with a larger β fails.
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims.stated.conditions import CaseFormula
from exactdp.claims.stated.expressions import (
    Constant,
    Exponential,
    Expression,
    Maximum,
    Minimum,
    Power,
    Product,
    Quotient,
    Sum,
    sign_of,
)
from exactdp.claims.stated.features import has_root
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.radical_form import RadicalForm, made
from exactdp.reals.radicals import Radical, Surd
from exactdp.reals.radicals import sign_of as sign_of_number
from exactdp.reals.surd_sum import SurdSum

_ROOM = Fraction(1, 10**12)


def rational_bound(part: Expression, side: int, on: Interval) -> Expression | None:
    """Return a formula that is never above a part (side −1) or never below it (1), for ε > 0.

    None if the form of the part does not show how it depends on its numbers.
    """
    if not has_root(part):
        return part
    match part:
        case Constant(form):
            found = _rounded(form, side)
            return None if found is None else Constant(found)
        case Exponential() | Sum() | Minimum() | Maximum() | CaseFormula():
            bounds = [rational_bound(one, side, on) for one in part.operands()]
            known = [one for one in bounds if one is not None]
            return part.rebuilt(known) if len(known) == len(bounds) else None
        case Product(left, right):
            return _product(left, right, side, on)
        case Quotient(left, Constant(form)) if form.is_irrational:
            return rational_bound(Product(left, Constant(1 / form)), side, on)
        case Quotient(left, right):
            if has_root(right):
                return None
            sign = sign_of(right, on)
            over = None if sign is None else rational_bound(left, side * sign, on)
            return None if over is None else Quotient(over, right)
        case Power(base, power):
            inner = rational_bound(base, side, on) if sign_of(base, on) == 1 else None
            return None if inner is None or sign_of(inner, on) != 1 else Power(inner, power)
    return None


def _product(left: Expression, right: Expression, side: int, on: Interval) -> Expression | None:
    """Bound a product: with a·b ≥ 0 for signs s and t, each factor is bounded by the other's."""
    signs = sign_of(left, on), sign_of(right, on)
    if None in signs:
        return None
    one = rational_bound(left, side * (signs[1] or 0), on)
    two = rational_bound(right, side * (signs[0] or 0), on)
    if one is None or two is None or (sign_of(one, on), sign_of(two, on)) != signs:
        return None
    return Product(one, two)


def _rounded(form: ClosedForm, side: int) -> ClosedForm | None:
    """Return a sum of c·ε^k·e^{qε} with rational numbers on one side of a given one."""
    if not isinstance(form, RadicalForm) or form.under != 1:
        return None
    found: dict[tuple[int, Surd], Surd] = {}
    for power, rate, factor in form.over.rows():
        towards = side * sign_of_number(factor)
        key = power, rate.near(towards, _ROOM) if isinstance(rate, Radical) else rate
        number = factor.near(side, _ROOM) if isinstance(factor, Radical) else factor
        found[key] = found.get(key, Fraction(0)) + number
    return made(SurdSum(found))

"""The hypotheses on β of the theorems in the paper's table, checked on its formula.

A formula is continuous wherever it is defined, so continuity from below needs no check. Whether β
is nonincreasing in α and in γ is derived from its form: sums, products with nonnegative factors,
exponentials and minima of nonincreasing functions are nonincreasing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from exactdp.claims.stated.expressions import (
    Constant,
    Exponential,
    Expression,
    Minimum,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    never_negative,
    sign_of,
    together,
)
from exactdp.reals import ClosedForm, ExpPoly, Interval, eps, parameter
from exactdp.reals.numbers import inf


@lru_cache(maxsize=256)
def falls(expression: Expression, name: str, on: Interval) -> bool:
    """Whether the form of an expression shows that it is nonincreasing in a variable."""
    return _trend(expression, name, on) in (0, -1)


def proved_signs(part: Expression, on: Interval) -> Iterator[ClosedForm]:
    """Yield closed forms of an expression, or their negations, that are nonnegative on an interval.

    Those whose coefficients show this at every ε are omitted.
    """
    match part:
        case Constant(form):
            signs = [{c > 0 for c, _, _ in one.terms} for one in _parts(form)]
            if any(len(one) > 1 for one in signs):
                yield from (one for one in (form, -form) if never_negative(one, on))
        case _:
            for one in part.operands():
                yield from proved_signs(one, on)


def _trend(part: Expression, name: str, on: Interval) -> int | None:
    """Return −1 if a part decreases in a variable, 1 if it grows, 0 if neither; None if unknown."""
    if name not in part.names():
        return 0
    match part:
        case Symbol():
            return 1
        case Sum() | Minimum():
            return together(_trend(one, name, on) for one in part.operands())
        case Exponential(exponent):
            return _trend(exponent, name, on)
        case Power(base, power):
            if power == 0:
                return 0
            return _trend(base, name, on) if sign_of(base, on) in (0, 1) else None
        case Product(left, right):
            return _product(left, right, name, on)
        case Quotient(left, right):
            if sign_of(right, on) != 1:
                return None
            under = _trend(right, name, on)
            over = _signed(_trend(left, name, on), 1)
            if under == 0:
                return over
            sign = sign_of(left, on)
            if under is None or sign is None:
                return None
            return together((over, -under * sign))
    return None


def _product(left: Expression, right: Expression, name: str, on: Interval) -> int | None:
    one, two = _trend(left, name, on), _trend(right, name, on)
    if one == 0:
        return _signed(two, sign_of(left, on))
    if two == 0:
        return _signed(one, sign_of(right, on))
    # (ab)' = a'b + ab'
    return together((_signed(one, sign_of(right, on)), _signed(two, sign_of(left, on))))


def _signed(trend: int | None, sign: int | None) -> int | None:
    return None if trend is None or sign is None else trend * sign


def at_infinity(form: ClosedForm, scaled: str) -> ClosedForm | float:
    """Return the limit of a form in ε and a scaled parameter as the parameter tends to ∞.

    The limit is ±`inf` if it is infinite for every ε.
    """
    (over, high), (under, low) = (_leading(part, scaled) for part in _parts(form))
    if high == low:
        return over / under
    if high < low:
        return ExpPoly(0)
    return inf if never_negative(over * under) else -inf


def _parts(form: ClosedForm) -> tuple[ExpPoly, ExpPoly]:
    return form.numerator, form.denominator


def _leading(part: ExpPoly, scaled: str) -> tuple[ExpPoly, tuple[object, int]]:
    """Return the fastest-growing part in a parameter: its factor and (rate, power)."""
    groups: dict[tuple[object, int], list[object]] = {}
    for coefficient, powers, rates in part.terms:
        growth = dict(rates).get(scaled, 0), dict(powers).get(scaled, 0)
        rest = (
            coefficient,
            tuple(entry for entry in powers if entry[0] != scaled),
            tuple(entry for entry in rates if entry[0] != scaled),
        )
        groups.setdefault(growth, []).append(rest)
    if not groups:
        return ExpPoly(0), (-inf, 0)
    top = max(groups)
    return ExpPoly(groups[top]), top  # type: ignore[arg-type]


def scaled_value(name: str) -> ClosedForm:
    """Return a variable as a parameter divided by ε, so that its product with ε is linear."""
    return parameter(name) / eps

"""Powers of e with rational exponents in β: e to multiples of a parameter that is 1.

So e² is what a mechanism with 2/ε has, too: a closed form in ε and the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

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
)
from exactdp.claims.stated.features import has_root
from exactdp.claims.stated.hypotheses import scaled_value
from exactdp.errors import ExactdpError
from exactdp.reals import ClosedForm, ExpPoly, Interval, eps, parameter
from exactdp.reals.exp_poly import exp
from exactdp.reals.logs import UNIT, is_constant, named_constants


class ConstantForm(Constant):
    """A closed form in ε with parameters that are 1 or logarithms."""

    def __str__(self) -> str:
        return named_constants(str(self.form))

    def with_numbers(self) -> Expression:
        """Return the formula with e^c for e to c times the parameter that is 1, if it is a sum."""
        if UNIT not in self.form.parameters or self.form.denominator != 1:
            return self
        total: Expression | None = None
        for c, powers, rates in self.form.numerator.terms:
            rest = ConstantForm(ExpPoly([(c, powers, tuple(x for x in rates if x[0] != UNIT))]))
            power = Exponential(Constant(ExpPoly(dict(rates).get(UNIT, 0))))
            part = power if rest.form == ExpPoly(1) else Product(rest, power)
            total = part if total is None else Sum(total, part)
        return self if total is None else total


def units_of(part: Expression) -> tuple[str, ...]:
    """Return the parameters of an expression that are 1 or logarithms."""
    found = {
        name
        for one in _all_parts(part)
        if isinstance(one, ConstantForm)
        for name in filter(is_constant, one.form.parameters)
    }
    return tuple(sorted(found))


def with_powers_of_e(part: Expression, on: Interval) -> Expression:
    """Return a formula with e^c as e to c times a parameter, if all exponents are linear.

    At a single ε the parameter is a multiple of ε, which is 1 there.
    """
    if has_root(part):
        return part
    every = [one for one in _all_parts(part) if isinstance(one, Exponential)]
    numbers = [_number_in(one.exponent) for one in every]
    if None in numbers or not any(numbers):
        return part
    one = eps / Fraction(on.lower) if on.is_point else parameter(UNIT)
    return _rewritten(part, one)


def is_bent(level: Any) -> bool:
    """Whether α or γ is a function of ε that is not a + b/ε: then exponents are polynomials."""
    is_form = isinstance(level, Constant) and not isinstance(level, ConstantForm)
    if not is_form or level.form.is_irrational:
        return False
    scaled = level.form * eps
    parts = scaled.numerator.exponentials()
    is_plain = scaled.denominator == 1 and parts.keys() <= {0}
    return not is_plain or any(one.degree() > 1 for one in parts.values())


def _all_parts(part: Expression) -> Iterator[Expression]:
    yield part
    for one in part.operands():
        yield from _all_parts(one)


def _number_in(exponent: Expression) -> Fraction | None:
    """Return the number in an exponent that is linear in ε, εα, εγ and εx beside it; else None."""
    try:
        form = exponent.at({name: scaled_value(name) for name in exponent.names()})
    except ExactdpError:
        return None
    if form.is_irrational or form.denominator != 1:
        return None
    plain = (c for c, powers, rates in form.numerator.terms if not powers and not rates)
    number = sum(map(Fraction, plain), Fraction(0))
    rest = form.numerator - number
    return number if not rest or rest.linear_form() is not None else None


def _rewritten(part: Expression, one: ClosedForm) -> Expression:
    match part:
        case Exponential(exponent):
            number = _number_in(exponent)
            if not number:
                return part
            factor = ConstantForm(exp(number * one))
            rest = _less(exponent, number)
            return factor if rest == Constant(ExpPoly(0)) else Product(factor, Exponential(rest))
        case Sum(left, right) | Product(left, right) | Quotient(left, right):
            return type(part)(_rewritten(left, one), _rewritten(right, one))
        case Power() | Minimum() | Maximum() | CaseFormula():
            return part.rebuilt(_rewritten(each, one) for each in part.operands())
    return part


def _less(exponent: Expression, number: Fraction) -> Expression:
    """Return an exponent less a number, taken from a summand that is one if possible."""
    match exponent:
        case Constant(form):
            return Constant(form - number)
        case Sum(left, Constant(form)):
            return left if form == number else left + Constant(form - number)
        case Sum(Constant(form), right):
            return right if form == number else Constant(form - number) + right
    return exponent - number

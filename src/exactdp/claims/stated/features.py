"""What an expression contains: numbers, roots, exponentials, exponents that are quotients."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims.stated.expressions import (
    Constant,
    Exponential,
    Expression,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
)
from exactdp.reals import ClosedForm
from exactdp.reals.radical_form import RadicalForm


def number_of(value: object) -> Fraction | None:
    """Return a formula, or a closed form, if it is a number, else None."""
    form = value.form if isinstance(value, Constant) else value
    if not isinstance(form, ClosedForm) or isinstance(form, RadicalForm) or form.denominator != 1:
        return None
    return form.numerator.constant()


def has_root(part: Expression) -> bool:
    """Whether an expression contains an irrational number."""
    if isinstance(part, Constant):
        return part.form.is_irrational
    return any(map(has_root, part.operands()))


def has_tower(part: Expression) -> bool:
    """Whether an expression has an exponent that is not a polynomial in ε, α, γ and inputs."""
    if isinstance(part, Exponential):
        return _is_quotient(part.exponent)
    return any(map(has_tower, part.operands()))


def has_exponential(part: Expression) -> bool:
    """Whether an expression contains e to a power."""
    match part:
        case Exponential():
            return True
        case Constant(form):
            return form.is_irrational or not form.numerator.exponentials().keys() <= {0}
    return any(map(has_exponential, part.operands()))


def _is_quotient(part: Expression) -> bool:
    """Whether a part is not a polynomial without exponentials."""
    match part:
        case Constant(RadicalForm() as form):
            return not form.is_polynomial
        case Constant(form):
            return form.denominator != 1 or not form.numerator.exponentials().keys() <= {0}
        case Quotient(left, right):
            if not isinstance(right, Constant) or right.form.denominator != 1:
                return True
            return _is_quotient(left) or right.form.numerator.constant() is None
        case Sum() | Product() | Power():
            return any(map(_is_quotient, part.operands()))
    return not isinstance(part, Symbol)

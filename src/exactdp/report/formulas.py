"""The formulas of claims as MathML and as LaTeX."""

from __future__ import annotations

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
    Symbol,
)
from exactdp.claims.stated.powers_of_e import ConstantForm
from exactdp.reals import ExpPoly
from exactdp.reals.printing import math, summands
from exactdp.reals.typesetting import LATEX, MATHML, Signed, Writer


def mathml(formula: Expression) -> str:
    """Return a formula of a claim as a `<math>` element."""
    return math(_summands(formula, MATHML))


def latex(formula: Expression) -> str:
    """Return a formula of a claim in LaTeX, without delimiters."""
    return _whole(formula, LATEX)


def _whole(formula: Expression, write: Writer) -> str:
    return write.sum(_summands(formula, write))


def _summands(formula: Expression, write: Writer, *, small: bool = False) -> list[Signed]:
    """Return the summands of a formula; `small` in an exponent, where fractions use a slash."""
    match formula:
        case ConstantForm() if (given := formula.with_numbers()) != formula:
            return _summands(given, write, small=small)
        case Constant(form):
            return summands(form, write)
        case Sum(left, right):
            return _summands(left, write, small=small) + _summands(right, write, small=small)
        case Product(Constant(form), right) if form == ExpPoly(-1):
            found = _summands(right, write, small=small)
            if len(found) > 1:
                return [(True, write.bracket(write.sum(found)))]
            return [(not negative, part) for negative, part in found]
        case Product(left, right):
            one, two = (_factor(part, write, small=small) for part in (left, right))
            return [(one[0] != two[0], write.times([one[1], two[1]]))]
        case Quotient(left, right) if small:
            one, two = (_factor(part, write, small=True) for part in (left, right))
            return [(one[0] != two[0], write.slash(one[1], two[1]))]
        case Quotient(left, right):
            one = _sole(_summands(left, write), write)
            return [(one[0], write.over(one[1], _whole(right, write)))]
        case Power(base, power):
            negative, inner = _factor(base, write, small=small)
            if negative or not isinstance(base, Symbol):
                inner = write.bracket(write.sum([(negative, inner)]))
            return [(False, write.raised(inner, write.number(power)))]
        case Exponential(exponent):
            return [(False, write.exponential(write.sum(_summands(exponent, write, small=True))))]
        case Minimum(parts) | Maximum(parts):
            word = "min" if isinstance(formula, Minimum) else "max"
            return [(False, write.extreme(word, [_whole(part, write) for part in parts]))]
        case Symbol(name):
            return [(False, write.name(name))]
    raise TypeError(f"{type(formula).__name__} is not a known formula")


def _factor(formula: Expression, write: Writer, *, small: bool) -> Signed:
    found = _summands(formula, write, small=small)
    return found[0] if len(found) == 1 else (False, write.bracket(write.sum(found)))


def _sole(found: list[Signed], write: Writer) -> Signed:
    """Return the numerator of a fraction, with a single minus sign factored out."""
    return found[0] if len(found) == 1 else (False, write.sum(found))

"""Closed forms as text: to parse back, to read, for LaTeX, for MathML, and for SymPy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from exactdp.errors import ValueRefusedError
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.radicals import Radical, Surd, sign_of
from exactdp.reals.typesetting import LATEX, MATHML, TEXT, UNICODE, Signed, Writer

if TYPE_CHECKING:
    from exactdp.reals.closed_form import ClosedForm
    from exactdp.reals.exp_poly import ExpPoly


def text(form: ClosedForm) -> str:
    """Return the form as `parse` reads it: 1 - 2/3*exp(-2/9*eps)."""
    return TEXT.sum(summands(form, TEXT))


def pretty(form: ClosedForm) -> str:
    """Return the form in Unicode: 1 − 2/3·e^(−2ε/9)."""
    return UNICODE.sum(summands(form, UNICODE))


def latex(form: ClosedForm) -> str:
    r"""Return the form in LaTeX: 1 - \frac{2}{3} e^{-\frac{2}{9}\varepsilon}."""
    return LATEX.sum(summands(form, LATEX))


def mathml(form: ClosedForm) -> str:
    """Return a closed form as a `<math>` element."""
    return math(summands(form, MATHML))


def term_mathml(term: ExpTerm) -> str:
    """Return one summand with its sign as a `<math>` element."""
    return math([_term(term, MATHML)])


def math(parts: Iterable[Signed]) -> str:
    """Return a sum in MathML as a `<math>` element whose fractions are large enough to read."""
    return f'<math displaystyle="true"><mrow>{MATHML.sum(parts)}</mrow></math>'


def summands(form: ClosedForm, write: Writer) -> list[Signed]:
    """Return the summands of a closed form; a quotient is one."""
    over, under = form.numerator, form.denominator
    if under == 1:
        return [_term(term, write) for term in over.terms]
    above, below = (write.sum(_term(term, write) for term in one.terms) for one in (over, under))
    if not write.has_bars:
        above = above if _is_product(over) else write.bracket(above)
        below = below if _is_atom(under) else write.bracket(below)
    return [(False, write.over(above, below))]


def _is_product(form: ExpPoly) -> bool:
    """Whether the printed form can precede a slash without brackets."""
    terms = form.terms
    return len(terms) == 1 and bool(
        terms[0].powers or terms[0].rates or not _is_long(terms[0].coefficient)
    )


def _is_atom(form: ExpPoly) -> bool:
    """Whether the printed form can follow a slash without brackets."""
    terms = form.terms
    if len(terms) != 1 or terms[0].coefficient != 1:
        return False
    return len(terms[0].powers) + bool(terms[0].rates) == 1


def _term(term: ExpTerm, write: Writer) -> Signed:
    coefficient, powers, rates = term
    size: Surd = abs(coefficient)
    is_negative = sign_of(coefficient) < 0
    factors = [
        write.name(name) if power == 1 else write.raised(write.name(name), write.number(power))
        for name, power in powers
    ]
    if rates:
        multiples = (_multiple(rate, write.name(name), write) for name, rate in rates)
        factors.append(write.exponential(write.sum(multiples)))
    if size != 1 or not factors:
        number = write.number(size)
        is_apart = _is_long(size) and (factors or is_negative)
        factors.insert(0, write.bracket(number) if is_apart else number)
    return is_negative, write.times(factors)


def _multiple(rate: Surd, name: str, write: Writer) -> Signed:
    if _is_long(rate):
        return False, write.times([write.bracket(write.number(rate)), name])
    is_negative = sign_of(rate) < 0
    return is_negative, write.multiple(-rate if is_negative else rate, name)


def _is_long(number: Surd) -> bool:
    return isinstance(number, Radical) and number.is_sum


def to_sympy(form: ClosedForm) -> Any:
    """Return the form as a SymPy expression in positive symbols."""
    try:
        import sympy  # noqa: PLC0415 optional
    except ImportError:
        raise ValueRefusedError(
            "SymPy is not installed", way_out="Install it with: pip install sympy"
        ) from None

    def number(value: Surd) -> Any:
        if isinstance(value, Radical):
            return value.to_sympy()
        return sympy.Rational(value.numerator, value.denominator)

    def one(part: ExpPoly) -> Any:
        symbols = {name: sympy.Symbol(name, positive=True) for name in part.parameters}
        summands = []
        for coefficient, powers, rates in part.terms:
            exponent = sympy.Add(*(number(rate) * symbols[name] for name, rate in rates))
            factors = (symbols[name] ** power for name, power in powers)
            summands.append(sympy.Mul(number(coefficient), *factors, sympy.exp(exponent)))
        return sympy.Add(*summands)

    return one(form.numerator) / one(form.denominator)

"""Closed forms and the formulas of claims as MathML, and the latter as LaTeX.

One walk for both: it says what is a fraction, a power or a product, a writer says how that looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from html import escape
from typing import Protocol

from exactdp.claims.expressions import (
    Constant,
    Exponential,
    Expression,
    Minimum,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
)
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.reals.exp_poly import Term
from exactdp.reals.numbers import spell

INVISIBLE_TIMES = "\u2062"
_GREEK = {"eps": "ε", "alpha": "α", "gamma": "γ"}
Signed = tuple[bool, str]
"""Whether a summand is negative, and what follows the sign."""


def mathml(formula: ClosedForm | Expression) -> str:
    """Return a `<math>` element."""
    return _math(_whole(formula, _MathML()))


def _math(content: str) -> str:
    """Return a `<math>` element whose fractions are large enough to read."""
    return f'<math displaystyle="true"><mrow>{content}</mrow></math>'


def latex(formula: Expression) -> str:
    """Return a formula of a claim in LaTeX, without delimiters."""
    return _whole(formula, _Latex())


def term_mathml(term: Term) -> str:
    """Return one summand with its sign as a `<math>` element."""
    writer = _MathML()
    return _math(writer.sum([_term(term, writer)]))


class _Writer(Protocol):
    def number(self, value: int) -> str: ...
    def name(self, name: str) -> str: ...
    def sum(self, parts: Iterable[Signed]) -> str: ...
    def times(self, factors: list[str]) -> str: ...
    def over(self, above: str, below: str) -> str: ...
    def slash(self, above: str, below: str) -> str: ...
    def raised(self, base: str, power: str) -> str: ...
    def exponential(self, exponent: str) -> str: ...
    def bracket(self, inner: str) -> str: ...
    def least(self, parts: Iterable[str]) -> str: ...


class _MathML:
    def number(self, value: int) -> str:
        return f"<mn>{spell(Fraction(value))}</mn>"

    def name(self, name: str) -> str:
        shown, bracket, index = name.partition("[")
        shown = _GREEK.get(shown, shown)
        if bracket:
            return f"<msub><mi>{escape(shown)}</mi><mn>{escape(index.rstrip(']'))}</mn></msub>"
        return f"<mi>{escape(shown)}</mi>"

    def sum(self, parts: Iterable[Signed]) -> str:
        shown = ""
        for negative, part in parts:
            if shown or negative:
                form = "" if shown else ' form="prefix"'
                shown += f"<mo{form}>{'−' if negative else '+'}</mo>"
            shown += part
        return shown or "<mn>0</mn>"

    def times(self, factors: list[str]) -> str:
        shown = factors[0]
        for factor in factors[1:]:  # a dot only where two numbers would run together
            digits = factor.startswith(("<mn>", "<mfrac>"))
            shown += f"<mo>{'·' if digits else INVISIBLE_TIMES}</mo>" + factor
        return shown

    def over(self, above: str, below: str) -> str:
        return f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"

    def slash(self, above: str, below: str) -> str:
        return f"{above}<mo>/</mo>{below}"

    def raised(self, base: str, power: str) -> str:
        return f"<msup><mrow>{base}</mrow><mrow>{power}</mrow></msup>"

    def exponential(self, exponent: str) -> str:
        return self.raised("<mi>e</mi>", exponent)

    def bracket(self, inner: str) -> str:
        return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"

    def least(self, parts: Iterable[str]) -> str:
        inner = "<mo>,</mo>".join(f"<mrow>{part}</mrow>" for part in parts)
        return f"<mi>min</mi>{self.bracket(inner)}"


class _Latex:
    def number(self, value: int) -> str:
        return spell(Fraction(value))

    def name(self, name: str) -> str:
        shown, bracket, index = name.partition("[")
        if shown in _GREEK:
            return r"\varepsilon" if shown == "eps" else rf"\{shown}"
        shown = shown.replace("_", r"\_")
        shown = shown if len(shown) == 1 else rf"\mathrm{{{shown}}}"
        return f"{shown}_{{{index.rstrip(']')}}}" if bracket else shown

    def sum(self, parts: Iterable[Signed]) -> str:
        shown = ""
        for negative, part in parts:
            joint = " - " if negative else " + "
            shown += joint + part if shown else "-" * negative + part
        return shown or "0"

    def times(self, factors: list[str]) -> str:
        return r" \, ".join(factors)

    def over(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def slash(self, above: str, below: str) -> str:
        return f"{above}/{below}"

    def raised(self, base: str, power: str) -> str:
        return f"{base}^{{{power}}}"

    def exponential(self, exponent: str) -> str:
        return self.raised("e", exponent)

    def bracket(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def least(self, parts: Iterable[str]) -> str:
        return rf"\min\left({', '.join(parts)}\right)"


# Closed forms -------------------------------------------------------------------------


def _closed(form: ClosedForm, write: _Writer) -> list[Signed]:
    if form.denominator == 1:
        return [_term(term, write) for term in form.numerator.terms]
    above, below = (
        write.sum(_term(term, write) for term in part.terms)
        for part in (form.numerator, form.denominator)
    )
    return [(False, write.over(above, below))]


def _term(term: Term, write: _Writer) -> Signed:
    size = abs(term.coefficient)
    factors = [
        write.name(name) if power == 1 else write.raised(write.name(name), write.number(power))
        for name, power in term.powers
    ]
    if term.rates:
        exponent = write.sum(
            (rate < 0, _multiple(abs(rate), write.name(name), write)) for name, rate in term.rates
        )
        factors.append(write.exponential(exponent))
    if size != 1 or not factors:
        factors.insert(0, _rational(size, write))
    return term.coefficient < 0, write.times(factors)


def _rational(value: Fraction, write: _Writer) -> str:
    if value.denominator == 1:
        return write.number(value.numerator)
    return write.over(write.number(value.numerator), write.number(value.denominator))


def _multiple(rate: Fraction, name: str, write: _Writer) -> str:
    """Return a multiple of ε in an exponent, where 3ε/2 reads better than a built fraction."""
    shown = name if rate.numerator == 1 else write.times([write.number(rate.numerator), name])
    return shown if rate.denominator == 1 else write.slash(shown, write.number(rate.denominator))


# Formulas of claims -------------------------------------------------------------------


def _whole(formula: ClosedForm | Expression, write: _Writer) -> str:
    if isinstance(formula, ClosedForm):
        return write.sum(_closed(formula, write))
    return write.sum(_summands(formula, write))


def _summands(formula: Expression, write: _Writer, *, small: bool = False) -> list[Signed]:
    """Return the summands of a formula; `small` in an exponent, where fractions lie down."""
    match formula:
        case Constant(form):
            return _closed(form, write)
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
        case Minimum(parts):
            return [(False, write.least([_whole(part, write) for part in parts]))]
        case Symbol(name):
            return [(False, write.name(name))]
    raise TypeError(f"{type(formula).__name__} is not a known formula")


def _factor(formula: Expression, write: _Writer, *, small: bool) -> Signed:
    found = _summands(formula, write, small=small)
    return found[0] if len(found) == 1 else (False, write.bracket(write.sum(found)))


def _sole(found: list[Signed], write: _Writer) -> Signed:
    """Return the numerator of a fraction, a single minus sign taken out of it."""
    return found[0] if len(found) == 1 else (False, write.sum(found))

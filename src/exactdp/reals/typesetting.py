"""Closed forms as MathML, and the writers of MathML and LaTeX that formulas of claims share.

The traversal of a formula determines its fractions, powers and products; a writer formats them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Protocol

from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.reals.closed_form import ClosedForm
    from exactdp.reals.exp_term import ExpTerm

INVISIBLE_TIMES = "\u2062"
_GREEK = {"eps": "ε", "alpha": "α", "gamma": "γ"}
Signed = tuple[bool, str]
"""Whether a summand is negative, and what follows the sign."""


def mathml(form: ClosedForm) -> str:
    """Return a closed form as a `<math>` element."""
    return math(summands(form, MATHML))


def term_mathml(term: ExpTerm) -> str:
    """Return one summand with its sign as a `<math>` element."""
    return math([_term(term, MATHML)])


def math(parts: Iterable[Signed]) -> str:
    """Return a sum in MathML as a `<math>` element whose fractions are large enough to read."""
    return f'<math displaystyle="true"><mrow>{MATHML.sum(parts)}</mrow></math>'


class Writer(Protocol):
    """Formats the parts of a formula."""

    def number(self, value: int) -> str:
        """Return an integer."""

    def name(self, name: str) -> str:
        """Return a parameter, which may be an entry of a list such as q[0]."""

    def sum(self, parts: Iterable[Signed]) -> str:
        """Return the sum of the parts."""

    def times(self, factors: list[str]) -> str:
        """Return the product of the factors."""

    def over(self, above: str, below: str) -> str:
        """Return a fraction with a horizontal bar."""

    def slash(self, above: str, below: str) -> str:
        """Return a fraction in a line."""

    def raised(self, base: str, power: str) -> str:
        """Return a power."""

    def exponential(self, exponent: str) -> str:
        """Return a power of e."""

    def bracket(self, inner: str) -> str:
        """Return a formula in parentheses."""

    def least(self, parts: Iterable[str]) -> str:
        """Return the minimum of the parts."""


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


MATHML: Writer = _MathML()
LATEX: Writer = _Latex()


def summands(form: ClosedForm, write: Writer) -> list[Signed]:
    """Return the summands of a closed form; a quotient is one, and irrational ones are text."""
    if form.is_irrational:
        return [(False, form.latex() if write is LATEX else write.name(form.pretty()))]
    if form.denominator == 1:
        return [_term(term, write) for term in form.numerator.terms]
    above, below = (
        write.sum(_term(term, write) for term in part.terms)
        for part in (form.numerator, form.denominator)
    )
    return [(False, write.over(above, below))]


def _term(term: ExpTerm, write: Writer) -> Signed:
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


def _rational(value: Fraction, write: Writer) -> str:
    if value.denominator == 1:
        return write.number(value.numerator)
    return write.over(write.number(value.numerator), write.number(value.denominator))


def _multiple(rate: Fraction, name: str, write: Writer) -> str:
    """Return a multiple of ε in an exponent, where 3ε/2 reads better than a stacked fraction."""
    shown = name if rate.numerator == 1 else write.times([write.number(rate.numerator), name])
    return shown if rate.denominator == 1 else write.slash(shown, write.number(rate.denominator))

"""Closed forms as text: to parse back, to read, for LaTeX, and for SymPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.reals.closed_form import ClosedForm
    from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_term import ExpTerm

_GREEK = {"eps": "ε", "alpha": "α", "gamma": "γ"}
_LATEX = {"eps": r"\varepsilon", "alpha": r"\alpha", "gamma": r"\gamma"}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def text(form: ClosedForm) -> str:
    """Return the form as `parse` reads it: 1 - 2/3*exp(-2/9*eps)."""
    return _quotient(form, lambda part: _sum(part, _text_term))


def pretty(form: ClosedForm) -> str:
    """Return the form in Unicode: 1 − 2/3·e^(−2ε/9)."""
    return _quotient(form, lambda part: _sum(part, _pretty_term)).replace("-", "−")


def latex(form: ClosedForm) -> str:
    r"""Return the form in LaTeX: 1 - \frac{2}{3} e^{-\frac{2}{9}\varepsilon}."""
    above, below = (_sum(part, _latex_term) for part in (form.numerator, form.denominator))
    return above if form.denominator == 1 else rf"\frac{{{above}}}{{{below}}}"


def to_sympy(form: ClosedForm) -> Any:
    """Return the form as a SymPy expression in positive symbols."""
    try:
        import sympy  # noqa: PLC0415 optional
    except ImportError:
        raise ValueRefusedError(
            "SymPy is not installed", way_out="Install it with: pip install sympy"
        ) from None

    def number(value: Fraction | int) -> Any:
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


def _quotient(form: ClosedForm, show: Callable[[ExpPoly], str]) -> str:
    """Return the quotient with a slash and the brackets it needs."""
    if form.denominator == 1:
        return show(form.numerator)
    above, below = show(form.numerator), show(form.denominator)
    if len(form.numerator.terms) != 1:
        above = f"({above})"
    return f"{above}/{below}" if _is_atom(form.denominator) else f"{above}/({below})"


def _is_atom(form: ExpPoly) -> bool:
    """Whether the printed form can follow a slash without brackets."""
    terms = form.terms
    if len(terms) != 1 or terms[0].coefficient != 1:
        return False
    return len(terms[0].powers) + bool(terms[0].rates) == 1


def _signed(pieces: Iterable[tuple[bool, str]]) -> str:
    """Return the pieces, each with whether it is negative, joined by + and -."""
    shown = ""
    for negative, piece in pieces:
        joint = " - " if negative else " + "
        shown += joint + piece if shown else "-" * negative + piece
    return shown or "0"


def _sum(form: ExpPoly, show: Callable[[Fraction, ExpTerm], str]) -> str:
    """Return the terms joined by signs; `show` gets the absolute value of the coefficient."""
    return _signed((term.coefficient < 0, show(abs(term.coefficient), term)) for term in form.terms)


def _exponent(term: ExpTerm, show: Callable[[Fraction, str], str]) -> str:
    return _signed((rate < 0, show(abs(rate), name)) for name, rate in term.rates)


def _text_term(size: Fraction, term: ExpTerm) -> str:
    def multiple(rate: Fraction, name: str) -> str:
        return name if rate == 1 else f"{spell(rate)}*{name}"

    factors = [name if power == 1 else f"{name}^{power}" for name, power in term.powers]
    if term.rates:
        factors.append(f"exp({_exponent(term, multiple)})")
    return "*".join([spell(size)] * (size != 1 or not factors) + factors)


def _pretty_term(size: Fraction, term: ExpTerm) -> str:
    def multiple(rate: Fraction, name: str) -> str:
        over, under = spell(Fraction(rate.numerator)), spell(Fraction(rate.denominator))
        return over * (over != "1") + _greek(name) + f"/{under}" * (under != "1")

    factors = [
        _greek(name) + ("" if power == 1 else str(power).translate(_SUPERSCRIPT))
        for name, power in term.powers
    ]
    if term.rates:
        exponent = _exponent(term, multiple)
        factors.append(f"e^{exponent}" if exponent.isalnum() else f"e^({exponent})")
    return "·".join([spell(size)] * (size != 1 or not factors) + factors)


def _latex_term(size: Fraction, term: ExpTerm) -> str:
    def multiple(rate: Fraction, name: str) -> str:
        return _latex_name(name) if rate == 1 else f"{_latex_number(rate)} {_latex_name(name)}"

    factors = [
        _latex_name(name) + ("" if power == 1 else f"^{{{power}}}") for name, power in term.powers
    ]
    if term.rates:
        factors.append(f"e^{{{_exponent(term, multiple)}}}")
    return " ".join([_latex_number(size)] * (size != 1 or not factors) + factors)


def _greek(name: str) -> str:
    return _GREEK.get(name, name)


def _latex_name(name: str) -> str:
    if name in _LATEX:
        return _LATEX[name]
    letters = name.rstrip("0123456789")
    index = name[len(letters) :]
    letters = letters.rstrip("_").replace("_", r"\_")
    base = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
    return f"{base}_{{{index}}}" if index else base


def _latex_number(value: Fraction) -> str:
    if value.denominator == 1:
        return spell(value)
    over, under = spell(Fraction(value.numerator)), spell(Fraction(value.denominator))
    return rf"\frac{{{over}}}{{{under}}}"

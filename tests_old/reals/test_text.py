"""Reading and printing closed forms, and every way in which a text can be wrong."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from exactdp import ParseError
from exactdp.reals import ExpPoly, eps, exp, parameter, parse
from reals.closed_forms import by_mpmath, sums
from support.examples import examples


@examples(100)
@given(sums(), sums(3))
def test_printing_parses_back(f: ExpPoly, g: ExpPoly) -> None:
    assert parse(str(f)) == f
    if g:
        assert parse(str(f / g)) == f / g


@examples(50)
@given(sums(4), sums(3), st.fractions(Fraction(1, 9), 3, max_denominator=9))
def test_sympy_export_has_the_same_values(f: ExpPoly, g: ExpPoly, x: Fraction) -> None:
    if not g or abs(by_mpmath(g, x)) < 1e-9:
        return
    form = f / g
    symbol = sympy.Symbol("eps", positive=True)
    point = sympy.Rational(x.numerator, x.denominator)
    value = form.to_sympy().subs(symbol, point)
    with mpmath.workdps(40):
        got = mpmath.mpf(str(sympy.N(value, 40)))
        assert mpmath.almosteq(got, by_mpmath(form, x), 1e-25, 1e-25)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 - 2/3*exp(-2/9*eps) + 1/6*eps*exp(-eps)", None),
        ("0.1", Fraction(1, 10)),
        ("1e-40", Fraction(1, 10**40)),
        (".5 + 2.", Fraction(5, 2)),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-2", Fraction(1, 4)),
        ("2**(-2)", Fraction(1, 4)),
        ("6/2/3", 1),
        ("--3", 3),
        ("2*-3", -6),
        ("exp(0)", 1),
        ("exp(eps)*exp(-eps)", 1),
        ("eps - ε", 0),
        ("(1 - exp(-2*eps))/(1 - exp(-eps)) - exp(-eps)", 1),
        ("(" * 90 + "1" + ")" * 90, 1),
        ("9" * 5000 + "/" + "9" * 5000, 1),
    ],
)
def test_what_texts_mean(text: str, value: object) -> None:
    if value is None:
        value = 1 - Fraction(2, 3) * exp(eps * Fraction(-2, 9)) + eps * exp(-eps) / 6
    assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "no text", 1),
        ("   ", "no text", 4),
        ("1 +", "missing at the end", 4),
        ("(1 + eps", "never closed", 1),
        ("exp(eps", "never closed", 4),
        ("1 + eps)", "no opening bracket", 8),
        ("2 eps", "operator is missing before 'eps'", 3),
        ("2eps", "operator is missing before 'eps'", 2),
        ("1..2", "operator is missing before '.2'", 3),
        ("2^eps", "must be a whole number", 3),
        ("eps^eps", "must be a whole number", 5),
        ("eps^1.5", "must be a whole number", 5),
        ("eps^(1/2)", "must be a whole number", 5),
        ("2^3^2", "power of a power", 3),
        ("exp(1)", "not a rational multiple of eps", 5),
        ("exp(eps^2)", "not a rational multiple of eps", 5),
        ("exp(eps + 1)", "not a rational multiple of eps", 5),
        ("exp(exp(eps))", "not a rational multiple of eps", 5),
        ("exp(1/eps)", "not a rational multiple of eps", 5),
        ("exp eps", "needs brackets", 1),
        ("log(eps)", "function log is not known", 1),
        ("alpha + 1", "name alpha is not known", 1),
        ("1/0", "nothing can be divided by it", 3),
        ("1/(eps - eps)", "nothing can be divided by it", 3),
        ("0^-1", "no negative power", 3),
        ("1 @ 2", "has no meaning", 3),
        ("1 + \n 2 *", "missing at the end", 5),
        ("1e999999999", "exponent of a decimal is at most", 1),
        ("(1 + eps)^100000", "at most 1000", 11),
        ("(" * 1000, "nested more than", 102),
        ("1\x00", "has no meaning", 2),
    ],
)
def test_wrong_texts(text: str, message: str, column: int) -> None:
    """One clear error that names the place."""
    with pytest.raises(ParseError, match=message) as caught:
        parse(text)
    assert caught.value.column == column
    assert "^" in str(caught.value)


@examples(400)
@given(st.text(alphabet="0123456789.eps xp()+-*/^ε\n·−", max_size=30) | st.text(max_size=15))
def test_any_text_is_a_form_or_a_located_error(text: str) -> None:
    try:
        form = parse(text)
    except ParseError as error:
        found = (error.line, error.column)
    else:
        found = (1, 1)
        assert parse(str(form)) == form
    assert None not in found


def test_error_looks_like_the_design() -> None:
    with pytest.raises(ParseError) as caught:
        parse("1 - exp(eps^2)")
    assert str(caught.value) == (
        "<text>:1:9: exp is taken of something that is not a rational multiple of eps\n"
        "    1 | 1 - exp(eps^2)\n"
        "      |         ^^^^^\n"
        "Only e to a rational multiple of eps is decided completely.\n"
        "Write for example exp(-2/9*eps)."
    )


def test_readable_forms() -> None:
    f = parse("1 - 2/3*exp(-2/9*eps) + 1/6*eps^2*exp(-eps)")
    assert f.pretty() == "1 − 2/3·e^(−2ε/9) + 1/6·ε²·e^(−ε)"
    assert f.latex() == (
        r"1 - \frac{2}{3} e^{-\frac{2}{9} \varepsilon} "
        r"+ \frac{1}{6} \varepsilon^{2} e^{-\varepsilon}"
    )
    ratio = (1 - exp(-eps)) / (1 + exp(-eps))
    assert ratio.pretty() == "(1 − e^(−ε))/(1 + e^(−ε))"
    assert ratio.latex() == r"\frac{1 - e^{-\varepsilon}}{1 + e^{-\varepsilon}}"
    x = parameter("x1")
    assert (x * exp(x - eps / 2)).pretty() == "x1·e^(−ε/2 + x1)"
    assert (x * exp(x)).latex() == r"x_{1} e^{x_{1}}"
    assert repr(eps + 1) == "ExpPoly('1 + eps')"
    assert ExpPoly(0).pretty() == ExpPoly(0).latex() == str(ExpPoly(0)) == "0"

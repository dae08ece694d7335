"""MathML means what the closed form means: it is read back and evaluated with mpmath."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import ClosedForm, alpha, eps, exp, gamma, minimum
from exactdp.claims.stated.expressions import Expression, Symbol, as_expression
from exactdp.reals.printing import mathml as form_mathml
from exactdp.reals.printing import term_mathml
from exactdp.report.formulas import latex, mathml
from reals.closed_forms import by_mpmath, sums

NAMES = {"ε": "eps", "α": "alpha", "γ": "gamma", "e": "mpmath.e", "min": "min", "q": "q"}
SIGNS = {"−": "-", "·": "*", "\u2062": "*", "(": "(", ")": ")", ",": ",", "+": "+", "/": "/"}


def as_python(element: ElementTree.Element) -> str:
    """Return MathML as a Python expression."""
    parts = [as_python(child) for child in element]
    match element.tag:
        case "mn":
            return f"mpmath.mpf({element.text})"
        case "mi":
            return NAMES[element.text or ""]
        case "mo":
            return SIGNS[element.text or ""]
        case "mfrac":
            return f"(({parts[0]}) / ({parts[1]}))"
        case "msup":
            return f"(({parts[0]}) ** ({parts[1]}))"
        case "msub":
            return "entry"
    return "".join(parts)


def value(written: str, **names: object) -> Any:
    python = as_python(ElementTree.fromstring(written))
    return eval(python, {"mpmath": mpmath, "min": min, **names})


POINTS = st.fractions(Fraction(1, 10), 3, max_denominator=20)


@given(sums(), POINTS)
def test_sums_mean_what_they_show(form: ClosedForm, point: Fraction) -> None:
    with mpmath.workdps(60):
        shown = value(form_mathml(form), eps=mpmath.mpf(point.numerator) / point.denominator)
        assert mpmath.almosteq(shown, by_mpmath(form, point), 1e-30, 1e-30)


@given(sums(most=3), sums(most=3), POINTS)
def test_quotients_mean_what_they_show(one: ClosedForm, two: ClosedForm, point: Fraction) -> None:
    if not two.numerator or two.at(point).lower_mantissa <= 0 <= two.at(point).upper_mantissa:
        return
    with mpmath.workdps(60):
        shown = value(form_mathml(one / two), eps=mpmath.mpf(point.numerator) / point.denominator)
        assert mpmath.almosteq(shown, by_mpmath(one / two, point), 1e-25, 1e-25)


FORMULAS: list[tuple[Expression, str, str]] = [
    (3 * exp(-alpha * eps / 2), "3 * exp(-a * x / 2)", r"3 e^{-\alpha \varepsilon/2}"),
    (
        2 * exp(-alpha * eps / 2) / 3,
        "2 * exp(-a * x / 2) / 3",
        r"\frac{2 e^{-\alpha \varepsilon/2}}{3}",
    ),
    (-(1 - gamma) * (2 + alpha), "-(1 - g) * (2 + a)", ""),
    ((1 + alpha) ** 2 / (1 - gamma / 7), "(1 + a) ** 2 / (1 - g / 7)", ""),
    ((-alpha) ** 2 - (gamma - 1), "a ** 2 - (g - 1)", ""),
    (minimum(alpha, 1 - exp(-eps) * gamma), "min(a, 1 - exp(-x) * g)", ""),
    (exp(-eps) * (1 - alpha) * 5, "exp(-x) * (1 - a) * 5", ""),
    (alpha * (exp(-eps) - 1), "a * (exp(-x) - 1)", ""),
    (alpha / -(1 + gamma), "a / -(1 + g)", ""),
    (alpha / as_expression(-2, "x") * Symbol("q[0]"), "a / -2 * q", r"\frac{\alpha}{-2} q_{0}"),
]


@pytest.mark.parametrize(("formula", "meaning", "in_latex"), FORMULAS, ids=lambda x: str(x)[:30])
def test_formulas_of_claims(formula: Expression, meaning: str, in_latex: str) -> None:
    """`meaning` is the formula by hand: a for α, g for γ, x for ε, q for the first number."""
    x, a, g, q = mpmath.mpf("0.7"), mpmath.mpf("1.3"), mpmath.mpf("0.2"), mpmath.mpf("2.5")
    expected = eval(meaning, {"exp": mpmath.exp, "min": min, "x": x, "a": a, "g": g, "q": q})
    shown = value(mathml(formula), eps=x, alpha=a, gamma=g, entry=q)
    assert mpmath.almosteq(shown, expected, 1e-12)
    if in_latex:
        assert latex(formula) == in_latex
    assert latex(formula).count("{") == latex(formula).count("}")


def test_one_summand_keeps_its_sign() -> None:
    form = 1 - eps**2 * exp(-3 * eps / 2) / 4
    assert value(term_mathml(form.numerator.terms[1]), eps=2) == pytest.approx(
        -float(mpmath.exp(-3))
    )


def test_names_are_escaped() -> None:
    assert "<b>" not in mathml(Symbol("<b>"))

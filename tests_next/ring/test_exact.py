"""Exact forms of formulas by hand: constants, scaling by ε, what stays without a form."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import inf
from typing import Any

import mpmath
import pytest
from flint import arb, arb_series

from exactdp_next.errors import ExactdpError
from exactdp_next.ring.exact import monomials
from exactdp_next.ring.expr import (
    Expr,
    alpha,
    eps,
    exp,
    expr,
    gamma,
    log,
    maximum,
    minimum,
    name,
    piecewise,
    sqrt,
)
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.linear import Linear
from exactdp_next.ring.ratio import Ratio
from exactdp_next.ring.text import parse

BOUND = exp(-alpha * eps / 2)
Q = name("q[0]")
by_cases = piecewise((1, eps < 1), (2, True))


@pytest.mark.parametrize(
    ("formula", "equal"),
    [
        (BOUND.at({"alpha": log(20) / eps}), 1 / sqrt(20)),
        (BOUND.at({"alpha": 2 * log(60) / eps}), Fraction(1, 60)),
        (BOUND.at({"alpha": 1 / eps}), exp(Fraction(-1, 2))),
        (BOUND.at({"alpha": 1 + 3 / eps}), exp(-eps / 2) * exp(Fraction(-3, 2))),
        (exp(-gamma * eps).at({"gamma": 2 / eps}), exp(-2)),
        (exp(-gamma * eps).at({"gamma": (log(9) + 1) / eps}), exp(-1) / 9),
        (exp(-gamma * eps).at({"gamma": log(8) / (3 * eps) + 1}), exp(-eps) / 2),
        ((1 - exp(-2 * eps)) / (1 - exp(-eps)), 1 + exp(-eps)),
        (alpha * eps / eps, alpha),
        ((alpha + 1) * (alpha - 1), alpha**2 - 1),
        (exp((alpha**2 - 1) * eps / (alpha + 1)), None),  # a denominator with α
        (exp(-Q * eps) * exp(Q * eps), 1),
        (sqrt(exp(-eps) / 4), exp(-eps / 2) / 2),
        (exp(eps) ** Fraction(-3, 2), exp(-3 * eps / 2)),
        ((4 * eps**2) ** Fraction(1, 2), 2 * eps),
        (sqrt(2) * sqrt(3), sqrt(6)),
        (sqrt(Fraction(8, 9)), 2 * sqrt(2) / 3),
        (expr(2) ** Fraction(5, 3), 2 * expr(4) ** Fraction(1, 3)),
        (1 / sqrt(2), sqrt(2) / 2),
        (log(12), 2 * log(2) + log(3)),
        (log(exp(-eps) * 3), log(3) - eps),
        (log(sqrt(2)), log(2) / 2),
        (exp(log(2) * 3 + eps), 8 * exp(eps)),
        (abs(log(2) - 1), 1 - log(2)),
        (maximum(log(2), sqrt(2) / 2), sqrt(2) / 2),
        (minimum(exp(-1), Fraction(1, 3), log(2)), Fraction(1, 3)),
        (eps - eps, 0),
        (0.1 * eps, eps / 10),
    ],
)
def test_equal(formula: Expr, equal: object) -> None:
    form = formula.lower(formula.names)
    if equal is None:
        assert form is None
        return
    assert form is not None
    assert formula == equal
    assert hash(formula) == hash(expr(equal))
    assert formula != expr(equal) + Fraction(1, 10**9)


@pytest.mark.parametrize(
    "formula",
    [
        log(eps), sqrt(eps), exp(eps**2), exp(alpha), exp(1 / eps), exp(exp(eps)), sqrt(1 + eps),
        eps ** Fraction(1, 2), sqrt(alpha**2), 1 / alpha, log(log(2)), sqrt(log(2)), abs(eps),
        exp(log(2) * log(3)), minimum(1, eps), maximum(alpha, 1), by_cases,
        exp(eps * log(2)), (1 + eps) ** 1001, log(1 + exp(eps)), exp(sqrt(2)), sqrt(1 - sqrt(2)),
        log(expr(10) ** 60 + 7), exp(10**9 * log(2)), (eps + alpha + gamma + Q) ** 400,
    ],
)  # fmt: skip
def test_no_form(formula: Expr) -> None:
    """These have none, or none of a size that can be worked with; they stay formulas."""
    start = time.process_time()
    assert formula.lower(formula.names) is None
    assert parse(str(formula), names=None) == formula
    assert formula == formula.at({"alpha": alpha, "gamma": gamma})
    assert time.process_time() - start < 3


def test_rates_without_a_small_common_unit() -> None:
    """Degrees in e^{ε/unit} of 10⁷ and 10²⁷: no algorithm that counts to them is started."""
    start = time.process_time()
    for text in (
        "(exp(eps/(10**9 + 7)) + exp(eps/(10**9 + 9)))/(exp(eps/998244353) - 1)",
        "(exp(eps) - 1)/(exp(eps/10**9) - 1)",
        "(exp(eps/9973) + exp(1000*eps))/(1 + eps + exp(3*eps))",
    ):
        f = parse(text)
        assert f == parse(text)
        assert hash(f) == hash(parse(text))
        assert f * 2 - f == f
        assert f != f + 1
        assert f.at(1).lower > 0
        form = f.lower()
        assert isinstance(form, Ratio)
        assert form.num.odd_part()[0] == form.num
    assert time.process_time() - start < 5


def test_scaled_parameters() -> None:
    """In a form "alpha" stands for ε·α, so that rates are numbers; α itself is a quotient by ε."""
    theta = ExpSum.name("alpha")
    assert BOUND.lower() is None
    assert BOUND.lower(["gamma"]) is None
    assert BOUND.lower(["alpha"]) == ExpSum.exp(Linear({"alpha": Fraction(-1, 2)}))
    assert (alpha * eps + 1).lower(["alpha"]) == theta + 1
    assert alpha.lower(["alpha"]) == Ratio.of(theta) / ExpSum.name("eps")
    both = ((alpha + gamma) * eps * exp(-alpha * eps)).lower(["alpha", "gamma"])
    assert isinstance(both, ExpSum)
    assert set(both.names) == {"alpha", "gamma"}
    assert str(exp(-Q * eps / 3).lower(["q[0]"])) == "exp(-q[0]*eps/3)"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (eps / 2, {(1, None): Fraction(1, 2)}),
        (1 + log(20) / eps, {(0, None): 1, (-1, 2): 2, (-1, 5): 1}),
        (3 / eps - 2, {(-1, None): 3, (0, None): -2}),
        (log(Fraction(4, 3)), {(0, 2): 2, (0, 3): -1}),
        (expr(0), {}),
        (eps * log(2), {(1, 2): 1}),
        (exp(eps), None),
        (sqrt(2) * eps, None),
        (alpha, None),
        (log(2) ** 2, None),
        (1 / (1 + eps), None),
        (log(eps), None),
    ],
)
def test_numbers_of_a_program(formula: Expr, expected: object) -> None:
    assert monomials(formula) == expected


@pytest.mark.parametrize(
    ("formula", "at", "expected"),
    [
        ((eps - 2) * exp(eps) + (eps - 2) * 3, 2, 0),
        (eps * exp(eps) / exp(eps), Fraction(1, 3), Fraction(1, 3)),
        (exp(-eps * log(2) / log(2)) * exp(1), 1, 1),
        (parse("1/3 + eps - eps"), 1, Fraction(1, 3)),
        (1 - exp(-eps), 0, 0),
        (maximum(eps, 1 - eps), "1/4", Fraction(3, 4)),
        (abs(eps - 1), 0.5, Fraction(1, 2)),
    ],
)
def test_exact_values(formula: Expr, at: Any, expected: object) -> None:
    found = formula.at(at)
    assert found.lower <= expected <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**25)
    if formula.lower() is not None:
        assert found.is_exact


@pytest.mark.parametrize("digits", [1, 30, 300])
def test_digits(digits: int) -> None:
    """As many as are asked for, also where hundreds cancel: eˣ − 1 − x ≈ x²/2."""
    x = Fraction(1, 10**200)
    with mpmath.workdps(4000):
        point = mpmath.mpf(x.numerator) / x.denominator
        expected = mpmath.exp(point) - 1 - point
        for formula in (exp(eps) - 1 - eps, maximum(exp(eps) - 1 - eps, -1)):
            found = formula.at(x, digits)
            low, high = (
                mpmath.mpf(q.numerator) / q.denominator for q in (found.lower, found.upper)
            )
            assert low <= expected <= high
            assert high - low <= expected * mpmath.mpf(10) ** -digits


@pytest.mark.parametrize("wrong", ["nan", float("nan"), float("inf"), None, "1/0", [1], True])
def test_wrong_points(wrong: Any) -> None:
    with pytest.raises(ExactdpError):
        eps.at(wrong)


def test_no_values() -> None:
    for ask in (
        lambda: (1 / (eps - 1)).at(1),
        lambda: (eps * alpha).at(1),
        lambda: eps.at(1, digits=0),
        lambda: log(eps - 1).at(1),
        lambda: eps.at({"eps": "1"}),
        lambda: (1 / alpha).at({"alpha": 0}),
        lambda: log(alpha).at({"alpha": 0}),
    ):
        with pytest.raises(ExactdpError):
            ask()
    with pytest.raises(AttributeError):
        eps.op = "name"


def test_equality_is_no_condition() -> None:
    """`==` asks whether formulas are equal; as a condition it is written in a text."""
    assert piecewise((1, "alpha == 0"), (2, True)).at({"alpha": 0}) == 1
    rest = (2, True)
    wrong: list[Callable[[], object]] = [
        lambda: piecewise((1, alpha == 0), rest),
        lambda: piecewise((1, alpha != 0), rest),
        lambda: piecewise((1, (eps < 1) | (alpha == 0)), (3, alpha != 0), rest),
    ]
    for ask in wrong:
        with pytest.raises(ExactdpError):
            ask()


def test_cases_that_do_not_count_have_no_say() -> None:
    """1/α at α = 0 is refused only where the case counts."""
    safe = piecewise((1 / alpha, alpha > 0), (eps, True))
    assert safe.at({"alpha": 0}) == eps
    assert safe.at({"alpha": 4}) == Fraction(1, 4)
    guarded = piecewise((1, (alpha > 0) & (1 / alpha < 2)), (2, True))
    assert guarded.at({"alpha": 0}) == 2
    assert guarded.at({"alpha": 1}) == 1
    assert piecewise((alpha, log(2) < alpha), (2, True)).at({"alpha": 1}).number == 1
    assert piecewise((1, alpha < 1)).at({"alpha": 1}).pieces() == []


class Tail:
    """An evaluated function: 1/(1 + ε), known by enclosures."""

    names: Iterable[str] = ("eps",)

    def value(self, x: arb) -> arb:
        """Enclose the values on a ball."""
        return 1 / (1 + x)

    def series(self, x: arb, n: int) -> arb_series:
        """Enclose the Taylor coefficients at a ball."""
        return 1 / (1 + arb_series([x, 1], n))


def test_an_evaluated_leaf() -> None:
    leaf = expr(Tail())
    whole = 2 * leaf + exp(-eps)
    assert whole.lower() is None
    assert whole == 2 * leaf + exp(-eps)
    assert leaf != expr(Tail())
    found = whole.at(1)
    assert abs(float(found) - 1 - 2.718281828459045**-1) < 1e-15
    assert whole.series(Fraction(1), 3)[1].contains(arb(-1) / 2 - (-arb(1)).exp())
    assert whole.monotone("eps") is None
    assert whole.monotone("alpha") == 0
    pieces = maximum(whole, 1).pieces()
    assert pieces is not None
    assert len(pieces) == 2
    with pytest.raises(ValueError, match="evaluated"):
        whole.at({"eps": 1})
    with pytest.raises(ValueError, match="no text"):
        pickle.dumps(whole)


@pytest.mark.parametrize(
    ("text", "at_zero", "at_infinity"),
    [
        ("3", 3, 3),
        ("0", 0, 0),
        ("1 - exp(-eps)", 0, 1),
        ("eps*exp(-eps)", 0, 0),
        ("-exp(eps)", -1, -inf),
        ("exp(eps) - exp(2*eps)", 0, -inf),
        ("(exp(eps) - 1)/eps", 1, inf),
        ("(1 - exp(-eps))/(1 + exp(-eps))", 0, 1),
        ("(exp(eps) - 1 - eps)/eps^2", Fraction(1, 2), inf),
        ("1/eps", inf, 0),
        ("-1/eps^2", -inf, 0),
        ("(2*eps^2 + 1)/(3*eps^2 - eps)", -inf, Fraction(2, 3)),
        ("eps^5/exp(1/1000*eps)", 0, 0),
        ("log(2)*exp(-1)*(1 - exp(-eps))/eps", log(2) * exp(-1), 0),
        ("(sqrt(2) - 2)*eps/(exp(1/3) - eps)", 0, 2 - sqrt(2)),
    ],
)
def test_limits(text: str, at_zero: object, at_infinity: object) -> None:
    f = parse(text)
    assert f.limit(0) == at_zero
    assert f.limit(inf) == at_infinity


def test_an_exact_form_in_a_product_depends_on_both_factors() -> None:
    """In an exact form "alpha" stands for ε·α, so that it depends on ε, too."""
    written = alpha * eps * exp(-alpha * eps)
    for f in (expr(written.lower(["alpha"])), -expr((-written).lower(["alpha"]))):
        assert f.names == {"eps", "alpha"}
        assert f.at({"eps": 2}).at({"alpha": 3}) == 6 * exp(-6)
        assert f.monotone("eps") is None
        assert f.degree("eps") is None
    line = expr((log(2) * alpha * eps + 1).lower(["alpha"]))
    assert (line.monotone("eps"), line.monotone("alpha"), line.monotone("gamma")) == (1, 1, 0)
    assert (line.degree("eps"), line.degree("alpha"), line.degree("gamma")) == (1, 1, 0)


def test_derivatives() -> None:
    assert (eps**2 * exp(-eps)).derivative() == (2 * eps - eps**2) * exp(-eps)
    assert (1 / (1 + eps)).derivative() == -1 / (1 + eps) ** 2
    wrong: list[Callable[[], object]] = [
        lambda: alpha.limit(0),
        lambda: eps.limit(1),
        lambda: log(eps).limit(0),
        lambda: abs(eps - 1).derivative(),
    ]
    for ask in wrong:
        with pytest.raises(ExactdpError):
            ask()


def test_pieces_by_hand() -> None:
    """max(α, 1) is α where α ≥ 1; the second case has the negation of the first."""
    found = maximum(alpha, 1).pieces()
    assert found == [((alpha >= 1,), alpha), ((alpha <= 1,), expr(1))]
    case = piecewise((eps, alpha < 1), (1, (alpha < 2) | (gamma > 3)), (2, True))
    assert case.pieces() == [
        ((alpha < 1,), eps),
        ((alpha >= 1, alpha < 2), expr(1)),
        ((alpha >= 1, gamma > 3), expr(1)),
        ((alpha >= 1, alpha >= 2, gamma <= 3), expr(2)),
    ]
    assert maximum(1, 2, alpha * 0).pieces() == [((), expr(2))]
    assert piecewise((1, alpha < 0), (2, alpha > 0)).pieces() == [
        ((alpha < 0,), expr(1)),
        ((alpha >= 0, alpha > 0), expr(2)),
    ]
    many = expr(1)
    for k in range(12):
        many = many * maximum(alpha + k, gamma * k)
    assert many.pieces() is None

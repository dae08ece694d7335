"""Certified values, doubles and limits, against mpmath and by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp.reals import ClosedForm, ExpPoly, eps, exp, inf, parameter, parse
from reals.closed_forms import by_mpmath, sums
from support.examples import examples

points = st.builds(
    lambda m, k: m * Fraction(10) ** k,
    st.fractions(Fraction(1, 9), 9, max_denominator=9),
    st.integers(-30, 3),
)


@examples(150)
@given(sums(), sums(3), points, st.integers(1, 60))
def test_enclosures_contain_the_value_and_are_narrow(
    f: ExpPoly, g: ExpPoly, x: Fraction, digits: int
) -> None:
    form: ClosedForm = f / g if g and g.at(x).sign else f
    found = form.at(x, digits)
    expected = by_mpmath(form, x, 400)
    with mpmath.workdps(400):
        low, high = (mpmath.mpf(e.numerator) / e.denominator for e in (found.lower, found.upper))
        slack = abs(expected) * mpmath.mpf(10) ** -300
        assert low <= expected + slack
        assert expected - slack <= high
    assert found.upper - found.lower <= abs(found.lower) * Fraction(1, 10**digits)


@examples(200)
@given(sums(5), points)
def test_float_is_the_nearest_double(f: ExpPoly, x: Fraction) -> None:
    value = by_mpmath(f, x, 400)
    assume(value != 0)
    double = float(f.at(x))
    with mpmath.workdps(400):
        neighbours = [double, math.nextafter(double, inf), math.nextafter(double, -inf)]
        distances = [abs(mpmath.mpf(n) - value) for n in neighbours if math.isfinite(n)]
    if math.isfinite(double):
        assert min(distances) == distances[0]


def test_extreme_arguments() -> None:
    assert float(exp(10**6 * eps).at(-1)) == 0.0
    assert float(exp(10**6 * eps).at(1)) == inf
    assert float((-exp(eps)).at(10**12)) == -inf
    tiny = exp(10**5 * eps).at(-1, digits=50)
    with mpmath.workdps(60):
        ratio = mpmath.mpf(tiny.lower.numerator) / tiny.lower.denominator / mpmath.exp(-(10**5))
        assert abs(ratio - 1) < mpmath.mpf(10) ** -49
    # e^x − 1 − x ≈ x²/2 where 2000 digits cancel
    lost = (exp(eps) - 1 - eps).at(Fraction(1, 10**1000)).lower * 10**2000
    assert abs(lost - Fraction(1, 2)) < Fraction(1, 10**28)
    assert (exp(10**6 * eps) / (1 + exp(10**6 * eps))).at(10**6, 5).lower > Fraction(99999, 10**5)
    # 10¹²/ln 10 = 434294481903.2518…, and 10^0.2518… = 1.7857…
    assert str(exp(eps).at(10**12)).startswith("1.7857")
    assert str(exp(eps).at(10**12)).endswith("e+434294481903")


def test_zero_and_rational_values_are_exact() -> None:
    f = (eps - 2) * exp(eps) + (eps - 2) * 3
    assert f.at(2).is_exact
    assert f.at(2).lower == 0
    assert (eps * exp(eps) / exp(eps)).at(Fraction(1, 3)).lower == Fraction(1, 3)
    assert ((exp(eps) - 1) / eps).at(0).lower == 1
    assert parse("1 - exp(-eps)").at(0).lower == 0
    assert str(parse("1/3 + eps - eps").at(1)) == "1/3"


@pytest.mark.parametrize("point", ["nan", float("nan"), float("inf"), None, "1/0", [1], True])
def test_wrong_points(point: object) -> None:
    with pytest.raises(ValueError, match="is not a value of eps"):
        eps.at(point)  # type: ignore[arg-type]


def test_poles_and_missing_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="no value at eps = 1"):
        (1 / (eps - 1)).at(1)
    with pytest.raises(ValueError, match="depends on x too"):
        (eps * parameter("x")).at(1)
    with pytest.raises(ValueError, match="besides eps"):
        parameter("x").limit(0)
    with pytest.raises(ValueError, match="digits"):
        eps.at(1, digits=0)
    with pytest.raises(ValueError, match="limit at 1"):
        eps.limit(1)


def test_decimals_are_read_as_they_are_spelt() -> None:
    assert eps.at(0.1).lower == eps.at("0.1").lower == eps.at("1/10").lower == Fraction(1, 10)


@examples(100)
@given(sums(5), sums(3), st.lists(st.floats(1e-12, 50), min_size=1, max_size=20))
def test_curves(f: ExpPoly, g: ExpPoly, xs: list[float]) -> None:
    """Doubles for plots have nine digits even where terms cancel, and do not overflow."""
    form: ClosedForm = f / g if g else f
    for x, y in zip(xs, form.values(xs), strict=True):
        if form.denominator.at(Fraction(x)).sign == 0:
            assert math.isnan(y) or math.isinf(y)
            continue
        expected = float(form.at(Fraction(x)))
        if math.isfinite(expected) and abs(expected) > 1e-300:
            assert abs(y - expected) <= 1e-8 * abs(expected)


def test_curves_keep_their_shape() -> None:
    grid = np.linspace(0.1, 2, 6).reshape(2, 3)
    assert (1 - exp(-eps)).values(grid).shape == (2, 3)
    assert (exp(1000 * eps) / (1 + exp(1000 * eps))).values([1e6]).tolist() == [1.0]


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
        ("(exp(eps) - exp(eps) + eps)/(eps + 1)", 0, 1),
    ],
)
def test_limits(text: str, at_zero: object, at_infinity: object) -> None:
    form = parse(text)
    assert form.limit(0) == at_zero
    assert form.limit(inf) == at_infinity
    assert form.substitute(eps=-eps).limit(-inf) == at_infinity

"""Sums and quotients are a ring and a field of functions: checked against numbers from mpmath."""

from __future__ import annotations

import pickle
import time
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp.errors import ValueRefusedError
from exactdp.reals import ClosedForm, ExpPoly, ExpRatio, eps, exp, parameter, parse
from reals.closed_forms import by_mpmath, rates, sums
from support.examples import examples

points = st.fractions(Fraction(1, 50), 5, max_denominator=50)


def close(form: ClosedForm, expected: object, point: Fraction) -> bool:
    value = by_mpmath(form, point)
    with mpmath.workdps(120):
        return bool(mpmath.almosteq(value, expected, 1e-30, 1e-30))


@examples(100)
@given(sums(), sums(), points)
def test_ring_operations_are_those_of_the_values(f: ExpPoly, g: ExpPoly, x: Fraction) -> None:
    """+, − and × of sums have the values of +, − and ×."""
    with mpmath.workdps(120):
        a, b = by_mpmath(f, x), by_mpmath(g, x)
        assert close(f + g, a + b, x)
        assert close(f - g, a - b, x)
        assert close(f * g, a * b, x)
        assert close(f**3, a**3, x)
        assert close(2 - f, 2 - a, x)
        assert close(f / 3 * Fraction(1, 7), a / 21, x)


@examples(75)
@given(sums(4), sums(4), sums(4), points)
def test_field_operations_are_those_of_the_values(
    f: ExpPoly, g: ExpPoly, h: ExpPoly, x: Fraction
) -> None:
    """Quotients have the values of quotients, and reduce to lowest terms."""
    assume(g and h and abs(by_mpmath(g * h, x)) > 1e-12)
    with mpmath.workdps(120):
        a, b, c = by_mpmath(f, x), by_mpmath(g, x), by_mpmath(h, x)
        assert close(f / g, a / b, x)
        assert close(f / g + g / h, a / b + b / c, x)
        assert close((f / g) * (h / g), a * c / b**2, x)
        assert close((f / g) - 1, a / b - 1, x)
    assert (f * h) / (g * h) == f / g
    assert (f / g) * g == f
    assert not f / g - f / g


@examples(75)
@given(sums(), sums(), sums())
def test_equal_exactly_if_the_same_function(f: ExpPoly, g: ExpPoly, h: ExpPoly) -> None:
    """However a function was made, it is equal, hashes alike and survives pickling."""
    one, two = f * (g + h), f * g + h * f
    assert one == two
    assert hash(one) == hash(two)
    assert pickle.loads(pickle.dumps(one)) == two
    assert (one == one + 1) is False


@examples(75)
@given(sums(4), sums(4), sums(4))
def test_equal_quotients_are_equal(f: ExpPoly, g: ExpPoly, h: ExpPoly) -> None:
    """The same for quotients, of fewer terms: common divisors of many take seconds, rarely more."""
    assume(g)
    ratio, again = (f + h) / g, f / g + h / g
    assert ratio == again
    assert hash(ratio) == hash(again)
    assert pickle.loads(pickle.dumps(ratio)) == ratio


@examples(50)
@given(sums(), sums(3), points)
def test_derivative(f: ExpPoly, g: ExpPoly, x: Fraction) -> None:
    """The derivative is that of mpmath's numerical differentiation."""
    h = Fraction(1, 10**12)
    with mpmath.workdps(80):
        numeric = (by_mpmath(f, x + h, 80) - by_mpmath(f, x - h, 80)) / (2 * mpmath.mpf(10) ** -12)
        size = sum(abs(by_mpmath(ExpPoly([one]), x)) for one in f.terms) + 1
        assert abs(by_mpmath(f.derivative(), x) - numeric) < 1e-12 * size
    if g:
        assert (f / g).derivative() * g**2 == f.derivative() * g - f * g.derivative()


def test_constants_are_numbers() -> None:
    assert ExpPoly(2) == 2 == ExpRatio(2)
    assert hash(ExpPoly(2)) == hash(2) == hash(ExpRatio(4, 2))
    assert eps - eps == 0
    assert not eps - eps
    assert exp(eps) * exp(-eps) == 1
    assert (1 - exp(-2 * eps)) / (1 - exp(-eps)) == 1 + exp(-eps)
    assert {eps + 1: "a"}[1 + eps] == "a"


@pytest.mark.parametrize("form", [exp(-eps), 1 / (1 + exp(eps))], ids=["a sum", "a quotient"])
def test_a_float_is_the_decimal_it_prints_as(form: ClosedForm) -> None:
    tenth = Fraction(1, 10)
    assert 0.1 * form == tenth * form == form * np.float64(0.1)
    assert form / 0.1 == form * 10
    assert 0.1 / form == tenth / form
    assert form + 0.1 == tenth + form == 0.1 + form
    assert 0.1 - form == tenth - form == -(form - 0.1)
    with pytest.raises(ValueRefusedError, match="nan"):
        form * float("nan")


def test_nothing_changes_a_value() -> None:
    for form, name in ((eps + 1, "_poly"), (1 / (eps + 1), "_over")):
        with pytest.raises(AttributeError):
            setattr(form, name, None)


def test_sparse_forms_stay_sparse() -> None:
    """e^{ε/9973} + e^{1000ε} has degree ten million in e^{ε/9973} and two terms."""
    start = time.process_time()
    f = exp(eps / 9973) + exp(1000 * eps)
    assert len((f**3).terms) == 4
    g = (f * eps - 3) ** 2 / ((f * eps - 3) * (eps + exp(3 * eps)))
    assert g == (f * eps - 3) / (eps + exp(3 * eps))
    assert len(g.numerator.terms) == 3
    assert (f * f) / f == f
    assert time.process_time() - start < 5


@examples(50)
@given(sums(4), st.lists(st.tuples(rates, rates), min_size=1, max_size=4), points, points)
def test_several_parameters(
    f: ExpPoly, exponents: list[tuple[Fraction, Fraction]], x: Fraction, slope: Fraction
) -> None:
    """Substituting a ray commutes with the operations and with evaluation."""
    second = parameter("x1")
    g = ExpPoly(0)
    for a, b in exponents:
        g = g + second * exp(a * eps + b * second) - 2 * exp(b * second)
    ray = g.substitute(x1=slope * eps)
    assert ray.parameters in ((), ("eps",))
    direct, along = g.at(x, x1=slope * x), ray.at(x)
    assert max(direct.lower, along.lower) <= min(direct.upper, along.upper)
    assert (f * g).substitute(x1=slope * eps) == f * ray
    assert (g + f).substitute(x1=slope * eps) == ray + f
    # The derivative along the ray is the chain rule's.
    chain = g.derivative("eps") + slope * g.derivative("x1")
    assert ray.derivative() == chain.substitute(x1=slope * eps)


@examples(40)
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3, rates, rates, rates), min_size=1, max_size=5),
    st.lists(st.tuples(rates, rates, rates), min_size=2, max_size=2),
    st.tuples(points, points, points),
)
def test_linear_forms_for_several_parameters(
    given: list[tuple[Any, ...]], forms: list[tuple[Fraction, ...]], at: tuple[Fraction, ...]
) -> None:
    """All parameters are replaced at once: the value is that of the old sum at the forms."""
    x, y = parameter("x1"), parameter("y1")
    f = sum((eps**i * x**j * y**k * exp(a * eps + b * x + c * y) for i, j, k, a, b, c in given),
            ExpPoly(0))  # fmt: skip
    one, two = (p * eps + q * y + r * x for p, q, r in forms)
    found = f.substitute(x1=one, y1=two)
    values = [p * at[0] + q * at[2] + r * at[1] for p, q, r in forms]

    def value(form: Any, **where: Fraction) -> Any:
        return form.at(at[0], **{k: q for k, q in where.items() if k in form.parameters})

    direct, after = value(f, x1=values[0], y1=values[1]), value(found, x1=at[1], y1=at[2])
    assert max(direct.lower, after.lower) <= min(direct.upper, after.upper)


def test_substitution() -> None:
    f = parse("eps^2*exp(-eps) + 3")
    assert f.substitute(eps=2 * eps) == parse("4*eps^2*exp(-2*eps) + 3")
    assert parse("eps^2 + 1").substitute(eps=3) == ExpPoly(10)
    assert (1 / (1 + exp(-eps))).substitute(eps=-eps) == 1 / (1 + exp(eps))
    x = parameter("x")
    assert (x * x + 1).substitute(x=exp(eps)) == exp(2 * eps) + 1
    assert parse("1/(1 + exp(-x))", ["eps", "x"]).substitute(x=eps) == 1 / (1 + exp(-eps))


@pytest.mark.parametrize("value", [3, Fraction(1, 2), eps + 1, exp(eps)])
def test_substitution_into_an_exponent_needs_a_ray(value: ExpPoly) -> None:
    with pytest.raises(ValueError, match="occurs in an exponent"):
        exp(-eps).substitute(eps=value)


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="divided by zero"):
        eps / (eps - eps)
    with pytest.raises(ValueError, match="divided by zero"):
        1 / ExpPoly(0)
    with pytest.raises(ValueError, match="divided by zero"):
        ExpRatio(1, 0)


def test_exp_needs_a_linear_form() -> None:
    for wrong in (1, eps + 1, eps**2, exp(eps), 1 / (1 + eps)):
        with pytest.raises(ValueError, match="is not a closed form"):
            exp(wrong)

"""Sums of exponentials in several variables: algebra, values, text."""

from __future__ import annotations

import pickle
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.cones import ExpSum, exp
from exactdp.errors import ValueRefusedError
from exactdp.reals import eps, parameter
from exactdp.reals import exp as exp_of
from support.examples import examples

NAMES = ("x", "y")
x, y = ExpSum.variables(*NAMES)

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
sums = st.dictionaries(
    st.tuples(
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
        st.tuples(small, small),
    ),
    small,
    max_size=4,
).map(lambda terms: ExpSum.from_dict(NAMES, terms))


def value(f: ExpSum, point: tuple[Fraction, ...]) -> mpmath.mpf:
    """Return the value by mpmath."""
    total = mpmath.mpf(0)
    for (powers, rates), c in f.to_dict().items():
        term = mpmath.mpf(c.numerator) / c.denominator
        for k, rate, q in zip(powers, rates, point, strict=True):
            term *= (mpmath.mpf(q.numerator) / q.denominator) ** k
            term *= mpmath.exp(mpmath.mpf((rate * q).numerator) / (rate * q).denominator)
        total += term
    return total


@examples(50)
@given(sums, sums, small, small)
def test_arithmetic_agrees_with_mpmath(f: ExpSum, g: ExpSum, a: Fraction, b: Fraction) -> None:
    with mpmath.workdps(40):
        one, two = value(f, (a, b)), value(g, (a, b))
        for form, expected in (
            (f + g, one + two),
            (f - g, one - two),
            (f * g, one * two),
            (f / 3, one / 3),
            (2 - f, 2 - one),
            (f**2, one**2),
        ):
            ball = form.at((a, b), 200)
            room = mpmath.mpf(10) ** -25 * max(1, abs(one), abs(two)) ** 2
            assert abs(mpmath.mpf(ball.mid().str(50, radius=False)) - expected) < room


@examples(50)
@given(sums, small, small, st.lists(small, min_size=6, max_size=6))
def test_substitution_is_composition(
    f: ExpSum, a: Fraction, b: Fraction, entries: list[Fraction]
) -> None:
    matrix = [entries[:3], entries[3:]]
    g = f.substituted(matrix, ("r", "s", "t"))
    point = (a, b, a - b)
    image = [sum((m * q for m, q in zip(row, point, strict=True)), Fraction(0)) for row in matrix]
    assert (g.at(point, 200) - f.at(image, 200)).overlaps(0)


@examples(50)
@given(sums, sums)
def test_equal_sums_are_equal_and_hash_equal(f: ExpSum, g: ExpSum) -> None:
    assert (f + g) * (f - g) == f * f - g * g
    assert hash((f + g) - g) == hash(f)
    assert pickle.loads(pickle.dumps(f)) == f
    assert ExpSum.from_dict(NAMES, dict(f.to_dict())) == f


def test_sign_at_recognises_zero() -> None:
    f = exp(x) * exp(y) - exp(x + y) * (1 + x - y)
    assert f.sign_at((1, 1)) == 0
    assert f.sign_at((1, 2)) == 1
    assert f.sign_at(("1.0000000000000000000000000000001", 1)) == -1


def test_text() -> None:
    assert str(1 - exp(x - y) * (1 + x / 2)) == "1 - exp(x - y) - 1/2*x*exp(x - y)"
    assert str(ExpSum.constant(NAMES, 0)) == "0"
    assert "x, y" in repr(x)


def test_a_closed_form_becomes_a_sum() -> None:
    u = parameter("u")
    f = ExpSum.from_closed_form(3 * u * exp_of(-2 * u) - eps, ("eps", "u"))
    e, v = ExpSum.variables("eps", "u")
    assert f == 3 * v * exp(-2 * v) - e
    with pytest.raises(ValueRefusedError, match="depends on u"):
        ExpSum.from_closed_form(u + eps, ("eps",))


def test_refusals() -> None:
    with pytest.raises(ValueRefusedError, match="linear form"):
        exp(x * y)
    with pytest.raises(ValueRefusedError, match="do not match"):
        x + ExpSum.variables("z")[0]
    with pytest.raises(ValueRefusedError, match="negative"):
        ExpSum.from_dict(("x",), {((-1,), (Fraction(0),)): 1})
    with pytest.raises(ValueRefusedError, match="2 variables"):
        x.at((1,))
    with pytest.raises(AttributeError):
        x.names = ("z",)

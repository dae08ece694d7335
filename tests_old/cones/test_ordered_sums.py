"""Sums in several parameters as functions of points: values, signs, equality."""

from __future__ import annotations

import pickle
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cones.random_sums import sums_of
from exactdp.cones import OrderedSum
from exactdp.errors import ValueRefusedError
from exactdp.reals import ExpPoly, eps, exp, parameter
from support.examples import examples

NAMES = ("y", "x")
y, x = (parameter(name) for name in NAMES)

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
sums = sums_of(NAMES, st.integers(0, 2), small, 4, least=0)


def value(f: ExpPoly, point: tuple[Fraction, ...]) -> mpmath.mpf:
    """Return the value by mpmath."""
    place = dict(zip(NAMES, point, strict=True))
    total = mpmath.mpf(0)
    for c, powers, rates in f.terms:
        term = mpmath.mpf(c.numerator) / c.denominator
        for name, k in powers:
            term *= (mpmath.mpf(place[name].numerator) / place[name].denominator) ** k
        for name, rate in rates:
            q = rate * place[name]
            term *= mpmath.exp(mpmath.mpf(q.numerator) / q.denominator)
        total += term
    return total


@examples(50)
@given(sums, sums, small, small)
def test_arithmetic_agrees_with_mpmath(f: ExpPoly, g: ExpPoly, a: Fraction, b: Fraction) -> None:
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
            ball = OrderedSum(form, NAMES).at((a, b), 200)
            room = mpmath.mpf(10) ** -25 * max(1, abs(one), abs(two)) ** 2
            assert abs(mpmath.mpf(ball.mid().str(50, radius=False)) - expected) < room


@examples(50)
@given(sums, small, small, st.lists(small, min_size=6, max_size=6))
def test_substitution_is_composition(
    f: ExpPoly, a: Fraction, b: Fraction, entries: list[Fraction]
) -> None:
    matrix = [entries[:3], entries[3:]]
    r, s, t = (parameter(name) for name in "rst")
    images = {
        name: r * row[0] + s * row[1] + t * row[2] for name, row in zip(NAMES, matrix, strict=True)
    }
    g = OrderedSum(f.substitute(**images).numerator, ("r", "s", "t"))
    point = (a, b, a - b)
    image = [sum((m * q for m, q in zip(row, point, strict=True)), Fraction(0)) for row in matrix]
    assert (g.at(point, 200) - OrderedSum(f, NAMES).at(image, 200)).overlaps(0)


@examples(50)
@given(sums, sums)
def test_equal_sums_are_equal_and_hash_equal(f: ExpPoly, g: ExpPoly) -> None:
    one, two = (OrderedSum(form, NAMES) for form in ((f + g) * (f - g), f * f - g * g))
    assert one == two
    assert hash(one) == hash(two)
    assert pickle.loads(pickle.dumps(one)) == one
    renamed = f.substitute(x=parameter("v"), y=parameter("u")).numerator
    assert OrderedSum(renamed, ("u", "v")) == OrderedSum(f, NAMES)


def test_the_order_matters() -> None:
    f = OrderedSum(x - exp(y), NAMES)
    assert f != OrderedSum(x - exp(y), ("x", "y"))
    assert f.reordered((1, 0)) == OrderedSum(x - exp(y), ("x", "y"))
    assert f.sign_at((0, 2)) == 1
    assert f.sign_at((2, 0)) == -1


def test_sign_at_recognises_zero() -> None:
    f = OrderedSum(exp(x) * exp(y) - exp(x + y) * (1 + x - y), ("x", "y"))
    assert f.sign_at((1, 1)) == 0
    assert f.sign_at((1, 2)) == 1
    assert f.sign_at(("1.0000000000000000000000000000001", 1)) == -1


def test_refusals() -> None:
    with pytest.raises(ValueRefusedError, match="depends on x"):
        OrderedSum(x + eps, ("eps",))
    with pytest.raises(ValueRefusedError, match="2 variables"):
        OrderedSum(x, NAMES).at((1,))
    with pytest.raises(AttributeError):
        OrderedSum(x, NAMES).names = ("z",)  # type: ignore[misc]

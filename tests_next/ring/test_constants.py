"""Constants beside mpmath, SymPy and identities known by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest
import sympy

from exactdp_next.ring.constants import ONE, is_constant, logarithm, prime_of, value_of
from exactdp_next.ring.enclose import precision
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.linear import Linear, Rational, Value, form, quotient
from support.examples import cases
from support.random_sums import NAMES, contains, model, mp, mp_size, mp_value, small, sum_of


def root(q: Rational, n: int) -> Value:
    """Return x/ε with e^x = q^{1/n}."""
    return logarithm(q) * Fraction(1, n)


def sqrt(q: int | Fraction) -> ExpSum:
    return ExpSum.exp(root(q, 2))


def e(q: int | Fraction) -> ExpSum:
    return ExpSum.exp(form({ONE: q}))


def log(q: int | Fraction) -> ExpSum:
    return ExpSum.linear(logarithm(q))


def test_radicals_are_in_normal_form() -> None:
    assert sqrt(2) * sqrt(2) == 2
    assert hash(sqrt(2) ** 2) == hash(2)
    assert (sqrt(2) + sqrt(3)) ** 2 == 5 + 2 * sqrt(6)
    assert sqrt(8) == 2 * sqrt(2)
    assert sqrt(Fraction(1, 2)) == sqrt(2) / 2
    assert ExpSum.exp(root(4, 4)) == sqrt(2)
    assert ExpSum.exp(root(12, 3)) ** 3 == 12
    assert (sqrt(2) - 1) * (sqrt(2) + 1) == 1
    assert (sqrt(2) - 1) ** 5 == 29 * sqrt(2) - 41


def test_powers_of_e_and_logarithms_are_generators() -> None:
    assert e(Fraction(1, 2)) ** 2 == e(1)
    assert e(1) * e(-1) == 1
    assert ExpSum.name(ONE) == 1
    assert ExpSum.name(ONE) ** 3 == 1
    assert log(Fraction(8, 3)) == 3 * log(2) - log(3)
    assert log(6) - log(2) - log(3) == 0
    assert log(1) == 0
    assert ExpSum.exp(logarithm(Fraction(5, 7))) == Fraction(5, 7)
    assert e(1).names == ("1/eps",)
    assert (sqrt(2) * log(3)).names == ("log(2)/eps", "log(3)/eps")


def test_names_of_constants() -> None:
    assert is_constant("1/eps")
    assert prime_of("log(7)/eps") == 7
    assert not any(map(is_constant, ("eps", "alpha", "log(x)/eps", "log(2)", "q[0]")))
    with pytest.raises(ValueError, match="not prime"):
        is_constant("log(4)/eps")
    with pytest.raises(ValueError, match="no logarithm"):
        logarithm(0)


def test_a_sum_at_a_rational_point_is_a_constant() -> None:
    """e^{qx} for different q are independent, so a zero at a rational point is seen exactly."""
    eps = ExpSum.name("eps")
    f = (eps - 3) * ExpSum.exp(Fraction(1, 2)) + (eps - 3) ** 2
    assert f.at(3) == 0
    assert f.at(3).sign() == 0
    assert f.at(2) == 1 - e(1)
    assert f.at(2).sign() == -1
    assert f.at(Fraction(31, 10)).sign() == 1
    assert (ExpSum.exp(1) - e(1)).at(1) == 0
    assert (ExpSum.exp(1) - e(1)).at(Fraction(10**30 + 1, 10**30)).sign() == 1


def test_signs_of_numbers_near_zero() -> None:
    assert (sqrt(2) - Fraction(99, 70)).sign() == -1
    # p/q of the continued fraction of √2: |√2 - p/q| < 1/q²
    p, q = 1, 1
    for _ in range(400):
        p, q = p + 2 * q, p + q
    assert (sqrt(2) - Fraction(p, q)).sign() == (1 if p * p < 2 * q * q else -1)
    assert (e(1) - Fraction(2721, 1001)).sign() == 1  # 2.71828171…
    assert (log(2) - Fraction(25, 36)).sign() == -1
    huge = e(10**6)
    assert (huge - 1).sign() == 1
    assert (huge + e(-(10**6)) - huge).sign() == 1


def test_a_zero_with_logarithms_that_is_not_seen_stays_open() -> None:
    """No dependence of logarithms is known, but a sign that needs too many bits is no sign."""
    tiny = log(2) * e(-4000) - e(-4000) * Fraction(int(mpmath.log(2) * 10**9), 10**9)
    assert tiny.sign() == 1
    with mpmath.workdps(2000):
        nearest = Fraction(int(mpmath.log(2) * 10**1800), 10**1800)
    assert (log(2) - nearest).sign() is None


def test_values_are_those_of_mpmath() -> None:
    r = random.Random("constants")
    with mpmath.workdps(60), precision(150):
        for _ in range(cases(10_000)):
            one, two = model(r, NAMES[3:], 4), model(r, NAMES[3:], 3)
            f, g, q = sum_of(one), sum_of(two), small(r)
            size = (1 + mp_size(one, {})) * (1 + mp_size(two, {})) * mpmath.mpf(10) ** -50
            right = mp_value(one, {}) * mp_value(two, {}) - mp(q)
            assert contains((f * g - q).value(), right, size)
            sign = (f * g - q).sign()
            assert sign == (0 if abs(right) < size else mpmath.sign(right))
            assert bool(f * g - q) == (sign != 0)


def test_radicals_are_those_of_sympy() -> None:
    r = random.Random("radicals")
    for _ in range(cases(1000)):
        f, right = ExpSum.of(0), sympy.Integer(0)
        for _ in range(r.randint(1, 3)):
            c, q, n = r.randint(-3, 3), abs(small(r, 9, 5)) or Fraction(1), r.choice([2, 3])
            f, right = (
                f + c * ExpSum.exp(root(q, n)),
                right + c * sympy.Rational(str(q)) ** sympy.Rational(1, n),
            )
        found, squared = f**2, sympy.expand(right**2)
        assert (sympy.expand(sympy.sympify(str(found), rational=True) - squared)).equals(0)
        assert (found == 0) == (squared.equals(0))
        number = sympy.nsimplify(squared)
        assert (found.rational() is not None) == bool(number.is_Rational)


def test_values_of_names() -> None:
    with precision(100):
        assert value_of("1/eps") == 1
        assert contains(value_of("log(2)/eps"), mpmath.log(2), mpmath.mpf(10) ** -15)
    assert quotient(1, 2) * Linear.name(ONE) == form({ONE: Fraction(1, 2)})

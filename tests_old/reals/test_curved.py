"""Sums with polynomial exponents, against mpmath and against products with known zeros."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reals import Interval
from exactdp.reals.certified import evaluated_sign, evaluated_solutions
from exactdp.reals.curved import CurvedSum
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.numbers import exact, inf
from support.examples import examples

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
polynomials = st.lists(small, min_size=0, max_size=3)


def polynomial(entries: list[Fraction]) -> fmpq_poly:
    return fmpq_poly([exact(q) for q in entries])


def made(terms: list[tuple[list[Fraction], list[Fraction]]]) -> CurvedSum:
    """Return Σ p·exp(P) from pairs (P, p)."""
    parts: dict[tuple[fmpq, ...], fmpq_poly] = {}
    for exponent, part in terms:
        key = tuple(polynomial(exponent).coeffs())
        parts[key] = parts.get(key, fmpq_poly([])) + polynomial(part)
    return CurvedSum.of(parts)


def decided(f: CurvedSum, lower: Fraction, upper: Fraction | float) -> bool | Fraction | None:
    """Return whether a sum is nonnegative; where it is not; None if that stays open."""
    try:
        holds, witness = evaluated_sign(f, Interval(lower, upper))
    except OpenSignError:
        return None
    return holds or witness


def value(f: CurvedSum, x: Any) -> Any:
    """Return a value by mpmath."""

    def at(entries: Any) -> Any:
        numbers = [mpmath.mpf(int(q.p)) / int(q.q) for q in entries]
        return mpmath.fsum(q * x**k for k, q in enumerate(numbers))

    return mpmath.fsum(
        at(part.coeffs()) * mpmath.exp(at(exponent)) for exponent, part in f.parts.items()
    )


@examples(80)
@given(
    st.lists(st.tuples(polynomials, polynomials), min_size=1, max_size=4),
    st.fractions(min_value=0, max_value=3, max_denominator=5),
    st.one_of(st.just(inf), st.fractions(min_value=0, max_value=4, max_denominator=5)),
)
def test_decisions_agree_with_values(
    terms: list[tuple[list[Fraction], list[Fraction]]], lower: Fraction, length: Fraction | float
) -> None:
    f = made(terms)
    upper = lower + length if isinstance(length, Fraction) else inf
    found = decided(f, lower, upper)
    with mpmath.workdps(50):
        if isinstance(found, Fraction):
            assert lower <= found <= upper
            assert value(f, mpmath.mpf(found.numerator) / found.denominator) < 0
        elif found:
            span = float(min(upper - lower, 20))
            for k in range(80):
                x = mpmath.mpf(lower.numerator) / lower.denominator + mpmath.mpf(span) * k / 79
                assert value(f, x) > -1e-30


@examples(40)
@given(polynomials, st.fractions(min_value=0, max_value=4, max_denominator=6))
def test_a_rational_zero_without_a_change_of_sign(exponent: list[Fraction], zero: Fraction) -> None:
    """(x − z)²·e^P ≥ 0; with another sign, or with e^{x − z} − 1 instead, it is not."""
    square = [zero**2, -2 * zero, Fraction(1)]
    assert decided(made([(exponent, square)]), Fraction(0), inf) is True
    minus = decided(made([(exponent, [-q for q in square])]), Fraction(0), Fraction(5))
    assert isinstance(minus, Fraction)
    crossing = made([([-zero, Fraction(1)], [Fraction(1)]), ([], [Fraction(-1)])])
    expected = decided(crossing, Fraction(0), inf)
    assert expected is True if zero == 0 else isinstance(expected, Fraction)


def test_constants_are_compared_exactly() -> None:
    """E − 1 − 1 − 1/2 − 1/6 − 1/24 > 0: a sum without x at all."""
    tail = made([([Fraction(1)], [Fraction(1)]), ([], [Fraction(-65, 24)])])
    assert decided(tail, Fraction(0), inf) is True
    assert isinstance(
        decided(made([([], [Fraction(1)]), ([Fraction(1)], [-Fraction(1)])]), Fraction(0), inf),
        Fraction,
    )


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_an_irrational_minimum(shift: int) -> None:
    """e^{x²} − 2x² − 2 + 2·ln 2 is 0 and least where x² = ln 2; nearby numbers are told apart."""
    near = Fraction(6931471805599453094172, 10**22)  # ln 2 to 22 digits, from below
    bound = 2 - 2 * near + Fraction(shift, 10**20)
    nothing, one = Fraction(0), Fraction(1)
    f = made([([nothing, nothing, one], [one]), ([], [-bound, nothing, -2 * one])])
    found = decided(f, Fraction(0), Fraction(3))
    if shift > 0:
        assert isinstance(found, Fraction)
    if shift < 0:
        assert found is True


def test_the_set_where_a_sum_is_nonnegative() -> None:
    """(x − 1)²·(x − 2)·(3 − x)·e^(−x²) has a double zero at 1, and is positive between 2 and 3."""
    part = fmpq_poly([1, -2, 1]) * fmpq_poly([-2, 1]) * fmpq_poly([3, -1])
    f = CurvedSum.of({(fmpq(0), fmpq(0), fmpq(-1)): part})
    assert str(evaluated_solutions(f, Interval.parse("(0, ∞)"))) == "{1} ∪ [2, 3]"
    assert str(evaluated_solutions(f, Interval.parse("[1, 5/2)"))) == "{1} ∪ [2, 5/2)"
    assert str(evaluated_solutions(f, Interval.parse("(1, 2)"))) == "∅"
    assert evaluated_sign(f, Interval.parse("[2, 3]")) == (True, None)
    assert evaluated_sign(f, Interval.parse("[2, 3]"), strict=True)[0] is False


def test_a_zero_of_high_order() -> None:
    """e^(x²) minus its Taylor polynomial of degree 22 begins with x^24/12!."""
    nothing, one = Fraction(0), Fraction(1)
    series = [nothing] * 23
    for k in range(12):
        series[2 * k] = Fraction(-1, math.factorial(k))
    f = made([([nothing, nothing, one], [one]), ([], series)])
    assert decided(f, nothing, inf) is True
    assert str(evaluated_solutions(f, Interval.parse("[0, ∞)"))) == "[0, ∞)"

"""The enclosures contain the truth, and are as narrow as they promise."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import certify

ARGUMENTS = st.builds(
    lambda sign, digits, power: sign * digits * Fraction(10) ** power,
    st.sampled_from([1, -1]),
    st.fractions(min_value=1, max_value=10, max_denominator=10**6),
    st.integers(min_value=-60, max_value=8),
)
RATIONALS = st.fractions() | st.builds(
    lambda c, e: c * Fraction(2) ** e, st.fractions(), st.integers(-300, 300)
)
BITS = st.integers(min_value=2, max_value=400)


def encloses_exp(x: Fraction, bits: int) -> None:
    enclosure = certify.exp_enclosure(x, bits)
    with mpmath.workprec(2 * bits + 200):
        exact = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        low = mpmath.ldexp(enclosure.low, enclosure.exponent)
        high = mpmath.ldexp(enclosure.high, enclosure.exponent)
        assert low <= exact <= high
        assert high - low <= mpmath.ldexp(low, 4 - bits)


@given(ARGUMENTS, BITS)
def test_exp_from_tiny_to_huge_arguments(x: Fraction, bits: int) -> None:
    encloses_exp(x, bits)


@pytest.mark.parametrize(
    "x", ["1e-40", "-1e-40", "1e6", "-1e6", "1e9", "-1e9", "18446744073709551616"]
)
@pytest.mark.parametrize("bits", [32, 64, 1000])
def test_exp_at_the_edges(x: str, bits: int) -> None:
    encloses_exp(Fraction(x), bits)


def test_exp_with_many_bits() -> None:
    encloses_exp(Fraction(-355, 113), 20_000)


def test_exp_of_0_is_exactly_1() -> None:
    one = certify.exp_enclosure(Fraction(0), 10)
    assert (one.low, one.high, one.exponent) == (1, 1, 0)


def ends(x: certify.Enclosure) -> tuple[Fraction, Fraction]:
    unit = Fraction(2) ** x.exponent
    return x.low * unit, x.high * unit


@given(RATIONALS, BITS)
def test_of_encloses_to_the_stated_width(x: Fraction, bits: int) -> None:
    low, high = ends(certify.Enclosure.of(x, bits))
    assert low <= x <= high
    assert high - low <= abs(x) * Fraction(2) ** (2 - bits)


@given(RATIONALS, RATIONALS, BITS)
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_arithmetic_encloses(operation: Any, x: Fraction, y: Fraction, bits: int) -> None:
    of = certify.Enclosure.of
    low, high = ends(operation(of(x, bits), of(y, bits)))
    assert low <= operation(x, y) <= high


@given(RATIONALS, RATIONALS, BITS)
def test_wide_enclosures_keep_both_ends(x: Fraction, y: Fraction, bits: int) -> None:
    """Arithmetic with an enclosure of a whole interval encloses what both of its ends give."""
    one, many = certify.Enclosure.of(1, bits), certify.Enclosure.of(abs(x) + 1, bits)
    wide = certify.Enclosure(-many.high, many.high, many.exponent, bits)
    for low, high, at in [
        (*ends(wide * certify.Enclosure.of(y, bits)), abs(x) * y),
        (*ends(wide * certify.Enclosure.of(y, bits)), -abs(x) * y),
        (*ends(wide + certify.Enclosure.of(y, bits)), abs(x) + y),
        (*ends(abs(wide) * one), abs(x)),
    ]:
        assert low <= at <= high

"""The enclosures contain the truth, and are as narrow as they promise."""

from __future__ import annotations

import math
from fractions import Fraction

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
    with mpmath.workprec(2 * bits + 200 + int(abs(x)).bit_length()):
        exact = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        low = mpmath.ldexp(enclosure.low, enclosure.exponent)
        high = mpmath.ldexp(enclosure.high, enclosure.exponent)
        assert low <= exact <= high
        assert high - low <= mpmath.ldexp(low, 4 - bits)


@given(ARGUMENTS, BITS)
def test_exp_from_tiny_to_huge_arguments(x: Fraction, bits: int) -> None:
    encloses_exp(x, bits)


@pytest.mark.parametrize(
    "x",
    ["1e-40", "-1e-40", "1e6", "-1e6", "1e9", "-1e9", "18446744073709551616", "1e60", "-1e600"],
)
@pytest.mark.parametrize("bits", [32, 64, 1000])
def test_exp_at_the_edges(x: str, bits: int) -> None:
    encloses_exp(Fraction(x), bits)


def test_exp_with_many_bits() -> None:
    encloses_exp(Fraction(-355, 113), 20_000)


def test_exp_of_0_is_exactly_1() -> None:
    one = certify.exp_enclosure(Fraction(0), 10)
    assert (one.low, one.high, one.exponent) == (1, 1, 0)


def ends(x: certify.PositiveEnclosure) -> tuple[Fraction, Fraction]:
    unit = Fraction(2) ** x.exponent
    return x.low * unit, x.high * unit


@given(st.integers(), st.integers(-300, 300), st.integers(1, 10**9))
def test_floor(n: int, e: int, d: int) -> None:
    assert certify.floor(n, e, d) == math.floor(n * Fraction(2) ** e / d)


def test_floor_far_below_0() -> None:
    assert [certify.floor(n, -(10**30)) for n in (-5, 0, 5)] == [-1, 0, 0]


ENCLOSURES = st.builds(
    lambda low, width, e: certify.PositiveEnclosure(low, low + width, e),
    st.integers(0, 10**30),
    st.integers(0, 10**9) | st.just(0),
    st.integers(-300, 300),
)


@given(ENCLOSURES, ENCLOSURES, BITS)
def test_times_encloses(
    x: certify.PositiveEnclosure, y: certify.PositiveEnclosure, bits: int
) -> None:
    product = x.times(y, bits)
    low, high = ends(product)
    assert low <= ends(x)[0] * ends(y)[0] <= ends(x)[1] * ends(y)[1] <= high
    assert product.high <= 1 << bits


@given(st.lists(st.tuples(RATIONALS, st.integers(-99, 99), ENCLOSURES), min_size=1), BITS)
def test_total_encloses(
    parts: list[tuple[Fraction, int, certify.PositiveEnclosure]], bits: int
) -> None:
    """Its signs, all that is used of it, are right: the lower end is > 0 only if the sum is."""
    both = [[c * Fraction(2) ** e * end for end in ends(x)] for c, e, x in parts]
    low, high = sum(map(min, both)), sum(map(max, both))
    found_low, found_high = certify.total(parts, bits)
    assert found_low <= found_high
    assert low > 0 or found_low <= 0
    assert high < 0 or found_high >= 0

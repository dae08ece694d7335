"""The kernel's rule on a box: accepted sums are nonnegative there, its matrices are integrals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from exactdp.certify.kernel.boxes import Box, Local, Tensor
from exactdp.certify.kernel.orthants import ConeSign
from exactdp.certify.kernel.reading import CertificateReader, RejectedError
from support.examples import examples

RATES = st.fractions(min_value=0, max_value=3, max_denominator=2)
FACTORS = st.tuples(st.integers(0, 2), RATES)
NUMBERS = st.fractions(min_value=-2, max_value=3, max_denominator=3).filter(bool)
SUMS = st.dictionaries(st.tuples(FACTORS, FACTORS), NUMBERS, min_size=1, max_size=4)
LOWS = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(2)])
ENDS = st.tuples(
    LOWS, st.sampled_from([None, Fraction(0), Fraction(1, 4), Fraction(1), Fraction(3)])
)
BOXES = st.tuples(ENDS, ENDS).map(
    lambda box: [(low, None if length is None else low + length) for low, length in box]
)


def value(g: Local, point: tuple[Fraction, ...]) -> mpmath.mpf:
    """Return g at a point, in 60 digits."""
    with mpmath.workdps(60):
        total = mpmath.mpf(0)
        for key, c in g.items():
            term = mpmath.mpf(c.numerator) / c.denominator
            for (k, a), s in zip(key, point, strict=True):
                x = mpmath.mpf(s.numerator) / s.denominator
                term *= x**k * mpmath.exp(-x * a.numerator / a.denominator)
            total += term
        return total


@examples(150)
@given(SUMS, BOXES, st.sets(st.integers(0, 1)))
def test_what_is_accepted_is_not_negative(g: Local, box: Box, uppers: set[int]) -> None:
    """Points of a fine grid of the box, and points far out, where the box has no end."""
    tensor = Tensor(CertificateReader(), g, 0, box)
    accepted = tensor.is_nonnegative(box, 128, uppers)
    event(f"accepted: {accepted}")
    if accepted:
        steps = [Fraction(i, 12) for i in range(13)]
        sides = [
            [low + (5 * t / (1 - t) if t < 1 else 100) if high is None else low + (high - low) * t
             for t in steps]
            for low, high in box
        ]  # fmt: skip
        assert all(value(g, point) >= -(mpmath.mpf(10) ** -50) for point in product(*sides))


@examples(40)
@given(st.lists(FACTORS, min_size=1, max_size=3), st.sampled_from([Fraction(1, 7), Fraction(2)]))
def test_matrices_move_the_coefficients(factors: list[tuple[int, Fraction]], h: Fraction) -> None:
    """W(h) is the exponential of h times the matrix of δᵢ′ = δᵢ₊₁ − aᵢδᵢ, as mpmath computes it."""
    tensor = Tensor(CertificateReader(), {(one,): Fraction(1) for one in factors})
    for sign in (1, -1):
        rates = [sign * a for a in tensor.rates[0]]
        top, n, bits = max(rates), len(rates), 200
        columns = tensor._moved(0, h, bits, sign)
        with mpmath.workdps(50):
            generator = mpmath.matrix(n, n)
            for i, a in enumerate(rates):
                generator[i, i] = mpmath.mpf((top - a).numerator) / (top - a).denominator
                if i + 1 < n:
                    generator[i, i + 1] = 1
            moved = mpmath.expm(generator * h.numerator / h.denominator)
            for i, k in product(range(n), range(n)):
                low, high = columns[k][i]
                slack = mpmath.mpf(10) ** -35 * (1 + moved[i, k])
                assert low * mpmath.mpf(2) ** -bits <= moved[i, k] + slack
                assert moved[i, k] - slack <= high * mpmath.mpf(2) ** -bits
                assert high - low <= 2 ** (bits // 2)


def test_a_zero_at_either_end_of_a_box() -> None:
    """The zero of (1 − s)² at an end is exact if the expansion is there, and otherwise not.

    At 0 all coefficients are exact, as those of s·e^{−s}.
    """
    one, zero = Fraction(1), Fraction(0)
    rising: Local = {((1, one),): one}
    assert Tensor(CertificateReader(), rising).is_nonnegative([(zero, one)], 64, [])
    squared: Local = {((0, zero),): one, ((1, zero),): Fraction(-2), ((2, zero),): one}  # (1 − s)²
    for low, high, end in ((zero, one, [0]), (one, Fraction(2), [])):
        tensor = Tensor(CertificateReader(), squared, 0, [(low, high)])
        assert tensor.is_nonnegative([(low, high)], 64, end)
        assert not tensor.is_nonnegative([(low, high)], 64, [0] if not end else [])


WHOLE = st.tuples(st.integers(-9, 9), st.integers(0, 9)).map(lambda one: (one[0], sum(one)))


@examples(60)
@given(st.lists(WHOLE, min_size=4, max_size=4), st.lists(WHOLE, min_size=2, max_size=2))
def test_products_contain_all_products(
    entries: list[tuple[int, int]], values: list[tuple[int, int]]
) -> None:
    """Every choice of numbers from the enclosures has its product in the result."""
    tensor = Tensor(CertificateReader(), {})
    columns = [entries[:2], entries[2:]]
    found = tensor._applied(columns, {(0,): values[0], (1,): values[1]}, 0)
    for i in range(2):
        low, high = found.get((i,), (0, 0))
        for a, b, x, y in product(columns[0][i], columns[1][i], *values):
            assert low <= a * x + b * y <= high


@examples(40)
@given(st.lists(FACTORS, min_size=1, max_size=3), st.integers(2, 12))
def test_matrices_are_rounded_outwards(factors: list[tuple[int, Fraction]], bits: int) -> None:
    """With few bits the enclosures are wide, and contain what many bits show."""
    tensor = Tensor(CertificateReader(), {(one,): Fraction(1) for one in factors})
    for sign, h in product((1, -1), (Fraction(1, 7), Fraction(5, 3))):
        wide, thin = (tensor._moved(0, h, n, sign) for n in (bits, 300))
        for one, other in zip(wide, thin, strict=True):
            for (low, high), (least, most) in zip(one, other, strict=True):
                assert low << 300 <= most << bits
                assert least << bits <= high << 300


def test_zeros_of_the_axis_of_a_chart_are_not_those_of_another() -> None:
    """s₀ − 1 − s₁ is 0 at (1, 0), but −1 at (1, 1)."""
    one, zero = Fraction(1), Fraction(0)
    flat = (0, zero)
    g: Local = {((1, zero), flat): one, (flat, flat): -one, (flat, (1, zero)): -one}
    region: Box = [(one, Fraction(2)), (one, one)]
    assert not Tensor(CertificateReader(), g, 0, region).is_nonnegative(region, 64, [])
    aside: Box = [(one, Fraction(2)), (zero, zero)]
    assert Tensor(CertificateReader(), g, 0, aside).is_nonnegative(aside, 64, [])


def test_a_chart_must_cover_where_its_part_is_the_largest() -> None:
    """With ε = σ₀ + σ₁ = 1, σ₀ is the largest part where σ₁ ≤ 1/2."""
    one, zero = Fraction(1), Fraction(0)
    g: Local = {((0, zero), (0, zero)): one}
    for at in ("1/8", "2/5"):
        tree = {"axis": 1, "at": at, "below": [64, []], "above": None}
        with pytest.raises(RejectedError, match="a box is left out"):
            ConeSign(CertificateReader()).chart(g, tree, [one, one], 0, (one, one))
    ConeSign(CertificateReader()).chart(g, [64, []], [one, one], 0, (one, one))

"""The kernel's rule on a box: accepted sums are nonnegative there, its matrices are integrals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
from hypothesis import event, given
from hypothesis import strategies as st

from exactdp.certify.kernel.boxes import Box, Local, Tensor
from exactdp.certify.kernel.reading import CertificateReader
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

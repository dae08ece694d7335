"""Where functions of ε with 1 and logarithms as constants are nonnegative, against mpmath."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reals import ExpPoly, Interval, Stretch, eps, exp, parameter
from exactdp.reals.certified import evaluated_sign
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.log_sums import LogSum, log_solutions
from exactdp.reals.numbers import inf
from support.examples import examples

UNITS = ("eps[0]", "eps[20]")
ONE, LOG = map(parameter, UNITS)
small = st.fractions(-2, 2, max_denominator=3)
TERMS = st.lists(
    st.tuples(small, st.integers(0, 2), st.integers(0, 1), small, small, small),
    min_size=1,
    max_size=4,
)
WHOLE = Stretch(Fraction(0), inf, lower_open=True, upper_open=True)


def form_of(terms: Any) -> Any:
    """Return Σ c·ε^k·(log 20)^n·e^(a·ε + b·1 + d·log 20)."""
    total: Any = ExpPoly(0)
    for c, k, n, a, b, d in terms:
        total = total + c * eps**k * LOG**n * exp(a * eps + b * ONE + d * LOG)
    return total


@examples(60)
@given(TERMS)
def test_sets_and_signs_agree_with_values(terms: Any) -> None:
    form = form_of(terms)
    try:
        found = log_solutions(form, UNITS, WHOLE)
    except OpenSignError:
        return

    def value(x: Fraction) -> Any:
        log, at = mpmath.log(20), mpmath.mpf(x.numerator) / x.denominator
        return mpmath.fsum(
            _ball(c) * at**k * log**n * mpmath.exp(_ball(a) * at + _ball(b) + _ball(d) * log)
            for c, k, n, a, b, d in terms
        )

    holds, witness = evaluated_sign(LogSum.of(form, UNITS), Interval.parse("(0, ∞)"))
    with mpmath.workdps(60):
        for power in range(-10, 16):
            x = Fraction(3, 2) ** power
            there = value(x)
            assert (x in found) == (there >= 0) or abs(there) < 1e-30
            assert there >= -1e-30 or not holds
        if witness is not None:
            assert value(witness) < 0


def _ball(number: Fraction) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator


def test_a_zero_at_a_logarithm_and_a_tie_at_a_rational_number() -> None:
    """ε − log 20 changes its sign at log 20; (ε − 2)²·log 20 is 0 at 2 and positive elsewhere."""
    (stretch,) = log_solutions(eps - LOG, UNITS, WHOLE)
    assert abs(float(stretch.lower) - float(mpmath.log(20))) < 1e-12
    tie = LogSum.of((eps - 2) ** 2 * LOG, UNITS)
    assert evaluated_sign(tie, Interval.parse("(0, ∞)")) == (True, None)
    assert evaluated_sign(tie, Interval.parse("(0, ∞)"), strict=True) == (False, Fraction(2))
    assert str(log_solutions(-((eps - 2) ** 2) * LOG, UNITS, WHOLE)) == "{2}"

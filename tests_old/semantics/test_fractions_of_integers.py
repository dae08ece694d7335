"""Integer noise times and plus fractions, against the oracle and sums over the integers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Accuracy, Mechanism, exp, gamma, sup
from exactdp import eps as budget
from exactdp.reals import ExpPoly
from support.compared import agree_with_oracle
from support.examples import examples

factors = st.sampled_from([Fraction(q) for q in ("1", "-1/2", "3/2", "2/3")])
shifts = st.fractions(min_value=-1, max_value=1, max_denominator=3)
SPAN = range(-32, 33)


def chance(z: int, rate: float) -> float:
    return math.tanh(rate / 2) * math.exp(-abs(z) * rate)


@examples(10)
@given(factors, factors, shifts, shifts, shifts)
def test_comparisons(
    one: Fraction, two: Fraction, start: Fraction, step: Fraction, limit: Fraction
) -> None:
    text = (
        "def m():\n"
        f"    x = {one} * dlap(eps, 0) + {start}\n"
        f"    y = x + {two} * dlap(2 * eps, 1) - {step}\n"
        f"    return [x >= {limit}, y > 0]\n"
    )
    agree_with_oracle(text, (), Mechanism.from_source(text).distribution(()))


@examples(30)
@given(factors, shifts, st.fractions(min_value=0, max_value=3, max_denominator=4))
def test_numbers(factor: Fraction, start: Fraction, radius: Fraction) -> None:
    program = Mechanism.from_source(f"def m():\n    return {factor} * dlap(eps, 0) + {start}\n")
    assert sum(program.distribution(()).values(), start=ExpPoly(0)) == ExpPoly(1)
    inside = sum(chance(a, 1.0) for a in SPAN if abs(factor * a) <= radius)
    assert float(program.within((), radius).at(1)) == pytest.approx(inside, abs=1e-12)
    assert float(program.probability((), factor * 2 + start).at(1)) == pytest.approx(chance(2, 1.0))


def test_a_claim() -> None:
    """|z| > 2 with probability 2e^{−3ε}/(1 + e^{−ε}), wherever the noise is centred."""
    program = Mechanism.from_source("def m():\n    return dlap(eps, 0) + 1/4\n")
    claim = Accuracy(
        program, 2 * exp(-gamma * budget), alpha=0, gamma=2, output_distance=sup, boundary="check"
    )
    assert claim.check().holds is True

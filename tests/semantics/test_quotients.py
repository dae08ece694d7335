"""Quotients of noise, which are only compared: against quadrature, sums and simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    Accuracy,
    AllReals,
    ErrorBound,
    ExactdpError,
    Interval,
    Mechanism,
    Privacy,
    Real,
    eps,
    exp,
)
from support.examples import examples

RELEASED = Mechanism.from_source("""
def mean(total: Real, count: Real):
    return lap(eps / 2, total) / lap(eps / 2, count)
""")


def below(x: float) -> float:
    """Return Pr(Laplace noise of rate 1/2 around 0 ≤ x)."""
    return math.exp(x / 2) / 2 if x < 0 else 1 - math.exp(-x / 2) / 2


def between(total: float, count: float, low: float, high: float) -> float:
    """Return Pr(low ≤ (total + X)/(count + Y) ≤ high) by the midpoint rule over Y."""
    ys, step = np.linspace(-60, 60, 20_001, retstep=True)
    ys = ys[:-1] + step / 2
    parts = []
    for y in ys:
        d = count + y
        ends = sorted((low * d, high * d))
        inside = below(ends[1] - total) - below(ends[0] - total)
        parts.append(math.exp(-abs(y) / 2) / 4 * inside)
    return math.fsum(parts) * float(step)


@examples(4)
@given(
    st.fractions(-8, 8, max_denominator=3),
    st.fractions(-4, 8, max_denominator=3),
    st.fractions(-2, 2, max_denominator=4),
    st.fractions("1/4", 2, max_denominator=4),
)
def test_intervals_of_a_quotient(
    total: Fraction, count: Fraction, c: Fraction, w: Fraction
) -> None:
    found = RELEASED.probability((total, count), Interval(c - w, c + w))
    want = between(float(total), float(count), float(c - w), float(c + w))
    assert float(found.at(1)) == pytest.approx(want, abs=1e-5)
    asked = Mechanism.from_source(f"""
def near(total: Real, count: Real):
    s, n = lap(eps / 2, total), lap(eps / 2, count)
    return abs(s / n - ({c})) <= {w}
""")
    assert asked.probability((total, count), True) == found


def test_claims_about_a_released_mean() -> None:
    """Within 1 of 30/10 is between 2 and 4; the ends of the claims are from the quadrature."""
    here = (30, 10)
    found = RELEASED.within(here, 1)
    assert float(found.at(1)) == pytest.approx(between(30, 10, 2, 4), abs=1e-5)
    claim = Accuracy(RELEASED, beta=exp(-eps), gamma=1, inputs=[here])
    assert claim.check().outcome == "holds"
    assert not Accuracy(RELEASED, beta=exp(-2 * eps), gamma=1, inputs=[here]).check()
    least = ErrorBound(RELEASED, within=1, risk="10%", inputs=[here]).smallest_epsilon()
    assert 1 - float(found.at("1.4816")) < 0.1 < 1 - float(found.at("1.4815")), least
    for wrong in (
        lambda: Accuracy(RELEASED, beta=exp(-eps), gamma=1, inputs=AllReals()).check(),
        lambda: Privacy(RELEASED, inputs=[here, (31, 10)]).check(),
        lambda: Privacy(RELEASED, inputs=AllReals()),
        lambda: RELEASED.expectation(here, lambda _, x: x),
        lambda: RELEASED.distribution(here).density(Real, 1),
    ):
        with pytest.raises(ExactdpError, match="quotient"):
            wrong()


def test_a_comparison_of_a_quotient_is_for_all_reals() -> None:
    """The comparison sees two samples of rate ε, so it is 2ε-private."""
    ratio = Mechanism.from_source("def f(q: Real[2]): return lap(eps, q[0]) / lap(eps, q[1]) > 2")
    assert Privacy(ratio, budget=2 * eps, inputs=AllReals()).check().outcome == "holds"


def test_integer_counts_may_be_zero() -> None:
    text = """
def f(x: Dom(0, 3)[3]):
    s, c = dlap(eps / 2, sum(x)), dlap(eps / 2, 3)
    {guard}
    return s / c >= 1
"""
    with pytest.raises(ExactdpError, match="division by zero"):
        Mechanism.from_source(text.format(guard="pass")).distribution([1, 2, 0])
    safe = Mechanism.from_source(text.format(guard="if c < 1: c = 1"))
    ratio = math.exp(-0.5)
    mass = [(1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(80)]
    want = sum(
        mass[abs(s - 3)] * mass[abs(c - 3)]
        for s in range(-60, 60)
        for c in range(-60, 60)
        if s / max(c, 1) >= 1
    )
    assert float(safe.probability([1, 2, 0], True).at(1)) == pytest.approx(want, abs=1e-9)
    runs = safe.sample([1, 2, 0], eps=1, size=20_000, seed=3)
    assert abs(sum(runs) / len(runs) - want) < 0.015

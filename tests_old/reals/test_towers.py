"""e to a quotient: values against mpmath, signs by certified numbers."""

from __future__ import annotations

from fractions import Fraction
from math import log

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactdp import (
    Accuracy,
    ClosedForm,
    ExactdpError,
    Ideal,
    Mechanism,
    eps,
    exp,
    nonnegative,
    solution_set,
)
from exactdp.reals.evaluated_zeros import OpenSignError
from support.examples import examples

STEEP = (exp(eps) - 1) / (exp(eps) + 1)  # tanh(ε/2)
small = st.fractions(-3, 3, max_denominator=4)


@examples(60)
@given(small, small, small, small, st.sampled_from([Fraction(1, 7), Fraction(2), Fraction(9)]))
def test_signs_agree_with_numbers(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction, at: Fraction
) -> None:
    """F = e^(a·t + b·t²) + c·e^(−ε) + d with t = tanh(ε/2), evaluated by mpmath on a grid."""
    f: ClosedForm = exp(a * STEEP + b * STEEP**2) + c * exp(-eps) + d
    if a == b == 0:
        return

    def value(x: Fraction | float) -> mpmath.mpf:
        t = mpmath.tanh(mpmath.mpf(float(x)) / 2)
        return mpmath.exp(float(a) * t + float(b) * t**2) + float(c) * mpmath.exp(-x) + float(d)

    assert float(f.at(at, 10)) == pytest.approx(float(value(float(at))), abs=1e-9)
    grid = [0.001 * 1.2**k for k in range(80)]
    try:
        decision = nonnegative(f)
    except OpenSignError:
        decision = None
    if decision is None:  # only where the least value is about 0
        assert abs(min(map(value, grid))) < 0.01
        return
    if decision.holds:
        assert min(map(value, grid)) > -1e-9
    else:
        assert decision.witness is not None
        assert value(float(decision.witness)) < 1e-9


def test_a_pole_at_zero_stays_open() -> None:
    """e^(1/ε) is unbounded near 0, which is not examined; away from 0 the sign is known."""
    with pytest.raises(OpenSignError, match="near 0"):
        nonnegative(exp(1 / eps) - 1)
    with pytest.raises(OpenSignError, match="near 0"):
        solution_set(exp(-6 / eps), "(0, 1]")
    assert nonnegative(exp(1 / eps) - 1, "[1/9, 9]").holds
    assert nonnegative(exp(-6 / eps), "(0, 1]").holds


def test_a_sign_is_seen_where_both_sides_meet_at_zero() -> None:
    """Tanh x ≤ x, so e^(−2·tanh(ε/2)) ≥ e^(−ε), with equality to second order at 0."""
    bound = exp(-2 * STEEP)
    assert nonnegative(bound - exp(-eps)).holds
    assert not nonnegative(exp(-eps) - bound).holds
    assert nonnegative(exp(-(eps**2)) - exp(-3 * eps), on="[1/2, 2]").holds


def test_where_both_sides_meet() -> None:
    """e^(−tanh(ε/2)) falls from 1 to 1/e, and is 1/2 where tanh(ε/2) = ln 2."""
    (stretch,) = solution_set(exp(-STEEP) - Fraction(1, 2))
    assert float(stretch.upper) == pytest.approx(float(2 * mpmath.atanh(mpmath.log(2))), abs=1e-11)
    assert len(solution_set(Fraction(1, 3) - exp(-STEEP))) == 0


def majority(n: int) -> Mechanism:
    return Mechanism.from_source(f"""
def majority(x: Dom(0, 1)):
    ones = 0
    for _ in range({n}):
        ones = ones + choose({{x: exp(eps) / (1 + exp(eps)), 1 - x: 1 / (1 + exp(eps))}})
    return 1 if 2 * ones > {n} else 0
""")


SAME = Ideal.from_source("def same(x: Dom(0, 1)): return x")


def test_hoeffding_bound_of_a_majority() -> None:
    """N votes are right with p = 1/2 + tanh(ε/2)/2 each: wrong with at most exp(−n·tanh²(ε/2)/2).

    At ε → 0 the error is 1/2 and the bound 1, so κ is at most 2, and it is 2.
    """
    for n in (1, 5):
        bound = exp(-Fraction(n, 2) * STEEP**2)
        claim = Accuracy(majority(n), bound, ideal=SAME)
        assert claim.check().outcome == "holds"
        kappa = claim.tightest().kappa
        assert kappa.lower == 2
        assert kappa.upper < Fraction(201, 100)
        with pytest.raises(ExactdpError, match="no certificate"):
            _ = claim.check().certificate
    claim = Accuracy(majority(1), 0.45 * exp(-(STEEP**2) / 2), ideal=SAME)
    least = claim.smallest_epsilon()
    root = mpmath.findroot(
        lambda x: 0.45 * mpmath.exp(-(mpmath.tanh(x / 2) ** 2) / 2) - 1 / (1 + mpmath.exp(x)), 0.2
    )
    assert float(least) == pytest.approx(float(root), rel=1e-9)
    (stretch,) = claim.epsilons()
    assert float(stretch.lower) == pytest.approx(float(root), abs=1e-11)


def test_other_questions_are_refused_with_a_way_out() -> None:
    larger = Mechanism.from_source("def f(q: Real): return lap(eps, q) > 0")
    with pytest.raises(ExactdpError, match="not a closed form"):
        Accuracy(larger, exp(-STEEP)).check()
    with pytest.raises(ExactdpError, match="exp takes a rational number times eps"):
        Mechanism.from_source("def f(): return bernoulli(exp(-eps**2))")


_NOISY = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
_whole = st.integers(0, 3)


@examples(60)
@given(_whole, _whole, _whole, _whole, st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(2)]))
@example(1, 2, 1, 2, Fraction(1))  # equality at every ε
def test_polynomial_exponents_along_a_curve(a: int, b: int, c: int, d: int, k: Fraction) -> None:
    """The error above γ = a + bε is e^(−aε − bε²); the bound is k·e^(−cε − dε²)."""
    if not (a or b) or not d:
        return
    bound = k * exp(-c * eps - d * eps**2)
    claim = Accuracy(_NOISY, bound, alpha=0, gamma=a + b * eps, inputs=[0])
    verdict = claim.check()
    grid = [Fraction(j, 64) for j in range(1, 640)]

    def gap(x: Fraction) -> float:
        """Return the logarithm of the bound over the error."""
        return log(k) + float((a - c) * x + (b - d) * x**2)

    if min(map(gap, grid)) < -1e-9:
        assert verdict.holds is False
    if verdict.holds is False:
        assert gap(verdict.counterexample.eps) < 0
    else:
        assert verdict.holds


def test_other_exponents_along_a_curve_are_refused() -> None:
    """The error names the exponent and what may be given instead."""
    claim = Accuracy(_NOISY, exp(-STEEP), alpha=0, gamma=1 + eps, inputs=[0])
    with pytest.raises(ExactdpError, match="gamma depends on eps"):
        claim.check()


@pytest.mark.parametrize(
    ("function", "at", "sign"),
    [
        (exp(eps - 3) - exp(-1 - eps**2), 1, 0),  # both are e^−2
        (exp(eps - 3) - exp(-1 - eps**2), 2, 1),
        ((exp(1 / (1 + eps)) - exp(eps**2 - Fraction(1, 2))) / (1 + exp(eps)), 1, 0),
        (exp(-(eps**2)) + exp(-3 * eps) - 2 * exp(-3 * eps), 3, 0),
        (exp(-(eps**2)) - exp(-3 * eps) - exp(-1000 * eps), 3, -1),
    ],
)
def test_rational_exponents_at_one_point(function: ClosedForm, at: int, sign: int) -> None:
    """Different rational exponents give independent numbers, so that 0 is seen."""
    for power in (1, -1):
        assert nonnegative(power * function, f"[{at}, {at}]").holds is (power * sign >= 0)


@pytest.mark.parametrize(
    ("epsilon", "outcome"), [("(0, 1]", "fails"), ("[1, 1]", "holds"), ("[1, inf)", "holds")]
)
def test_a_curve_that_meets_the_bound_at_a_closed_end(epsilon: str, outcome: str) -> None:
    """The error is e^(−1 − ε²), below e^(ε − 3) from ε = 1 on, where both are equal."""
    once = Mechanism.from_source("def once(x: Real): return lap(eps, x)")
    claim = Accuracy(
        once,
        exp(eps - 3),
        alpha=0,
        gamma=1 / eps + eps,
        inputs=[0],
        output_distance="sup",
        boundary="check",
        epsilon=epsilon,
    )
    assert claim.check().outcome == outcome

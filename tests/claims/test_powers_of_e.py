"""β with powers of e that are numbers, such as e² · e^(−αε): decided exactly, with certificates."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Grid,
    Ideal,
    Mechanism,
    alpha,
    certify,
    eps,
    exp,
    gamma,
    maximum,
)
from support.examples import examples

LAPLACE = Mechanism.from_source("def noisy(x: Real): return lap(eps, x)")
ABOVE = Mechanism.from_source("def above(x: Real): return lap(eps, x) >= 1")
MARGIN = Mechanism.from_source("def margin(x: Real): return lap(eps, x) >= 1 + 2 / eps")
IDEAL = Ideal.from_source("def ideal(x: Real): return x >= 1")
INPUTS: tuple[Any, ...] = ([7, -5], AllReals(), Box(-5, 7), Grid(-5, 7))


def outcome(claim: Accuracy) -> str:
    """Return the outcome, which a certificate confirms."""
    found = claim.check()
    report = certify.check(json.loads(json.dumps(found.certificate)))
    assert report.accepted, report.reason
    assert report.taken == ()
    return found.outcome


@pytest.mark.parametrize("inputs", INPUTS, ids=str)
def test_tight_bounds(inputs: Any) -> None:
    """Pr(|noise| > 2/ε) = e^(−2); the error of a margin 2/ε is e^(2 − dd·ε)/2 beyond it.

    Where dd > 2/ε, the error of `above` is below e^(−2)/2 and comes arbitrarily close.
    """
    on: dict[str, Any] = {"inputs": inputs}
    for room, expected in (("0", "holds"), ("-1/100", "fails")):
        beta = f"exp(-2 + {room})"
        assert outcome(Accuracy(LAPLACE, beta, 0, "2/eps", **on)) == expected
        assert outcome(Accuracy(LAPLACE, f"exp({room} - gamma*eps)", 0, ANY, **on)) == expected
        assert outcome(Accuracy(ABOVE, f"exp(-2 + {room})/2", "2/eps", **on)) == expected
        margin = Accuracy(MARGIN, f"exp(2 + {room} - alpha*eps)/2", ideal=IDEAL, **on)
        assert outcome(margin) == expected


def test_other_ways_to_write_them() -> None:
    """In Python, beside other factors, in a minimum, and where α is a number."""
    whole: dict[str, Any] = {"inputs": AllReals()}
    assert outcome(Accuracy(LAPLACE, exp(-2), 0, 2 / eps, **whole)) == "holds"
    assert outcome(Accuracy(LAPLACE, 3 * exp(Fraction(-1, 2)) * exp(-gamma * eps), 0, ANY)) == (
        "holds"  # 3/√e = 1.819…
    )
    assert outcome(Accuracy(LAPLACE, exp(Fraction(1, 2) - gamma * eps) / 2, 0, ANY)) == "fails"
    least = Accuracy(ABOVE, "min(exp(-1), exp(2 - alpha*eps))/2", **whole)
    assert outcome(least) == "fails"  # at small αε it is e^(−1)/2, and the error nearly 1/2
    assert outcome(Accuracy(ABOVE, "min(exp(1/9), exp(2 - alpha*eps))/2", **whole)) == "holds"
    largest = Accuracy(ABOVE, maximum(exp(-2) / 2, exp(-alpha * eps) / 2), **whole)
    assert outcome(largest) == "holds"
    assert largest.tightest().kappa.lower > Fraction(999, 1000)
    point = Accuracy(ABOVE, "exp(-2)/2", 2, epsilon=1, **whole)
    assert outcome(point) == "holds"
    assert outcome(Accuracy(ABOVE, "exp(-21/10)/2", 2, epsilon=1, **whole)) == "fails"


@examples(60)
@given(
    st.fractions(-2, 2, max_denominator=3),
    st.fractions(Fraction(1, 2), 3, max_denominator=2),
    st.fractions(0, 3, max_denominator=2),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]),
    st.booleans(),
)
def test_random_bounds(
    power: Fraction, rate: Fraction, level: Fraction, least: Fraction, tight: bool
) -> None:
    """e^(−gε) ≤ e^(p − qε) for all ε ≥ a means (g − q)·ε ≥ −p there, in rational numbers."""
    if tight:
        power = (rate - level) * least
    claim = Accuracy(
        LAPLACE,
        exp(power) * exp(-rate * eps),
        0,
        level,
        inputs=[1] if tight else AllReals(),
        epsilon=f"[{least}, inf)",
    )
    holds = level >= rate and (level - rate) * least >= -power
    found = claim.check()
    assert found.outcome in (("holds", "vacuous") if holds else ("fails",))
    if holds and found.outcome == "vacuous":  # β ≥ 1
        assert power - rate * least >= 0
    assert certify.check(found.certificate).accepted


def test_questions_about_them() -> None:
    """Sets of ε, the best constant, and what is shown."""
    claim = Accuracy(LAPLACE, exp(-1) * exp(-2 * eps), 0, 3, inputs=[1])
    (part,) = claim.epsilons()
    assert part.lower == 1
    assert "ε₀ = 1," in claim.smallest_epsilon().sentence
    factor = Accuracy(LAPLACE, exp(2 - gamma * eps), 0, ANY, inputs=AllReals()).tightest().kappa
    assert float(factor.lower) <= float(mpmath.e**2) <= float(factor.upper)
    assert "β = exp(2)*exp(-gamma*eps)" in str(Accuracy(LAPLACE, exp(2 - gamma * eps), 0, ANY))
    assert "e^{-1}" in claim._repr_latex_()
    assert pickle.loads(pickle.dumps(claim)).check().outcome == "fails"
    assert Accuracy(LAPLACE, exp(2), 0, 1, inputs=AllReals()).check().outcome == "vacuous"


def test_refused_elsewhere() -> None:
    """α, γ and conditions are rational where ε is."""
    for given_as in ({"alpha": exp(-2)}, {"alpha": "exp(-2)"}, {"region": "alpha >= exp(-2)"}):
        with pytest.raises(ExactdpError, match="closed form"):
            Accuracy(ABOVE, "1/2", inputs=[3], **given_as).check()

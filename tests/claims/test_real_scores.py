"""`expmech` with scores that are linear in real inputs: at listed inputs, boxes and all reals."""

from __future__ import annotations

from fractions import Fraction
from math import exp as e_to

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    ErrorBound,
    ExactdpError,
    Expected,
    Mechanism,
    Privacy,
    alpha,
    certify,
    eps,
    exp,
    linf,
)
from support.examples import examples

numbers = st.fractions(-2, 2, max_denominator=4)


def selection(m: int) -> Mechanism:
    return Mechanism.from_source(
        f"def pick(q: Real[{m}]): return expmech(eps / 2, lambda i: q[i], range({m}))"
    )


NEAREST = Mechanism.from_source(
    "def nearest(q: Real): return expmech(eps, lambda c: -abs(c - q), [0, 1, 2])"
)


@examples(20)
@given(
    st.lists(st.tuples(numbers, numbers, numbers, st.booleans()), min_size=2, max_size=4),
    st.tuples(numbers, numbers),
    st.sampled_from([Fraction(1, 2), Fraction(3)]),
)
def test_probabilities_are_those_of_the_definition(
    rows: list[tuple[Fraction, Fraction, Fraction, bool]],
    u: tuple[Fraction, Fraction],
    at: Fraction,
) -> None:
    """The weight of a candidate is e^(rate·ε·score), with the score worked out here."""
    told = [
        f"abs({a} * x + {b} * y + {c})" if folded else f"{a} * x + {b} * y + {c}"
        for a, b, c, folded in rows
    ]
    score = "0"
    for k, one in enumerate(told):
        score = f"({one} if i == {k} else {score})"
    text = f"return expmech(eps / 3, lambda i: {score}, range({len(rows)}))"
    mechanism = Mechanism.from_source(f"def pick(x: Real, y: Real): {text}")
    plain = [a * u[0] + b * u[1] + c for a, b, c, _ in rows]
    scores = [abs(s) if row[3] else s for s, row in zip(plain, rows, strict=True)]
    weights = [e_to(float(at * s / 3)) for s in scores]
    found = mechanism.distribution(u)
    for k, weight in enumerate(weights):
        assert float(found[k].at(at)) == pytest.approx(weight / sum(weights))


def test_all_reals_and_cells_agree() -> None:
    """At the worst input one candidate leads the m − 1 others by 2α.

    The error there is (m − 1)/(m − 1 + e^(αε)), at most (m − 1)·e^(−αε) and close to it.
    """
    for m in (2, 3):
        for factor, outcome in ((1, "holds"), (Fraction(99, 100), "fails")):
            claim = Accuracy(selection(m), beta=factor * (m - 1) * exp(-alpha * eps))
            for one in (claim, claim.by_cells())[: 4 - m]:
                verdict = one.check()
                assert verdict.outcome == outcome
                report = certify.check(verdict.certificate)
                assert report.accepted
                assert not report.taken
    assert Accuracy(selection(8), beta=7 * exp(-alpha * eps)).check().outcome == "holds"


def test_privacy_is_that_of_the_exponential_mechanism() -> None:
    """A score moves by 1, the others by −1: the factor e^(ε/2·2), and it is approached.

    Of the nearest of 0, 1, 2 output 0 at 0 and 1 has 1/(1 + x + x²) and x/(1 + 2x) for x = e^(−ε):
    the loss is ε + ln(1 + 2x) − ln(1 + x + x²), which is 4/3·ε for small ε.
    """
    for budget, outcome in ((eps, "holds"), (Fraction(9, 10) * eps, "fails")):
        verdict = Privacy(selection(2), budget=budget, adjacent=linf(1)).check()
        assert verdict.outcome == outcome
        assert certify.check(verdict.certificate).accepted
    for factor, outcome in ((Fraction(4, 3), "holds"), (Fraction(13, 10), "fails")):
        assert Privacy(NEAREST, budget=factor * eps, adjacent=linf(1)).check().outcome == outcome


def test_regret_and_error_by_scores() -> None:
    """Two candidates a distance d apart: the regret is d/(1 + e^(dε/2)), at most 0.55693/ε.

    The maximum of x/(1 + e^(x/2)) is at x = 2(1 + W(1/e)). Off by more than 1 at q below 1/2: the
    candidate 2 with e^(−ε)/(2 + e^(−ε)), at most 1/4 from ln(3/2) on.
    """
    bound = Expected(selection(2), "regret", at_most=1 / eps)
    assert 1 / float(bound.tightest().kappa) == pytest.approx(0.556929, rel=1e-5)
    assert Expected(NEAREST, "regret", at_most=2 / eps, inputs=AllReals()).check().holds
    off = ErrorBound(NEAREST, within=1, risk=Fraction(1, 4), inputs=Box(0, 2))
    assert float(off.smallest_epsilon()) == pytest.approx(0.4054651, rel=1e-6)


def test_a_score_has_no_noise() -> None:
    text = (
        "def f(q: Real):\n    z = lap(eps, q)\n    return expmech(eps, lambda i: z * i, [0, 1])\n"
    )
    mechanism = Mechanism.from_source(text)
    for ask in (lambda: mechanism.distribution(1), lambda: mechanism.sample(1, 1, 2)):
        with pytest.raises(ExactdpError, match="depends on noise"):
            ask()

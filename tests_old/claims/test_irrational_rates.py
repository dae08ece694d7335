"""Claims about mechanisms with rates such as √2·ε, and bounds with roots."""

import math

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    ClosedForm,
    ErrorBound,
    Expected,
    Grid,
    Mechanism,
    Privacy,
    alpha,
    compare,
    eps,
    exp,
    gamma,
    linf,
    sqrt,
)
from exactdp.claims.stated.expressions import Expression
from exactdp.errors import ExactdpError
from exactdp.report.page import _counterexample

NOISY = Mechanism.from_source("def noisy(q: Real): return lap(sqrt(2) * eps, q)")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 0 if lap(eps, q[0]) >= lap(sqrt(2) * eps, q[1]) else 1"
)
COUNT = Mechanism.from_source("def count(x: Dom(0, 3)): return dlap(sqrt(2) * eps, x)")


def tail(beta: ClosedForm | Expression) -> Accuracy:
    """Return the claim that the error of NOISY exceeds 2 with probability at most β."""
    return Accuracy(NOISY, beta=beta, alpha=0, gamma=2, inputs=[0, 5])


def test_a_tight_bound_holds_and_a_smaller_one_fails() -> None:
    assert tail(exp(-sqrt(2) * gamma * eps)).check()
    assert tail(exp(-sqrt(2) * gamma * eps)).tightest().kappa.upper == 1
    found = tail(exp(-3 * eps)).check().counterexample
    assert found is not None
    assert float((1 - found.probability).at(found.eps)) == pytest.approx(
        math.exp(-2 * math.sqrt(2) * float(found.eps))
    )


def test_sets_of_eps_and_the_smallest() -> None:
    # 2·e^(−3ε) ≥ e^(−2√2·ε) up to ln 2/(3 − 2√2).
    (stretch,) = Accuracy(NOISY, beta=2 * exp(-3 * eps), alpha=0, gamma=2, inputs=[0]).epsilons()
    end = math.log(2) / (3 - 2 * math.sqrt(2))
    assert float(stretch.upper) == pytest.approx(end, abs=1e-10)
    least = ErrorBound(NOISY, within=3, risk="5%").smallest_epsilon()
    assert float(least) == pytest.approx(math.log(20) / 3 / math.sqrt(2), abs=1e-11)
    within = ErrorBound(NOISY, risk="5%").smallest_within(eps=1)
    assert float(within) == pytest.approx(math.log(20) / math.sqrt(2), abs=1e-9)
    # 1 − Pr at [2, 0] is e^(−2ε) − e^(−2√2·ε)/2, and 5 % at its zero.
    x = float(Accuracy(LARGER, beta="5%", inputs=[[2, 0]]).smallest_epsilon())
    assert math.exp(-2 * x) - math.exp(-2 * math.sqrt(2) * x) / 2 == pytest.approx(0.05, abs=1e-10)


def test_grids_best_constants_and_comparisons() -> None:
    claim = Accuracy(LARGER, beta=exp(-alpha * eps / 2), inputs=Grid(-1, 1))
    assert claim.check()
    assert claim.tightest().kappa.upper == 2
    assert Expected(NOISY, "squared", at_most=1 / eps**2, inputs=[0]).check()
    best = Expected(NOISY, "absolute", at_most=1 / eps, inputs=[0]).tightest().kappa
    assert best.lower**2 < 2 < best.upper**2
    plain = Mechanism.from_source("def plain(q: Real): return lap(7 * eps / 5, q)")
    assert str(compare([NOISY, plain], "absolute", [0])).count("noisy is the best for ε in (0, ∞)")


def test_all_reals_if_noise_is_only_added() -> None:
    """The error is the same at every input, so one of them decides."""
    assert ErrorBound(NOISY, within=3, risk="5%").check(eps=1)
    assert not ErrorBound(NOISY, within=3, risk="1%").check(eps=1)  # e^(−3√2) = 1.4 %
    assert Expected(NOISY, "squared", at_most=1 / eps**2).check()
    pair = Mechanism.from_source(
        "def pair(q: Real[2]): return [lap(sqrt(2) * eps, q[0]), lap(eps, q[0] + q[1])]"
    )
    best = Expected(pair, "absolute", at_most=4 / eps).tightest().kappa  # 4/(1 + 1/√2)
    assert float(best.lower) == pytest.approx(4 / (1 + math.sqrt(0.5)), abs=1e-5)


def test_answers_as_text_and_pages() -> None:
    claim = Accuracy(LARGER, beta=exp(-4 * sqrt(2) * alpha * eps), inputs=[[1, 0]])
    curve = claim.error_probability([1, 0])
    assert "<mi>√(2)</mi>" in curve._repr_html_()
    assert "Fails" in claim.check()._repr_html_()
    failed = claim.check().counterexample
    assert failed is not None
    assert "√(2)" in _counterexample(claim, failed)["sums"][0]["formula"]
    (least,) = ErrorBound(NOISY, within=2, risk="5%").claims[0].epsilons()
    assert float(least.lower) == pytest.approx(math.log(20) / 2 / math.sqrt(2), abs=1e-10)


def test_privacy_of_finite_inputs() -> None:
    for budget, holds in ((sqrt(2) * eps, True), (3 * eps / 2, True), (7 * eps / 5, False)):
        verdict = Privacy(COUNT, budget=budget, adjacent=linf(1)).check()
        assert verdict.holds is holds
    claim = Privacy(COUNT, budget=eps, adjacent=linf(1))
    # The probabilities of z ≤ 0 at 0 and 1 decide: (1 − e^((1 − √2)ε))/(1 + e^(−√2·ε)).
    assert str(claim.smallest_delta()).startswith(
        "δ = (1 - exp((1 - sqrt(2))*eps))/(1 + exp(-sqrt(2)*eps))"
    )
    with pytest.raises(ExactdpError, match="irrational rates"):
        claim.tightest()


def test_what_is_refused() -> None:
    verdict = Accuracy(LARGER, beta=exp(-alpha * eps / 2), inputs=[[1, 0]]).check()
    with pytest.raises(ExactdpError, match="has no certificate"):
        _ = verdict.certificate
    with pytest.raises(ExactdpError, match="has no certificate"):
        _ = Expected(NOISY, "squared", at_most=1 / eps**2, inputs=[0]).check().certificate
    with pytest.raises(ExactdpError, match="irrational rates"):
        Accuracy(LARGER, beta=exp(-alpha * eps / 2), inputs=AllReals()).check()
    tower = exp(2 * (1 - exp(eps)) / (1 + exp(eps)))
    with pytest.raises(ExactdpError, match="not a closed form"):
        Accuracy(LARGER, beta=tower, inputs=[[1, 0]]).check()

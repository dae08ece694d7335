"""α and γ with logarithms, as in textbook theorems: α = 2·log(m/β)/ε."""

from __future__ import annotations

import math
import pickle
import random
import time
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

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
    eps,
    log,
)
from exactdp.claims.constants import budgets
from exactdp.errors import ValueRefusedError
from support.examples import examples

LAPLACE = Mechanism.from_source("def noisy(x: Real): return lap(eps, x)")
ABOVE = Mechanism.from_source("def above(x: Real): return lap(eps, x) > 1")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)
NOISY_MAX = Mechanism.from_source("""
def noisy_max(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""")
EVERYWHERE: tuple[Any, ...] = (AllReals(), Box(-2, 2), Grid(-1, 1))
EITHER: tuple[Any, ...] = (AllReals(), [9])


@pytest.mark.parametrize("inputs", EVERYWHERE, ids=str)
@pytest.mark.parametrize("alpha", ["2*log(60)/eps", 2 * log(60) / eps, "(2*log(3)+2*log(20))/eps"])
def test_the_textbook_theorem_of_noisy_max_holds(inputs: Any, alpha: Any) -> None:
    """With probability 1 − β, the error is at most 2·log(m/β)/ε."""
    assert Accuracy(NOISY_MAX, beta="1/20", alpha=alpha, inputs=inputs).check().holds


def error_of_larger(y: float) -> float:
    """Pr(Lap − Lap′ > y) for noise of scale 1."""
    return (0.5 + y / 4) * math.exp(-y)


def test_noisy_max_just_true_and_just_false() -> None:
    """Two numbers whose gap is above 2α: the error is below (1/2 + y/4)·e^(−y), y = αε."""
    y = 2 * math.log(7)
    for beta, outcome in ((1.0001, "holds"), (0.9999, "fails")):
        bound = Fraction(error_of_larger(y) * beta).limit_denominator(10**9)
        claim = Accuracy(LARGER, beta=bound, alpha="2*log(7)/eps", inputs=AllReals())
        assert claim.check().outcome == outcome


@pytest.mark.parametrize("inputs", [*EVERYWHERE, [3], [1, 7]], ids=str)
def test_a_tight_bound_on_laplace_noise(inputs: Any) -> None:
    """Pr(|noise| > log(20)/ε) is 1/20."""
    for beta, outcome in (("1/20", "holds"), ("1/21", "fails"), ("exp(-gamma*eps)", "holds")):
        claim = Accuracy(LAPLACE, beta=beta, alpha=0, gamma="log(20)/eps", inputs=inputs)
        assert claim.check().outcome == outcome


@pytest.mark.parametrize("inputs", [*EVERYWHERE, [3], [-1, 7]], ids=str)
@pytest.mark.parametrize("epsilon", [None, "[1, 3]", 2])
def test_a_bound_that_is_approached_but_not_attained(inputs: Any, epsilon: Any) -> None:
    """The error is below e^(−αε)/2 where dd > α, and comes arbitrarily close if dd may."""
    on: dict[str, Any] = {"inputs": inputs, "epsilon": epsilon}
    assert Accuracy(ABOVE, beta="1/20", alpha="log(10)/eps", **on).check().holds
    if epsilon != 2 or inputs in EVERYWHERE[:2]:
        found = Accuracy(ABOVE, beta="1/21", alpha="log(10)/eps", **on).check().counterexample
        distance = abs(float(found.input) - 1)
        assert distance > math.log(10) / found.eps
        assert math.exp(-distance * found.eps) / 2 > 1 / 21


def test_tightest_and_sets_of_eps() -> None:
    """Best constants and sets of ε: at x = 9, dd is 8 and the error e^(−8ε)/2."""
    claim = Accuracy(ABOVE, beta="1/20", alpha="log(10)/eps", inputs=AllReals())
    assert claim.tightest().kappa.lower <= 1 <= claim.tightest().kappa.upper
    claim = Accuracy(ABOVE, beta="1/50", alpha="log(10)/eps", inputs=[9])
    first, last = claim.epsilons()
    ends: Any = first.upper, last.lower
    # Nothing is claimed up to ε = log(10)/8; from log(25)/8 on, the error is small enough.
    assert math.isclose(float(ends[0].lower), math.log(10) / 8, rel_tol=1e-9)
    assert math.isclose(float(ends[1].lower), math.log(25) / 8, rel_tol=1e-9)


@examples(160)
@given(
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)]),
    st.fractions(Fraction(1, 2), 3, max_denominator=2),
    st.sampled_from([2, 3, 5, 6, 20, Fraction(3, 2), 16]),
    st.fractions(Fraction(1, 60), Fraction(1, 2), max_denominator=60),
    st.booleans(),
    st.booleans(),
)
def test_random_bounds_on_laplace_noise(
    rate: Fraction, factor: Fraction, base: Fraction, beta: Fraction, tight: bool, wide: bool
) -> None:
    """Pr(|noise| > c·log(r)/ε) is r^(−ac) for noise of rate aε, compared in exact powers."""
    power = rate * factor
    if tight and power.denominator == 1:
        beta = Fraction(1) / Fraction(base) ** int(power)
    program = Mechanism.from_source(f"def noisy(x: Real): return lap({rate} * eps, x)")
    level = f"{factor} * log({base}) / eps"
    inputs: Any = AllReals() if wide else [2]
    claim = Accuracy(program, beta=beta, alpha=0, gamma=level, inputs=inputs)
    holds = (1 / beta) ** power.denominator <= Fraction(base) ** power.numerator
    assert claim.check().outcome == ("holds" if holds else "fails")


@examples(160)
@given(st.integers(0, 10**6))
def test_random_claims_at_listed_inputs_agree_with_the_definition(seed: int) -> None:
    """A claim that holds has no counterexample at many ε; one that fails has a true one."""
    rng = random.Random(seed)
    q = [rng.randint(-3, 3) for _ in range(2)]
    base, shift = rng.choice([2, 3, 12]), rng.choice([0, 0, 1])
    factor = Fraction(rng.randint(1, 4), 2)
    beta = Fraction(rng.randint(1, 30), 60)
    level = f"{factor} * log({base}) / eps + {shift}"
    found = Accuracy(LARGER, beta=beta, alpha=level, inputs=[q]).check()
    gap = abs(q[0] - q[1])

    def excess(at: float) -> float:
        if not gap / 2 > float(factor) * math.log(base) / at + shift:
            return -1.0
        return error_of_larger(gap * at / 2) - float(beta)

    if found.outcome == "fails":
        assert excess(float(found.counterexample.eps)) > 0
    else:
        assert found.outcome in ("holds", "vacuous")
        assert max(excess(k / 50) for k in range(1, 2000)) < 1e-9


def test_two_logarithms_and_one_over_eps() -> None:
    """α and γ with other logarithms, or the mechanism with one."""
    both: dict[str, Any] = {
        "alpha": "2*log(60)/eps",
        "gamma": "log(3)/eps",
        "output_distance": "value_gap",
    }
    assert Accuracy(NOISY_MAX, beta="1/20", inputs=AllReals(), **both).check().holds
    released = Mechanism.from_source("def f(x: Real): return lap(eps, x) > 1 + log(6) / eps")
    ideal = Ideal.from_source("def g(x: Real): return x > 1")
    # Where x − 1 > log(10)/ε the error is below 6/(2·10) = 3/10.
    for beta, outcome in (("31/100", "holds"), ("29/100", "fails")):
        for inputs in EITHER:
            claim = Accuracy(released, beta, "log(10)/eps", ideal=ideal, inputs=inputs)
            assert claim.check().outcome == outcome
    # The same logarithm in both, and one that is a combination of it and another.
    claim = Accuracy(released, "1/6", "log(36)/eps", ideal=ideal, inputs=AllReals())
    assert claim.check().holds
    # Pr(|noise| > (log(20) + 1)/ε) is 1/(20e).
    for beta, outcome in (("1/54", "holds"), ("1/55", "fails")):
        claim = Accuracy(LAPLACE, beta, 0, "(log(20) + 1)/eps", inputs=AllReals())
        assert claim.check().outcome == outcome


MARGIN = Mechanism.from_source("def margin(x: Real): return lap(eps, x) > 1 + log(6) / eps")
ABOVE_ONE = Ideal.from_source("def ideal(x: Real): return x > 1")


@pytest.mark.parametrize("inputs", [AllReals(), Box(-2, 9), [9], Grid(7, 9)], ids=str)
def test_tight_bounds_with_two_constants(inputs: Any) -> None:
    """Powers of two numbers, or of one and e, that are equal are compared by their exponents.

    Where x − 1 > log(10)/ε, the error of a margin log(6)/ε is below 6/(2·10); that of `above`
    where it is > (log(10) − 1)/ε is below e/20; Pr(|noise| > (log(20) + 1)/ε) = 1/(20·e).
    """
    on: dict[str, Any] = {"inputs": inputs}
    started = time.process_time()
    for room, expected in (("0", "holds"), ("1/1000", "fails")):
        two = Accuracy(MARGIN, f"3/10 - {room}", "log(10)/eps", ideal=ABOVE_ONE, **on)
        assert two.check().outcome == expected
        one = Accuracy(ABOVE, f"exp(1)/20 - {room}", "(log(10) - 1)/eps", **on)
        assert one.check().outcome == expected
        noise = Accuracy(LAPLACE, f"exp(-1)/20 - {room}", 0, "(log(20) + 1)/eps", **on)
        assert noise.check().outcome == expected
    assert time.process_time() - started < 15  # once 15 s for each


@examples(60)
@given(
    st.sampled_from([(2, 3), (6, 10), (Fraction(3, 2), 7), (20, 3)]),
    st.integers(1, 2),
    st.integers(1, 2),
    st.sampled_from([Fraction(1), Fraction(99, 100), Fraction(101, 100)]),
)
def test_random_products_of_powers(bases: Any, k: int, j: int, room: Fraction) -> None:
    """Where x − 1 > α = j·log(s)/ε, the error of a margin k·log(r)/ε is below r^k/(2·s^j)."""
    r, s = bases
    limit = Fraction(r) ** k / (2 * Fraction(s) ** j)
    program = Mechanism.from_source(
        f"def margin(x: Real): return lap(eps, x) > 1 + {k} * log({r}) / eps"
    )
    if limit * room >= Fraction(1, 2):  # the threshold is above x, and other terms matter
        return
    level = f"{j} * log({s}) / eps"
    claim = Accuracy(program, limit * room, level, ideal=ABOVE_ONE, inputs=AllReals())
    assert claim.check().outcome == ("holds" if room >= 1 else "fails")


def test_a_level_that_follows_the_other() -> None:
    """γ = α with a logarithm, and α = ANY beside one in γ."""
    on: dict[str, Any] = {"input_distance": "discrete", "inputs": AllReals()}
    assert Accuracy(LAPLACE, "1/20", "log(20)/eps", "alpha", epsilon="[3, inf)", **on).check().holds
    assert Accuracy(LAPLACE, "1/20", ANY, "log(20)/eps", **on).check().holds
    assert Accuracy(LAPLACE, "1/21", ANY, "log(20)/eps", **on).check().outcome == "fails"


def test_what_is_shown_and_sent() -> None:
    """Claims and counterexamples name the logarithm, and claims are picklable."""
    claim = Accuracy(LAPLACE, "1/21", 0, log(20) / eps, inputs=AllReals())
    found = pickle.loads(pickle.dumps(claim)).check()
    assert "γ = log(20)/eps" in str(claim)
    assert "γ = log(20))" in str(found)
    assert "log(20)" in found._repr_html_()


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        ({"alpha": "log(20)"}, "alpha is log\\(20\\), with a logarithm"),
        ({"alpha": "log(2)*eps"}, "with a logarithm"),
        ({"alpha": "x + log(2)/eps"}, "x is not known"),
        ({"alpha": "log(0)/eps"}, "positive rational number"),
        ({"alpha": "log(1/2)/eps"}, "negative for some eps"),
        ({"alpha": "[log(2)/eps, 3]"}, "log\\(r\\) is irrational"),
        ({"alpha": "log(2)/eps", "boundary": "check"}, "inputs with dd = α are checked"),
        ({"alpha": "log(2)/eps", "region": "eps < 1"}, "conditions"),
        ({"alpha": "log(2)/eps", "gamma": "eps**2"}, "linear"),
    ],
)
def test_refused(given_as: dict[str, Any], message: str) -> None:
    """Other places for logarithms are refused."""
    for inputs in EITHER:
        with pytest.raises(ExactdpError, match=message):
            Accuracy(ABOVE, beta="1/20", inputs=inputs, **given_as).check()


def test_integer_noise_within_a_logarithm_is_refused() -> None:
    """Its probability jumps at irrational ε."""
    integer = Mechanism.from_source("def f(x: Dom(0, 3)): return dlap(eps, x)")
    with pytest.raises(ExactdpError, match="outputs are integers with noise"):
        Accuracy(integer, beta="1/20", alpha=0, gamma="log(20)/eps")


def test_interchangeable_inputs_are_explored_once() -> None:
    """With five queries there is one order of the inputs, not 120."""
    source = """
def noisy_max(q: Real[5]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 5):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""
    claim = Accuracy(Mechanism.from_source(source), "1/20", "2*log(100)/eps", inputs=AllReals())
    (group,) = claim.regions()
    assert any(region.ordered for region in group)
    assert claim.check().holds
    # With all others far below, two numbers remain: (1/2 + y/4)·e^(−y) for y = log(4).
    assert (
        Accuracy(claim.mechanism, "1/5", "log(4)/eps", inputs=AllReals()).check().outcome == "fails"
    )


def test_an_undecided_claim_has_no_smallest_eps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it said that no ε up to 0 is large enough."""
    missing = SimpleNamespace(holds=None, counterexample=None, missing="a tie", contents=None)
    monkeypatch.setattr(budgets, "decide", lambda *_, **__: missing)
    monkeypatch.setattr(Accuracy, "require_content", lambda *_: None)
    claim = Accuracy(ABOVE, "1/20", alpha="log(10)/eps", inputs=AllReals())
    with pytest.raises(ValueRefusedError, match="the smallest ε is not known: a tie"):
        claim.smallest_epsilon()


def test_a_logarithm_of_a_counterexample_is_a_number() -> None:
    noisy = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
    verdict = Accuracy(noisy, "1/20", alpha=0, gamma="log(19) / eps", inputs=[0]).check()
    assert verdict.counterexample is not None
    one = verdict.counterexample
    assert float(one.gamma) == pytest.approx(math.log(19) / float(one.eps))

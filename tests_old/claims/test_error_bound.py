"""Error bounds: how far off, how often, at which ε; by hand, by simulation, and refused."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    ErrorBound,
    ExactdpError,
    Expected,
    Grid,
    Interval,
    Mechanism,
    Privacy,
    certify,
    compare,
    eps,
    exp,
    ideal,
    inf,
    parse,
    sup,
    value_gap,
)
from exactdp.claims.decision.deciding import decide
from exactdp.semantics.engine import Engine

COUNT = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
HISTOGRAM = Mechanism.from_source("def histogram(q: Real[3]): return [lap(eps, x) for x in q]")
GEOMETRIC = Mechanism.from_source("def geometric(x: Dom(0, 9)): return dlap(eps, x)")
HALVED = Mechanism.from_source("def halved(x: Dom(0, 9)): return dlap(eps, x) / 2")
ABOVE = Mechanism.from_source("def above(x: Real): return lap(eps, x) > 0")
CANDIDATE = Mechanism.from_source(
    "def candidate(x: Dom(0, 4)): return expmech(eps, lambda c: -abs(c - x), range(5))"
)
LARGEST = Mechanism.from_source("""
def largest(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""")
BOTH = Mechanism.from_source("""
def both(q: Real[2]):
    best = 0
    if lap(eps / 2, q[1]) > lap(eps / 2, q[0]):
        best = 1
    return best, lap(eps / 2, q[best])
""")

FIRST = Mechanism.from_source("""
def first(q: Real[2]):
    for i in range(2):
        if lap(eps / 4, q[i]) > 0:
            return i
    return 2
""")
ORDER = Mechanism.from_source("""
def order(q: Real[2]):
    return [0, 1] if lap(eps / 2, q[0]) > lap(eps / 2, q[1]) else [1, 0]
""")


def test_the_third_of_a_count() -> None:
    """Laplace noise of rate ε exceeds t with probability e^(−tε); each answer solves that."""
    goal = ErrorBound(COUNT, within=10, risk="5%")
    needed = goal.smallest_epsilon()
    assert needed.lower < math.log(20) / 10 + 1e-15
    assert float(needed) == pytest.approx(math.log(20) / 10, abs=1e-12)
    risk = goal.risk(eps=1)
    assert str(risk.exact) == "exp(-10*eps)"
    assert risk.lower <= Fraction(math.exp(-10)) * (1 + Fraction(1, 10**12))
    assert float(risk) == pytest.approx(math.exp(-10), rel=1e-9)
    assert risk.is_everywhere
    radius = ErrorBound(COUNT, risk=0.05).smallest_within(eps=1)
    assert radius.lower < math.log(20) < float(radius.upper) + 1e-12
    assert float(radius) == pytest.approx(math.log(20), abs=1e-11)


def test_a_verdict_says_what_was_asked() -> None:
    """The sentence and the counterexample speak of the error, not of α."""
    goal = ErrorBound(COUNT, within=10, risk="5%")
    assert goal.check(eps=1)
    assert goal.check(eps="[1/2, 2]")
    verdict = goal.check()
    assert not verdict
    assert verdict.sentence.startswith(
        "Fails: count is off by more than 10 with probability at most 5% on all real inputs"
    )
    assert "the error exceeds 10 with probability" in verdict.sentence
    assert "α" not in verdict.sentence
    assert certify.check(verdict.certificate).accepted
    assert certify.check(goal.check(eps=1).certificate).accepted


def test_several_numbers_together_and_each() -> None:
    """All three within t: (1 − e^(−tε))³; each by itself as a single count."""
    together = ErrorBound(HISTOGRAM, within=10, risk="5%")
    each = ErrorBound(HISTOGRAM, within=10, risk="5%", simultaneous=False)
    wanted = -math.log(1 - 0.95 ** (1 / 3)) / 10
    assert float(together.smallest_epsilon()) == pytest.approx(wanted, abs=1e-11)
    assert float(each.smallest_epsilon()) == pytest.approx(math.log(20) / 10, abs=1e-11)
    assert len(each.claims) == 3
    assert float(together.risk(1)) == pytest.approx(1 - (1 - math.exp(-10)) ** 3, rel=1e-9)
    assert float(each.risk(1)) == pytest.approx(math.exp(-10), rel=1e-9)
    assert "entry 0 of histogram" in each.check().sentence


def test_a_position_beside_a_number_is_off_by_its_regret_by_itself_too() -> None:
    """At [0, −2 − t], with t → 0, the wrong position has the chance ½·e^(−1/2)·(1 + 1/4)."""
    apart = Mechanism.from_source("""
def apart(q: Real[2]):
    best = 1 if lap(eps / 4, q[1]) > lap(eps / 4, q[0]) else 0
    return best, lap(eps / 2, q[0])
""")
    each = ErrorBound(apart, within=2, inputs=AllReals(), simultaneous=False).risk(eps=1)
    assert float(each) == pytest.approx(math.exp(-0.5) * 1.25 / 2, rel=1e-5)
    tie = ErrorBound(apart, within=2, inputs=[[3, 3]], simultaneous=False).risk(eps=1)
    assert float(tie) == pytest.approx(math.exp(-1), rel=1e-9)


def test_entries_that_are_no_numbers_or_missing_are_wrong_by_themselves() -> None:
    """At [0, 0] entry 1 is missing if entry 0 is above 5, and else off by more than 2."""
    until = Mechanism.from_source("""
def until(q: Real[2]):
    out = []
    for x in q:
        r = lap(eps, x)
        out.append(r)
        if r > 5:
            return out
    return out
""")
    for inputs in ([[0, 0], [9, 9]], [[9, 9], [0, 0]]):
        found = ErrorBound(until, within=2, inputs=inputs, simultaneous=False).risk(eps=1)
        wanted = math.exp(-2) + math.exp(-5) / 2 * (1 - math.exp(-2))
        assert float(found) == pytest.approx(wanted, rel=1e-9)
    flags = Mechanism.from_source("def flags(q: Real[2]): return [lap(eps, x) > 0 for x in q]")
    each = ErrorBound(flags, within=0, inputs=[[1, 3]], simultaneous=False)
    assert float(each.risk(eps=1)) == pytest.approx(math.exp(-1) / 2, rel=1e-9)


def test_the_counterexample_has_few_different_numbers() -> None:
    """Next to the worst input [0, −5, −5] one number is moved."""
    found = ErrorBound(LARGEST, within=5, risk="5%", inputs=AllReals()).check(eps=1)
    assert found.counterexample is not None
    assert len(set(found.counterexample.input)) == 2


def test_integer_noise_errs_by_steps() -> None:
    """Pr(|noise| > t) = 2e^(−(t+1)ε)/(1 + e^(−ε)) for whole t; halved noise errs by halves."""

    def tail(t: int, eps: float) -> float:
        return 2 * math.exp(-(t + 1) * eps) / (1 + math.exp(-eps))

    wanted = next(t for t in range(100) if tail(t, 1) <= 0.05)
    found = ErrorBound(GEOMETRIC, risk="5%").smallest_within(eps=1)
    assert found.is_exact
    assert found.upper == wanted
    half = ErrorBound(HALVED, risk="5%").smallest_within(eps=1)
    assert half.is_exact
    assert half.upper == Fraction(wanted, 2)
    assert float(ErrorBound(GEOMETRIC, within=3).risk(1)) == pytest.approx(tail(3, 1), rel=1e-9)


def test_each_of_several_integers_errs_by_steps() -> None:
    """An entry is off by k or more with probability 2·e^(−k)/(1 + e^(−1)); 216 inputs are alike."""
    counts = Mechanism.from_source("def counts(x: Dom(0, 5)[3]): return [dlap(eps, c) for c in x]")
    each = ErrorBound(counts, risk="5%", simultaneous=False).smallest_within(eps=1)
    assert each.lower == each.upper == 3
    found = ErrorBound(counts, within=2, simultaneous=False).risk(eps=1)
    assert float(found) == pytest.approx(2 * math.exp(-3) / (1 + math.exp(-1)), rel=1e-9)
    assert found.is_everywhere
    failing = ErrorBound(counts, within=2, risk="5%").check(eps=1)
    assert "all inputs of the finite domain" not in str(failing)


def test_a_selection_errs_by_its_regret() -> None:
    """A tie is right; `within` is how much worse the selected value may be."""
    tie = ErrorBound(LARGEST, within=0, risk="5%", inputs=[[3, 3, 1]])
    one = ErrorBound(LARGEST, within=0, risk="5%", inputs=[[1, 0, 0]])
    assert tie.claims[0].output_metric is value_gap
    # Of [3, 3, 1] only the third is wrong: it must exceed both others.
    assert float(tie.risk(1)) == pytest.approx(float(LARGEST.probability([3, 3, 1], 2).at(1)))
    both = ErrorBound(LARGEST, within=0, risk="5%", inputs=[[3, 3, 1], [1, 0, 0]])
    assert both.risk(1).input == [1, 0, 0]
    assert both.risk(1).exact == one.risk(1).exact
    assert both.check().counterexample.input == [1, 0, 0]
    assert ErrorBound(LARGEST, risk="5%", inputs=[[1, 0, 0]]).smallest_within(1).upper == 1


def test_the_worst_of_all_reals() -> None:
    """With regret above 1 allowed twice, the worst inputs are next to [0, −1, −1]."""
    goal = ErrorBound(LARGEST, within=1, risk="45%", inputs=AllReals())
    risk = goal.risk(eps=1)
    near = float((1 - LARGEST.probability([1, 0, 0], 0)).at(1))
    assert float(risk) == pytest.approx(near, abs=1e-5)
    assert not risk.attained
    assert "near the input [0, -1, -1]" in str(risk)


def test_scores_of_candidates() -> None:
    """Candidates off by more than 1 in score have weight e^(−2ε) and less."""
    weights = [math.exp(-abs(c - 2)) for c in range(5)]
    wanted = (weights[0] + weights[4]) / sum(weights)
    assert float(ErrorBound(CANDIDATE, within=1).risk(1)) == pytest.approx(wanted, rel=1e-9)


def test_truth_values_are_right_or_wrong() -> None:
    """At x = 2 the answer is wrong with probability e^(−2ε)/2, the worse of −3 and 2."""
    goal = ErrorBound(ABOVE, within=0, risk="20%", inputs=[-3, 2])
    assert float(goal.smallest_epsilon()) == pytest.approx(math.log(2.5) / 2, abs=1e-11)
    same = ErrorBound(ABOVE, risk="20%", inputs=[-3, 2])
    assert float(same.smallest_epsilon()) == float(goal.smallest_epsilon())
    assert "gives a wrong answer" in repr(same)
    box = ErrorBound(ABOVE, within=0, risk="20%", inputs=Box(2, 3))
    assert float(box.smallest_epsilon()) == pytest.approx(math.log(2.5) / 2, abs=1e-5)


@cache
def _runs_of_both(u: tuple[int, int], within: float, size: int = 20_000) -> float:
    """Return how often the pair errs, in plain Python: noise of scale 2."""
    chance = random.Random(7)

    def noise() -> float:
        return (chance.expovariate(1) - chance.expovariate(1)) * 2

    right = 0 if u[0] >= u[1] else 1
    wrong = 0
    for _ in range(size):
        best = 1 if u[1] + noise() > u[0] + noise() else 0
        released = u[best] + noise()
        wrong += abs(u[best] - u[right]) > within or abs(released - u[right]) > within
    return wrong / size


@pytest.mark.parametrize("u", [(7, 0), (3, 3), (1, 0)])
def test_a_position_beside_a_number(u: tuple[int, int]) -> None:
    """Regret of the position and error of the number count together, as simulated."""
    risk = ErrorBound(BOTH, within=5, inputs=[list(u)]).risk(eps=1)
    assert float(risk) == pytest.approx(_runs_of_both(u, 5), abs=0.01)


def test_an_ideal_of_ones_own() -> None:
    """Randomized response has no noiseless form; with one it errs with probability 1/4."""
    response = Mechanism.from_source("def response(x: bool): return choose({x: 3/4, not x: 1/4})")

    @ideal
    def truth(x: bool) -> bool:
        return x

    goal = ErrorBound(response, within=0, risk="30%", ideal=truth)
    assert goal.check()
    assert (goal.risk(1).lower, goal.risk(1).upper) == (Fraction(1, 4), Fraction(1, 4))
    assert not ErrorBound(response, within=0, risk="24%", ideal=truth).check()


def test_no_output_is_that_far_off() -> None:
    """At [1, 0, 0] no position is off by more than 1: the risk is 0, and every ε is enough."""
    goal = ErrorBound(LARGEST, within=1, risk="5%", inputs=[[1, 0, 0]])
    assert goal.risk(1).upper == 0
    assert goal.smallest_epsilon().upper == 0


WRONG: list[tuple[str, Callable[[], object], str]] = [
    ("inputs", lambda: ErrorBound(LARGEST, within=0, risk="5%").check(), "depends on the input"),
    ("no risk", lambda: ErrorBound(COUNT, within=1).check(), "risk is not given"),
    ("no within", lambda: ErrorBound(COUNT, risk="5%").check(), "within is not given"),
    ("no eps", lambda: ErrorBound(COUNT, risk="5%").smallest_within(), "ε is not given"),
    ("negative", lambda: ErrorBound(COUNT, within=-1), "within is -1"),
    ("a risk of 5", lambda: ErrorBound(COUNT, risk=5), "the risk is 5"),
    ("500 %", lambda: ErrorBound(COUNT, risk="500%"), "the risk is 500%"),
    ("right or wrong", lambda: ErrorBound(ABOVE, within=1, risk="5%"), "right or wrong"),
    (
        "how far off a truth value is",
        lambda: ErrorBound(ABOVE, risk="5%", inputs=[1]).smallest_within(eps=1),
        "right or wrong.*\n.*\nAsk for risk",
    ),
    ("a flag", lambda: ErrorBound(COUNT, 1, simultaneous="no"), "simultaneous is 'no'"),  # type: ignore[arg-type]
    ("a formula", lambda: ErrorBound(COUNT, 1, exp(-eps)), "Write Accuracy.*beta=exp.-eps."),
    ("another", lambda: ErrorBound(COUNT, 1 / eps, "5%"), "Write Accuracy.*gamma=1/eps"),  # type: ignore[arg-type]
    (
        "a class",
        lambda: ErrorBound(LARGEST, 1, "5%", inputs=AllReals).check(),
        r"Write inputs=AllReals\(\)",
    ),
    ("eps", lambda: ErrorBound(COUNT, within=1, risk="5%").check(eps=0), "epsilon is 0"),
    (
        "one number",
        lambda: ErrorBound(COUNT, within=1, risk="5%", simultaneous=False).check(),
        "not a list",
    ),
    (
        "a distance of whole outputs",
        lambda: ErrorBound(
            HISTOGRAM, 1, "5%", inputs=[[0, 0, 0]], simultaneous=False, output_distance=value_gap
        ).check(),
        "between whole outputs",
    ),
    (
        "epsilon for eps",
        lambda: ErrorBound(COUNT, within=1).risk(epsilon=1),  # type: ignore[call-arg]
        "risk has no argument epsilon\nIts arguments are eps, width.\nWrite eps=1.",
    ),
    (
        "epsilon for eps, in keywords",
        lambda: ErrorBound(COUNT, risk="5%").smallest_within(epsilon=1),  # type: ignore[call-arg]
        "smallest_within has no argument epsilon\n.*jobs.*\nWrite eps=1.",
    ),
    (
        "eps for epsilon",
        lambda: ErrorBound(COUNT, within=1, eps=1),  # type: ignore[call-arg]
        "ErrorBound has no argument eps\n.*\nWrite epsilon=1.",
    ),
    (
        "eps of the claim",
        lambda: Accuracy(COUNT, "5%", gamma=1).check(eps=1),  # type: ignore[call-arg]
        "check has no argument eps\n.*\nWrite .*Accuracy.*epsilon=1.*check",
    ),
    (
        "by position",
        lambda: ErrorBound(COUNT, within=1, risk="5%").smallest_epsilon(1),  # type: ignore[call-arg]
        "smallest_epsilon has too many positional arguments",
    ),
    (
        "no mechanism",
        lambda: ErrorBound(within=1, risk="5%"),  # type: ignore[call-arg]
        "ErrorBound needs the argument mechanism",
    ),
    ("index or none", lambda: ErrorBound(FIRST, within=1, inputs=AllReals()), "or a position"),
    ("two indices", lambda: ErrorBound(ORDER, within=1, inputs=AllReals()), "or a position"),
]


@pytest.mark.parametrize(("ask", "said"), [case[1:] for case in WRONG], ids=[c[0] for c in WRONG])
def test_what_is_refused(ask: Callable[[], object], said: str) -> None:
    """The message names what is wrong, and what to write instead."""
    with pytest.raises(ExactdpError, match=said) as caught:
        ask()
    assert caught.value.way_out


def test_positions_that_may_be_numbers() -> None:
    """0 and 1 for a sum above a threshold are no positions, though the input has these."""
    unclear = Mechanism.from_source(
        "def unclear(q: Real[2]): return 1 if lap(eps, q[0] + q[1]) > 0 else 0"
    )
    with pytest.raises(ExactdpError, match="a number or a position"):
        ErrorBound(unclear, within=1, risk="5%", inputs=Grid(-1, 1))
    assert (
        ErrorBound(unclear, within=0, risk="5%", inputs=Grid(-1, 1)).claims[0].output_metric == sup
    )


@pytest.mark.parametrize(
    "entry",
    ["0 if a > b else 1", "None if a > b else 0"],
    ids=["is proved to be the best", "or None"],
)
def test_truth_values_beside_a_number_are_no_positions(entry: str) -> None:
    """What is True or False is right or wrong; a position is off by the regret; else one asks."""
    text = "def both(q: Real[2]):\n    a, b = lap(eps, q[0]), lap(eps, q[1])\n    return {}, a"
    truth = ErrorBound(Mechanism.from_source(text.format("a > b")), within=1, inputs=Grid(0, 2))
    assert truth.risk(eps=1).input == [0, 0]  # wrong half of the time, whatever `within` is
    position = Mechanism.from_source(text.format(entry))
    bound = ErrorBound(position, within=1, risk="5%", inputs=Grid(0, 2))
    assert (bound.claims[0].output_metric == sup) is ("None" in entry)
    last = "def last(q: Real[2]): return (1 if lap(eps, q[0]) > 0 else 0), lap(eps, q[1])"
    with pytest.raises(ExactdpError, match="an entry of the output of last may be a number or"):
        ErrorBound(Mechanism.from_source(last), within=1, inputs=Grid(0, 2))


def test_the_counterexample_is_close_to_the_worst_input() -> None:
    """The error above 1 is likeliest right beside a gap of 1, and the input shown is simple."""
    goal = ErrorBound(LARGEST, within=1, risk="5%", inputs=Box(0, 5))
    found = goal.check(eps=1).counterexample
    assert found is not None
    assert max(Fraction(x).denominator for x in found.input) <= 100
    assert float(found.error.lower) > 0.99 * float(goal.risk(eps=1).lower)


@pytest.mark.parametrize("inputs", [Box(-5, 5), AllReals(), Grid(-1, 1)])
def test_why_no_epsilon_is_large_enough(inputs: Box | AllReals | Grid) -> None:
    never = ErrorBound(ABOVE, within=0, risk="5%", inputs=inputs).smallest_epsilon()
    tie = "the input 0 is a tie" if isinstance(inputs, Grid) else "a tie such as 0,"
    assert tie in never.sentence
    exact = ErrorBound(COUNT, within=0, risk="5%", inputs=inputs).smallest_epsilon()
    assert "never exactly the ideal one" in exact.sentence


def test_why_no_error_is_large_enough() -> None:
    """At [0, 0] the comparison is wrong half of the time, and no number makes up for that."""
    mixed = Mechanism.from_source(
        "def mixed(q: Real[2]): return lap(eps, q[0]) > lap(eps, q[1]), lap(eps, q[0])"
    )
    never = str(ErrorBound(mixed, risk="5%", inputs=[[0, 0]]).smallest_within(eps=1))
    assert "at the input [0, 0] the error is larger with probability 0.5000; an out" in never
    small = str(ErrorBound(COUNT, risk="5%").smallest_within(eps="(0, 1]"))
    assert "infinitely" not in small


def test_only_certain_digits_are_shown() -> None:
    """The logarithm of 20 is 2.995732273…; for all reals the enclosure is wide."""
    clamped = Mechanism.from_source("def clamped(x: Real): return min(max(lap(eps, x), 0), 10)")
    found = ErrorBound(clamped, within=1, risk="5%", inputs=AllReals()).smallest_epsilon()
    assert "ε₀ ≈ 2.99573228, and" in found.sentence
    assert repr(Grid(-1, 1, "1/2")) == "Grid(-1, 1, '1/2')"
    assert repr(Box([0, 0], [1, "1/3"])) == "Box([0, 0], [1, '1/3'])"
    alone = ErrorBound(COUNT, within=1, inputs=[3]).risk(eps=1)
    assert "at the input 3; as" in str(alone)


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (1, "holds for ε = 1, the only ε"),
        ("[1, 2]", "holds for every ε in [1, 2]."),
        ("(0, 1]", "ε ≥ ε₀ ≈ 0.299573227356 in (0, 1], and"),
        ("[1/10, 1/5]", "holds for no ε in [1/10, 1/5]"),
    ],
)
def test_the_smallest_epsilon_of_an_interval(epsilon: object, said: str) -> None:
    """ln(20)/10 = 0.29957…; of a bound about other ε the answer does not speak of smaller ones."""
    bound = ErrorBound(COUNT, within=10, risk="5%", epsilon=epsilon)  # type: ignore[arg-type]
    assert said in bound.smallest_epsilon().sentence


def test_clipped_values_have_one_error_however_many() -> None:
    """The noise of rate ε/10 on a sum of clipped values, over 4: more than 5 off is e^(−2ε)."""
    average = Mechanism.from_source("""
def average(x: Real[5]):
    total = 0
    for v in x:
        total += min(max(v, 0), 10)
    return lap(eps / 10, total) / 4
""")
    goal = ErrorBound(average, within=5, risk="5%")
    assert str(goal.risk(eps=1).exact) == "exp(-2*eps)"
    assert float(goal.smallest_epsilon()) == pytest.approx(math.log(20) / 2, abs=1e-11)


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("return lap(eps, q) if q > 0 else lap(eps, -q)", True),
        ("return lap(eps / 2, lap(eps / 2, q))", True),
        ("return [lap(eps, q), q > 0]", True),
        ("return lap(eps, q) if q > 0 else lap(eps / 2, q)", False),
        ("return 2 * lap(eps, q) if q > 0 else lap(eps, q)", False),
        ("return max(lap(eps, q), 0)", False),
        ("return unif(q, 2 * q)", False),
        ("return [lap(eps, q)] if q > 0 else [lap(eps, q), 1]", False),
        ("return round(lap(eps, q))", False),
    ],
)
def test_whether_noise_is_only_added(body: str, same: bool) -> None:
    """What is told apart by hand: the size of the noise, and whether anything is done with it."""
    found = Mechanism.from_source(f"def f(q: Real): {body}")
    assert found.kept(Engine).only_adds_noise is same


@pytest.mark.parametrize("test", ["q == 7", "q in [7, 9]", "[q] == [7]", "[1, q].count(7) == 1"])
def test_an_input_with_more_noise(test: str) -> None:
    """At 7 the error exceeds 3 with probability exp(-3ε/4), which is 5 % at ε = 4·log(20)/3.

    Once, a finite input was equal to no number here, so that log(20)/3 was returned.
    """
    found = Mechanism.from_source(
        f"def f(q: Dom(0, 12)):\n    if {test}:\n        return lap(eps / 4, q)\n"
        "    return lap(eps, q)"
    )
    least = ErrorBound(found, within=3, risk="5%").smallest_epsilon()
    assert float(least) == pytest.approx(4 * math.log(20) / 3, abs=1e-10)


@pytest.mark.parametrize(
    ("text", "u", "risk", "limit"),
    [
        ("def f(x: Real): return lap(eps, x)", 1, "5%", 1),
        (
            "def f(x: Real):\n    y = lap(eps, x)\n    return y if y > 3 else 0",
            1,
            "5%",
            Fraction(1, 2),
        ),
        ("def f(q: Real[2]): return max(lap(eps, x) for x in q)", [1, 0], "90%", 1),
    ],
)
def test_the_error_is_unbounded_near_zero(text: str, u: object, risk: str, limit: Fraction) -> None:
    """Below any bound with noise of scale 1/ε: as ε → 0, only the runs without noise are close."""
    bound = ErrorBound(Mechanism.from_source(text), risk=risk, inputs=[u])
    found = bound.smallest_within(eps="(0, 1]")
    assert (found.lower, found.upper) == (inf, inf)
    assert str(found).startswith("No γ is large enough for every ε in (0, 1]: as ε → 0, ")
    assert f"tends to {limit} at the input" in str(found)


def test_why_no_error_was_found_with_integer_noise() -> None:
    """Then the limit is that of the largest γ tried."""
    whole = Mechanism.from_source("def f(x: Dom(0, 1)): return dlap(eps, x)")
    found = ErrorBound(whole, risk="5%").smallest_within(eps="(0, 1]")
    assert not found.exists
    assert "up to 1.09951e+12 is large enough" in str(found)
    assert "tends to 1 at the input 0" in str(found)


CLIPPED = Mechanism.from_source(
    "def clipped(q: Real[20]): return lap(2 * eps, sum([min(max(x, 0), 1) for x in q]) / 20)"
)


@pytest.mark.parametrize("inputs", [None, AllReals(), Box(-3, 2)])
def test_clipped_values_are_not_distinguished_case_by_case(inputs: AllReals | Box | None) -> None:
    """The error exceeds 2 with probability e^(−4ε) at each of 3^20 kinds of inputs."""
    goal = ErrorBound(CLIPPED, within=2, risk="5%", inputs=inputs)
    assert goal.check(eps=1)  # e^(−4) < 5 %
    failed = goal.check(eps="1/2").counterexample
    assert failed is not None
    assert float(failed.error.lower) == pytest.approx(math.exp(-2))
    report = certify.check(goal.check(eps=1).certificate)
    assert report.accepted
    assert "the error is the same at every input" in report.reason
    assert float(goal.smallest_epsilon()) == pytest.approx(math.log(20) / 4)
    assert CLIPPED.within(list(range(-10, 10)), 2).at(1).text(6) == f"{1 - math.exp(-4):.6f}"


def test_the_error_after_a_choice_by_the_input_is_not_the_same() -> None:
    """Noise twice above 0, once below: only the inputs decide, and the errors differ."""
    twice = Mechanism.from_source(
        "def twice(q: Real[4]):\n    a = lap(eps, q[0])\n"
        "    return [lap(eps, a if q[0] > 0 else q[0]), a, q[1], q[2], q[3]]"
    )
    with pytest.raises(ExactdpError, match="depends on the input"):
        ErrorBound(twice, within=3, risk="5%").check()
    assert not ErrorBound(twice, within=3, risk="11%", inputs=AllReals()).check(eps=1)
    assert ErrorBound(twice, within=3, risk="11%", inputs=[[0, 0, 0, 0]]).check(eps=1)  # 9.7 %


def test_the_input_near_which_the_worst_error_is_approached() -> None:
    """Above a gap of 5 a wrong choice is an error above 5 by itself, so the risk jumps there."""
    two_stage = Mechanism.from_source(
        "def two_stage(q: Real[2]):\n    a, b = lap(eps / 4, q[0]), lap(eps / 4, q[1])\n"
        "    return (0, lap(eps / 2, q[0])) if a > b else (1, lap(eps / 2, q[1]))"
    )
    bound = ErrorBound(two_stage, within=5, inputs=AllReals())
    worst = bound.risk(eps=1)
    assert worst.near == [0, -5]
    close = ErrorBound(two_stage, within=5, inputs=[[0, Fraction(-5001, 1000)]]).risk(eps=1)
    assert float(close) == pytest.approx(float(worst), rel=1e-3)


def test_a_mechanism_that_is_defined_on_an_interval() -> None:
    """Pr(wrong) = (1 − ε)/2 ≤ 1/4 from ε = 1/2 on; beyond 1 the program is not defined."""
    flip = Mechanism.from_source(
        "def flip(x: Dom(0, 1)): return choose({x: (1 + eps) / 2, 1 - x: (1 - eps) / 2})"
    )
    declared = Interval(0, 1, lower_open=True)
    bound = ErrorBound(flip.on(declared), within=0, risk="1/4", ideal=lambda x: x)
    assert bound.epsilon == declared
    assert float(bound.smallest_epsilon()) == 0.5


@pytest.mark.parametrize("each", [False, True])
def test_many_inputs_with_one_error_are_one(each: bool) -> None:
    """68,921 inputs, of which one is examined: an entry is off by 4 or more as in a count."""
    text = "def counts(x: Dom(0, 40)[3]): return [dlap(eps, c) for c in x]"
    counts = Mechanism.from_source(text)
    verdict = ErrorBound(counts, within=3, risk="5%", simultaneous=not each).check(eps=3)
    assert verdict.holds
    assert "the error is the same at every input" in str(verdict)
    alone = 2 * math.exp(-12) / (1 + math.exp(-3))
    risk = float(ErrorBound(counts, within=3, simultaneous=not each).risk(eps=3))
    assert risk == pytest.approx(alone if each else 1 - (1 - alone) ** 3, rel=1e-9)


@pytest.mark.parametrize("test", ["x == 7", "x in [7, 9]", "[1, x].count(7) == 1"])
def test_integer_noise_at_an_equal_input_is_not_the_same(test: str) -> None:
    text = f"def f(x: Dom(0, 40)): return dlap(eps, x) if {test} else dlap(2 * eps, x)"
    assert not Mechanism.from_source(text).kept(Engine).only_adds_noise


def test_noise_that_depends_on_a_finite_input_is_not_the_same() -> None:
    """With less noise above 3, the error is that of the small inputs."""
    text = "def f(x: Dom(0, 40)): return dlap(eps, x) if x <= 3 else dlap(2 * eps, x)"
    risk = ErrorBound(Mechanism.from_source(text), within=3).risk(eps=1)
    assert not risk.is_everywhere
    assert float(risk) == pytest.approx(2 * math.exp(-4) / (1 + math.exp(-1)), rel=1e-9)


UNEVEN = "def f(x: Dom(0, 0)): return choose({0: 1 / 2, 1: 1 / 4, 2: 1 / 8, 3: 1 / 8})"


@pytest.mark.parametrize(
    ("mechanism", "risk", "undecided", "lower", "upper"),
    [
        # The error is above 1 with probability 1/4, above 2 with probability 1/8.
        (UNEVEN, "1/5", {1}, 1, 2),
        (UNEVEN, "1/5", {2}, 2, 3),
        ("def f(x: Real): return lap(eps, x)", "1/20", {1, 2}, 0, 4),  # the least is log(20)
    ],
)
def test_a_within_for_which_the_bound_is_undecided_is_not_excluded(
    monkeypatch: pytest.MonkeyPatch,
    mechanism: str,
    risk: str,
    undecided: set[int],
    lower: int,
    upper: int,
) -> None:
    """An undecided bound shows neither that the least `within` is larger nor that it is not."""

    def shy(claim: Any, **how: Any) -> Any:
        found = decide(claim, **how)
        return replace(found, holds=None) if claim.gamma in undecided else found

    monkeypatch.setattr("exactdp.claims.constants.radii.decide", shy)
    program, own = Mechanism.from_source(mechanism), lambda x: x
    found = ErrorBound(program, risk=risk, ideal=own).smallest_within(eps=1)
    assert (found.lower, found.upper) == (lower, upper)


def test_outputs_that_are_a_number_or_a_list() -> None:
    """At [0, 2] the ideal output is [2, None]; 0, with Pr (1 − e^−2)/2, is no list: always off."""
    text = (
        "def f(q: Real[2]):\n    a = lap(2 * eps, q[1])\n    return 0 if 1 < a < 2 else [a, None]\n"
    )
    risk = ErrorBound(Mechanism.from_source(text), within=1, inputs=[[0, 2]]).risk(eps=1)
    assert float(risk) == pytest.approx((1 - math.exp(-2)) / 2 + math.exp(-2), rel=1e-9)


def test_noise_that_all_numbers_have_does_not_matter() -> None:
    """The larger of two is the same with and without a common noise, also where inputs tie.

    With Laplace noise of rate 2ε at a gap g the other number is chosen with probability
    (1/2 + εg/2)·e^(−2εg), which is 2/5 at g = 1/2 for the ε where (1 + ε/2)·e^(−ε) = 4/5.
    """
    bounds = [
        ErrorBound(
            Mechanism.from_source(
                f"def f(q: Real[2]):\n    s = {common}\n"
                "    n = [lap(2 * eps, x) + s for x in q]\n    return 1 if n[1] > n[0] else 0\n"
            ),
            within="1/2",
            risk="2/5",
            inputs=Box([0, 0], [1, 3]),
        )
        for common in ("lap(eps, 0)", "0")
    ]
    for bound in bounds:
        least = float(bound.smallest_epsilon())
        assert (1 + least / 2) * math.exp(-least) == pytest.approx(4 / 5, rel=1e-6)
        assert float(bound.risk(eps=1)) == pytest.approx(3 / 4 * math.exp(-1), rel=1e-6)


def test_within_has_one_meaning_where_an_ideal_and_a_score_are_there() -> None:
    """At [0, 1, 4] the weights of 0, …, 4 are w², 1, w, w, w² with w = e^(−1/2) at ε = 1.

    3 and 4 are more than 1 away from the median 1; 0 and 4 have a score below that by more than 1.
    """
    score = "abs(len([y for y in x if y < v]) - len([y for y in x if y > v]))"
    median = Mechanism.from_source(
        f"def f(x: Dom(0, 4)[3]): return expmech(eps / 2, lambda v: -{score}, range(5))"
    )
    bound = ErrorBound(median, within=1, inputs=[[0, 1, 4]])
    w = math.exp(-0.5)
    total = 1 + 2 * w + 2 * w * w
    assert float(bound.risk(eps=1)) == pytest.approx(2 * w * w / total)
    given: dict[str, Any] = {"ideal": lambda x: sorted(x)[1], "inputs": [[0, 1, 4]]}
    with pytest.raises(ExactdpError, match="within has two meanings"):
        ErrorBound(median, within=1, **given)
    found = ErrorBound(median, within=1, output_distance=sup, **given).risk(eps=1)
    assert float(found) == pytest.approx((w + w * w) / total)


LONG = Mechanism.from_source("def f(x: Dom(0, 3)[100]): return 1 if lap(eps, x[0]) > 1 else 0")


def test_one_input_of_very_many() -> None:
    """Only the one input is examined, where the error is 1/2; all of them are too many."""
    start = time.process_time()
    ones = [[1] * 100]
    assert ErrorBound(LONG, inputs=ones).risk(eps=1).exact == parse("1/2")
    assert Expected(LONG, "wrong", at_most="1/2", inputs=ones).check().holds
    assert compare({"one": LONG, "two": LONG}, "error", ones).best["two"]
    for ask in (
        lambda: ErrorBound(LONG, risk="5%").check(),
        lambda: Privacy(LONG).check(),
        lambda: Accuracy(LONG, "5%", inputs=ones).check(),
    ):
        with pytest.raises(ExactdpError, match=r"about 10\^60"):
            ask()
    assert time.process_time() - start < 5

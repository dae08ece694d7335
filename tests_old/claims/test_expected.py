"""Claims about expected losses: verdicts, best constants, sets of ε, certificates."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    AllReals,
    Box,
    ExactdpError,
    Expected,
    Grid,
    Mechanism,
    alpha,
    certify,
    compare,
    eps,
    exp,
    inf,
    minimum,
)
from exactdp.reals.certificates import seal
from support.examples import examples

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)
COUNT = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)
PICK = Mechanism.from_source(
    "def pick(x: Dom(0, 3)): return expmech(eps / 2, lambda y: -abs(x - y), range(4))"
)
RESPONSE = Mechanism.from_source(
    "def response(b: Dom(0, 1)):"
    " return choose({b: exp(eps) / (exp(eps) + 1), 1 - b: 1 / (exp(eps) + 1)})"
)


def test_laplace() -> None:
    """The expected absolute error is 1/ε at every input, so it is at most 2 from ε = 1/2 on."""
    exact = Expected(COUNT, at_most=1 / eps)
    assert exact.check().outcome == "holds"
    assert exact.tightest().kappa.lower == exact.tightest().kappa.upper == 1
    goal = Expected(COUNT, at_most=2)
    found = goal.check()
    assert found.outcome == "fails"
    assert found.counterexample.size.lower > 2
    assert (goal.smallest_epsilon().lower, goal.smallest_epsilon().upper) == (
        Fraction(1, 2),
        Fraction(1, 2),
    )
    assert str(Expected(COUNT, "squared", at_most=8, inputs=[3]).epsilons()) == "[1/2, ∞)"


def test_regret_for_all_reals() -> None:
    """The regret of the larger of two: with s = ε·|q₀ − q₁|/2 it is (s + s²/2)·e^{−s}/ε.

    So it is largest at s = √2, where it is (√2 + 1)·e^{−√2}/ε.
    """
    claim = Expected(LARGER, "regret", at_most=1 / eps)
    assert claim.check().outcome == "holds"
    kappa = claim.tightest().kappa
    best = (math.sqrt(2) + 1) * math.exp(-math.sqrt(2))
    assert float(kappa.lower) <= 1 / best <= float(kappa.upper)
    found = Expected(LARGER, "regret", at_most=1 / (2 * eps)).check().counterexample
    assert float(LARGER.expectation(found.input, "regret").at(found.eps)) > 1 / (2 * found.eps)
    assert Expected(LARGER, "regret", at_most=1 / eps, inputs=Box(0, 5)).check().outcome == "holds"


@pytest.mark.parametrize("name", ["smallest", "first above", "another ideal"])
def test_a_regret_that_is_not_against_the_largest_value(name: str) -> None:
    """Only a selection of the largest value has a regret; others are named as functions."""
    ideal: Any = None
    body = "0 if lap(eps / 2, q[0]) <= lap(eps / 2, q[1]) else 1"
    if name == "first above":
        body = "0 if lap(eps / 2, q[0]) > 1 else (1 if lap(eps / 2, q[1]) > 1 else -1)"
    elif name == "another ideal":
        body, ideal = body.replace("<=", ">="), lambda q: 0 if q[0] < q[1] else 1
    program = Mechanism.from_source(f"def program(q: Real[2]): return {body}")
    for ask in (
        lambda: Expected(program, "regret", at_most=1 / eps, ideal=ideal),
        lambda: program.expectation([0, 2], "regret", ideal=ideal),
        lambda: compare({"one": program, "two": program}, "regret", [[0, 2]], ideal=ideal),
    ):
        with pytest.raises(ExactdpError, match="not proved to be that with the largest"):
            ask()


def test_own_losses() -> None:
    """A bias is claimed as two bounds; a loss that jumps is looked at on both sides and there."""
    assert Expected(COUNT, lambda u, y: y - u, at_most=0).check().outcome == "holds"
    assert Expected(COUNT, lambda u, y: u - y, at_most=0).check().outcome == "holds"

    def only_at_zero(u: Any, y: Any) -> Any:
        return y * y if u == 0 else 0

    everywhere = Expected(COUNT, only_at_zero, at_most=1 / eps**2).check()
    assert everywhere.outcome == "fails"
    assert everywhere.counterexample.input == 0
    assert Expected(COUNT, only_at_zero, at_most=2 / eps**2).check().outcome == "holds"
    assert Expected(COUNT, lambda y: 1 if y > 0 else 0, at_most="1/2", inputs=Box(-3, 0)).check()


def test_selection_and_response() -> None:
    """The error probability of randomized response, and scores as the value of a selection."""
    wrong = Expected(RESPONSE, "wrong", at_most=1 / (1 + exp(eps)), ideal=lambda b: b)
    assert wrong.check().outcome == "holds"
    assert wrong.tightest().kappa.lower == 1
    by_hand = sum((PICK.probability(3, y) * (3 - y) for y in range(4)), 0 * eps)
    assert Expected(PICK, "regret").exact(3) == by_hand


CLAIMS: dict[str, Callable[[], Expected]] = {
    "grid": lambda: Expected(LARGER, "regret", at_most=1 / eps, inputs=Grid(-1, 1)),
    "absolute": lambda: Expected(COUNT, at_most=2 / eps, inputs=["1/3"]),
    "too small": lambda: Expected(COUNT, "squared", at_most=2, inputs=[1, 2]),
    "scores": lambda: Expected(PICK, "regret", at_most=2),
    "minimum": lambda: Expected(
        RESPONSE, "squared", at_most=minimum("1/2", exp(-eps / 2) / 2), ideal=lambda b: b
    ),
    "not the least": lambda: Expected(
        RESPONSE, "wrong", at_most=minimum(1, exp(-2 * eps)), ideal=lambda b: b, epsilon="[1, 2]"
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_certificates(name: str) -> None:
    """A certificate is accepted, and nothing in it is taken from the solver."""
    verdict = CLAIMS[name]().check()
    document = json.loads(json.dumps(verdict.certificate))
    jsonschema.validate(document, SCHEMA)
    report = certify.check(document)
    assert report.accepted, report.reason
    assert not report.taken


def changed(document: dict[str, Any], how: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return a changed certificate with a seal that fits."""
    found = json.loads(json.dumps(document))
    how(found)
    body = {key: value for key, value in found.items() if key != "seal"}
    return {**body, "seal": seal(body)}


def test_false_certificates() -> None:
    """What is stated must be what the program does."""
    right = CLAIMS["absolute"]().check().certificate
    smaller = Expected(COUNT, at_most=1 / (2 * eps), inputs=["1/3"])
    for how in (
        lambda one: one["claim"].update(loss={"name": "squared"}),
        lambda one: one["claim"].update(at_most=_claim(smaller)["at_most"]),
        lambda one: one["claim"].update(
            mechanism="def count(x: Real):\n    return lap(eps / 2, x)\n"
        ),
        lambda one: one.update(signs=[]),
        lambda one: one["claim"].update(inputs={"list": [["1/3"], ["2"]]}),
        lambda one: one.update(verdict="fails"),
        lambda one: one.update(regions=[]),
        lambda one: one["regions"][0]["tree"].update(bounds=[None]),
        lambda one: one["regions"][0]["tree"].update(loss=[[], [["1", [0], ["0"]]]]),
        lambda one: one["regions"][0].update(input=["2"]),
        lambda one: one["claim"].update(unit="0"),
    ):
        assert not certify.check(changed(right, how)).accepted
    wrong = CLAIMS["too small"]().check().certificate
    for how in (
        lambda one: one["counterexamples"][0].update(eps="2"),
        lambda one: one["counterexamples"][0].update(input=["77"]),
        lambda one: one["counterexamples"][0].update(loss=[[], [["1", [0], ["0"]]]]),
        lambda one: one["counterexamples"][0].update(part=1),
        lambda one: one.update(verdict="holds", counterexamples=[]),
    ):
        assert not certify.check(changed(wrong, how)).accepted


def _claim(claim: Expected) -> dict[str, Any]:
    found: dict[str, Any] = claim.check().certificate["claim"]
    return found


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a program that returns two numbers with noise."""
    words, rate = st.sampled_from(("lap", "expo")), st.sampled_from(("eps", "eps / 2", "2 * eps"))
    means = st.sampled_from(("q[0]", "q[1]", "2 / 3", "q[0] - q[1] / 3"))
    first, second = (f"{draw(words)}({draw(rate)}, {draw(means)})" for _ in range(2))
    test = draw(st.sampled_from(("x < y", "x >= 1", "q[0] > 1", "x + y > q[1]")))
    return f"""
def program(q: Real[2]):
    x = {first}
    y = {second}{draw(st.sampled_from((" + x", " - x / 2", "")))}
    if {test}:
        return [x, {draw(st.sampled_from(("y", "x", "1")))}]
    return [y, {draw(st.sampled_from(("x", "y", "q[0]")))}]
"""


@examples(15)
@given(
    programs(),
    st.sampled_from(["absolute", "squared"]),
    st.tuples(*[st.sampled_from(["0", "1", "-3/2", "2"])] * 2),
)
def test_the_checker_finds_the_same(text: str, loss: str, u: tuple[str, str]) -> None:
    """Two programs that share no code integrate the loss to the same closed form."""
    mechanism = Mechanism.from_source(text)
    claim = Expected(mechanism, loss, at_most=1, inputs=[list(u)])
    report = certify.check(claim.check().certificate)
    assert report.accepted, report.reason
    assert not report.taken
    exact = mechanism.expectation(AllReals(), loss).at(*u)
    assert exact == claim.exact(list(u))


MOVING = Mechanism.from_source("def moving(x: Real): return lap(eps, x) > 1 / eps")
REFUSED: list[tuple[str, Callable[[], object], str]] = [
    ("1/eps", lambda: Expected(MOVING, "wrong", at_most=1), "depends on eps"),
    ("no mechanism", lambda: Expected(3, at_most=1), "not a mechanism"),  # type: ignore[arg-type]
    ("no bound", lambda: Expected(COUNT).check(), "has no bound"),
    ("alpha", lambda: Expected(COUNT, at_most=alpha), "uses alpha"),
    ("infinite", lambda: Expected(COUNT, lambda _: inf, at_most=1).check(), "∞"),
    ("a negative bound", lambda: Expected(COUNT, at_most=-1).tightest(), "negative"),
    ("a negative loss", lambda: Expected(COUNT, lambda y: y, at_most=1).tightest(), "negative"),
    (
        "own loss everywhere",
        lambda: Expected(COUNT, lambda u, y: abs(u - y), at_most=1 / eps).check().certificate,
        "Python function",
    ),
    ("lists", lambda: Expected(RESPONSE, "squared", ideal=lambda _: None).exact(0), "None"),
]


@pytest.mark.parametrize(("ask", "told"), [one[1:] for one in REFUSED], ids=[r[0] for r in REFUSED])
def test_refusals(ask: Callable[[], object], told: str) -> None:
    """What cannot be answered is refused with a reason."""
    with pytest.raises(ExactdpError, match=told):
        ask()

"""Certificates of mechanisms with `while` loops of choices: the checker solves the chain itself."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.parts import regions
from exactdp import Accuracy, Mechanism, Privacy, certify, discrete, eps, exp, parse
from support.examples import examples

from .specimens import seal

Json = Any

GAMBLER = """
def gambler(x: Dom(0, 4)):
    s = x
    while 0 < s and s < 4:
        s = choose({s + 1: exp(eps) / (1 + exp(eps)), s - 1: 1 / (1 + exp(eps))})
    return s
"""
REJECTION = """
def rejection(x: Dom(0, 2)):
    while True:
        y = choose({0: 1 / 4, 1: 1 / 4, 2: 1 / 4, 3: 1 / 4})
        if y < 3:
            if y == x or choose({True: exp(-abs(x - y) * eps), False: 1 - exp(-abs(x - y) * eps)}):
                return y
"""
LEFT = """
def left(x: Dom(0, 1)):
    i = 0
    while choose({True: 1 - exp(-eps), False: exp(-eps)}):
        i = (i + 1) % 3
        if i == 2:
            continue
        if choose({True: 1 / 4, False: 3 / 4}):
            i = 7
            break
    else:
        i = i + 10
    return i
"""
AGREED = """
def agreed(x: Dom(0, 2)):
    above = lap(eps, x) >= 1
    odd = False
    while choose({True: 1 / 2, False: 1 / 2}) != above:
        odd = not odd
    return odd
"""


def claim_about(
    source: str, ideal: Callable[[Any], Any], beta: Any, inputs: Any = None
) -> Accuracy:
    program = Mechanism.from_source(source)
    return Accuracy(program, beta, alpha=0, ideal=ideal, input_distance=discrete, inputs=inputs)


def simulated(step: Callable[[Any], dict[Any, float]], start: Any) -> dict[Any, float]:
    """Return the distribution of the exits of a chain after many steps; an exit is ("exit", x)."""
    here, exits = {start: 1.0}, dict[Any, float]()
    for _ in range(2_000):
        after = dict[Any, float]()
        for state, weight in here.items():
            for to, chance in step(state).items():
                into = exits if isinstance(to, tuple) and to[0] == "exit" else after
                into[to] = into.get(to, 0) + weight * chance
        here = after
    return {to[1]: weight for to, weight in exits.items()}


def stated(document: Json, at: float) -> list[float]:
    """Return the probabilities that a certificate states, at an ε."""

    def value(terms: Json) -> float:
        numbers = (
            float(Fraction(c)) * float(at) ** int(k[0]) * math.exp(float(Fraction(q[0])) * at)
            for c, k, q in terms
        )
        return math.fsum(numbers)

    cells = (region["tree"]["cell"] for region in regions(document))
    chances = (one["probability"] for cell in cells for one in cell["obligations"])
    return [value(over) / value(under) for over, under in chances]


def gambling(at: float) -> Callable[[int], dict[Any, float]]:
    up = math.exp(at) / (1 + math.exp(at))

    def step(s: int) -> dict[Any, float]:
        return {s + 1: up, s - 1: 1 - up} if 0 < s < 4 else {("exit", s): 1.0}

    return step


def leaving(at: float) -> Callable[[int], dict[Any, float]]:
    on = 1 - math.exp(-at)

    def step(i: int) -> dict[Any, float]:
        after = (i + 1) % 3
        rest = {after: on} if after == 2 else {("exit", 7): on / 4, after: on * 3 / 4}
        return {("exit", i + 10): 1 - on, **rest}

    return step


def rejecting(x: int, at: float) -> Callable[[int], dict[Any, float]]:
    def step(_: int) -> dict[Any, float]:
        kept = {("exit", y): math.exp(-abs(x - y) * at) / 4 for y in range(3)}
        return {**kept, 0: 1 - sum(kept.values())}

    return step


def test_the_probabilities_are_those_of_the_chain() -> None:
    """Powers of a matrix of floats agree with what is stated, and the checker derives that."""
    for source, ideal, beta, chain in (
        (GAMBLER, lambda x: 4 if x else 0, 3 * exp(-eps), lambda _, at: gambling(at)),
        (REJECTION, lambda x: x, 2 * exp(-eps), rejecting),
        (LEFT, lambda _: 10, parse("99/100"), lambda _, at: leaving(at)),
    ):
        claim = claim_about(source, ideal, beta, None if source != LEFT else [0])
        if source == LEFT:
            claim = claim_about(source, ideal, 1 - exp(-eps) / 2, [0])
        document = json.loads(json.dumps(claim.check().certificate))
        assert document["verdict"] == "holds"
        report = certify.check(document)
        assert report.outcome == "accepted", report.reason
        for at in (0.3, 1.7):
            found = stated(document, at)
            inputs = [int(region["input"][0]) for region in regions(document)]
            for x, chance in zip(inputs, found, strict=True):
                start = x if source == GAMBLER else 0
                assert simulated(chain(x, at), start)[ideal(x)] == pytest.approx(chance, abs=1e-9)


def test_noise_before_the_loop() -> None:
    """Odd with probability 1/3 after each answer: the number of flips is geometric."""
    document = json.loads(
        json.dumps(claim_about(AGREED, lambda _: False, "1/3").check().certificate)
    )
    assert document["verdict"] == "holds"
    assert certify.check(document).outcome == "accepted"


def test_a_false_claim_about_a_loop() -> None:
    """The chance of ruin from 1 is (1 − r³)/(1 − r⁴)·r with r = e^{−ε}, above e^{−ε}/2."""
    found = claim_about(GAMBLER, lambda x: 4 if x else 0, exp(-eps) / 2, [1]).check()
    assert found.outcome == "fails"
    assert certify.check(found.certificate).outcome == "accepted"


def test_privacy_of_a_loop() -> None:
    verdict = Privacy(Mechanism.from_source(REJECTION), budget=4 * eps).check()
    assert verdict.holds
    assert certify.check(verdict.certificate).outcome == "accepted"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("exp(eps) / (1 + exp(eps))", "exp(2 * eps) / (1 + exp(2 * eps))"),
        ("s < 4", "s < 3"),
        ("s < 4", "True"),
        ("return s", "return 4 - s"),
        ("s - 1:", "s:"),
    ],
)
def test_a_changed_chain_is_rejected(old: str, new: str) -> None:
    claim = claim_about(GAMBLER, lambda x: 4 if x else 0, 3 * exp(-eps))
    document = json.loads(json.dumps(claim.check().certificate))
    text = document["claim"]["mechanism"]
    wrong = copy.deepcopy(document)
    wrong["claim"]["mechanism"] = text.replace(old, new)
    assert wrong != document
    if "2 * eps" in new:  # both probabilities of the step
        one = "1 / (1 + exp(eps))"
        wrong["claim"]["mechanism"] = wrong["claim"]["mechanism"].replace(
            one, "1 / (1 + exp(2 * eps))"
        )
    assert certify.check(seal(wrong)).outcome == ("conditional" if new == "True" else "rejected")


@pytest.mark.parametrize("loop", ["while True:", "while choose({True: 1 / 2, False: 1 / 2}) != 2:"])
def test_a_loop_without_end_is_not_accepted(loop: str) -> None:
    """It returns nothing, so no probability is that of an output; what is stated is not proved."""
    document = json.loads(
        json.dumps(claim_about(LEFT, lambda _: 10, "999/1000").check().certificate)
    )
    head, _, _ = document["claim"]["mechanism"].partition("    while")
    body = "        i = choose({0: 1 / 2, 1: 1 / 2})"
    document["claim"]["mechanism"] = f"{head}    {loop}\n{body}\n    return 10"
    assert certify.check(seal(document)).outcome != "accepted"


def test_a_loop_that_may_not_end_at_one_epsilon_is_not_accepted() -> None:
    """It is left with probability (ε − 1)²/(2 + 2ε²), which is 0 at ε = 1: it has no end there."""
    document = json.loads(
        json.dumps(claim_about(LEFT, lambda _: 10, "999/1000").check().certificate)
    )
    head, _, _ = document["claim"]["mechanism"].partition("    while")
    stop = "(eps - 1) * (eps - 1) / (2 + 2 * eps * eps)"
    loop = f"while choose({{True: 1 - {stop}, False: {stop}}}):\n        i = 10"
    document["claim"]["mechanism"] = f"{head}    {loop}\n    return 10"
    assert certify.check(seal(document)).outcome != "accepted"


@given(
    st.lists(
        st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
        min_size=3,
        max_size=3,
    ),
    st.sampled_from(("1/3", "2/3", "9/10")),
)
@examples(100)
def test_random_chains(weights: list[list[int]], beta: str) -> None:
    """States 0, 1, 2 and the exit 3; odd steps are counted. Compared with powers of the matrix."""
    if not all(row[3] for row in weights):
        weights = [[*row[:3], row[3] + 1] for row in weights]
    rows = [{k: Fraction(w, sum(row)) for k, w in enumerate(row) if w} for row in weights]
    shown = [", ".join(f"{to}: Fraction({p})" for to, p in row.items()) for row in rows]
    table = ", ".join(f"{k}: {{{row}}}" for k, row in enumerate(shown)).replace("/", ", ")
    source = (
        f"STEP = {{{table}}}\n"
        "def chain(x: Dom(0, 2)):\n    s = x\n    odd = False\n    while s != 3:\n"
        "        s = choose(STEP[s])\n        odd = not odd\n    return odd"
    )
    found = claim_about(source, lambda _: True, beta).check()
    if found.outcome == "undecided":
        return

    def step(state: tuple[int, bool]) -> dict[Any, float]:
        s, odd = state
        if s == 3:
            return {("exit", odd): 1.0}
        return {(to, not odd): float(p) for to, p in rows[s].items()}

    truth = all(
        simulated(step, (x, False)).get(True, 0) >= 1 - float(Fraction(beta)) - 1e-12
        for x in range(3)
    )
    assert found.holds is truth
    assert certify.check(found.certificate).outcome == "accepted"


def test_an_inner_loop_that_is_left_with_probability_0_at_one_eps() -> None:
    """At ε = 1 the second program never returns; its exit is that of a loop in the loop."""
    text = """
def nested(x: Dom(0, 1)):
    i = 0
    while i < 2:
        j = 0
        while j < 1:
            j = choose({1: 1 / 2, 3: REST, 2: CHANCE})
        i = 2 if j == 2 else 1
    return i
"""
    honest = text.replace("REST", "1 / 4").replace("CHANCE", "1 / 4")
    claim = Accuracy(
        Mechanism.from_source(honest),
        "1/100",
        alpha=0,
        ideal=lambda _: 2,
        input_distance=discrete,
        epsilon="[1, 2]",
    )
    found = json.loads(json.dumps(claim.check().certificate))
    assert certify.check(found).accepted
    endless = json.dumps(found).replace("3: 1 / 4, 2: 1 / 4", "3: 1 - eps / 2, 2: (eps - 1) / 2")
    changed = json.loads(endless)
    assert changed != found
    assert not certify.check(seal(changed)).accepted


def test_signs_are_looked_for_at_every_input() -> None:
    """The checker does not see that (1 − e^{−ε})² ≥ 0, which occurs at one input only."""
    for x in range(4):
        some = Mechanism.from_source(f"""
def some(x: Dom(0, 3)):
    if x != {x}:
        return x
    return choose({{x: (1 - exp(-eps))**2, 9: 1 - (1 - exp(-eps))**2}})
""")
        claim = Accuracy(
            some, 1 - (1 - exp(-eps)) ** 2, alpha=0, ideal=lambda x: x, input_distance=discrete
        )
        assert certify.check(claim.check().certificate).accepted

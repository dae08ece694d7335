"""Loops whose values grow without end are refused, with the name of what grows; honest ones run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Mechanism,
    ProgramError,
    ValueRefusedError,
    alpha,
    discrete,
    eps,
    exp,
)

COIN = "choose({True: exp(-eps), False: 1 - exp(-eps)})"


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    """Every refusal comes within seconds."""
    start = time.process_time()
    yield
    assert time.process_time() - start < 20


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow fewer states, to save time: 500 and 250 more for each statement."""
    monkeypatch.setattr("exactdp.semantics.states.LOOP_STATES", 500)
    monkeypatch.setattr("exactdp.semantics.states.LOOP_STATES_EACH", 250)
    monkeypatch.setattr("exactdp.semantics.states.ENTRIES_LIMIT", 100_000)
    monkeypatch.setattr("exactdp.claims.stated.pieces._COST", 10)


def read(body: str, inputs: str = "") -> Mechanism:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return Mechanism.from_source(f"def f({inputs}):\n{lines}\n")


COUNTER = f"n = 0\nwhile {COIN}:\n    n += 1\nreturn n"
GROWING = {
    f"n = 0\nwhile {COIN}:\n    n -= 1/2\nreturn n": "n took 1,501 values",
    f"x = 1\nwhile {COIN}:\n    x = x / 3\nreturn x": "x took 1,501 values",
    f"x = 1\nwhile {COIN}:\n    x = 3**99 * x\nreturn x": "10,000 bits",
    f"xs = []\nwhile {COIN}:\n    xs.append(1)\nreturn len(xs)": "xs took",
    f"xs = []\nwhile {COIN}:\n    xs.append({COIN})\nreturn len(xs)": "xs took",
    f"s = ''\nwhile {COIN}:\n    s = s + 'a'\nreturn s": "s took",
    "z = dlap(eps, 0)\nn = 0\nwhile n < z:\n    n += 1\nreturn n": "n took 1,501 values",
    f"flag = 0\nx = y = 0\nwhile {COIN}:\n    flag = 1 - flag\n    if {COIN}:\n        x += 1\n"
    "    else:\n        y += 1\nreturn [x, y, flag]": r"x took \d+ values .* and y took",
}


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("body", GROWING)
def test_growth_is_refused_by_name(body: str) -> None:
    with pytest.raises(ProgramError) as caught:
        read(body).distribution()
    assert caught.match(GROWING[body])
    assert "flag took" not in str(caught.value)


def test_the_limit_itself() -> None:
    """10,000 states and 2,000 for each of four statements: choose, branch, add, jump."""
    with pytest.raises(ProgramError, match="more than 18,000 states") as caught:
        read(COUNTER).distribution()
    assert "n took 18,001 values (0, 1, 2, …)" in caught.value.rule
    assert caught.value.way_out.startswith("Bound n,")
    assert caught.value.line == 3


@pytest.mark.usefixtures("few")
def test_every_question_refuses_it() -> None:
    """The counter is compared with real noise, and in the ideal with the input."""
    mechanism = read("a = lap(eps, q)\nn = 0\nwhile n < a:\n    n += 1\nreturn n", "q: Real")
    for ask in (
        lambda: mechanism.probability(0, 3),
        lambda: mechanism.distribution(AllReals()),
        lambda: mechanism.chain(0),
        lambda: Accuracy(mechanism, exp(-alpha * eps), inputs=AllReals()).check(),
        lambda: Accuracy(mechanism, exp(-alpha * eps), inputs=[1]).check(),
    ):
        with pytest.raises((ProgramError, ValueRefusedError), match=r"n took \d+"):
            ask()
    # Each run ends all the same.
    assert min(mechanism.sample(0, 1, 100, seed=1)) == 0


def test_runs_that_never_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactdp.semantics.states.RUN_LIMIT", 5_000)
    back = read("n = 0\nwhile n < 2:\n    n = choose({0: 0.5, 1: 0.5})\nreturn n")
    for ask in (lambda: back.run((), 1), lambda: back.sample((), 1, 10, seed=1)):
        with pytest.raises(ProgramError, match=r"this loop made 5,000 samples .* has not ended"):
            ask()


@pytest.mark.usefixtures("few")
def test_a_run_whose_values_grow_is_refused() -> None:
    with pytest.raises(ProgramError, match="n took 1,501 values"):
        read("n = 0\nwhile True:\n    n += choose({0: 0.5, 1: 0.5})\nreturn n").run((), 1)


def test_a_chain_names_what_grows() -> None:
    with pytest.raises(ValueRefusedError, match="more than 2,000 states") as caught:
        read(COUNTER).chain()
    assert "n took 1,001 values" in caught.value.rule


def test_thousands_of_honest_states_run() -> None:
    """A counter to 5,000 that goes on with probability e^{−ε} in each round ends at 5,000."""
    body = f"n = 0\nwhile n < 5000:\n    if {COIN}:\n        n += 1\nreturn n"
    found: Any = dict(read(body).distribution())
    assert found == {5000: 1}


def test_the_limit_of_all_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactdp.semantics.building.STATE_LIMIT", 100)
    body = "xs = []\nfor i in range(10):\n    xs.append(choose({0: 0.5, 1: 0.5}))\nreturn xs"
    with pytest.raises(ProgramError, match="the program has more than 100 states") as caught:
        read(body).distribution()
    assert "Most values were found of xs." in caught.value.rule
    monkeypatch.setattr("exactdp.semantics.building.STATE_ENTRIES", 100)
    with pytest.raises(ProgramError, match="100 entries in the lists of its") as caught:
        read(body).distribution()
    assert "best so far" in caught.value.way_out


_TILL = """
def till(x: Dom(0, 1)):
    b = x
    while b == x:
        b = choose({x: 1 - (CHANCE), 1 - x: CHANCE})
    return b
"""
_OBSERVED = """
def observed(x: Dom(0, 1)):
    b = choose({x: 1 - (CHANCE), 1 - x: CHANCE})
    observe(b != x)
    return b
"""
_REDRAWN = """
def redrawn(x: Dom(0, 1)):
    b = x
    r = 0
    while b == x or r > 0:
        r = lap(eps, 0)
        b = choose({x: 1 - (CHANCE), 1 - x: CHANCE})
    return b
"""


@pytest.mark.parametrize("text", [_TILL, _OBSERVED, _REDRAWN])
@pytest.mark.parametrize(
    ("chance", "epsilon", "ends"),
    [
        ("(1 - eps) / 2", "(0, 1)", True),
        ("(1 - eps) / 2", "(0, 1]", False),
        ("(1 - eps) / 2", 1, False),
        ("(eps - 1)**2 / (2 + 2 * eps**2)", None, False),
        ("(eps - 1)**2 / (2 + 2 * eps**2)", "[2, 3]", True),
    ],
)
def test_a_loop_may_be_endless_at_one_eps(
    text: str, chance: str, epsilon: object, ends: bool
) -> None:
    """Where the chance to leave is 0, the program returns nothing; elsewhere it returns 1 - x."""
    program = Mechanism.from_source(text.replace("CHANCE", chance))
    given: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}

    def verdict() -> str:
        claim = Accuracy(
            program, "1/100", alpha=0, ideal=lambda x: 1 - x, input_distance=discrete, **given
        )
        return claim.check().outcome

    if ends:
        assert verdict() == "holds"
    else:
        with pytest.raises(ProgramError, match=r"can follow, forever, at some eps in"):
            verdict()


def test_another_exit_at_each_eps() -> None:
    """No exit has a positive probability at every ε, but at each ε one has."""
    program = Mechanism.from_source("""
def other(x: Dom(0, 1)):
    b = 2
    while b == 2:
        p, q = (eps - 1)**2 / 9, (eps - 2)**2 / 9
        b = choose({0: p, 1: q, 2: 1 - p - q})
    return b
""")
    claim = Accuracy(
        program, "1/2", alpha=0, ideal=lambda _: 0, input_distance=discrete, epsilon="[1, 2]"
    )
    verdict = claim.check()  # Pr(0) is 0 at ε = 1
    assert verdict.outcome == "fails"


@pytest.mark.parametrize("inputs", [[0], AllReals()])
def test_a_loop_that_draws_noise_may_be_endless_at_one_eps(inputs: Any) -> None:
    """At ε = 1 it is never left, whatever the input is."""
    program = Mechanism.from_source("""
def redrawn(q: Real):
    b = 0
    r = 0
    while b == 0 or r < 0:
        r = lap(eps, q)
        b = choose({0: (1 + eps) / 2, 1: (1 - eps) / 2})
    return 1
""")

    def outcome(epsilon: str) -> str:
        given: dict[str, Any] = {"inputs": inputs, "epsilon": epsilon, "input_distance": discrete}
        return Accuracy(program, "1/100", alpha=0, ideal=lambda _: 1, **given).check().outcome

    assert outcome("(0, 1)") == "holds"
    with pytest.raises(ProgramError, match="at some eps in"):
        outcome("(0, 1]")

"""The Markov chain of the paper: its probabilities, its walk, its pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactdp import AllReals, Box, Mechanism, ProgramError, ValueRefusedError
from exactdp.reals import ClosedForm, ExpPoly, eps, exp
from exactdp.semantics.chain import Chain
from language.corpus import FACTORIES, MECHANISMS, as_argument, some_input
from semantics.random_programs import COMPARE, Input, Program, inputs, integer_programs, programs
from support.examples import examples


def final_chances(chain: Chain) -> dict[str, ClosedForm]:
    """Return the probability of each output of a chain without cycles, by walking it."""
    sources: dict[int, set[int]] = {0: set()}
    for one in chain.transitions:
        sources.setdefault(one.target, set()).add(one.source)
    weight: dict[int, ClosedForm] = {0: ExpPoly(1)}
    result: dict[str, ClosedForm] = {}
    for number in TopologicalSorter(sources).static_order():
        output = chain.states[number].output
        if output is not None:
            result[output] = result.get(output, ExpPoly(0)) + weight[number]
        for one in chain.successors(number):
            known = weight.get(one.target, ExpPoly(0))
            weight[one.target] = known + weight[number] * one.probability
    return result


def final_shares(chain: Chain, at: Fraction) -> dict[str, float]:
    """Return the probability of each output at an ε, in floats: v = 1₀ + v·Q solved by NumPy."""
    size = len(chain.states)
    steps = np.zeros((size, size))
    for one in chain.transitions:
        steps[one.source, one.target] += float(one.probability.at(at))
    visits = np.linalg.solve((np.eye(size) - steps).T, np.eye(size)[0])
    result: dict[str, float] = {}
    for state, times in zip(chain.states, visits.tolist(), strict=True):
        if state.output is not None:
            result[state.output] = result.get(state.output, 0.0) + times
    return result


def by_pattern(walked: Mapping[str, ClosedForm], found: Mapping[Any, ClosedForm]) -> None:
    """Compare the outputs of a chain with a distribution, one by one.

    Where a chain's output names noise, as in (None, r2 + r1), the distribution has Real.
    """
    chances: dict[str, ClosedForm] = {}
    for output, chance in walked.items():
        name = re.sub(r"[^,() ]*\br\d[^,()]*", "Real", output)
        chances[name] = chances.get(name, ExpPoly(0)) + chance
    assert chances == {repr(output): chance for output, chance in found.items()}


@pytest.mark.parametrize("name", [n for n in MECHANISMS if not MECHANISMS[n].deterministic])
def test_walking_the_chain_gives_the_distribution(name: str) -> None:
    """Output by output; in floats where the program has a loop."""
    mechanism = MECHANISMS[name]
    u = as_argument(some_input(mechanism, 1))
    chain, found = mechanism.chain(u), mechanism.distribution(u)
    try:
        walked = final_chances(chain)
    except CycleError:
        for at in (Fraction(1, 3), Fraction(2)):
            expected = {repr(output): float(chance.at(at)) for output, chance in found.items()}
            assert final_shares(chain, at) == pytest.approx(expected, abs=1e-9)
        return
    if name == "counting":  # its integer noise is listed value by value, together with the ends
        assert sum(walked.values(), ExpPoly(0)) == ExpPoly(1)
        return
    by_pattern(walked, found)


def same(source: str, u: object) -> None:
    """Compare the chain of a program with its distribution."""
    mechanism = Mechanism.from_source(source)
    by_pattern(final_chances(mechanism.chain(u)), mechanism.distribution(u))


def test_equality_of_continuous_noise_never_happens() -> None:
    """Pr(a = 0) = 0 for a Laplace noise a, so there is one way on and no condition."""
    chain = Mechanism.from_source("def f(q: Real):\n    a = lap(eps, q)\n    return a == 0").chain(
        1
    )
    assert final_chances(chain) == {"False": ExpPoly(1)}
    assert all(state.conditions == () for state in chain.states)


def test_the_position_of_the_larger_of_two_noises() -> None:
    """Pr(X > Y) = (1/2 + ε/4)·e^{−ε} for Laplace noises with rate ε and means 0 and 1."""
    source = "def f():\n    n = [lap(eps, 0), lap(eps, 1)]\n    return n.index(sorted(n)[1])\n"
    walked = final_chances(Mechanism.from_source(source).chain())
    larger = (2 + eps) * exp(-eps) / 4
    assert walked == {"0": larger, "1": 1 - larger}


def test_equality_of_integer_noise_has_a_mass() -> None:
    """Pr(z = 0) = (1 − p)/(1 + p) for p = e^{−ε}."""
    source = "def f():\n    z = dlap(eps, 0)\n    return z == 0\n"
    p = exp(-eps)
    walked = final_chances(Mechanism.from_source(source).chain())
    assert walked == {"False": 2 * p / (1 + p), "True": (1 - p) / (1 + p)}


QUESTIONS = [
    "n[0] == n[1]",
    "n[0] != n[1]",
    "n[0] + n[1] == 2 * n[-1]",
    "n[0] == 1",
    "n[-1] != 1",
    "n[0] in n[1:]",
    "1 in n",
    "n.count(n[1])",
    "n.index(max(n))",
    "n.index(sorted(n)[1])",
    "sorted(n)[0] == n[0]",
    "abs(n[0]) == n[0]",
    "n[0] <= n[1]",
    "n[1] > n[-1]",
]


@examples(12)
@given(
    st.sampled_from(["lap", "expo", "dlap"]),
    st.lists(st.integers(-1, 1), min_size=3, max_size=3),
    st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=2),
)
@example("lap", [0, 1, 1], ["n[0] in n[1:]", "n.index(sorted(n)[1])"])
@example("dlap", [0, 1, 1], ["n[0] == n[1]", "n.count(n[1])"])
def test_questions_of_equality(kind: str, means: list[int], asked: list[str]) -> None:
    count = 2 if kind == "dlap" else 3  # three integer noises take a second
    listed = ", ".join(f"{kind}(eps, {mean})" for mean in means[:count])
    same(f"def f():\n    n = [{listed}]\n    return [{', '.join(asked)}]\n", ())


@examples(15)
@given(st.one_of(programs(most=3), integer_programs(most=2)), inputs, st.data())
def test_random_programs(program: Program, u: Input, data: st.DataObject) -> None:
    """Comparisons of noise, orders and (in)equalities, against the other engine."""
    tests = [
        replace(test, op=data.draw(st.sampled_from(list(COMPARE)))) for test in program.comparisons
    ]
    same(replace(program, comparisons=tuple(tests)).source(late=False), u)


@pytest.mark.parametrize("name", MECHANISMS)
def test_probabilities_sum_to_one_and_pictures_are_well_formed(name: str) -> None:
    mechanism = MECHANISMS[name]
    chain = mechanism.chain(as_argument(some_input(mechanism, 0)))
    for number, state in enumerate(chain.states):
        ways = chain.successors(number)
        total: ClosedForm = ExpPoly(0)
        for one in ways:
            total = total + one.probability
        assert total == ExpPoly(int(state.output is None))
    picture = ElementTree.fromstring(chain.svg())
    boxes = picture.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(boxes) == len(chain.states) + 1
    dot = chain.dot()
    assert dot.count("->") == len(chain.transitions)


def test_the_figure_of_the_paper() -> None:
    """Figure `fig:numspa-dtmc`: the chain branches on r₂ ≥ r_T given that r₁ < r_T."""
    chain = FACTORIES["numeric_sparse"](2, 1).chain([-1, 1])
    branching = [n for n in range(len(chain.states)) if len(chain.successors(n)) == 2]
    second = chain.states[branching[1]]
    assert second.conditions == ("r2 < r1",)
    assert [str(noise) for noise in second.noise] == [
        "r1: lap(4/9·ε, 0)",
        "r2: lap(2/9·ε, -1)",
        "r3: lap(2/9·ε, 1)",
    ]
    targets = {chain.states[one.target].conditions for one in chain.successors(branching[1])}
    assert targets == {("r2 < r1", "r3 < r1"), ("r2 < r1", "r3 ≥ r1")}


def test_endless_loops_are_shown() -> None:
    source = """
def trapped(q: Real):
    above = lap(eps, q) > 0
    x = 1
    while x > 0:
        x = choose({1: 0.5, 2: 0.5})
        if above:
            return 5
    return x
"""
    mechanism = Mechanism.from_source(source)
    with pytest.raises(ProgramError, match="never ends with positive probability") as caught:
        mechanism.distribution(0)
    assert caught.value.line == 6


def test_a_large_chain_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactdp.semantics.chain._MOST_STATES", 30)
    with pytest.raises(ValueRefusedError, match="more than 30 states"):
        FACTORIES["sparse"](20, 10).chain([0] * 20)


def test_the_picture_in_the_documents_is_the_present_one() -> None:
    """`docs/chain.svg` shows the program of `docs/probabilities.md` at (−1, 1)."""
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "probabilities.md").read_text()
    lines = text.split('from_source("""\n')[1].split('... """)')[0].splitlines()
    mechanism = Mechanism.from_source("\n".join(line[4:] for line in lines))
    assert mechanism.chain([-1, 1]).svg() == (docs / "chain.svg").read_text()


EVERYWHERE = """
def f(q: Real[2], k: Dom(0, 1)):
    first = lap(eps / 2, q[0])
    if q[1] > 1:
        return 2
    n = choose({0: 1 / (1 + exp(eps)), 1: exp(eps) / (1 + exp(eps))})
    return 1 if expo(eps, q[1]) >= first - k and n == k else 0
"""


def test_the_chain_for_all_inputs_at_random_ones() -> None:
    """At random inputs, sides of cells among them, it is the chain of the single input."""
    program = Mechanism.from_source(EVERYWHERE)
    found = program.chain(AllReals())
    assert "q[0]" in str(found.pieces[0].value.states[-1].noise[0])
    some = Fraction(1, 3), Fraction(-7, 2)
    for *reals, k in ((0, 0, 1), (1, 3, 0), (*some, 1), (-2, 1, 0), (5, 1, 1)):
        here = found.at(*reals, k)
        assert final_chances(here) == final_chances(program.chain((reals, k)))
        assert all(
            sum((one.probability for one in here.successors(n)), ExpPoly(0)) == ExpPoly(1)
            for n, state in enumerate(here.states)
            if state.output is None
        )
    inside = Mechanism.from_source(EVERYWHERE).chain(Box(2, 3))
    assert {one.value.states[-1].output for one in inside} == {"2"}


def test_the_chain_with_both_kinds_of_noise() -> None:
    """Integer noise, compared with integers, beside real noise."""
    program = Mechanism.from_source(
        "def f(q: Real, k: Dom(0, 2)): return (dlap(eps, k) >= 1, lap(eps, q) >= 0)"
    )
    found = program.chain(AllReals())
    for q, k in ((0, 0), (Fraction(-1, 2), 1), (3, 2)):
        assert final_chances(found.at(q, k)) == final_chances(program.chain((q, k)))

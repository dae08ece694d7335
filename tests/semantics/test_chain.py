"""The Markov chain of the paper: its probabilities, its walk, its pictures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from exactdp import Mechanism, ProgramError, ValueRefusedError
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.semantics.chain import Chain
from language.corpus import FACTORIES, MECHANISMS, as_argument, some_input


def final_chances(chain: Chain) -> dict[str, ClosedForm]:
    """Return the probability of each output of a chain without cycles, by walking it."""
    weight: dict[int, ClosedForm] = {0: ExpPoly(1)}
    result: dict[str, ClosedForm] = {}
    for number, state in enumerate(chain.states):  # breadth first: sources come before targets
        if state.output is not None:
            known = result.get(state.output, ExpPoly(0))
            result[state.output] = known + weight[number]
        for one in chain.successors(number):
            known = weight.get(one.target, ExpPoly(0))
            weight[one.target] = known + weight[number] * one.probability
    return result


@pytest.mark.parametrize("name", ["noisy_max", "above_threshold", "numeric_sparse", "counting"])
def test_walking_the_chain_gives_the_distribution(name: str) -> None:
    mechanism = MECHANISMS[name]
    u = as_argument(some_input(mechanism, 1))
    chain = mechanism.chain(u)
    total: ClosedForm = ExpPoly(0)
    for chance in final_chances(chain).values():
        total = total + chance
    assert total == ExpPoly(1)
    if name in ("noisy_max", "above_threshold"):
        found = mechanism.distribution(u)
        walked = final_chances(chain)
        assert {repr(output): chance for output, chance in found.items()} == walked


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

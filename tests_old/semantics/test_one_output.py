"""One output asked for alone: as probable as in the whole distribution, with fewer states."""

from __future__ import annotations

import pytest

from exactdp import ExpPoly, Mechanism
from exactdp.measure.work import Work
from exactdp.semantics.relevance import only_returned
from language.corpus import FACTORIES

COPIES = """
def copies(q: Real[3]):
    first, second, steps = 0, 7, 0
    for i in range(3):
        if lap(eps, q[i]) > 0:
            second = first
            first = i
            steps = steps + 1
    if steps > 2:
        return 9
    return second
"""


def test_which_values_are_only_returned() -> None:
    code = Mechanism.from_source(COPIES).machine.code
    found = only_returned(code)
    assert {"first", "second"} <= found
    assert not found & {"steps", "i", "q"}


@pytest.mark.parametrize("u", [(0, 0, 0), (-1, 2, 1)])
def test_values_that_do_not_match_are_forgotten_and_nothing_else(u: tuple[int, int, int]) -> None:
    mechanism = Mechanism.from_source(COPIES)
    found = mechanism.distribution(u)
    assert set(found) == {0, 1, 7, 9}
    for output, expected in found.items():
        assert mechanism.probability(u, output) == expected
    assert mechanism.probability(u, 2) == ExpPoly(0)


@pytest.mark.parametrize("name", ["noisy_max", "noisy_max_exponential"])
def test_every_output_of_noisy_max(name: str) -> None:
    u = (1, 0, 2, 0, 1)
    mechanism = FACTORIES[name](5)
    found = mechanism.distribution(u)
    for output in range(5):
        assert mechanism.probability(u, output) == found[output]


def test_the_states_of_noisy_max_grow_with_its_answers_only() -> None:
    told: list[Work] = []
    FACTORIES["noisy_max"](40).probability([0] * 40, 39, told.append)
    assert told[-1].states < 40 * 6

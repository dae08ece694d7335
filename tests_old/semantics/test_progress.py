"""The progress hook: it hears of states, cells and terms, and can stop the work cleanly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from exactdp import Mechanism
from exactdp.measure.work import Hook, Work
from language.corpus import FACTORIES

COUPLED = """
def coupled(q: Real[2]):
    x, y, z = lap(eps, q[0]), lap(eps / 2, q[1]), lap(eps / 3, 0)
    first = x + y > z
    return [first, x - 2 * z > y]
"""

WHOLE = """
def whole(q: Dom(0, 3)):
    x, y = dlap(eps, q), dlap(eps / 2, 0)
    return 2 * x - 3 * y <= 1
"""

LOOP = """
def loop(q: Dom(0, 3)):
    n = 0
    while n < 3:
        n = choose({0: 1 / 2, n + 1: 1 / 2})
        if choose({True: 1 / 3, False: 2 / 3}):
            return False
    return True
"""

PROGRAMS: dict[str, tuple[Callable[[], Mechanism], object]] = {
    "one live variable": (lambda: FACTORIES["sparse"](4, 2), [0, 1, 0, 1]),
    "polyhedra": (lambda: Mechanism.from_source(COUPLED), [0, 1]),
    "integers": (lambda: Mechanism.from_source(WHOLE), 1),
    "a loop": (lambda: Mechanism.from_source(LOOP), 1),
}


class StopError(Exception):
    """Raised by a hook that has heard enough."""


def stopping(after: int) -> Hook:
    """Return a hook that stops the work when it is called once more than `after` times."""
    calls = iter(range(after))

    def hook(_: Work) -> None:
        if next(calls, None) is None:
            raise StopError

    return hook


def test_it_hears_of_states_first_and_then_of_cells_and_terms() -> None:
    told: list[Work] = []
    FACTORIES["sparse"](4, 2).distribution([0, 1, 0, 1], told.append)
    assert told[0] == Work(states=1, cells=0, terms=0)
    last = told[-1]
    assert last.states > 10
    assert last.cells > last.states
    assert last.terms > last.cells


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_number_ever_falls(name: str) -> None:
    make, u = PROGRAMS[name]
    told: list[Work] = []
    make().distribution(u, told.append)
    for one, two in pairwise(told):
        assert one.states <= two.states
        assert one.cells <= two.cells
        assert one.terms <= two.terms


@pytest.mark.parametrize("name", ["polyhedra", "integers"])
def test_it_hears_of_the_cells_of_one_integral(name: str) -> None:
    """Between two states there are many calls: an integral that runs away can be stopped."""
    make, u = PROGRAMS[name]
    told: list[Work] = []
    make().distribution(u, told.append)
    states = told[-1].states
    assert len(told) > 3 * states


@pytest.mark.parametrize("name", PROGRAMS)
def test_stopping_anywhere_leaves_nothing_half_done(name: str) -> None:
    make, u = PROGRAMS[name]
    expected = dict(make().distribution(u))
    mechanism = make()
    heard: list[Work] = []
    make().distribution(u, heard.append)
    stops = sorted({0, 1, *range(2, len(heard), max(1, len(heard) // 12))})
    for after in stops:
        with pytest.raises(StopError):
            make().distribution(u, stopping(after))
        # The same mechanism, too, although it keeps what it finished before it was stopped.
        try:
            mechanism.distribution(u, stopping(after))
        except StopError:
            continue
    assert dict(mechanism.distribution(u)) == expected


def test_a_probability_is_announced_and_stopped_the_same_way() -> None:
    mechanism = FACTORIES["noisy_max"](3)
    told: list[Work] = []
    expected = FACTORIES["noisy_max"](3).probability([0, 1, 2], 2, told.append)
    assert told[-1].cells
    for after in range(0, len(told), 2):
        with pytest.raises(StopError):
            mechanism.probability([after, 1, 2], 2, stopping(0))
    assert mechanism.probability([0, 1, 2], 2) == expected


def test_a_hook_hears_only_of_its_own_question() -> None:
    """Not of the questions that it asks itself, be it with a hook or without."""
    alone: list[Work] = []
    FACTORIES["sparse"](2, 1).distribution([0, 1], alone.append)
    told: list[Work] = []
    inner: list[Work] = []

    def hook(work: Work) -> None:
        told.append(work)
        if not inner:
            FACTORIES["noisy_max"](2).distribution([0, 1], inner.append)
        FACTORIES["noisy_max"](2).distribution([0, 1])

    FACTORIES["sparse"](2, 1).distribution([0, 1], hook)
    assert inner
    assert told == alone
    FACTORIES["sparse"](2, 1).distribution([0, 1])
    assert told == alone

"""Probabilities against simulation: the examples with a million runs each, and random programs.

An event that happens in a share p of the runs is allowed five standard deviations,
5·√(p(1 − p)/runs), and a dozen runs more where it is too rare for the normal law.
"""

from __future__ import annotations

import gc
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from exactdp import Interval, Mechanism, Real
from language.corpus import FACTORIES, MECHANISMS, as_argument, some_input
from semantics.random_programs import Input, Program, inputs, integer_programs, programs
from support.examples import TIMES

RUNS = 10**6 if TIMES > 1 else 250_000  # by columns, `while` loops too

BUDGETS = [Fraction(1, 3), Fraction(1), Fraction(4)]

BOXES = [Interval(-1, "3/2"), Interval(0, 3), Interval("-5/2", 1), Interval("1/2", 4)]
"""Where the numbers of an output are asked to lie, one by one."""

LARGER = {
    "above_threshold, m = 5": FACTORIES["above_threshold"](5, 1),
    "majority, n = 6": FACTORIES["majority"](6),
    "noisy_max, m = 6": FACTORIES["noisy_max"](6),
    "numeric_sparse_artifact, m = 3, c = 2": FACTORIES["numeric_sparse_artifact"](3, 2),
    "sparse, m = 5, c = 2": FACTORIES["sparse"](5, 2),
    "sparse_variant, m = 5, c = 3": FACTORIES["sparse_variant"](5, 3),
}


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    """Leave the garbage alone: a million outputs are none, and looking through them takes long."""
    gc.disable()
    yield
    gc.enable()


def agree(share: float, p: float, runs: int) -> None:
    """Five standard deviations, or a dozen runs for the rarest events."""
    assert -1e-12 <= p <= 1 + 1e-12
    assert abs(share - p) <= 5 * math.sqrt(max(p * (1 - p), 0) / runs) + 12 / runs


def numbers_of(output: Any) -> Any:
    """Return the places of the noise in the pattern of an output."""
    return [place for place, item in enumerate(output) if item is Real]


def check(mechanism: Mechanism, u: Any, eps: Fraction, seed: int) -> None:
    """Simulate a mechanism; compare the share of every output, and of boxes of its numbers."""
    found = mechanism.distribution(u)
    outputs = mechanism.sample(u, eps, RUNS, seed)
    if not any(isinstance(output, tuple) and Real in output for output in found):
        counts = Counter(outputs)
        assert set(counts) <= set(found)
        for output, chance in found.items():
            agree(counts[output] / RUNS, float(chance.at(eps)), RUNS)
        return
    groups: dict[Any, list[Any]] = {}
    if len(found) == 1:
        groups[tuple(map(type, outputs[0]))] = outputs
    else:
        for one in outputs:
            groups.setdefault(tuple(map(type, one)), []).append(one)
    assert len(groups) <= len(found)
    for output, chance in found.items():
        kinds = tuple(float if item is Real else type(item) for item in output)
        members = groups.get(kinds, [])
        agree(len(members) / RUNS, float(chance.at(eps)), RUNS)
        places = numbers_of(output)
        if not places or not members:
            continue
        columns = [
            np.array(column) for k, column in enumerate(zip(*members, strict=True)) if k in places
        ]
        inside = np.ones(len(members), dtype=bool)
        event = list(output)
        for place, column, box in zip(places, columns, BOXES, strict=False):
            inside &= (column >= float(box.lower)) & (column <= float(box.upper))
            event[place] = box
            p = float(mechanism.probability(u, event).at(eps))
            agree(int(inside.sum()) / RUNS, p, RUNS)


@pytest.mark.parametrize("choice", range(len(BUDGETS)))
@pytest.mark.parametrize(
    "name", [name for name in MECHANISMS if not MECHANISMS[name].deterministic]
)
def test_examples(name: str, choice: int) -> None:
    """Three values of ε, each at another input."""
    mechanism = MECHANISMS[name]
    check(mechanism, as_argument(some_input(mechanism, choice)), BUDGETS[choice], choice + 1)


@pytest.mark.parametrize("name", LARGER)
def test_larger_examples(name: str) -> None:
    mechanism = LARGER[name]
    check(mechanism, as_argument(some_input(mechanism, 1)), Fraction(3, 2), 7)


def mass_and_simulation(program: Program, u: Input) -> None:
    """Mass exactly 1; shares of 10⁵ runs of a simulation that shares no code with exactdp."""
    runs = 10**5
    found = program.mechanism(late=False).distribution(u)
    total: Any = sum(found.values())
    assert total == 1
    for eps, seed in ((Fraction(1), 1), (Fraction(1, 3), 2)):
        counts = program.simulated(u, float(eps), runs, seed)
        assert set(counts) <= set(found)
        for output, chance in found.items():
            agree(counts[output] / runs, float(chance.at(eps)), runs)


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), inputs)
def test_random_programs_with_up_to_five_real_noises(program: Program, u: Input) -> None:
    mass_and_simulation(program, u)


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(integer_programs(), inputs)
def test_random_programs_with_up_to_five_integer_noises(program: Program, u: Input) -> None:
    mass_and_simulation(program, u)

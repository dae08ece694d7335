"""The cost of exact probabilities, against a plain prototype."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from bench import prototype
from bench.clock import Time, measure, seconds
from bench.programs import noisy_max, randomized_response, sparse
from bench.table import Row
from exactdp import ExpPoly, Mechanism


def answer(make: Callable[[], Mechanism], u: list[int], output: object, least: float = 0.3) -> Time:
    """Return the time of the probability of an output at an input, from the program's text on.

    A mechanism caches its results, so each call creates a new one.
    """
    return measure(lambda: make().probability(u, output), least)


def mostly_below(m: int) -> list[int]:
    """Return the input (−1, …, −1, 1)."""
    return [-1] * (m - 1) + [1]


def last_above(m: int) -> list[bool]:
    """Return the output of Sparse in which only the last answer is above."""
    return [False] * (m - 1) + [True]


def against_prototype(m: int) -> Row:
    """Return the time of the prototype over ours, after both gave the same closed form."""
    u, output = mostly_below(m), last_above(m)
    make = partial(sparse, m, 1)
    found = make().probability(u, output)
    assert isinstance(found, ExpPoly)
    assert {(t.power, t.rate): t.coefficient for t in found.terms} == prototype.sparse(u)
    ours = answer(make, u, output)
    ratio = seconds(partial(prototype.sparse, u)) / ours.seconds
    limit = 1 if m >= 30 else None  # the prototype reads no program, which dominates at small m
    return Row(f"prototype / exactdp, Sparse m = {m}", ratio, "×", limit, True, ours.yardsticks)


def measured() -> Iterator[Row]:
    """Yield the measurements of exact probabilities."""
    for m in (3, 4, 30):
        yield against_prototype(m)
    many = measure(lambda: noisy_max(300).probability(mostly_below(300), 299))
    name = "one output of NoisyMax m = 300, from the text of the program"
    yield Row(name, many.seconds, "s", 2, cost=many.yardsticks)
    u = [1, 0, -1, 2, 3, 1, 0, 5, 0, 1]
    all_outputs = measure(lambda: noisy_max(10).distribution(u))
    name = "all outputs of NoisyMax m = 10"
    yield Row(name, all_outputs.seconds, "s", 2, cost=all_outputs.yardsticks)
    all_outputs = measure(lambda: randomized_response(12).distribution([0, 1] * 6))
    name = "all 4096 outputs of randomized response on 12 bits"
    yield Row(name, all_outputs.seconds, "s", 2, cost=all_outputs.yardsticks)
    grid = [(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in range(-3, 4)]

    def whole_grid() -> None:
        three = noisy_max(3)
        for u in grid:
            three.probability(u, 0)

    whole = measure(whole_grid)
    ratio = whole.seconds / (len(grid) * answer(partial(noisy_max, 3), [1, 0, -1], 0).seconds)
    name = "a grid of 343 inputs of NoisyMax m = 3 / one by one"
    yield Row(name, ratio, "×", 1, cost=whole.yardsticks)

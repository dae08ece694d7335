"""What exact probabilities cost, against a plain prototype."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench import prototype
from bench.clock import Time, measure, seconds
from bench.programs import noisy_max, randomized_response, sparse
from bench.table import Row
from exactdp import ExpPoly, Mechanism
from exactdp.semantics.distribution import Engine


def answer(mechanism: Mechanism, u: list[int], output: object, least: float = 0.3) -> Time:
    """Return the time that the probability of an output takes at an input."""

    def ask() -> None:
        mechanism.kept(Engine)._answers.clear()  # a remembered answer would cost nothing
        mechanism.probability(u, output)

    return measure(ask, least)


def mostly_below(m: int) -> list[int]:
    """Return the input (−1, …, −1, 1)."""
    return [-1] * (m - 1) + [1]


def last_above(m: int) -> list[bool]:
    """Return the output of Sparse that only the last answer is above."""
    return [False] * (m - 1) + [True]


def against_prototype(m: int) -> Row:
    """Return the time of the prototype over ours, after both gave the same closed form."""
    u, output = mostly_below(m), last_above(m)
    mechanism = sparse(m, 1)
    found = mechanism.probability(u, output)
    assert isinstance(found, ExpPoly)
    assert {(t.power, t.rate): t.coefficient for t in found.terms} == prototype.sparse(u)
    ours = answer(mechanism, u, output)
    ratio = seconds(partial(prototype.sparse, u)) / ours.seconds
    return Row(f"prototype / exactdp, Sparse m = {m}", ratio, "×", 2, True, ours.yardsticks)


def measured() -> Iterator[Row]:
    """Yield the measurements of exact probabilities."""
    for m in (3, 4, 30):
        yield against_prototype(m)
    many = measure(lambda: noisy_max(300).probability(mostly_below(300), 299))
    name = "one output of NoisyMax m = 300, from the text of the program"
    yield Row(name, many.seconds, "s", 2, cost=many.yardsticks)
    ten = noisy_max(10)
    all_outputs = measure(lambda: ten.distribution([1, 0, -1, 2, 3, 1, 0, 5, 0, 1]))
    name = "all outputs of NoisyMax m = 10"
    yield Row(name, all_outputs.seconds, "s", 2, cost=all_outputs.yardsticks)
    bits = randomized_response(12)
    all_outputs = measure(lambda: bits.distribution([0, 1] * 6))
    name = "all 4096 outputs of randomized response on 12 bits"
    yield Row(name, all_outputs.seconds, "s", 2, cost=all_outputs.yardsticks)
    three = noisy_max(3)
    grid = [(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in range(-3, 4)]

    def whole_grid() -> None:
        three.kept(Engine)._answers.clear()
        for u in grid:
            three.probability(u, 0)

    whole = measure(whole_grid)
    ratio = whole.seconds / (len(grid) * answer(three, [1, 0, -1], 0).seconds)
    name = "a grid of 343 inputs of NoisyMax m = 3 / one by one"
    yield Row(name, ratio, "×", 1, cost=whole.yardsticks)

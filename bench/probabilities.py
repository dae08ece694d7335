"""What exact probabilities cost, against a plain prototype, SymPy, and their own growth."""

from __future__ import annotations

import math
import runpy
import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import sympy

from bench import prototype
from bench.table import Row, seconds
from exactdp import ExpPoly, Mechanism


def example(name: str) -> dict[str, Any]:
    """Return the names that an example file defines."""
    return runpy.run_path(str(Path(__file__).parents[1] / "examples" / f"{name}.py"))


def by_sympy(name: str) -> Any:
    """Return one probability of a mechanism with m = 2, by SymPy's integrate.

    One variable is left after the others were integrated by hand, and the pieces between the
    means are given. "NoisyMax" is Pr(0) at (1, 0): the top has the density of the first answer,
    the second lies below it. "AboveThreshold" is Pr(⊥⊤) at (−1, 1): the threshold has a density,
    the first answer lies below it and the second above.
    """
    x, e = sympy.Symbol("x", real=True), sympy.Symbol("eps", positive=True)
    rate = e / 2 if name == "NoisyMax" else e / 4

    def density(mean: int, left: bool) -> Any:
        return e / 4 * sympy.exp((e / 2 if left else -e / 2) * (x - mean))

    def below(mean: int, left: bool) -> Any:
        tail = sympy.exp((rate if left else -rate) * (x - mean)) / 2
        return tail if left else 1 - tail

    means = [0, 1] if name == "NoisyMax" else [-1, 0, 1]
    total = 0
    for a, b in pairwise([-sympy.oo, *means, sympy.oo]):
        left = {mean: b <= mean for mean in means}
        if name == "NoisyMax":
            f = density(1, left[1]) * below(0, left[0])
        else:
            f = density(0, left[0]) * below(-1, left[-1]) * (1 - below(1, left[1]))
        total += sympy.integrate(sympy.expand(f), (x, a, b))
    return sympy.simplify(total)


def answer(mechanism: Mechanism, u: list[int], output: object) -> float:
    """Return the seconds that the probability of an output takes at an input."""

    def ask() -> None:
        mechanism.engine._answers.clear()  # a remembered answer would cost nothing
        mechanism.probability(u, output)

    return seconds(ask, 0.3)


def mostly_below(m: int) -> list[int]:
    """Return the input (−1, …, −1, 1)."""
    return [-1] * (m - 1) + [1]


def mixed(m: int) -> list[int]:
    """Return an input with entries −1, 0 and 1 in turn, the hardest kind: most terms differ."""
    return [j % 3 - 1 for j in range(m)]


def last_above(m: int) -> list[bool]:
    """Return the output of Sparse that only the last answer is above."""
    return [False] * (m - 1) + [True]


def sparse_ratio(make: Any, m: int) -> float:
    """Return the time of the prototype over ours, after both gave the same closed form."""
    u, output = mostly_below(m), last_above(m)
    mechanism = make(m, 1)
    found = mechanism.probability(u, output)
    assert isinstance(found, ExpPoly)
    assert {(t.power, t.rate): t.coefficient for t in found.terms} == prototype.sparse(u)
    return seconds(lambda: prototype.sparse(u)) / answer(mechanism, u, output)


def rows() -> Iterator[Row]:
    """Yield the measurements of exact probabilities."""
    sparse, noisy_max = example("sparse"), example("noisy_max")["noisy_max"]
    for m in (3, 4, 30):
        ratio = sparse_ratio(sparse["sparse"], m)
        yield Row(f"prototype / exactdp, Sparse m = {m}", ratio, 2, at_least=True)
    above_threshold = example("above_threshold")["above_threshold"]
    questions = {
        "Sparse": (lambda m: sparse["sparse"](m, 1), last_above),
        "AboveThreshold": (above_threshold, last_above),
        "SparseVariant c = 3": (lambda m: sparse["sparse_variant"](m, 3), last_above),
        "NoisyMax": (noisy_max, lambda m: m - 1),
    }
    for name, (make, output) in questions.items():
        powers = []
        for inputs in (mostly_below, mixed):
            times = [answer(make(m), inputs(m), output(m)) for m in (10, 300)]
            powers.append(math.log(times[1] / times[0], 30))
        yield Row(f"growth of {name} from m = 10 to 300, as a power of m", max(powers), 3)
    start = time.perf_counter()
    noisy_max(300).probability(mostly_below(300), 299)
    spent = time.perf_counter() - start
    yield Row("seconds for the first answer of NoisyMax m = 300", spent, 2)
    many = noisy_max(10)
    spent = seconds(lambda: many.distribution([1, 0, -1, 2, 3, 1, 0, 5, 0, 1]))
    yield Row("seconds for all outputs of NoisyMax m = 10", spent, 2)
    bits = example("randomized_response")["randomized_response"](12)
    spent = seconds(lambda: bits.distribution([0, 1] * 6))
    yield Row("seconds for all outputs of randomized response on 12 bits", spent, 2)
    three = noisy_max(3)
    grid = [(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in range(-3, 4)]

    def whole_grid() -> None:
        three.engine._answers.clear()
        for u in grid:
            three.probability(u, 0)

    ratio = seconds(whole_grid) / (len(grid) * answer(three, [1, 0, -1], 0))
    yield Row("a grid of 343 inputs of NoisyMax m = 3 / one by one", ratio, 1)
    for name, mechanism, u, wanted in (
        ("NoisyMax", noisy_max(2), [1, 0], 0),
        ("AboveThreshold", above_threshold(2), [-1, 1], [False, True]),
    ):
        found = mechanism.probability(u, wanted).to_sympy()
        assert sympy.simplify(by_sympy(name) - found) == 0
        plain = seconds(partial(by_sympy, name), 1)
        yield Row(
            f"SymPy / exactdp, {name} m = 2",
            plain / answer(mechanism, u, wanted),
            100,
            at_least=True,
        )

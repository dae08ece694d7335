"""What exact probabilities cost, against a plain prototype, SymPy, and their own growth."""

from __future__ import annotations

import math
import runpy
from collections.abc import Iterator
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


def by_sympy(u: tuple[int, int]) -> Any:
    """Return Pr(NoisyMax m = 2 answers 0) with SymPy's integrate, pieces given by hand."""
    x, e = sympy.Symbol("x", real=True), sympy.Symbol("eps", positive=True)
    low, high = sorted(u)

    def density(mean: int, left: bool) -> Any:
        return e / 4 * sympy.exp((e / 2 if left else -e / 2) * (x - mean))

    def below(mean: int, left: bool) -> Any:
        return sympy.exp(e / 2 * (x - mean)) / 2 if left else 1 - sympy.exp(-e / 2 * (x - mean)) / 2

    ends = [-sympy.oo, low, high, sympy.oo]
    total = 0
    for a, b in pairwise(ends):
        middle = (low + high) / 2 if a == low else (low - 1 if b == low else high + 1)
        f = density(u[0], middle < u[0]) * below(u[1], middle < u[1])
        total += sympy.integrate(sympy.expand(f), (x, a, b))
    return sympy.simplify(total)


def answer(mechanism: Mechanism, u: list[int]) -> float:
    """Return the seconds that the probability of the right answer takes at an input."""
    output = mechanism.noiseless()(u)

    def ask() -> None:
        mechanism._engine._answers.clear()  # a remembered answer would cost nothing
        mechanism.probability(u, output)

    return seconds(ask, 0.3)


def sparse_ratio(make: Any, m: int) -> float:
    """Return the time of the prototype over ours, after both gave the same closed form."""
    u = [-1] * (m - 1) + [1]
    mechanism = make(m, 1)
    found = mechanism.probability(u, [False] * (m - 1) + [True])
    assert isinstance(found, ExpPoly)
    assert {(t.power, t.rate): t.coefficient for t in found.terms} == prototype.sparse(u)
    return seconds(lambda: prototype.sparse(u)) / answer(mechanism, u)


def rows() -> Iterator[Row]:
    """Yield the measurements of exact probabilities."""
    sparse, noisy_max = example("sparse"), example("noisy_max")["noisy_max"]
    for m in (3, 4, 30):
        ratio = sparse_ratio(sparse["sparse"], m)
        yield Row(f"prototype / exactdp, Sparse m = {m}", ratio, 2, at_least=True)
    makers = {
        "Sparse": lambda m: sparse["sparse"](m, 1),
        "AboveThreshold": example("above_threshold")["above_threshold"],
        "SparseVariant c = 3": lambda m: sparse["sparse_variant"](m, 3),
        "NoisyMax": noisy_max,
    }
    for name, make in makers.items():
        times = [answer(make(m), [-1] * (m - 1) + [1]) for m in (10, 100)]
        growth = math.log10(times[1] / times[0])
        yield Row(f"growth of {name} from m = 10 to 100, as a power of m", growth, 3)
    many = noisy_max(10)
    spent = seconds(lambda: many.distribution([1, 0, -1, 2, 3, 1, 0, 5, 0, 1]))
    yield Row("seconds for all outputs of NoisyMax m = 10", spent, 2)
    bits = example("randomized_response")["randomized_response"](12)
    spent = seconds(lambda: bits.distribution([0, 1] * 6))
    yield Row("seconds for all outputs of randomized response on 12 bits", spent, 2)
    three = noisy_max(3)
    grid = [(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in range(-3, 4)]

    def whole_grid() -> None:
        three._engine._answers.clear()
        for u in grid:
            three.probability(u, 0)

    ratio = seconds(whole_grid) / (len(grid) * answer(three, [1, 0, -1]))
    yield Row("a grid of 343 inputs of NoisyMax m = 3 / one by one", ratio, 1)
    two = noisy_max(2)
    assert sympy.simplify(by_sympy((1, 0)) - two.probability([1, 0], 0).to_sympy()) == 0
    ratio = seconds(lambda: by_sympy((1, 0)), 1) / answer(two, [1, 0])
    yield Row("SymPy / exactdp, NoisyMax m = 2", ratio, 100, at_least=True)

"""Moments of random programs, against a plain simulation of their text that shares no code."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from statistics import fmean, pstdev
from typing import Any

import pytest

from exactdp import Mechanism, ProgramError
from support.examples import TIMES

RATES = ("eps", "eps / 2", "2 * eps", "eps / 3")
RUNS = 2_500


class RejectedError(Exception):
    """A run that an observed condition rejects."""


def simulated(text: str, eps: float, seed: int) -> list[float]:
    """Return outputs of a program, run as Python with plain samplers."""
    source = random.Random(seed)

    def exponential(rate: float) -> float:
        return -math.log(1 - source.random()) / rate

    def whole(rate: float) -> int:
        return int(exponential(rate))

    def lap(rate: float, mean: float) -> float:
        return mean + exponential(rate) - exponential(rate)

    def observe(condition: bool) -> None:
        if not condition:
            raise RejectedError

    def expmech(rate: float, score: Callable[[Any], float], values: Any) -> Any:
        return source.choices(values, [math.exp(rate * score(one)) for one in values])[0]

    names = {
        "eps": eps,
        "exp": math.exp,
        "floor": math.floor,
        "Real": None,
        "lap": lap,
        "expo": lambda rate, start: start + exponential(rate),
        "unif": source.uniform,
        "dlap": lambda rate, mean: mean + whole(rate) - whole(rate),
        "geometric": lambda rate, start: start + whole(rate),
        "gumbel": lambda rate, mean: mean - math.log(exponential(1)) / rate,
        "bernoulli": lambda p: int(source.random() < p),
        "expmech": expmech,
        "observe": observe,
    }
    exec(text, names)
    run: Any = names["f"]
    found: list[float] = []
    while len(found) < RUNS:
        try:
            found.append(float(run(0.5)))
        except RejectedError:
            continue
    return found


def program(seed: int) -> str:
    """Return a random program: two noises, one conditioned, compared, rounded or released."""
    source = random.Random(seed)
    pick = source.choice
    real = (f"lap({pick(RATES)}, q)", f"expo({pick(RATES)}, q - 1)", "q + unif(-1, 2)")
    noise, second = pick(real), pick((*real, f"lap({pick(RATES)}, 1)"))
    number = pick((f"dlap({pick(RATES)}, 1)", f"geometric({pick(RATES)}, -1)"))
    test = pick(("x > 0", "x <= 1", "abs(x - q) < 1", "2 * x - 1 < q"))
    condition = pick(
        (
            f"x = {noise}\n    observe({test})",
            f"x = {noise}\n    while not ({test}):\n        x = {noise}",
            f"while True:\n        x = {noise}\n        if {test}:\n            break",
            f"x = {noise}",
        )
    )
    chosen = pick(
        (
            "bernoulli(1 / (1 + exp(eps)))",
            "expmech(eps / 2, lambda c: -abs(c - q), [0, 1, 2])",
            "0 if gumbel(eps, q) > gumbel(eps, 1) else 2",
        )
    )
    output = pick(
        (
            "x + y", "max(x, y)", "floor(x) + k", "round(x)", "x % 1", "x // 2 - k",
            "abs(z - k)", "min(max(z, 0), 3) + k", "x if z % 2 == 0 else k", "x + z",
            "1 if x > y else k", "k if y < 1 else min(max(x, -1), 1)",
        )
    )  # fmt: skip
    return (
        f"def f(q: Real):\n    {condition}\n    y = {second}\n    z = {number}\n"
        f"    k = {chosen}\n    return {output}\n"
    )


@pytest.mark.parametrize("seed", range(16 * TIMES))
def test_moments(seed: int) -> None:
    text = program(seed)
    found = simulated(text, 1.0, seed)
    try:
        mechanism = Mechanism.from_source(text)
        mean, variance = (float(one.at(1)) for one in (
            mechanism.expectation("1/2"), mechanism.variance("1/2")))  # fmt: skip
    except ProgramError as refusal:
        assert "never ends" in str(refusal)  # noqa: PT017
        return
    error = pstdev(found) / math.sqrt(RUNS)
    assert abs(fmean(found) - mean) <= 5 * error + 1e-9, text
    squares = [(one - mean) ** 2 for one in found]
    assert abs(fmean(squares) - variance) <= 6 * pstdev(squares) / math.sqrt(RUNS) + 1e-3, text

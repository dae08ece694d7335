"""Random conditions, ranges, cases and input sets, compared with the definitions on a grid.

The errors are known by hand, so a claim is tried at many inputs, ε, α and γ with floats: a claim
that holds is violated at none of them, and a counterexample is a violation.
"""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import Any

import pytest

from claims.mechanisms import LARGER
from exactdp import ANY, Accuracy, AllReals, Box, Mechanism, discrete, maximum, parse, sup
from exactdp.claims.stated.conditions import read_formula
from exactdp.errors import ExactdpError
from support.examples import TIMES

NOISY = Mechanism.from_source("def noisy(q: Real):\n    return lap(eps, q)")
BUDGETS = [0.01, 0.1, 0.3, 0.5, 0.7, 1, 1.3, 1.9, 2.5, 4, 7, 14]
NUMBERS = ["0", "1/4", "1/2", "1", "3/2", "3"]
FORMS = ["{}", "{}*eps", "{}/eps", "{} + eps", "{}*exp(-eps)", "1/(1 + eps)", "eps**2"]
PLACES = [-6, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 6]


class Sampled:
    """A random claim: its parts as text, and as a claim."""

    def __init__(self, random: Random) -> None:
        self.is_noisy = random.random() < 0.5
        level = "gamma" if self.is_noisy else "alpha"
        form = self._form(random)
        self.range = random.choice([None, f"[{form}, inf)", f"({form}, inf)", f"[0, {form}]"])
        input_form = "abs(q)" if self.is_noisy else "abs(q[0] - q[1])"
        self.region = random.choice(
            [
                f"{level} < {self._form(random)}",
                f"{level} >= {self._form(random)}",
                f"{level} <= {input_form}/2",
                f"{level} > 1 or eps > {random.choice(NUMBERS)}",
                f"{level} <= {self._form(random)} and {level} >= {input_form}/4",
            ]
        )
        factor, rate = random.choice(["1/2", "9/10", "1", "2"]), random.choice(["1/4", "1/2", "1"])
        self.beta = f"{factor}*exp(-{level}*eps*{rate})"
        self.inputs = random.choice(["listed", "everywhere", "box", "some"])
        self.is_largest = random.random() < 0.4

    @staticmethod
    def _form(random: Random) -> str:
        return random.choice(FORMS).format(random.choice(NUMBERS))

    def claim(self) -> Accuracy:
        """Return the claim."""
        beta: Any = read_formula(self.beta)
        if self.is_largest:
            beta = maximum(beta, parse("1/10"))
        level: Any = ANY if self.range is None else self.range
        inputs: Any = {
            "listed": [2] if self.is_noisy else [[2, 0]],
            "everywhere": AllReals(),
            "box": Box(0, 3),
            "some": (lambda u: u >= 1) if self.is_noisy else (lambda u: u[0] - u[1] >= 1),
        }[self.inputs]
        if self.is_noisy:
            return Accuracy(
                NOISY, beta, alpha=0, gamma=level, region=self.region, inputs=inputs,
                input_distance=discrete, output_distance=sup,
            )  # fmt: skip
        return Accuracy(LARGER, beta, alpha=level, region=self.region, inputs=inputs)

    def excess(self, u: list[float], budget: float, level: float) -> float | None:
        """Return the error minus β, or None if nothing is claimed there."""
        name = "gamma" if self.is_noisy else "alpha"
        known = {name: level, "eps": budget, "exp": math.exp, "q": u[0] if self.is_noisy else u}
        if level < 0 or not eval(self.region, {"abs": abs}, known):
            return None
        if self.range is not None:
            lower, upper = (
                eval(end, {"inf": math.inf}, known) for end in self.range[1:-1].split(",")
            )
            if not (lower < level if self.range[0] == "(" else lower <= level) or level > upper:
                return None
        gap = 0.0 if self.is_noisy else abs(u[0] - u[1])
        if not self.is_noisy and level >= gap / 2:
            return None
        error = (
            math.exp(-budget * level)
            if self.is_noisy
            else math.exp(-budget * gap / 2) * (1 / 2 + budget * gap / 8)
        )
        beta = eval(self.beta, {}, known)
        return float(error - min(1, max(beta, 0.1) if self.is_largest else beta))

    def places(self) -> list[list[float]]:
        """Return some inputs of the claim."""
        if self.inputs == "listed":
            return [[2]] if self.is_noisy else [[2, 0]]
        allowed: Any = {
            "everywhere": bool,
            "box": lambda u: all(0 <= x <= 3 for x in u),
            "some": lambda u: u[0] >= 1 if self.is_noisy else u[0] - u[1] >= 1,
        }[self.inputs]
        every = [[float(x) for x in u] for u in product(PLACES, repeat=1 if self.is_noisy else 2)]
        return [u for u in every if allowed(u)]


@pytest.mark.parametrize("seed", range(0, 40 * TIMES, 2 if TIMES == 1 else 1))
def test_verdicts_agree_with_the_definitions(seed: int) -> None:
    sampled = Sampled(Random(seed))
    try:
        verdict = sampled.claim().check()
    except ExactdpError:
        return
    if verdict.holds is False:
        found = verdict.counterexample
        u = [float(x) for x in (found.input if isinstance(found.input, list) else [found.input])]
        level = found.gamma if sampled.is_noisy else found.alpha
        excess = sampled.excess(u, float(found.eps), float(level))
        assert excess is None or excess > -1e-9  # None if it is as close to an end as floats are
        assert found.error.lower > found.allowed.upper
    elif verdict.holds:
        for u, budget in product(sampled.places()[::3], BUDGETS):
            top = 4.0 if sampled.is_noisy else abs(u[0] - u[1]) / 2
            for share in (0, 0.01, 0.1, 0.25, 0.4, 0.6, 0.8, 0.95, 0.999):
                excess = sampled.excess(u, budget, top * share)
                assert excess is None or excess < 1e-9, (u, budget, top * share)

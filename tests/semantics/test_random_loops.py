"""Random `while` loops: finite chains steered by comparisons of earlier noise.

Once it is known between which of the constants the noise lies, such a loop is a plain Markov
chain. Its absorption probabilities are found here by NumPy, and the masses of the regions are
differences of the Laplace cumulative function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactdp import Mechanism, ProgramError
from exactdp.reals import ClosedForm, ExpPoly

CUTS = [-1, 0, 2]
COINS: dict[str, Callable[[float], float]] = {
    "exp(-eps)": lambda e: math.exp(-e),
    "1 / 4": lambda _: 0.25,
    "1 / 2": lambda _: 0.5,
}


@dataclass(frozen=True)
class Step:
    """Go to one of two states: to the first with the chance of a coin."""

    coin: str
    first: int
    second: int

    def text(self) -> str:
        """Return the draw of the next state."""
        if self.first == self.second:
            return f"choose({{{self.first}: 1}})"
        return f"choose({{{self.first}: {self.coin}, {self.second}: 1 - {self.coin}}})"


@dataclass(frozen=True)
class Loop:
    """For each state the constant to compare with, and the steps if the noise is above or not."""

    cuts: tuple[int, ...]
    above: tuple[Step, ...]
    below: tuple[Step, ...]

    def source(self) -> str:
        """Return the program; the last two states are its outputs."""
        lines = ["def program(q: Real):", "    a = lap(eps, q)", "    s = 0"]
        lines.append(f"    while s < {len(self.cuts)}:")
        for state, cut in enumerate(self.cuts):
            lines.append(f"        {'if' if state == 0 else 'elif'} s == {state}:")
            lines.append(f"            if a > {cut}:")
            lines.append(f"                s = {self.above[state].text()}")
            lines.append("            else:")
            lines.append(f"                s = {self.below[state].text()}")
        return "\n".join([*lines, "    return s", ""])

    def steps(self, a: float) -> list[Step]:
        """Return the chain for a value of the noise."""
        return [self.above[k] if a > cut else self.below[k] for k, cut in enumerate(self.cuts)]


def reached(steps: list[Step], start: int) -> set[int]:
    """Return all states that may come after a state, and itself."""
    found, queue = {start}, [start]
    while queue:
        state = queue.pop()
        if state < len(steps):
            new = {steps[state].first, steps[state].second} - found
            found |= new
            queue += new
    return found


def trapped(steps: list[Step]) -> bool:
    """Whether a run from state 0 may come to a state from which no way leads to an output."""
    return any(max(reached(steps, state)) < len(steps) for state in reached(steps, 0))


def absorbed(steps: list[Step], eps: float) -> dict[int, float]:
    """Return the chance to end in each of the outputs, by solving for the expected visits."""
    states = sorted(state for state in reached(steps, 0) if state < len(steps))
    moves = np.zeros((len(steps), len(steps) + 2))
    for state in states:
        step = steps[state]
        chance = COINS[step.coin](eps)
        moves[state, step.first] += chance
        moves[state, step.second] += 1 - chance
    inner = moves[np.ix_(states, states)]
    start = np.eye(len(states))[states.index(0)]
    visits = np.linalg.solve((np.eye(len(states)) - inner).T, start)
    return {end: float(visits @ moves[states, end]) for end in (len(steps), len(steps) + 1)}


def mass(low: float, high: float, mean: float, eps: float) -> float:
    """Return the Laplace mass between two points."""

    def below(x: float) -> float:
        gap = eps * (x - mean)
        return math.exp(gap) / 2 if gap < 0 else 1 - math.exp(-gap) / 2

    return below(high) - below(low)


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    """Draw a loop over two to four states."""
    count = draw(st.integers(2, 4))

    def step() -> Step:
        ends = st.integers(0, count + 1)
        return Step(draw(st.sampled_from(list(COINS))), draw(ends), draw(ends))

    return Loop(
        tuple(draw(st.sampled_from(CUTS)) for _ in range(count)),
        tuple(step() for _ in range(count)),
        tuple(step() for _ in range(count)),
    )


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(loops(), st.sampled_from([Fraction(0), Fraction(1), Fraction(-3, 2)]))
def test_random_loops(loop: Loop, q: Fraction) -> None:
    mechanism = Mechanism.from_source(loop.source())
    ends = [-math.inf, *CUTS, math.inf]
    regions = list(zip(ends, ends[1:], [-2, -0.5, 1, 3], strict=False))
    if any(trapped(loop.steps(inside)) for _, _, inside in regions):
        with pytest.raises(ProgramError, match="never ends with positive probability"):
            mechanism.distribution(q)
        return
    found = mechanism.distribution(q)
    total: ClosedForm = ExpPoly(0)
    for chance in found.values():
        total = total + chance
    assert total == ExpPoly(1)
    for eps in (Fraction(1, 2), Fraction(2)):
        expected = dict.fromkeys((len(loop.cuts), len(loop.cuts) + 1), 0.0)
        for low, high, inside in regions:
            here = mass(low, high, float(q), float(eps))
            for end, share in absorbed(loop.steps(inside), float(eps)).items():
                expected[end] += here * share
        for end, p in expected.items():
            assert float(found[end].at(eps)) == pytest.approx(p, abs=1e-12)

"""Random `while` loops: finite chains steered by comparisons of earlier noise.

Once it is known between which of the constants the noise lies, such a loop is a plain Markov
chain, and whether it may run for ever is seen from its states.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactdp import Mechanism, ProgramError
from support.compared import agree_with_oracle

CUTS = [-1, 0, 2]
COINS = ["exp(-eps)", "1 / 4", "1 / 2"]


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


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    """Draw a loop over two to four states."""
    count = draw(st.integers(2, 4))

    def step() -> Step:
        ends = st.integers(0, count + 1)
        return Step(draw(st.sampled_from(COINS)), draw(ends), draw(ends))

    return Loop(
        tuple(draw(st.sampled_from(CUTS)) for _ in range(count)),
        tuple(step() for _ in range(count)),
        tuple(step() for _ in range(count)),
    )


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(loops(), st.sampled_from([Fraction(0), Fraction(1), Fraction(-3, 2)]))
def test_random_loops(loop: Loop, q: Fraction) -> None:
    mechanism = Mechanism.from_source(loop.source())
    between = -2, -0.5, 1, 3
    if any(trapped(loop.steps(inside)) for inside in between):
        with pytest.raises(ProgramError, match="never ends with positive probability"):
            mechanism.distribution(q)
        return
    agree_with_oracle(loop.source(), q, mechanism.distribution(q))

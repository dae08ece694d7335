"""Runs on concrete numbers: exact ones without noise, and single sampled ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from exactdp.errors import ProgramError
from exactdp.language.terms import Term
from exactdp.semantics.machine import Choice, Compare, Done, Draw, Machine

if TYPE_CHECKING:
    from exactdp.language.terms import Number
    from exactdp.language.values import Value
    from exactdp.semantics.machine import State


class Uniform(Protocol):
    """Whatever gives uniform numbers: `random.Random` or a numpy generator."""

    def random(self) -> float:
        """Return a number in [0, 1)."""


def run_exactly(machine: Machine, state: State) -> Value:
    """Return the output of a run that samples nothing, exactly."""
    event = machine.advance(state)
    if isinstance(event, Done):
        return event.output
    raise ProgramError(
        "the program samples, so it has no exact output",
        place=machine.code.instructions[event.state.pc].place,
        rule="Only deterministic programs run exactly.",
        way_out="Use run(u, eps, rng), or noiseless().",
    )


def run_once(machine: Machine, state: State, eps: float, rng: Uniform) -> Value:
    """Return the output of one run with sampled noise (floats: for looking, not for proof)."""
    event = machine.advance(state)
    while not isinstance(event, Done):
        assert not isinstance(event, Compare)  # concrete numbers are compared on the spot
        if isinstance(event, Draw):
            value: Value = draw(event, eps, rng)
        else:
            value = event.values[pick(weights(event, eps), rng.random())]
        event = machine.advance(machine.resume(event, value))
    return event.output


def draw(event: Draw, eps: float, rng: Uniform) -> Value:
    """Return one sample of noise."""
    rate = float(event.rate) * eps
    if event.noise == "dlap":
        # The difference of two geometric variables is discrete Laplace noise.
        return event.mean + _geometric(rate, rng) - _geometric(rate, rng)
    size = -math.log1p(-rng.random()) / rate
    if event.noise == "lap" and rng.random() < 0.5:
        size = -size
    return float(event.mean) + size


def _geometric(rate: float, rng: Uniform) -> int:
    return math.floor(-math.log1p(-rng.random()) / rate)


def weights(event: Choice, eps: float) -> list[float]:
    """Return the probabilities of a choice as floats."""
    if event.exponents is not None:
        sizes = [float(q) * eps for q in event.exponents]
        top = max(sizes)
        found = [math.exp(size - top) for size in sizes]
    else:
        assert event.chances is not None
        found = [_at(chance, eps) for chance in event.chances]
    total = math.fsum(found)
    return [weight / total for weight in found]


def _at(chance: Term | Number, eps: float) -> float:
    value = chance.at(eps) if isinstance(chance, Term) else float(Fraction(chance))
    return max(0.0, value)


def pick(chances: list[float], uniform: float) -> int:
    """Return the position that a uniform number falls on."""
    for position, chance in enumerate(chances):
        uniform -= chance
        if uniform < 0:
            return position
    return max(k for k, chance in enumerate(chances) if chance > 0)

"""Trial runs: whether a possible error of a program occurs in an actual run.

Whether a variable may be unset when it is read is certain only on the paths that runs can take.
The checker records possible errors; a few runs with random inputs and samples reveal most
mistakes when the program is read. An error that no trial confirms is left to the actual runs:
they report it, with its place, if it occurs with positive probability.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

from exactdp.errors import ExactdpError, Place, ProgramError
from exactdp.language.events import Compare, Done, Draw
from exactdp.language.machine import Machine
from exactdp.language.types import DomType, InputType, ListType, RecordType
from exactdp.language.values import List, Symbolic, Value
from exactdp.language.words import NOISES

_RUNS = 200
_EVENTS = 500


def confirmed(machine: Machine, doubts: Mapping[Place, ProgramError]) -> ProgramError | None:
    """Return a possible error that occurs in a trial run; None if none does."""
    if not doubts or any(kind is None for _, kind in machine.code.inputs):
        return None
    for seed in range(_RUNS):
        error = _failure(machine, random.Random(seed))
        if error is not None and error.place is not None and error.place in doubts:
            return doubts[error.place]
    return None


def _failure(machine: Machine, rng: random.Random) -> ExactdpError | None:
    """Return the error that a run ends with, if any.

    Any value that a sample can take will do: conditions on the noise of a run are open.
    """
    try:
        inputs = tuple(_value(kind, rng) for _, kind in machine.code.inputs)
        event = machine.advance(machine.start(inputs))
        for _ in range(_EVENTS):
            if isinstance(event, Done):
                return None
            if isinstance(event, Compare):
                return None  # with a + b/ε, which may be anything here
            if isinstance(event, Draw):
                size = _number(rng)
                kind = NOISES[event.noise]
                if isinstance(event.width, Symbolic):
                    return None  # with ends in ε, which may be anything here
                if kind.has_ends:
                    size = rng.choice((-1, 0, 1)) * Fraction(event.width) * Fraction(127, 256)
                if kind.is_whole:
                    size = Fraction(round(size))
                found = event.mean + (abs(size) if kind.is_above else size)
            else:
                found = rng.choice(event.values)
            event = machine.advance(machine.resume(event, found))
    except ExactdpError as error:
        return error
    return None


def _number(rng: random.Random) -> Fraction:
    """Return a random number of a magnitude that a threshold may have."""
    return Fraction(rng.randint(-1000, 1000), 2 ** rng.choice((0, 5, 10, 20)))


def _value(kind: InputType | None, rng: random.Random) -> Value:
    if isinstance(kind, ListType):
        return List([_value(kind.item, rng) for _ in range(kind.length)])
    if isinstance(kind, RecordType):
        return tuple(_value(entry, rng) for entry in kind.entries)
    if isinstance(kind, DomType):
        return rng.choice(kind.members)
    return _number(rng)

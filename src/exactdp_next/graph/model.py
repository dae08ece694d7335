"""Model: a program with its states, outputs, graphs and ideal; computed once in a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..language.program import Program
from ..language.values import Value, key
from ..run import remembered
from .event import Event
from .explore import End, State, explore
from .graph import Graph, merged


@dataclass(frozen=True)
class Model:
    """What a program does."""

    program: Program

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The states, in the order in which a breadth-first search meets them."""
        return explore(self.program)

    @cached_property
    def outputs(self) -> tuple[Value, ...]:
        """The outputs of all runs."""
        ends = [state.output for state in self.states if isinstance(state, End)]
        return tuple({key(output): output for output in ends}.values())

    @cached_property
    def ideal(self) -> Model:
        """The model of the program without noise."""
        return model(self.program.ideal())


@remembered
def model(program: Program) -> Model:
    """Return the model of a program."""
    return Model(program)


@remembered
def graph(model: Model, event: Event) -> Graph:
    """Return the graph of an event."""
    return merged(model.states, event)

"""Building the graph of a program: the events that lead to a pattern of outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from exactdp.errors import ProgramError
from exactdp.language.events import Done, State
from exactdp.language.limits import STATE_ENTRIES, STATE_LIMIT
from exactdp.language.linear import Linear
from exactdp.language.machine import Machine
from exactdp.language.values import Value
from exactdp.measure.work import count
from exactdp.semantics.graph import Graph
from exactdp.semantics.naming import is_settled
from exactdp.semantics.nodes import Edge, Failure, Node
from exactdp.semantics.relevance import MATCHED
from exactdp.semantics.states import Visited, growing
from exactdp.semantics.transitions import Look, NextEvent, Transitions

_SAMPLED = 10_000  # states that are examined for a message


def build(
    machine: Machine,
    start: State,
    look: Look = lambda state: state,
    *,
    late: bool = False,
    limit: Limit | None = None,
) -> Graph:
    """Return the graph from a state; see `Transitions`.

    `look` returns the relevant part of a state, or None to leave it out with the edges to it.
    """
    return built(Transitions(machine, late=late), start, look, limit=limit)


class LargeGraphError(Exception):
    """A graph has more nodes than expected."""


class Limit(NamedTuple):
    """The size that is expected of a graph."""

    nodes: int
    wide: int
    """How many nodes it has before one with more than two variables."""


def built(
    transitions: Transitions,
    start: State,
    look: Look,
    wanted: Value = MATCHED,
    limit: Limit | None = None,
) -> Graph:
    """Return the graph from a state, with transitions that graphs of a program share.

    `wanted` is the value that `look` replaces by `MATCHED`. Raise `LargeGraphError` beyond a limit.
    """
    machine = transitions.machine
    visited = Visited(machine)
    room = _Room(machine)
    places: dict[int, int] = {}
    numbers: list[int] = []

    def visit(step: NextEvent) -> tuple[int, tuple[Linear, ...]] | None:
        arrival = transitions.arrival(step, look)
        if arrival is None:
            return None
        number, variables = arrival
        place = places.get(number)
        if place is None:
            event, width = transitions.events[number]
            if event.state.pc >= 0:
                visited.add(event.state)
            room.add(event.state, step.event.state)
            place = places[number] = len(numbers)
            if limit is not None and place >= (limit.wide if width > 2 else limit.nodes):
                raise LargeGraphError
            numbers.append(number)
            count(states=1)
        return place, variables

    first = transitions.start(start)
    if visit(first) is None:  # what is wanted is never returned
        return Graph((Node(first.event, 0, ()),), machine.code)
    nodes: list[Node] = []
    while len(nodes) < len(numbers):
        number = numbers[len(nodes)]
        edges = tuple(
            Edge(*arrival, step.case)
            for step in transitions.steps(number)
            if (arrival := visit(step)) is not None
        )
        event, size = transitions.events[number]
        if isinstance(event, Done) and event.output is MATCHED:
            event = Done(State(-1, (wanted,)), wanted)
        nodes.append(Node(event, size, edges))
    return Graph(tuple(nodes), machine.code)


def outputs_up_to(
    most: int, machine: Machine, start: State, look: Callable[[State], State]
) -> tuple[Value, ...] | None:
    """Return the outputs from a state, depth first; None if there are more, or a run may fail."""
    transitions = Transitions(machine)
    visited = Visited(machine)
    room = _Room(machine)
    known: set[int] = set()
    found: dict[State, Value] = {}  # here True differs from 1
    ahead = [transitions.start(start)]
    while ahead:
        step = ahead.pop()
        arrival = transitions.arrival(step, look)
        assert arrival is not None
        if arrival[0] in known:
            continue
        known.add(arrival[0])
        event, _ = transitions.events[arrival[0]]
        room.add(event.state, step.event.state)
        if isinstance(event, Done):
            found[State(-1, (event.output,))] = event.output
        elif isinstance(event, Failure):
            return None
        else:
            visited.add(event.state)
        if len(found) > most:
            return None
        ahead.extend(transitions.steps(arrival[0]))
    return tuple(found.values())


class _Room:
    """The states so far; too many of them, or too large ones, are refused."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._states: list[State] = []
        self._entries = 0

    def add(self, state: State, at: State) -> None:
        """Add a state that a run reaches at another one, with noise that is not renamed."""
        self._states.append(state)
        self._entries += sum(len(value) for value in state.env if isinstance(value, tuple))
        if len(self._states) > STATE_LIMIT:
            raise self._refused(at, f"{STATE_LIMIT:,} states")
        if self._entries > STATE_ENTRIES:
            size = len(self._states)
            what = f"{STATE_ENTRIES:,} entries in the lists of its {size:,} states"
            raise self._refused(at, what)

    def _refused(self, at: State, what: str) -> ProgramError:
        code = self._machine.code
        some = self._states[:: len(self._states) // _SAMPLED + 1]
        grown = growing(code, [one for one in some if one.pc >= 0])
        names = [one.name for one in grown if one.values > 1 and all(map(is_settled, one.some))]
        return ProgramError(
            f"the program has more than {what}",
            place=code.instructions[at.pc].place,
            rule="A state is a statement with all finite values that are read later; they are "
            f"listed one by one.{f' Most values were found of {names[0]}.' if names else ''}",
            way_out="Keep what is needed while the noise is drawn, such as the best so far or a "
            "count, instead of a list of all answers; or ask for the probability of one output.",
        )

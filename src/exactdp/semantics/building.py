"""Building the graph of a program: the events that lead to a pattern of outputs."""

from __future__ import annotations

from exactdp.errors import ProgramError
from exactdp.language.limits import STATE_LIMIT
from exactdp.language.machine import Done, Machine, State
from exactdp.language.values import Value
from exactdp.measure.work import count
from exactdp.semantics.graph import Graph
from exactdp.semantics.linear import Linear
from exactdp.semantics.nodes import Edge, Node
from exactdp.semantics.relevance import MATCHED
from exactdp.semantics.states import Visited
from exactdp.semantics.transitions import Look, Step, Transitions


def build(
    machine: Machine, start: State, look: Look = lambda state: state, *, late: bool = False
) -> Graph:
    """Return the graph from a state; see `Transitions`.

    `look` returns the relevant part of a state, or None to leave it out with the edges to it.
    """
    return built(Transitions(machine, late=late), start, look)


def built(transitions: Transitions, start: State, look: Look, wanted: Value = MATCHED) -> Graph:
    """Return the graph from a state, with transitions that graphs of a program share.

    `wanted` is the value that `look` replaces by `MATCHED`.
    """
    machine = transitions.machine
    visited = Visited(machine)
    places: dict[int, int] = {}
    numbers: list[int] = []

    def visit(step: Step) -> tuple[int, tuple[Linear, ...]] | None:
        arrival = transitions.arrival(step, look)
        if arrival is None:
            return None
        number, variables = arrival
        place = places.get(number)
        if place is None:
            event, _ = transitions.events[number]
            if event.state.pc >= 0:
                visited.add(event.state)
            if len(places) >= STATE_LIMIT:
                raise _too_many(machine, step.event.state)
            place = places[number] = len(numbers)
            numbers.append(number)
            count(states=1)
        return place, variables

    visit(transitions.start(start))
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


def _too_many(machine: Machine, state: State) -> ProgramError:
    return ProgramError(
        f"the program has more than {STATE_LIMIT:,} states",
        place=machine.code.instructions[state.pc].place,
        rule="A state is a statement with all finite values; they are listed one by one.",
        way_out="Ask for the probability of one output, or keep fewer values at a time.",
    )

"""Independent entries of an output: each from noise of its own.

A list that is only appended to and then returned does not influence a run. Without its contents the
states of a program are few. If every run passes one and the same state, without live noise, each
time an entry has been appended, the parts of the program between these states are independent: the
probability of a list is the product of the probabilities of its entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from exactdp.language.code import Appended, Release, Set
from exactdp.language.events import Compare, Done, Draw, State
from exactdp.language.flow import read
from exactdp.language.machine import Machine
from exactdp.language.tree import free_names
from exactdp.language.values import List, Value
from exactdp.semantics.building import build
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import NodeEvent, has_noise, inputs_in, looks_at
from exactdp.semantics.patterns import appended_slot


@dataclass(frozen=True)
class IndependentEntry:
    """The values that an entry of the output may have, and the inputs that it depends on."""

    values: tuple[Value, ...]
    inputs: frozenset[str]


def independent_entries(
    machine: Machine, given: tuple[Value, ...]
) -> tuple[IndependentEntry, ...] | None:
    """Return the entries of the output if they are independent of each other, else None."""
    place = _list_at(machine)
    if place is None:
        return None
    start = machine.start(given)
    graph = build(machine, start, _only(place, None))
    lengths = [_length(node.event, place) for node in graph.nodes]
    inputs = _inputs_by_part(graph, lengths)
    if inputs is None:
        return None
    kept = (build(machine, start, _only(place, k)) for k in range(len(inputs)))
    values = [_values(one, k) for k, one in enumerate(kept)]
    if any(has_noise(value) or list(inputs_in(value)) for some in values for value in some):
        return None
    return tuple(map(IndependentEntry, values, inputs))


def without_entries(machine: Machine, start: State) -> Graph | None:
    """Return the graph without the entries of a list that is only appended to and returned."""
    place = _list_at(machine)
    return None if place is None else build(machine, start, _only(place, None))


def _inputs_by_part(graph: Graph, lengths: list[int]) -> list[frozenset[str]] | None:
    """Return the inputs that each part of a graph uses; None if the parts depend on each other.

    `lengths` is the number of entries appended before each node.
    """
    ends = {n for n, node in enumerate(graph.nodes) if isinstance(node.event, Done)}
    final = {lengths[n] for n in ends}
    if lengths[0] or len(final) != 1:
        return None
    (size,) = final
    found: list[set[str]] = [set() for _ in range(size)]
    begins: dict[int, int] = {}
    for number, node in enumerate(graph.nodes):
        if number in ends:
            continue
        length = lengths[number]
        if length >= size or not isinstance(node.event, Draw | Compare):
            return None
        found[length] |= set(inputs_in(looks_at(node.event)))
        for edge in node.edges:
            after = lengths[edge.target]
            if after == length:
                continue
            if after != length + 1 or graph.nodes[edge.target].variables:
                return None
            if edge.target not in ends and begins.setdefault(after, edge.target) != edge.target:
                return None
    return [frozenset(one) for one in found]


def _length(event: NodeEvent, place: int) -> int:
    """Return how many entries have been appended at an event."""
    entries = event.output if isinstance(event, Done) else event.state.env[place]
    return len(entries) if isinstance(entries, tuple) else 0


def _values(graph: Graph, k: int) -> tuple[Value, ...]:
    """Return the values of an entry at the ends of a graph."""
    ends = (node.event.output for node in graph.nodes if isinstance(node.event, Done))
    return tuple(dict.fromkeys(output[k] for output in ends if isinstance(output, tuple)))


def _list_at(machine: Machine) -> int | None:
    """Return the place of a list that is only appended to and returned, in a program that ends."""
    code = machine.code
    slot = appended_slot(code)
    if slot is None or any(loop.counter is None for loop in code.loops):
        return None
    slots = frozenset(code.slots)
    for one in code.instructions:
        match one:
            case Release():
                continue
            case Set(_, Appended(base, item)) if base.id == slot:
                if slot in free_names(item):
                    return None
            case _ if slot in read(one, slots):
                return None
    return machine.slots[slot]


def _only(place: int, kept: int | None) -> Callable[[State], State]:
    """Return a function that removes all entries of a list but one from a state."""

    def look(state: State) -> State:
        found = state.env[place]
        if not isinstance(found, tuple):
            return state
        entries = List(one if k == kept else None for k, one in enumerate(found))
        return State(state.pc, (*state.env[:place], entries, *state.env[place + 1 :]))

    return look

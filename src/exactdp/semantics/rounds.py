"""Loops that resample noise: where a round begins.

A round begins at a node at which no noise of the loop is live. From there the loop continues as if
for the first time, so the nodes at which rounds begin form a finite chain, and the mass that leaves
the loop is the mass that leaves it in one round, times the expected number of rounds. Whether
another round follows must not depend on noise from before the loop: otherwise that number would.
"""

from __future__ import annotations

from dataclasses import dataclass

from exactdp.errors import Place, ProgramError
from exactdp.language.events import Compare, Draw
from exactdp.language.rules import fail
from exactdp.semantics.components import components
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import noise_part
from exactdp.semantics.plan import Stage


@dataclass(frozen=True)
class Rounds:
    """The nodes of a loop at which rounds begin, and the others by strongly connected component.

    The components are in topological order. One that is cyclic is a loop inside the loop.
    """

    begins: frozenset[int]
    others: tuple[Stage, ...]


def rounds_of(graph: Graph, component: tuple[int, ...]) -> Rounds:
    """Return the rounds of a loop that contains samples."""
    inside = set(component)
    drawn: dict[int, set[int]] = {number: set() for number in component}
    for number in component:
        if isinstance(graph.nodes[number].event, Draw):
            _spread(graph, inside, drawn, number, {graph.nodes[number].variables})
    begins = frozenset(number for number in component if not drawn[number])
    earlier: dict[int, set[int]] = {number: set() for number in component}
    for number in begins:
        _spread(graph, inside, earlier, number, set(range(graph.nodes[number].variables)))
    for number in component:
        event = graph.nodes[number].event
        own = earlier[number] | (
            set(range(graph.nodes[number].variables)) if number in begins else set()
        )
        if isinstance(event, Compare) and not own.isdisjoint(noise_part(event.difference)):
            raise _depends(graph.place(number))
    if not begins:
        raise _carries(graph.place(min(inside)))
    left = inside - begins

    def after(number: int) -> list[int]:
        return [edge.target for edge in graph.nodes[number].edges if edge.target in left]

    found = components([n for n in component if n in left], after)
    others = (Stage(tuple(one), len(one) > 1 or one[0] in after(one[0])) for one in found)
    return Rounds(begins, tuple(others))


def _spread(
    graph: Graph, inside: set[int], found: dict[int, set[int]], start: int, variables: set[int]
) -> None:
    """Record at all nodes of a loop the variables that depend on given ones of one node."""
    waiting = [(start, variables)]
    while waiting:
        number, taken = waiting.pop()
        for edge in graph.nodes[number].edges:
            if edge.target not in inside:
                continue
            forms = enumerate(edge.variables)
            new = {v for v, form in forms if not taken.isdisjoint(noise_part(form))}
            if not new <= found[edge.target]:
                found[edge.target] |= new
                waiting.append((edge.target, new))


def _depends(place: Place) -> ProgramError:
    return fail(
        place,
        "whether this loop iterates again depends on noise from before it",
        "A loop that draws noise again compares what it drew, inputs and finite values; then the "
        "number of its rounds does not depend on other noise.",
        "Draw that noise inside the loop too, or after it.",
    )


def _carries(place: Place) -> ProgramError:
    return fail(
        place,
        "this loop carries noise from round to round",
        "A loop may draw noise again, but on each way round it forgets what it drew before.",
        "Use `for i in range(<constant>)`, which is unrolled.",
    )

"""While loops as finite chains, solved exactly.

Inside a `while` loop no noise is sampled, so once the truth of every comparison of earlier noise
is fixed, a strongly connected component of the graph is a finite Markov chain with closed forms
as probabilities. The expected number of visits to each of its nodes solves a linear system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from exactdp.errors import Place, ProgramError, counted
from exactdp.measure.work import count
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.semantics.plan import PreparedEdge

Move = tuple[PreparedEdge, ClosedForm]
"""An edge with its nonzero probability."""

Moves = Mapping[int, list[Move]]
"""The edges from each node of a component."""


def exits(
    component: set[int], entry: int, moves: Moves, place: Callable[[int], Place]
) -> list[Move]:
    """Return the edges out of a component, and the probability of each, for a run from a node.

    Raises an error if the run stays inside forever with positive probability.
    """
    reached = _reachable(entry, component, moves)
    _refuse_trap(reached, component, moves, place)
    visits = _visits(entry, reached, moves)
    return [
        (way, visits[node] * chance)
        for node in reached
        for way, chance in moves[node]
        if way.edge.target not in component and visits[node]
    ]


def _reachable(entry: int, component: set[int], moves: Moves) -> list[int]:
    found, queue = {entry: None}, [entry]
    while queue:
        for way, _ in moves[queue.pop()]:
            if way.edge.target in component and way.edge.target not in found:
                found[way.edge.target] = None
                queue.append(way.edge.target)
    return list(found)


def _refuse_trap(
    reached: list[int], component: set[int], moves: Moves, place: Callable[[int], Place]
) -> None:
    """Raise an error if no path leads out from some reached node."""
    sources: dict[int, list[int]] = {}
    for node in reached:
        for way, _ in moves[node]:
            sources.setdefault(way.edge.target, []).append(node)
    queue = [target for target in sources if target not in component]
    leaving = set(queue)
    while queue:
        for source in sources.get(queue.pop(), []):
            if source not in leaving:
                leaving.add(source)
                queue.append(source)
    trapped = [node for node in reached if node not in leaving]
    if trapped:
        raise endless(place(trapped[0]), len(trapped))


def endless(place: Place, states: int) -> ProgramError:
    """Return the error for a loop that never ends from some states."""
    return ProgramError(
        "this loop never ends with positive probability",
        place=place,
        rule="A mechanism must end with probability 1 (paper, section 5.3). "
        f"From here only {counted(states, 'state')} can follow, forever.",
        way_out="Give the loop a way out that it takes sooner or later.",
    )


def _visits(entry: int, reached: list[int], moves: Moves) -> dict[int, ClosedForm]:
    """Return the expected number of visits to each node: v = 1_entry + v·Q.

    Nodes are eliminated one by one: the visits to an eliminated node are passed on along its
    edges, its own loop summed as a geometric series.
    """
    inside = set(reached)
    weight: dict[int, dict[int, ClosedForm]] = {node: {} for node in reached}
    for node in reached:
        for way, chance in moves[node]:
            target = way.edge.target
            if target in inside:
                known = weight[node].get(target)
                weight[node][target] = chance if known is None else known + chance
    order = [node for node in reached if node != entry] + [entry]
    eliminated: list[tuple[int, ClosedForm, dict[int, ClosedForm]]] = []
    for node in order:
        count()
        out = weight.pop(node)
        loop = out.pop(node, None)
        gain = ExpPoly(1) if loop is None else ExpPoly(1) / (ExpPoly(1) - loop)
        into = {source: ways.pop(node) for source, ways in weight.items() if node in ways}
        eliminated.append((node, gain, into))
        for source, chance in into.items():
            passed = chance * gain
            for target, onward in out.items():
                known = weight[source].get(target)
                step = passed * onward
                weight[source][target] = step if known is None else known + step
    visits: dict[int, ClosedForm] = {}
    # The visits to the node eliminated last are known; the others follow by back substitution.
    for node, gain, into in reversed(eliminated):
        own: ClosedForm = ExpPoly(1) if node == entry else ExpPoly(0)
        for source, chance in into.items():
            own = own + visits[source] * chance
        visits[node] = own * gain
    return visits

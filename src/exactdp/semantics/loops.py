"""While loops as finite chains, solved exactly.

Inside a `while` loop no noise is sampled, so once the truth of every comparison of earlier noise
is fixed, a strongly connected component of the graph is a finite Markov chain with closed forms
as probabilities. The expected number of visits to each of its nodes solves a linear system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from exactdp.errors import Place, ProgramError, counted
from exactdp.measure.work import count
from exactdp.reals import ClosedForm, ExpPoly, Interval, positive
from exactdp.semantics.plan import PreparedEdge

Move = tuple[PreparedEdge, ClosedForm]
"""An edge with its nonzero probability."""

Moves = Mapping[int, list[Move]]
"""The edges from each node of a component."""


def exits(
    component: set[int], entry: int, moves: Moves, on: Interval, place: Callable[[int], Place]
) -> list[Move]:
    """Return the edges out of a component, and the probability of each, for a run from a node.

    Raises an error if at some ε of an interval the run stays inside forever with positive
    probability.
    """
    reached = _reachable(entry, component, moves)
    trapped = _trapped(reached, component, moves)
    if trapped:
        raise endless(place(trapped[0]), len(trapped))
    sure = {n: [one for one in moves[n] if is_positive(one[1], on)] for n in reached}
    is_open = bool(_trapped(reached, component, sure))  # at each ε some other edges may lead out

    def left(node: int, leave: ClosedForm) -> None:
        if is_open and not is_positive(leave, on):
            raise endless(place(node), len(reached), on)

    inside: dict[int, dict[int, ClosedForm]] = {}
    for node in (*(n for n in reached if n != entry), entry):
        row = inside[node] = {}
        for way, chance in moves[node]:
            target = way.edge.target
            if target in component:
                row[target] = row[target] + chance if target in row else chance
    numbers = visits({entry: ExpPoly(1)}, inside, left)
    return [
        (way, numbers[node] * chance)
        for node in reached
        for way, chance in moves[node]
        if way.edge.target not in component and numbers[node]
    ]


@lru_cache(4096)  # each iteration of a loop has the same probabilities
def is_positive(form: ClosedForm, on: Interval) -> bool:
    """Whether a probability in ε alone is positive at every ε of an interval."""
    return not {*form.parameters} <= {"eps"} or bool(positive(form, on))


def _reachable(entry: int, component: set[int], moves: Moves) -> list[int]:
    found, queue = {entry: None}, [entry]
    while queue:
        for way, _ in moves[queue.pop()]:
            if way.edge.target in component and way.edge.target not in found:
                found[way.edge.target] = None
                queue.append(way.edge.target)
    return list(found)


def _trapped(reached: list[int], component: set[int], moves: Moves) -> list[int]:
    """Return the reached nodes from which no path leads out."""
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
    return [node for node in reached if node not in leaving]


def endless(place: Place, states: int, on: Interval | None = None) -> ProgramError:
    """Return the error for a loop that never ends from some states, or at some ε."""
    when = "" if on is None else f", at some eps in {on}"
    return ProgramError(
        "this loop never ends with positive probability",
        place=place,
        rule="A mechanism must end with probability 1 (paper, section 5.3). "
        f"From here only {counted(states, 'state')} can follow, forever{when}.",
        way_out="Give the loop a way out that it takes sooner or later"
        + (", or exclude that eps with epsilon=." if when else "."),
    )


def visits(
    start: Mapping[int, ClosedForm],
    again: Mapping[int, Mapping[int, ClosedForm]],
    left: Callable[[int, ClosedForm], None],
) -> dict[int, ClosedForm]:
    """Return v with v = start + v·again, the expected number of visits to each node.

    Nodes are eliminated one by one: the visits to an eliminated node are passed on along its
    edges, its own loop summed as a geometric series. `left` is called before that with the chance
    of not returning to the node through nodes that were eliminated before it, and raises an error
    if that may be 0. If all of them are positive at an ε, the system has one solution there.
    """
    weight = {node: dict(row) for node, row in again.items()}
    first = dict(start)
    eliminated: list[tuple[int, ClosedForm, dict[int, ClosedForm], ClosedForm | None]] = []

    def add(row: dict[int, ClosedForm], target: int, more: ClosedForm) -> None:
        row[target] = row[target] + more if target in row else more

    for node in again:
        count()
        out = weight.pop(node)
        loop = out.pop(node, None)
        leave = ExpPoly(1) if loop is None else ExpPoly(1) - loop
        left(node, leave)
        gain = ExpPoly(1) / leave
        into = {source: row.pop(node) for source, row in weight.items() if node in row}
        own = first.pop(node, None)
        eliminated.append((node, gain, into, own))
        passed = {source: chance * gain for source, chance in into.items()}
        for target, onward in out.items():
            for source, chance in passed.items():
                add(weight[source], target, chance * onward)
            if own is not None:
                add(first, target, own * gain * onward)
    found: dict[int, ClosedForm] = {}
    for node, gain, into, own in reversed(eliminated):
        total = ExpPoly(0) if own is None else own
        for source, chance in into.items():
            total = total + found[source] * chance
        found[node] = total * gain
    return found

"""Graph: everything that can happen on the way to an event; states that behave alike are one node.

A node has parameters 0, 1, …: the noise that it still needs. An edge says which noise of the node
before becomes which parameter; the noise that a node draws is its number `arity`. Nodes are hash-
consed from the ends backwards, so every edge leads to a smaller number, and two spellings of a
mechanism meet in one graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..errors import NotYet
from ..ring.linear import Linear, Rational
from ..run import progress
from .event import Event
from .explore import Compare, Draw, End, State

LOSE, WIN = 0, 1


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge to a node, and the noise that becomes each of its parameters."""

    to: int
    noise: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SampleNode:
    """Draws a sample; it becomes the noise number `arity`."""

    noise: str
    rate: Fraction
    mean: Linear | Rational
    next: tuple[Arrow]
    arity: int


@dataclass(frozen=True, slots=True)
class TestNode:
    """Is a form positive (≥ 0 if not strict)? The arrow if it is, the arrow if not."""

    form: Linear
    strict: bool
    next: tuple[Arrow, Arrow]
    arity: int


@dataclass(frozen=True, slots=True)
class EndNode:
    """The event has happened (WIN), or cannot happen any more (LOSE)."""

    next: tuple[()] = ()
    arity: int = 0


Node = SampleNode | TestNode | EndNode


@dataclass(frozen=True)
class Graph:
    """Nodes, the two ends first.

    `states` has the node of each state, with its noise for the node's parameters.
    """

    nodes: tuple[Node, ...]
    states: tuple[Arrow, ...]

    @property
    def start(self) -> int:
        """The node of the first state."""
        return self.states[0].to


def merged(states: Sequence[State], event: Event) -> Graph:
    """Return the graph of an event."""
    nodes: list[Node] = [EndNode(), EndNode()]
    known: dict[Node, int] = {}
    arrows: dict[int, Arrow] = {}

    def after(state: State) -> list[Arrow]:
        """Return the arrows from a state, in its own noise."""
        found = []
        for edge in state.next:
            arrow = arrows[edge.to]
            found.append(Arrow(arrow.to, tuple(edge.noise[i] for i in arrow.noise)))
        return found

    def number(node: Node) -> int:
        if node not in known:
            known[node] = len(nodes)
            nodes.append(node)
        return known[node]

    for done, i in enumerate(_successors_first(states)):
        progress(done, len(states), "merging state")
        match states[i]:
            case End(output):
                arrows[i] = Arrow(WIN if event.happens(output) else LOSE, ())
            case Draw(noise, rate, mean, fresh, _) as state:
                (arrow,) = after(state)
                if fresh not in arrow.noise:
                    arrows[i] = arrow
                    continue
                needed = _needed(mean, [arrow], fresh)
                index = {x: n for n, x in enumerate((*needed, fresh))}
                node = SampleNode(
                    noise, rate, _in(mean, index), (_moved(arrow, index),), len(needed)
                )
                arrows[i] = Arrow(number(node), needed)
            case Compare(form, strict, _) as state:
                yes, no = after(state)
                if yes == no:
                    arrows[i] = yes
                    continue
                needed = _needed(form, [yes, no], None)
                index = {x: n for n, x in enumerate(needed)}
                sides = _moved(yes, index), _moved(no, index)
                moved = form.renamed(index)
                arrows[i] = Arrow(number(TestNode(moved, strict, sides, len(needed))), needed)
    return Graph(tuple(nodes), tuple(arrows[i] for i in range(len(states))))


def _needed(form: Linear | Rational, arrows: Sequence[Arrow], fresh: int | None) -> tuple[int, ...]:
    """Return the noise from before that a node needs, now or later."""
    found = {x for arrow in arrows for x in arrow.noise} | set(_noises(form))
    return tuple(sorted(x for x in found if x != fresh))


def _noises(form: Linear | Rational) -> Sequence[int]:
    return form.noises() if isinstance(form, Linear) else ()


def _in(form: Linear | Rational, index: dict[int, int]) -> Linear | Rational:
    return form.renamed(index) if isinstance(form, Linear) else form


def _moved(arrow: Arrow, index: dict[int, int]) -> Arrow:
    return Arrow(arrow.to, tuple(index[x] for x in arrow.noise))


def _successors_first(states: Sequence[State]) -> list[int]:
    """Return the numbers of the states, each behind those that come after it, depth first."""
    order, entered, stack = list[int](), {0}, [(0, iter(states[0].next))]
    done = set[int]()
    while stack:
        i, edges = stack[-1]
        edge = next(edges, None)
        if edge is None:
            done.add(i)
            order.append(stack.pop()[0])
        elif edge.to not in entered:
            entered.add(edge.to)
            stack.append((edge.to, iter(states[edge.to].next)))
        elif edge.to not in done:
            raise NotYet("graph")  # a loop of random length
    return order

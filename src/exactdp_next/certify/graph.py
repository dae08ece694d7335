"""Graphs are replayed: every state is run, and must behave like the node that it is said to be.

The order of states is that of a breadth-first search, the side on which a comparison holds first.
The noise of a state is numbered by its first occurrence in the variables sorted by name, in a form
in ascending order; a fresh sample has the number after the largest one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import cast

from .code import Environment, Event, Program, Value, run, same
from .document import Rejected, Work, listed, natural, need, rational, text
from .sums import Form, Name, form

LOSE, WIN = 0, 1


@dataclass(frozen=True)
class Arrow:
    """An edge to a node, and the noise that becomes each of its parameters."""

    to: int
    noise: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """`what` is (noise, rate, mean) of a sample, or (form, strict) of a test."""

    kind: str
    what: tuple[object, ...]
    next: tuple[Arrow, ...]
    arity: int


@dataclass(frozen=True)
class Graph:
    """Nodes, the two ends first; every edge leads to a smaller number."""

    nodes: tuple[Node, ...]
    start: int


def replayed(program: Program, output: Value, nodes: object, states: object, work: Work) -> Graph:
    """Return the graph of the event that the output is this one, after following every state."""
    found = _read_nodes(listed(nodes, "nodes"))
    claimed = [_read_arrow(x) for x in listed(states, "states")]
    need(
        all(a.to < len(found) and len(a.noise) == found[a.to].arity for a in claimed),
        "a state's node",
    )
    need(all(len(set(a.noise)) == len(a.noise) for a in claimed), "noise that is two parameters")
    walk = _Walk(program, work)
    first = walk.enter((0, program.symbols()))
    need(claimed and first.noise == claimed[0].noise == (), "a graph without states")
    number, passing = 0, dict[int, list[int]]()
    while walk.todo:
        need(number < len(claimed), "a state is missing")
        event, edges, fresh = walk.step()
        work.spend(1 + len(found[claimed[number].to].next))
        after = [_through(edge, claimed) for edge in edges]
        if not _behaves(claimed[number], event, after, fresh, output, found):
            passing[number] = [edge.to for edge in edges]
        number += 1
    need(number == len(claimed), "a state that does not exist")
    try:
        TopologicalSorter(passing).prepare()
    except CycleError:
        raise Rejected("states in a circle, in which a run may stay for ever") from None
    return Graph(found, claimed[0].to)


class _Walk:
    """The states of a program, in order."""

    def __init__(self, program: Program, work: Work) -> None:
        self.program, self.work, self.live = program, work, program.live(work)
        self.numbers: dict[object, int] = {}
        self.todo: deque[tuple[int, Environment]] = deque()

    def step(self) -> tuple[Event, list[Arrow], int | None]:
        """Run the next state; return its event, the edges from it, and the fresh noise."""
        pc, env = self.todo.popleft()
        event = run(self.program, pc, {**self.program.fixed, **env}, self.work)
        fresh, after = None, event.next
        if event.kind == "sample":
            fresh = 1 + max(_noise(env.values()), default=-1)
            ((to, later),) = event.next
            drawn = form([(fresh, Fraction(1))], Fraction(0))
            after = ((to, {**later, event.target: drawn}),)
        return event, [self.enter(one) for one in after], fresh

    def enter(self, following: tuple[int, Environment]) -> Arrow:
        """Return the number of a state, and its noise."""
        pc, env = following
        live, fixed = self.live[pc], self.program.fixed
        kept = [(x, env[x]) for x in sorted(env) if x in live and x not in fixed]
        noise = tuple(dict.fromkeys(_noise(v for _, v in kept)))
        index = {old: new for new, old in enumerate(noise)}
        values = {x: _renamed(v, index) for x, v in kept}
        self.work.spend(1 + len(values))
        key = pc, tuple((x, _key(v)) for x, v in values.items())
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.todo.append((pc, values))
        return Arrow(self.numbers[key], noise)


def _through(edge: Arrow, claimed: list[Arrow]) -> Arrow:
    """Return the node to which an edge between states leads, with its noise in the state before."""
    need(edge.to < len(claimed), "a state is missing")
    arrow = claimed[edge.to]
    need(all(i < len(edge.noise) for i in arrow.noise), "noise that a state does not have")
    return Arrow(arrow.to, tuple(edge.noise[i] for i in arrow.noise))


def _behaves(
    arrow: Arrow,
    event: Event,
    after: list[Arrow],
    fresh: int | None,
    output: Value,
    nodes: tuple[Node, ...],
) -> bool:
    """Return whether a state with this event is the node of its arrow, or only passes on to it.

    Reject if it is neither.
    """
    if event.kind == "return":
        end = WIN if same(cast(Value, event.what[0]), output) else LOSE
        need(arrow.to == end, "an end that is another one")
        return True
    if all(one == arrow for one in after) and fresh not in arrow.noise:
        return False  # whatever happens here, it goes on as that node
    node = nodes[arrow.to]
    index = {x: i for i, x in enumerate(arrow.noise)}
    if fresh is not None:
        need(fresh not in index, "noise from before that is fresh")
        index[fresh] = node.arity
    need(node.kind == event.kind, "a node of another kind")
    needed = {x for w in event.what if isinstance(w, Form) for x in w.noise} | {
        x for one in after for x in one.noise
    }
    need(needed <= set(index), "a node without its noise")
    what = tuple(w.renamed(index) if isinstance(w, Form) else w for w in event.what)
    need(what == node.what, "a node with another form")
    moved = tuple(Arrow(one.to, tuple(index[x] for x in one.noise)) for one in after)
    need(moved == node.next, "an edge to another node")
    return True


def _noise(values: Iterable[Value]) -> Iterable[int]:
    for v in values:
        if isinstance(v, Form):
            yield from v.noise
        elif isinstance(v, tuple):
            yield from _noise(v)


def _renamed(v: Value, index: dict[int, int]) -> Value:
    if isinstance(v, Form):
        return v.renamed(index)
    return tuple(_renamed(one, index) for one in v) if isinstance(v, tuple) else v


def _key(v: Value) -> object:
    return ("tuple", *map(_key, v)) if isinstance(v, tuple) else (type(v) is bool, v)


# -- reading


def _read_nodes(nodes: list[object]) -> tuple[Node, ...]:
    found = [Node("lose", (), (), 0), Node("win", (), (), 0)]
    for x in nodes:
        match x:
            case ["sample", "lap", rate, mean, to, arity]:
                per_eps = rational(rate, "a rate")
                need(per_eps > 0, "a rate that is not positive")
                what: tuple[object, ...] = "lap", per_eps, read_form(mean)
                next_: tuple[Arrow, ...] = (_read_arrow(to),)
                extra = 1
            case ["test", compared, bool(strict), yes, no, arity]:
                what, next_ = (read_form(compared), strict), (_read_arrow(yes), _read_arrow(no))
                extra = 0
                need(isinstance(what[0], Form), "a test of a number")
            case _:
                raise Rejected("an unknown node")
        size = natural(arity, "an arity")
        noise = [i for w in what if isinstance(w, Form) for i in w.noise]
        need(all(0 <= i < size for i in noise), "noise that is no parameter")
        for arrow in next_:
            ok = arrow.to < len(found) and len(arrow.noise) == found[arrow.to].arity
            need(ok and all(0 <= i < size + extra for i in arrow.noise), "an edge of a node")
        found.append(Node(str(x[0]), what, next_, size))
    return tuple(found)


def _read_arrow(x: object) -> Arrow:
    numbers = [natural(i, "a number of a node") for i in listed(x, "an edge")]
    need(numbers, "an edge to no node")
    to, *noise = numbers
    return Arrow(to, tuple(noise))


def read_form(x: object) -> Form | Fraction:
    """Read a number, or {"": constant, "q[0]": c, "#0": c}; "#0" is the noise with the number 0."""
    if type(x) is not dict:
        return rational(x, "a number")
    parts: list[tuple[Name, Fraction]] = []
    for name, c in x.items():
        if name:
            key = (
                natural(int(name[1:]), "noise")
                if name[:1] == "#" and name[1:].isdecimal() and len(name) < 12
                else text(name, "a name")
            )
            parts.append((key, rational(c, "a coefficient")))
    return form(parts, rational(x.get("", 0), "a constant"))

"""Bypass comparisons whose answer is implied or irrelevant.

Two symbols of a graph (its noise and its inputs) that are compared with each other are ordered
afterwards. What is known at a node holds on every path to it; what is needed there holds on every
path from it to the output. Both are partial orders: a > b and b ≥ c imply a > c.

- An edge that contradicts what is known or needed is removed: none of its runs ends in the output.
- A comparison with one remaining edge whose answer is known or needed anyway is bypassed.
- So is one whose two edges lead to the same node with the same values. An edge to a node B also
  counts as one to a comparison A before B, if the answer of A that leads to B is known or needed.

None of these changes which runs end in the output. So a program that examines the entries of a
list one by one, or stores all comparisons first, has the same graph as one that makes a single
pass over the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from exactdp.language.events import Compare, Done, Draw
from exactdp.language.linear import Linear
from exactdp.reals.operators import FLIPPED, NEGATED
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Edge, Failure, Node, has_noise, inputs_in, looks_at


@dataclass
class PartialOrder:
    """A partial order: for each symbol x, the symbols y with x ≥ y, and those with x > y.

    Both are bit masks, transitively closed; `fails` means that they contradict each other.
    """

    least: list[int]
    above: list[int]
    fails: bool = False

    @classmethod
    def of(cls, size: int) -> PartialOrder:
        """Return the empty order."""
        return cls([1 << one for one in range(size)], [0] * size)

    def copy(self) -> PartialOrder:
        """Return a copy that can be extended."""
        return PartialOrder(self.least[:], self.above[:], self.fails)

    def learn(self, a: int, b: int, *, strictly: bool) -> None:
        """Add a ≥ b, or strictly a > b, with all consequences."""
        if self.above[b] >> a & 1 or (strictly and self.least[b] >> a & 1):
            self.fails = True
        if (self.above if strictly else self.least)[a] >> b & 1:
            return
        below, strict = self.least[b], self.above[b]
        for one, mask in enumerate(self.least):
            if mask >> a & 1:
                is_above = strictly or self.above[one] >> a & 1
                self.least[one] = mask | below
                self.above[one] |= below if is_above else strict

    def add(self, other: PartialOrder) -> None:
        """Add all relations of another order."""
        for a, mask in enumerate(other.least):
            for b in _bits(mask & ~(1 << a)):
                self.learn(a, b, strictly=bool(other.above[a] >> b & 1))

    def common(self, other: PartialOrder) -> PartialOrder:
        """Return the relations common to both."""
        if self.fails or other.fails:
            return other if self.fails else self
        least = [one & two for one, two in zip(self.least, other.least, strict=True)]
        return PartialOrder(
            least, [one & two for one, two in zip(self.above, other.above, strict=True)]
        )

    def moved(self, places: list[int | None], size: int) -> PartialOrder:
        """Return an order of `size` symbols, with the symbols of this one moved or dropped."""
        found = PartialOrder.of(size)
        found.fails = self.fails
        for a, new in enumerate(places):
            if new is not None:
                for b in _bits(self.least[a]):
                    target = places[b]
                    if target is not None:
                        found.least[new] |= 1 << target
                        found.above[new] |= (self.above[a] >> b & 1) << target
        return found

    def implies(self, a: int, op: str, b: int) -> bool:
        """Whether a op b follows."""
        match op:
            case "<" | "<=":
                return self.implies(b, FLIPPED[op], a)
            case ">":
                return bool(self.above[a] >> b & 1)
            case ">=":
                return bool(self.least[a] >> b & 1)
            case "==":
                return self.implies(a, ">=", b) and self.implies(b, ">=", a)
        return self.implies(a, ">", b) or self.implies(b, ">", a)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass
class _ImplicationPass:
    """Two passes over an acyclic graph: forward for what is known, backward for what is needed."""

    graph: Graph
    surely: bool
    """Whether equal noise, which has probability 0, may be ignored."""
    inputs: tuple[str, ...]
    known: dict[int, PartialOrder] = field(default_factory=dict)
    needed: dict[int, PartialOrder] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)
    """The nodes so far, with edges that bypass others."""
    past: dict[int, Edge] = field(default_factory=dict)
    """Nodes that are bypassed, with the edge to follow."""

    def run(self) -> Graph:
        """Return the graph without irrelevant comparisons."""
        numbers = [number for (number,) in self.graph.components]
        self.known[0] = PartialOrder.of(self.size(self.graph.nodes[0].variables))
        for number in numbers:
            self.forward(number)
        for number in reversed(numbers):
            self.backward(number)
        return self.graph.with_nodes(
            tuple(
                self.nodes.get(number) or node.with_edges(())
                for number, node in enumerate(self.graph.nodes)
            )
        )

    def size(self, variables: int) -> int:
        """Return the number of symbols of a node: inputs, variables, and one that may be new."""
        return len(self.inputs) + variables + 1

    def compared(self, node: Node) -> tuple[int, str, int] | None:
        """Return a op b if a node compares two symbols, else None."""
        event = node.event
        if not isinstance(event, Compare) or not isinstance(event.difference, Linear):
            return None
        difference = event.difference
        if difference.constant or len(difference.coefficients) != 2:
            return None
        (a, p), (b, q) = difference.coefficients.items()
        first, second = self.place(a), self.place(b)
        if p != -q or first is None or second is None:
            return None
        return first, event.op if p > 0 else FLIPPED[event.op], second

    def place(self, name: object) -> int | None:
        """Return the position of a symbol in the orders of a node."""
        if isinstance(name, int):
            return len(self.inputs) + name
        return self.inputs.index(name) if name in self.inputs else None

    def told(self, node: Node, edge: Edge) -> tuple[int, str, int] | None:
        """Return the relation that holds after an edge is taken."""
        found = self.compared(node)
        if found is None or not isinstance(edge.case, bool):
            return None
        a, op, b = found
        return a, op if edge.case else NEGATED[op], b

    def with_told(self, order: PartialOrder, node: Node, edge: Edge) -> PartialOrder:
        """Return an order extended by the relation of an edge."""
        found = self.told(node, edge)
        if found is None:
            return order
        a, op, b = found
        order = order.copy()
        strictly = self.surely and has_noise(getattr(node.event, "difference", None))
        if op in (">", ">=", "=="):
            order.learn(a, b, strictly=op == ">" or (strictly and op != "=="))
        if op in ("<", "<=", "=="):
            order.learn(b, a, strictly=op == "<" or (strictly and op != "=="))
        return order

    def places(self, node: Node, edge: Edge) -> list[int | None]:
        """Return the positions of the symbols of a node after an edge."""
        first = len(self.inputs)
        found: list[int | None] = [*range(first), *[None] * (node.variables + 1)]
        for new, form in enumerate(edge.variables):
            if not form.constant and len(form.coefficients) == 1:
                ((old, q),) = form.coefficients.items()
                if q == 1 and isinstance(old, int) and old <= node.variables:
                    found[first + old] = first + new
        return found

    def forward(self, number: int) -> None:
        """Propagate what is known at a node to its successors, along the possible edges."""
        node, order = self.graph.nodes[number], self.known.get(number)
        if order is None:
            return
        edges = []
        for edge in node.edges:
            after = self.with_told(order, node, edge)
            if after.fails:
                continue
            edges.append(edge)
            size = self.size(self.graph.nodes[edge.target].variables)
            moved = after.moved(self.places(node, edge), size)
            before = self.known.get(edge.target)
            self.known[edge.target] = moved if before is None else before.common(moved)
        self.nodes[number] = node.with_edges(edges)

    def backward(self, number: int) -> None:
        """Compute what is needed at a node, and whether it is bypassed."""
        node = self.nodes.get(number)
        if node is None:
            return
        size = self.size(node.variables)
        needed = PartialOrder.of(size)
        needed.fails = not isinstance(node.event, Done | Failure)
        edges = []
        for old in node.edges:
            edge = self.onwards(old)
            order = self.before(node, edge)
            if order is None:
                continue
            edges.append(edge)
            needed = needed.common(order)
        self.needed[number] = needed
        self.nodes[number] = node.with_edges(edges)
        way = self.way_past(number) if number and self.may_pass(node) else None
        if way is not None:
            self.past[number] = way

    def before(self, node: Node, edge: Edge) -> PartialOrder | None:
        """Return what is needed before an edge, None if it cannot lead to the output."""
        later = self.needed[edge.target]
        if later.fails:
            return None
        order = self.with_told(self.brought(later, node, edge), node, edge)
        return None if order.fails else order

    def brought(self, later: PartialOrder, node: Node, edge: Edge) -> PartialOrder:
        """Return an order of the symbols after an edge as one of those before it."""
        after = self.size(self.graph.nodes[edge.target].variables)
        return later.moved(_inverted(self.places(node, edge), after), self.size(node.variables))

    def onwards(self, edge: Edge) -> Edge:
        """Return an edge that skips the bypassed nodes."""
        while edge.target in self.past:
            further = self.past[edge.target]
            forms = dict(enumerate(edge.variables))
            variables = tuple(form.substituted(forms) for form in further.variables)
            edge = Edge(further.target, variables, edge.case)
        return edge

    def may_pass(self, node: Node) -> bool:
        """Whether a node is a comparison that may be left out.

        Comparisons of inputs in a program with noise are kept, as a certificate checker expects.
        """
        event = node.event
        return isinstance(event, Compare) and (has_noise(event.difference) or bool(self.inputs))

    def way_past(self, number: int) -> Edge | None:
        """Return the edge that bypasses a node, if its comparison is irrelevant."""
        node = self.nodes[number]
        if len({(edge.target, edge.variables) for edge in node.edges}) == 1:
            (edge, *others) = node.edges
            return edge if others or self.is_sure(number, edge) else None
        if len(node.edges) != 2:
            return None
        for one, other in (node.edges, node.edges[::-1]):
            if self.leads_through(number, one, other):
                return other
        return None

    def is_sure(self, number: int, edge: Edge) -> bool:
        """Whether the relation of a node's only edge is known or needed anyway."""
        node = self.nodes[number]
        event = node.event
        if self.surely and isinstance(event, Compare) and event.op in ("==", "!="):
            return has_noise(event.difference) and edge.case == (event.op == "!=")
        found = self.told(node, edge)
        if found is None:
            return False
        order = self.brought(self.needed[edge.target], node, edge)
        order.add(self.known[number])
        return order.implies(*found)

    def leads_through(self, number: int, one: Edge, other: Edge) -> bool:
        """Whether an edge to B counts as one to a comparison A before B, the other edge's target.

        Both edges may draw the same samples first.
        """
        node, drawn = self.nodes[number], 0
        while True:
            ahead, beside = (self.after_sample(node, edge, drawn) for edge in (one, other))
            if ahead is None or beside is None or ahead[0] != beside[0]:
                break
            one, other, drawn = ahead[1], beside[1], drawn + 1
        further = self.nodes[other.target]
        if not isinstance(further.event, Compare) or len(further.edges) != 1:
            return False
        (last,) = further.edges
        forms = dict(enumerate(other.variables))
        variables = tuple(form.substituted(forms) for form in last.variables)
        if (last.target, variables) != (one.target, one.variables):
            return False
        if drawn > 1:
            node = replace(node, variables=node.variables + drawn - 1)
        found = self.told(further, last)
        order = self.before(node, one)
        if found is None or order is None:
            return False
        known = self.known[number]
        order.add(known.moved([*range(len(known.least))], len(order.least)))
        a, op, b = found
        old = _inverted(self.places(node, other), self.size(further.variables))
        first, second = old[a], old[b]
        return first is not None and second is not None and order.implies(first, op, second)

    def after_sample(self, node: Node, edge: Edge, drawn: int) -> tuple[object, Edge] | None:
        """Return the law of the sample that is drawn after an edge, and the edge after it.

        The sample is a new symbol of the node, after those that were drawn before.
        """
        target = self.nodes[edge.target]
        event = target.event
        if not isinstance(event, Draw) or len(target.edges) != 1 or has_noise(event.mean):
            return None
        (last,) = target.edges
        forms = dict(enumerate((*edge.variables, Linear.symbol(node.variables + drawn))))
        variables = tuple(form.substituted(forms) for form in last.variables)
        law = event.noise, event.rate, event.mean, event.width, event.base
        return law, Edge(last.target, variables, edge.case)


def _inverted(places: list[int | None], size: int) -> list[int | None]:
    """Return the previous position of each of `size` symbols."""
    found: list[int | None] = [None] * size
    for old, new in enumerate(places):
        if new is not None:
            found[new] = old
    return found


def without_implied(graph: Graph, *, surely: bool) -> Graph:
    """Return the graph without comparisons whose answer does not matter."""
    if any(graph.cyclic) or (surely and graph.whole):
        return graph
    if _is_seen_at_once(graph):
        return graph
    draws = any(isinstance(node.event, Draw) for node in graph.nodes)
    names = {one for node in graph.nodes for one in inputs_in(looks_at(node.event))}
    return _ImplicationPass(graph, surely, () if draws else tuple(sorted(names))).run()


def _is_seen_at_once(graph: Graph) -> bool:
    """Whether no comparison of a graph can be implied or irrelevant.

    This is so if each compares a sample just drawn with at most one other, and at most one is kept
    until the next: then no two symbols are ordered before or after, and the answer matters.
    """
    draws = False
    for node in graph.nodes:
        event = node.event
        if isinstance(event, Draw):
            draws = True
        elif any(isinstance(graph.nodes[edge.target].event, Compare) for edge in node.edges):
            return False
        if isinstance(event, Compare):
            ways = {(edge.target, edge.variables) for edge in node.edges}
            if event.op in ("==", "!=") or len(ways) != len(node.edges) or node.variables > 2:
                return False
        elif node.variables > 1 and not isinstance(event, Done):
            return False
    return draws

"""The finite graph of a program: its possible events, before any probability is computed.

Real inputs are symbols, so a graph covers every input with the same finite values. A node is a
state of the machine at an event in which live noise is named by position: the first symbolic value
that is independent of earlier ones is variable 0, the next one 1, and so on. States that agree on
all finite values are therefore one node, and dead noise is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from operator import is_
from typing import Any

from exactdp.errors import Place
from exactdp.language.code import Code
from exactdp.language.events import Compare, Done, Draw, Selection, State
from exactdp.language.linear import Linear
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import Value
from exactdp.language.words import NOISES
from exactdp.semantics.components import components
from exactdp.semantics.linear_span import LinearSpan, VariableBasis, combined
from exactdp.semantics.nodes import (
    Edge,
    Failure,
    Node,
    NodeEvent,
    NoiseKinds,
    RoundedInput,
    Rounding,
    forms_of,
    has_integers,
    has_noise,
    inputs_in,
    looks_at,
    noise_part,
)


@dataclass(frozen=True)
class Graph:
    """All reachable nodes; node 0 is the first."""

    nodes: tuple[Node, ...]
    code: Code

    def place(self, number: int) -> Place:
        """Return the place of a node's statement in the source."""
        return self.code.instructions[self.nodes[number].event.state.pc].place

    def pruned(self, wanted: Callable[[Value], bool]) -> Graph:
        """Return the graph without the edges that can no longer lead to a wanted output.

        Failures are kept, and loops are kept with all edges into and out of them: whether they
        terminate is decided when they are solved.
        """
        sources: dict[int, list[int]] = {}
        looping = {n for n, inside in enumerate(self.cyclic) if inside}
        useful = list(looping)
        for number, node in enumerate(self.nodes):
            for edge in node.edges:
                sources.setdefault(edge.target, []).append(number)
            event = node.event
            if isinstance(event, Failure) or (isinstance(event, Done) and wanted(event.output)):
                useful.append(number)
        found = set(useful)
        while useful:
            for source in sources.get(useful.pop(), []):
                if source not in found:
                    found.add(source)
                    useful.append(source)
        nodes = tuple(
            node
            if number in looping
            else node.with_edges(edge for edge in node.edges if edge.target in found)
            for number, node in enumerate(self.nodes)
        )
        return self.with_nodes(nodes)

    def with_nodes(self, nodes: tuple[Node, ...]) -> Graph:
        """Return the graph with other nodes; the graph itself if they are the same objects."""
        return self if all(map(is_, nodes, self.nodes)) else Graph(nodes, self.code)

    @cached_property
    def cyclic(self) -> tuple[bool, ...]:
        """Whether each node lies on a cycle, which is inside a `while` loop."""
        result = [False] * len(self.nodes)
        if all(loop.counter is not None for loop in self.code.loops):
            return tuple(result)
        for component in self.components:
            inside = set(component)
            if any(edge.target in inside for n in component for edge in self.nodes[n].edges):
                for number in component:
                    result[number] = True
        return tuple(result)

    @cached_property
    def sees_differences_only(self) -> bool:
        """Whether nothing changes when the means of all samples are shifted by the same amount.

        This is so if every mean is free of noise, no variable is transformed, only differences
        are compared, and no output contains noise.
        """
        for node in self.nodes:
            event = node.event
            if any(edge.kept is None for edge in node.edges) or isinstance(event, Rounding):
                return False
            if isinstance(event, Draw) and (has_noise(event.mean) or NOISES[event.noise].is_whole):
                return False
            if isinstance(event, Done) and any(map(has_noise, forms_of(event.output))):
                return False
            if isinstance(event, Compare):
                assert isinstance(event.difference, Linear)
                weights = [
                    q for v, q in event.difference.coefficients.items() if isinstance(v, int)
                ]
                if sum(weights):
                    return False
        return True

    def surely(self) -> Graph:
        """Return the graph without edges that require equal noise, which have probability 0."""
        if self.whole or any(self.cyclic):
            return self

        def likely(node: Node) -> Node:
            event = node.event
            if not (isinstance(event, Compare) and event.op in ("==", "!=")):
                return node
            if not has_noise(event.difference):
                return node
            edges = (edge for edge in node.edges if edge.case == (event.op == "!="))
            return node.with_edges(edges)

        return self.with_nodes(tuple(map(likely, self.nodes)))

    @cached_property
    def mentions(self) -> list[frozenset[str]]:
        """For each node, the inputs that it and the nodes after it use."""
        found: list[frozenset[str]] = [frozenset()] * len(self.nodes)
        for component in reversed(self.components):
            together: set[str] = set()
            for number in component:
                node = self.nodes[number]
                together.update(inputs_in(looks_at(node.event)))
                for edge in node.edges:
                    together.update(inputs_in(edge.variables), found[edge.target])
            for number in component:
                found[number] = frozenset(together)
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether there is integer noise."""
        return has_integers(self.code) or self.rounds

    @cached_property
    def rounds(self) -> bool:
        """Whether noise is rounded."""
        return any(isinstance(node.event, Rounding) for node in self.nodes)

    @cached_property
    def rounds_inputs(self) -> bool:
        """Whether numbers without noise are rounded."""
        return any(isinstance(name, RoundedInput) for name in self.mentions[0])

    @cached_property
    def mixes(self) -> bool:
        """Whether integer noise and real noise are compared with each other, or added."""
        if not self.whole:
            return False
        found: list[NoiseKinds | None] = [None] * len(self.nodes)
        found[0] = NoiseKinds()
        waiting = [0]
        while waiting:
            number = waiting.pop()
            node, known = self.nodes[number], found[number]
            assert known is not None
            if any(map(known.mixes, forms_of(looks_at(node.event)))):
                return True
            known = known.after(node.event, node.variables)
            for edge in node.edges:
                if any(map(known.mixes, edge.variables)):
                    return True
                if found[edge.target] is None:
                    found[edge.target] = known.of(edge.variables)
                    waiting.append(edge.target)
        return False

    def trimmed(self) -> Graph:
        """Return the graph with only those variables that later events depend on.

        A list of noise may be live although only its largest entry, or only its sum, is used
        again: then the sum is the variable.
        """
        if not any(node.variables for node in self.nodes) or self._has_all_live:
            return self
        needed = [LinearSpan() for _ in self.nodes]
        bases = [VariableBasis((), (), not node.variables) for node in self.nodes]
        for component in reversed(self.components):
            while True:  # more than once in a loop only
                before = [bases[number] for number in component]
                for number in component:
                    for form in self._needed_at(number, bases):
                        needed[number].add(form)
                    size = self.nodes[number].variables
                    bases[number] = needed[number].basis(size, partial(self._fixed_at, number))
                if before == [bases[number] for number in component]:
                    break
        if all(basis.is_everything for basis in bases):
            return self
        return Graph(
            tuple(
                _with_variables(node, basis, [bases[edge.target] for edge in node.edges])
                for node, basis in zip(self.nodes, bases, strict=True)
            ),
            self.code,
        )

    @property
    def _has_all_live(self) -> bool:
        """Whether all variables are seen to be needed, without looking for sums of them.

        This is so if edges only rename variables, and no event depends on a sum of many.
        """
        if any(self.cyclic):
            return False
        live: list[set[Any]] = [set() for _ in self.nodes]
        for (number,) in reversed(self.components):
            node, mine = self.nodes[number], live[number]
            for form in forms_of(looks_at(node.event)):
                names = [name for name in form.coefficients if isinstance(name, int)]
                if len(names) > 2:
                    return False
                mine.update(names)
            for edge in node.edges:
                if edge.kept is None:
                    return False
                mine.update(old for old, new in edge.kept.items() if new in live[edge.target])
            mine.difference_update((node.variables, node.variables + 1))  # new at the node
            if len(mine) != node.variables:
                return False
        return True

    def _fixed_at(self, number: int) -> set[int]:
        return self._fixed[number]

    @cached_property
    def _fixed(self) -> list[set[int]]:
        """For each node, the variables that are not replaced by sums.

        These are the compared ones, and all variables if rounded noise occurs in others later,
        or if both kinds of noise are combined.
        """
        if self.mixes:
            return [set(range(node.variables)) for node in self.nodes]
        found = list(self._compared)
        for number, node in enumerate(self.nodes):
            if isinstance(node.event, Rounding) and any(
                name < node.variables
                for edge in node.edges
                for form in edge.variables
                for name in noise_part(form)
            ):
                found[number] = set(range(node.variables))
        return found

    @cached_property
    def _compared(self) -> list[set[int]]:
        """For each node, the variables that were compared on a path to it."""
        found: list[set[int]] = [set() for _ in self.nodes]
        for component in self.components:
            while True:  # more than once in a loop only
                before = [len(found[number]) for number in component]
                for number in component:
                    event, taken = self.nodes[number].event, set(found[number])
                    if isinstance(event, Compare):
                        taken.update(noise_part(event.difference))
                    for edge in self.nodes[number].edges:
                        found[edge.target].update(
                            new
                            for new, form in enumerate(edge.variables)
                            if not taken.isdisjoint(noise_part(form))
                        )
                if before == [len(found[number]) for number in component]:
                    break
        return found

    def _needed_at(self, number: int, bases: list[VariableBasis]) -> Iterator[dict[int, Fraction]]:
        """Yield the forms in variables of a node on which it and variables after it depend."""
        node = self.nodes[number]
        rows = [noise_part(form) for form in forms_of(looks_at(node.event))]
        for edge in node.edges:
            parts = [noise_part(form) for form in edge.variables]
            rows += (combined(row, parts) for row in bases[edge.target].forms)
        for row in rows:
            yield {name: q for name, q in row.items() if name < node.variables}

    def joined(self) -> Graph:
        """Return the graph with nodes merged that have exactly the same future.

        After `pruned` this drops what no longer matters: for example, which index is the best so
        far, if only the last index is in question. Nodes on cycles are not merged.
        """
        classes: dict[int, int] = {}
        known: dict[object, int] = {}
        nodes: list[Node] = []
        for component in reversed(self.components):
            for number in component:
                node = self.nodes[number]
                if self.cyclic[number]:
                    signature: object = number
                else:
                    ways = tuple((e.case, e.variables, classes[e.target]) for e in node.edges)
                    signature = _future(node.event), node.variables, ways
                classes[number] = known.setdefault(signature, len(nodes))
                if classes[number] == len(nodes):
                    nodes.append(node)
        order = [classes[0], *(n for n in range(len(nodes)) if n != classes[0])]
        place = {old: new for new, old in enumerate(order)}
        renumbered = tuple(
            nodes[old].with_edges(
                Edge(place[classes[e.target]], e.variables, e.case) for e in nodes[old].edges
            )
            for old in order
        )
        return Graph(renumbered, self.code)

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components, sources first."""
        return components([0], lambda n: (edge.target for edge in self.nodes[n].edges))


def _with_variables(node: Node, basis: VariableBasis, targets: list[VariableBasis]) -> Node:
    """Return a node in the variables of a basis, and its edges in those of their targets."""
    fresh = node.variables

    def renamed(value: Value) -> Any:
        if isinstance(value, tuple):
            return tuple(map(renamed, value))
        if isinstance(value, NoisyQuotient):
            return value.mapped(renamed)
        if not (isinstance(value, Linear) and has_noise(value)):
            return value
        noise = noise_part(value)
        inputs = {name: q for name, q in value.coefficients.items() if isinstance(name, str)}
        names: dict[Any, Any] = dict(basis.coordinates(noise))
        names.update(inputs)
        for new in (0, 1):
            if fresh + new in noise:
                names[len(basis.forms) + new] = noise[fresh + new]
        return Linear.build(names, value.constant)

    event = node.event
    match event:
        case Draw():
            event = replace(event, mean=renamed(event.mean))
        case Compare():
            event = replace(event, difference=renamed(event.difference))
        case Rounding():
            event = replace(event, form=renamed(event.form))
        case Done():
            event = replace(event, output=renamed(event.output))
    edges = []
    for edge, target in zip(node.edges, targets, strict=True):
        values = dict(enumerate(edge.variables))
        forms = (Linear.build(form, 0).substituted(values) for form in target.forms)  # type: ignore[union-attr]
        edges.append(replace(edge, variables=tuple(map(renamed, forms))))
    return Node(event, len(basis.forms), tuple(edges))


def _future(event: NodeEvent) -> object:
    """Return the content of an event, without its state."""
    match event:
        case Draw(_, noise, rate, mean, width, base):
            return noise, rate, mean, width, base
        case Selection(_, _, exponents, chances):
            return exponents, chances
        case Compare(_, op, difference):
            return op, difference
        case Rounding(_, form, whole, is_whole):
            return form, whole.nearest, is_whole
        case Failure():
            return event
    return State(-1, (event.output,))

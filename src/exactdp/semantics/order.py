"""The directions of the inputs along which the probability of an output does not decrease.

V(node, r, x) is the success probability of a run at a node with live noise r and input x. A
direction moves r and x. The rules below show by backward induction that V does not decrease along
a direction; each holds at every point, so no case of probability 0 is left out.

- At the end V is 1 if the output matches. A number v that must be within γ of a form f(x) stays so
  along directions that do not move v − f(x).
- At a sample with mean μ(x) the noise z = r − μ(x) has a law that does not depend on x (coupling:
  the same z at both inputs). So V does not decrease along d if the next V does not along d with r
  moved as fast as μ. If the mean contains noise, the graph has z itself in place of r.
- At a choice V is a mixture whose weights do not depend on r; nor on x, if the exponents of
  `expmech` all move at the same rate. Otherwise V is the share of some candidates, if each always
  or never ends in the output. That share does not decrease if their scores grow at least as fast
  as those of all others.
- At a comparison of a form D with 0 let V₊ be the chance where D is positive and V₋ where it is
  negative. Both must not fall along d. If D does not move along d that is enough. If D grows, a run
  crosses D = 0 once, from V₋ to V₊, so V₋ ≤ V₊ is needed where D = 0: one of them is 0 or 1
  everywhere, or both are the same node and, where D = 0, with the same values. If D falls, V₊ ≤ V₋.

A direction that the rules do not cover is unknown; so are all directions of a graph with loops,
failures, integer noise, or comparisons without noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from exactdp.language.events import Compare, Done, Draw, Selection
from exactdp.language.linear import Linear, Scalar
from exactdp.language.nested import leaves
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Edge, Failure, Node, forms_of, has_noise, inputs_in, looks_at
from exactdp.semantics.patterns import is_number

_ABOVE = {">": True, ">=": True, "<": False, "<=": False}
"""The answer to a comparison where the difference is positive."""

_TRANSLATED = ("lap", "expo", "unif", "gumbel")
"""Noise that only moves with its mean, if its width is a number."""


Rate: TypeAlias = Fraction | int


class Direction(NamedTuple):
    """How fast the variables of a node move, and the inputs, unless none of them matters there."""

    variables: tuple[Rate, ...]
    inputs: frozenset[tuple[str, Rate]]


class Rates(NamedTuple):
    """How fast variables and inputs move; inputs that are not named do not."""

    variables: Sequence[Rate]
    inputs: Mapping[str, Rate]

    def of(self, form: object) -> Rate:
        """Return the rate of change of a form."""
        if not isinstance(form, Linear):
            return 0
        total: Rate = 0
        for name, q in form.coefficients.items():
            is_variable = isinstance(name, int)
            rate = self.variables[name] if is_variable else self.inputs.get(name, 0)
            if rate:
                total += rate if q == 1 else q * rate
        return total


@dataclass
class MonotoneDirections:
    """The directions along which the probability of an output does not decrease.

    `graph` has the paths to the output and no others; `wanted` are the forms in the inputs that the
    numbers of the output must be close to, in order.
    """

    graph: Graph
    wanted: tuple[Scalar, ...] = ()
    _known: dict[tuple[int, Direction], bool] = field(default_factory=dict)
    _moved: dict[frozenset[tuple[str, Rate]], dict[str, Rate]] = field(default_factory=dict)

    @cached_property
    def is_known(self) -> bool:
        """Whether the rules apply to the graph at all."""
        graph = self.graph
        if graph.whole or any(graph.cyclic):
            return False
        for node in graph.nodes:
            event = node.event
            if isinstance(event, Failure):
                return False
            if isinstance(event, Compare) and not has_noise(event.difference):
                return False
            if isinstance(event, Draw) and (
                event.noise not in _TRANSLATED or isinstance(event.width, Linear)
            ):
                return False
            if isinstance(event, Done):
                forms = [*forms_of(event.output)]
                if len(forms) != len(self.wanted) or not all(map(has_noise, forms)):
                    return False
        return True

    @cached_property
    def _sure(self) -> list[bool]:
        """Whether each node ends in the output with certainty."""
        found = [False] * len(self.graph.nodes)
        for component in reversed(self.graph.components):
            for number in component:
                node = self.graph.nodes[number]
                event = node.event
                if isinstance(event, Done):
                    found[number] = not self.wanted
                    continue
                ways = {Draw: 1, Compare: 2}.get(type(event))
                if isinstance(event, Selection):
                    ways = len(event.values)
                found[number] = len(node.edges) == ways and all(
                    found[edge.target] for edge in node.edges
                )
        return found

    def grows_with(self, names: Iterable[str], sign: int) -> frozenset[str]:
        """Return the inputs whose move in direction `sign` does not lower the probability."""
        falling: set[str] = set()
        waiting: dict[int, set[str]] = {0: set(names)}
        for component in self.graph.components:
            for number in component:
                alone = waiting.pop(number, set()) - falling
                if not alone or self._sure[number]:
                    continue
                node = self.graph.nodes[number]
                touched = alone.intersection(
                    inputs_in((looks_at(node.event), tuple(edge.variables for edge in node.edges)))
                )
                if isinstance(node.event, Done):
                    touched |= alone.intersection(inputs_in(self.wanted))
                for name in touched:
                    still = (0,) * node.variables
                    if not self._holds(number, Direction(still, frozenset({(name, sign)}))):
                        falling.add(name)
                for edge in node.edges:
                    left = (alone - touched) & self._mentions[edge.target]
                    waiting.setdefault(edge.target, set()).update(left)
        return frozenset(names) - falling

    def grows_along(self, direction: Mapping[str, Fraction | int]) -> bool:
        """Whether the probability does not decrease if the inputs move in a direction."""
        moving = ((name, q) for name, q in direction.items() if q and name in self._mentions[0])
        return self._holds(0, Direction((0,) * self.graph.nodes[0].variables, frozenset(moving)))

    @cached_property
    def _mentions(self) -> list[frozenset[str]]:
        """For each node, the inputs that it and the nodes after it use."""
        if not self.wanted:
            return self.graph.mentions
        more = frozenset(inputs_in(self.wanted))
        return [found | more for found in self.graph.mentions]

    def _holds(self, number: int, direction: Direction) -> bool:
        """Whether V of a node does not decrease along a direction, by the rules above."""
        start = (number, direction)
        asked_by: dict[tuple[int, Direction], tuple[int, Direction] | None] = {start: None}
        waiting = [start]
        while waiting:
            one = waiting.pop()
            at, way = one
            known = self._known.get(one)
            if known or self._sure[at] or self._is_still(way):
                continue
            further = None if known is False else self._needed(self.graph.nodes[at], way)
            if further is None:  # then it is unknown for those that need it, too
                asker: tuple[int, Direction] | None = one
                while asker is not None:
                    self._known[asker] = False
                    asker = asked_by[asker]
                return False
            for other in further:
                if other not in asked_by:
                    asked_by[other] = one
                    waiting.append(other)
        self._known.update(dict.fromkeys(asked_by, True))
        return True

    @staticmethod
    def _is_still(way: Direction) -> bool:
        return not way.inputs and not any(way.variables)

    def _needed(self, node: Node, way: Direction) -> list[tuple[int, Direction]] | None:
        """Return what must be shown of the next nodes; None if no rule applies."""
        event = node.event
        rates = Rates(way.variables, self._inputs(way.inputs))
        match event:
            case Done():
                pairs = zip(forms_of(event.output), self.wanted, strict=True)
                return [] if all(rates.of(v) == rates.of(f) for v, f in pairs) else None
            case Draw():
                moved = 0 if has_noise(event.mean) else rates.of(event.mean)
                rates = Rates((*way.variables, moved), rates.inputs)
            case Selection() if self._moves_scores(event, rates):
                return [] if self._favours(node, event, rates) else None
            case Compare():
                if event.op not in _ABOVE:
                    likely = event.op == "!="  # on the other edge nothing can happen
                    if any(edge.case != likely for edge in node.edges):
                        return None
                elif not self._is_ordered(node, event, rates):
                    return None
        return [(edge.target, self._after(edge, rates, way.inputs)) for edge in node.edges]

    def _inputs(self, moving: frozenset[tuple[str, Rate]]) -> dict[str, Rate]:
        """Return how fast inputs move, by name."""
        found = self._moved.get(moving)
        if found is None:
            found = self._moved[moving] = dict(moving)
        return found

    @staticmethod
    def _moves_scores(event: Selection, rates: Rates) -> bool:
        """Whether the scores of candidates move apart."""
        return len({rates.of(form) for form in event.exponents or ()}) > 1

    def _favours(self, node: Node, event: Selection, rates: Rates) -> bool:
        """Whether candidates that always end in the output gain on those that never do."""
        if not all(self._sure[edge.target] for edge in node.edges):
            return False
        wanted = {edge.case for edge in node.edges}
        speeds = [rates.of(form) for form in event.exponents or ()]
        own = [q for k, q in enumerate(speeds) if k in wanted]
        others = [q for k, q in enumerate(speeds) if k not in wanted]
        return not (own and others) or min(own) >= max(others)

    def _after(self, edge: Edge, rates: Rates, inputs: frozenset[tuple[str, Rate]]) -> Direction:
        """Return the direction at the end of an edge."""
        if inputs and self._mentions[edge.target].isdisjoint(rates.inputs):
            inputs = frozenset()
        return Direction(tuple([rates.of(form) for form in edge.variables]), inputs)

    def _is_ordered(self, node: Node, event: Compare, rates: Rates) -> bool:
        """Whether V does not decrease where a run crosses the zero of a comparison."""
        difference = event.difference
        assert isinstance(difference, Linear)
        rate = rates.of(difference)
        if not rate:
            return True
        edges = {edge.case: edge for edge in node.edges}
        after = _ABOVE[event.op] == (rate > 0)
        here, there = edges.get(not after), edges.get(after)
        if here is None:
            return True
        if there is None:
            return False
        return self._sure[there.target] or _are_alike(here, there, difference)


def _are_alike(one: Edge, two: Edge, difference: Linear) -> bool:
    """Whether two edges lead to the same node, with the same values where a form is 0."""
    if one.target != two.target:
        return False
    pairs = zip(one.variables, two.variables, strict=True)
    return all(_is_multiple(a - b, difference) for a, b in pairs)


def _is_multiple(form: Scalar, of: Linear) -> bool:
    """Whether a form is a multiple of another one, perhaps 0."""
    if not isinstance(form, Linear):
        return form == 0
    name, q = next(iter(of.coefficients.items()))
    factor = Fraction(form.coefficients.get(name, 0)) / q
    return bool(factor) and form - of * factor == 0


def numbers_in(output: Any) -> Iterator[Scalar]:
    """Yield the numbers of an output in order, symbolic or not, but no truth values."""
    return (one for one in leaves(output) if isinstance(one, Linear) or is_number(one))

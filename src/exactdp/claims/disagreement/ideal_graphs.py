"""The graphs of an ideal function, and inputs by the names of their numbers in these graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.claims.disagreement.nearest import Disagreement
from exactdp.claims.disagreement.reaches import ReadyReach, told_apart
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.enclosing import enclosed
from exactdp.claims.stated.ideals import IdealProgram
from exactdp.claims.stated.inputs import as_given, as_written
from exactdp.claims.stated.interval_numbers import Germ
from exactdp.errors import UndefinedError
from exactdp.language.events import Compare
from exactdp.language.layout import assembled, entries, entry_names, kinds
from exactdp.language.nested import mapped
from exactdp.language.values import Value, plain
from exactdp.polyhedra.elimination import solution
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.operators import NEGATED
from exactdp.semantics.engine import Engine
from exactdp.semantics.few import require_few
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Failure, Node
from exactdp.semantics.patterns import ANYTHING, shape_of_output
from exactdp.semantics.spots import at_sample

if TYPE_CHECKING:
    from exactdp.claims.stated.ideals import IdealFunction
    from exactdp.language.program import Program


class IdealGraph:
    """The graph shared by inputs with given finite values and one kind of output."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # By answers of the ideal's comparisons.
        self.reaches: dict[object, tuple[ReadyReach, ...]] = {}

    @cached_property
    def has_one_path(self) -> bool:
        """Whether the graph has one path to its end, so that no comparison need be made."""
        if any(self.graph.cyclic):
            return False
        nodes = self.graph.nodes
        paths = [0] * len(nodes)
        for (number,) in reversed(self.graph.components):
            edges = nodes[number].edges
            paths[number] = sum(paths[edge.target] for edge in edges) if edges else 1
        return paths[0] == 1

    @cached_property
    def sides(self) -> Polyhedron | None:
        """The halfspaces whose intersection are the inputs with the output, if it is one.

        It is if the graph has one path, on which no numbers are unequal.
        """
        if not self.has_one_path or any(map(_may_be_no_side, self.graph.nodes)):
            return None
        around = enclosed(self.graph)
        return None if around is None else around.sides


def _may_be_no_side(node: Node) -> bool:
    """Whether a node of a path fails, or two numbers are unequal there."""
    if isinstance(node.event, Compare):
        (edge,) = node.edges
        return (node.event.op if edge.case else NEGATED[node.event.op]) == "!="
    return isinstance(node.event, Failure)


class IdealGraphs:
    """The graphs of one ideal function; shared ones are computed once."""

    def __init__(self, mechanism: Program, ideal: IdealFunction) -> None:
        self.mechanism = mechanism
        self.ideal = ideal
        self.kinds = kinds(mechanism.inputs)
        program = ideal.program or mechanism
        if isinstance(ideal, IdealProgram) and program.kept(Engine).rounds:
            program = ideal.function  # without noise there may be nothing to round
        self.names = entry_names(program.inputs)  # those in graphs
        self.engine = program.kept(Engine)
        self.releases = program.checked.output.holds_noise
        self._groups: dict[object, IdealGraph] = {}

    def numbers(self, u: tuple[Value, ...]) -> dict[str, Any]:
        """Return the real numbers of an input by name."""
        values = zip(self.names, entries(u), self.kinds, strict=True)
        return {name: value for name, value, kind in values if kind is None}

    def finite(self, u: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the finite values of an input."""
        return tuple(x for x, k in zip(entries(u), self.kinds, strict=True) if k is not None)

    def finite_parts(self) -> Iterator[tuple[Value, ...]]:
        """Return all finite values of inputs."""
        require_few(self.mechanism.inputs)
        return product(*(kind.members for kind in self.kinds if kind is not None))

    def filled(self, numbers: Mapping[Name, Any], finite: tuple[Value, ...]) -> Iterator[Value]:
        """Yield the entries of an input with given numbers and finite values."""
        rest = iter(finite)
        for name, kind in zip(self.names, self.kinds, strict=True):
            yield numbers[name] if kind is None else next(rest)

    def group(self, finite: tuple[Value, ...], output: Value, *, every: bool) -> IdealGraph:
        """Return the graph of the ideal for an output, or for all."""
        pattern: Any = output
        if every or self.ideal.is_partial:  # what is left may be no output at all
            pattern = ANYTHING
        elif self.releases:
            pattern = shape_of_output(output)
        kind = told_apart((finite, pattern))
        known = self._groups.get(kind)
        if known is None:
            rest = iter(finite)
            values = [0 if kind is None else next(rest) for kind in self.kinds]
            program = self.ideal.program
            assert program is not None
            graph = self.engine.graph(assembled(program.inputs, values), pattern)
            known = self._groups[kind] = IdealGraph(graph)
        return known

    def defined(self, u: tuple[Value, ...]) -> Value | None:
        """Return the output at an input; None if the ideal is undefined there."""
        try:
            return self.ideal(u)
        except UndefinedError:
            if not self.ideal.is_partial:
                raise
            return None

    def beyond(self, point: Sequence[Value], towards: Sequence[Fraction]) -> Value:
        """Return the output arbitrarily close to a point in a direction."""
        assert isinstance(self.ideal, IdealProgram)
        values = [Germ((Fraction(x), t)) if t else x for x, t in zip(point, towards, strict=True)]
        output = self.ideal.at(assembled(self.mechanism.inputs, values))
        return mapped(output, lambda one: plain(one.parts[0]) if isinstance(one, Germ) else one)

    def nearest_at(
        self,
        distance: Distance,
        point: list[Value],
        is_there: Callable[[Value], bool],
        inside: Iterable[Halfspace],
        numbers: Mapping[Name, Any],
    ) -> Disagreement:
        """Return a nearest input, or a limit of inputs that disagree, with a direction to them.

        `is_there` tells whether its output disagrees; the inputs in a polyhedron do, and those
        close to given `numbers` are simple.
        """
        other = assembled(self.mechanism.inputs, point)
        out = self.defined(other)
        if out is not None and is_there(out):
            return Disagreement(distance, self.shown(other), out, attained=True)
        # A segment from the closure of a convex set to a point of the set lies inside it.
        found = solution(inside, numbers)
        assert found is not None
        finite = tuple(x for x, k in zip(point, self.kinds, strict=True) if k is not None)
        towards = self.towards(point, self.filled({**numbers, **found}, finite))
        return Disagreement(
            distance, self.shown(other), self.beyond(point, towards), False, towards
        )

    def towards(self, point: Sequence[Any], there: Iterable[Any]) -> tuple[Fraction, ...]:
        """Return the direction from a point to another one, by the samples of their spots."""
        return tuple(
            Fraction(b) - at_sample(a) if kind is None else Fraction(0)
            for a, b, kind in zip(point, there, self.kinds, strict=True)
        )

    def shown(self, u: tuple[Value, ...]) -> Value:
        """Return an input as an answer shows it."""
        return as_written(as_given(self.mechanism, u))

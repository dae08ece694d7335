"""The graphs of an ideal function, and inputs by the names of their numbers in these graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.claims.disagreement.reaches import ReadyReach, told_apart
from exactdp.claims.disagreement.symbolic_runs import followed
from exactdp.claims.stated.enclosing import enclosed
from exactdp.claims.stated.ideals import IdealProgram
from exactdp.claims.stated.inputs import as_given, as_written
from exactdp.errors import UndefinedError
from exactdp.language.events import Compare
from exactdp.language.layout import assembled, entries, entry_names, kinds
from exactdp.language.nested import mapped
from exactdp.language.operations import COMPARISONS
from exactdp.language.values import Value
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Polyhedron
from exactdp.reals.operators import NEGATED
from exactdp.semantics.engine import Engine
from exactdp.semantics.events import ANYTHING, shape_of_output
from exactdp.semantics.graph import Graph
from exactdp.semantics.linear import Linear
from exactdp.semantics.nodes import Failure, Node
from exactdp.semantics.spots import at_sample

if TYPE_CHECKING:
    from exactdp.claims.stated.ideals import IdealFunction
    from exactdp.language.program import Program

_STEP = "a little"


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
        """Yield all finite values of inputs."""
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
        both = zip(point, towards, strict=True)
        values = [x + Linear({_STEP: t}) if t else x for x, t in both]
        finite = tuple(x for x, k in zip(values, self.kinds, strict=True) if k is not None)
        graph = self.group(finite, None, every=True).graph
        numbers = dict(zip(self.names, values, strict=True))
        return _at_zero(followed(graph, numbers, _answer_beyond))

    def towards(self, point: Sequence[Any], there: Iterable[Any]) -> tuple[Fraction, ...]:
        """Return the direction from a point to another one, by the samples of their spots."""
        return tuple(
            Fraction(b) - at_sample(a) if kind is None else Fraction(0)
            for a, b, kind in zip(point, there, self.kinds, strict=True)
        )

    def shown(self, u: tuple[Value, ...]) -> Value:
        """Return an input as an answer shows it."""
        return as_written(as_given(self.mechanism, u))


def _answer_beyond(event: Compare, difference: Any) -> bool:
    if isinstance(difference, Linear):
        difference = difference.constant or difference.coefficients[_STEP]
    return COMPARISONS[event.op](difference, 0)


def _at_zero(output: Value) -> Value:
    return mapped(output, lambda one: one.constant if isinstance(one, Linear) else one)

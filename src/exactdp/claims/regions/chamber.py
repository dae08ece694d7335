"""Explores interchangeable real inputs once: only those with nonincreasing entries.

Let σ exchange two entries of the input, and τ be a bijection of outputs such that the mechanism
returns τ(o) at σu with the same probability as o at u, and σ maps the inputs with ideal output o to
those with ideal output τ(o), up to ties. Under a distance that treats all entries alike, dd(σu) =
dd(u). So the claim at σu is the claim at u, and the inputs with x₁ ≥ x₂ ≥ … suffice. Ties need
not be examined, because the claim there follows from the claim nearby (`is_continuous`).

For the mechanism, and for the ideal if ties are broken symmetrically, this is proved on the program
(`symmetry`). Otherwise the ideal may be known by halfspaces: those that enclose the inputs of each
output have disjoint interiors, so that they are the closure of these inputs, and σ permutes them.
The proof is in `docs/theory.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

from exactdp.claims.disagreement.reaches import told_apart
from exactdp.claims.regions.classes import is_by_output
from exactdp.claims.regions.region import Region
from exactdp.claims.regions.symmetry import Symmetry, groups
from exactdp.claims.stated.enclosing import enclosed
from exactdp.cones import Cone
from exactdp.errors import ExactdpError
from exactdp.language.events import Done
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.semantics.engine import Engine
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import forms_of, looks_at
from exactdp.semantics.patterns import ANYTHING

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions

_MOST_OUTPUTS = 256  # which an exchange may permute

Closure: TypeAlias = frozenset[Halfspace]
"""A polyhedron with nonempty interior, with its boundary, by the halfspaces that it needs."""


class Chamber:
    """The real inputs of a claim that suffice."""

    def __init__(self, claim: AccuracyRegions) -> None:
        self._claim = claim

    def of(self, region: Region) -> Region:
        """Return the part of a region about all reals, or a box, that suffices."""
        places = {name: k for k, name in enumerate(region.names)}
        is_wanted = self._claim.strategy.in_chamber and self.groups
        if not is_wanted or not places.keys() >= {*chain(*self.groups)}:
            return region
        size = len(places)
        sides = [
            tuple((k == places[high]) - (k == places[low]) for k in range(size))
            for group in self.groups
            for high, low in pairwise(group)
        ]
        cone = Cone.of(size, [*region.cone.inequalities, *sides])
        return replace(region, cone=cone, ordered=self.groups)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of entries that may be permuted, each with two or more."""
        if not _may_be_reduced(self._claim):
            return ()
        try:
            found = groups(_Exchanges(self._claim).allows, range(len(self._claim.entry_names)))
        except (ExactdpError, RecursionError):
            return ()
        names = self._claim.entry_names
        return tuple(tuple(names[k] for k in group) for group in found if len(group) > 1)


def _may_be_reduced(claim: AccuracyRegions) -> bool:
    """Whether there are several real inputs, all of which may be interchangeable."""
    domains = kinds(claim.mechanism.inputs)
    if len(domains) < 2 or any(domains) or not claim.is_continuous:
        return False
    ideal = claim.ideal_function.program
    if ideal is None or not is_by_output(claim):
        return False
    return not claim.mechanism.kept(Engine).jumps and not ideal.kept(Engine).has_integers


class _Exchanges:
    """Decides which entries may be exchanged."""

    def __init__(self, claim: AccuracyRegions) -> None:
        ideal = claim.ideal_function.program
        assert ideal is not None
        self._ideal = ideal
        self._ends = claim.scope.ends
        self._names = entry_names(claim.mechanism.inputs)
        self._ideal_names = entry_names(ideal.inputs)
        self._graphs = (
            claim.mechanism.kept(Engine).plan(_zeros(claim.mechanism), ANYTHING)[0].graph,
            ideal.kept(Engine).graph(_zeros(ideal), ANYTHING),
        )
        self._noisy = Symmetry(self._graphs[0], noiseless=False)
        self._exact = Symmetry(self._graphs[1], noiseless=True)

    def allows(self, one: int, two: int) -> bool:
        """Whether two entries are proved to be interchangeable."""
        if self._ends[one] != self._ends[two] or not self._are_told_apart:
            return False
        given = self._names[one], self._names[two]
        own = self._ideal_names[one], self._ideal_names[two]
        if not any(map(_tells, self._graphs, (given, own))):
            return False  # cells would not be fewer
        if not self._noisy.allows(*given):
            return False
        outputs = self._noisy.outputs
        return self._exact.allows(*own, outputs) or self._permutes(*own, outputs)

    @cached_property
    def _are_told_apart(self) -> bool:
        """Whether there are few outputs, and none are equal but differ, such as 1 and True."""
        ends = {one for graph in self._graphs for one in outputs_of(graph)}
        different = {told_apart(one) for graph in self._graphs for one in outputs_of(graph)}
        return len(ends) == len(different) <= _MOST_OUTPUTS

    def _permutes(self, one: str, two: str, outputs: Mapping[Value, Value]) -> bool:
        """Whether exchanging two entries permutes the closures of ideal outputs as given."""
        closures = self._closures
        if closures is None:
            return False
        names = {one: two, two: one}
        return closures.keys() <= outputs.keys() and all(
            closures.get(outputs[output]) == frozenset(side.renamed(names) for side in sides)
            for output, sides in closures.items()
        )

    @cached_property
    def _closures(self) -> Mapping[Value, Closure] | None:
        """The closure of the inputs with each ideal output; None if they are not known."""
        found: dict[Value, Closure] = {}
        for output in dict.fromkeys(outputs_of(self._graphs[1])):
            around = enclosed(self._ideal.kept(Engine).graph(_zeros(self._ideal), output))
            sides = None if around is None else _needed(around.sides)
            if sides is None or any(map(partial(_meet, sides), found.values())):
                return None
            found[output] = sides
        return found


def _zeros(program: Program) -> tuple[Value, ...]:
    return assembled(program.inputs, [0] * len(kinds(program.inputs)))


def _tells(graph: Graph, names: tuple[str, str]) -> bool:
    """Whether exchanging two inputs changes a form in a graph."""
    one, two = names
    values = (
        value
        for node in graph.nodes
        for value in (looks_at(node.event), *(edge.variables for edge in node.edges))
    )
    return any(
        form.coefficients.get(one) != form.coefficients.get(two)
        for value in values
        for form in forms_of(value)
    )


def _needed(sides: Polyhedron) -> Closure | None:
    """Return the closure of a polyhedron; None if its interior is empty."""
    inside = [Halfspace(one.form, strict=True) for one in sides]
    if not feasible(tuple(inside)):
        return None
    for one in tuple(inside):
        rest = [other for other in inside if other is not one]
        if not feasible((*rest, one.negated())):
            inside = rest
    return frozenset(one.closed() for one in inside)


def _meet(one: Closure, two: Closure) -> bool:
    """Whether two polyhedra have common interior points."""
    if any(side.opposite() in two for side in one):
        return False
    return feasible(tuple(Halfspace(side.form, strict=True) for side in (*one, *two)))


def outputs_of(graph: Graph) -> Iterator[Value]:
    """Yield the outputs of a graph."""
    return (node.event.output for node in graph.nodes if isinstance(node.event, Done))

"""A graph prepared for many inputs: everything independent of the input is computed once.

The probabilities of a graph depend on an input only through its constants: the means of samples,
and the constants of comparisons, changes of variables and outputs. They are linear functions of
the inputs, written in integers over a common denominator, and evaluated together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, lcm
from typing import Any, Literal, NamedTuple

from exactdp.language.events import Compare, Done, Draw, Selection
from exactdp.language.linear import Linear, unit_in
from exactdp.language.operations import COMPARISONS
from exactdp.language.terms import EpsTerm
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.measure.density import Density
from exactdp.measure.frame import Frame
from exactdp.measure.mixed import at_least_zero
from exactdp.measure.radical_frame import RadicalFrame
from exactdp.polyhedra.form import Number
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals.numbers import common_step, fraction
from exactdp.reals.radicals import Radical
from exactdp.semantics.graph import Graph
from exactdp.semantics.integrals import PathIntegral
from exactdp.semantics.nodes import (
    Edge,
    Node,
    NodeEvent,
    RoundedInput,
    Rounding,
    forms_of,
    has_noise,
    noise_part,
)
from exactdp.semantics.spots import Spot, whole_of

_MANY = 9  # samples: with fewer, no density has more than a few thousand terms


class Constants(NamedTuple):
    """The constants of a graph at an input, as multiples of 1/denominator."""

    denominator: int
    values: tuple[int, ...]

    def value(self, place: int) -> Fraction:
        """Return the constant at a place."""
        return Fraction(self.values[place], self.denominator)


class SpotConstants(NamedTuple):
    """The constants of a graph at an input with spots."""

    denominator: int
    values: tuple[Any, ...]
    names: tuple[str, ...]

    def value(self, place: int) -> Any:
        """Return the constant at a place."""
        return self.values[place]


def constant_part(form: Any, inputs: Mapping[str, Number]) -> Fraction:
    """Return the part of a form without noise, at given inputs."""
    if not isinstance(form, Linear):
        return Fraction(form)
    result = Fraction(form.constant)
    for name, q in form.coefficients.items():
        if isinstance(name, str):
            result = result + inputs[name] * q
    return result


def has_inputs(form: object) -> bool:
    """Whether a form depends on inputs."""
    return isinstance(form, Linear) and any(isinstance(name, str) for name in form.coefficients)


@dataclass(frozen=True)
class Question:
    """Σ form·x + constant op 0 for noise x; made by `question`.

    With real noise, only an order is asked for: equality has no mass, so its answer is known.
    """

    form: tuple[tuple[int, Fraction], ...]
    constant: Fraction
    op: str
    kind: Literal["real", "integer", "both"]

    def answer(self, density: Density, truth: bool) -> Density:
        """Return the part of a density on which the comparison has the given truth."""
        if self.kind == "real":
            return density.restricted(self._conditions[truth])
        form = dict(self.form)
        if self.kind == "both":
            sign = 1 if (self.op in (">", ">=")) == truth else -1
            signed = {v: sign * q for v, q in form.items()}
            return at_least_zero(density, signed, self.constant * sign, floor_of)
        at_least = Halfspace.of(form, self.constant).sharpened()
        above = Halfspace.of(form, self.constant, strict=True).sharpened()
        below, at_most = at_least.negated().sharpened(), above.negated().sharpened()
        if self.op in ("==", "!="):
            if (self.op == "==") == truth:
                possible = at_least != above
                equal = density.bounded(at_least).bounded(at_most)
                return equal if possible else Density(density.frame, ())
            return density.bounded(above) + density.bounded(below)
        yes, no = (at_least, below) if self.op in (">=", "<") else (above, at_most)
        return density.bounded(yes if (self.op in (">", ">=")) == truth else no)

    @cached_property
    def _conditions(self) -> tuple[Halfspace, Halfspace]:
        """The conditions on real noise under which the answer is False, and True."""
        assert self.op not in ("==", "!=")
        condition = Halfspace.of(dict(self.form), self.constant)
        both = condition.opposite(), condition
        return both if self.op in (">", ">=") else both[::-1]


@dataclass(frozen=True)
class PreparedEdge:
    """An edge, and its effect on the variables of its source.

    If `names` is not None, those in `dead` are integrated out and the others renamed. Edges that
    transform variables have neither.
    """

    edge: Edge
    variables: int
    dead: tuple[int, ...] = ()
    names: dict[int, int] | None = None
    nothing: bool = False
    """Whether all variables stay unchanged."""

    @classmethod
    def of(cls, edge: Edge, variables: int) -> PreparedEdge:
        """Return the prepared edge from a node with the given number of variables."""
        kept = edge.kept
        if kept is None:
            return cls(edge, variables)
        dead = tuple(v for v in range(variables) if v not in kept)
        same = all(old == new for old, new in kept.items())
        return cls(edge, variables, dead, None if same else kept, same and not dead)


@dataclass(frozen=True)
class PreparedNode:
    """A node: its event, its number of variables, its edges, and the places of its constants."""

    event: NodeEvent
    variables: int
    ways: tuple[PreparedEdge, ...]
    places: tuple[int, ...]
    fixed: Question | bool | None
    """The comparison of real noise, if it does not depend on the input."""
    kept: tuple[int, ...] = ()
    """At a rounding, the other variables that are needed later."""
    used: frozenset[int] = frozenset()
    """The places of all constants that the node and its edges use."""

    @cached_property
    def is_idle(self) -> bool:
        """Whether noise is compared and all edges are equal, so that the answer does not matter.

        Comparisons of inputs without noise are kept, as a certificate checker expects.
        """
        if not (isinstance(self.event, Compare) and has_noise(self.event.difference)):
            return False
        return len({(way.edge.target, way.edge.variables) for way in self.ways}) == 1

    def question(
        self, point: Constants | SpotConstants, integers: frozenset[int]
    ) -> Question | bool:
        """Return a comparison at a point, or its truth if that is known."""
        assert isinstance(self.event, Compare)
        if self.fixed is not None and not integers:
            return self.fixed
        form = noise_part(self.event.difference)
        return question(form, self.event.op, point.value(self.places[0]), integers)


def kept_by(node: Node) -> tuple[int, ...]:
    """Return the variables of a node that occur after it."""
    forms = (form for edge in node.edges for form in edge.variables)
    found = {name for form in forms for name in noise_part(form)}
    return tuple(sorted(name for name in found if name < node.variables))


def _renumbered(edge: Edge, names: tuple[int, ...]) -> Edge:
    """Return an edge with the variables in a list renamed to their positions."""
    places = {name: place for place, name in enumerate(names)}
    return replace(edge, variables=tuple(form.renamed(places) for form in edge.variables))


def places_of(event: Draw) -> tuple[Any, ...]:
    """Return the forms that locate the density of a sample: its mean, or its ends.

    For a mean with noise, which is added to the sample, this is 0.
    """
    if NOISES[event.noise].has_ends:
        return event.ends
    return () if has_noise(event.mean) else (event.mean,)


def question(
    form: Mapping[int, Fraction], op: str, constant: Any, integers: frozenset[int]
) -> Question | bool:
    """Return whether Σ form·x + constant op 0 for noise x, or its truth if that is known."""
    if not form:
        if isinstance(constant, Spot):
            constant.trace.note(constant, always=True)
            constant.trace.sign(constant.form)  # an equality divides cells, too
        return COMPARISONS[op](constant, 0)
    whole = integers.issuperset(form)
    if op in ("==", "!=") and not whole:
        return op == "!="  # equality of continuous noise has no mass
    if whole and isinstance(constant, Spot):
        between = _between(-constant, common_step([*form.values()]), op)
        if between is None:  # a whole number at every point
            constant = fraction(constant.value)
        elif op in ("==", "!="):
            return op == "!="
        else:
            up = op in (">", ">=")
            constant, op = -between[up], ">=" if up else "<="
    kind: Literal["real", "integer", "both"] = "integer" if whole else "both"
    if integers.isdisjoint(form):
        kind = "real"
    return Question(tuple(sorted(form.items())), constant, op, kind)


def floor_of(number: Any) -> int:
    """Return the largest whole number that is at most a number; for a spot the trace notes it."""
    return whole_of(number, Whole(number))


def _between(limit: Spot, step: Fraction, op: str) -> tuple[Fraction, Fraction] | None:
    """Return the multiples of a step around a limit; None if it is a multiple itself.

    Where the limit is a multiple, z > limit and z <= limit are as for limits just above it, and
    z >= limit and z < limit as for limits just below.
    """
    k = floor(fraction(limit.value) / step)
    if limit == step * k:  # at every point: a sample is on no face
        return None
    limit.trace.require_bounded(limit)
    ends = step * k, step * (k + 1)
    for end in ends:
        if op in ("==", "!="):
            limit.trace.note(limit - end, always=True)
        else:
            limit.trace.note_side(limit - end if op in (">", "<=") else end - limit)
    assert ends[0] < limit < ends[1]
    return ends


class Stage(NamedTuple):
    """The nodes of a strongly connected component, and whether they lie on a cycle."""

    nodes: tuple[int, ...]
    cyclic: bool


class Trail(NamedTuple):
    """A run at a point: what had arrived before each stage, and how much of it at outputs."""

    frame: Frame
    point: Constants
    states: list[tuple[dict[int, Density], int]]
    arrived: list[Any]


class Plan:
    """The steps of a graph, their order, and its constants."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.trail: Trail | None = None
        """The latest run, if it is short: the next one begins where its constants differ."""
        self._places: dict[tuple[bool, Fraction, frozenset[tuple[str, Fraction]]], int] = {}
        self.steps = [self._step(node) for node in graph.nodes]
        self.stages = [Stage(tuple(one), graph.cyclic[one[0]]) for one in graph.components]
        draws = [node.event for node in graph.nodes if isinstance(node.event, Draw)]
        # The units of a sufficient frame: a denominator of all rates, and how much finer than the
        # constants the breakpoints may be.
        picks = [node.event for node in graph.nodes if isinstance(node.event, Selection)]
        self.is_irrational = any(isinstance(event.rate, Radical) for event in draws) or any(
            isinstance(part, Radical) or (isinstance(part, EpsTerm) and part.has_root)
            for event in picks
            for part in (event.exponents or event.chances or ())
        )
        """Whether rates are rational and irrational multiples of ε."""
        rational = (event.rate for event in draws if isinstance(event.rate, Fraction))
        self._rates = lcm(*(rate.denominator for rate in rational))
        self.is_long = len(draws) >= _MANY and not self.is_irrational
        """Whether there are enough samples for densities with very many terms."""
        self._finer = 1
        self._means = [place for (is_mean, *_), place in self._places.items() if is_mean]
        self._shift_means = graph.sees_differences_only
        self._denominator = lcm(
            *(q.denominator for _, c, terms in self._places for q in (c, *(q for _, q in terms)))
        )
        self._constants = [
            (int(c * self._denominator), [(n, int(q * self._denominator)) for n, q in terms])
            for _, c, terms in self._places
        ]

    def _step(self, node: Node) -> PreparedNode:
        event, fixed, variables = node.event, None, node.variables
        places: tuple[int, ...] = ()
        if isinstance(event, Draw):
            places = tuple(self._place(form, is_mean=True) for form in places_of(event))
            variables += 1
        elif isinstance(event, Compare):
            places = (self._place(event.difference),)
            if not has_inputs(event.difference):
                noise, constant = noise_part(event.difference), constant_part(event.difference, {})
                fixed = question(noise, event.op, constant, frozenset())
        elif isinstance(event, Selection) and any(map(has_inputs, event.exponents or ())):
            places = tuple(map(self._place, event.exponents or ()))
        elif isinstance(event, Done):
            for form in forms_of(event.output):
                self._place(form)
        elif isinstance(event, Rounding):
            places = (self._place(event.form),)
            variables += 1
        forms = (form for edge in node.edges for form in edge.variables)
        used = frozenset((*places, *map(self._place, forms)))
        edges, kept = node.edges, kept_by(node) if isinstance(event, Rounding) else ()
        if isinstance(event, Rounding) and not event.is_whole:
            variables = len(kept) + 2
            fresh = node.variables, node.variables + 1
            edges = tuple(_renumbered(edge, (*kept, *fresh)) for edge in edges)
        ways = tuple(PreparedEdge.of(edge, variables) for edge in edges)
        return PreparedNode(event, node.variables, ways, places, fixed, kept, used)

    def _place(self, form: object, *, is_mean: bool = False) -> int:
        """Return the position of the constant of a form among all constants."""
        constant: Any = form
        terms: frozenset[tuple[str, Fraction]] = frozenset()
        if isinstance(form, Linear):
            constant = form.constant
            named = ((n, Fraction(q)) for n, q in form.coefficients.items() if isinstance(n, str))
            terms = frozenset(named)
        return self._places.setdefault((is_mean, Fraction(constant), terms), len(self._places))

    def stages_shared(self, frame: Frame, point: Constants | SpotConstants) -> int:
        """Return before how many stages a run at a point is as the latest one."""
        trail = self.trail
        if trail is None or trail.frame is not frame or isinstance(point, SpotConstants):
            return 0
        if trail.point.denominator != point.denominator:
            return 0
        pairs = enumerate(zip(trail.point.values, point.values, strict=True))
        changed = {place for place, (old, new) in pairs if old != new}
        for number, stage in enumerate(self.stages):
            if any(not changed.isdisjoint(self.steps[n].used) for n in stage.nodes):
                return number
        return len(self.stages) - 1

    @cached_property
    def integral(self) -> PathIntegral | None:
        """The integral of the graph, if it has a single path."""
        return PathIntegral.of(self.graph)

    @cached_property
    def units(self) -> frozenset[str]:
        """The symbols for 1/ε and log(b)/ε in the graph."""
        names = (name for _, terms in self._constants for name, _ in terms)
        return frozenset(name for name in names if unit_in([name]))

    def with_rounded(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs together with the rounded inputs of the graph."""
        found = dict(inputs)
        for _, terms in self._constants:
            for name, _ in terms:
                if isinstance(name, RoundedInput) and name not in found:
                    value: Any = constant_part(name.whole.form, found)
                    found[name] = whole_of(value, name.whole)
        return found

    def at_spots(self, inputs: Mapping[str, Any], names: tuple[str, ...]) -> SpotConstants:
        """Return the constants of the graph at an input with spots."""
        values = []
        for constant, terms in self._constants:
            value: Any = Fraction(constant, self._denominator)
            for name, factor in terms:
                value = value + inputs[name] * Fraction(factor, self._denominator)
            values.append(value)
        return SpotConstants(1, tuple(values), names)

    def frame(self, point: Constants | SpotConstants) -> Any:
        """Return a frame for a point that is sufficient as far as is known."""
        if isinstance(point, SpotConstants):
            return Frame(self._rates, names=point.names)
        if self.is_irrational:
            return RadicalFrame(self._finer * point.denominator)
        return Frame(self._rates, self._finer * point.denominator).shared()

    def remember(self, frame: Frame, point: Constants) -> None:
        """Note that this frame was needed for a point."""
        self._rates = lcm(self._rates, frame.rates)
        self._finer = lcm(self._finer, frame.points // point.denominator)

    def at(self, inputs: Mapping[str, Number]) -> Constants:
        """Return the constants of the graph at an input.

        If only differences matter, the means are shifted so that the first is 0.
        """
        common = lcm(*(value.denominator for value in inputs.values()))
        scaled = {n: v.numerator * (common // v.denominator) for n, v in inputs.items()}
        values = []
        for constant, terms in self._constants:
            value = constant * common
            for name, factor in terms:
                value += factor * scaled[name]
            values.append(value)
        if self._shift_means and self._means:
            origin = values[self._means[0]]
            for place in self._means:
                values[place] -= origin
        denominator = common * self._denominator
        divisor = gcd(denominator, *values)
        return Constants(denominator // divisor, tuple(value // divisor for value in values))

"""Exact probabilities: densities pushed along the graph of a program at one input.

Nodes are taken in topological order. At each, the densities that arrive are added; a sample
multiplies by its density, a comparison cuts, and on the way to the next node the variables that
are not needed there are integrated out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from exactdp.language.operations import COMPARISONS
from exactdp.language.sampling import closed_form
from exactdp.measure.density import Density, Product
from exactdp.measure.frame import ONE, Frame, TooCoarseError
from exactdp.measure.function import noise
from exactdp.measure.lattice import Bound, discrete_laplace
from exactdp.measure.polyhedron import Condition
from exactdp.reals import ClosedForm, ExpPoly, eps, exp
from exactdp.semantics.graph import Edge, Graph, Node, has_noise
from exactdp.semantics.linear import Linear
from exactdp.semantics.loops import exits
from exactdp.semantics.machine import Choice, Compare, Done, Draw

T = TypeVar("T")


@dataclass(frozen=True)
class Arrival:
    """What reached an output: the output with its noise as forms, and the density."""

    output: Any
    variables: int
    density: Density


class Arrivals:
    """What reaches the outputs of a graph at an input, in common denominators that fit."""

    def __init__(self, graph: Graph, inputs: Mapping[str, Fraction], frame: Frame) -> None:
        self.inputs = inputs
        self.frame = frame
        self._graph = graph
        self._found: list[Arrival] | None = None

    def ask(self, question: Callable[[list[Arrival]], T]) -> T:
        """Return an answer about the arrivals; begins again when a denominator does not fit."""
        while True:
            try:
                if self._found is None:
                    self._found = _Runner(self._graph, self.inputs, self.frame).run()
                return question(self._found)
            except TooCoarseError as error:
                self.frame, self._found = error.finer, None


def constant_part(form: Any, inputs: Mapping[str, Fraction]) -> Fraction:
    """Return the part of a form without noise, at given inputs."""
    if not isinstance(form, Linear):
        return Fraction(form)
    result = Fraction(form.constant)
    for name, q in form.coefficients.items():
        if isinstance(name, str):
            result += q * inputs[name]
    return result


def noise_part(form: object) -> dict[int, Fraction]:
    """Return the coefficients of the noise in a form."""
    if not isinstance(form, Linear):
        return {}
    return {name: Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int)}


@dataclass(frozen=True)
class Question:
    """Σ form·x + constant op 0 for noise x, all real or all integer."""

    form: tuple[tuple[int, Fraction], ...]
    constant: Fraction
    op: str
    whole: bool

    def answer(self, density: Density, truth: bool) -> Density:
        """Return the part of a density on which the comparison has the given truth."""
        form = dict(self.form)
        if not self.whole:
            condition = Condition.of(form, self.constant)
            return density.restricted(
                condition if (self.op in (">", ">=")) == truth else condition.negated()
            )
        at_least = Bound.of(form, self.constant)
        above = Bound.of(form, self.constant, strict=True)
        if self.op in ("==", "!="):
            if (self.op == "==") == truth:
                exactly = Fraction(above.constant + 1) == at_least.constant
                equal = density.restricted(at_least).restricted(above.negated())
                return equal if exactly else Density(density.frame, ())
            return density.restricted(above) + density.restricted(at_least.negated())
        bound = at_least if self.op in (">=", "<") else above
        return density.restricted(bound if (self.op in (">", ">=")) == truth else bound.negated())


class _Runner:
    """One pass over a graph at one input."""

    def __init__(self, graph: Graph, inputs: Mapping[str, Fraction], frame: Frame) -> None:
        self.graph = graph
        self.inputs = inputs
        self.frame = frame
        self.waiting = {0: Density(frame, (Product(ONE, {}),))}
        self.arrived: list[Arrival] = []

    def run(self) -> list[Arrival]:
        for component in self.graph.components:
            inside = set(component)
            cyclic = any(
                edge.target in inside for n in component for edge in self.graph.nodes[n].edges
            )
            for number in component:
                density = self.waiting.pop(number, None)
                if density is None:
                    continue
                node = self.graph.nodes[number]
                density = density.simplified(node.variables)
                if cyclic:
                    self.go_round(number, inside, density)
                else:
                    self.visit(node, density)
        return self.arrived

    def go_round(self, entry: int, component: set[int], density: Density) -> None:
        """Take a density through a loop: for each truth of its comparisons a finite chain."""
        nodes = self.graph.nodes
        integers = density.products[0].integers
        questions = {
            n: self.question(event, integers)
            for n in component
            if isinstance(event := nodes[n].event, Compare)
        }
        asked = list(dict.fromkeys(q for q in questions.values() if isinstance(q, Question)))
        for part, answers in self.answered(density, asked, nodes[entry].variables):
            moves: dict[int, list[tuple[Edge, ClosedForm]]] = {}
            for n in component:
                event = nodes[n].event
                ways: list[tuple[Edge, ClosedForm]]
                if isinstance(event, Compare):
                    question = questions[n]
                    truth = answers[question] if isinstance(question, Question) else question
                    ways = [(edge, ExpPoly(1)) for edge in nodes[n].edges if edge.case == truth]
                else:
                    assert isinstance(event, Choice)
                    listed = chances(event)
                    ways = [(edge, listed[edge.case or 0]) for edge in nodes[n].edges]
                moves[n] = [(edge, chance) for edge, chance in ways if chance.numerator]
            for way in exits(component, entry, moves, self.graph.place):
                self.send(way.edge, part.times(way.probability), nodes[way.node].variables)

    def question(self, event: Compare, integers: frozenset[int]) -> Question | bool:
        """Return a comparison of noise at the given input, or its truth if it is known."""
        form = noise_part(event.difference)
        constant = constant_part(event.difference, self.inputs)
        if not form:
            return COMPARISONS[event.op](constant, 0)
        whole = not integers.isdisjoint(form)
        if event.op in ("==", "!=") and not whole:
            return event.op == "!="  # equality of continuous noise has no mass
        return Question(tuple(sorted(form.items())), constant, event.op, whole)

    def answered(
        self, density: Density, asked: list[Question], variables: int
    ) -> list[tuple[Density, dict[Question, bool]]]:
        """Return the parts of a density on which every question has one answer, with mass."""
        parts: list[tuple[Density, dict[Question, bool]]] = [(density, {})]
        for one in asked:
            parts = [
                (cut, {**answers, one: truth})
                for part, answers in parts
                for truth in (True, False)
                if (cut := one.answer(part, truth)).products
                and cut.without(range(variables)).number().numerator
            ]
        return parts

    def visit(self, node: Node, density: Density) -> None:
        match node.event:
            case Done(_, output):
                self.arrived.append(Arrival(output, node.variables, density))
            case Draw() as event:
                grown = with_sample(density, event, node.variables, self.inputs)
                for edge in node.edges:
                    self.send(edge, grown, node.variables + 1)
            case Compare() as event:
                for edge in node.edges:
                    self.send(edge, self.compared(event, bool(edge.case), density), node.variables)
            case Choice() as event:
                listed = chances(event)
                for edge in node.edges:
                    assert isinstance(edge.case, int)
                    self.send(edge, density.times(listed[edge.case]), node.variables)

    def compared(self, event: Compare, truth: bool, density: Density) -> Density:
        """Return the density where a comparison has the given truth."""
        if not density.products:
            return density
        question = self.question(event, density.products[0].integers)
        if isinstance(question, bool):
            return density if question == truth else Density(self.frame, ())
        return question.answer(density, truth)

    def send(self, edge: Edge, density: Density, variables: int) -> None:
        """Add a density to those that wait at the target, in its variables."""
        moved = tuple(
            found
            for one in density.products
            if (found := self.moved(one, edge, variables)) is not None
        )
        if moved:
            arrived = Density(self.frame, moved)
            known = self.waiting.get(edge.target)
            self.waiting[edge.target] = arrived if known is None else known + arrived

    def moved(self, product: Product, edge: Edge, variables: int) -> Product | None:
        """Return a product in the variables of an edge's target; the others are integrated out.

        Each new variable n = q·x + rest takes the place of an old one: x = (n − rest)/q.
        """
        current: Product | None = product
        if (kept := edge.kept) is not None:
            # Short functions first: their integrals are known, and long ones get no longer.
            for old in sorted((v for v in range(variables) if v not in kept), key=product.length):
                if current is not None:
                    current = current.without(old, self.frame)
            if current is None or all(old == new for old, new in kept.items()):
                return current
            return current.renamed(kept)
        made_of: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
        names: dict[int, int] = {}
        for new, form in enumerate(edge.variables, start=variables):
            part, constant = _expanded(noise_part(form), made_of)
            constant += constant_part(form, self.inputs)
            free = [v for v in part if v < variables and v not in made_of]
            old = min(free, key=lambda v: (abs(part[v]) != 1, v))
            q = part.pop(old)
            if q == 1 and not part and not constant:
                names[old] = new - variables
                made_of[old] = {old: Fraction(1)}, Fraction(0)
                continue
            value = {v: -c / q for v, c in part.items()}
            value[new] = 1 / q
            if current is None:
                return None
            if old in current.integers:
                current = current.defined(new, {**part, old: q}, constant)
                made_of[new] = {new: Fraction(1)}, Fraction(0)
                names[new] = new - variables
                continue
            current = current.substituted(old, value, -constant / q, self.frame)
            if current is not None and abs(q) != 1:
                current = current.times(ExpPoly(1 / abs(q)), self.frame)
            made_of[old] = value, -constant / q
            names[new] = new - variables
        for old in range(variables):
            if old not in names and old not in made_of and current is not None:
                current = current.without(old, self.frame)
        if current is None or all(old == new for old, new in names.items()):
            return current
        return current.renamed(names)


def _expanded(
    form: dict[int, Fraction], made_of: dict[int, tuple[dict[int, Fraction], Fraction]]
) -> tuple[dict[int, Fraction], Fraction]:
    """Return a form in the variables that are left after substitutions."""
    result: dict[int, Fraction] = {}
    constant = Fraction(0)
    for v, q in form.items():
        inner, shift = made_of.get(v, ({v: Fraction(1)}, Fraction(0)))
        constant += q * shift
        for w, c in inner.items():
            result[w] = result.get(w, Fraction(0)) + q * c
    return {v: q for v, q in result.items() if q}, constant


def with_sample(
    density: Density, event: Draw, fresh: int, inputs: Mapping[str, Fraction]
) -> Density:
    """Return a density times that of a new sample, the variable `fresh`."""
    mean = Fraction(0) if has_noise(event.mean) else constant_part(event.mean, inputs)
    if event.noise == "dlap":
        small = exp(-event.rate * eps)
        mass = discrete_laplace(fresh, event.rate, int(mean))
        grown = tuple(replace(one, lattices=(*one.lattices, mass)) for one in density.products)
        return Density(density.frame, grown).times((1 - small) / (1 + small))
    function = noise(density.frame, event.noise, event.rate, mean)
    return Density(
        density.frame, tuple(one.with_function(fresh, function) for one in density.products)
    )


def chances(event: Choice) -> tuple[ClosedForm, ...]:
    """Return the probabilities of a choice."""
    if event.chances is not None:
        return _chosen(event.chances)
    assert event.exponents is not None
    return _picked(event.exponents)


@lru_cache(maxsize=4096)
def _chosen(listed: tuple[Any, ...]) -> tuple[ClosedForm, ...]:
    return tuple(closed_form(chance, eps, exp) for chance in listed)


@lru_cache(maxsize=4096)
def _picked(exponents: tuple[Fraction, ...]) -> tuple[ClosedForm, ...]:
    weights = [exp(q * eps) for q in exponents]
    whole = sum(weights, ExpPoly(0))
    return tuple(weight / whole for weight in weights)

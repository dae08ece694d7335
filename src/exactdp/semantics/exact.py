"""Exact probabilities: densities propagated along the graph of a program at one input.

Nodes are processed in topological order. At each one, the arriving densities are added; a sample
multiplies by its density, a comparison restricts, and on the edge to the next node the variables
that are not needed there are integrated out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from exactdp.errors import Place, ProgramError
from exactdp.language.code import Code, Sample
from exactdp.language.events import Compare, Done, Draw, Selection
from exactdp.language.linear import Linear
from exactdp.language.rules import fail
from exactdp.language.sampling import closed_form, empty_range
from exactdp.language.words import NOISES
from exactdp.measure.density import Density, Summand
from exactdp.measure.frame import Frame, TooCoarseError
from exactdp.measure.function import Univariate, indicator, noise
from exactdp.measure.joint import scaled
from exactdp.measure.lattice import integer_noise
from exactdp.measure.race import Race
from exactdp.measure.rounding import coupled, divided, is_alone
from exactdp.measure.work import count, heard
from exactdp.polyhedra.form import Form, Name, Number
from exactdp.reals import ClosedForm, ExpPoly, eps, exp
from exactdp.reals.radical_form import multiple_of_eps
from exactdp.reals.radicals import Radical
from exactdp.semantics.loops import endless, exits, is_positive
from exactdp.semantics.nodes import Edge, Failure, Rounding, forms_of, noise_part
from exactdp.semantics.plan import (
    Constants,
    Plan,
    PreparedEdge,
    PreparedNode,
    Question,
    SpotConstants,
    Stage,
    Trail,
    constant_part,
    floor_of,
    places_of,
)
from exactdp.semantics.rounds import Rounds, rounds_of, visits
from exactdp.semantics.spots import Spot

T = TypeVar("T")


@dataclass(frozen=True)
class Arrival:
    """An output that a run can reach: the output with its noise as forms, and the density."""

    output: Any
    variables: int
    density: Density


class TooManyTermsError(Exception):
    """A density has more terms than were allowed."""


class Arrivals:
    """The arrivals at the outputs of a graph at an input, in a sufficiently fine frame.

    More than `most` terms at a node raise `TooManyTermsError`.
    """

    def __init__(
        self,
        plan: Plan,
        inputs: Mapping[str, Number],
        point: Constants | SpotConstants,
        frame: Frame | None = None,
        most: int | None = None,
    ) -> None:
        self.inputs = inputs
        self.frame = plan.frame(point) if frame is None else frame
        self._plan = plan
        self._point = point
        self._most = most
        self._found: list[Arrival] | None = None

    def ask(self, question: Callable[[list[Arrival]], T]) -> T:
        """Return an answer about the arrivals; restart with a finer frame if one is too coarse.

        Terminates because each frame refines the previous one and some frame is fine enough.
        """
        while True:
            try:
                if self._found is None:
                    run = Runner(self._plan, self.inputs, self._point, self.frame, self._most)
                    self._found = run.run()
                return question(self._found)
            except TooCoarseError as error:
                self.frame, self._found = error.finer.shared(), None


class Runner:
    """One pass over a graph at one input."""

    def __init__(
        self,
        plan: Plan,
        inputs: Mapping[str, Number],
        point: Constants | SpotConstants,
        frame: Frame,
        most: int | None = None,
    ) -> None:
        self.most = most
        self.plan = plan
        self.inputs = inputs
        self.point = point
        # The unit of the point's numbers, in units of the frame.
        self.unit = frame.points // point.denominator
        self.waiting = {0: Density(frame, (Summand(frame.one, {}),))}
        self.arrived: list[Arrival] = []

    def run(self) -> list[Arrival]:
        """Return the arrivals at the outputs."""
        try:
            self._run_stages(counting=heard())
        except ProgramError as error:
            raise _placed(error, self.plan.graph.code) from None
        return self.arrived

    def _run_stages(self, *, counting: bool) -> None:
        """Visit the stages; inputs of a grid that agree on what is read first share that part."""
        plan, trail, frame = self.plan, self.plan.trail, self.waiting[0].frame
        is_short = not (counting or plan.is_long)
        first = plan.stages_shared(frame, self.point) if is_short else 0
        states: list[tuple[dict[int, Density], int]] = []
        if first and trail is not None:
            states += trail.states[:first]
            waiting, arrived = trail.states[first]
            self.waiting, self.arrived = dict(waiting), trail.arrived[:arrived]
        for stage in plan.stages[first:]:
            if is_short:  # otherwise all densities of a long run would be kept
                states.append((dict(self.waiting), len(self.arrived)))
            for number in stage.nodes:
                density = self.waiting.pop(number, None)
                if density is None:
                    continue
                step = self.plan.steps[number]
                density = density.simplified(step.variables)
                if counting or self.most is not None:
                    cells, terms = density.size()
                    count(cells=cells, terms=terms)
                    if self.most is not None and terms > self.most:
                        raise TooManyTermsError
                for part in density.by_kind():
                    self.pass_on(number, stage, part)
        if is_short and isinstance(self.point, Constants):
            plan.trail = Trail(frame, self.point, states, self.arrived)

    def pass_on(self, number: int, stage: Stage, density: Density) -> None:
        """Pass a density from a node of a stage out of the stage."""
        if stage.cyclic:
            self.go_round(number, stage, density)
        else:
            self.visit(self.plan.steps[number], density)

    def go_round(self, entry: int, stage: Stage, density: Density) -> None:
        """Pass a density through a loop: a finite chain for each combination of answers."""
        steps = {n: self.plan.steps[n] for n in stage.nodes}
        if any(isinstance(step.event, Draw) for step in steps.values()):
            self.draw_again(entry, stage, density)
            return
        integers = density.products[0].integers
        questions = {
            n: step.question(self.point, integers)
            for n, step in steps.items()
            if isinstance(step.event, Compare)
        }
        asked = list(dict.fromkeys(q for q in questions.values() if isinstance(q, Question)))
        for part, answers in self.answered(density, asked, steps[entry].variables):
            moves: dict[int, list[tuple[PreparedEdge, ClosedForm]]] = {}
            for n, step in steps.items():
                ways: list[tuple[PreparedEdge, ClosedForm]]
                if isinstance(step.event, Compare):
                    question = questions[n]
                    truth = answers[question] if isinstance(question, Question) else question
                    ways = [(way, ExpPoly(1)) for way in step.ways if way.edge.case == truth]
                else:
                    assert isinstance(step.event, Selection)
                    listed = self.chances(step)
                    ways = [(way, listed[way.edge.case or 0]) for way in step.ways]
                moves[n] = [(way, chance) for way, chance in ways if chance.numerator]
            graph = self.plan.graph
            for way, probability in exits(
                set(steps), entry, moves, graph.code.epsilon, graph.place
            ):
                self.send(way, part.times(probability))

    def draw_again(self, entry: int, stage: Stage, density: Density) -> None:
        """Pass a density through a loop that samples noise, in independent iterations.

        At the start of an iteration the density of earlier noise is the same, up to a factor.
        """
        rounds = rounds_of(self.plan.graph, stage.nodes)
        first = self.round(entry, rounds, density)
        begun = {n: first.pop(n) for n in rounds.begins if n in first}
        start = {n: self.mass(n, part) for n, part in begun.items()}
        scale = dict(start)
        again: dict[int, dict[int, ClosedForm]] = {}
        out: dict[int, dict[int, Density]] = {}
        waiting = list(begun)
        while waiting:
            n = waiting.pop()
            out[n] = self.round(n, rounds, begun[n].times(ExpPoly(1) / scale[n]))
            again[n] = {}
            for target in rounds.begins & out[n].keys():
                part = out[n].pop(target)
                again[n][target] = self.mass(target, part)
                if target not in begun:
                    begun[target], scale[target] = part, again[n][target]
                    waiting.append(target)
        counts = visits(start, again, self.is_left)
        if counts is None:
            graph = self.plan.graph
            raise endless(graph.place(entry), len(stage.nodes), graph.code.epsilon)
        for times, found in ((ExpPoly(1), first), *((counts[n], out[n]) for n in out)):
            for target, part in found.items():
                more = part.times(times)
                known = self.waiting.get(target)
                self.waiting[target] = more if known is None else known + more

    def is_left(self, chance: ClosedForm) -> bool:
        """Whether the probability to leave a loop is positive at every ε of the program.

        If inputs are spots, it is examined on the ray through their sample. That suffices: noise
        has every outcome with positive probability, and choices do not depend on reals.
        """
        numbers: Iterable[Any] = self.inputs.values()
        trace = next((one.trace for one in numbers if isinstance(one, Spot)), None)
        if trace is not None:
            pairs = zip(trace.names, trace.sample, strict=True)
            given = {name: eps * Fraction(int(q.p), int(q.q)) for name, q in pairs if name != "eps"}
            chance = chance.substitute(**{n: given[n] for n in chance.parameters if n in given})
        return is_positive(chance, self.plan.graph.code.epsilon)

    def mass(self, number: int, density: Density) -> ClosedForm:
        """Return the total of a density at a node."""
        return density.without(range(self.plan.steps[number].variables)).number()

    def round(self, start: int, rounds: Rounds, density: Density) -> dict[int, Density]:
        """Return what one iteration of a loop sends to the starts of others, and out of it."""
        inner = copy(self)
        inner.waiting = {}
        steps = self.plan.steps
        inner.visit(steps[start], density)
        for stage in rounds.others:
            for n in stage.nodes:
                arrived = inner.waiting.pop(n, None)
                if arrived is not None:
                    for part in arrived.simplified(steps[n].variables).by_kind():
                        inner.pass_on(n, stage, part)
        return inner.waiting

    def answered(
        self, density: Density, asked: list[Question], variables: int
    ) -> list[tuple[Density, dict[Question, bool]]]:
        """Return the parts of a density with mass on which every question has one answer."""
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

    def visit(self, step: PreparedNode, density: Density) -> None:
        """Pass a density from a node to its successors."""
        event = step.event
        if isinstance(event, Done):
            for form in forms_of(event.output):
                for one in density.products:
                    one.require_other_than_gumbel(noise_part(form))
            self.arrived.append(Arrival(event.output, step.variables, density))
        elif isinstance(event, Failure):
            if density.without(range(step.variables)).number().numerator:
                raise event.error.with_traceback(None)
        elif isinstance(event, Draw):
            numbers = [self.point.values[place] * self.unit for place in step.places]
            place = self.plan.graph.code.instructions[event.state.pc].place
            grown = sampled(density, event, step.variables, numbers, place)
            for way in step.ways:
                self.send(way, grown)
        elif isinstance(event, Rounding):
            grown = self.rounded(step, event, density)
            for way in step.ways:
                self.send(way, grown)
        elif isinstance(event, Compare) and len(step.ways) == 2 and step.is_idle:
            self.send(step.ways[0], density)
        elif isinstance(event, Compare):
            question = step.question(self.point, density.products[0].integers)
            for way in step.ways:
                if isinstance(question, Question):
                    self.send(way, question.answer(density, bool(way.edge.case)))
                elif question == way.edge.case:
                    self.send(way, density)
        else:
            listed = self.chances(step)
            for way in step.ways:
                self.send(way, density.times(listed[way.edge.case or 0]))

    def rounded(self, step: PreparedNode, event: Rounding, density: Density) -> Density:
        """Return a density in which a form is split into an integer k and a rest 0 ≤ f < 1.

        Its variables are those that are needed later, then k and f.
        """
        frame, fresh = density.frame, step.variables
        if event.is_whole:
            form, constant = noise_part(event.form), constant_part(event.form, self.inputs)
            mass = coupled(form, constant, fresh, nearest=event.whole.nearest)
            found = (one._replace(lattices=(*one.lattices, mass)) for one in density.products)
            return Density(frame, tuple(found))
        kept = step.kept
        forms = (*(Linear.symbol(v) for v in kept), event.form)
        way = PreparedEdge.of(Edge(0, forms, None), step.variables)
        n = len(kept)
        parts: list[Summand] = []
        for one in moved(density, way, self.inputs).products:
            if not is_alone(one, n):
                raise entangled(self.plan.graph.code.instructions[event.state.pc].place)
            parts += divided(one, n, (n, n + 1), frame, floor_of)
        return Density(frame, tuple(parts))

    def chances(self, step: PreparedNode) -> tuple[ClosedForm, ...]:
        """Return the probabilities of a choice at the point."""
        assert isinstance(step.event, Selection)
        if not step.places:
            return chances(step.event, {})
        return picked_by(map(self.point.value, step.places))

    def send(self, way: PreparedEdge, density: Density) -> None:
        """Add a density to those waiting at the target, in the target's variables."""
        arrived = moved(density, way, self.inputs)
        if arrived.products:
            known = self.waiting.get(way.edge.target)
            self.waiting[way.edge.target] = arrived if known is None else known + arrived


def entangled(place: Place) -> ProgramError:
    """Return the error for rounding noise that was compared with other noise."""
    return fail(
        place,
        "rounded noise was compared with noise that is needed later",
        "Rounded noise is split into a whole number and a remainder, which are not compared "
        "together.",
        "Release or compare the other noise first, or compare the rounded number with numbers.",
    )


def moved(density: Density, way: PreparedEdge, inputs: Mapping[str, Number]) -> Density:
    """Return a density in the variables at the end of an edge; integrate out the others."""
    if way.nothing:
        return density
    change = _renamed if way.edge.kept is not None else _changed
    found = (change(one, way, density.frame, inputs) for one in density.products)
    return Density(density.frame, tuple(chain.from_iterable(found)))


def _renamed(
    product: Summand, way: PreparedEdge, frame: Frame, _: Mapping[str, Number]
) -> list[Summand]:
    """Return a product along an edge on which variables are dropped or kept."""
    found = product.without_all(way.dead, frame)
    return found if way.names is None else [one.renamed(way.names) for one in found]


def _changed(
    product: Summand, way: PreparedEdge, frame: Frame, inputs: Mapping[str, Number]
) -> list[Summand]:
    """Return a product along an edge that changes variables.

    Each new variable n = q·x + rest replaces an old one: x = (n − rest)/q.
    """
    current: Summand | None = product
    variables = way.variables
    made_of: dict[Name, Form] = {}
    names: dict[int, int] = {}
    for new, form in enumerate(way.edge.variables, start=variables):
        whole = Form(noise_part(form), constant_part(form, inputs)).substituted(made_of)
        part, constant = dict(whole.coefficients), whole.constant
        free = [v for v in part if v < variables and v not in made_of]
        old = min(free, key=lambda v: (abs(part[v]) != 1, v))
        q = part.pop(old)
        if q == 1 and not part and not constant:
            names[old] = new - variables
            made_of[old] = Form.symbol(old)
            continue
        value = Form({**{v: -c / q for v, c in part.items()}, new: 1 / q}, -constant / q)
        if current is None:
            return []
        if old in current.integers:
            current = current.defined(new, {**part, old: q}, constant)
            made_of[new] = Form.symbol(new)
            names[new] = new - variables
            continue
        current = current.substituted(old, value, frame)
        if current is not None and abs(q) != 1:
            current = current.times(ExpPoly(1 / abs(q)), frame)
        made_of[old] = value
        names[new] = new - variables
    if current is None:
        return []
    gone = [old for old in range(variables) if old not in names and old not in made_of]
    found = current.without_all(gone, frame)
    if all(old == new for old, new in names.items()):
        return found
    return [one.renamed(names) for one in found]


def with_sample(
    density: Density, event: Draw, fresh: int, inputs: Mapping[str, Number], place: Place
) -> Density:
    """Return a density times that of a new sample, the variable `fresh`."""
    numbers = [density.frame.point(constant_part(form, inputs)) for form in places_of(event)]
    return sampled(density, event, fresh, numbers, place)


def sampled(
    density: Density, event: Draw, fresh: int, numbers: Sequence[int], place: Place
) -> Density:
    """Return a density times that of a new sample.

    The numbers of its places (see `places_of`) are in units of the frame; noise has no place.
    """
    frame = density.frame
    kind = NOISES[event.noise]
    if kind.has_ends:
        lower, upper = numbers
        width = frame.number(upper) - frame.number(lower)
        if not width > 0:
            raise empty_range(place, f"{frame.number(lower)} to {frame.number(upper)}")
        function = indicator(frame, lower, upper)
        grown = Density(
            frame, tuple(one.with_function(fresh, function) for one in density.products)
        )
        return grown.times(1 / scaled(width))
    mean = numbers[0] if numbers else 0
    if isinstance(event.rate, Radical) and (kind.is_whole or event.noise == "gumbel"):
        raise fail(
            place,
            f"{event.noise} has an irrational rate, and there are other rates",
            "Beside noise with other rates, only lap and expo may have irrational ones.",
            "Use rates that are rational multiples of each other.",
        )
    if kind.is_whole:
        base = None if event.base is None else closed_form(event.base, eps, exp)
        mass, factor = integer_noise(event.noise, fresh, event.rate, mean // frame.points, base)
        found = tuple(one._replace(lattices=(*one.lattices, mass)) for one in density.products)
        return Density(frame, found).times(factor)
    law: Univariate | Race
    if event.noise == "gumbel":
        law = Race.noise(frame, event.rate, mean)
    else:
        law = noise(frame, event.noise, event.rate, mean)
    return Density(frame, tuple(one.with_function(fresh, law) for one in density.products))


def _placed(error: ProgramError, code: Code) -> ProgramError:
    """Return an error about Gumbel noise with the place of its first sample."""
    draws = (one for one in code.instructions if isinstance(one, Sample))
    found = next((one.place for one in draws if one.draw.noise == "gumbel"), None)
    if error.place is not None or found is None:
        return error.with_traceback(None)
    return fail(found, error.message, error.rule, error.way_out)


def chances(event: Selection, inputs: Mapping[str, Number]) -> tuple[ClosedForm, ...]:
    """Return the probabilities of a choice at an input."""
    if event.chances is not None:
        return _chosen(event.chances)
    assert event.exponents is not None
    return picked_by(constant_part(form, inputs) for form in event.exponents)


@lru_cache(maxsize=4096)
def _chosen(listed: tuple[Any, ...]) -> tuple[ClosedForm, ...]:
    return tuple(closed_form(chance, eps, exp) for chance in listed)


def picked_by(exponents: Iterable[Any]) -> tuple[ClosedForm, ...]:
    """Return the probabilities of the exponential mechanism; exponents are not scaled by ε."""
    return _picked(
        tuple(q.closed_form() if isinstance(q, Spot) else _times_eps(q) for q in exponents)
    )


def _times_eps(number: Any) -> ClosedForm:
    return multiple_of_eps(number) if isinstance(number, Radical) else eps * number


@lru_cache(maxsize=4096)
def _picked(exponents: tuple[ClosedForm, ...]) -> tuple[ClosedForm, ...]:
    weights: list[ClosedForm] = [exp(q) for q in exponents]
    whole: ClosedForm = sum(weights, ExpPoly(0))
    return tuple(weight / whole for weight in weights)

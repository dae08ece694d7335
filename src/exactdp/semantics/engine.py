"""The engine of a program: its probabilities, densities and moments, computed once and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, TypeVar

from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.linear import UNIT, base_of, log_unit, units_in
from exactdp.language.machine import Compare, Done, Draw, Machine, State
from exactdp.language.noisy import samples_both, samples_integers
from exactdp.language.program import Program
from exactdp.language.released import holds_terms
from exactdp.language.values import Value
from exactdp.measure.work import Hook, hearing
from exactdp.polyhedra.form import Number
from exactdp.reals import ClosedForm
from exactdp.reals.logs import independent_bases, log_combination
from exactdp.reals.numbers import rational
from exactdp.reals.radicals import Surd
from exactdp.reals.unexpanded import chance_form
from exactdp.semantics.added import added_noise, compares_inputs_often
from exactdp.semantics.building import LargeGraphError, Limit, build, built, outputs_up_to
from exactdp.semantics.chances import EventChance, can_be_evaluated
from exactdp.semantics.densities import JointDensity, has_quotient, refuse_quotient
from exactdp.semantics.distribution import Distribution
from exactdp.semantics.entries import IndependentEntry, independent_entries, without_entries
from exactdp.semantics.events import ANYTHING, match, near, pattern_of, read_pattern, shape_of
from exactdp.semantics.exact import Arrival, Arrivals, TooManyTermsError
from exactdp.semantics.graph import Graph
from exactdp.semantics.implied import without_implied
from exactdp.semantics.linear import Linear, require_numbers
from exactdp.semantics.live_entries import LiveEntries
from exactdp.semantics.masses import inside, mass, probability_of, without_inputs
from exactdp.semantics.moments import Function, Integrand, expectation
from exactdp.semantics.nodes import NodeEvent, forms_of, has_noise
from exactdp.semantics.plan import Constants, Plan, has_inputs
from exactdp.semantics.relevance import Relevance
from exactdp.semantics.roots import Roots, scaled_by
from exactdp.semantics.selected import Selected, Ties, selected
from exactdp.semantics.spots import Trace, has_spots, trace_of
from exactdp.semantics.summaries import Summaries
from exactdp.semantics.symbols import names_of, symbols_of
from exactdp.semantics.tails import Tails, tails
from exactdp.semantics.transitions import Transitions

_MOST_KEPT = 10_000  # answers that an engine caches

_MOST_ARRIVALS = 16  # inputs whose arrivals it caches: for their moments, and for many integers

_MOST_DENSITIES = 500  # densities of real outputs that it caches

_MOST_PLANS = 1_000  # graphs that it caches, one for each pattern and values of finite inputs

_FEW_NODES, _FEW_FOR_EACH = 12, 3  # of a graph, and for each real input, that need no examination

_MOST_EVENTS = 20_000  # whose transitions graphs share

_MOST_TERMS = 40_000  # of a density at a node, and a probability is evaluated instead of expanded

_MOST_DOMAINS = 300  # finite inputs whose possible outputs are collected

_MOST_ALIKE = 20_000  # values of finite inputs around which the same noise may be added

T = TypeVar("T")


class Engine:
    """Computes probabilities of one program; graphs are built once and kept.

    Answers are cached too, keyed by what a graph depends on: inputs that lead to the same integral
    (in NoisyMax all that differ by a shift) share it.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._root = Roots(program) if program.uses_roots else None
        self._graphs: dict[object, Graph] = {}
        self._plans: dict[object, Plan] = {}
        self._answers: dict[object, ClosedForm] = {}
        self._densities: dict[object, JointDensity] = {}
        self._arrivals: dict[object, Arrivals] = {}
        self._tails: dict[object, tuple[Tails, ...]] = {}
        self._transitions: Transitions | None = None
        self._is_examined = False
        """Whether it is known if a simpler program is equivalent."""
        self._almost: Engine | None = None
        """The engine of a program that has the same outputs with probability 1."""
        self._names = [names_of(param) for param in program.inputs]

    def distribution(self, u: object, progress: Hook | None = None) -> Distribution:
        """Return the distribution of the output at an input."""
        self._require_numbers()
        with hearing(progress):
            plan, inputs = self._plan_at(self._program.read_input(u), ANYTHING)
            point = plan.at(inputs)
            found = Arrivals(plan, inputs, point)
            result = Distribution(found, self.rate_unit)
            plan.remember(found.frame, point)
            return result

    @property
    def is_irrational(self) -> bool:
        """Whether the program has irrational rates or probabilities."""
        return self._root is not None and self._root.is_irrational

    @property
    def rate_unit(self) -> Surd:
        """The number such that ε in all densities stands for its product with ε."""
        return Fraction(1) if self._root is None else self._root.unit

    @cached_property
    def machine(self) -> Machine:
        """The step function, with rates as multiples of the unit."""
        return self._program.machine if self._root is None else self._root.machine

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(self.machine)

    @cached_property
    def _entries(self) -> LiveEntries:
        return LiveEntries(self.machine)

    @cached_property
    def _summaries(self) -> Summaries:
        return Summaries(self.machine)

    @cached_property
    def outputs(self) -> tuple[Value, ...] | None:
        """The outputs that the program can return at any input; None if there are too many.

        None also if a finite input domain is too large.
        """
        graphs = self._graphs_of_all_inputs
        if self._program.checked.output.holds_noise or graphs is None:
            return None
        events = (node.event for graph in graphs for node in graph.nodes)
        return tuple(dict.fromkeys(one.output for one in events if isinstance(one, Done)))

    @cached_property
    def output_lengths(self) -> tuple[frozenset[int | None], bool]:
        """The lengths of outputs, None for one that is not a list; and whether all inputs count.

        For large finite domains only one input is examined.
        """
        events = self._events
        if events is None:
            first = [
                symbols_of(names) if names is not None else next(iter(param.type.values()))
                for param, names in zip(self._program.inputs, self._names, strict=True)
                if param.type is not None
            ]
            events = tuple(node.event for node in self.graph(tuple(first), ANYTHING).nodes)
        outputs = [one.output for one in events if isinstance(one, Done)]
        lengths = (len(one) if isinstance(one, tuple) else None for one in outputs)
        return frozenset(lengths), self._events is not None

    @cached_property
    def only_adds_noise(self) -> bool:
        """Whether the output is the noiseless one plus noise with one distribution everywhere."""
        params = self._program.inputs
        if all(one is None or _are_numbers(one.members) for one in kinds(params)):
            symbols = assembled(params, [Linear.symbol(name) for name in entry_names(params)])
            found = added_noise(self._program, symbols)  # whatever the numbers are
            if found is not None and len(found) == 1:
                return True
        every: set[Hashable] = set()
        for inputs in self._inputs_up_to(_MOST_ALIKE) or ():
            found = added_noise(self._program, inputs)
            if found is None or len(every | found) > 1:
                return False
            every |= found
        return len(every) == 1

    @cached_property
    def _events(self) -> tuple[NodeEvent, ...] | None:
        """The events that the program can have at any input; None if there are too many inputs.

        Lists of finite values that are only returned have no entries there (`_shapes`).
        """
        graphs = self._shapes
        if graphs is None:
            return None
        return tuple(node.event for graph in graphs for node in graph.nodes)

    @cached_property
    def _graphs_of_all_inputs(self) -> tuple[Graph, ...] | None:
        """The graphs for all values of finite inputs, with symbols for reals; None if too many."""
        values = self._all_inputs
        return None if values is None else tuple(self.graph(one, ANYTHING) for one in values)

    @cached_property
    def _shapes(self) -> tuple[Graph, ...] | None:
        """The same without the entries of a list of finite values that is only returned.

        So k independent entries do not have 2^k states.
        """
        values, kind = self._all_inputs, self._program.checked.output
        if values is None or any(map(kind.holds, ("real", "integer", "term"))):
            return self._graphs_of_all_inputs
        machine = self.machine
        graphs = [without_entries(machine, machine.start(one)) for one in values]
        known = tuple(one for one in graphs if one is not None)
        return known if len(known) == len(graphs) else self._graphs_of_all_inputs

    @cached_property
    def _all_inputs(self) -> list[tuple[Value, ...]] | None:
        """All values of finite inputs, with symbols for reals; None if there are too many."""
        return self._inputs_up_to(_MOST_DOMAINS)

    def _inputs_up_to(self, most: int) -> list[tuple[Value, ...]] | None:
        domains = [
            [symbols_of(names)]
            if names is not None
            else list(islice(param.type.values(), most + 1))
            for param, names in zip(self._program.inputs, self._names, strict=True)
            if param.type is not None
        ]
        found = list(islice(product(*domains), most + 1))
        return None if len(found) > most else found

    @cached_property
    def rounds(self) -> bool:
        """Whether rounded reals are released, means, or compared with anything but numbers.

        A graph also rounds reals that are added to integer noise, or compared with it.
        """
        program = self._program
        is_linear = program.code.is_plainly_linear and not program.checked.settles
        if is_linear and not samples_both(program.definition):
            return False
        graphs = self._shapes
        if graphs is None:
            finite = (next(iter(one.type.values())) for one in self._program.inputs if one.type)
            values = zip(self._names, finite, strict=True)
            some = tuple(one if names is None else symbols_of(names) for names, one in values)
            graphs = (self.graph(some, ANYTHING),)
        return any(one.rounds or one.rounds_inputs for one in graphs)

    @cached_property
    def divides(self) -> bool:
        """Whether quotients of noise or inputs are released."""
        if self._program.code.is_plainly_linear:
            return False
        events = self._events or ()
        outputs = (one.output for one in events if isinstance(one, Done))
        return any(map(has_quotient, outputs))

    @cached_property
    def has_integers(self) -> bool:
        """Whether there is integer noise, sampled or rounded."""
        return samples_integers(self._program.definition) or self.rounds

    @cached_property
    def jumps(self) -> bool:
        """Whether probabilities may jump: an input is rounded, or without real noise."""
        return self._may_jump(has_inputs)

    @cached_property
    def jumps_in_eps(self) -> bool:
        """Whether probabilities may jump at some ε: a number such as 1/ε is without real noise."""
        return self._may_jump(
            lambda form: isinstance(form, Linear) and bool(units_in(form.coefficients))
        )

    def _may_jump(self, moves: Callable[[Any], bool]) -> bool:
        """Whether a number that moves is rounded, or compared or released without real noise."""
        graphs = self._shapes
        if self._events is None or graphs is None or any(one.rounds_inputs for one in graphs):
            return True
        forms = [one.difference for one in self._events if isinstance(one, Compare)]
        forms += (
            form for one in self._events if isinstance(one, Done) for form in forms_of(one.output)
        )
        steps = self.has_integers
        return any(moves(form) and (steps or not has_noise(form)) for form in forms)

    @cached_property
    def densities_jump(self) -> bool:
        """Whether densities of outputs may jump as the inputs change.

        They do not if inputs are only means of Laplace samples: the density of all samples is
        continuous in the means, and what is compared and released depends on the samples only.
        """
        if self.jumps or self._events is None:
            return True
        forms = [one.difference for one in self._events if isinstance(one, Compare)]
        forms += (
            form for one in self._events if isinstance(one, Done) for form in forms_of(one.output)
        )
        draws = [one for one in self._events if isinstance(one, Draw) and has_inputs(one.mean)]
        return any(map(has_inputs, forms)) or any(one.noise != "lap" for one in draws)

    def probability(
        self,
        u: object,
        output: object,
        progress: Hook | None = None,
        *,
        together: bool = False,
    ) -> ClosedForm:
        """Return the probability of an output, or of an event given as a pattern.

        With `together`, what is computed serves other outputs at the input, too.
        """
        with hearing(progress):
            given = self._program.read_input(u)
            return self.probability_at(given, read_pattern(output), together=together)

    def probability_at(
        self, u: tuple[Value, ...], pattern: Value, *, together: bool = False
    ) -> ClosedForm:
        """Return the same at an input and for a pattern that are read already."""
        self._require_numbers()
        plan, inputs = self._plan_at(u, ANYTHING if together else shape_of(pattern))
        point = plan.at(inputs)
        key = id(plan), point, pattern
        known = self._answers.get(key)
        if known is None:
            if len(self._answers) >= _MOST_KEPT:
                self._answers.clear()
            same = None if plan.integral is None else plan.integral.key(inputs, pattern)
            known = None if same is None else self._answers.get(same)
            if known is None:
                answer = self._answer(plan, inputs, point, pattern, together=together)
                known = scaled_by(answer, self.rate_unit)
            self._answers[key] = known
            if same is not None:
                self._answers[same] = known
        return known

    def read(self, u: tuple[Value, ...], pattern: Value) -> frozenset[int] | None:
        """Return the places of the numbers of an input on which a probability depends.

        None if they are not known.
        """
        plan, _ = self._plan_at(u, shape_of(pattern))
        if self._is_wide or plan.graph.rounds_inputs:
            return None
        names = entry_names(self._program.inputs)
        return frozenset(k for k, name in enumerate(names) if name in plan.graph.mentions[0])

    def _answer(
        self,
        plan: Plan,
        inputs: Mapping[str, Number],
        point: Constants,
        pattern: Value,
        *,
        together: bool = False,
    ) -> ClosedForm:
        """Return a probability: expanded, or unexpanded if it has too many terms."""
        limit = plan.is_long and can_be_evaluated(plan)
        if together and not limit:
            found = self._arrivals_at(plan, inputs, point)
        else:
            found = Arrivals(plan, inputs, point, most=_MOST_TERMS if limit else None)
        try:
            answer = found.ask(lambda listed: probability_of(listed, pattern, inputs))
        except TooManyTermsError:
            chance = EventChance(
                plan, inputs, point, lambda listed: (mass(one, pattern, inputs) for one in listed)
            )
            return chance_form(chance)
        plan.remember(found.frame, point)
        return answer

    def _arrivals_at(self, plan: Plan, inputs: Mapping[str, Number], point: Constants) -> Arrivals:
        """Return the arrivals at an input; those at the latest inputs are kept."""
        key = id(plan), point, tuple(sorted(inputs.items()))
        found = self._arrivals.pop(key, None) or Arrivals(plan, inputs, point)
        self._arrivals[key] = found
        if len(self._arrivals) > _MOST_ARRIVALS:
            del self._arrivals[next(iter(self._arrivals))]
        return found

    def arrivals(
        self, u: tuple[Value, ...], ask: Callable[[list[Arrival], Mapping[str, Number]], T]
    ) -> T:
        """Return an answer about the outputs at an input, and the values of its symbols."""
        plan, inputs = self.plan(u, ANYTHING)
        found = self._arrivals_at(plan, inputs, plan.at(inputs))
        return found.ask(lambda listed: ask(listed, inputs))

    def where(
        self, u: object, regions: Callable[[Value], Iterable[list[tuple[Linear, str]]]]
    ) -> ClosedForm:
        """Return the probability that an output lies in one of the disjoint regions given for it.

        A region of an output is a list of comparisons of its numbers with 0.
        """
        self._require_numbers()
        plan, inputs = self.plan(self._program.read_input(u), ANYTHING)
        found = Arrivals(plan, inputs, plan.at(inputs))
        answer = found.ask(lambda listed: inside(listed, regions, inputs, {}))
        return scaled_by(answer, self.rate_unit)

    def where_at_spots(
        self,
        u: tuple[Value, ...],
        regions: Callable[[Value], Iterable[list[tuple[Linear, str]]]],
        trace: Trace,
    ) -> ClosedForm:
        """Return the same for inputs, or numbers in the regions, that depend on parameters."""
        found = self._at_spots(u, ANYTHING, trace)
        parameters = {name: trace.spot(name) for name in trace.names}
        return found.ask(lambda listed: inside(listed, regions, found.inputs, parameters))

    def expectation(self, u: object, function: Function) -> ClosedForm | float:
        """Return the expectation of a function of the output at an input."""
        self._require_numbers()
        plan, inputs = self.plan(self._program.read_input(u), ANYTHING)
        found = self._arrivals_at(plan, inputs, plan.at(inputs))
        on = self._program.definition.part or self._program.epsilon
        answer = self._expectation(found, Integrand(function, unit=self.rate_unit, on=on))
        return answer if isinstance(answer, float) else scaled_by(answer, self.rate_unit)

    def expectation_at_spots(
        self, u: tuple[Value, ...], function: Function, trace: Trace, *, jumps: bool = True
    ) -> ClosedForm | float:
        """Return the same for inputs that are spots: a closed form in their parameters.

        The function may jump where it compares inputs, unless it is known not to.
        """
        integrand = Integrand(function, trace, jumps)
        return self._expectation(self._at_spots(u, ANYTHING, trace), integrand)

    def _expectation(self, found: Arrivals, integrand: Integrand) -> ClosedForm | float:
        def symbols(arrival: Arrival) -> Value:
            refuse_quotient(arrival.output)
            return without_inputs(arrival.output, found.inputs)

        return found.ask(lambda listed: expectation(listed, symbols, integrand))

    def probability_at_spots(self, u: tuple[Value, ...], pattern: Value) -> ClosedForm:
        """Return the probability of a pattern for inputs (or numbers in it) that are spots.

        It is a closed form in the parameters of the spots, valid where the comparisons in their
        trace have the same answers.
        """
        return self.probability_with(u, pattern, trace_of((*u, pattern)))

    def probability_with(self, u: tuple[Value, ...], pattern: Value, trace: Trace) -> ClosedForm:
        """Return the same with the trace that the spots, if there are any, belong to."""
        found = self._at_spots(u, shape_of(pattern), trace)
        return found.ask(lambda listed: probability_of(listed, pattern, found.inputs))

    def distribution_at_spots(self, u: tuple[Value, ...]) -> Distribution:
        """Return the distribution of the output for inputs that are spots."""
        return self.distribution_with(u, trace_of(u))

    def density(self, u: tuple[Value, ...], pattern: Value, points: Sequence[Any]) -> ClosedForm:
        """Return the joint density of the scaled real numbers in a pattern, at a point.

        The input and the point may have spots. `Real` stands for the numbers in the pattern.
        """
        trace = trace_of((*u, *points)) if has_spots((*u, *points)) else None
        plan, inputs = self.plan(u, pattern)
        if trace is not None and (plan.units or has_spots(u)):
            return JointDensity(self._at_spots(u, pattern, trace), pattern).at(points)
        # At a numeric input it is one function for all points, whatever parameters these depend on.
        point = plan.at(inputs)
        key = id(plan), point, trace and trace.names
        if key not in self._densities:
            found = (
                Arrivals(plan, inputs, point)
                if trace is None
                else self._at_spots(u, pattern, trace)
            )
            if len(self._densities) >= _MOST_DENSITIES:
                self._densities.clear()
            self._densities[key] = JointDensity(found, pattern)
        return self._densities[key].at(points)

    def seen_of(self, u: tuple[Value, ...], pattern: Value) -> object:
        """Return a key for an input: if the keys are equal, so are the outputs of the pattern."""
        plan, inputs = self.plan(u, pattern)
        finite = tuple(x for x, names in zip(u, self._names, strict=True) if names is None)
        return finite, plan.at(inputs)

    def tails(self, u: tuple[Value, ...], pattern: Value) -> tuple[Tails, ...]:
        """Return where each integer of a pattern becomes geometric, at an input."""
        plan, inputs = self.plan(u, ANYTHING)
        point = plan.at(inputs)
        key = id(plan), point, pattern
        if key not in self._tails:
            found = self._arrivals_at(plan, inputs, point)
            self._tails[key] = found.ask(lambda listed: tails(listed, pattern, inputs))
        return self._tails[key]

    def patterns(self, u: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the outputs that the program may have at inputs with the same finite values.

        `Real` stands for every number that has real noise in it, or an input.
        """
        plan, _ = self.plan(u, ANYTHING)
        events = (node.event for node in plan.graph.nodes)
        outputs = (one.output for one in events if isinstance(one, Done))
        return tuple(dict.fromkeys(pattern_of(one, lambda _: False) for one in outputs))

    def distribution_with(self, u: tuple[Value, ...], trace: Trace) -> Distribution:
        """Return the same with the trace that the spots, if there are any, belong to."""
        return Distribution(self._at_spots(u, ANYTHING, trace))

    def _at_spots(self, u: tuple[Value, ...], pattern: Value, trace: Trace) -> Arrivals:
        plan, given = self._plan_at(u, pattern)
        if plan.is_irrational or self.rate_unit != 1:
            raise _at_listed_inputs(self._program)
        inputs: dict[str, Any] = dict(given)
        inputs |= self._units_at(plan, trace)
        return Arrivals(plan, inputs, plan.at_spots(inputs, trace.names))

    def units_at(self, u: tuple[Value, ...], trace: Trace) -> dict[str, Any]:
        """Return all of 1/ε and log(b)/ε that are combined with reals, as numbers of a trace."""
        return self._units_at(self.plan(u, ANYTHING)[0], trace)

    def _units_at(self, plan: Plan, trace: Trace) -> dict[str, Any]:
        return {unit: self._unit_at(unit, trace) for unit in plan.units}

    def _unit_at(self, unit: str, trace: Trace) -> Any:
        """Return 1/ε or log(b)/ε as a number of a trace, by logarithms among its parameters."""
        if unit in trace.names:
            return trace.spot(unit)
        base = base_of(unit)
        known = {found: name for name in trace.names if (found := base_of(name)) is not None}
        factors = None if base is None else log_combination(base, [*known])
        if factors is None:
            raise _irrational(self._program)
        return trace.of(dict(zip(known.values(), factors, strict=True)))

    def unit(self, what: str, *inputs: tuple[Value, ...]) -> str:
        """Return which of 1/ε and log(b)/ε is combined with reals, for these finite inputs.

        Refuse several of them: `what` is computed for one.
        """
        units = self.units(*inputs)
        if len(units) > 1:
            shown = ["1" if one == UNIT else f"log({base_of(one)})" for one in units]
            raise ValueRefusedError(
                f"{self._program.__name__} has {' / eps and '.join(shown)} / eps beside reals",
                rule=f"{what} for multiples of 1 / eps, or of log(r) / eps with powers of one r.",
                way_out="Write rational multiples of one of them.",
            )
        return units[0]

    def units(self, *inputs: tuple[Value, ...]) -> tuple[str, ...]:
        """Return the symbols for 1/ε and log(b)/ε combined with reals, for these finite inputs.

        Logarithms that are combinations of others are left out.
        """
        plans = (self.plan(u, ANYTHING)[0] for u in inputs)
        return independent_units([unit for plan in plans for unit in plan.units]) or (UNIT,)

    def _require_numbers(self) -> None:
        """Refuse a question whose answer is not a single closed form in ε."""
        require_numbers(
            self._program,
            "Which of its numbers is larger depends on eps; this is one closed form for all eps.",
        )

    def plan(self, given: tuple[Value, ...], pattern: Value) -> tuple[Plan, dict[str, Number]]:
        """Return the plan for an input, and the values of the symbols in it."""
        finite: list[Value] = []
        inputs: dict[str, Number] = {}
        for value, names in zip(given, self._names, strict=True):
            if isinstance(names, str):
                inputs[names] = value
            elif names is not None:
                inputs.update(zip(names, value, strict=True))
            else:
                finite.append(value)
        key = tuple(finite), pattern
        if key not in self._plans:
            graph = self.graph(given, pattern, surely=True)
            if pattern is ANYTHING:
                graph = graph.trimmed()
            else:
                graph = _simplified(graph, graph.surely(), pattern)
            self._plans[key] = self._plan_of(graph)
        plan = self._plans[key]
        return plan, plan.with_rounded(inputs) if plan.graph.rounds_inputs else inputs

    def _plan_of(self, graph: Graph) -> Plan:
        """Return the plan of a graph; refuse numbers with ε that come from Python functions."""
        plan, checked = Plan(graph), self._program.checked
        outputs = (node.event.output for node in graph.nodes if isinstance(node.event, Done))
        is_hidden = plan.units and not checked.meets_eps
        if is_hidden or (not checked.releases_eps and any(map(holds_terms, outputs))):
            raise ValueRefusedError(
                f"a Python function gives {self._program.__name__} numbers that depend on eps",
                rule="Such a function may return probabilities, or a table of them. Other numbers "
                "with eps are written in the mechanism, or captured.",
                way_out="Compute them in a subroutine, or in a list before the mechanism.",
            )
        return plan

    def _plan_at(self, given: tuple[Value, ...], pattern: Value) -> tuple[Plan, dict[str, Number]]:
        """Return a plan for one input; without symbols if they would be compared in many ways."""
        if not self._is_wide or has_spots(given):
            return self.plan(given, pattern)
        key = given, pattern
        if key not in self._plans:
            if len(self._plans) >= _MOST_PLANS:
                self._forget()
            self._plans[key] = self._plan_of(self._graph(given, pattern))
        return self._plans[key], {}

    @cached_property
    def _is_wide(self) -> bool:
        """Whether the graph with symbols for inputs has many more nodes than that of one input."""
        try:
            return any(
                compares_inputs_often(self._program, u) for u in (self._all_inputs or ())[:1]
            )
        except ExactdpError:
            return False

    def graph(self, given: tuple[Value, ...], pattern: Value, *, surely: bool = False) -> Graph:
        """Return the graph of the paths to a pattern from an input whose reals are symbols.

        With `surely`, paths of probability 0 may lead to other outputs.
        """
        values = self._with_symbols(given)
        key = values, pattern, surely and self._almost is not None
        if key not in self._graphs:
            if len(self._graphs) >= _MOST_PLANS:
                self._forget()
            self._graphs[key] = self._graph(values, pattern, surely=surely)
        return self._graphs[key]

    def _forget(self) -> None:
        for kept in (
            self._graphs,
            self._plans,
            self._answers,
            self._densities,
            self._arrivals,
            self._tails,
        ):
            kept.clear()
        self._transitions = None

    def outputs_up_to(self, most: int, given: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return the outputs at inputs with symbols; None if there are more, or a run may fail."""
        start = self.machine.start(self._with_symbols(given))
        return outputs_up_to(most, self.machine, start, self._summaries.look())

    def independent_entries(self, given: tuple[Value, ...]) -> tuple[IndependentEntry, ...] | None:
        """Return the entries of the output if they are independent at inputs with symbols."""
        return independent_entries(self.machine, self._with_symbols(given))

    def _with_symbols(self, given: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(
            value if names is None else symbols_of(names)
            for value, names in zip(given, self._names, strict=True)
        )

    def _graph(self, values: tuple[Value, ...], pattern: Value, *, surely: bool = False) -> Graph:
        if surely and self._almost is not None:
            return self._almost.graph(values, pattern)
        if not self._is_examined and self._program.code.compares_pairs:
            self._examine()
            return self._graph(values, pattern, surely=surely)
        try:
            if self._is_examined:
                return self._graph_up_to(None, values, pattern)
            found = self._graph_up_to(self._few(pattern), values, pattern)
            if pattern is ANYTHING or _is_simple(found):
                return found
            raise LargeGraphError
        except LargeGraphError:
            self._examine()
            return self._graph(values, pattern, surely=surely)

    def _few(self, pattern: Value) -> Limit:
        """Return the size of a graph that need not be simplified."""
        size = sum(1 if isinstance(one, str) else len(one) for one in self._names if one)
        few = _FEW_NODES + _FEW_FOR_EACH * size
        return Limit(_FEW_NODES + _FEW_FOR_EACH * size * size if pattern is ANYTHING else few, few)

    @cached_property
    def selection(self) -> Selected | None:
        """The numbers of which the program selects the best one, if this is proved."""
        names = [one for one in self._names if one is not None]
        if len(names) < len(self._names):
            return None
        return selected(self._program, tuple(map(symbols_of, names)))

    def _examine(self) -> None:
        """Use a simpler program if an equivalent one is found."""
        self._is_examined = True
        found = self.selection
        if found is None:
            return
        if found.ties is None or found.ties.has_output:
            simple = replace(found, ties=Ties()).program(self._program)
            if simple is not None:
                self._almost = Engine(simple)
                self._almost._is_examined = True
        program = None if found.ties is None else found.program(self._program)
        if program is not None:
            self.machine = program.machine
            for name in ("_relevance", "_entries", "_summaries"):
                self.__dict__.pop(name, None)
            self._transitions = None

    def _graph_up_to(self, limit: Limit | None, values: tuple[Value, ...], pattern: Value) -> Graph:
        machine = self.machine
        start = machine.start(values)
        if pattern is ANYTHING:
            return build(machine, start, self._summaries.look(), limit=limit)
        relevant, entries = self._relevance.look_for(pattern), self._entries.look_for(pattern)

        def look(state: State) -> State | None:
            found = relevant(state)
            return None if found is None else entries(found)

        found = built(self._shared_transitions(), start, look, pattern, limit)
        return _simplified(None, found, pattern)

    def _shared_transitions(self) -> Transitions:
        """Return the transitions for all patterns; new ones if there are many."""
        found = self._transitions
        if found is None or len(found.events) > _MOST_EVENTS:
            found = self._transitions = Transitions(
                self.machine,
                late=True,
                reduced=(*self._relevance.returned, *self._entries.changed),
                summarised=self._summaries.look(),
            )
        return found


def independent_units(names: Iterable[str]) -> tuple[str, ...]:
    """Return symbols for 1/ε and logarithms, of which all given ones are combinations."""
    bases = sorted(base for one in names if (base := base_of(one)) is not None)
    units = (UNIT,) if UNIT in names else ()
    return (*units, *map(log_unit, independent_bases(bases)))


def _at_listed_inputs(program: Program) -> ValueRefusedError:
    return ValueRefusedError(
        f"{program.__name__} has irrational rates",
        rule="With rates such as sqrt(2) * eps, claims are about listed inputs or grids, with "
        "numbers for alpha and gamma; the privacy of real outputs is not decided.",
        way_out="Give such inputs and numbers, or use rational rates.",
    )


def _simplified(known: Graph | None, graph: Graph, pattern: Value) -> Graph:
    """Return a graph reduced to what matters for a pattern, unless it is known already."""
    if graph is known and all(node.variables <= 2 for node in graph.nodes):
        return graph
    found = graph.pruned(lambda output: match(output, pattern, [])).joined()
    while True:  # with fewer variables, more comparisons do not matter
        smaller = without_implied(found, surely=known is not None).trimmed()
        if smaller is found:
            return found
        before, found = found, smaller.joined()
        if len(found.nodes) == len(before.nodes):
            return found


def _is_simple(graph: Graph) -> bool:
    """Whether at most two noises are compared at a time, and none is transformed."""
    return all(
        node.variables <= 2 and all(edge.kept is not None for edge in node.edges)
        for node in graph.nodes
    )


def _irrational(program: Program) -> ValueRefusedError:
    return ValueRefusedError(
        f"{program.__name__} has log(r) / eps beside reals",
        rule="Such mechanisms support probability(u, output), distribution(u), and claims "
        "of accuracy without conditions, and of privacy.",
        way_out="Ask one of these, or write a rational number over eps.",
    )


def _are_numbers(values: Iterable[Value]) -> bool:
    return all(type(one) in (int, Fraction) for one in values)


def within_pattern(u: object, ideal: object, gamma: object, distance: str) -> Value:
    """Return the pattern of the outputs within gamma of the ideal output; `ANYTHING` for all.

    The ideal is a deterministic program, or the output itself.
    """
    if isinstance(ideal, Program):
        if ideal.checked.meets_eps or ideal.checked.releases_eps:
            raise ValueRefusedError(
                f"the ideal {ideal.__name__} depends on eps",
                rule="An ideal is one function of the input for every eps.",
                way_out="Write it with @ideal, without eps, and give ideal=….",
            )
        ideal = ideal.machine.run(ideal.read_input(u))
    output, radius = read_pattern(ideal), rational(gamma, "gamma")
    if radius < 0:
        raise ValueRefusedError(f"gamma is {radius}", rule="gamma is a distance, so not negative.")
    if distance == "discrete":
        return ANYTHING if radius >= 1 else output
    if distance == "sup":
        return near(output, radius)
    raise ValueRefusedError(
        f"the output distance {shown(distance)} is not known", way_out="Use 'discrete' or 'sup'."
    )

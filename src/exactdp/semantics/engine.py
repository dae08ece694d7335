"""The engine of a program: its probabilities, densities and moments, computed once and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from exactdp.errors import ValueRefusedError
from exactdp.language.events import State
from exactdp.language.layout import entry_names
from exactdp.language.linear import Linear, base_of
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.measure.work import Hook, hearing
from exactdp.polyhedra.form import Number
from exactdp.reals import ClosedForm
from exactdp.reals.logs import log_combination
from exactdp.reals.unexpanded import chance_form
from exactdp.semantics.chances import EventChance, can_be_evaluated
from exactdp.semantics.densities import JointDensity, refuse_quotient
from exactdp.semantics.distribution import Distribution
from exactdp.semantics.exact import Arrival, Arrivals, TooManyTermsError
from exactdp.semantics.masses import inside, mass, probability_of, without_inputs
from exactdp.semantics.moments import Function, Integrand, expectation
from exactdp.semantics.patterns import ANYTHING, read_pattern, shape_of
from exactdp.semantics.plan import Constants, Plan
from exactdp.semantics.properties import ProgramProperties
from exactdp.semantics.roots import scaled_by
from exactdp.semantics.spots import Trace, has_spots, trace_of
from exactdp.semantics.tails import Tails, tails

_MOST_KEPT = 10_000  # answers that an engine caches

_MOST_ARRIVALS = 16  # inputs whose arrivals it caches: for their moments, and for many integers

_MOST_DENSITIES = 500  # densities of real outputs that it caches

_MOST_TERMS = 40_000  # of a density at a node, and a probability is evaluated instead of expanded

T = TypeVar("T")


class Engine(ProgramProperties):
    """Computes probabilities of one program; graphs are built once and kept.

    Answers are cached too, keyed by what a graph depends on: inputs that lead to the same integral
    (in NoisyMax all that differ by a shift) share it.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._answers: dict[object, ClosedForm] = {}
        self._densities: dict[object, JointDensity] = {}
        self._arrivals: dict[object, Arrivals] = {}
        self._tails: dict[object, tuple[Tails, ...]] = {}

    def _forget(self) -> None:
        super()._forget()
        for kept in (self._answers, self._densities, self._arrivals, self._tails):
            kept.clear()

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
        key = id(plan), point, State(-1, (pattern,))
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
            return chance_form(chance) if chance.is_evaluated else chance.expanded()
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
        integrand = Integrand(function, unit=self.rate_unit, on=self._program.span)
        answer = self._expectation(found, integrand)
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

    def probability_at_spots(
        self, u: tuple[Value, ...], pattern: Value, trace: Trace | None = None
    ) -> ClosedForm:
        """Return the probability of a pattern for inputs (or numbers in it) that are spots.

        It is a closed form in the parameters of the spots, valid where the comparisons in their
        trace have the same answers. The trace is given if there may be no spots.
        """
        found = self._at_spots(u, shape_of(pattern), trace or trace_of((*u, pattern)))
        return found.ask(lambda listed: probability_of(listed, pattern, found.inputs))

    def distribution_at_spots(
        self, u: tuple[Value, ...], trace: Trace | None = None
    ) -> Distribution:
        """Return the distribution of the output for inputs that are spots."""
        return Distribution(self._at_spots(u, ANYTHING, trace or trace_of(u)))

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
        key = id(plan), point, State(-1, (pattern,))
        if key not in self._tails:
            found = self._arrivals_at(plan, inputs, point)
            self._tails[key] = found.ask(lambda listed: tails(listed, pattern, inputs))
        return self._tails[key]

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

    def _require_numbers(self) -> None:
        """Refuse a question whose answer is not a single closed form in ε."""
        require_numbers(
            self._program,
            "Which of its numbers is larger depends on eps; this is one closed form for all eps.",
        )


def require_numbers(program: Program, rule: str) -> None:
    """Refuse a question that requires all numbers combined with reals to be rational."""
    if program.moves:
        found = "log(r) / eps" if program.uses_log else "a + b / eps"
        instead = "" if program.uses_log else "; or declare one eps: @mechanism(epsilon='[1, 1]')"
        raise ValueRefusedError(
            f"{program.__name__} has {found} beside reals",
            rule=rule,
            way_out=f"Ask for probability(u, output) or distribution(u){instead}.",
        )


def _at_listed_inputs(program: Program) -> ValueRefusedError:
    return ValueRefusedError(
        f"{program.__name__} has irrational rates",
        rule="With rates such as sqrt(2) * eps, claims are about listed inputs or grids, with "
        "numbers for alpha and gamma; the privacy of real outputs is not decided.",
        way_out="Give such inputs and numbers, or use rational rates.",
    )


def _irrational(program: Program) -> ValueRefusedError:
    return ValueRefusedError(
        f"{program.__name__} has log(r) / eps beside reals",
        rule="Such mechanisms support probability(u, output), distribution(u), and claims "
        "of accuracy without conditions, and of privacy.",
        way_out="Ask one of these, or write a rational number over eps.",
    )

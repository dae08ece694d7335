"""The graphs of a program, for all inputs or one, and the plans made of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product

from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.events import Done, State
from exactdp.language.layout import entry_names
from exactdp.language.machine import Machine
from exactdp.language.program import Program
from exactdp.language.released import holds_terms
from exactdp.language.values import Value
from exactdp.polyhedra.form import Number
from exactdp.reals.radicals import Surd
from exactdp.semantics.added import compares_inputs_often
from exactdp.semantics.building import LargeGraphError, build, built, outputs_up_to
from exactdp.semantics.entries import IndependentEntry, independent_entries
from exactdp.semantics.graph import Graph
from exactdp.semantics.implied import without_implied
from exactdp.semantics.live_entries import LiveEntries
from exactdp.semantics.patterns import ANYTHING, match
from exactdp.semantics.plan import Plan
from exactdp.semantics.relevance import Relevance
from exactdp.semantics.roots import Roots
from exactdp.semantics.selected import Selected, Ties, selected
from exactdp.semantics.spots import has_spots
from exactdp.semantics.summaries import Summaries
from exactdp.semantics.symbols import names_of, symbols_for, symbols_of
from exactdp.semantics.transitions import Transitions

_MOST_PLANS = 1_000  # graphs that it caches, one for each pattern and values of finite inputs

_FEW_NODES, _FEW_FOR_EACH = 12, 4  # of a graph, and for each real input, that need no examination

_FEWEST_SELECTED = 3  # numbers for which a program that selects one is replaced by a simpler one

_MOST_EVENTS = 20_000  # whose transitions graphs share

_MOST_DOMAINS = 300  # finite inputs whose possible outputs are collected


class ProgramGraphs:
    """The graphs of a program and the plans made of them, built once and kept."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._root = Roots(program) if program.uses_roots else None
        self._graphs: dict[object, Graph] = {}
        self._plans: dict[object, Plan] = {}
        self._transitions: Transitions | None = None
        self._is_examined = False
        """Whether it is known if a simpler program is equivalent."""
        self._almost: ProgramGraphs | None = None
        """The graphs of a program that has the same outputs with probability 1."""
        self._names = [names_of(param) for param in program.inputs]

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

    def graph(self, given: tuple[Value, ...], pattern: Value, *, surely: bool = False) -> Graph:
        """Return the graph of the paths to a pattern from an input whose reals are symbols.

        With `surely`, paths of probability 0 may lead to other outputs.
        """
        values = self._with_symbols(given)
        key = State(-1, (values, pattern)), surely and self._almost is not None
        if key not in self._graphs:
            if len(self._graphs) >= _MOST_PLANS:
                self._forget()
            self._graphs[key] = self._graph(values, pattern, surely=surely)
        return self._graphs[key]

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
        key = State(-1, (tuple(finite), pattern))
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
        key = State(-1, (given, pattern))
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

    def _with_symbols(self, given: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(
            value if names is None else symbols_of(names)
            for value, names in zip(given, self._names, strict=True)
        )

    def outputs_up_to(self, most: int, given: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return the outputs at inputs with symbols; None if there are more, or a run may fail."""
        start = self.machine.start(self._with_symbols(given))
        return outputs_up_to(most, self.machine, start, self._summaries.look())

    def independent_entries(self, given: tuple[Value, ...]) -> tuple[IndependentEntry, ...] | None:
        """Return the entries of the output if they are independent at inputs with symbols."""
        return independent_entries(self.machine, self._with_symbols(given))

    def _graph(self, values: tuple[Value, ...], pattern: Value, *, surely: bool = False) -> Graph:
        if surely and self._almost is not None:
            return self._almost.graph(values, pattern)
        if not self._is_examined and self._program.code.compares_pairs:
            self._examine()
            return self._graph(values, pattern, surely=surely)
        try:
            if self._is_examined:
                return self._graph_up_to(None, values, pattern)
            few = _FEW_NODES + _FEW_FOR_EACH * len(entry_names(self._program.inputs))
            found = self._graph_up_to(few, values, pattern)
            if pattern is ANYTHING or _is_simple(found):
                return found
            raise LargeGraphError
        except LargeGraphError:
            self._examine()
            return self._graph(values, pattern, surely=surely)

    @property
    def selection(self) -> Selected | None:
        """The numbers of which the program selects the best one, if this is proved.

        All inputs must be real.
        """
        return None if None in self._names else self._selection

    @cached_property
    def _selection(self) -> Selected | None:
        program = self._program.over_reals
        return None if program is None else selected(program, symbols_for(program.inputs))

    def _examine(self) -> None:
        """Use a simpler program if an equivalent one is found."""
        self._is_examined = True
        found = self._selection
        if found is None or len(found.numbers) < _FEWEST_SELECTED:
            return
        if found.ties is None or found.ties.has_output:
            simple = replace(found, ties=Ties()).program(self._program)
            if simple is not None:
                self._almost = ProgramGraphs(simple)
                self._almost._is_examined = True
        program = None if found.ties is None else found.program(self._program)
        if program is not None:
            self.machine = program.machine
            for name in ("_relevance", "_entries", "_summaries"):
                self.__dict__.pop(name, None)
            self._transitions = None

    def _graph_up_to(self, limit: int | None, values: tuple[Value, ...], pattern: Value) -> Graph:
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

    def _forget(self) -> None:
        self._graphs.clear()
        self._plans.clear()
        self._transitions = None


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

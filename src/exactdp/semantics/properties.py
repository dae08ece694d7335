"""Properties of a program at all inputs, read from its graphs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.language.code import Code, expressions
from exactdp.language.events import Compare, Done, Draw, distinct
from exactdp.language.linear import UNIT, Linear, base_of, log_unit, units_in
from exactdp.language.noisy import samples_both, samples_integers
from exactdp.language.types import over_reals
from exactdp.language.values import Value
from exactdp.reals.logs import independent_bases
from exactdp.semantics.added import added_noise
from exactdp.semantics.densities import has_quotient
from exactdp.semantics.entries import without_entries
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import NodeEvent, forms_of, has_noise
from exactdp.semantics.patterns import ANYTHING, pattern_of
from exactdp.semantics.plan import has_inputs
from exactdp.semantics.program_graphs import ProgramGraphs
from exactdp.semantics.symbols import symbols_for, symbols_of

_MOST_ALIKE = 20_000  # values of finite inputs around which the same noise may be added


class ProgramProperties(ProgramGraphs):
    """Properties of a program that do not depend on the input."""

    @cached_property
    def outputs(self) -> tuple[Value, ...] | None:
        """The outputs that the program can return at any input; None if there are too many.

        None also if a finite input domain is too large. Of True and 1 only one is listed: the ideal
        outputs True and 1 agree.
        """
        found = self.distinct_outputs
        return None if found is None else tuple(dict.fromkeys(found))

    @cached_property
    def distinct_outputs(self) -> tuple[Value, ...] | None:
        """The same with both of True and 1."""
        graphs = self._graphs_of_all_inputs
        if self._program.checked.output.holds_noise or graphs is None:
            return None
        return distinct(_outputs(node.event for one in graphs for node in one.nodes))

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
        lengths = (len(one) if isinstance(one, tuple) else None for one in _outputs(events))
        return frozenset(lengths), self._events is not None

    def patterns(self, u: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the outputs that the program may have at inputs with the same finite values.

        `Real` stands for every number that has real noise in it, or an input.
        """
        plan, _ = self.plan(u, ANYTHING)
        outputs = _outputs(node.event for node in plan.graph.nodes)
        return distinct(pattern_of(one, lambda _: False) for one in outputs)

    @cached_property
    def only_adds_noise(self) -> bool:
        """Whether the output is the noiseless one plus noise with one distribution everywhere."""
        program = self._program.over_reals or self._program  # refused for integer noise
        are_numbers = all(over_reals(param.type) is not None for param in program.inputs)
        if are_numbers and (program is self._program.over_reals or not _equates(program.code)):
            found = added_noise(program, symbols_for(program.inputs))
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
        return any(map(has_quotient, _outputs(self._events or ())))

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
        steps = self.has_integers
        return any(moves(form) and (steps or not has_noise(form)) for form in self._seen)

    @property
    def _seen(self) -> Iterator[Any]:
        """The numbers that are compared or released."""
        for one in self._events or ():
            if isinstance(one, Compare):
                yield one.difference
        for output in _outputs(self._events or ()):
            yield from forms_of(output)

    @cached_property
    def densities_jump(self) -> bool:
        """Whether densities of outputs may jump as the inputs change.

        They do not if inputs are only means of Laplace samples: the density of all samples is
        continuous in the means, and what is compared and released depends on the samples only.
        An input that is added outside a sample is in a variable of an edge.
        """
        if self.jumps or self._events is None:
            return True
        edges = (
            edge for graph in self._shapes or () for node in graph.nodes for edge in node.edges
        )
        if any(map(has_inputs, (*self._seen, *chain(*(edge.variables for edge in edges))))):
            return True
        draws = [one for one in self._events if isinstance(one, Draw)]
        return any(
            has_inputs(one.width) or (has_inputs(one.mean) and one.noise != "lap") for one in draws
        )

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


def independent_units(names: Iterable[str]) -> tuple[str, ...]:
    """Return symbols for 1/ε and logarithms, of which all given ones are combinations."""
    bases = sorted(base for one in names if (base := base_of(one)) is not None)
    units = (UNIT,) if UNIT in names else ()
    return (*units, *map(log_unit, independent_bases(bases)))


def _outputs(events: Iterable[NodeEvent]) -> Iterator[Value]:
    return (one.output for one in events if isinstance(one, Done))


def _equates(code: Code) -> bool:
    """Whether an expression may depend on which values are equal; symbols differ from all."""
    kinds = ast.Compare | ast.Attribute | ast.Dict | ast.DictComp | ast.Set | ast.SetComp
    trees = (tree for one in code.instructions for tree in expressions(one))
    return any(isinstance(node, kinds) for tree in trees for node in ast.walk(tree))

"""The finite graph of a program: its possible events, before any probability is computed.

Real inputs are symbols, so a graph covers every input with the same finite values. A node is a
state of the machine at an event in which live noise is named by position: the first symbolic value
that is independent of earlier ones is variable 0, the next one 1, and so on. States that agree on
all finite values are therefore one node, and dead noise is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count as count_from
from operator import is_, is_not
from typing import Any, NamedTuple, TypeAlias

from exactdp.errors import Place, ProgramError
from exactdp.language.code import Code, Sample
from exactdp.language.limits import STATE_LIMIT
from exactdp.language.linear import made_whole, unit_in, wholes_in, with_whole
from exactdp.language.machine import Compare, Done, Draw, Event, Machine, Selection, State
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.rules import fail
from exactdp.language.values import List, Symbolic, Value
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.measure.work import count
from exactdp.semantics.components import components
from exactdp.semantics.linear import Linear, Scalar
from exactdp.semantics.spans import Span, VariableBasis, combined
from exactdp.semantics.spots import whole_of
from exactdp.semantics.states import Visited

_ONE = Fraction(1)
_COMPOSED = (tuple, Symbolic)

Noise: TypeAlias = int
"""A noise variable of a node, by position; inputs are symbols of another type (str)."""


class NoiseKinds(NamedTuple):
    """The properties of the variables of a node."""

    integers: frozenset[int] = frozenset()
    """The variables that are integer noise."""
    bounded: frozenset[int] = frozenset()
    """The other variables that lie between two numbers: uniform noise, the rest of a rounding."""

    def after(self, event: NodeEvent, size: int) -> NoiseKinds:
        """Return the same with the variables added by an event of a node with `size` variables."""
        if isinstance(event, Rounding):
            rest = () if event.is_whole else (size + 1,)
            return NoiseKinds(self.integers | {size}, self.bounded.union(rest))
        if not isinstance(event, Draw):
            return self
        kind = NOISES[event.noise]
        if kind.is_whole:
            return self._replace(integers=self.integers | {size})
        return self._replace(bounded=self.bounded | {size}) if kind.has_ends else self

    def of(self, variables: Sequence[Linear]) -> NoiseKinds:
        """Return the properties of forms in the variables, as new variables."""
        noise = [noise_part(form).keys() for form in variables]
        return NoiseKinds(
            frozenset(n for n, names in enumerate(noise) if not self.integers.isdisjoint(names)),
            frozenset(n for n, names in enumerate(noise) if self.bounded.issuperset(names)),
        )

    def mixes(self, form: Linear) -> bool:
        """Whether a form contains both integer noise and real noise."""
        noise = noise_part(form)
        return not self.integers.isdisjoint(noise) and not self.integers.issuperset(noise)


@dataclass(frozen=True)
class Later:
    """A sample that the program has drawn but not used yet; a symbol like noise and inputs.

    It is drawn at its first use, so that it is not live before. `number` distinguishes samples
    with the same law.
    """

    noise: str
    rate: Fraction
    mean: Scalar
    number: int

    @cached_property
    def law(self) -> tuple[str, Fraction, Scalar]:
        """The parameters of its distribution."""
        return self.noise, self.rate, self.mean

    @cached_property
    def _hash(self) -> int:
        return hash((self.law, self.number))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class LateDraw(Draw):
    """A sample that is drawn now, because the next event uses it."""

    sample: Later | None = None


class RoundedInput(str):
    """A rounded form in inputs; a graph treats it as another input."""

    __slots__ = ("whole",)
    whole: Whole

    @classmethod
    def of(cls, whole: Whole) -> RoundedInput:
        """Return the name of a whole number."""
        found = cls(replace(whole, low=None, high=None))
        found.whole = whole
        return found


@dataclass(frozen=True)
class Rounding:
    """Real noise is rounded, because the next event uses the result.

    `form` is k + f with a whole number k and 0 ≤ f < 1. Both are new variables, in this order, and
    replace one variable of the form. For integer noise only k is new, and all others stay.
    """

    state: State
    form: Linear
    whole: Whole
    is_whole: bool
    """Whether it is integer noise that is rounded."""

    def values(self, number: Any) -> tuple[Any, ...]:
        """Return the new variables if the form is a number or a spot, without noise."""
        half = Fraction(1, 2) if self.whole.nearest and not self.is_whole else 0
        k = whole_of(number - half, self.whole)
        return (k,) if self.is_whole else (k, number - k)


@dataclass(frozen=True)
class Edge:
    """An edge from a node: the target, and its variables as forms in those of the source.

    `case` distinguishes the outcomes of an event: None after a sample, the position in `values`
    for a choice, the truth of a comparison.
    """

    target: int
    variables: tuple[Linear, ...]
    case: int | bool | None

    @cached_property
    def kept(self) -> dict[int, int] | None:
        """The map from old to new variables if all new ones are among the old ones, else None."""
        names: dict[int, int] = {}
        for new, form in enumerate(self.variables):
            if form.constant or len(form.coefficients) != 1:
                return None
            ((old, q),) = form.coefficients.items()
            if q != 1 or not isinstance(old, int):
                return None
            names[old] = new
        return names


@dataclass(frozen=True)
class Failure:
    """The program fails in this state, if it reaches it with positive probability."""

    state: State
    error: ProgramError


NodeEvent: TypeAlias = Event | Failure | Rounding


@dataclass(frozen=True)
class Node:
    """An event, its number of variables and its edges (none from `Done` and `Failure`)."""

    event: NodeEvent
    variables: int
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Graph:
    """All reachable nodes; node 0 is the first."""

    nodes: tuple[Node, ...]
    code: Code

    def place(self, number: int) -> Place:
        """Return the place of a node's statement in the source."""
        return self.code.instructions[self.nodes[number].event.state.pc].place

    def pruned(self, wanted: Callable[[Value], bool]) -> Graph:
        """Return the graph without the edges that can no longer lead to a wanted output.

        Failures are kept, and loops are kept with all edges into and out of them: whether they
        terminate is decided when they are solved.
        """
        sources: dict[int, list[int]] = {}
        looping = {n for n, inside in enumerate(self.cyclic) if inside}
        useful = list(looping)
        for number, node in enumerate(self.nodes):
            for edge in node.edges:
                sources.setdefault(edge.target, []).append(number)
            event = node.event
            if isinstance(event, Failure) or (isinstance(event, Done) and wanted(event.output)):
                useful.append(number)
        found = set(useful)
        while useful:
            for source in sources.get(useful.pop(), []):
                if source not in found:
                    found.add(source)
                    useful.append(source)
        nodes = tuple(
            node
            if number in looping
            else replace(node, edges=tuple(edge for edge in node.edges if edge.target in found))
            for number, node in enumerate(self.nodes)
        )
        return Graph(nodes, self.code)

    @cached_property
    def cyclic(self) -> tuple[bool, ...]:
        """Whether each node lies on a cycle, which is inside a `while` loop."""
        result = [False] * len(self.nodes)
        if all(loop.counter is not None for loop in self.code.loops):
            return tuple(result)
        for component in self.components:
            inside = set(component)
            if any(edge.target in inside for n in component for edge in self.nodes[n].edges):
                for number in component:
                    result[number] = True
        return tuple(result)

    @cached_property
    def sees_differences_only(self) -> bool:
        """Whether nothing changes when the means of all samples are shifted by the same amount.

        This is so if every mean is free of noise, no variable is transformed, only differences
        are compared, and no output contains noise.
        """
        for node in self.nodes:
            event = node.event
            if any(edge.kept is None for edge in node.edges) or isinstance(event, Rounding):
                return False
            if isinstance(event, Draw) and (has_noise(event.mean) or NOISES[event.noise].is_whole):
                return False
            if isinstance(event, Done) and any(map(has_noise, forms_of(event.output))):
                return False
            if isinstance(event, Compare):
                assert isinstance(event.difference, Linear)
                weights = [
                    q for v, q in event.difference.coefficients.items() if isinstance(v, int)
                ]
                if sum(weights):
                    return False
        return True

    def surely(self) -> Graph:
        """Return the graph without edges that require equal noise, which have probability 0."""
        if self.whole or any(self.cyclic):
            return self

        def likely(node: Node) -> Node:
            event = node.event
            if not (isinstance(event, Compare) and event.op in ("==", "!=")):
                return node
            if not has_noise(event.difference):
                return node
            edges = (edge for edge in node.edges if edge.case == (event.op == "!="))
            return replace(node, edges=tuple(edges))

        nodes = tuple(map(likely, self.nodes))
        return self if all(map(is_, nodes, self.nodes)) else Graph(nodes, self.code)

    @cached_property
    def mentions(self) -> list[frozenset[str]]:
        """For each node, the inputs that it and the nodes after it use."""
        found: list[frozenset[str]] = [frozenset()] * len(self.nodes)
        for component in reversed(self.components):
            together: set[str] = set()
            for number in component:
                node = self.nodes[number]
                together.update(inputs_in(looks_at(node.event)))
                for edge in node.edges:
                    together.update(inputs_in(edge.variables), found[edge.target])
            for number in component:
                found[number] = frozenset(together)
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether there is integer noise."""
        return has_integers(self.code) or self.rounds

    @cached_property
    def rounds(self) -> bool:
        """Whether noise is rounded."""
        return any(isinstance(node.event, Rounding) for node in self.nodes)

    @cached_property
    def rounds_inputs(self) -> bool:
        """Whether numbers without noise are rounded."""
        return any(isinstance(name, RoundedInput) for name in self.mentions[0])

    @cached_property
    def mixes(self) -> bool:
        """Whether integer noise and real noise are compared with each other, or added."""
        if not self.whole:
            return False
        found: list[NoiseKinds | None] = [None] * len(self.nodes)
        found[0] = NoiseKinds()
        waiting = [0]
        while waiting:
            number = waiting.pop()
            node, known = self.nodes[number], found[number]
            assert known is not None
            if any(map(known.mixes, forms_of(looks_at(node.event)))):
                return True
            known = known.after(node.event, node.variables)
            for edge in node.edges:
                if any(map(known.mixes, edge.variables)):
                    return True
                if found[edge.target] is None:
                    found[edge.target] = known.of(edge.variables)
                    waiting.append(edge.target)
        return False

    def trimmed(self) -> Graph:
        """Return the graph with only those variables that later events depend on.

        A list of noise may be live although only its largest entry, or only its sum, is used
        again: then the sum is the variable.
        """
        if not any(node.variables for node in self.nodes):
            return self
        needed = [Span() for _ in self.nodes]
        bases = [VariableBasis((), (), not node.variables) for node in self.nodes]
        for component in reversed(self.components):
            while True:  # more than once in a loop only
                before = [bases[number] for number in component]
                for number in component:
                    for form in self._needed_at(number, bases):
                        needed[number].add(form)
                    size, fixed = self.nodes[number].variables, self._fixed[number]
                    bases[number] = needed[number].basis(size, fixed)
                if before == [bases[number] for number in component]:
                    break
        if all(basis.is_everything for basis in bases):
            return self
        return Graph(
            tuple(
                _with_variables(node, basis, [bases[edge.target] for edge in node.edges])
                for node, basis in zip(self.nodes, bases, strict=True)
            ),
            self.code,
        )

    @cached_property
    def _fixed(self) -> list[set[int]]:
        """For each node, the variables that are not replaced by sums.

        These are the compared ones, and all variables if rounded noise occurs in others later,
        or if both kinds of noise are combined.
        """
        if self.mixes:
            return [set(range(node.variables)) for node in self.nodes]
        found = list(self._compared)
        for number, node in enumerate(self.nodes):
            if isinstance(node.event, Rounding) and any(
                name < node.variables
                for edge in node.edges
                for form in edge.variables
                for name in noise_part(form)
            ):
                found[number] = set(range(node.variables))
        return found

    @cached_property
    def _compared(self) -> list[set[int]]:
        """For each node, the variables that were compared on a path to it."""
        found: list[set[int]] = [set() for _ in self.nodes]
        for component in self.components:
            while True:  # more than once in a loop only
                before = [len(found[number]) for number in component]
                for number in component:
                    event, taken = self.nodes[number].event, set(found[number])
                    if isinstance(event, Compare):
                        taken.update(noise_part(event.difference))
                    for edge in self.nodes[number].edges:
                        found[edge.target].update(
                            new
                            for new, form in enumerate(edge.variables)
                            if not taken.isdisjoint(noise_part(form))
                        )
                if before == [len(found[number]) for number in component]:
                    break
        return found

    def _needed_at(self, number: int, bases: list[VariableBasis]) -> Iterator[dict[int, Fraction]]:
        """Yield the forms in variables of a node on which it and variables after it depend."""
        node = self.nodes[number]
        rows = [noise_part(form) for form in forms_of(looks_at(node.event))]
        for edge in node.edges:
            parts = [noise_part(form) for form in edge.variables]
            rows += (combined(row, parts) for row in bases[edge.target].forms)
        for row in rows:
            yield {name: q for name, q in row.items() if name < node.variables}

    def joined(self) -> Graph:
        """Return the graph with nodes merged that have exactly the same future.

        After `pruned` this drops what no longer matters: for example, which index is the best so
        far, if only the last index is in question. Nodes on cycles are not merged.
        """
        classes: dict[int, int] = {}
        known: dict[object, int] = {}
        nodes: list[Node] = []
        for component in reversed(self.components):
            for number in component:
                node = self.nodes[number]
                if self.cyclic[number]:
                    signature: object = number
                else:
                    ways = tuple((e.case, e.variables, classes[e.target]) for e in node.edges)
                    signature = _future(node.event), node.variables, ways
                if signature not in known:
                    known[signature] = len(nodes)
                    nodes.append(node)
                classes[number] = known[signature]
        order = [classes[0], *(n for n in range(len(nodes)) if n != classes[0])]
        place = {old: new for new, old in enumerate(order)}
        renumbered = tuple(
            replace(
                nodes[old],
                edges=tuple(replace(e, target=place[classes[e.target]]) for e in nodes[old].edges),
            )
            for old in order
        )
        return Graph(renumbered, self.code)

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components, sources first."""
        return components([0], lambda n: (edge.target for edge in self.nodes[n].edges))


def forms_of(output: Value) -> Iterator[Linear]:
    """Yield the symbolic numbers of an output."""
    if isinstance(output, tuple):
        for item in output:
            if isinstance(item, _COMPOSED):
                yield from forms_of(item)
    elif isinstance(output, NoisyQuotient):
        yield from forms_of((output.over, output.under))
    elif isinstance(output, Linear):
        yield output


def all_forms(value: Value) -> Iterator[Linear]:
    """Yield the symbolic numbers of a value, including those inside whole numbers."""
    for form in forms_of(value):
        yield form
        for whole in wholes_in(form):
            yield whole.form


def inputs_in(value: Value) -> Iterator[str]:
    """Yield the inputs that a value depends on."""
    for form in forms_of(value):
        for name in form.coefficients:
            if isinstance(name, str):
                yield name


def looks_at(event: NodeEvent) -> Value:
    """Return the values that an event depends on."""
    match event:
        case Rounding():
            return event.form
        case Draw():
            return event.mean if event.width is None else (event.mean, event.width)
        case Compare():
            return event.difference
        case Done():
            return event.output
        case Selection():
            return event.exponents
    return None


def _with_variables(node: Node, basis: VariableBasis, targets: list[VariableBasis]) -> Node:
    """Return a node in the variables of a basis, and its edges in those of their targets."""
    fresh = node.variables

    def renamed(value: Value) -> Any:
        if isinstance(value, tuple):
            return tuple(map(renamed, value))
        if isinstance(value, NoisyQuotient):
            return value.mapped(renamed)
        if not (isinstance(value, Linear) and has_noise(value)):
            return value
        noise = noise_part(value)
        inputs = {name: q for name, q in value.coefficients.items() if isinstance(name, str)}
        names: dict[Any, Any] = dict(basis.coordinates(noise))
        names.update(inputs)
        for new in (0, 1):
            if fresh + new in noise:
                names[len(basis.forms) + new] = noise[fresh + new]
        return Linear.build(names, value.constant)

    event = node.event
    match event:
        case Draw():
            event = replace(event, mean=renamed(event.mean))
        case Compare():
            event = replace(event, difference=renamed(event.difference))
        case Rounding():
            event = replace(event, form=renamed(event.form))
        case Done():
            event = replace(event, output=renamed(event.output))
    edges = []
    for edge, target in zip(node.edges, targets, strict=True):
        values = dict(enumerate(edge.variables))
        forms = (Linear.build(form, 0).substituted(values) for form in target.forms)  # type: ignore[union-attr]
        edges.append(replace(edge, variables=tuple(map(renamed, forms))))
    return Node(event, len(basis.forms), tuple(edges))


def _future(event: NodeEvent) -> object:
    """Return the content of an event, without its state."""
    match event:
        case Draw(_, noise, rate, mean, width, base):
            return noise, rate, mean, width, base
        case Selection(_, _, exponents, chances):
            return exponents, chances
        case Compare(_, op, difference):
            return op, difference
        case Rounding(_, form, whole, is_whole):
            return form, whole.nearest, is_whole
        case Failure():
            return event
    return State(-1, (event.output,))


def build(
    machine: Machine,
    start: State,
    look: Callable[[State], State | None] = lambda state: state,
    *,
    late: bool = False,
) -> Graph:
    """Return the graph from a state.

    `look` returns the relevant part of a state, or None to leave it out with the edges to it. With
    `late`, samples are drawn at their first use, which changes no probability.
    """
    numbers: dict[tuple[State, NoiseKinds], int] = {}
    visited = Visited(machine)
    noiseless: dict[int, Value] = {}
    ends = all(loop.counter is not None for loop in machine.code.loops)
    late = late and ends and not has_integers(machine.code)
    serial = count_from(0)
    events: list[tuple[NodeEvent, int]] = []
    kinds: list[NoiseKinds] = []
    edges: list[tuple[Edge, ...]] = []

    def advanced(state: State, known: NoiseKinds) -> Event:
        while True:
            event = _advanced(machine, state, known)
            if not (late and isinstance(event, Draw) and _can_wait(event)):
                return event
            sample = Later(event.noise, event.rate, event.mean, next(serial))
            state = machine.resume(event, Linear.symbol(sample))

    def place_of(event: Event) -> Place:
        return machine.code.instructions[event.state.pc].place

    def visit(state: State, known: NoiseKinds) -> tuple[int, tuple[Linear, ...]] | None:
        event: NodeEvent
        try:
            next_event = advanced(state, known)
            event = _awaited(next_event, known, place_of(next_event))
        except ProgramError as error:
            event = Failure(state, error)
        seen = look(event.state)
        if seen is None:
            return None
        reached, variables = canonical(event, seen, noiseless, known)
        own = known.of(variables) if any(known) else known
        key = reached, own
        number = numbers.get(key)
        if number is None:
            if reached.pc >= 0:
                visited.add(reached)
            if len(numbers) >= STATE_LIMIT:
                raise _too_many(machine, event.state)
            number = numbers[key] = len(events)
            events.append((_renamed(machine, event, reached, own), len(variables)))
            kinds.append(own)
            count(states=1)
        return number, variables

    visit(start, NoiseKinds())
    done = 0
    while done < len(events):
        event, size = events[done]
        ways = []
        for case, state in _ways(machine, event, size, noiseless):
            arrival = visit(state, kinds[done].after(event, size))
            if arrival is not None:
                ways.append(Edge(*arrival, case))
        edges.append(tuple(ways))
        done += 1
    return Graph(
        tuple(Node(event, size, ways) for (event, size), ways in zip(events, edges, strict=True)),
        machine.code,
    )


def _advanced(machine: Machine, state: State, kinds: NoiseKinds) -> Event:
    """Return the next event; rounded inputs that it uses are named in its state.

    A rounding of a form that is whole already, because it consists of integer noise, is that form,
    also in a sum with real noise.
    """
    while True:
        event = machine.advance(state)
        for whole in wholes_in(looks_at(event)):
            if _is_settled(whole):
                if unit_in(whole.form.coefficients):
                    raise _by_epsilon(machine.code.instructions[event.state.pc].place)
                known = Linear.symbol(RoundedInput.of(whole))
                break
            if _is_whole(whole.form, kinds.integers):
                known = whole.form
                break
            if kinds.mixes(whole.form):
                known = _divided(whole, kinds, machine.code.instructions[event.state.pc].place)
                break
        else:
            return event
        env = tuple(with_whole(value, whole, known) for value in event.state.env)
        state = State(event.state.pc, env)


def _divided(whole: Whole, kinds: NoiseKinds, place: Place) -> Linear:
    """Return a whole number ⌊z + r⌋ as z + ⌊r⌋, for a whole number z."""
    integers = Linear(
        {name: q for name, q in whole.form.coefficients.items() if name in kinds.integers}
    )
    if not _is_whole(integers, kinds.integers):
        raise _mixed(place)
    rest: Any = whole.form - integers
    found: Linear = integers + made_whole(replace(whole, form=rest, low=None, high=None))
    return found


def _is_whole(form: Linear, integers: frozenset[int]) -> bool:
    """Whether a form consists of integer noise with whole coefficients."""
    numbers = (*form.coefficients.values(), form.constant)
    return all(name in integers for name in form.coefficients) and all(
        q.denominator == 1 for q in numbers
    )


def _too_many(machine: Machine, state: State) -> ProgramError:
    return ProgramError(
        f"the program has more than {STATE_LIMIT:,} states",
        place=machine.code.instructions[state.pc].place,
        rule="A state is a statement with all finite values; they are listed one by one.",
        way_out="Ask for the probability of one output, or keep fewer values at a time.",
    )


def has_integers(code: Code) -> bool:
    """Whether integer noise is sampled."""
    return any(
        isinstance(one, Sample) and NOISES[one.draw.noise].is_whole for one in code.instructions
    )


def _renamed(machine: Machine, event: NodeEvent, state: State, kinds: NoiseKinds) -> NodeEvent:
    """Return the event of a state with renamed noise."""
    if isinstance(event, Done):
        return Done(state, state.env[0])
    if isinstance(event, Failure):
        return Failure(state, event.error)
    found = machine.advance(state)
    return _awaited(found, kinds, machine.code.instructions[found.state.pc].place)


def _mixed(place: Place) -> ProgramError:
    return fail(
        place,
        "a part of integer noise is rounded together with real noise",
        "The floor of z + r is z plus the floor of r for a whole number z; of z / 2 + r it is no "
        "such sum.",
        "Round each of them, or compare the sum with numbers.",
    )


def _can_wait(event: Draw) -> bool:
    """Whether a sample may be drawn later: its mean is known already."""
    return event.width is None and _is_settled(event.mean)


def _by_epsilon(place: Place) -> ProgramError:
    return fail(
        place,
        "a number with 1 / eps in it is rounded",
        "As eps falls it passes every whole number, so there is no finite list of cases.",
        "Compare the rounded number with numbers only, or ask for one eps.",
    )


def _awaited(event: Event, kinds: NoiseKinds, place: Place) -> NodeEvent:
    """Return an event, or the sample or rounding that must precede it."""
    waiting = [looks_at(event)]
    whole = next(wholes_in(waiting[0]), None)
    if whole is not None:
        waiting.append(whole.form)
    for form in (form for value in waiting for form in forms_of(value)):
        for name in form.coefficients:
            if isinstance(name, Later):
                return LateDraw(event.state, name.noise, name.rate, name.mean, sample=name)
    if whole is None:
        return _with_bounded_reals(event, kinds)
    if unit_in(whole.form.coefficients):
        raise _by_epsilon(place)
    is_whole = not kinds.integers.isdisjoint(noise_part(whole.form))
    form = whole.form + Fraction(1, 2) if whole.nearest and not is_whole else whole.form
    return Rounding(event.state, form, whole, is_whole)


def _with_bounded_reals(event: Event, kinds: NoiseKinds) -> NodeEvent:
    """Return an event, or the rounding of real noise that it adds to integer noise.

    Of r = k + f with a whole number k, only 0 ≤ f < 1 remains: see `measure.mixed`.
    """
    if not isinstance(event, Compare | Done):
        return event
    for form in forms_of(looks_at(event)):
        if kinds.mixes(form):
            real = {n: q for n, q in noise_part(form).items() if n not in kinds.integers}
            if not kinds.bounded.issuperset(real):
                part = Linear({name: q for name, q in real.items() if name not in kinds.bounded})
                return Rounding(event.state, part, Whole(part), is_whole=False)
    return event


def _inserted(value: Value, sample: Later, fresh: Linear) -> Value:
    """Return a value with a sample replaced by a variable."""
    if isinstance(value, Linear):
        for whole in wholes_in(value):
            form = _inserted(whole.form, sample, fresh)
            if form is not whole.form:
                value = with_whole(value, whole, made_whole(replace(whole, form=form)))
        return value.substituted({sample: fresh}) if sample in value.coefficients else value
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: _inserted(part, sample, fresh))
    if isinstance(value, tuple):
        parts = [_inserted(part, sample, fresh) for part in value]
        if any(map(is_not, parts, value)):
            return List(parts) if isinstance(value, List) else tuple(parts)
    return value


def _ways(
    machine: Machine, event: NodeEvent, count: int, noiseless: Mapping[int, Value]
) -> Iterator[tuple[int | bool | None, State]]:
    """Yield the cases of an event with the states after them; a new sample is symbol `count`."""
    if isinstance(event, Rounding):
        yield None, _rounded(event, count)
    elif isinstance(event, LateDraw):
        assert event.sample is not None
        fresh = Linear.symbol(count)
        env = tuple(
            value if id(value) in noiseless else _inserted(value, event.sample, fresh)
            for value in event.state.env
        )
        yield None, State(event.state.pc, env)
    elif isinstance(event, Draw):
        fresh = Linear.symbol(count)
        moved = has_noise(event.mean)
        yield None, machine.resume(event, event.mean + fresh if moved else fresh)
    elif isinstance(event, Selection):
        for case, value in enumerate(event.values):
            yield case, machine.resume(event, value)
    elif isinstance(event, Compare):
        for truth in (False, True):
            yield truth, machine.resume(event, truth)


def _rounded(event: Rounding, count: int) -> State:
    """Return the state after a rounding: the variables `count` and `count + 1` are new."""
    env: Any = event.state.env
    whole = Linear.symbol(count)
    env = tuple(with_whole(value, event.whole, whole) for value in env)
    if not event.is_whole:
        noise = noise_part(event.form)
        gone = min(noise, key=lambda v: (abs(noise[v]) != 1, v))
        rest = event.form - Linear({gone: noise[gone]})
        value = (whole + Linear.symbol(count + 1) - rest) / noise[gone]
        env = tuple(_replaced(one, gone, value) for one in env)
    return State(event.state.pc, env)


def _replaced(value: Value, gone: int, form: Linear) -> Value:
    """Return a value with a variable replaced by a form, also inside roundings."""
    if isinstance(value, tuple):
        parts = [_replaced(part, gone, form) for part in value]
        if any(map(is_not, parts, value)):
            return List(parts) if isinstance(value, List) else tuple(parts)
        return value
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: _replaced(part, gone, form))
    if not isinstance(value, Linear):
        return value
    for whole in wholes_in(value):
        if gone in noise_part(whole.form):
            value = with_whole(value, whole, _whole_with(whole, gone, form))
    return value.substituted({gone: form}) if gone in value.coefficients else value


def _whole_with(whole: Whole, gone: int, form: Linear) -> Any:
    """Return a whole number with a variable replaced by a form k + f − ….

    ⌊(k + f)/n + c⌋ is ⌊k/n + c⌋ for a positive integer n and a multiple c of 1/n.
    """
    inner = _replaced(whole.form, gone, form)
    rest = max(noise_part(form))
    q = Fraction(inner.coefficients.get(rest - 1, 0)) if isinstance(inner, Linear) else Fraction(0)
    if not whole.nearest and q > 0 and q.numerator == 1 and inner.coefficients.get(rest) == q:
        alone = len(inner.coefficients) == 2
        if alone and (inner.constant / q).denominator == 1:
            inner = inner - Linear({rest: q})
    return made_whole(replace(whole, form=inner))


def has_noise(form: object) -> bool:
    """Whether a form depends on noise, not on inputs only."""
    return isinstance(form, Linear) and any(isinstance(name, int) for name in form.coefficients)


def noise_part(form: object) -> dict[int, Fraction]:
    """Return the coefficients of the noise in a form."""
    if not isinstance(form, Linear):
        return {}
    return {name: Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int)}


def contains_noise(value: Value) -> bool:
    """Whether a value contains noise."""
    if isinstance(value, NoisyQuotient):
        return contains_noise((value.over, value.under))
    return any(map(contains_noise, value)) if isinstance(value, tuple) else has_noise(value)


def _is_settled(value: Value) -> bool:
    """Whether a value contains neither noise nor samples that are still to be drawn."""
    if isinstance(value, tuple):
        return all(map(_is_settled, value))
    if isinstance(value, Whole):
        return _is_settled(value.form)
    if isinstance(value, NoisyQuotient):
        return _is_settled((value.over, value.under))
    if not isinstance(value, Linear):
        return True
    return all(
        isinstance(n, str) or (isinstance(n, Whole) and _is_settled(n)) for n in value.coefficients
    )


def canonical(
    event: NodeEvent, state: State, noiseless: dict[int, Value], kinds: NoiseKinds
) -> tuple[State, tuple[Linear, ...]]:
    """Return the state at an event with its noise renamed, and the meaning of the new variables.

    A variable that consists of integer noise is an integer too. At the end of a run only the
    output matters; it replaces the environment. Tuples known to contain no noise (above all, the
    inputs) are cached in `noiseless` by identity.
    """
    basis = _Basis(noiseless, kinds)
    if kinds.integers:
        basis.seed(event.output if isinstance(event, Done) else state.env)
    if isinstance(event, Done):
        return State(-1, (basis.rename(event.output),)), tuple(basis.forms)
    env = tuple(basis.rename(value) for value in state.env)
    return State(state.pc, env), tuple(basis.forms)


class _Basis:
    """Collects independent forms and writes others in terms of them.

    For integer noise z, a form z/2 + 1/4 is stored as z, so that it is an integer.
    """

    def __init__(self, noiseless: dict[int, Value], kinds: NoiseKinds) -> None:
        self._noiseless = noiseless
        self._kinds, self._integers = kinds, kinds.integers
        self.forms: list[Linear] = []
        self._late: dict[Later, Later] = {}
        self._laws: dict[object, int] = {}
        self._simple: dict[int, int] = {}
        self._is_simple = not kinds.integers
        """Whether all forms so far are single symbols."""
        # Rows in echelon form: (pivot, coefficients of noise, combination of the basis).
        self._rows: list[tuple[int, dict[int, Fraction], dict[int, Fraction]]] = []

    def seed(self, value: Value) -> None:
        """Make the parts k and f of forms with integer and real noise variables of their own."""
        for form in all_forms(value):
            if self._kinds.mixes(form):
                for name in noise_part(form):
                    self._rename(Linear.symbol(name))

    def rename(self, value: Value) -> Value:
        """Return a value with its noise renamed."""
        if isinstance(value, NoisyQuotient):
            return value.mapped(self.rename)
        if isinstance(value, Symbolic):
            assert isinstance(value, Linear)
            if _is_settled(value):
                return value
            found = self._rename_symbol(value)
            return self._rename_form(value) if found is None else found
        if isinstance(value, tuple) and id(value) not in self._noiseless:
            parts = [self.rename(part) for part in value]
            if any(a is not b for a, b in zip(parts, value, strict=True)):
                return List(parts) if isinstance(value, List) else tuple(parts)
            if all(map(_is_settled, value)):
                self._noiseless[id(value)] = value
        return value

    def _rename_symbol(self, form: Linear) -> Linear | None:
        """Return a form that is a single symbol with its new name; None in the general case."""
        if form.constant or len(form.coefficients) != 1:
            return None
        ((name, q),) = form.coefficients.items()
        if q != 1:
            return None
        new: Hashable
        if isinstance(name, Later | Whole):
            new = self._symbol(name)
        elif not self._is_simple:
            return None
        else:
            assert isinstance(name, int)
            if name not in self._simple:
                self._simple[name] = len(self.forms)
                self._rows.append((name, {name: _ONE}, {len(self.forms): _ONE}))
                self.forms.append(form)
            new = self._simple[name]
        return form if new == name else Linear.symbol(new)

    def _rename_form(self, form: Linear) -> Scalar:
        """Return a form with its noise and its samples that are still to be drawn renamed."""
        late = {name: q for name, q in form.coefficients.items() if isinstance(name, Later | Whole)}
        if not late:
            return self._rename(form)
        rest: Any = form - Linear.build(late, 0)
        found: Any = Linear.build({self._symbol(name): q for name, q in late.items()}, 0)
        return found + (self._rename(rest) if has_noise(rest) else rest)  # type: ignore[no-any-return]

    def _symbol(self, name: Later | Whole) -> Later | Whole:
        """Return a sample that is still to be drawn, or a whole number, in the new variables."""
        if isinstance(name, Later):
            return self._numbered(name)
        return replace(name, form=self.rename(name.form))

    def _numbered(self, sample: Later) -> Later:
        """Return a sample numbered by its occurrence among those with the same law."""
        if sample not in self._late:
            number = self._laws[sample.law] = self._laws.get(sample.law, -1) + 1
            same = number == sample.number
            self._late[sample] = sample if same else replace(sample, number=number)
        return self._late[sample]

    def _rename(self, form: Linear) -> Scalar:
        rest = {name: Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int)}
        combination: dict[int, Fraction] = {}
        for pivot, row, made_of in self._rows:
            factor = rest.get(pivot)
            if factor:
                for name, q in row.items():
                    rest[name] = rest.get(name, Fraction(0)) - factor * q
                for j, q in made_of.items():
                    combination[j] = combination.get(j, Fraction(0)) + factor * q
        rest = {name: q for name, q in rest.items() if q}
        if rest:
            self._is_simple = False
            new = len(self.forms)
            is_whole = not self._integers.isdisjoint(rest)
            step, start = _lattice(form) if is_whole else (Fraction(1), 0)
            kept = (form - start) * (1 / step)
            assert isinstance(kept, Linear)
            self.forms.append(kept)
            pivot = min(rest)
            scale = rest[pivot]
            made_of = {j: -q / scale for j, q in combination.items()}
            made_of[new] = step / scale
            self._rows.append((pivot, {name: q / scale for name, q in rest.items()}, made_of))
            return Linear.build({new: step}, 0) + start
        leftover: Any = form
        renamed: dict[Hashable, Fraction] = {}
        for j, q in combination.items():
            if q:
                leftover = leftover - q * self.forms[j]
                renamed[j] = q
        if isinstance(leftover, Linear):
            return Linear.build({**renamed, **leftover.coefficients}, leftover.constant)
        return Linear.build(renamed, leftover)


def _lattice(form: Linear) -> tuple[Fraction, Any]:
    """Return step and start such that (form − start)/step is whole; inputs may not be."""
    noise = (Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int))
    step = Fraction(1, math.lcm(*(q.denominator for q in noise)))
    inputs = {
        name: q
        for name, q in form.coefficients.items()
        if isinstance(name, str) and not isinstance(name, RoundedInput)
    }
    return step, Linear.build(inputs, Fraction(form.constant) % step)

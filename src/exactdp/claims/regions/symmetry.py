"""Which inputs of a program are interchangeable, proved on its graph for one output or for all.

V(node, x; u) is the probability of ending in an output from a node with variables x. To prove that
it does not change when two inputs are exchanged, two runs are followed in parallel: one from x at
u, the other from x at u with both exchanged. Samples with the same law are coupled: they are one
number in both runs, paired by position, regardless of earlier events; so each run has its correct
distribution. A pair of runs is finished when both are at one node with the same variables, or with
variables for which invariance is already known, and have drawn the same samples, so that all others
are still independent: V does not change there. If all pairs finish in this way, V does not change.

In a graph with several outputs, the output may change when inputs are exchanged, from o to τ(o) for
a bijection τ, as the position of the maximum does. Then two different nodes may also be compared,
and a pair that ends in o and o′ requires τ(o) = o′.

Without noise (the ideal), a sample is its mean, and every tie counts. With continuous noise, events
that require noise to equal a given value have probability 0 and are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from exactdp.claims.disagreement.symbolic_runs import inserted
from exactdp.claims.stated.enclosing import picked
from exactdp.claims.stated.pieces import condition
from exactdp.language.events import Compare, Done, Draw, Selection
from exactdp.language.linear import Linear
from exactdp.language.nested import leaves
from exactdp.language.operations import COMPARISONS
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.operators import NEGATED
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Edge, Failure, Rounding, has_noise, looks_at

Exchange: TypeAlias = Mapping[Hashable, Hashable]
"""Inputs and variables of a node, each with its replacement."""

Law: TypeAlias = tuple[str, Fraction, Any, Any]
"""The noise of a sample, its rate, its mean and its width as forms in inputs."""

_MOST_SAMPLES = 12  # between two inputs that are exchanged
_MOST_STEPS = 2_000  # of all runs that one proof follows
_TRIES = 3  # groups that an input may belong to

_DEAD = -1


class Symmetry:
    """The exchanges of inputs that preserve the probability of each output at every input.

    With several outputs, the outputs may be permuted: see `outputs`.
    """

    def __init__(self, graph: Graph, *, noiseless: bool) -> None:
        self.graph = graph
        self.noiseless = noiseless
        self.counts_ties = noiseless or graph.whole
        self.rank = {n: k for k, part in enumerate(graph.components) for n in part}
        self.inputs = {name: Linear.symbol(name) for name in graph.mentions[0]}
        self._all = {node.event.output for node in graph.nodes if isinstance(node.event, Done)}
        self._is_single = len(self._all) <= 1
        self._known: dict[object, bool] = {}
        self._left = 0
        self.outputs: dict[Value, Value] = {}
        """The output τ(o) at exchanged inputs for each output o, as far as encountered."""

    def allows(
        self, one: str, two: str, outputs: Mapping[Value, Value] = MappingProxyType({})
    ) -> bool:
        """Whether two inputs are proved to be interchangeable; τ may be known for some outputs."""
        self._left = _MOST_STEPS
        self.outputs = dict(outputs)
        if not self._is_single:
            self._known = {}
        elif not all(self.maps(output, output) for output in self._all):
            return False  # the only output stays, so τ must not change it
        return self.unchanged((0, 0), {one: two, two: one})

    def unchanged(self, numbers: tuple[int, int], exchange: Exchange) -> bool:
        """Whether V at a node is proved to be that at another, or the same, after an exchange."""
        one, two = numbers
        size = self.graph.nodes[one].variables
        if self.graph.nodes[two].variables != size:
            return False
        seen = self.graph.mentions[one] | self.graph.mentions[two]
        here = {
            a: b
            for a, b in exchange.items()
            if a != b and (a in seen or b in seen if isinstance(a, str) else _index(a) < size)
        }
        if one == two and not here:
            return self._keeps_outputs(one)
        if self.graph.cyclic[one] or self.graph.cyclic[two]:
            return False
        key = numbers, frozenset(here.items())
        if key not in self._known:
            before = dict(self._known), dict(self.outputs)
            self._known[key] = False
            if _Proof(self, numbers, here).holds():
                self._known[key] = True
            else:  # what was proved with values of τ that are not kept is forgotten
                self._known, self.outputs = before
                self._known[key] = False
        return self._known[key]

    def maps(self, one: Value, two: Value) -> bool:
        """Set τ(one) = two, and return whether τ is still a bijection."""
        if one in self.outputs:
            return bool(self.outputs[one] == two)
        if two in self.outputs.values():
            return False
        self.outputs[one] = two
        return True

    def _keeps_outputs(self, number: int) -> bool:
        """Whether τ(o) = o for all outputs o that a node leads to."""
        if self._is_single:
            return True
        before = dict(self.outputs)
        if all(self.maps(one, one) for one in self._ends[number]):
            return True
        self.outputs = before
        return False

    @cached_property
    def _ends(self) -> list[frozenset[Value]]:
        """The outputs that each node leads to."""
        found: list[frozenset[Value]] = [frozenset()] * len(self.graph.nodes)
        for component in reversed(self.graph.components):
            together: set[Value] = set()
            for number in component:
                event = self.graph.nodes[number].event
                together |= {event.output} if isinstance(event, Done) else set()
                together = together.union(
                    *(found[edge.target] for edge in self.graph.nodes[number].edges)
                )
            for number in component:
                found[number] = frozenset(together)
        return found

    def may_step(self) -> bool:
        """Count a step, and return whether it may be taken."""
        self._left -= 1
        return self._left >= 0


def _index(name: Hashable) -> int:
    assert isinstance(name, int)
    return name


class _Run(NamedTuple):
    """The state of a run: its node, its variables, and how much it has drawn and chosen."""

    node: int
    values: tuple[Any, ...]
    draws: int = 0
    choices: tuple[int, ...] = ()


@dataclass(frozen=True)
class _RunPair:
    """Two runs under the same conditions; the second has inputs exchanged."""

    runs: tuple[_Run, _Run]
    rows: Polyhedron = ()

    def with_run(self, which: int, run: _Run, rows: Polyhedron = ()) -> _RunPair:
        one, two = self.runs
        return _RunPair((one, run) if which else (run, two), (*self.rows, *rows))


class _Proof:
    """A proof that V at a node is that at another, or the same, after an exchange."""

    def __init__(self, asked: Symmetry, numbers: tuple[int, int], exchange: Exchange) -> None:
        self._asked, self._graph = asked, asked.graph
        self._numbers, self._exchange = numbers, exchange
        swapped = {
            name: Linear.symbol(exchange.get(name, name))
            for name in {*asked.inputs, *(a for a in exchange if isinstance(a, str))}
        }
        self._inputs: tuple[Mapping[str, Any], ...] = ({**swapped, **asked.inputs}, swapped)
        self._laws: dict[int, Law] = {}
        """The law of each sample of the first run by position, as far as encountered."""
        self._chances: dict[int, object] = {}

    @cached_property
    def _partners(self) -> dict[int, int]:
        """Map each sample of the second run to a sample of the first run.

        All samples whose laws are exchanged have a partner; every other one is its own partner.
        """
        laws: list[Law] = []
        for law in self._law_list():
            laws.append(law)
            if self._are_closed(laws):
                break
        swapped = [self._exchanged(law) for law in laws]
        found = {k: k for k, law in enumerate(laws) if law == swapped[k]}
        free = [k for k in range(len(laws)) if k not in found]
        for k in list(free):
            place = next((j for j in free if laws[j] == swapped[k]), None)
            if place is not None:
                free.remove(place)
                found[k] = place
        return found

    def _are_closed(self, laws: list[Law]) -> bool:
        """Whether the exchange permutes some laws, and not only leaves them."""
        swapped = [self._exchanged(law) for law in laws]
        return swapped != laws and Counter(swapped) == Counter(laws)

    def _exchanged(self, law: Law) -> Law:
        noise, rate, *forms = law
        mean, width = (inserted(form, (), self._inputs[1]) for form in forms)
        return noise, rate, mean, width

    def _law_list(self) -> Iterator[Law]:
        """Yield the laws of the samples after the node, as long as all paths have the same."""
        level = {*self._numbers}
        for _ in range(_MOST_SAMPLES):
            draws = set(self._next_draws(level))
            events = [event for n in draws if isinstance(event := self._event(n), Draw)]
            laws = list(dict.fromkeys(map(_law, events)))
            if len(laws) != 1:
                return
            yield laws[0]
            level = {edge.target for n in draws for edge in self._graph.nodes[n].edges}

    def _next_draws(self, level: set[int]) -> Iterator[int]:
        """Yield the nodes of the next samples on paths from some nodes."""
        waiting, seen = list(level), set(level)
        while waiting:
            number = waiting.pop()
            if isinstance(self._event(number), Draw):
                yield number
                continue
            new = {edge.target for edge in self._graph.nodes[number].edges} - seen
            waiting += new
            seen |= new

    def _event(self, number: int) -> Any:
        return self._graph.nodes[number].event

    def holds(self) -> bool:
        start, partner = self._numbers
        size = self._graph.nodes[start].variables
        own = tuple(Linear.symbol(k) for k in range(size))
        other = tuple(Linear.symbol(self._exchange.get(k, k)) for k in range(size))
        waiting = [_RunPair((_Run(start, own), _Run(partner, other)))]
        while waiting:
            pair = waiting.pop()
            if self._is_done(pair):
                continue
            if not self._asked.may_step():
                return False
            further = self._advanced(pair)
            if further is None:
                return False
            waiting += further
        return True

    def _is_done(self, pair: _RunPair) -> bool:
        """Whether both runs are at states known to have the same V."""
        one, two = pair.runs
        if _DEAD in (one.node, two.node):
            return one.node == two.node
        ends = self._event(one.node), self._event(two.node)
        if all(isinstance(end, Done) for end in ends) and not (one.values or two.values):
            return self._asked.maps(ends[0].output, ends[1].output)
        if self._numbers == (one.node, two.node) or not self._have_drawn_the_same(one, two):
            return False
        order = self._order(one.values, two.values, pair.rows)
        if order is None:
            return False
        names: dict[Hashable, Hashable] = {
            a: b for a, b in self._exchange.items() if isinstance(a, str)
        }
        return self._asked.unchanged((one.node, two.node), {**names, **order})

    def _have_drawn_the_same(self, one: _Run, two: _Run) -> bool:
        """Whether the future samples of one run are independent of the past ones of the other."""
        if self._asked.noiseless:
            return True
        if one.draws != two.draws or len(one.choices) != len(two.choices):
            return False
        partners = self.__dict__.get("_partners", {})
        return {partners.get(k, k) for k in range(two.draws)} == set(range(one.draws))

    def _order(
        self, one: Sequence[Any], two: Sequence[Any], rows: Polyhedron
    ) -> dict[Hashable, Hashable] | None:
        """Return the variable of the first run that corresponds to each one of the second run."""
        if len(one) != len(two):
            return None
        left = [k for k, value in enumerate(two) if not self._is_equal(one[k], value, rows)]
        free = list(left)
        order: dict[Hashable, Hashable] = {}
        for k in left:
            place = next((j for j in free if self._is_equal(one[j], two[k], rows)), None)
            if place is None:
                return None
            free.remove(place)
            order[k] = place
        return order

    def _is_equal(self, one: Any, two: Any, rows: Polyhedron) -> bool:
        """Whether two values are equal, or equal under the conditions."""
        gap = one - two
        if not isinstance(gap, Linear):
            return not gap
        if not self._asked.counts_ties or not rows:
            return False
        return not any(feasible((*rows, *more)) for op in "<>" for more in condition(gap, op))

    # Steps ------------------------------------------------------------------------------

    def _advanced(self, pair: _RunPair) -> list[_RunPair] | None:
        """Return the possible next pairs; None if the runs cannot be followed."""
        one, two = pair.runs
        if self._is_over(one) and self._is_over(two):
            return None
        if one.node == two.node and self._looks(one, 0) == self._looks(two, 1):
            both = self._together(pair)
            if both is not None:
                return both
        which = int(self._rank(two) < self._rank(one))
        return self._alone(pair, which)

    def _rank(self, run: _Run) -> int:
        return len(self._asked.rank) if self._is_over(run) else self._asked.rank[run.node]

    def _is_over(self, run: _Run) -> bool:
        return run.node == _DEAD or isinstance(self._event(run.node), Done)

    def _looks(self, run: _Run, which: int) -> Any:
        event = self._graph.nodes[run.node].event
        return inserted(looks_at(event), run.values, self._inputs[which])

    def _together(self, pair: _RunPair) -> list[_RunPair] | None:
        """Return both runs after an event that is the same in both; None if there is none."""
        event = self._event(pair.runs[0].node)
        if isinstance(event, Draw):
            return self._draw_together(pair, event)
        if not isinstance(event, Compare):
            return None
        return [
            replace(self._both_take(pair, truth), rows=(*pair.rows, *rows))
            for truth, rows in self._answers(event.op, self._looks(pair.runs[0], 0), pair.rows)
        ]

    def _draw_together(self, pair: _RunPair, event: Draw) -> list[_RunPair] | None:
        """Return both runs after a sample that is its own partner.

        This is true of all samples before the first one whose law is exchanged.
        """
        one, two = pair.runs
        if one.draws != two.draws or "_partners" in self.__dict__:
            return None
        fresh = self._drawn(event, one, 0)
        if fresh is None:
            return None
        grown = (
            run._replace(values=(*run.values, fresh), draws=run.draws + 1) for run in pair.runs
        )
        first, second = (self._taken(run, k, None) for k, run in enumerate(grown))
        return [replace(pair, runs=(first, second))]

    def _both_take(self, pair: _RunPair, truth: bool) -> _RunPair:
        one, two = (self._taken(run, k, truth) for k, run in enumerate(pair.runs))
        return replace(pair, runs=(one, two))

    def _alone(self, pair: _RunPair, which: int) -> list[_RunPair] | None:
        """Return the pairs after a step of one run."""
        run = pair.runs[which]
        node = self._graph.nodes[run.node]
        event = node.event
        if self._graph.cyclic[run.node] or isinstance(event, Failure | Done | Rounding):
            return None
        if isinstance(event, Draw):
            fresh = self._drawn(event, run, which)
            if fresh is None:
                return None
            drawn = run._replace(values=(*run.values, fresh), draws=run.draws + 1)
            return [pair.with_run(which, self._taken(drawn, which, None))]
        if isinstance(event, Selection):
            return self._chosen(pair, which, event)
        return [
            pair.with_run(which, self._taken(run, which, truth), rows)
            for truth, rows in self._answers(event.op, self._looks(run, which), pair.rows)
        ]

    def _taken(self, run: _Run, which: int, case: Any) -> _Run:
        """Return a run after an event with a given outcome."""
        edges: tuple[Edge, ...] = self._graph.nodes[run.node].edges
        edge = next((one for one in edges if one.case == case), None)
        if edge is None:
            return run._replace(node=_DEAD, values=())
        values = inserted(edge.variables, run.values, self._inputs[which])
        return run._replace(node=edge.target, values=values)

    def _answers(
        self, op: str, difference: Any, rows: Polyhedron
    ) -> Iterator[tuple[bool, Polyhedron]]:
        """Yield the possible answers of a comparison, each with the condition for it."""
        if not isinstance(difference, Linear):
            yield COMPARISONS[op](difference, 0), ()
            return
        is_noise = not self._asked.counts_ties and _has_noise(difference)
        for truth in (True, False):
            asked = op if truth else NEGATED[op]
            if is_noise and asked == "==":
                continue
            if is_noise and asked == "!=":
                yield truth, ()
                continue
            for given in condition(difference, asked):
                more = given
                if is_noise:
                    more = tuple(Halfspace(one.form, strict=True) for one in given)
                if feasible((*rows, *more)):
                    yield truth, more

    # Noise ------------------------------------------------------------------------------

    def _drawn(self, event: Draw, run: _Run, which: int) -> Any:
        """Return the number that a run draws; None if the samples of the runs differ.

        The laws of samples in order must be the same regardless of earlier events.
        """
        mean, width = (
            inserted(form, (), self._inputs[which]) for form in (_mean(event), event.width)
        )
        if self._asked.noiseless:
            return mean
        law: Law = event.noise, event.rate, mean, width if event.base is None else event.base
        place = run.draws
        if which:
            partner = self._partners.get(place)
            if partner is None and place in self._partners.values():
                return None
            place = place if partner is None else partner
        if self._laws.setdefault(place, law) != law:
            return None
        return Linear.symbol(("sample", place))

    def _chosen(self, pair: _RunPair, which: int, event: Selection) -> list[_RunPair] | None:
        run = pair.runs[which]
        if self._asked.noiseless:
            if event.exponents is None:
                return None
            return [pair.with_run(which, self._taken(run, which, picked(event)))]
        scores = inserted(event.exponents, (), self._inputs[which])
        place, chances = len(run.choices), (scores, event.chances)
        known = self._chances.setdefault(place, chances)
        order = _matched(chances, known)
        if order is None:
            return None
        other = pair.runs[1 - which].choices
        return [
            pair.with_run(
                which, self._taken(run._replace(choices=(*run.choices, own)), which, case)
            )
            for case, own in enumerate(order)
            if place >= len(other) or own == other[place]
        ]


def _matched(one: Any, two: Any) -> Sequence[int] | None:
    """Match each value of a choice with an equally likely value of another choice.

    Candidates of `expmech` may be exchanged with their scores. None if the choices differ.
    """
    (scores, chances), (known, others) = one, two
    if chances != others or (scores is None) != (known is None):
        return None
    if scores is None:
        return range(len(chances))
    left = dict(enumerate(known))
    order = []
    for score in scores:
        found = next((k for k, other in left.items() if other == score), None)
        if found is None:
            return None
        del left[found]
        order.append(found)
    return None if left else order


def _law(event: Draw) -> Law:
    return event.noise, event.rate, _mean(event), event.width or event.base


def _mean(event: Draw) -> Any:
    """Return the mean of a sample, or 0 if noise is added to noise."""
    return 0 if has_noise(event.mean) else event.mean


def _has_noise(form: Linear) -> bool:
    return any(not isinstance(name, str) for name in form.coefficients)


def groups(
    allows: Callable[[int, int], bool], places: Iterable[int]
) -> tuple[tuple[int, ...], ...]:
    """Return groups of numbers that may be permuted; `allows` decides which may be exchanged."""
    found: list[list[int]] = []
    for place in places:
        for group in found[: -_TRIES - 1 : -1]:
            if allows(group[-1], place):
                group.append(place)
                found.remove(group)
                found.append(group)
                break
        else:
            found.append([place])
    return tuple(map(tuple, found))


def sees_shifts(graph: Graph) -> bool:
    """Whether something may change when all inputs are shifted by the same amount.

    Nothing changes if each variable of a node moves by a fixed multiple of the amount, and compared
    quantities do not move.
    """
    if graph.whole:
        return True
    moves: dict[int, tuple[Fraction, ...]] = {0: ()}
    for component in graph.components:
        if len(component) > 1 or graph.cyclic[component[0]]:
            return True
        (number,) = component
        node = graph.nodes[number]
        event, here = node.event, moves.get(number)
        if here is None:
            continue
        if isinstance(event, Draw):
            if _move(event.width, here):
                return True
            here = (*here, _move(_mean(event), here))
        elif isinstance(event, Selection):
            if len({_move(form, here) for form in leaves(event.exponents)}) > 1:
                return True  # only the differences of scores matter
        elif any(_move(form, here) for form in leaves(looks_at(event))):
            return True
        for edge in node.edges:
            there = tuple(_move(form, here) for form in edge.variables)
            if moves.setdefault(edge.target, there) != there:
                return True
    return False


def _move(form: object, moves: Sequence[Fraction]) -> Fraction:
    """Return how much a form changes when all inputs increase by 1."""
    if not isinstance(form, Linear):
        return Fraction(0)
    parts = form.coefficients.items()
    return sum(
        (Fraction(q) * (moves[n] if isinstance(n, int) else 1) for n, q in parts), Fraction(0)
    )

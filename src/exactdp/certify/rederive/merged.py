"""All runs of a program as a graph: runs that reach the same state are merged.

A state is an instruction and the values of the variables that are still needed. A node is a state
at a question: a comparison of unknowns, or a random choice. Where an instruction has several, each
is a node. In runs with noise an unknown is a
sample, its mean included; samples are renumbered at each node, so states that differ only in which
samples they hold are one. Without noise the unknowns are the numbers of the input, and keep their
names.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from .choices import Choices
from .flat import RETURNED
from .interpreter import FAILURES, FunctionCall
from .linear import LinearForm, forms_in, may_hold, spelled_key
from .orders import Orders
from .programs import SourceProgram, frozen
from .ratios import Ratio, UnsupportedError
from .runs import NO_INPUTS, Path, Picked, Question

_MOST_NODES = 30_000
_MOST_OUTCOMES = 300  # of one instruction
_TRANSLATED = ("lap", "expo")

Locals = dict[str, Any]
Laws = dict[int, "Law"]


class Law(NamedTuple):
    """How a sample is distributed: around a mean, which may hold unknowns."""

    kind: str
    rate: Fraction
    mean: Any


@dataclass(frozen=True)
class Output:
    """The end of a run."""

    value: Any


@dataclass(frozen=True)
class Goto:
    """A run goes on at a node; `names` are those of its samples here."""

    node: int
    names: tuple[int, ...]


@dataclass(frozen=True)
class Way:
    """What follows an answer to a question."""

    laws: Laws
    """Of the samples that are drawn before the next node, or not compared yet."""
    end: Output | Goto


@dataclass
class MergedNode:
    """A state at a question: what may happen next."""

    laws: Laws
    """Of the samples here that are not compared yet."""
    introduced: frozenset[int]
    """The samples that were compared before."""
    question: Question | None = None
    """None where runs begin."""
    ways: list[Way] = field(default_factory=list)
    """One for each answer."""

    def after(self) -> frozenset[int]:
        """Return the samples that are compared before or here; known from the first way on."""
        if self.question is None or isinstance(self.question, Picked):
            return self.introduced
        laws = self.ways[0].laws
        asked = laws.keys() & self.question[0].coefficients
        return self.introduced | with_means(asked, laws)


class _Walk(Path):
    """A run of one instruction, with choices given in advance."""

    def __init__(self, orders: Orders | None, *, noisy: bool) -> None:
        super().__init__((), noisy=noisy, inputs=NO_INPUTS if noisy else None, orders=orders)
        self.begin((), 0)

    def begin(self, choices: tuple[int, ...], start: int) -> None:
        """Begin an instruction; samples get names from a number on."""
        Choices.__init__(self, choices)
        self.conditions, self.asked = [], []
        self.laws: Laws = {}
        self.next = start

    def _has_integers(self, form: LinearForm) -> bool:
        """Return False: there is no integer noise."""
        del form
        return False

    def draw(self, kind: str, rate: Fraction, mean: Any) -> Any:
        """Return a new sample."""
        if not self.noisy:
            return super().draw(kind, rate, mean)
        if kind not in _TRANSLATED:
            raise UnsupportedError("noise that does not only move with its mean")
        self.laws[self.next] = Law(kind, rate, mean)
        self.next += 1
        return LinearForm({self.next - 1: Fraction(1)}, Fraction(0), self)

    def uniform(self, lower: Any, upper: Any) -> Any:
        """Refuse noise with ends."""
        if self.noisy:
            raise UnsupportedError("noise that does not only move with its mean")
        return super().uniform(lower, upper)


class RunGraph:
    """Nodes, of which the first is where runs begin."""

    def __init__(self, nodes: list[MergedNode]) -> None:
        self.nodes = nodes
        self.order = self._sorted()

    def ends(self, k: int) -> list[Output | Goto]:
        """Return where a node leads."""
        return [way.end for way in self.nodes[k].ways]

    def outputs(self) -> list[Any]:
        """Return the outputs of all runs, perhaps repeated."""
        found = (end for k in self.order for end in self.ends(k))
        return [end.value for end in found if isinstance(end, Output)]

    def _sorted(self) -> list[int]:
        """Return the nodes, each after all to which it leads."""
        state = [0] * len(self.nodes)
        found: list[int] = []
        waiting = [(0, False)]
        while waiting:
            k, is_done = waiting.pop()
            if is_done:
                state[k] = 2
                found.append(k)
            elif state[k] == 0:
                state[k] = 1
                waiting.append((k, True))
                for one in self.ends(k):
                    if isinstance(one, Goto):
                        if state[one.node] == 1:
                            raise UnsupportedError("a loop comes back to a comparison")
                        waiting.append((one.node, False))
        return found


class Moment(NamedTuple):
    """Where a question is: at an instruction, after some answers in it."""

    pc: int
    local: Locals
    answers: tuple[int, ...]
    start: int
    """The name of the first sample of the instruction."""
    first: int
    """The node of its first question."""


class MergedRuns(RunGraph):
    """The graph of all runs of a program."""

    def __init__(
        self,
        program: SourceProgram,
        given: list[Any],
        *,
        noisy: bool,
        orders: Orders | None = None,
    ) -> None:
        """Explore; of the input, `given` has None for each real number."""
        self.program = program
        self.noisy = noisy
        assert program.function is not None
        self.flat = program.code(program.function, for_graph=True)
        self.nodes: list[MergedNode] = []
        self._walk = _Walk(orders, noisy=noisy)
        self._known: dict[object, int] = {}
        self._lists: dict[int, list[Any]] = {}
        """The lists of the input, by identity: no list is ever changed in place."""
        self._list_keys: dict[int, object] = {}
        self._short: dict[object, object] = {}
        self._waiting: list[tuple[int, Moment]] = []
        self._outcomes: dict[int, int] = {}
        """Of instructions, by the node of their first question."""
        program.steps.begin()
        start = MergedNode({}, frozenset())
        self.nodes.append(start)
        local = dict(zip(program.parameters, self._input(given), strict=True))
        start.ways.append(self._advanced({}, 0, local, start.introduced))
        while self._waiting:
            k, moment = self._waiting.pop()
            self._expand(k, moment)
        super().__init__(self.nodes)

    @property
    def ignores_ties(self) -> bool:
        """Whether runs in which samples are equal may go other ways."""
        return self._walk.ignored_ties

    def _input(self, given: list[Any]) -> list[Any]:
        count = 0

        def entry(one: Any) -> Any:
            nonlocal count
            if isinstance(one, list):
                made = [entry(item) for item in one]
                self._lists[id(made)] = made
                return made
            count += 1
            if one is not None:
                return one
            name = -count if self.noisy else count - 1
            return LinearForm({name: Fraction(1)}, Fraction(0), self._walk)

        return [entry(one) for one in given]

    # Running --------------------------------------------------------------------------

    def _step(self, pc: int, local: Locals) -> tuple[int, Any]:
        """Run one instruction; return the next one, and what is returned."""
        call = FunctionCall(self.program, self._walk, local, 1, self.flat)
        try:
            after = call.step(pc)
            output = frozen(call.output)
        except FAILURES as error:
            raise UnsupportedError(f"a run of the program fails: {error}") from error
        if _holds_terms(output):
            raise UnsupportedError("an output is a function of ε")
        return after, output

    def _advanced(self, laws: Laws, pc: int, local: Locals, introduced: frozenset[int]) -> Way:
        """Run until there is a question, and return how the run goes on."""
        laws = dict(laws)
        while True:
            before = dict(local)
            start = 1 + max((*laws, *introduced), default=-1)
            self._walk.begin((), start)
            after, output = self._step(pc, local)
            if self._walk.asked:
                return Way(laws, self._at_node(laws, pc, before, introduced))
            laws.update(self._walk.laws)
            if after == RETURNED:
                return Way(laws, Output(output))
            pc = after

    def _at_node(self, laws: Laws, pc: int, local: Locals, introduced: frozenset[int]) -> Goto:
        """Return the node of a state before a question, a new one if need be."""
        needed = self.flat.live[pc]
        kept = {name: local[name] for name in sorted(needed & local.keys())}
        self.program.steps.weigh(*kept.values())
        names = self._samples(kept, laws, introduced)
        places = {name: k for k, name in enumerate(names)}
        moved: Laws = {}
        if self.noisy:
            kept = {name: self._renamed(one, places) for name, one in kept.items()}
            for name, k in places.items():
                if name not in introduced:
                    kind, rate, mean = laws[name]
                    moved[k] = Law(kind, rate, self._renamed(mean, places))
        old = frozenset(k for name, k in places.items() if name in introduced)
        spelled = tuple((k, law_key(law)) for k, law in moved.items())
        key = pc, tuple((name, self._key(one)) for name, one in kept.items()), old, spelled
        if key not in self._known:
            moment = Moment(pc, kept, (), len(names), len(self.nodes))
            self._known[key] = self._new(MergedNode(moved, old), moment)
        return Goto(self._known[key], tuple(names))

    def _new(self, node: MergedNode, moment: Moment) -> int:
        """Return a new node."""
        if len(self.nodes) >= _MOST_NODES:
            raise UnsupportedError(f"the program has more than {_MOST_NODES} states")
        self._waiting.append((len(self.nodes), moment))
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _samples(self, kept: Locals, laws: dict[int, Law], introduced: frozenset[int]) -> list[int]:
        """Return the samples in values, and in the means of those that are not drawn yet."""
        found: dict[int, None] = {}
        if not self.noisy:
            return []
        waiting = [one for one in kept.values() if id(one) not in self._lists and may_hold(one)]
        for value in waiting:
            for form in forms_in(value):
                for name in form.coefficients:
                    if name >= 0 and name not in found:
                        found[name] = None
                        if name not in introduced:
                            waiting.append(laws[name].mean)
        return [*found]

    def _key(self, value: Any) -> object:
        """Return the value of a variable as a key, short for lists of the input."""
        if not isinstance(value, list):
            return spelled_key(value)
        if id(value) not in self._lists:
            key = spelled_key(value)
            return self._short.get(key, key)
        if id(value) not in self._list_keys:
            short = "given", len(self._short)
            self._list_keys[id(value)] = self._short.setdefault(spelled_key(value), short)
        return self._list_keys[id(value)]

    def _renamed(self, value: Any, places: dict[int, int]) -> Any:
        if id(value) in self._lists or not may_hold(value):
            return value
        if isinstance(value, list):
            return [self._renamed(one, places) for one in value]
        if isinstance(value, tuple):
            return tuple(self._renamed(one, places) for one in value)
        if isinstance(value, LinearForm):
            moved = {places.get(n, n) if n >= 0 else n: c for n, c in value.coefficients.items()}
            return LinearForm(moved, value.constant, self._walk)
        return value

    def _expand(self, k: int, moment: Moment) -> None:
        """Run the instruction of a node with every answer to its question."""
        node, (pc, local, answers, start, first) = self.nodes[k], moment
        options = 1
        while len(node.ways) < options:
            here, given = dict(local), (*answers, len(node.ways))
            self._walk.begin(given, start)
            after, output = self._step(pc, here)
            asked = self._walk.asked
            node.question = question = asked[len(answers)]
            options = question.options if isinstance(question, Picked) else 2
            laws = {**node.laws, **self._walk.laws}
            node.ways.append(Way(laws, Output(output)))
            introduced = node.after()
            if len(asked) > len(given):
                end = self._within(laws, introduced, moment._replace(answers=given))
                node.ways[-1] = Way(laws, end)
            elif after != RETURNED:
                node.ways[-1] = self._advanced(laws, after, here, introduced)
            self._outcomes[first] = self._outcomes.get(first, 0) + 1
            if self._outcomes[first] > _MOST_OUTCOMES:
                raise UnsupportedError("an instruction has too many outcomes")

    def _within(self, laws: Laws, introduced: frozenset[int], moment: Moment) -> Goto:
        """Return the node of the next question of an instruction; samples keep their names."""
        rest = {name: law for name, law in laws.items() if name not in introduced}
        names = tuple(range(1 + max((*laws, *introduced), default=-1)))
        return Goto(self._new(MergedNode(rest, introduced), moment), names)


def _holds_terms(output: Any) -> bool:
    if isinstance(output, tuple):
        return any(map(_holds_terms, output))
    return isinstance(output, Ratio)


def law_key(law: Law) -> object:
    """Return a law as a key."""
    return law.kind, law.rate, spelled_key(law.mean)


def with_means(names: Set[int], laws: Laws) -> frozenset[int]:
    """Return samples, and those in the means of samples drawn with them."""
    found = set(names)
    waiting = [*names]
    for name in waiting:
        if name in laws:
            more = {n for form in forms_in(laws[name].mean) for n in form.coefficients if n >= 0}
            waiting += more - found
            found |= more
    return frozenset(found)

"""All runs of a program as a graph: runs that reach the same state are merged.

A state is an instruction and the values of the variables that are still needed. A node is a state
at an instruction that compares unknowns, or chooses at random. In runs with noise an unknown is a
sample, its mean included; samples are renumbered at each node, so states that differ only in which
samples they hold are one. Without noise the unknowns are the numbers of the input, and keep their
names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from .builtin import bounded
from .choices import Choices
from .flat import FlatCode, Instruction, flat_code
from .interpreter import FAILURES, FunctionCall
from .linear import LinearForm, as_int
from .orders import Orders
from .programs import SourceProgram, frozen
from .ratios import Ratio, UnsupportedError
from .runs import NO_INPUTS, Path, Score

_MOST_NODES = 30_000
_MOST_OUTCOMES = 300  # of one instruction
_TRANSLATED = ("lap", "expo")

Locals = dict[str, Any]


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
class Asked:
    """A comparison form op 0."""

    form: LinearForm
    op: str
    yes: RunTree
    no: RunTree


@dataclass(frozen=True)
class Picked:
    """A random choice: by probabilities, or by exponents, times ε, that may hold inputs."""

    chances: tuple[Ratio, ...]
    exponents: tuple[Any, ...]
    ways: tuple[RunTree, ...]


RunTree = Output | Goto | Asked | Picked
Question = tuple[LinearForm, str] | Picked
"""A comparison form op 0, of which choice 0 is True; or a random choice, without its ways."""


@dataclass
class MergedNode:
    """A state at a comparison: what may happen next."""

    laws: dict[int, Law]
    """Of the samples here that are drawn before the next node, or not compared yet."""
    introduced: frozenset[int]
    """The samples that were compared before."""
    tree: RunTree = Output(None)


class _Walk(Path):
    """A run of one instruction, with choices given in advance."""

    def __init__(self, orders: Orders | None, *, noisy: bool) -> None:
        super().__init__((), noisy=noisy, inputs=NO_INPUTS if noisy else None, orders=orders)
        self.begin((), 0)

    def begin(self, choices: tuple[int, ...], start: int) -> None:
        """Begin an instruction."""
        Choices.__init__(self, choices)
        self.conditions = []
        self.asked: list[Question] = []  # one for each choice
        self.laws: dict[int, Law] = {}
        self.next = start

    def decide(self, form: LinearForm, op: str) -> bool:
        """Follow the path."""
        before = len(self.made)
        truth = super().decide(form, op)
        self.asked += [(form, op)] * (len(self.made) - before)
        return truth

    def is_whole(self, form: LinearForm) -> bool:
        """Return False: there is no integer noise."""
        del form
        return False

    def draw(self, kind: str, rate: Fraction, mean: Any) -> Any:
        """Return a new sample."""
        if not self.noisy:
            return mean
        if kind not in _TRANSLATED:
            raise UnsupportedError("noise that does not only move with its mean")
        self.laws[self.next] = Law(kind, rate, mean)
        self.next += 1
        return LinearForm({self.next - 1: Fraction(1)}, Fraction(0), self)

    def uniform(self, lower: Any, upper: Any) -> Any:
        """Refuse noise with ends."""
        if not self.noisy:
            return super().uniform(lower, upper)
        raise UnsupportedError("noise that does not only move with its mean")

    def choose(self, options: list[tuple[Any, Ratio]]) -> Any:
        """Return the option that is given."""
        if not self.noisy:
            return super().choose(options)
        return self._picked(Picked(self.checked(options), (), ()), options)

    def expmech(self, rate: Fraction, scored: list[tuple[Any, Score]]) -> Any:
        """Return the candidate that is given."""
        if not self.noisy:
            return super().expmech(rate, scored)
        return self._picked(Picked((), self.exponents(rate, scored), ()), scored)

    def _picked(self, question: Picked, options: Sequence[tuple[Any, object]]) -> Any:
        self.asked.append(question)
        return options[self.pick(len(options))][0]


class RunGraph:
    """Nodes, of which the first is where runs begin."""

    def __init__(self, nodes: list[MergedNode]) -> None:
        self.nodes = nodes
        self.order = self._sorted()

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
                for one in ends(self.nodes[k].tree):
                    if isinstance(one, Goto):
                        if state[one.node] == 1:
                            raise UnsupportedError("a loop comes back to a comparison")
                        waiting.append((one.node, False))
        return found

    def paths(self) -> int:
        """Return how many ways there are through the graph."""
        count: dict[int, int] = {}
        for k in self.order:
            found = ends(self.nodes[k].tree)
            count[k] = sum(count[one.node] if isinstance(one, Goto) else 1 for one in found)
        return count[0]


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
        self.flat: FlatCode = flat_code(program.function)
        self.nodes: list[MergedNode] = []
        self._walk = _Walk(orders, noisy=noisy)
        self._known: dict[object, int] = {}
        self._lists: dict[int, list[Any]] = {}
        """The lists of the input, by identity: no list is ever changed in place."""
        self._list_keys: dict[int, object] = {}
        self._short: dict[object, object] = {}
        self._waiting: list[tuple[int, int, Locals]] = []
        program.steps.begin()
        start = MergedNode({}, frozenset())
        self.nodes.append(start)
        local = dict(zip(program.parameters, self._input(given), strict=True))
        start.tree = self._advanced(start, 0, local, start.introduced)
        while self._waiting:
            k, pc, here = self._waiting.pop()
            self._expand(self.nodes[k], pc, here)
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
        """Run one instruction; return the next one, or −1 and the output."""
        one: Instruction = self.flat.code[pc]
        call = FunctionCall(self.program, self._walk, local, 1)
        self.program.steps.spend()
        try:
            match one.kind:
                case "do":
                    call.statement(one.node)
                case "test":
                    return (pc + 1 if call.truth(one.node) else one.target), None
                case "jump":
                    return one.target, None
                case "begin":
                    local[one.name] = list(bounded(call.value(one.node)))
                case "next":
                    items = local[one.name]
                    if not items:
                        return one.target, None
                    local[one.name] = items[1:]
                    call.assign(one.node, items[0])
                case _:
                    output = frozen(call.value(one.node))
                    if _holds_terms(output):
                        raise UnsupportedError("an output is a function of ε")
                    return -1, output
        except FAILURES as error:
            raise UnsupportedError(f"a run of the program fails: {error}") from error
        return pc + 1, None

    def _advanced(
        self, node: MergedNode, pc: int, local: Locals, introduced: frozenset[int], least: int = 0
    ) -> RunTree:
        """Run until something is compared; return how the run goes on.

        New samples get names from `least` on.
        """
        while True:
            before = dict(local)
            start = max(least, 1 + max((*node.laws, *introduced), default=-1))
            self._walk.begin((), start)
            after, output = self._step(pc, local)
            if self._walk.asked:
                return self._at_node(node, pc, before, introduced)
            node.laws.update(self._walk.laws)
            if after < 0:
                return Output(output)
            pc = after

    def _at_node(
        self, node: MergedNode, pc: int, local: Locals, introduced: frozenset[int]
    ) -> Goto:
        """Return the node of a state before a comparison, a new one if need be."""
        needed = self.flat.live[pc]
        kept = {name: local[name] for name in sorted(needed & local.keys())}
        names = self._samples(kept, node.laws, introduced)
        places = {name: k for k, name in enumerate(names)}
        laws: dict[int, Law] = {}
        if self.noisy:
            kept = {name: self._renamed(one, places) for name, one in kept.items()}
            for name, k in places.items():
                if name not in introduced:
                    kind, rate, mean = node.laws[name]
                    laws[k] = Law(kind, rate, self._renamed(mean, places))
        old = frozenset(k for name, k in places.items() if name in introduced)
        spelled = tuple((k, law_key(law)) for k, law in laws.items())
        key = pc, tuple((name, self._key(one)) for name, one in kept.items()), old, spelled
        if key not in self._known:
            if len(self.nodes) >= _MOST_NODES:
                raise UnsupportedError(f"the program has more than {_MOST_NODES} states")
            self._known[key] = len(self.nodes)
            self._waiting.append((len(self.nodes), pc, kept))
            self.nodes.append(MergedNode(laws, old))
        return Goto(self._known[key], tuple(names))

    def _samples(self, kept: Locals, laws: dict[int, Law], introduced: frozenset[int]) -> list[int]:
        """Return the samples in values, and in the means of those that are not drawn yet."""
        found: dict[int, None] = {}
        if not self.noisy:
            return []
        waiting = [one for one in kept.values() if id(one) not in self._lists and _may_hold(one)]
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
        if id(value) in self._lists or not _may_hold(value):
            return value
        if isinstance(value, list):
            return [self._renamed(one, places) for one in value]
        if isinstance(value, tuple):
            return tuple(self._renamed(one, places) for one in value)
        if isinstance(value, LinearForm):
            moved = {places.get(n, n) if n >= 0 else n: c for n, c in value.coefficients.items()}
            return LinearForm(moved, value.constant, self._walk)
        return value

    def _expand(self, node: MergedNode, pc: int, local: Locals) -> None:
        """Run the instruction of a node with every choice."""
        given = dict(node.laws)
        start = 1 + max((*given, *node.introduced), default=-1)
        waiting: list[tuple[int, ...]] = [()]
        found: dict[tuple[int, ...], tuple[list[Question], RunTree]] = {}
        while waiting:
            choices = waiting.pop()
            here = dict(local)
            self._walk.begin(choices, start)
            after, output = self._step(pc, here)
            asked, made = self._walk.asked, tuple(self._walk.made)
            waiting += self._walk.others()
            if len(found) >= _MOST_OUTCOMES:
                raise UnsupportedError("an instruction has too many outcomes")
            own = MergedNode({**given, **self._walk.laws}, node.introduced)
            forms = [one[0] for one in asked if not isinstance(one, Picked)]
            compared = frozenset(n for form in forms for n in form.coefficients if n >= 0)
            tree: RunTree = Output(output)
            if after >= 0:
                # What is drawn later, after other choices, is another sample.
                least = start + 1000 * (1 + len(found))
                introduced = node.introduced | with_means(compared, own.laws)
                tree = self._advanced(own, after, here, introduced, least)
            for name, law in own.laws.items():
                if law_key(node.laws.setdefault(name, law)) != law_key(law):
                    raise UnsupportedError(
                        "samples of one instruction are distinguished by choices"
                    )
            found[made] = asked, tree
        node.tree = _tree(found, ())


def _tree(found: dict[tuple[int, ...], Any], prefix: tuple[int, ...]) -> RunTree:
    if prefix in found:
        tree: RunTree = found[prefix][1]
        return tree
    asked = next(one[0] for made, one in found.items() if made[: len(prefix)] == prefix)
    question = asked[len(prefix)]
    is_random = isinstance(question, Picked)
    options = len(question.chances or question.exponents) if is_random else 2
    ways = tuple(_tree(found, (*prefix, k)) for k in range(options))
    return replace(question, ways=ways) if is_random else Asked(*question, *ways)


def ends(tree: RunTree) -> Iterator[Output | Goto]:
    """Yield the leaves of a tree."""
    if isinstance(tree, Asked | Picked):
        for way in (tree.yes, tree.no) if isinstance(tree, Asked) else tree.ways:
            yield from ends(way)
    else:
        yield tree


def law_key(law: Law) -> object:
    """Return a law as a key."""
    return law.kind, law.rate, spelled_key(law.mean)


def with_means(names: frozenset[int], laws: dict[int, Law]) -> frozenset[int]:
    """Return samples, and those in the means of samples drawn with them."""
    found = set(names)
    waiting = [*names]
    for name in waiting:
        if name in laws:
            more = {n for form in forms_in(laws[name].mean) for n in form.coefficients if n >= 0}
            waiting += more - found
            found |= more
    return frozenset(found)


def forms_in(value: Any) -> Iterator[LinearForm]:
    """Yield the forms in a value."""
    if isinstance(value, LinearForm):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from forms_in(one)
    elif isinstance(value, dict):
        raise UnsupportedError("a variable holds what is not merged")


def _holds_terms(output: Any) -> bool:
    if isinstance(output, tuple):
        return any(map(_holds_terms, output))
    return isinstance(output, Ratio)


def _may_hold(value: Any) -> bool:
    """Whether a value may hold unknowns; what a loop has still to go through does not, mostly."""
    return not isinstance(value, list | tuple) or {*map(type, value)} != {int}


def spelled_key(value: Any) -> object:
    """Return a value as a key: equal keys are equal values."""
    if isinstance(value, LinearForm):
        slopes = tuple(sorted((name, as_int(c)) for name, c in value.coefficients.items()))
        return "form", slopes, as_int(value.constant)
    if isinstance(value, list | tuple):
        if not _may_hold(value):
            return type(value).__name__, "int", tuple(value)
        return type(value).__name__, tuple(map(spelled_key, value))
    if value is None or isinstance(value, bool | int | str | Fraction):
        return type(value).__name__, value
    if isinstance(value, Ratio):
        return "ratio", frozenset(value.over.items()), frozenset(value.under.items())
    raise UnsupportedError("a variable holds what is not merged")

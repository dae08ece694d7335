"""Classes of grid inputs with equal obligations, found without listing the inputs.

For each ideal output, the numbers of an input fall into groups that may be permuted and numbers
that are never read; sometimes all may be shifted (`symmetry`). This is proved twice: for the
probability of the output, and exactly, ties included, for the set of inputs with this ideal output.
Under distances that treat all entries alike, the distance to disagreement is then unchanged, so the
obligations are the same at all inputs of a class.

A class is represented by its first input in the order of the grid. These are listed by following
the ideal along its graph: a number is chosen when it is first read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as count_from
from itertools import islice, product
from math import factorial, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from exactdp.claims.disagreement.symbolic_runs import inserted
from exactdp.claims.regions.symmetry import Symmetry, groups, sees_shifts
from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.distances import discrete, l1, l2, linf
from exactdp.claims.stated.enclosing import picked
from exactdp.claims.stated.output_distances import discrete_outputs
from exactdp.errors import ExactdpError
from exactdp.language.events import Compare, Done, Draw
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.operations import COMPARISONS
from exactdp.language.values import Value
from exactdp.semantics.engine import Engine
from exactdp.semantics.nodes import Failure, Node, Rounding, has_noise, inputs_in, looks_at

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement

FEW = 1_000
"""The number of inputs up to which each is examined anyway."""

_MOST = 100_000  # classes that are listed

_MOST_FAILED = 20  # more proofs than succeed, and no others are tried

_MOST_TRIED = 300  # steps to find inputs with an ideal output

_SEVERAL = 20  # inputs at which an exchange is tried before it is proved


@dataclass(frozen=True)
class Alike:
    """How inputs with one ideal output may be changed, by positions of their numbers."""

    groups: tuple[tuple[int, ...], ...]
    """Numbers that may be permuted, for each group."""
    unread: tuple[int, ...]
    is_shifted: bool
    """Whether all numbers may be shifted by the same amount."""

    def size(self, chosen: Sequence[int], count: int) -> int:
        """Return the size of the class of an input, given by the grid places of its numbers."""
        orders = (
            factorial(len(group))
            // prod(map(factorial, Counter(chosen[k] for k in group).values()))
            for group in self.groups
        )
        shifts = self._shifts(chosen, count) if self.is_shifted else 1
        return prod(orders) * shifts * int(count ** len(self.unread))

    def _shifts(self, chosen: Sequence[int], count: int) -> int:
        return count - max(chosen[k] for group in self.groups for k in group)

    def members(self, chosen: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
        """Yield all inputs of the class of an input, each by the grid places of its numbers."""
        orders = [sorted(_orders([chosen[k] for k in group])) for group in self.groups]
        orders.append(list(product(range(count), repeat=len(self.unread))))
        read = {k for group in self.groups for k in group}
        for values in product(*orders):
            for shift in range(self._shifts(chosen, count) if self.is_shifted else 1):
                found = [0] * len(chosen)
                for group, some in zip((*self.groups, self.unread), values, strict=True):
                    for k, value in zip(group, some, strict=True):
                        found[k] = value + shift if k in read else value
                yield tuple(found)


def _orders(values: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the distinct permutations of some numbers."""
    if not values:
        yield ()
    for first in dict.fromkeys(values):
        rest = list(values)
        rest.remove(first)
        yield from ((first, *more) for more in _orders(rest))


@dataclass(frozen=True)
class InputClass:
    """A class of grid inputs with equal obligations."""

    entries: tuple[Value, ...]
    """The scalars of the first input."""
    size: int
    chosen: tuple[int, ...]
    alike: Alike

    def members(self, numbers: Sequence[Value]) -> Iterator[tuple[Value, ...]]:
        """Yield the scalars of each input of the class."""
        for places in self.alike.members(self.chosen, len(numbers)):
            yield tuple(numbers[k] for k in places)


def classes_of(claim: AccuracyStatement) -> tuple[InputClass, ...] | None:
    """Return the classes of the inputs of a claim in order; None if they are listed one by one."""
    if not _may_be_reduced(claim):
        return None
    program = claim.ideal_function.program
    assert program is not None
    numbers = claim.scope.grid
    assert numbers is not None
    try:
        outputs = program.kept(Engine).outputs
        if outputs is None:
            return None
        found: list[InputClass] = []
        proofs = _Proofs()
        for output in outputs:
            found += _Listing(claim, output, numbers, proofs).classes()
            if len(found) > _MOST:
                return None
    except (ExactdpError, RecursionError, _FailedError):
        return None  # the error is reported when the input is examined
    if sum(one.size for one in found) != claim.scope.count:
        return None  # outputs such as 1 and True are one pattern
    return tuple(sorted(found, key=lambda one: one.chosen))


def _may_be_reduced(claim: AccuracyStatement) -> bool:
    """Whether inputs of a large grid of reals may have equal obligations."""
    if claim.scope.grid is None or any(kinds(claim.mechanism.inputs)):
        return False
    if claim.scope.count <= FEW:
        return False
    return not claim.ideal_function.is_partial and is_by_output(claim)


def is_by_output(claim: AccuracyStatement) -> bool:
    """Whether the obligations depend only on the ideal output, its probability and dd."""
    if claim.uses_inputs or claim.conditions != ALWAYS or claim.mechanism.moves:
        return False
    checked = claim.mechanism.checked
    if claim.ideal_function.program is None or checked.releases_eps or checked.output.holds_noise:
        return False
    has_outputs = claim.output_metric == discrete_outputs
    return has_outputs and claim.input_metric in (linf, l1, l2, discrete)


class _FailedError(Exception):
    """The ideal fails at an input."""


@dataclass
class _Proofs:
    """How many exchanges were proved, and how many were tried in vain.

    A proof that fails takes long, and if many fail, so will most others.
    """

    done: int = 0
    failed: int = 0

    def found(self, prove: Callable[[], bool]) -> bool:
        """Whether a proof is tried and succeeds."""
        if self.failed > _MOST_FAILED + self.done:
            return False
        is_proved = prove()
        self.done += is_proved
        self.failed += not is_proved
        return is_proved


class _Chosen(NamedTuple):
    """Numbers of an input that were chosen: their places in the grid, and themselves by name."""

    places: Mapping[int, int]
    numbers: Mapping[str, Value]


class _Listing:
    """Lists the classes of the inputs with one ideal output."""

    def __init__(
        self,
        claim: AccuracyStatement,
        output: Value,
        numbers: Sequence[Value],
        proofs: _Proofs,
    ) -> None:
        program = claim.ideal_function.program
        assert program is not None
        size = len(kinds(claim.mechanism.inputs))
        some = [Fraction(0)] * size
        own = program.kept(Engine).graph(assembled(program.inputs, some), output)
        engine = claim.mechanism.kept(Engine)
        noisy = engine.plan(assembled(claim.mechanism.inputs, some), output)[0].graph
        self._graph, self._numbers = own, numbers
        ideal_names, names = (entry_names(one.inputs) for one in (program, claim.mechanism))
        self._names = ideal_names
        self._place = {name: k for k, name in enumerate(ideal_names)}
        self._before: list[tuple[int, ...]] = [()] * size
        self._after: list[tuple[int, ...]] = [()] * size
        self.alike = Alike((), (), is_shifted=False)
        some_inputs = [one.chosen for one in islice(self.classes(_MOST_TRIED), _SEVERAL)]
        read = {*map(self._place.get, own.mentions[0])}
        read |= {k for k, name in enumerate(names) if name in noisy.mentions[0]}
        both = (
            (Symmetry(own, noiseless=True), ideal_names),
            (Symmetry(noisy, noiseless=False), names),
        )
        self.alike = Alike(
            groups(
                lambda one, two: (
                    self._may_exchange(one, two, some_inputs)
                    and proofs.found(
                        lambda: all(sym.allows(own[one], own[two]) for sym, own in both)
                    )
                ),
                [k for k in range(size) if k in read],
            ),
            tuple(k for k in range(size) if k not in read),
            bool(read) and not any(map(sees_shifts, (own, noisy))),
        )
        for group in self.alike.groups:
            for j, k in enumerate(group):
                self._before[k], self._after[k] = group[:j], group[j + 1 :]

    def _may_exchange(self, one: int, two: int, inputs: Sequence[Sequence[int]]) -> bool:
        """Whether some inputs with this ideal output still have it if two numbers are exchanged.

        If not, no proof is tried.
        """
        for places in inputs:
            if places[one] != places[two]:
                changed = list(places)
                changed[one], changed[two] = changed[two], changed[one]
                values = [self._numbers[k] for k in changed]
                if not self._has_output(dict(zip(self._names, values, strict=True))):
                    return False
        return True

    def _has_output(self, entries: Mapping[str, Value]) -> bool:
        number, values = 0, tuple[Any, ...]()
        while not isinstance((node := self._graph.nodes[number]).event, Done):
            further = self._step(node, values, entries)
            if further is None:
                return False
            number, values = further
        return True

    def classes(self, steps: int | None = None) -> Iterator[InputClass]:
        """Yield the classes, in no particular order; only those that are found in some steps."""
        count, size = len(self._numbers), len(self._before)
        start = _Chosen(dict.fromkeys(self.alike.unread, 0), {})
        waiting: list[tuple[int, tuple[Any, ...], _Chosen]] = [(0, (), start)]
        for _ in count_from() if steps is None else range(steps):
            if not waiting:
                return
            number, values, chosen = waiting.pop()
            node = self._graph.nodes[number]
            is_end = isinstance(node.event, Done)
            needed = range(size) if is_end else self._needed(node)
            missing = next((k for k in needed if k not in chosen.places), None)
            if missing is not None:
                waiting += ((number, values, one) for one in self._chosen(missing, chosen))
            elif not is_end:
                further = self._step(node, values, chosen.numbers)
                if further is not None:
                    waiting.append((*further, chosen))
            elif not self.alike.is_shifted or any(
                not chosen.places[k] for group in self.alike.groups for k in group
            ):
                places = tuple(chosen.places[k] for k in range(size))
                own = tuple(self._numbers[k] for k in places)
                yield InputClass(own, self.alike.size(places, count), places, self.alike)

    def _needed(self, node: Node) -> Iterator[int]:
        """Yield the numbers of the input that a node reads."""
        for value in (looks_at(node.event), *(edge.variables for edge in node.edges)):
            yield from map(self._place.__getitem__, inputs_in(value))

    def _chosen(self, place: int, chosen: _Chosen) -> Iterator[_Chosen]:
        """Yield the choices of one more number, such that those of a group are increasing."""
        places, name = chosen.places, self._names[place]
        lowest = max((places[k] for k in self._before[place] if k in places), default=0)
        highest = min(
            (places[k] for k in self._after[place] if k in places), default=len(self._numbers) - 1
        )
        for value in range(lowest, highest + 1):
            yield _Chosen({**places, place: value}, {**chosen.numbers, name: self._numbers[value]})

    def _step(
        self, node: Node, values: tuple[Any, ...], entries: Mapping[str, Any]
    ) -> tuple[int, tuple[Any, ...]] | None:
        """Return the next node of the noiseless run; None if it leads to another output."""
        event = node.event
        case: int | bool | None = None
        if isinstance(event, Failure):
            raise _FailedError
        if isinstance(event, Draw):
            mean = 0 if has_noise(event.mean) else inserted(event.mean, (), entries)
            values = (*values, mean)
        elif isinstance(event, Rounding):
            values = (*values, *event.values(inserted(event.form, values, entries)))
        elif isinstance(event, Compare):
            difference = inserted(event.difference, values, entries)
            case = COMPARISONS[event.op](difference, 0)
        else:
            assert not isinstance(event, Done)
            case = picked(event)
        edge = next((one for one in node.edges if one.case == case), None)
        return None if edge is None else (edge.target, inserted(edge.variables, values, entries))

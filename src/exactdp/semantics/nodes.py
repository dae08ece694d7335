"""The nodes of the graph of a program: events, edges, and the names of noise.

A node is a state of the machine at an event in which live noise is named by position: the first
symbolic value that is independent of earlier ones is variable 0, the next one 1, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from exactdp.errors import ProgramError
from exactdp.language.code import Code, Sample
from exactdp.language.events import Compare, Done, Draw, Event, Selection, State
from exactdp.language.linear import Linear, Scalar, wholes_in
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import Symbolic, Value
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.semantics.spots import whole_of

_COMPOSED = (tuple, Symbolic)


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

    def with_edges(self, edges: Iterable[Edge]) -> Node:
        """Return the node with other edges; the node itself if they are the same."""
        found = tuple(edges)
        return self if found == self.edges else Node(self.event, self.variables, found)


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


def has_integers(code: Code) -> bool:
    """Whether integer noise is sampled."""
    return any(
        isinstance(one, Sample) and NOISES[one.draw.noise].is_whole for one in code.instructions
    )


def has_noise(form: object) -> bool:
    """Whether a form depends on noise, not on inputs only."""
    return isinstance(form, Linear) and any(isinstance(name, int) for name in form.coefficients)


def noise_part(form: object) -> dict[int, Fraction]:
    """Return the coefficients of the noise in a form."""
    if not isinstance(form, Linear):
        return {}
    return {name: Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int)}

"""Distances on outputs: those of the paper, and functions given by the user."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from inspect import signature
from itertools import zip_longest
from typing import Any, TypeAlias

from exactdp.claims.stated.distances import (
    Distance,
    InputDistance,
    as_number,
    check_distance,
    discrete,
    in_the_language,
    input_type,
    is_function,
    l2,
)
from exactdp.claims.stated.functions import called
from exactdp.claims.stated.lattice_balls import in_ball
from exactdp.claims.stated.pieces import condition, pieces
from exactdp.claims.stated.scores import candidate_scores
from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.helpers import CheckedFunction, checked_function
from exactdp.language.linear import Linear, Scalar
from exactdp.language.machine import Machine
from exactdp.language.nested import holds
from exactdp.language.program import DeterministicProgram, Program
from exactdp.language.types import InputType, Real, RecordType, read_number
from exactdp.language.values import List, Value, freeze
from exactdp.polyhedra.elimination import feasible
from exactdp.reals.numbers import inf
from exactdp.semantics.spots import Spot, has_spots, run_at_spots, watched

Regions: TypeAlias = Callable[[Value], Iterator[list[tuple[Linear, str]]]]


class OutputDistance(ABC):
    """A distance on outputs, which may depend on the input."""

    name: str

    @abstractmethod
    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the distance between two outputs at an input, written as users write it."""

    def largest(self, u: Value, output: Value, outputs: tuple[Value, ...] | None) -> Distance:
        """Return the largest possible distance from an output at an input.

        `outputs` are all outputs of the mechanism at any input, or None if there are too many.
        """
        if outputs is None or len(outputs) < 2:  # a single output is always right
            return inf
        return max(self.between(u, output, other) for other in outputs)

    def ball(self, u: Value, output: Value, radius: Scalar) -> Regions:
        """Return the outputs within a radius, as linear conditions on their noise."""
        del u, output, radius
        raise ValueRefusedError(
            f"the outputs contain noise, and the output distance is {self}",
            rule="For outputs with noise it is discrete, sup, or a function in the language.",
            way_out="Use output_distance=sup, or write the distance as a function of (input, "
            "output, output).",
        )

    def bound_to(self, mechanism: Program) -> OutputDistance:
        """Return the distance for a mechanism."""
        del mechanism
        return self

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, repr=False)
class _EqualOutputs(OutputDistance):
    """0 if equal, else 1."""

    name: str = "discrete"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return 0 or 1."""
        del u
        return Fraction(0 if one == two else 1)

    def largest(self, u: Value, output: Value, outputs: tuple[Value, ...] | None) -> Distance:
        """Return 1."""
        del u, output, outputs
        return Fraction(1)


@dataclass(frozen=True, repr=False)
class _Sup(OutputDistance):
    """The largest difference of numbers; infinite where anything else differs.

    >>> from exactdp import sup
    >>> sup.between(None, (1, 2), (1, 5))
    Fraction(3, 1)
    """

    name: str = "sup"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the largest difference between corresponding numbers."""
        if isinstance(one, tuple) and isinstance(two, tuple):
            if len(one) != len(two):
                return inf
            gaps = (self.between(u, a, b) for a, b in zip(one, two, strict=True))
            return max(gaps, default=Fraction(0))
        if _is_number(one) and _is_number(two):
            return abs(as_number(one, self.name) - as_number(two, self.name))
        return Fraction(0) if one == two else inf


@dataclass(frozen=True)
class _EuclideanOutputs(OutputDistance):
    """The square root of the sum of the squared differences of corresponding numbers.

    Infinite where anything else differs. Lists may contain integer noise, but not real noise.
    """

    name: str = "l2"
    is_whole: bool = False
    """Whether the outputs contain integer noise, and no real noise."""

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the square root of the sum of the squared differences."""
        gaps = list(self._gaps(u, one, two))
        if inf in gaps:
            return inf
        return gaps[0] if len(gaps) == 1 else l2.total(gaps)

    def _gaps(self, u: Value, one: Value, two: Value) -> Iterator[Distance]:
        if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
            for a, b in zip(one, two, strict=True):
                yield from self._gaps(u, a, b)
        else:
            yield sup.between(u, one, two)

    def ball(self, u: Value, output: Value, radius: Scalar) -> Regions:
        """Return the lines of a lattice that lie in a ball; balls of reals are not polyhedra."""
        del u
        if isinstance(output, tuple) and not self.is_whole:
            raise ValueRefusedError(
                "the outputs are lists with real noise, and the output distance is l2",
                rule="The chance of Laplace noise in a Euclidean ball is no closed form in eps and "
                "exp(q·eps); its region is one of Th₊,ₓ.",
                way_out="Use output_distance=sup, the largest error.",
            )
        if isinstance(radius, Linear | Spot):
            raise ValueRefusedError(
                "the outputs are lists with integer noise, the output distance is l2, and gamma is "
                "no number",
                rule="The whole numbers in a ball are listed for a number γ.",
                way_out="Give a number for gamma.",
            )

        def regions(other: Value) -> Iterator[list[tuple[Linear, str]]]:
            gaps = list(_differences(output, other))
            if None not in gaps:
                yield from in_ball(gaps, radius * radius)

        return regions

    def bound_to(self, mechanism: Program) -> OutputDistance:
        """Return the distance; for single numbers, `sup`."""
        kind = mechanism.checked.output
        if kind.items is None and kind.holds_noise:
            return sup
        return replace(self, is_whole=kind.holds("integer") and not kind.holds("real"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction | Spot) and not isinstance(value, bool)


@dataclass(frozen=True, repr=False)
class _ValueGap(OutputDistance):
    """|q[i] − q[j]| for outputs i and j that are positions in the input's list.

    >>> from exactdp import value_gap
    >>> value_gap.between((5, 3), 0, 1)
    Fraction(2, 1)
    """

    name: str = "value_gap"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the difference of the input's values at two positions."""
        return abs(self._value(u, one) - self._value(u, two))

    def _value(self, u: Value, position: Value) -> Any:
        if isinstance(u, tuple) and type(position) is int and 0 <= position < len(u):
            return as_number(u[position], self.name)
        raise ValueRefusedError(
            f"value_gap needs outputs that are positions in the input, not {shown(position)}",
            rule="value_gap is the difference of the input's values at two positions.",
            way_out="Use a function of (input, output, output).",
        )


@dataclass(frozen=True, repr=False)
class _ScoreGap(OutputDistance):
    """|score(u, v) − score(u, w)|; `score_gap(score)` specifies the score of the mechanism.

    Without an argument, `score_gap` uses the score of the mechanism's only `expmech`.

    >>> from exactdp import score_gap
    >>> score_gap(lambda u, v: u * v).between(2, 1, 3)
    Fraction(4, 1)
    """

    score: Callable[..., Any] | None = None
    mechanism: Program | None = None
    name: str = "score_gap"

    def __call__(self, score: Callable[..., Any]) -> _ScoreGap:
        if not callable(score):
            raise ValueRefusedError(
                f"{shown(score)} is not a score",
                rule="A score is a function of an input and an output.",
            )
        return replace(self, score=score)

    def bound_to(self, mechanism: Program) -> OutputDistance:
        """Return the distance with the score of the mechanism."""
        score = None if self.score is None else _asked(self.score, "the score")
        return replace(self, mechanism=mechanism, score=score)

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the difference of two scores."""
        return abs(self._score(u, one) - self._score(u, two))

    def scores(self, u: Value) -> dict[Value, Any]:
        """Return the scores of the candidates of the mechanism's `expmech` at an input."""
        assert self.mechanism is not None
        return candidate_scores(self.mechanism, u)

    def _score(self, u: Value, output: Value) -> Any:
        if self.score is not None:
            found = _called(self.score, "the score", u, output)
            return found if isinstance(found, Spot) else _read_score(found, output)
        scores = self.scores(u)
        if output not in scores:
            raise ValueRefusedError(
                f"{shown(output)} is not a candidate of the mechanism's expmech",
                way_out="Name the score: score_gap(score).",
            )
        return scores[output]


def _read_score(found: object, output: Value) -> Fraction:
    try:
        return Fraction(read_number(found))
    except ValueRefusedError:
        raise ValueRefusedError(
            f"the score of {shown(output)} is {shown(found)}, which is not a number",
            rule="A score is a function of an input and an output that returns a number.",
            way_out="Write for example score_gap(lambda u, output: u[output]).",
        ) from None


@dataclass(frozen=True, repr=False)
class _OwnOutput(OutputDistance):
    """A function of an input and two outputs: in the language, or any Python function."""

    function: Callable[..., Any]
    mechanism: Program | None = None
    _machines: dict[tuple[InputType | None, ...], Machine] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the function."""
        return str(getattr(self.function, "__name__", "the output distance"))

    @cached_property
    def _asked(self) -> Callable[..., Any]:
        return _asked(self.function, f"the distance {self.name}")

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the value of the function."""
        if isinstance(self.function, DeterministicProgram) and has_spots((u, one, two)):
            with watched((u, one, two)):
                found = run_at_spots(self._machine(one, two), (u, one, two))
            if isinstance(found, Spot):
                return found
        else:
            found = _called(self._asked, f"the distance {self.name}", u, one, two)
            if isinstance(found, Spot):
                return found
        if isinstance(found, float) and found == inf:
            return inf
        return check_distance(freeze(found), self.name)

    def ball(self, u: Value, output: Value, radius: Scalar) -> Regions:
        """Return the pieces of the function on which it is at most the radius."""

        def regions(other: Value) -> Iterator[list[tuple[Linear, str]]]:
            machine = self._machine(output, other)
            for piece in pieces(machine, (u, as_list(output), as_list(other))):
                size = piece.output
                if not isinstance(size, Linear):
                    size = check_distance(size, self.name)
                if size == inf:
                    continue
                if feasible([*piece.rows, *condition(size, "<")[0]]):
                    raise ValueRefusedError(
                        f"the distance {self.name} is negative somewhere",
                        rule="A distance is a number, 0 or more, or inf.",
                        way_out="Return a number that is not negative, such as abs(…).",
                    )
                conditions = [*piece.rows, *condition(radius - size, ">=")[0]]
                if not feasible(conditions):
                    continue
                yield [
                    (Linear(row.form.coefficients, row.form.constant), ">" if row.strict else ">=")
                    for row in conditions
                    if row.form.coefficients
                ]

        return regions

    def _machine(self, one: Value, two: Value) -> Machine:
        """Return the function for outputs like these."""
        assert self.mechanism is not None
        types = input_type(self.mechanism), _type_of(one), _type_of(two)
        if types not in self._machines:
            function = in_the_language(self.function, "output_distance", types)
            self._machines[types] = function.machine
        return self._machines[types]


@dataclass(frozen=True, repr=False)
class ErrorOfEntries(OutputDistance):
    """The largest error of some entries of an output, each with its own kind.

    "value": the distance `sup`, infinite if anything but a number differs; "position": the
    difference of the input's values there; "any": the entry is ignored.
    """

    entries: tuple[str, ...]
    name: str = "largest_error"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the largest error."""
        return max(
            (inf if gap is None else abs(gap) for gap in self._gaps(u, one, two)),
            default=Fraction(0),
        )

    def _gaps(self, u: Value, one: Value, two: Value) -> Iterator[Any]:
        """Yield the relevant differences of numbers, and None for anything else that differs."""
        for kind, a, b in zip_longest(self.entries, one, two, fillvalue=_MISSING):
            if kind is _MISSING:
                raise ValueRefusedError(
                    f"an output has more than {len(self.entries)} entries",
                    rule="With simultaneous=False every output has the same entries.",
                    way_out="Leave out simultaneous.",
                )
            if kind == "position" and a is not _MISSING and b is not _MISSING:
                yield u[a] - u[b]
            elif kind != "any":
                yield from _differences(a, b)

    def ball(self, u: Value, output: Value, radius: Scalar) -> Regions:
        """Return the outputs all of whose errors are at most the radius."""

        def regions(other: Value) -> Iterator[list[tuple[Linear, str]]]:
            gaps = list(self._gaps(u, output, other))
            if any(gap is None for gap in gaps):
                return
            sides = [side for gap in gaps for side in (radius - gap, radius + gap)]
            if all(isinstance(side, Linear) or side >= 0 for side in sides):
                yield [(side, ">=") for side in sides if isinstance(side, Linear)]

        return regions


_MISSING = object()


def _differences(one: Value, two: Value) -> Iterator[Any]:
    """Yield the differences of corresponding numbers, and None for anything else that differs."""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        for a, b in zip(one, two, strict=True):
            yield from _differences(a, b)
    elif all(_is_number(x) or isinstance(x, Linear) for x in (one, two)):
        yield one - two
    elif one is not two and one != two:
        yield None


def _type_of(output: Value) -> InputType | None:
    """Return the type of an output, None if it is finite."""
    if isinstance(output, Linear | Spot) or _is_number(output):
        return Real
    if isinstance(output, tuple):
        return RecordType(tuple(map(_type_of, output)))
    return None


def as_list(value: Value) -> Value:
    """Return an output with tuples converted to lists of the language."""
    return List(map(as_list, value)) if isinstance(value, tuple) else value


def _asked(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Wrap a function of the user so that it returns the same answer each time."""
    if isinstance(function, DeterministicProgram | CheckedFunction):
        return function
    return checked_function(function, what, lambda found: found)


def _called(function: Callable[..., Any], what: str, *arguments: Value) -> Any:
    rule = "It is called with an input and outputs, and returns a number."
    try:
        return called(function, what, rule, *arguments)
    except ExactdpError as error:
        if not holds(arguments, Linear):
            raise
        raise ValueRefusedError(
            f"{what} cannot decide which ideal outputs agree, because they contain numbers",
            rule='With agreement="output_distance" and such outputs the distance is sup.',
            way_out='Use output_distance=sup, or agreement="equal".',
        ) from error


def _require_three(function: Callable[..., Any]) -> None:
    """Refuse a function that cannot be called with an input and two outputs, such as `abs`."""
    if isinstance(function, DeterministicProgram):
        return  # its parameters are counted when it is read
    try:
        signature(function).bind(None, None, None)
    except (TypeError, ValueError):  # another number of arguments, or no signature at all
        name = getattr(function, "__name__", shown(function))
        raise ValueRefusedError(
            f"the distance {name} cannot be called with an input and two outputs",
            rule="A distance on outputs is a function of (input, output, output).",
            way_out="Write output_distance=sup for the largest difference, or "
            "lambda u, one, two: abs(one - two).",
        ) from None


sup = _Sup()
l2_outputs = _EuclideanOutputs()
value_gap = _ValueGap()
score_gap = _ScoreGap()
discrete_outputs = _EqualOutputs()


def read_output_distance(value: object, mechanism: Program) -> OutputDistance:
    """Read the distance on outputs given by a user."""
    named: dict[str, OutputDistance] = {
        one.name: one for one in (discrete_outputs, sup, l2_outputs, value_gap, score_gap)
    }
    if value is discrete:
        return discrete_outputs
    if value is l2:
        return l2_outputs.bound_to(mechanism)
    if isinstance(value, OutputDistance):
        return value.bound_to(mechanism)
    if isinstance(value, str) and value in named:
        return named[value].bound_to(mechanism)
    if is_function(value) and not isinstance(value, InputDistance):
        _require_three(value)
        return _OwnOutput(value, mechanism)
    raise ValueRefusedError(
        f"{shown(value)} is not a distance on outputs",
        rule="It is discrete, sup, l2, value_gap, score_gap, or a function of (input, output, "
        "output).",
        way_out="Write output_distance=sup.",
    )

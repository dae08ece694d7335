"""How far inputs and outputs are apart: the distances of the paper, and functions of the user.

A distance on inputs is piecewise linear: `cases` lists where, and of which linear forms it is
the largest. A distance on outputs is asked for numbers only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from exactdp.claims.elimination import Row, feasible
from exactdp.claims.pieces import Rows, assembled, condition, pieces
from exactdp.errors import ExactdpError, ProgramError, ValueRefusedError
from exactdp.language.mechanism import Ideal, Mechanism, typed_ideal
from exactdp.language.types import InputType, Real, RecordType, read_number
from exactdp.language.values import List, Value, freeze
from exactdp.reals.numbers import inf, rational, spell
from exactdp.semantics.concrete import run_exactly
from exactdp.semantics.linear import Form, Linear
from exactdp.semantics.machine import Choice, Machine
from exactdp.semantics.spots import Spot, has_spots, run_at_spots, watched

Distance: TypeAlias = Any
"""A rational or `inf`; in a claim about all inputs a linear form in them."""


@dataclass(frozen=True)
class Case:
    """Where all rows hold, the distance is the largest of the forms; `helpers` may be chosen."""

    rows: Rows
    forms: tuple[Form, ...]
    helpers: tuple[str, ...] = ()


class InputDistance(ABC):
    """A distance on inputs, given as lists of their single values."""

    name: str

    @abstractmethod
    def cases(self, u: Sequence[Form], v: Sequence[Form], known: Rows) -> Iterator[Case]:
        """Return the cases in which the distance is finite and `known` can hold."""

    @abstractmethod
    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the distance of two inputs."""

    @property
    def by_entry(self) -> bool:
        """Whether making two entries equal never makes the distance larger."""
        return True

    @property
    def is_norm(self) -> bool:
        """Whether inputs whose entries are close are close."""
        return False

    is_all_or_nothing = False
    """Whether different inputs are always at distance 1."""

    adds = False
    """Whether distances of groups of entries are added; otherwise the largest counts."""

    def total(self, distances: list[int | Distance]) -> int | Distance:
        """Return the distance of inputs from those of groups of their entries."""
        return sum(distances) if self.adds else max(distances)

    def __str__(self) -> str:
        return self.name


def _gap(a: Form, b: Form) -> list[Form]:
    """Return the forms whose maximum is |a − b|."""
    if not _both_numbers(a, b):
        raise ValueRefusedError(
            f"a distance needs numbers, and inputs are {a!r} and {b!r}",
            way_out="Use input_distance=discrete, or a function of two inputs.",
        )
    difference = a - b
    if not isinstance(difference, Linear):
        return [abs(Fraction(difference))]
    return [difference, -difference]


def _number(value: Value, name: str) -> Any:
    if isinstance(value, Spot):
        return value
    if isinstance(value, bool | int | Fraction):
        return Fraction(value)
    raise ValueRefusedError(
        f"the distance {name} needs numbers, and an input is {value!r}",
        way_out="Use input_distance=discrete, or a function of two inputs.",
    )


@dataclass(frozen=True)
class _Largest(InputDistance):
    """The largest difference of two entries."""

    name: str = "linf"

    @property
    def is_norm(self) -> bool:
        """It is one."""
        return True

    def cases(self, u: Sequence[Form], v: Sequence[Form], known: Rows) -> Iterator[Case]:
        """Return one case with all differences."""
        del known
        forms = [form for a, b in zip(u, v, strict=True) for form in _gap(a, b)]
        yield Case((), (0, *forms))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the largest difference."""
        gaps = (abs(_number(a, "linf") - _number(b, "linf")) for a, b in zip(u, v, strict=True))
        return max(gaps, default=Fraction(0))


@dataclass(frozen=True)
class _Total(InputDistance):
    """The sum of all differences."""

    name: str = "l1"

    @property
    def is_norm(self) -> bool:
        """It is one."""
        return True

    adds = True

    def cases(self, u: Sequence[Form], v: Sequence[Form], known: Rows) -> Iterator[Case]:
        """Return one case with a helper for each difference."""
        del known
        rows: list[Row] = []
        total: Form = 0
        helpers = []
        for a, b in zip(u, v, strict=True):
            forms = _gap(a, b)
            if not isinstance(forms[0], Linear):
                total = total + forms[0]
                continue
            difference = forms[0]
            helper = f"|{difference}|"
            size = Linear.symbol(helper)
            for form in forms:
                rows += condition(size - form, ">=")[0]
            total = size + total
            helpers.append(helper)
        yield Case(tuple(rows), (0, total), tuple(helpers))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the sum of the differences."""
        gaps = (abs(_number(a, "l1") - _number(b, "l1")) for a, b in zip(u, v, strict=True))
        return sum(gaps, Fraction(0))


@dataclass(frozen=True)
class _Equal(InputDistance):
    """0 if equal, else 1; on inputs and on outputs."""

    name: str = "discrete"
    is_all_or_nothing = True

    def cases(self, u: Sequence[Form], v: Sequence[Form], known: Rows) -> Iterator[Case]:
        """Return one case: where something differs, no matter what and how much."""
        del known
        yield Case((), (int(any(a is not b and a != b for a, b in zip(u, v, strict=True))),))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return 0 or 1."""
        return Fraction(0 if list(u) == list(v) else 1)


def _both_numbers(a: object, b: object) -> bool:
    return all(isinstance(x, Linear | int | Fraction) for x in (a, b))


@dataclass(frozen=True)
class _Numeric(InputDistance):
    """The paper's distance for NumericSparse: infinite unless entries at or above T agree.

    `numeric` has T = 0, `numeric(T)` any other threshold.
    """

    threshold: Fraction = Fraction(0)
    name: str = "numeric"

    def __call__(self, threshold: object) -> _Numeric:
        value = rational(threshold, "the threshold")
        return _Numeric(value, f"numeric({spell(value)})")

    def cases(self, u: Sequence[Form], v: Sequence[Form], known: Rows) -> Iterator[Case]:
        """Return the cases by which entries are below the threshold."""
        found: list[Rows] = [known]
        for a, b in zip(u, v, strict=True):
            if a is b or a == b:
                continue
            _gap(a, b)  # refuses what is no number
            below_here = condition(a - self.threshold, "<")[0]
            above_here = condition(a - self.threshold, ">=")[0]
            below_there = condition(b - self.threshold, "<")[0]
            ways = (
                below_here,
                above_here + below_there,
                above_here + condition(b - a, "==")[0],
            )
            found = [(*rows, *way) for rows, way in product(found, ways) if feasible((*rows, *way))]
        forms = [form for a, b in zip(u, v, strict=True) for form in _gap(a, b)]
        for rows in found:
            yield Case(rows[len(known) :], (0, *forms))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the largest difference, or inf."""
        for a, b in zip(u, v, strict=True):
            if min(_number(a, self.name), _number(b, self.name)) >= self.threshold and a != b:
                return inf
        return linf.between(u, v)


linf = _Largest()
l1 = _Total()
discrete = _Equal()
numeric = _Numeric()


@dataclass(frozen=True)
class _OwnInput(InputDistance):
    """A function of two inputs in the language."""

    function: Ideal
    mechanism: Mechanism

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the function."""
        return self.function.__name__

    @property
    def by_entry(self) -> bool:
        """Nothing is known of it."""
        return False

    def _arguments(self, u: Sequence[Value], v: Sequence[Value]) -> tuple[Value, ...]:
        sides = (assembled(self.mechanism, list(side)) for side in (u, v))
        one = len(self.mechanism.inputs) == 1
        return tuple(side[0] if one else side for side in sides)

    def cases(self, u: Sequence[Form], v: Sequence[Form], known: Rows) -> Iterator[Case]:
        """Return the pieces of the function."""
        for piece in pieces(self.function.machine, self._arguments(u, v)):
            if piece.output == inf:
                continue
            if not isinstance(piece.output, Linear):
                _check_distance(piece.output, self.name)
            if feasible((*known, *piece.rows)):
                yield Case(piece.rows, (piece.output,))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the value of the function."""
        machine = self.function.machine
        found = run_exactly(machine, machine.start(self._arguments(u, v)))
        return _check_distance(found, self.name)


def _check_distance(value: Value, name: str) -> Distance:
    if isinstance(value, float) and value == inf:
        return inf
    if isinstance(value, int | Fraction) and not isinstance(value, bool) and value >= 0:
        return Fraction(value)
    raise ValueRefusedError(
        f"the distance {name} is {value!r} somewhere",
        rule="A distance is a number, 0 or more, or inf.",
        way_out="Return a number that is not negative, such as abs(…).",
    )


def read_input_distance(value: object, mechanism: Mechanism) -> InputDistance:
    """Return the distance on inputs that a user gives."""
    if isinstance(value, InputDistance):
        return value
    if isinstance(value, str):
        named: dict[str, InputDistance] = {one.name: one for one in (linf, l1, discrete, numeric)}
        if value in named:
            return named[value]
    if isinstance(value, Ideal) or (callable(value) and not isinstance(value, Mechanism)):
        kind = _input_type(mechanism)
        function = _in_the_language(value, "input_distance", [kind, kind])
        if len(function.inputs) != 2:
            raise ValueRefusedError(
                f"the distance {function.__name__} has {len(function.inputs)} inputs",
                rule="A distance on inputs is a function of two inputs.",
                way_out="Write def distance(u, v): …",
            )
        return _OwnInput(function, mechanism)
    raise ValueRefusedError(
        f"{value!r} is not a distance on inputs",
        rule="It is linf, l1, discrete, numeric, or a function of two inputs in the language.",
        way_out="Write input_distance=linf.",
    )


def _input_type(mechanism: Mechanism) -> InputType | None:
    """Return the type of an input as a distance takes it: several are one sequence."""
    types = tuple(param.type for param in mechanism.inputs)
    return types[0] if len(types) == 1 else RecordType(types)


def _in_the_language(function: Any, what: str, types: Sequence[InputType | None]) -> Ideal:
    try:
        found = typed_ideal(function, types)
    except ExactdpError as error:
        raise ProgramError(
            f"the {what} is not a function of the language: {error.message}",
            place=error.place,
            rule=error.rule or "Distances are piecewise linear and use no noise.",
            way_out="Write it as a function with `def`, in a file."
            if "@" in error.way_out
            else error.way_out,
        ) from None
    for param, kind in zip(found.inputs, types, strict=False):
        if param.type is not None and param.type.finite and kind is not None and not kind.finite:
            raise ProgramError(
                f"{param.name} of the {what} {found.__name__} is {param.type}, and is given reals",
                rule="What a distance compares is real or finite as in the mechanism.",
                way_out=f"Write {param.name} without a type.",
            )
    return found


# Outputs ------------------------------------------------------------------------------


Regions: TypeAlias = Callable[[Value], Iterator[list[tuple[Linear, str]]]]


class OutputDistance(ABC):
    """A distance on outputs, which may depend on the input."""

    name: str

    @abstractmethod
    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the distance of two outputs at an input, as the user writes it."""

    def ball(self, u: Value, output: Value, radius: Form) -> Regions:
        """Return the outputs within a radius, by linear conditions on their noise."""
        del u, output, radius
        raise ValueRefusedError(
            f"the outputs hold noise, and the output distance is {self}",
            rule="For outputs with noise it is discrete, sup, or a function in the language.",
            way_out="Use output_distance=sup, or write the distance as a function of (input, "
            "output, output).",
        )

    def bound_to(self, mechanism: Mechanism) -> OutputDistance:
        """Return the distance for a mechanism."""
        del mechanism
        return self

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class _EqualOutputs(OutputDistance):
    """0 if equal, else 1."""

    name: str = "discrete"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return 0 or 1."""
        del u
        return Fraction(0 if one == two else 1)


@dataclass(frozen=True)
class _Sup(OutputDistance):
    """The largest difference of numbers; infinite where anything else differs."""

    name: str = "sup"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the largest difference of two numbers in the same place."""
        if isinstance(one, tuple) and isinstance(two, tuple):
            if len(one) != len(two):
                return inf
            gaps = (self.between(u, a, b) for a, b in zip(one, two, strict=True))
            return max(gaps, default=Fraction(0))
        if _is_number(one) and _is_number(two):
            return abs(_number(one, self.name) - _number(two, self.name))
        return Fraction(0) if one == two else inf


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction | Spot) and not isinstance(value, bool)


@dataclass(frozen=True)
class _ValueGap(OutputDistance):
    """|q[i] − q[j]| for outputs i and j that are positions in the input's list."""

    name: str = "value_gap"

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the difference of the input's values at two positions."""
        return abs(self._value(u, one) - self._value(u, two))

    def _value(self, u: Value, position: Value) -> Any:
        if isinstance(u, tuple) and type(position) is int and 0 <= position < len(u):
            return _number(u[position], self.name)
        raise ValueRefusedError(
            f"value_gap needs outputs that are positions in the input, and one is {position!r}",
            rule="value_gap is the difference of the input's values at two positions.",
            way_out="Use a function of (input, output, output).",
        )


@dataclass(frozen=True)
class _ScoreGap(OutputDistance):
    """|score(u, v) − score(u, w)|; `score_gap(score)` names the score of the mechanism.

    Alone, `score_gap` takes the score from the mechanism's only `expmech`.
    """

    score: Callable[..., Any] | None = None
    mechanism: Mechanism | None = None
    name: str = "score_gap"

    def __call__(self, score: Callable[..., Any]) -> _ScoreGap:
        if not callable(score):
            raise ValueRefusedError(
                f"{score!r} is not a score", rule="A score is a function of an input and an output."
            )
        return replace(self, score=score)

    def bound_to(self, mechanism: Mechanism) -> OutputDistance:
        """Return the distance with the score of the mechanism."""
        return replace(self, mechanism=mechanism)

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the difference of two scores."""
        return abs(self._score(u, one) - self._score(u, two))

    def _score(self, u: Value, output: Value) -> Any:
        if self.score is not None:
            return Fraction(read_number(_called(self.score, "the score", u, output)))
        assert self.mechanism is not None
        found = _scores(self.mechanism, u)
        if output not in found:
            raise ValueRefusedError(
                f"{output!r} is not a candidate of the mechanism's expmech",
                way_out="Name the score: score_gap(score).",
            )
        return found[output]


def _scores(mechanism: Mechanism, u: Value) -> dict[Value, Fraction]:
    """Return the scores of the candidates, from the first statement that samples."""
    machine = mechanism.machine
    event = machine.advance(machine.start(mechanism.read_input(u)))
    if not isinstance(event, Choice) or event.exponents is None or event.rate is None:
        raise ValueRefusedError(
            "score_gap alone needs a mechanism that begins with expmech",
            way_out="Name the score: score_gap(score).",
        )
    pairs = zip(event.values, event.exponents, strict=True)
    return {value: exponent / event.rate for value, exponent in pairs}


@dataclass(frozen=True)
class _OwnOutput(OutputDistance):
    """A function of an input and two outputs: in the language, or any Python function."""

    function: Callable[..., Any]
    mechanism: Mechanism | None = None
    _machines: dict[tuple[InputType | None, ...], Machine] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the function."""
        return str(getattr(self.function, "__name__", "the output distance"))

    def between(self, u: Value, one: Value, two: Value) -> Distance:
        """Return the value of the function."""
        if isinstance(self.function, Ideal) and has_spots((u, one, two)):
            with watched((u, one, two)):
                found = run_at_spots(self._machine(one, two), (u, one, two))
            if isinstance(found, Spot):
                return found
        else:
            found = _called(self.function, f"the distance {self.name}", u, one, two)
            if isinstance(found, Spot):
                return found
        if isinstance(found, float) and found == inf:
            return inf
        return _check_distance(freeze(found), self.name)

    def ball(self, u: Value, output: Value, radius: Form) -> Regions:
        """Return the pieces of the function on which it is at most the radius."""

        def regions(other: Value) -> Iterator[list[tuple[Linear, str]]]:
            machine = self._machine(output, other)
            for piece in pieces(machine, (u, as_list(output), as_list(other))):
                size = piece.output
                if not isinstance(size, Linear):
                    size = _check_distance(size, self.name)
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
                    (Linear(dict(row.entries), row.constant), ">" if row.strict else ">=")
                    for row in conditions
                    if row.entries
                ]

        return regions

    def _machine(self, one: Value, two: Value) -> Machine:
        """Return the function for outputs like these."""
        assert self.mechanism is not None
        types = _input_type(self.mechanism), _type_of(one), _type_of(two)
        if types not in self._machines:
            function = _in_the_language(self.function, "output_distance", types)
            if len(function.inputs) != len(types):
                raise ValueRefusedError(
                    f"the distance {self.name} has {len(function.inputs)} inputs",
                    rule="A distance on outputs is a function of an input and two outputs.",
                    way_out="Write def distance(u, one, two): …",
                )
            self._machines[types] = function.machine
        return self._machines[types]


def _type_of(output: Value) -> InputType | None:
    """Return the type of an output, None if it is finite."""
    if isinstance(output, Linear | Spot) or _is_number(output):
        return Real
    if isinstance(output, tuple):
        return RecordType(tuple(map(_type_of, output)))
    return None


def as_list(value: Value) -> Value:
    """Return an output, whose lists are tuples, as a value of the language."""
    return List(map(as_list, value)) if isinstance(value, tuple) else value


def _called(function: Callable[..., Any], what: str, *arguments: Value) -> Any:
    try:
        with watched(arguments):
            return function(*arguments)
    except ExactdpError:
        raise
    except Exception as error:
        if has_spots(arguments):
            raise untold(what, error) from error
        raise ValueRefusedError(
            f"{what} failed at {', '.join(map(repr, arguments))}: {error}",
            rule="It is called with an input and outputs, and returns a number.",
        ) from error


def untold(what: str, error: Exception) -> ValueRefusedError:
    """Return the refusal of a Python function that does not work with unknown numbers."""
    return ValueRefusedError(
        f"{what} cannot be told for all inputs at once: {_without_names(str(error))}",
        rule="There numbers of the input can be added, compared, and multiplied by numbers.",
        way_out="Write it piecewise linear, or give inputs=Grid(lo, hi) or a list.",
    )


def _without_names(text: str) -> str:
    """Return a message of Python's without our own names of types."""
    for name in (Spot.__name__, Linear.__name__):
        text = text.replace(f"'{name}'", "an input").replace(name, "an input")
    return text


sup = _Sup()
value_gap = _ValueGap()
score_gap = _ScoreGap()
discrete_outputs = _EqualOutputs()


def read_output_distance(value: object, mechanism: Mechanism) -> OutputDistance:
    """Return the distance on outputs that a user gives."""
    named: dict[str, OutputDistance] = {
        one.name: one for one in (discrete_outputs, sup, value_gap, score_gap)
    }
    if value is discrete:
        return discrete_outputs
    if isinstance(value, OutputDistance):
        return value.bound_to(mechanism)
    if isinstance(value, str) and value in named:
        return named[value].bound_to(mechanism)
    if (
        callable(value)
        and not isinstance(value, InputDistance)
        and (isinstance(value, Ideal) or not isinstance(value, Mechanism))
    ):
        return _OwnOutput(value, mechanism)
    raise ValueRefusedError(
        f"{value!r} is not a distance on outputs",
        rule="It is discrete, sup, value_gap, score_gap, or a function of (input, output, output).",
        way_out="Write output_distance=sup.",
    )

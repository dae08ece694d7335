"""Distances on inputs: those of the paper, and functions given by the user.

A distance on inputs is piecewise linear: `cases` lists the pieces, and the linear forms whose
maximum it is on each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from types import BuiltinFunctionType
from typing import Any, TypeAlias, TypeGuard

from exactdp.claims.stated.adjacency import Adjacency, within
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.interval_numbers import AmbiguousComparisonError, IntervalNumber
from exactdp.claims.stated.pieces import condition, pieces
from exactdp.errors import ExactdpError, ProgramError, ValueRefusedError, shown
from exactdp.language.helpers import checked_function
from exactdp.language.layout import assembled, kinds
from exactdp.language.linear import Linear, Scalar
from exactdp.language.program import DeterministicProgram, Program, typed_program
from exactdp.language.rules import LINEAR
from exactdp.language.types import InputType, RecordType
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.numbers import inf, rational, spell
from exactdp.reals.square_roots import at_most, square_root
from exactdp.semantics.spots import Spot

Distance: TypeAlias = Any
"""A rational, the square root of one (`l2`), or `inf`; for symbolic inputs, a linear form."""


@dataclass(frozen=True)
class DistanceCase:
    """Where all rows hold, the distance is the maximum of the forms; `helpers` are free."""

    rows: Polyhedron
    forms: tuple[Scalar, ...]
    helpers: tuple[str, ...] = ()


class InputDistance(ABC):
    """A distance on inputs, which are given as flat sequences."""

    name: str

    def __repr__(self) -> str:
        return str(self)

    @abstractmethod
    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return the cases in which the distance is finite and `known` can hold."""

    @abstractmethod
    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the distance between two inputs."""

    by_entry = True
    """Whether making two entries equal never increases the distance."""

    is_norm = False
    """Whether inputs whose entries are close are close."""

    is_all_or_nothing = False
    """Whether different inputs are always at distance 1."""

    is_euclidean = False
    """Whether it is the square root of the sum of squares."""

    adds = False
    """Whether the distances of groups of entries are added; otherwise their maximum is taken."""

    def gaps(self, u: Sequence[Value], v: Sequence[Value]) -> list[Any]:
        """Return the differences between corresponding entries, which must be numbers."""
        pairs = zip(u, v, strict=True)
        return [abs(as_number(a, self.name) - as_number(b, self.name)) for a, b in pairs]

    def total(self, distances: list[int | Distance]) -> int | Distance:
        """Combine the distances of groups of entries."""
        return sum(distances) if self.adds else max(distances, default=0)

    def __str__(self) -> str:
        return self.name


def _gap(a: Scalar, b: Scalar) -> list[Scalar]:
    """Return the forms whose maximum is |a − b|."""
    if not _both_numbers(a, b):
        raise ValueRefusedError(
            f"a distance needs numbers, and inputs are {shown(a)} and {shown(b)}",
            way_out="Use input_distance=discrete, or a function of two inputs.",
        )
    difference = a - b
    if not isinstance(difference, Linear):
        return [abs(Fraction(difference))]
    return [difference, -difference]


def as_number(value: Value, name: str) -> Any:
    """Return a number of an input; refuse any other value."""
    if isinstance(value, Spot):
        return value
    if isinstance(value, bool | int | Fraction):
        return Fraction(value)
    raise ValueRefusedError(
        f"the distance {name} needs numbers, and an input is {shown(value)}",
        way_out="Use discrete, or write a distance of your own as a function.",
    )


class Norm(InputDistance):
    """A distance that is a norm of the difference; called with a number, an adjacency."""

    is_norm = True

    def __call__(self, radius: object) -> Adjacency:
        """Return the adjacency of inputs at a distance of at most `radius`."""
        return within(self.name, radius)

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the total of the differences."""
        return Fraction(0) + self.total(self.gaps(u, v))


@dataclass(frozen=True, repr=False)
class _LargestGap(Norm):
    """The largest difference between corresponding entries.

    >>> from exactdp import linf
    >>> linf.between([0, 0], [1, 3])
    Fraction(3, 1)
    """

    name: str = "linf"

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return one case with all differences."""
        del known
        forms = [form for a, b in zip(u, v, strict=True) for form in _gap(a, b)]
        yield DistanceCase((), (0, *forms))


@dataclass(frozen=True, repr=False)
class _Total(Norm):
    """The sum of all differences.

    >>> from exactdp import l1
    >>> l1.between([0, 0], [1, 3])
    Fraction(4, 1)
    """

    name: str = "l1"
    adds = True

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return one case with a helper for each difference."""
        del known
        rows: list[Halfspace] = []
        total: Scalar = 0
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
        yield DistanceCase(tuple(rows), (0, total), tuple(helpers))


@dataclass(frozen=True, repr=False)
class _Euclidean(Norm):
    """The square root of the sum of all squared differences.

    It is not a linear form. At given inputs, dd is the square root of a rational; for all reals, it
    is bounded by forms slightly above it, if the inputs with each ideal output are a polyhedron.

    >>> from exactdp import l2
    >>> print(l2.between([0, 0], [3, 4]), l2.between([0, 0], [1, 1]))
    5 sqrt(2)
    """

    name: str = "l2"
    is_euclidean = True

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return the differences of a single number; for several, the distance is not linear."""
        if len(u) > 1:
            raise not_linear("the distance l2 of inputs with several numbers")
        yield from linf.cases(u, v, known)

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the square root of the sum of the squared differences."""
        gaps = self.gaps(u, v)
        return gaps[0] if len(gaps) == 1 else self.total(gaps)

    def width(self, slopes: Iterable[int | Fraction]) -> Fraction:
        """Return how much a form with these slopes changes over distance 1, or slightly less."""
        return Fraction(at_most(square_root(sum((Fraction(q) ** 2 for q in slopes), Fraction(0)))))

    def total(self, distances: list[int | Distance]) -> int | Distance:
        """Combine the distances of entries."""
        if any(isinstance(one, Spot) for one in distances):
            raise not_linear("the distance l2 of inputs with several numbers")
        return square_root(sum((Fraction(one) ** 2 for one in distances), Fraction(0)))


def not_linear(what: str) -> ValueRefusedError:
    """Return the error for a distance that is not linear, for all reals."""
    return ValueRefusedError(
        f"{what} is not a linear form",
        rule="For all reals at once that is a question in the theory of the reals with "
        "multiplication (Th₊,ₓ), and only linear arithmetic is decided there.",
        way_out="Give inputs=Grid(lo, hi) or a list, or use linf or l1.",
    )


@dataclass(frozen=True, repr=False)
class _Equal(InputDistance):
    """0 if equal, else 1; on inputs and on outputs.

    >>> from exactdp import discrete
    >>> discrete.between([0, 0], [1, 3])
    Fraction(1, 1)
    """

    name: str = "discrete"
    is_all_or_nothing = True

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return one case, in which anything may differ by any amount."""
        del known
        yield DistanceCase(
            (), (int(any(a is not b and a != b for a, b in zip(u, v, strict=True))),)
        )

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return 0 or 1."""
        return Fraction(0 if list(u) == list(v) else 1)


def _both_numbers(a: object, b: object) -> bool:
    return all(isinstance(x, Linear | int | Fraction) for x in (a, b))


@dataclass(frozen=True, repr=False)
class _Numeric(InputDistance):
    """The paper's distance for NumericSparse: infinite unless entries at or above T agree.

    `numeric` has T = 0, `numeric(T)` any other threshold.

    >>> from exactdp import numeric
    >>> print(numeric(1))
    numeric(1)
    """

    threshold: Fraction = Fraction(0)
    name: str = "numeric"

    def __call__(self, threshold: object) -> _Numeric:
        value = rational(threshold, "the threshold")
        return _Numeric(value, f"numeric({spell(value)})")

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return the cases by which entries are below the threshold."""
        found: list[Polyhedron] = [known]
        for a, b in zip(u, v, strict=True):
            if a is b or a == b:
                continue
            _gap(a, b)  # refuses anything but numbers
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
            yield DistanceCase(rows[len(known) :], (0, *forms))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the largest difference, or inf."""
        for a, b in zip(u, v, strict=True):
            if min(as_number(a, self.name), as_number(b, self.name)) >= self.threshold and a != b:
                return inf
        return linf.between(u, v)


linf = _LargestGap()
l1 = _Total()
l2 = _Euclidean()
discrete = _Equal()
numeric = _Numeric()


@dataclass(frozen=True, repr=False)
class _OwnInput(InputDistance):
    """A function of two inputs in the language."""

    function: DeterministicProgram
    mechanism: Program

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the function."""
        return self.function.__name__

    by_entry = False  # nothing is known about the function

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Return the pieces of the function."""
        for piece in pieces(self.function.machine, as_arguments(self.mechanism, u, v)):
            if piece.output == inf:
                continue
            if not isinstance(piece.output, Linear):
                check_distance(piece.output, self.name)
            if feasible((*known, *piece.rows)):
                yield DistanceCase(piece.rows, (piece.output,))

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the value of the function."""
        found = self.function.machine.run(as_arguments(self.mechanism, u, v))
        return check_distance(found, self.name)


@dataclass(frozen=True, repr=False)
class NonlinearDistance(InputDistance):
    """A Python function of two inputs that multiplies reals; it may be called with spans."""

    function: Callable[[Any, Any], object]
    mechanism: Program
    name: str

    by_entry = False  # nothing is known about the function

    def cases(
        self, u: Sequence[Scalar], v: Sequence[Scalar], known: Polyhedron
    ) -> Iterator[DistanceCase]:
        """Raise an error: there are no linear pieces."""
        del u, v, known
        raise not_linear(f"the distance {self}, which multiplies reals,")

    def between(self, u: Sequence[Value], v: Sequence[Value]) -> Distance:
        """Return the value of the function."""
        found = self.at([*map(IntervalNumber.of, u)], [*map(IntervalNumber.of, v)])
        if isinstance(found, IntervalNumber):
            found = found.lower
        return check_distance(found, self.name)

    def at(self, u: Sequence[Any], v: Sequence[Any]) -> Any:
        """Call the function with numbers, spans or germs."""
        try:
            found = self.function(*map(_as_lists, as_arguments(self.mechanism, u, v)))
        except (ExactdpError, AmbiguousComparisonError):
            raise
        except Exception as error:
            raise ValueRefusedError(
                f"the distance {self} failed: {error}",
                rule="A distance that multiplies reals is a Python function with +, -, *, /, whole "
                "powers, abs, min, max and comparisons.",
            ) from error
        return found


def _as_lists(value: Any) -> Any:
    return [_as_lists(item) for item in value] if isinstance(value, tuple) else value


def as_arguments(mechanism: Program, *inputs: Sequence[Value]) -> tuple[Value, ...]:
    """Return inputs, given as flat sequences, as a function of inputs takes them."""
    return tuple(as_given(mechanism, assembled(mechanism.inputs, one)) for one in inputs)


def check_distance(value: Value, name: str) -> Distance:
    """Return the value of a distance; refuse an invalid one."""
    if isinstance(value, float) and value == inf:
        return inf
    if isinstance(value, int | Fraction) and not isinstance(value, bool) and value >= 0:
        return Fraction(value)
    raise ValueRefusedError(
        f"the distance {name} is {shown(value)} somewhere",
        rule="A distance is a number, 0 or more, or inf.",
        way_out="Return a number that is not negative, such as abs(…).",
    )


def read_input_distance(value: object, mechanism: Program) -> InputDistance:
    """Read the distance on inputs given by a user."""
    if isinstance(value, InputDistance):
        return value
    if isinstance(value, str):
        named: dict[str, InputDistance] = {
            one.name: one for one in (linf, l1, l2, discrete, numeric)
        }
        if value in named:
            return named[value]
    if is_function(value) and not isinstance(value, BuiltinFunctionType):
        kind = input_type(mechanism)
        try:
            return _OwnInput(in_the_language(value, "input_distance", [kind, kind]), mechanism)
        except ProgramError as error:
            is_python = not isinstance(value, Program) and not any(kinds(mechanism.inputs))
            if error.rule != LINEAR or not is_python:
                raise
            name = getattr(value, "__name__", "distance")
            return NonlinearDistance(
                checked_function(value, name, lambda found: found).function, mechanism, name
            )
    raise ValueRefusedError(
        f"{shown(value)} is not a distance on inputs",
        rule="It is linf, l1, l2, discrete, numeric, or a function of two inputs in the language.",
        way_out="Write input_distance=linf, or def distance(u, v): …",
    )


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Whether a value is a function: in Python, or a deterministic one of the language."""
    is_noisy = isinstance(value, Program) and not isinstance(value, DeterministicProgram)
    return callable(value) and not is_noisy


def input_type(mechanism: Program) -> InputType | None:
    """Return the type of an input as passed to a distance: several inputs form one sequence."""
    types = tuple(param.type for param in mechanism.inputs)
    return types[0] if len(types) == 1 else RecordType(types)


_SHAPES = {
    "input_distance": ("A distance on inputs is a function of two inputs.", "distance(u, v)"),
    "output_distance": (
        "A distance on outputs is a function of an input and two outputs.",
        "distance(u, one, two)",
    ),
    "adjacency": ("An adjacency is a function of two inputs.", "adjacent(u, v)"),
}
"""What a function is for: what it is called with, and how to write it."""


def in_the_language(
    function: Any, what: str, types: Sequence[InputType | None]
) -> DeterministicProgram:
    """Read a function of the user as one in the language, with types for its inputs.

    `what` is the argument for which it is given.
    """
    try:
        found = typed_program(function, types, lambdas=True)
        if getattr(function, "__name__", "") == "<lambda>":
            found = DeterministicProgram(replace(found.definition, name=what))
    except ExactdpError as error:
        raise ProgramError(
            f"the {what} is not a function of the language: {error.message}",
            place=error.place,
            rule=error.rule or "Distances are piecewise linear and use no noise.",
            way_out="Write it as a function with `def`, in a file."
            if "@" in error.way_out
            else error.way_out,
        ) from None
    if len(found.inputs) != len(types):
        rule, example = _SHAPES[what]
        noun = "adjacency" if what == "adjacency" else "distance"
        raise ValueRefusedError(
            f"the {noun} {found.__name__} has {len(found.inputs)} inputs",
            rule=rule,
            way_out=f"Write def {example}: …",
        )
    for param, kind in zip(found.inputs, types, strict=True):
        if param.type is not None and param.type.finite and kind is not None and not kind.finite:
            raise ProgramError(
                f"{param.name} of the {what} {found.__name__} is {param.type}, and is given reals",
                rule="What a distance compares is real or finite as in the mechanism.",
                way_out=f"Write {param.name} without a type.",
            )
    return found

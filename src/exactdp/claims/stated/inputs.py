"""The inputs of a claim: a grid, a list, a box of reals, or all reals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from exactdp.errors import ValueRefusedError, counted, shown
from exactdp.language.layout import assembled, kinds
from exactdp.language.values import List, Value, plain
from exactdp.reals.interval import Interval, read_end
from exactdp.reals.numbers import Number, inf, rational, spell
from exactdp.semantics.few import require_few

if TYPE_CHECKING:
    from exactdp.language.program import Program

End: TypeAlias = Fraction | float
"""An end of a box: a rational, or `inf` or `-inf`."""

_MOST = 10_000_000  # inputs of a grid


@dataclass(frozen=True, init=False)
class Grid:
    """All inputs whose real numbers are among lower, lower + step, …, up to upper.

    >>> from exactdp import Grid
    >>> print(Grid(-1, 1, "1/2"))
    the grid -1 … 1, step 1/2
    """

    lower: Fraction
    upper: Fraction
    step: Fraction

    def __init__(self, lower: Number, upper: Number, step: Number = 1) -> None:
        low, high = rational(lower, "the lower end"), rational(upper, "the upper end")
        width = rational(step, "the step")
        if low > high:
            raise ValueRefusedError(
                f"Grid({spell(low)}, {spell(high)}) is empty",
                rule="A grid goes from its lower end to its upper end.",
                way_out=f"Write Grid({spell(high)}, {spell(low)}).",
            )
        if width <= 0:
            raise ValueRefusedError(
                f"the step of a grid is {spell(width)}", rule="The step is positive."
            )
        for name, value in (("lower", low), ("upper", high), ("step", width)):
            object.__setattr__(self, name, value)

    @property
    def count(self) -> int:
        """The number of its numbers."""
        return int((self.upper - self.lower) // self.step) + 1

    def numbers(self) -> list[Value]:
        """Return the numbers of the grid."""
        return [plain(self.lower + k * self.step) for k in range(self.count)]

    def __repr__(self) -> str:
        step = "" if self.step == 1 else f", {_written(self.step)}"
        return f"Grid({_written(self.lower)}, {_written(self.upper)}{step})"

    def __str__(self) -> str:
        step = "" if self.step == 1 else f", step {spell(self.step)}"
        return f"the grid {spell(self.lower)} … {spell(self.upper)}{step}"


@dataclass(frozen=True)
class AllReals:
    """All real inputs, decided symbolically; inputs with a finite domain are enumerated.

    >>> from exactdp import AllReals
    >>> print(AllReals())
    all real inputs
    """

    def ends(self, count: int) -> list[tuple[End, End]]:
        """Return the lower and upper bound of each of `count` numbers, which are infinite."""
        return [(-inf, inf)] * count

    def __str__(self) -> str:
        return "all real inputs"


@dataclass(frozen=True, init=False)
class Box:
    """All real inputs between two bounds, given once for all numbers or for each number.

    A bound may be infinite: Box(0, inf) contains the nonnegative inputs.

    >>> from exactdp import Box
    >>> print(Box([0, 0], [1, "1/2"]))
    the box (0, 0) … (1, 1/2)
    """

    lower: End | tuple[End, ...]
    upper: End | tuple[End, ...]

    def __init__(self, lower: Number | Iterable[Number], upper: Number | Iterable[Number]) -> None:
        low, high = _end(lower, "the lower end"), _end(upper, "the upper end")
        lows = low if isinstance(low, tuple) else (low,)
        highs = high if isinstance(high, tuple) else (high,)
        if len(lows) != len(highs) and 1 not in (len(lows), len(highs)):
            raise ValueRefusedError(
                f"a box with {len(lows)} lower and {len(highs)} upper ends",
                rule="A box has one lower and one upper end for each number, or for all.",
            )
        size = max(len(lows), len(highs))
        pairs = zip(
            lows * (size if len(lows) == 1 else 1),
            highs * (size if len(highs) == 1 else 1),
            strict=True,
        )
        if any(a > b for a, b in pairs):
            raise ValueRefusedError(
                "a box whose lower end is above its upper end is empty",
                rule="Each lower end is at most the upper end.",
            )
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)

    def ends(self, count: int) -> list[tuple[End, End]]:
        """Return the lower and upper bound of each of `count` numbers."""
        found = []
        for end in (self.lower, self.upper):
            each = end if isinstance(end, tuple) else (end,) * count
            if len(each) != count:
                raise ValueRefusedError(
                    f"the box has {len(each)} numbers, the mechanism {count}",
                    rule="A box has one lower and one upper end for each number, or for all.",
                )
            found.append(each)
        return list(zip(*found, strict=True))

    def __repr__(self) -> str:
        return f"Box({_written(self.lower)}, {_written(self.upper)})"

    def __str__(self) -> str:
        return f"the box {_show(self.lower)} … {_show(self.upper)}"


def _written(end: End | tuple[End, ...]) -> str:
    """Return a bound in the form in which users write it."""
    if isinstance(end, tuple):
        return f"[{', '.join(map(_written, end))}]"
    if not isinstance(end, Fraction):
        return str(end)
    return str(end) if end.denominator == 1 else f"'{end}'"


Inputs: TypeAlias = Grid | AllReals | Box | tuple[Value, ...]


def read_inputs(mechanism: Program, inputs: object) -> Inputs:
    """Read the inputs of a claim given by a user; the elements of a list are checked."""
    if inputs is None or isinstance(inputs, AllReals | Box):
        require_few(mechanism.inputs)
        if inputs is not None:
            inputs.ends(real_count(mechanism))  # refuses a box of another size
        given = AllReals() if inputs is None else inputs
        return given if has_reals(mechanism) else tuple(every_input(mechanism))
    if isinstance(inputs, Grid):
        size = how_many(mechanism, inputs.count)
        if size > _MOST:
            raise ValueRefusedError(
                f"{inputs} has {size:,} inputs",
                rule=f"At most {_MOST:,} inputs are checked one by one.",
                way_out="Use AllReals() or Box(lo, hi), which are proved at once.",
            )
        return inputs
    if isinstance(inputs, str | type) or not isinstance(inputs, Iterable):
        examples = {AllReals: "AllReals()", Grid: "Grid(-1, 1)", Box: "Box(-1, 1)"}
        raise ValueRefusedError(
            f"inputs is {shown(inputs)}, which is not a list of inputs",
            rule="Inputs are a list of inputs, a Grid, a Box or AllReals().",
            way_out=f"Write inputs={examples[inputs]}."
            if isinstance(inputs, type) and inputs in examples
            else "Write inputs=[u] for one input, inputs=Grid(-1, 1) or inputs=AllReals().",
        )
    found = tuple(dict.fromkeys(mechanism.read_input(u) for u in inputs))
    if not found:
        raise ValueRefusedError(
            "the list of inputs is empty",
            rule="A claim about no input says nothing.",
            way_out="Write inputs=[u1, u2], or inputs=Grid(-1, 1).",
        )
    return found


def is_condition(inputs: object) -> bool:
    """Whether inputs are given as a condition: a function of the input, or a comparison as text."""
    if isinstance(inputs, str):
        return any(sign in inputs for sign in "<>=")
    return callable(inputs) and not isinstance(inputs, type)


def how_many(mechanism: Program, numbers: int) -> int:
    """Return the number of inputs whose real numbers have so many values each."""
    every = kinds(mechanism.inputs)
    return math.prod(numbers if kind is None else len(kind.members) for kind in every)


def every_input(
    mechanism: Program, numbers: Sequence[Value] | None = None
) -> Iterator[tuple[Value, ...]]:
    """Yield the inputs whose real numbers are given ones, the last entry changing fastest.

    `product` lists its arguments first, so these are the entries and not whole lists.
    """
    for values in product(*_members(mechanism, numbers)):
        yield assembled(mechanism.inputs, values)


def _members(mechanism: Program, numbers: Sequence[Value] | None) -> Iterator[Sequence[Value]]:
    for kind in kinds(mechanism.inputs):
        assert kind is not None or numbers is not None
        yield (numbers or ()) if kind is None else kind.members


def has_reals(mechanism: Program) -> bool:
    """Whether some input is a real number."""
    return real_count(mechanism) > 0


def real_count(mechanism: Program) -> int:
    """Return the number of real numbers in an input."""
    return kinds(mechanism.inputs).count(None)


def told_inputs(given: object, read: Inputs) -> str:
    """Return the inputs of a claim in words; `given` is None if a user gave none."""
    if not isinstance(read, tuple):
        return str(read)
    return counted(len(read), "possible input" if given is None else "given input")


def told_budgets(on: Interval) -> str:
    """Return the ε of a claim in words."""
    return f"ε = {spell(Fraction(on.lower))}" if on.is_point else f"every ε in {on}"


def show(value: Value) -> str:
    """Return an input or output as a user would write it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show, value))}]"
    return spell(value) if isinstance(value, Fraction) else str(value)


def as_written(value: Value) -> Value:
    """Return a value with lists of the language converted to Python lists."""
    return [as_written(item) for item in value] if isinstance(value, List) else value


def with_zeros(mechanism: Program) -> Iterator[tuple[Value, ...]]:
    """Return an input for each value of the finite entries; the real ones are 0."""
    return every_input(mechanism, (0,))


def as_given(mechanism: Program, u: tuple[Value, ...]) -> Value:
    """Return an input as a user would write it: not in a tuple if there is one parameter."""
    return u[0] if len(mechanism.inputs) == 1 else u


def _end(value: Number | Iterable[Number], what: str) -> End | tuple[End, ...]:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(read_end(item, what) for item in value)
    return read_end(value, what)


def _show(end: End | tuple[End, ...]) -> str:
    if isinstance(end, tuple):
        return f"({', '.join(map(_show, end))})"
    return spell(end) if isinstance(end, Fraction) else "−∞" if end < 0 else "∞"

"""The α and γ of a claim: a number, a formula, or a range."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.claims.stated.conditions import read_formula
from exactdp.claims.stated.expressions import (
    Comparison,
    Constant,
    Expression,
    Symbol,
    as_expression,
)
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.numbers import inf, rational
from exactdp.reals.radical_form import RadicalForm
from exactdp.reals.radicals import Radical, told


class AnyLevel:
    """All nonnegative numbers.

    >>> from exactdp import ANY
    >>> ANY
    ANY
    """

    def __repr__(self) -> str:
        return "ANY"

    def __reduce__(self) -> str:
        return "ANY"


#: Every value: for α, all below the distance to disagreement; for γ, all nonnegative numbers.
ANY = AnyLevel()


@dataclass(frozen=True, init=False, repr=False)
class Range:
    """All numbers between two endpoints, which are included unless the range is open there.

    Endpoints are numbers, `inf`, or formulas in eps, alpha and the inputs.

    >>> from exactdp import Range
    >>> print(Range(1, 2))
    in [1, 2]
    """

    lower: Any
    upper: Any
    lower_open: bool
    upper_open: bool

    def __init__(
        self, lower: Any, upper: Any, *, lower_open: bool = False, upper_open: bool = False
    ) -> None:
        ends: tuple[object, object]
        lower, upper = _number_if_root(lower), _number_if_root(upper)
        if isinstance(lower, Radical) or isinstance(upper, Radical):
            low, high = (one if isinstance(one, Radical) else _end(one) for one in (lower, upper))
            if not low < high:
                raise ValueRefusedError(
                    f"the range from {low} to {high} is empty",
                    way_out="Give the smaller number first; for one number, give it alone.",
                )
            ends, upper_open = (low, high), upper_open or high == inf
        elif is_formula(lower) or is_formula(upper):
            ends = _as_end(lower), _as_end(upper)
        else:
            interval = Interval(lower, upper, lower_open=lower_open, upper_open=upper_open)
            ends, upper_open = (interval.lower, interval.upper), interval.upper_open
        put = object.__setattr__
        put(self, "lower", ends[0])
        put(self, "upper", ends[1])
        put(self, "lower_open", lower_open)
        put(self, "upper_open", upper_open)

    def __repr__(self) -> str:
        return f"<Range: {self}>"

    @classmethod
    def of(cls, on: Interval) -> Range:
        """Return all numbers of an interval."""
        return cls(on.lower, on.upper, lower_open=on.lower_open, upper_open=on.upper_open)

    @property
    def is_constant(self) -> bool:
        """Whether both endpoints are numbers."""
        return not is_formula(self.lower) and not is_formula(self.upper)

    @property
    def has_root(self) -> bool:
        """Whether an endpoint is an irrational number."""
        return isinstance(self.lower, Radical) or isinstance(self.upper, Radical)

    @property
    def interval(self) -> Interval:
        """The range as an interval, if both endpoints are rational numbers."""
        return Interval(
            self.lower, self.upper, lower_open=self.lower_open, upper_open=self.upper_open
        )

    def sides(self, name: str) -> tuple[Comparison, ...]:
        """Return the range as conditions on α or γ."""
        level = Symbol(name)
        found = [Comparison(level - self.lower, strict=self.lower_open)]
        if self.upper != inf:
            found.append(Comparison(self.upper - level, strict=self.upper_open))
        return tuple(found)

    def reaches_below(self, limit: Fraction | float, *, closed: bool) -> bool:
        """Whether some number of the range is below a limit (or equal to it, if closed)."""
        if self.lower < limit:
            return True
        return bool(closed and self.lower == limit and not self.lower_open)

    def has(self, number: Any) -> bool:
        """Whether a number, or a linear form in parameters, is in the range."""
        above = number > self.lower or (number == self.lower and not self.lower_open)
        below = number < self.upper or (number == self.upper and not self.upper_open)
        return bool(above and below)

    def __str__(self) -> str:
        if self.is_constant and not self.has_root:
            is_all = self.lower == 0 and self.upper == inf and not self.lower_open
            return "any" if is_all else f"in {self.interval}"
        left, right = "[("[self.lower_open], "])"[self.upper_open]
        upper = "∞)" if self.upper == inf else f"{self.upper}{right}"
        return f"in {left}{self.lower}, {upper}"


Level: TypeAlias = Expression | Range


def is_formula(value: object) -> bool:
    """Whether a value is a formula, and not a number."""
    return isinstance(value, Expression | ClosedForm)


def _number_if_root(value: Any) -> Any:
    """Return a number such as sqrt(2), which users write as a function of ε, as a number."""
    if isinstance(value, Constant):
        value = value.form
    number = value.number if isinstance(value, RadicalForm) else None
    return value if number is None else number


def _end(value: Any) -> Fraction | float:
    return inf if value == inf else rational(value, "an end of a range")


def _as_end(value: object) -> Expression | float:
    return inf if value == inf else as_expression(value, "an end of a range")


EVERY = Range(0, inf)


def read_level(value: object, name: str, inputs: Mapping[str, Any] | None = None) -> Level:
    """Read α or γ given by a user: a number, ANY, a range or an expression.

    A range given as text may use inputs, by name.
    """
    if value is ANY:
        return EVERY
    if isinstance(value, str) and value.strip()[:1] in ("(", "["):
        value = _range_of(value, inputs)
    elif isinstance(value, tuple | list) and len(value) == 2:
        value = Range(*value)
    elif isinstance(value, Interval):
        value = Range.of(value)
    if isinstance(value, Range):
        if not value.is_constant:
            return value
        if value.lower < 0:
            raise _negative(name, str(value)[3:])
        if value.lower != value.upper:
            return value
        value = value.lower
    level = as_expression(value, name)
    number = constant(level)
    if number is not None and number < 0:
        raise _negative(name, told(number))
    return level


def _range_of(text: str, inputs: Mapping[str, Any] | None) -> Range:
    """Parse a range such as "[eps, inf)"."""
    try:
        return Range.of(Interval.of(text))
    except ExactdpError:
        ends = re.split(r",(?![^(\[]*[)\]])", text.strip()[1:-1])
        if len(ends) != 2 or text.strip()[-1] not in ")]":
            raise
    lower, upper = (inf if end.strip() == "inf" else read_formula(end, inputs) for end in ends)
    return Range(
        lower,
        upper,
        lower_open=text.strip()[0] == "(",
        upper_open=text.strip()[-1] == ")" and upper != inf,
    )


def constant(level: Level) -> Any:
    """Return a level if it is a number, else None."""
    if not isinstance(level, Constant):
        return None
    if isinstance(level.form, RadicalForm):
        return level.form.number
    return level.form.numerator.constant() if level.form.denominator == 1 else None


def _negative(name: str, shown: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{name} is {shown}",
        rule=f"{name} is a distance, so it is not negative.",
        way_out=f"Write {name}=ANY for all of them, or a number such as {name}=1.",
    )

"""Which α and γ a claim is about: one value, a formula, or a whole range."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.claims.expressions import Constant, Expression, as_expression
from exactdp.errors import ValueRefusedError
from exactdp.reals import Interval
from exactdp.reals.numbers import inf, spell


class AnyLevel:
    """Every number that is not negative."""

    def __repr__(self) -> str:
        return "ANY"

    def __reduce__(self) -> str:
        return "ANY"


#: Every value: of α all below the distance to disagreement, of γ all that are not negative.
ANY = AnyLevel()


@dataclass(frozen=True)
class Range:
    """All numbers of an interval."""

    interval: Interval

    @property
    def lower(self) -> Fraction:
        """The lower end."""
        assert isinstance(self.interval.lower, Fraction)
        return self.interval.lower

    @property
    def upper(self) -> Fraction | float:
        """The upper end."""
        return self.interval.upper

    def reaches_below(self, limit: Fraction | float, *, closed: bool) -> bool:
        """Whether some number of the range is below a limit (or equal to it, if closed)."""
        if self.lower < limit:
            return True
        return closed and self.lower == limit and not self.interval.lower_open

    def has(self, number: Any) -> bool:
        """Whether a number, perhaps a linear form in parameters, is in the range."""
        on = self.interval
        above = number > on.lower or (number == on.lower and not on.lower_open)
        return above and (number < on.upper or (number == on.upper and not on.upper_open))

    def __str__(self) -> str:
        is_all = self.lower == 0 and self.upper == inf and not self.interval.lower_open
        return "any" if is_all else f"in {self.interval}"


Level: TypeAlias = Expression | Range


def read_level(value: object, name: str) -> Level:
    """Return α or γ as a user gives it: a number, ANY, a range or an expression."""
    if value is ANY:
        return Range(Interval(0, inf))
    if isinstance(value, tuple | list) and len(value) == 2:
        value = Interval(*value)
    if isinstance(value, str) and value.strip()[:1] in ("(", "["):
        value = Interval.of(value)
    if isinstance(value, Interval):
        if value.lower < 0:
            raise _negative(name, str(value))
        if not value.is_point:
            return Range(value)
        value = value.lower
    level = as_expression(value, name)
    number = constant(level)
    if number is not None and number < 0:
        raise _negative(name, spell(number))
    return level


def constant(level: Level) -> Fraction | None:
    """Return the number that a level is, if it is one."""
    if not isinstance(level, Constant) or level.form.denominator != 1:
        return None
    return level.form.numerator.constant()


def _negative(name: str, shown: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{name} is {shown}",
        rule=f"{name} is a distance, so it is not negative.",
        way_out=f"Write {name}=ANY for all of them, or a number such as {name}=1.",
    )

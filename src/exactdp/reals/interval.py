"""Intervals of the real line with rational or infinite ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from exactdp.errors import ValueRefusedError, shown, typed
from exactdp.reals.numbers import Number, inf, rational, simplest_inside, spell

End: TypeAlias = Fraction | float
"""An end of an interval: a Fraction, or `inf` or `-inf`."""

_TEXT = re.compile(r"\s*([(\[])\s*([^,]+?)\s*,\s*([^,]+?)\s*([)\]])\s*")
_NUMBER = re.compile(r"\s*[-+.\d]")
_INFINITE = {"inf": inf, "+inf": inf, "oo": inf, "+oo": inf, "∞": inf, "+∞": inf}


@dataclass(frozen=True, init=False)
class Interval:
    """A nonempty interval, closed at its finite ends unless said otherwise.

    >>> print(Interval(0, inf, lower_open=True))
    (0, ∞)
    >>> print(Interval.parse("(0, 1/2]"))
    (0, 1/2]
    """

    lower: End
    upper: End
    lower_open: bool
    upper_open: bool

    def __init__(
        self,
        lower: Number = 0,
        upper: Number = inf,
        *,
        lower_open: bool = False,
        upper_open: bool = False,
    ) -> None:
        ends = read_end(lower, "the lower end of an interval"), read_end(upper, "the upper end")
        is_open = bool(lower_open) or ends[0] == -inf, bool(upper_open) or ends[1] == inf
        object.__setattr__(self, "lower", ends[0])
        object.__setattr__(self, "upper", ends[1])
        object.__setattr__(self, "lower_open", is_open[0])
        object.__setattr__(self, "upper_open", is_open[1])
        if ends[0] > ends[1]:
            raise _refused(self, "is reversed")
        if ends[0] == ends[1] and any(is_open):
            raise _refused(self, "is empty")

    @classmethod
    def parse(cls, text: str) -> Interval:
        """Return the interval written as `(0, 1]`, `[1/2, inf)`, …."""
        match = _TEXT.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueRefusedError(
                f"{shown(text)} is not an interval",
                rule="An interval is two ends in brackets, ( and ) open, [ and ] closed.",
                way_out="Write for example '(0, inf)', '(0, 1]' or '[1/2, 3]'.",
            )
        left, lower, upper, right = match.groups()
        return cls(lower, upper, lower_open=left == "(", upper_open=right == ")")

    @classmethod
    def of(cls, value: Interval | Number) -> Interval:
        """Return an interval given as itself, as a string, or as the number that it consists of."""
        if isinstance(value, Interval):
            return value
        if isinstance(value, str) and not _NUMBER.match(value):
            return cls.parse(value)
        try:
            point = rational(value)
        except ValueRefusedError:
            raise ValueRefusedError(
                f"{typed(value)} is not an interval",
                way_out="Write Interval(0, 1), a string such as '(0, 1]', or a single number.",
            ) from None
        return cls(point, point)

    @property
    def is_point(self) -> bool:
        """Whether the interval is a single point."""
        return self.lower == self.upper

    def __contains__(self, number: Number) -> bool:
        value = number if isinstance(number, Fraction) else rational(number, "a number")
        above = value > self.lower or (value == self.lower and not self.lower_open)
        return above and (value < self.upper or (value == self.upper and not self.upper_open))

    def covers(self, other: Interval) -> bool:
        """Whether every point of another interval is in this one."""
        return self.meet(other) == other

    def meet(self, other: Interval) -> Interval | None:
        """Return the intersection with another interval, or None if it is empty."""
        lower, is_lower_open = max((one.lower, one.lower_open) for one in (self, other))
        upper, is_upper_closed = min((one.upper, not one.upper_open) for one in (self, other))
        if lower > upper or (lower == upper and (is_lower_open or not is_upper_closed)):
            return None
        return Interval(lower, upper, lower_open=is_lower_open, upper_open=not is_upper_closed)

    def simple_point(self) -> Fraction:
        """Return a simple rational inside, not at an end unless the interval is that point."""
        return Fraction(self.lower) if self.is_point else simplest_inside(self.lower, self.upper)

    def reflected(self) -> Interval:
        """Return {−x : x in the interval}."""
        return Interval(
            -self.upper, -self.lower, lower_open=self.upper_open, upper_open=self.lower_open
        )

    def positive_part(self) -> Interval | None:
        """Return the intersection with (0, ∞), or None if it is empty."""
        if self.upper <= 0:
            return None
        if self.lower > 0:
            return self
        return Interval(0, self.upper, lower_open=True, upper_open=self.upper_open)

    def __repr__(self) -> str:
        return f"<Interval {self}>"

    def __str__(self) -> str:
        if self.is_point:
            return f"{{{_spell(self.lower)}}}"
        left, right = "[("[self.lower_open], "])"[self.upper_open]
        return f"{left}{_spell(self.lower)}, {_spell(self.upper)}{right}"


def _spell(end: End) -> str:
    if isinstance(end, Fraction):
        return spell(end)
    return "∞" if end > 0 else "−∞"


def read_end(value: Number, what: str) -> End:
    """Return a rational or infinite number as a user writes it."""
    if isinstance(value, str):
        text = value.strip()
        negative = text[:1] in ("-", "−")
        if text[negative:] in _INFINITE:
            return -inf if negative else inf
    if isinstance(value, float) and value in (inf, -inf):
        return float(value)
    return rational(value, what)


def _refused(interval: Interval, problem: str) -> ValueRefusedError:
    ends = f"{_spell(interval.lower)} and {_spell(interval.upper)}"
    return ValueRefusedError(
        f"the interval between {ends} {problem}",
        rule="An interval holds at least one number; its lower end comes first.",
        way_out="Swap the ends, or close both ends of a single point: Interval(2, 2).",
    )


POSITIVE = Interval(0, inf, lower_open=True)
"""(0, ∞): every privacy budget."""

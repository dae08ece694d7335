"""Sets of ε: intervals whose ends may be isolated zeros, their finite unions, values on parts.

All answers are exact: whether a rational is in a set, which of two ends is larger, whether two sets
are equal. An end is a rational, ±∞, or a `Zero`: a sum with two rationals between which it is 0
exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from math import inf
from typing import Any, Generic, TypeAlias, TypeVar

from ..codec import Json, read, written
from ..errors import fail
from .expr import Condition
from .numbers import number, spell
from .zeros import End, Zero, bracket, narrower, order, simplest

T = TypeVar("T")

# -- intervals

_TEXT = re.compile(r"\s*([(\[])\s*([^,]+?)\s*,\s*([^,]+?)\s*([)\]])\s*")
_POINT = re.compile(r"\s*\{([^,{}]+)\}\s*")
_INFINITE = frozenset({"inf", "+inf", "oo", "+oo", "∞", "+∞"})


@dataclass(frozen=True, init=False, repr=False)
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
        lower: object = 0,
        upper: object = inf,
        *,
        lower_open: bool = False,
        upper_open: bool = False,
    ) -> None:
        ends = read_end(lower), read_end(upper)
        put = object.__setattr__
        put(self, "lower", ends[0])
        put(self, "upper", ends[1])
        put(self, "lower_open", bool(lower_open) or ends[0] == -inf)
        put(self, "upper_open", bool(upper_open) or ends[1] == inf)
        side = order(*ends)
        if side > 0:
            fail("E29", value=self, problem="reversed")
        if side == 0 and (self.lower_open or self.upper_open):
            fail("E29", value=self, problem="empty")

    @classmethod
    def parse(cls, text: str) -> Interval:
        """Return the interval written as `(0, 1]`, `[1/2, inf)`, `{2}`."""
        if isinstance(text, str) and (point := _POINT.fullmatch(text)):
            return cls(point[1], point[1])
        match = _TEXT.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            fail("E28", value=text)
        left, lower, upper, right = match.groups()
        return cls(lower, upper, lower_open=left == "(", upper_open=right == ")")

    @classmethod
    def of(cls, value: object) -> Interval:
        """Return an interval given as itself, as a text, or as the number that it consists of."""
        if isinstance(value, Interval):
            return value
        point = number(value)
        if point is not None:
            return cls(point, point)
        if isinstance(value, str):
            return cls.parse(value)
        fail("E28", value=value)

    @property
    def is_point(self) -> bool:
        """Whether the interval is a single point."""
        return order(self.lower, self.upper) == 0

    def __contains__(self, x: object) -> bool:
        point = read_end(x)
        low, high = order(point, self.lower), order(point, self.upper)
        above = low > 0 or (low == 0 and not self.lower_open)
        return above and (high < 0 or (high == 0 and not self.upper_open))

    def covers(self, other: Interval) -> bool:
        """Whether every point of another interval is in this one."""
        return self.meet(other) == other

    def meet(self, other: Interval) -> Interval | None:
        """Return the intersection with another interval, or None if it is empty."""
        low = max((self, other), key=_BY_START)
        high = min((self, other), key=_BY_STOP)
        return interval(low.lower, high.upper, low.lower_open, high.upper_open)

    def simple_point(self) -> Fraction:
        """Return a simple rational inside, not at an end unless the interval is that point."""
        if self.is_point:
            if isinstance(self.lower, Zero):
                raise ValueError(f"{self} has no point that is known to be rational")
            return Fraction(self.lower)
        low, high = self.lower, self.upper
        while bracket(low)[1] >= bracket(high)[0]:  # the ends differ, so their brackets part
            low, high = narrower(low), narrower(high)
        return simplest(bracket(low)[1], bracket(high)[0])

    def to_json(self) -> Json:
        """Return it as data for JSON."""
        ends = (str(x) if isinstance(x, float) else written(x) for x in (self.lower, self.upper))
        return {"ends": [*ends], "open": [self.lower_open, self.upper_open]}

    @staticmethod
    def from_json(data: Json) -> Interval:
        """Return the interval whose `to_json` this is."""
        ends = (read(Zero, x) if isinstance(x, Mapping) else x for x in data["ends"])
        lower_open, upper_open = data["open"]
        return Interval(*ends, lower_open=lower_open, upper_open=upper_open)

    def __str__(self) -> str:
        if order(self.lower, self.upper) == 0:
            return f"{{{_show(self.lower)}}}"
        left, right = "[("[self.lower_open], "])"[self.upper_open]
        return f"{left}{_show(self.lower)}, {_show(self.upper)}{right}"

    def __repr__(self) -> str:
        return f"<Interval {self}>"


def interval(lower: End, upper: End, lower_open: bool, upper_open: bool) -> Interval | None:
    """Return the interval with these ends, or None if it is empty."""
    side = order(lower, upper)
    if side > 0 or (side == 0 and (lower_open or upper_open or isinstance(lower, float))):
        return None
    return Interval(lower, upper, lower_open=lower_open, upper_open=upper_open)


def read_end(x: object) -> End:
    """Return an end that a user gives: a number, its text, infinity, or a zero."""
    if isinstance(x, Zero):
        return x
    if isinstance(x, str):
        text = x.strip()
        is_negative = text[:1] in ("-", "−")
        if text[is_negative:] in _INFINITE:
            return -inf if is_negative else inf
    if isinstance(x, float) and x in (inf, -inf):
        return float(x)
    found = number(x)
    if found is None:
        fail("E30", value=x)
    return Fraction(found)


def _show(end: End) -> str:
    if isinstance(end, Zero):
        return str(end)
    if isinstance(end, float):
        return "∞" if end > 0 else "−∞"
    return spell(end)


def _starts(one: Interval, two: Interval) -> int:
    """Compare where two intervals start; a closed one starts earlier."""
    return order(one.lower, two.lower) or one.lower_open - two.lower_open


def _stops(one: Interval, two: Interval) -> int:
    """Compare where two intervals stop; an open one stops earlier."""
    return order(one.upper, two.upper) or two.upper_open - one.upper_open


_BY_START, _BY_STOP = cmp_to_key(_starts), cmp_to_key(_stops)


def _touch(one: Interval, two: Interval) -> bool:
    """Whether no point lies between an interval and one that starts no earlier."""
    side = order(two.lower, one.upper)
    return side < 0 or (side == 0 and not (one.upper_open and two.lower_open))


# -- sets


@dataclass(frozen=True, repr=False)
class SolutionSet:
    """A finite union of intervals: disjoint, in increasing order, with a gap between any two.

    >>> print(SolutionSet.of(["(0, 1]", "[3, inf)", "{2}", "(1, 2)"]))
    (0, 2] ∪ [3, ∞)
    """

    intervals: tuple[Interval, ...]

    @staticmethod
    def of(parts: Iterable[object] | Interval | str) -> SolutionSet:
        """Return the union of intervals, given as such, as texts or as numbers."""
        given = [parts] if isinstance(parts, Interval | str) else parts
        found: list[Interval] = []
        for one in sorted(map(Interval.of, given), key=_BY_START):
            if not found or not _touch(found[-1], one):
                found.append(one)
            elif _stops(found[-1], one) < 0:
                last = found.pop()
                is_open = {"lower_open": last.lower_open, "upper_open": one.upper_open}
                found.append(Interval(last.lower, one.upper, **is_open))
        return SolutionSet(tuple(found))

    @staticmethod
    def parse(text: str) -> SolutionSet:
        """Return the set written as `(0, 1/5] ∪ [1, ∞)`, or ∅; ends are rational."""
        if text.strip() == "∅":
            return SolutionSet(())
        return SolutionSet.of(text.split("∪"))

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.intervals)

    def __len__(self) -> int:
        return len(self.intervals)

    def __contains__(self, x: object) -> bool:
        point = read_end(x)
        return any(point in one for one in self.intervals)

    def __or__(self, other: SolutionSet) -> SolutionSet:
        return SolutionSet.of((*self.intervals, *other.intervals))

    def __and__(self, other: SolutionSet) -> SolutionSet:
        met = (one.meet(two) for one in self.intervals for two in other.intervals)
        return SolutionSet.of([one for one in met if one is not None])

    def __sub__(self, other: SolutionSet) -> SolutionSet:
        """Return the points of this set that are not in the other one."""
        found = self
        for one in other.intervals:
            below = interval(-inf, one.lower, True, not one.lower_open)
            above = interval(one.upper, inf, not one.upper_open, True)
            found = found & SolutionSet.of([part for part in (below, above) if part is not None])
        return found

    def complement(self, window: object = "(0, inf)") -> SolutionSet:
        """Return the points of an interval that are not in the set."""
        return SolutionSet.of([Interval.of(window)]) - self

    def covers(self, other: SolutionSet | Interval) -> bool:
        """Whether every point of another set is in this one."""
        parts = [other] if isinstance(other, Interval) else other.intervals
        return not (SolutionSet.of(parts) - self).intervals

    def __str__(self) -> str:
        return " ∪ ".join(map(str, self.intervals)) or "∅"

    def __repr__(self) -> str:
        return f"<SolutionSet {self}>"


# -- values on parts

Part: TypeAlias = Interval | SolutionSet | tuple[Condition, ...]
"""Where a piece counts: for these ε, or where these comparisons hold."""


@dataclass(frozen=True, repr=False)
class Pieces(Generic[T]):
    """A value on each part of ε, or of the inputs."""

    parts: tuple[tuple[Part, T], ...]

    def __iter__(self) -> Iterator[tuple[Part, T]]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def at(self, values: object) -> T | None:
        """Return the value at a number ε, or where names have these values; None if there is none.

        Of parts that overlap the first counts.
        """
        for part, value in self.parts:
            if isinstance(part, tuple):
                if not isinstance(values, Mapping):
                    raise ValueError("these pieces are parts of the inputs: give a mapping")
                if all(test.at(values).truth() for test in part):
                    return value
            elif values in part:
                return value
        return None

    def map(self, function: Callable[[T], Any]) -> Pieces[Any]:
        """Return the pieces with a function of each value."""
        return Pieces(tuple((part, function(value)) for part, value in self.parts))

    def to_json(self) -> Json:
        """Return them as data for JSON."""
        return [[written(part), written(value)] for part, value in self.parts]

    @staticmethod
    def from_json(data: Json, kind: Any) -> Pieces[Any]:
        """Return the pieces whose `to_json` this is, with values of a kind."""
        return Pieces(tuple((read(Part, part), read(kind, value)) for part, value in data))

    def __str__(self) -> str:
        if len(self.parts) == 1 and self.parts[0][0] in ((), Interval.parse("(0, inf)")):
            return str(self.parts[0][1])
        rows = []
        for part, value in self.parts:
            if isinstance(part, tuple):
                where = " and ".join(test.pretty() for test in part)
                rows.append(f"{value}  where {where}" if where else str(value))
            else:
                rows.append(f"{value}  for ε in {part}")
        return "\n".join(rows)

    def __repr__(self) -> str:
        return f"<Pieces {len(self.parts)}: {self}>"

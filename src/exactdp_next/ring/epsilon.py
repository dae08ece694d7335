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
from functools import cmp_to_key, total_ordering
from math import inf
from typing import Any, Generic, TypeAlias, TypeVar

from ..errors import fail
from . import enclose, printing
from .condition import Condition
from .enclose import Enclosure
from .expsum import ExpSum
from .text import number

T = TypeVar("T")

Json: TypeAlias = Any
"""What `json.dumps` takes and `json.loads` returns."""

NARROW = Fraction(1, 2**64)
"""The relative width at which a zero is compared with the simplest rational near it: a rational
zero whose denominator has up to 30 bits is found. Others stay zeros, which is as exact."""

LAST = Fraction(1, 2**4096)
"""The width at which two zeros that involve logarithms count as undecided."""

SHOWN = 12
"""Digits of a zero in a text."""


@total_ordering
class Zero:
    """The only zero of a sum on a line between two rationals, at which the sum is not 0.

    The zero is simple: the sum changes its sign. (Zeros of the squarefree part of a sum are.) The
    sum is not 0 at the two rationals. Nothing changes a Zero; `refined` returns a narrower one.
    """

    __slots__ = ("lower", "sum", "upper")

    sum: ExpSum
    lower: Fraction
    upper: Fraction

    def __init__(self, sum: ExpSum, lower: Fraction, upper: Fraction) -> None:  # noqa: A002
        put = object.__setattr__
        put(self, "sum", sum)
        put(self, "lower", Fraction(lower))
        put(self, "upper", Fraction(upper))

    @staticmethod
    def of(sum: ExpSum, lower: Fraction, upper: Fraction) -> Zero | Fraction:  # noqa: A002
        """Return the zero, as a rational where it is seen to be one."""
        found = Zero(sum, lower, upper).refined(NARROW)
        if isinstance(found, Fraction):
            return found
        simple = simplest(found.lower, found.upper)
        return simple if not sum.at(simple) else found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a zero never changes: `refined` returns a narrower one")

    def refined(self, width: Fraction) -> Zero | Fraction:
        """Return the zero in a bracket of at most a width, relative to its lower end beyond 1.

        Each step halves the bracket, so the loop ends. A point at which the sum is 0 is the zero.
        """
        low, high = self.lower, self.upper
        left: int | None = None
        while high - low > width * max(Fraction(1), abs(low)):
            left = left or _sign_at(self.sum, low)
            middle, sign = self._inside(low, high)
            if sign == 0:
                return middle
            low, high = (middle, high) if sign == left else (low, middle)
        return self if low == self.lower and high == self.upper else Zero(self.sum, low, high)

    def _inside(self, low: Fraction, high: Fraction) -> tuple[Fraction, int]:
        """Return a point between and the sign of the sum there.

        The sum is 0 at one point at most, so of two points one has a sign that enough digits show;
        with logarithms a sum that is 0 may not be seen to be, and then the other point counts.
        """
        for part in (Fraction(1, 2), Fraction(3, 8)):
            middle = low + (high - low) * part
            sign = _sign_at(self.sum, middle)
            if sign is not None:
                return middle, sign
        raise ArithmeticError(f"the sign of {self.sum} near {middle} is unknown")

    def enclosure(self, digits: int = SHOWN) -> Enclosure:
        """Return an enclosure to so many digits after the point, relative to large zeros."""
        found = self.refined(Fraction(1, 10**digits))
        if isinstance(found, Fraction):
            return Enclosure(found, found)
        return Enclosure(found.lower, found.upper)

    def __float__(self) -> float:
        found = self.enclosure(20)
        while found.lower <= 0 <= found.upper or found.width > abs(found.lower) * NARROW:
            found = self.enclosure(len(str(found.width.denominator)) + 20)
        return float((found.lower + found.upper) / 2)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Zero | int | float | Fraction):
            return NotImplemented
        return order(self, other) == 0

    def __lt__(self, other: Zero | float | Fraction) -> bool:
        return order(self, other) < 0

    def __hash__(self) -> int:
        """Return one hash for all, as zeros of different sums may be equal."""
        return hash(Zero)

    def __str__(self) -> str:
        found: Zero | Fraction = self
        digits = SHOWN
        while True:  # until the digits are proved; they are, as the zero is not 0
            found = self.refined(Fraction(1, 10**digits))
            if isinstance(found, Fraction):
                return printing.spell(found)
            if found.lower > 0 or found.upper < 0:
                shown = Enclosure(found.lower, found.upper)
                if shown.width <= abs(shown.lower) * Fraction(1, 10 ** (SHOWN + 1)):
                    return f"{shown.text(SHOWN)}…"
            digits *= 2

    def __repr__(self) -> str:
        return f"<Zero {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Zero, (self.sum, self.lower, self.upper)


End: TypeAlias = Fraction | float | Zero
"""An end of an interval: a Fraction, `inf` or `-inf`, or an isolated zero."""


def _sign_at(f: ExpSum, x: Fraction) -> int | None:
    """Return the sign of a sum at a rational: by a ball, and exactly where that contains 0."""
    with enclose.precision(128 + max(0, f.bits())):
        found = enclose.sign(f.value(enclose.point(x)))
    return found or f.at(x).sign()


def order(one: End | int, two: End | int) -> int:
    """Return the sign of one − two."""
    if isinstance(one, Zero) and isinstance(two, Zero):
        return _order_of_zeros(one, two)
    if isinstance(two, Zero):
        return -order(two, one)
    if isinstance(one, Zero):
        return _order_with(one, two)
    return (one > two) - (one < two)


def _order_with(zero: Zero, q: Fraction | float) -> int:
    """Return the sign of a zero − q.

    If q is inside and the sum is 0 at q, then q is the zero, as there is only one. Otherwise q is
    at a positive distance from the zero, so it leaves the bracket at some time.
    """
    if q in (inf, -inf):
        return -1 if q > 0 else 1
    q = Fraction(q)
    if zero.lower < q < zero.upper:
        sign = _sign_at(zero.sum, q)
        if sign == 0:
            return 0
        if sign is not None:  # the zero is on the side where the sign changes
            return 1 if sign == _sign_at(zero.sum, zero.lower) else -1
    found: Zero | Fraction = zero
    while isinstance(found, Zero) and found.lower < q < found.upper:
        if found.upper - found.lower < LAST:
            raise ArithmeticError(f"whether {zero.sum} is 0 at {q} is unknown")
        found = found.refined((found.upper - found.lower) / 4)
    low, high = (found.lower, found.upper) if isinstance(found, Zero) else (found, found)
    return 1 if q <= low and q < high else -1 if q >= high and q > low else 0


def _order_of_zeros(one: Zero, two: Zero) -> int:
    """Return the sign of one − two.

    Let I be the intersection of the brackets, an interval, and h the greatest common divisor of
    the two sums. An end of I is an end of a bracket, where one of the sums is not 0, so h is not.
    A zero of h in I is a zero of both sums, so it is both zeros; and a zero z of both sums is one
    of h, as f/h and g/h are coprime, and coprime polynomials in ε and e^{ε/N} have no common zero
    but ε = 0 (Lindemann: the resultants make ε and e^{ε/N} algebraic). It is simple, as it is in
    f. So the zeros are equal exactly if h changes its sign between the ends of I. Otherwise they
    are at a positive distance, and the brackets part after some refinements. With constants such
    as e or log 2 in a sum the argument needs their independence, which is not known: brackets that
    do not part before LAST are refused as undecided.
    """
    low, high = max(one.lower, two.lower), min(one.upper, two.upper)
    if low >= high:
        return -1 if one.upper <= two.lower else 1
    h = one.sum.gcd(two.sum)
    if not h.is_constant and _sign_at(h, low) != _sign_at(h, high):
        return 0
    a: Zero | Fraction = one
    b: Zero | Fraction = two
    while isinstance(a, Zero) and isinstance(b, Zero):
        if a.upper <= b.lower or b.upper <= a.lower:
            return -1 if a.upper <= b.lower else 1
        if max(a.upper - a.lower, b.upper - b.lower) < LAST:
            raise ArithmeticError("whether two zeros are equal is unknown")
        a = a.refined((a.upper - a.lower) / 4)
        b = b.refined((b.upper - b.lower) / 4)
    return order(a, b)


def simplest(lower: Fraction, upper: Fraction) -> Fraction:
    """Return the rational with the least denominator strictly between two rationals.

    Each step takes one partial quotient of a continued fraction of an end, so the loop ends.
    """
    a, b, quotients = Fraction(lower), Fraction(upper), []
    if a >= b:
        raise ValueError("nothing is strictly between")
    if a < 0 < b:
        return Fraction(0)
    if b <= 0:
        return -simplest(-b, -a)
    while True:
        whole = a.__floor__()
        if whole + 1 < b:
            found = Fraction(whole + 1)
            break
        a, b = a - whole, b - whole
        if a == 0:  # the least 1/n below b
            found = Fraction(whole) + Fraction(1, (1 / b).__floor__() + 1)
            break
        quotients.append(whole)
        a, b = 1 / b, 1 / a
    for whole in reversed(quotients):
        found = whole + 1 / found
    return found


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
        if not isinstance(self.lower, Zero) and self.is_point:
            return Fraction(self.lower)
        low, high = self.lower, self.upper
        while True:  # the ends differ, so narrow enough enclosures of them do
            a, b = _above(low), _below(high)
            if a is None or b is None:
                return _unbounded(a, b)
            if a < b:
                return simplest(a, b)
            low, high = _narrower(low), _narrower(high)

    def to_json(self) -> Json:
        """Return it as data for JSON."""
        return {
            "lower": _end_to_json(self.lower),
            "upper": _end_to_json(self.upper),
            "lower_open": self.lower_open,
            "upper_open": self.upper_open,
        }

    @staticmethod
    def from_json(data: Json) -> Interval:
        """Return the interval whose `to_json` this is."""
        ends = (_end_from_json(data[side]) for side in ("lower", "upper"))
        return Interval(*ends, lower_open=data["lower_open"], upper_open=data["upper_open"])

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
    return printing.spell(end)


def _end_to_json(end: End) -> Json:
    if isinstance(end, Zero):
        return {"sum": end.sum.to_json(), "between": [str(end.lower), str(end.upper)]}
    return str(end)


def _end_from_json(data: Json) -> End:
    if isinstance(data, Mapping):
        low, high = data["between"]
        return Zero(ExpSum.from_json(data["sum"]), Fraction(low), Fraction(high))
    return read_end(data)


def _above(end: End) -> Fraction | None:
    """Return a rational at or above a lower end, None for −∞."""
    return end.upper if isinstance(end, Zero) else None if end == -inf else Fraction(end)


def _below(end: End) -> Fraction | None:
    return end.lower if isinstance(end, Zero) else None if end == inf else Fraction(end)


def _narrower(end: End) -> End:
    return end.refined((end.upper - end.lower) / 16) if isinstance(end, Zero) else end


def _unbounded(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Return a simple rational between ends of which at least one is infinite."""
    if low is None:
        return Fraction(0) if high is None or high > 0 else Fraction(high.__ceil__() - 1)
    return Fraction(0) if low < 0 else Fraction(low.__floor__() + 1)


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
                is_open = last.lower_open, one.upper_open
                joined = interval(last.lower, one.upper, *is_open)
                assert joined is not None
                found.append(joined)
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

    def to_json(self) -> Json:
        """Return it as data for JSON."""
        return [one.to_json() for one in self.intervals]

    @staticmethod
    def from_json(data: Json) -> SolutionSet:
        """Return the set whose `to_json` this is."""
        return SolutionSet.of(map(Interval.from_json, data))

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

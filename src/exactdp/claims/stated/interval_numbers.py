"""Numbers with which a Python function is called to learn about many inputs at once.

An `IntervalNumber` is an interval: what a function returns for intervals, it returns at every point
of them. A `Germ` is a polynomial in an infinitely small t > 0: what a function returns for germs,
it returns for all t that are small enough. A comparison that has no single answer is guessed, so
that all answers can be tried, or raises `AmbiguousComparisonError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.language.replays import Replay
from exactdp.reals.numbers import inf, rational
from exactdp.reals.operators import COMPARED, OrderedNumber

End = Any  # a Fraction, or an infinite float


class AmbiguousComparisonError(Exception):
    """Raised when a comparison has different answers at different points."""


def _times(a: End, b: End) -> End:
    return Fraction(0) if a == 0 or b == 0 else a * b


@dataclass(frozen=True, eq=False)
class IntervalNumber(OrderedNumber):
    """All numbers between two, which are included unless they are infinite."""

    lower: End
    upper: End
    guesses: Replay | None = None

    @classmethod
    def of(cls, value: Any) -> IntervalNumber:
        """Return a number as an interval."""
        if isinstance(value, IntervalNumber):
            return value
        number = rational(value)
        return cls(number, number)

    def _compared(self, op: str, other: Any) -> bool:
        two = IntervalNumber.of(other)
        signs = [0]
        if self is not other:
            may_equal = self.lower <= two.upper and self.upper >= two.lower
            possible = (self.lower < two.upper, may_equal, self.upper > two.lower)
            signs = [sign for sign, may_be in zip((-1, 0, 1), possible, strict=True) if may_be]
        answers = {COMPARED[op](sign, 0) for sign in signs}
        if len(answers) == 1:
            return answers.pop()
        guesses = self.guesses or two.guesses
        if guesses is None:
            raise AmbiguousComparisonError
        return guesses.guess()

    def __neg__(self) -> IntervalNumber:
        return IntervalNumber(-self.upper, -self.lower, self.guesses)

    def __abs__(self) -> IntervalNumber:
        if self.lower >= 0:
            return self
        if self.upper <= 0:
            return -self
        return IntervalNumber(Fraction(0), max(-self.lower, self.upper), self.guesses)

    def __add__(self, other: Any) -> IntervalNumber:
        two = IntervalNumber.of(other)
        guesses = self.guesses or two.guesses
        return IntervalNumber(self.lower + two.lower, self.upper + two.upper, guesses)

    def __sub__(self, other: Any) -> IntervalNumber:
        return IntervalNumber.of(0) if self is other else self + -IntervalNumber.of(other)

    def __mul__(self, other: Any) -> IntervalNumber:
        if self is other:  # the same number, not only an equal interval
            square: IntervalNumber = self**2
            return square
        two = IntervalNumber.of(other)
        ends = [_times(a, b) for a in (self.lower, self.upper) for b in (two.lower, two.upper)]
        return IntervalNumber(min(ends), max(ends), self.guesses or two.guesses)

    def __truediv__(self, other: Any) -> IntervalNumber:
        two = IntervalNumber.of(other)
        if two.lower <= 0 <= two.upper:
            if two.lower == two.upper:
                raise ZeroDivisionError("division by zero")
            raise AmbiguousComparisonError
        return self * IntervalNumber(_inverse(two.upper), _inverse(two.lower), two.guesses)

    def __rtruediv__(self, other: Any) -> IntervalNumber:
        return IntervalNumber.of(other) / self

    def __pow__(self, power: Any) -> IntervalNumber:
        if not isinstance(power, int) or power < 0:
            raise TypeError("a power is a whole number, 0 or more")
        if power == 0:
            return IntervalNumber.of(1)
        base = abs(self) if power % 2 == 0 else self
        return IntervalNumber(_power(base.lower, power), _power(base.upper, power), self.guesses)


def _inverse(end: End) -> End:
    return Fraction(0) if abs(end) == inf else 1 / Fraction(end)


def _power(end: End, power: int) -> End:
    return end**power if isinstance(end, Fraction | int) else (inf if end > 0 else -inf)


@dataclass(frozen=True, eq=False)
class Germ(OrderedNumber):
    """A polynomial in an infinitely small t > 0: its coefficients, that of 1 first."""

    parts: tuple[Fraction, ...]

    @classmethod
    def of(cls, value: Any) -> Germ:
        """Return a number as a germ."""
        return value if isinstance(value, Germ) else cls((rational(value),))

    def _compared(self, op: str, other: Any) -> bool:
        first = next((q for q in (self - other).parts if q), Fraction(0))
        return COMPARED[op](first, 0)

    def __neg__(self) -> Germ:
        return Germ(tuple(-q for q in self.parts))

    def __add__(self, other: Any) -> Germ:
        one, two = self.parts, Germ.of(other).parts
        size = max(len(one), len(two))
        return Germ(tuple(_at(one, k) + _at(two, k) for k in range(size)))

    def __mul__(self, other: Any) -> Germ:
        one, two = self.parts, Germ.of(other).parts
        found = [Fraction(0)] * (len(one) + len(two) - 1)
        for i, a in enumerate(one):
            for j, b in enumerate(two):
                found[i + j] += a * b
        return Germ(tuple(found))

    def __truediv__(self, other: Any) -> Germ:
        two = Germ.of(other).parts
        if any(two[1:]):
            raise AmbiguousComparisonError  # a quotient of polynomials
        return self * (1 / two[0])

    def __rtruediv__(self, other: Any) -> Germ:
        return Germ.of(other) / self

    def __pow__(self, power: Any) -> Germ:
        if not isinstance(power, int) or power < 0:
            raise TypeError("a power is a whole number, 0 or more")
        found = Germ.of(1)
        for _ in range(power):
            found = found * self
        return found


def _at(parts: Sequence[Fraction], k: int) -> Fraction:
    return parts[k] if k < len(parts) else Fraction(0)

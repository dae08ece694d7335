"""Numbers with which a program that multiplies reals is run to learn about many inputs at once.

A `MovingInterval` is an interval: what a program returns for intervals, it returns at every point
of them. A `MovingGerm` is a polynomial in an infinitely small t > 0: what a program returns for
germs, it returns for all t that are small enough. Of two intervals the same comparison may have
both answers; then one is taken in each run, so that all are tried (`choices`).
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from .choices import Choices
from .linear import NEGATED, holds, is_number, plain
from .operators import Ordered
from .ratios import UnsupportedError

End = Any  # a Fraction, or an infinite float

_MOST_POWER = 20


class Moving(Ordered):
    """What intervals and germs have in common: operations that follow from others, and refusals."""

    def of(self, value: Any) -> Any:
        """Return a value as one of the same kind; refuse what is no number."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __sub__(self, other: Any) -> Any:
        return Fraction(0) if self is other else self + -self.of(other)

    def __rsub__(self, other: Any) -> Any:
        return self.of(other) + -self

    def __rtruediv__(self, other: Any) -> Any:
        return self.of(other) / self

    def power(self, exponent: Any) -> Any:
        """Return a power with a small whole exponent."""
        if type(exponent) is not int or not 0 <= exponent <= _MOST_POWER:
            raise UnsupportedError("a power is not understood")
        found: Any = Fraction(1)
        for _ in range(exponent):
            found = self * found
        return found

    def _refused(self, *_: Any) -> Any:
        raise UnsupportedError("an operation on reals is not understood")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __int__ = __index__ = _refused


def _sum(a: End, b: End) -> End:
    return a if isinstance(a, float) else b if isinstance(b, float) else _small(a + b)


def _product(a: End, b: End) -> End:
    """Return a·b, where 0·∞ is 0: an end that is infinite is never reached."""
    if not a or not b:
        return Fraction(0)
    if isinstance(a, float) or isinstance(b, float):
        return inf if (a > 0) == (b > 0) else -inf
    return _small(a * b)


def _small(value: Fraction) -> Fraction:
    return Fraction(plain(value))  # refuses huge ones


class MovingInterval(Moving):
    """All numbers between two, which are included unless they are infinite."""

    __slots__ = ("answers", "lower", "upper")

    def __init__(self, lower: End, upper: End, answers: Choices) -> None:
        self.lower, self.upper, self.answers = lower, upper, answers

    def of(self, value: Any) -> MovingInterval:
        """Return a number as an interval."""
        if isinstance(value, MovingInterval):
            return value
        if not is_number(value):
            raise UnsupportedError("a real is combined with something that is no number")
        return MovingInterval(Fraction(value), Fraction(value), self.answers)

    def compared(self, other: Any, op: str) -> bool:
        """Return whether self op other; where both may be, one is taken."""
        if op in ("<", ">", "!="):
            return not self.compared(other, NEGATED[op])
        one, two = (self.of(other), self) if op == ">=" else (self, self.of(other))
        if op == "==":
            surely = one.lower == one.upper == two.lower == two.upper
            never = one.lower > two.upper or one.upper < two.lower
        else:
            surely, never = one.upper <= two.lower, one.lower > two.upper
        if self is other or surely:
            return True
        return False if never else self.answers.pick(2) == 0

    def __neg__(self) -> MovingInterval:
        return MovingInterval(-self.upper, -self.lower, self.answers)

    def __abs__(self) -> MovingInterval:
        if self.lower >= 0:
            return self
        if self.upper <= 0:
            return -self
        return MovingInterval(Fraction(0), max(-self.lower, self.upper), self.answers)

    def __add__(self, other: Any) -> MovingInterval:
        two = self.of(other)
        return MovingInterval(
            _sum(self.lower, two.lower), _sum(self.upper, two.upper), self.answers
        )

    def __mul__(self, other: Any) -> MovingInterval:
        two = self.of(other)
        if self is two:  # the same number, not only an equal span
            return self.power(2)
        ends = [_product(a, b) for a in (self.lower, self.upper) for b in (two.lower, two.upper)]
        return MovingInterval(min(ends), max(ends), self.answers)

    def __truediv__(self, other: Any) -> MovingInterval:
        two = self.of(other)
        if two.lower <= 0 <= two.upper:
            raise UnsupportedError("a quotient is perhaps one by 0")
        low, high = (
            Fraction(0) if isinstance(end, float) else 1 / end for end in (two.upper, two.lower)
        )
        return self * MovingInterval(low, high, self.answers)

    def power(self, exponent: Any) -> MovingInterval:
        """Return a power with a small whole exponent: that of each end, if it is monotone."""
        if type(exponent) is not int or not 0 <= exponent <= _MOST_POWER:
            raise UnsupportedError("a power is not understood")
        base = self if exponent % 2 else abs(self)
        low, high = Fraction(1), Fraction(1)
        for _ in range(exponent):
            low, high = _product(low, base.lower), _product(high, base.upper)
        return MovingInterval(low, high, self.answers)


class MovingGerm(Moving):
    """A polynomial in an infinitely small t > 0: its coefficients, that of 1 first."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Fraction, ...]) -> None:
        self.parts = parts

    def of(self, value: Any) -> MovingGerm:
        """Return a number as a germ."""
        if isinstance(value, MovingGerm):
            return value
        if not is_number(value):
            raise UnsupportedError("a real is combined with something that is no number")
        return MovingGerm((Fraction(value),))

    def compared(self, other: Any, op: str) -> bool:
        """Return whether self op other for all small t: the first coefficient decides."""
        gap = self + -self.of(other)
        return holds(next((q for q in gap.parts if q), Fraction(0)), op)

    def __neg__(self) -> MovingGerm:
        return MovingGerm(tuple(-q for q in self.parts))

    def __add__(self, other: Any) -> MovingGerm:
        one, two = self.parts, self.of(other).parts
        if len(one) < len(two):
            one, two = two, one
        rest = (*two, *(Fraction(0),) * (len(one) - len(two)))
        return MovingGerm(tuple(_small(a + b) for a, b in zip(one, rest, strict=True)))

    def __mul__(self, other: Any) -> MovingGerm:
        one, two = self.parts, self.of(other).parts
        if len(one) + len(two) > 2 * _MOST_POWER:
            raise UnsupportedError("a product has too many factors")
        found = [Fraction(0)] * (len(one) + len(two) - 1)
        for i, a in enumerate(one):
            for j, b in enumerate(two):
                found[i + j] = _small(found[i + j] + a * b)
        return MovingGerm(tuple(found))

    def __truediv__(self, other: Any) -> MovingGerm:
        two = self.of(other).parts
        if any(two[1:]) or not two[0]:
            raise UnsupportedError("a quotient of reals is not understood")
        return self * (1 / two[0])

"""Columns: the values of one number in every run of a batch.

Integer noise stays exact: its column holds integers over a common denominator, and is
compared exactly. Real noise is a column of floats with a bound on the rounding error, so that
equal numbers are found equal, and a comparison that depends on rounding is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.linear import as_real
from exactdp.language.terms import EpsTerm
from exactdp.language.values import Symbolic, Value, plain

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

_COMPARE: dict[str, Any] = {
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    "!=": np.not_equal,
    ">=": np.greater_equal,
    ">": np.greater,
}

_WIDE = 2**62  # larger integers are Python's, which do not overflow
_ROUNDING = 2.0**-53
_CLOSE = 2.0**-16  # the share of the noise scale that rounding may blur


class Column(Symbolic, ABC):
    """The values of one number in every run of a batch."""

    __slots__ = ("values",)
    values: NDArray[Any]

    @abstractmethod
    def _plus(self, other: Value, sign: int) -> Value:
        """Return self + sign·other."""

    @abstractmethod
    def _times(self, factor: Fraction) -> Value:
        """Return the column times a nonzero number."""

    @abstractmethod
    def with_values(self, values: NDArray[Any]) -> Self:
        """Return a column of the same kind with some of the values."""

    @abstractmethod
    def joined(self, others: Sequence[Any]) -> Column:
        """Return this column and others of its kind as one."""

    @abstractmethod
    def rounded(self, *, nearest: bool) -> Wholes:
        """Return ⌊x⌋ for each run, or the nearest whole number, of two the even one."""

    @abstractmethod
    def truth(self, op: str) -> NDArray[Any]:
        """Return for each run whether its value op 0."""

    @abstractmethod
    def rows(self) -> Iterable[Value]:
        """Return the values as outputs, one by one."""

    def settled(self) -> Value:
        """Return the value if it is the same in all runs."""
        if len(self.values) and (self.values == self.values[0]).all():
            return next(iter(self.with_values(self.values[:1]).rows()))
        return super().settled()

    def __add__(self, other: Value) -> Value:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Value) -> Value:
        return self._plus(other, -1)

    def __rsub__(self, other: Value) -> Value:
        return -self + other

    def __mul__(self, other: Value) -> Value:
        return self._times(Fraction(_number(other))) if other else 0

    __rmul__ = __mul__

    def __truediv__(self, other: Value) -> Value:
        return self._times(1 / Fraction(_number(other)))

    def __neg__(self) -> Any:
        return self._times(Fraction(-1))

    def __pos__(self) -> Column:
        return self


def _number(value: Value) -> int | Fraction:
    if isinstance(value, EpsTerm):
        value = as_real(value)
    if not isinstance(value, int | Fraction):
        raise TypeError(f"noise and {shown(value)} cannot be combined")
    return value


def _largest(values: NDArray[Any]) -> Any:
    """Return the largest of |values|."""
    return max(values.max(initial=0), -values.min(initial=0))


class Wholes(Column):
    """Integers over a denominator: integer noise, times and plus fractions."""

    __slots__ = ("denominator",)

    def __init__(self, values: NDArray[Any], denominator: int = 1) -> None:
        self.values = values
        self.denominator = denominator

    def _scaled(self, factor: int, room: int = 0) -> NDArray[Any]:
        """Return the integers times a factor, in a type with room for an additional `room`."""
        if int(_largest(self.values)) * abs(factor) + room >= _WIDE:
            return self.values.astype(object) * factor
        return self.values * factor

    def _plus(self, other: Value, sign: int) -> Value:
        if isinstance(other, Reals):
            return (other if sign > 0 else -other) + self
        other = other if isinstance(other, Wholes) else Fraction(_number(other))
        common = lcm(self.denominator, other.denominator)
        mine, its = common // self.denominator, sign * (common // other.denominator)
        if isinstance(other, Wholes):
            more: Any = other._scaled(its, int(_largest(self.values)) * mine)
        else:
            more = other.numerator * its
        room = int(_largest(more)) if isinstance(more, np.ndarray) else abs(more)
        return Wholes(self._scaled(mine, room) + more, common)

    def _times(self, factor: Fraction) -> Wholes:
        common = gcd(factor.numerator, self.denominator)
        values = self._scaled(factor.numerator // common)
        return Wholes(values, self.denominator // common * factor.denominator)

    def with_values(self, values: NDArray[Any]) -> Wholes:
        """Return a column of the same kind with some of the values."""
        return Wholes(values, self.denominator)

    def joined(self, others: Sequence[Wholes]) -> Wholes:
        """Return this column and others as one."""
        common = lcm(*(one.denominator for one in (self, *others)))
        parts = [one._scaled(common // one.denominator) for one in (self, *others)]
        return Wholes(np.concatenate(parts), common)

    def rounded(self, *, nearest: bool) -> Wholes:
        """Return ⌊x⌋ for each run, or the nearest whole number, of two the even one."""
        if not nearest:
            return Wholes(self.values // self.denominator)
        doubled = self._scaled(2, self.denominator) + self.denominator
        above = doubled // (2 * self.denominator)
        is_tie = doubled % (2 * self.denominator) == 0
        return Wholes(np.where(is_tie & (above % 2 == 1), above - 1, above))

    def truth(self, op: str) -> NDArray[Any]:
        """Return for each run whether its value op 0."""
        return _COMPARE[op](self.values, 0).astype(bool)  # type: ignore[no-any-return]

    def rows(self) -> Iterable[Value]:
        """Return the values as outputs, one by one: exact numbers."""
        listed = self.values.tolist()
        if self.denominator == 1:
            return listed  # type: ignore[no-any-return]
        numbers = {value: plain(Fraction(value, self.denominator)) for value in set(listed)}
        return map(numbers.__getitem__, listed)


def whole(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole floats as integers."""
    if _largest(values) < _WIDE:
        return values.astype(np.int64)
    return np.array([int(value) for value in values.tolist()], dtype=object)


class Reals(Column):
    """Floats, each at most `error` away from its exact value.

    `scale` is that of the finest noise in them: each lies in an interval of length x with
    probability at most x/scale.
    """

    __slots__ = ("error", "scale")

    def __init__(self, values: NDArray[Any], error: float, scale: float) -> None:
        self.values = values
        self.error = error
        self.scale = scale

    @classmethod
    def near(cls, values: NDArray[Any], error: float, scale: float) -> Reals:
        """Return a column of values that were just rounded, with a previous error of `error`."""
        return cls(values, error + _ROUNDING * float(_largest(values)), scale)

    def _plus(self, other: Value, sign: int) -> Value:
        if isinstance(other, Wholes):
            other = Reals.near(other.values / other.denominator, 0.0, self.scale)
        if isinstance(other, Reals):
            values = self.values + sign * other.values
            scale = min(self.scale, other.scale)
            return Reals.near(values, self.error + other.error, scale)
        number = sign * _float(_number(other))
        error = self.error + _ROUNDING * abs(number)
        return Reals.near(self.values + number, error, self.scale)

    def _times(self, factor: Fraction) -> Value:
        q = _float(factor)
        values = self.values * q
        error = abs(q) * self.error + _ROUNDING * float(_largest(values))
        return Reals.near(values, error, abs(q) * self.scale)

    def with_values(self, values: NDArray[Any]) -> Reals:
        """Return a column of the same kind with some of the values."""
        return Reals(values, self.error, self.scale)

    def joined(self, others: Sequence[Reals]) -> Reals:
        """Return this column and others as one."""
        every = (self, *others)
        values = np.concatenate([one.values for one in every])
        return Reals(values, max(one.error for one in every), min(one.scale for one in every))

    def rounded(self, *, nearest: bool) -> Wholes:
        """Return ⌊x⌋ for each run, or the nearest whole number.

        A value indistinguishable from a jump counts as there, if that has negligible mass.
        """
        jump = np.floor(self.values) + 0.5 if nearest else np.rint(self.values)
        near = self._near(self.values - jump)
        exact = np.where(near, jump, self.values)
        return Wholes(whole(np.rint(exact) if nearest else np.floor(exact)))

    def _near(self, differences: NDArray[Any]) -> NDArray[Any]:
        """Return for each run whether a difference is indistinguishable from 0."""
        near: NDArray[Any] = ~(np.abs(differences) > self.error)
        if near.any() and not self.error < _CLOSE * self.scale:
            raise ValueRefusedError(
                "a comparison of sampled noise is lost in the rounding of floats",
                rule="Samples are floats: noise far smaller than the numbers beside it is lost.",
                way_out="Give another eps, or ask distribution(u), which is exact at every eps.",
            )
        return near

    def truth(self, op: str) -> NDArray[Any]:
        """Return for each run whether its value op 0.

        A value indistinguishable from 0 counts as 0, if so short an interval has negligible mass.
        """
        near = self._near(self.values)
        return _COMPARE[op](np.where(near, 0.0, self.values), 0)  # type: ignore[no-any-return]

    def rows(self) -> Iterable[Value]:
        """Return the values as outputs, one by one: floats."""
        return self.values.tolist()  # type: ignore[no-any-return]


def _float(number: int | Fraction) -> float:
    """Return a number as a float, infinite if it is too large."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")

"""Comparisons by their signs; operators of number-like values that follow from a few others.

Users' functions are called with such values, so they need all operators of Python's numbers.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Final, Self

COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}

FLIPPED: Final = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
"""For each comparison, the one of the operands in the other order."""

NEGATED: Final = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}
"""For each comparison, the one that is true where it is false."""


class Additive:
    """What follows from x + y, x·y and −x."""

    __slots__ = ()

    @abstractmethod
    def __add__(self, other: Any) -> Any: ...

    @abstractmethod
    def __mul__(self, other: Any) -> Any: ...

    @abstractmethod
    def __neg__(self) -> Self: ...

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __pos__(self) -> Self:
        return self


class Ordered:
    """What follows from one function for all comparisons."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    @abstractmethod
    def _compared(self, op: str, other: Any) -> bool:
        """Return the answer to a comparison; op is one of < <= > >= == !=."""

    def __lt__(self, other: Any) -> bool:
        return self._compared("<", other)

    def __le__(self, other: Any) -> bool:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(">=", other)

    def __eq__(self, other: object) -> bool:
        return self._compared("==", other)

    def __ne__(self, other: object) -> bool:
        return self._compared("!=", other)

    def __bool__(self) -> bool:
        return self != 0


class OrderedNumber(Additive, Ordered):
    """Both, and |x|."""

    __slots__ = ()

    def __abs__(self) -> Self:
        return self if self >= 0 else -self

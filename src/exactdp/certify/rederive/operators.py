"""Operators of exact numbers that follow from a few: sums, products, negation, comparisons."""

from __future__ import annotations

from typing import Any


class Arithmetic:
    """Numbers with `+`, `*` and `-` in front."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        raise NotImplementedError

    def __mul__(self, other: Any) -> Any:
        raise NotImplementedError

    def __neg__(self) -> Any:
        raise NotImplementedError

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __pos__(self) -> Any:
        return self

    def __rsub__(self, other: Any) -> Any:
        return (-self).__add__(other)


class Ordered(Arithmetic):
    """Numbers that answer comparisons."""

    __slots__ = ()
    __hash__ = None

    def compared(self, other: Any, op: str) -> Any:
        """Return whether self op other."""
        raise NotImplementedError

    def __lt__(self, other: Any) -> Any:
        return self.compared(other, "<")

    def __le__(self, other: Any) -> Any:
        return self.compared(other, "<=")

    def __gt__(self, other: Any) -> Any:
        return self.compared(other, ">")

    def __ge__(self, other: Any) -> Any:
        return self.compared(other, ">=")

    def __eq__(self, other: object) -> Any:
        return self.compared(other, "==")

    def __ne__(self, other: object) -> Any:
        return self.compared(other, "!=")

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

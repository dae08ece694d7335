"""Sums of functions of ε outside the field of closed forms, with closed forms as factors."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Self

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.enclosed_form import EnclosedForm
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_ratio import ExpRatio


class WeightedForm(EnclosedForm):
    """Σ factor·x + rest, where each `part` is something that determines a function x, and a factor.

    Sums and multiples are of the same kind. A subclass is created from parts and rest.
    """

    __slots__ = ("parts", "rest")

    parts: tuple[tuple[Any, ClosedForm], ...]
    rest: ClosedForm

    def __init__(self, parts: Iterable[tuple[Any, ClosedForm]], rest: ClosedForm) -> None:
        object.__setattr__(self, "parts", tuple(parts))
        object.__setattr__(self, "rest", rest)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The only parameter."""
        return ("eps",)

    def __neg__(self) -> Self:
        return self * -1

    def __add__(self, other: Any) -> Self:
        if isinstance(other, type(self)):
            return type(self)((*self.parts, *other.parts), self.rest + other.rest)
        return type(self)(self.parts, self.rest + other) if is_plain(other) else NotImplemented

    def __rsub__(self, other: Any) -> Self:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Self:
        if not is_plain(other):
            return NotImplemented
        return type(self)(((x, f * other) for x, f in self.parts), self.rest * other)

    def __truediv__(self, other: Any) -> Self:
        if not is_plain(other):
            return NotImplemented
        return type(self)(((x, f / other) for x, f in self.parts), self.rest / other)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> object:
        return frozenset(self.parts), self.rest


def is_plain(value: object) -> bool:
    """Whether a value is a number or a closed form that can be a factor."""
    return isinstance(value, ExpPoly | ExpRatio | int | Fraction | float)

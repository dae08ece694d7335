"""Linear forms in named symbols: what a real variable holds in a symbolic run.

A form is q₀ + Σ qᵢ·sᵢ with rational q; a form without symbols is a plain number, so
`Machine` decides comparisons of such on the spot.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from exactdp.language.values import Symbolic

Number: TypeAlias = int | Fraction
Form: TypeAlias = "Linear | Number"


class Linear(Symbolic):
    """A linear form with at least one symbol; equal if written with the same numbers."""

    __slots__ = ("_hash", "coefficients", "constant")

    def __init__(self, coefficients: Mapping[Hashable, Number], constant: Number = 0) -> None:
        self.coefficients = MappingProxyType(dict(coefficients))
        self.constant = constant
        self._hash: int | None = None

    @staticmethod
    def symbol(name: Hashable) -> Linear:
        """Return the form that is one symbol."""
        return Linear({name: 1})

    @staticmethod
    def build(coefficients: Mapping[Hashable, Number], constant: Number) -> Form:
        """Return the form, or the number if no symbol is left."""
        kept = {name: q for name, q in coefficients.items() if q}
        return Linear(kept, constant) if kept else constant

    def __add__(self, other: object) -> Form:
        if isinstance(other, Linear):
            total = dict(self.coefficients)
            for name, q in other.coefficients.items():
                total[name] = total.get(name, 0) + q
            return Linear.build(total, self.constant + other.constant)
        if isinstance(other, int | Fraction):
            return Linear.build(self.coefficients, self.constant + other)
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, other: object) -> Form:
        if isinstance(other, int | Fraction):
            scaled = {name: q * other for name, q in self.coefficients.items()}
            return Linear.build(scaled, self.constant * other)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Form:
        if isinstance(other, int | Fraction):
            return self * (1 / Fraction(other))
        return NotImplemented

    def __neg__(self) -> Form:
        return self * -1

    def __pos__(self) -> Form:
        return self

    def __sub__(self, other: object) -> Form:
        if isinstance(other, Linear | int | Fraction):
            return self + -1 * other
        return NotImplemented

    def __rsub__(self, other: object) -> Form:
        return -1 * self + other if isinstance(other, int | Fraction) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Linear)
            and self.constant == other.constant
            and self.coefficients == other.coefficients
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.constant, frozenset(self.coefficients.items())))
        return self._hash

    def __repr__(self) -> str:
        parts = [f"{q}*{name}" if q != 1 else str(name) for name, q in self.coefficients.items()]
        return " + ".join((*parts, *([str(self.constant)] if self.constant else [])))

"""Linear forms in named variables."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any, Self, TypeAlias

Name: TypeAlias = Any
"""The name of a variable: any hashable value."""
Number: TypeAlias = int | Fraction


class Form:
    """Σ qᵢ·xᵢ + constant with rational q, none of them 0; equal if all numbers are equal.

    The constant may itself depend on parameters: it is only added and multiplied by rationals.
    """

    __slots__ = ("_entries", "_hash", "coefficients", "constant")

    def __init__(self, coefficients: Mapping[Name, Number], constant: Any = 0) -> None:
        self.coefficients = coefficients
        self.constant = constant
        self._entries: tuple[tuple[Name, Number], ...] | None = None
        self._hash: int | None = None

    @classmethod
    def symbol(cls, name: Name) -> Self:
        """Return the form that is one variable."""
        return cls({name: 1})

    @classmethod
    def build(cls, coefficients: Mapping[Name, Number], constant: Any) -> Any:
        """Return the form without the coefficients that are 0."""
        return cls({name: q for name, q in coefficients.items() if q}, constant)

    @property
    def denominator(self) -> int:
        """The least common denominator of all numbers, which are rational."""
        numbers = (*self.coefficients.values(), self.constant)
        return lcm(*(q.denominator for q in numbers))

    def whole(self, factor: int) -> Form:
        """Return the form times a multiple of its denominator, in integers."""
        scaled = {name: int(q * factor) for name, q in self.coefficients.items()}
        return Form(scaled, int(self.constant * factor))

    def value(self, point: Mapping[Name, Any]) -> Any:
        """Return the value at a point."""
        if self._entries is None:  # a form is evaluated at many points
            self._entries = tuple(self.coefficients.items())
        total = self.constant
        for name, q in self._entries:
            total += q * point[name]
        return total

    def renamed(self, names: Mapping[Name, Name]) -> Any:
        """Return the form with other names for some variables."""
        renamed = {names.get(name, name): q for name, q in self.coefficients.items()}
        return type(self)(renamed, self.constant)

    def substituted(self, forms: Mapping[Name, Form]) -> Any:
        """Return the form with some variables replaced by forms."""
        total: dict[Name, Number] = {}
        constant = self.constant
        for name, q in self.coefficients.items():
            form = forms.get(name)
            if form is None:
                total[name] = total.get(name, 0) + q
                continue
            constant += form.constant * q
            for inner, r in form.coefficients.items():
                total[inner] = total.get(inner, 0) + r * q
        return self.build(total, constant)

    def __add__(self, other: object) -> Any:
        if isinstance(other, Form):
            total = dict(self.coefficients)
            for name, q in other.coefficients.items():
                total[name] = total.get(name, 0) + q
            return self.build(total, self.constant + other.constant)
        if isinstance(other, int | Fraction):
            return type(self)(self.coefficients, self.constant + other)
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, other: object) -> Any:
        if isinstance(other, int | Fraction):
            scaled = {name: q * other for name, q in self.coefficients.items()}
            return self.build(scaled, self.constant * other)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, int | Fraction):
            return self * (1 / Fraction(other))
        return NotImplemented

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: object) -> Any:
        if isinstance(other, Form):
            total = dict(self.coefficients)
            for name, q in other.coefficients.items():
                total[name] = total.get(name, 0) - q
            return self.build(total, self.constant - other.constant)
        return self + -other if isinstance(other, int | Fraction) else NotImplemented

    def __rsub__(self, other: object) -> Any:
        return -self + other if isinstance(other, int | Fraction) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Form)
            and self.constant == other.constant
            and self.coefficients == other.coefficients
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.constant, frozenset(self.coefficients.items())))
        return self._hash

    def __repr__(self) -> str:
        parts = [f"{q}*{name}" if q != 1 else str(name) for name, q in self.coefficients.items()]
        return " + ".join((*parts, *([str(self.constant)] if self.constant else []))) or "0"

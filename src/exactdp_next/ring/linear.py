"""Linear: the only linear form, over inputs, parameters, noise and atoms."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from ..codec import read, written

Rational: TypeAlias = int | Fraction
"""A rational number. Whole numbers are ints where they can be: five times as fast as Fractions.

Never divide one by another with `/`, as `int / int` is a float: use `quotient`.
"""


class Atom(Hashable, Protocol):
    """A name that stands for a function of the data, such as the largest of some forms.

    `at` returns its value where names have these values, or a form in what is left of it.
    """

    def at(self, values: Mapping[Name, Value]) -> Value:
        """Return the value where names of the data have these values."""


Name: TypeAlias = str | int | Atom
"""An input or parameter (a text), a noise (its number), or a function of the data (an atom)."""


def whole(q: Rational) -> Rational:
    """Return the same number, as an int if it is a whole number."""
    return int(q) if q.denominator == 1 else q


def quotient(q: Rational, divisor: Rational) -> Rational:
    """Return q / divisor exactly."""
    return whole(Fraction(q) / divisor)


class Linear:
    """constant + Σ parts[name]·name, with at least one part and no part 0, else it is a number.

    `Linear(parts, constant)` takes the dictionary over without a look; `form` makes one from any
    coefficients. The value is never changed afterwards, so hashes are kept.
    """

    __slots__ = ("_hash", "constant", "parts")

    parts: Mapping[Name, Rational]
    constant: Rational

    def __init__(self, parts: Mapping[Name, Rational], constant: Rational = 0) -> None:
        self.parts, self.constant = parts, constant
        self._hash: int | None = None

    @staticmethod
    def name(x: Name) -> Linear:
        """Return the form 1·x."""
        return Linear({x: 1})

    @staticmethod
    def sum(values: Iterable[Value]) -> Value:
        """Return the sum of many forms and numbers, in one pass."""
        parts: dict[Name, Rational] = {}
        constant: Rational = 0
        for v in values:
            if not isinstance(v, Linear):
                constant += v
                continue
            constant += v.constant
            for x, c in v.parts.items():
                parts[x] = parts.get(x, 0) + c
        return form(parts, constant)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Linear):
            return NotImplemented
        return self.constant == other.constant and self.parts == other.parts

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((frozenset(self.parts.items()), self.constant))
        return self._hash

    def __reduce__(self) -> tuple[type[Linear], tuple[Mapping[Name, Rational], Rational]]:
        return Linear, (self.parts, self.constant)

    def to_json(self) -> dict[str, int | str]:
        """Return the coefficients by name; "#2" is the noise with number 2, "" the constant."""
        parts = {f"#{x}" if isinstance(x, int) else _text(x): c for x, c in self.parts.items()}
        return {name: written(parts[name]) for name in sorted(parts)} | {"": written(self.constant)}

    @staticmethod
    def from_json(data: Mapping[str, int | str]) -> Linear:
        """Return the form whose `to_json` this is."""
        parts: dict[Name, Rational] = {}
        for name, c in data.items():
            if name:
                x = int(name[1:]) if name.startswith("#") else name
                parts[x] = read(Rational, c)
        return Linear(parts, read(Rational, data[""]))

    def __add__(self, other: Value) -> Value:
        if isinstance(other, (int, Fraction)):
            return Linear(self.parts, whole(self.constant + other))
        if not isinstance(other, Linear):
            return NotImplemented
        parts = dict(self.parts)
        for x, c in other.parts.items():
            if total := parts.get(x, 0) + c:
                parts[x] = whole(total)
            else:
                del parts[x]
        constant = whole(self.constant + other.constant)
        return Linear(parts, constant) if parts else constant

    __radd__ = __add__

    def __neg__(self) -> Linear:
        return Linear({x: -c for x, c in self.parts.items()}, -self.constant)

    def __sub__(self, other: Value) -> Value:
        return self + -other

    def __rsub__(self, other: Rational) -> Value:
        return -self + other

    def __mul__(self, factor: Rational) -> Value:
        if not isinstance(factor, (int, Fraction)):
            return NotImplemented
        if not factor:
            return 0
        parts = {x: whole(c * factor) for x, c in self.parts.items()}
        return Linear(parts, whole(self.constant * factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Rational) -> Value:
        return self * Fraction(1, divisor)

    def renamed(self, names: Mapping[int, int]) -> Linear:
        """Return the form with other numbers for its noise; the numbers must stay different."""
        parts = {names[x] if isinstance(x, int) else x: c for x, c in self.parts.items()}
        return Linear(parts, self.constant)

    def noises(self) -> list[int]:
        """Return the numbers of the noise in it."""
        return [x for x in self.parts if isinstance(x, int)]

    def at(self, values: Mapping[Any, Value]) -> Value:
        """Substitute numbers or forms for names; a name without a value stays.

        Noise stays unless its number is among the names; an atom is asked for its value.
        """
        found: list[Value] = [self.constant]
        for x, c in self.parts.items():
            value: Value
            if isinstance(x, (str, int)) or x in values:
                value = values[x] if x in values else Linear.name(x)
            else:
                value = x.at(values)
            found.append(value * c)
        return Linear.sum(found)

    def __str__(self) -> str:
        terms: list[tuple[Rational, str]] = [
            (c, f"r{x}" if isinstance(x, int) else str(x)) for x, c in self.parts.items()
        ]
        if self.constant:
            terms.append((self.constant, ""))
        return signed_sum(terms)

    def __repr__(self) -> str:
        return f"<Linear {self}>"


Value: TypeAlias = Linear | int | Fraction
"""A linear form, or a number where no name is left."""


def form(parts: Mapping[Name, Rational], constant: Rational = 0) -> Value:
    """Return constant + Σ parts[name]·name: a number if all coefficients are 0."""
    left = {x: whole(c) for x, c in parts.items() if c}
    return Linear(left, whole(constant)) if left else whole(constant)


def signed_sum(terms: Iterable[tuple[Rational, str]]) -> str:
    """Return Σ c·text as text: `3*x/2 - y + 1`; an empty text stands for 1.

    A coefficient p/q is written around its text, so that the result reads like a formula and is
    an expression of Python with the same value.
    """
    result = ""
    for c, text in terms:
        size = c if c > 0 else -c
        over = text or str(size.numerator)
        if text and size.numerator != 1:
            over = f"{size.numerator}*{text}"
        if size.denominator != 1:
            over += f"/{size.denominator}"
        sign = "-" if c < 0 else "+"
        result += f" {sign} {over}" if result else f"{'-' * (c < 0)}{over}"
    return result or "0"


def _text(name: Name) -> str:
    """Return a name of the data as it is; atoms have no JSON yet."""
    if not isinstance(name, str):
        raise TypeError(f"{type(name).__name__} has no JSON")
    return name

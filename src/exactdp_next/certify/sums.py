"""Numbers of the checker.

Linear forms, and sums Σ c·ε^k·e^{bε/unit}; python's fractions, no search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from .document import Work, need

Name = str | int
"""An input, or the number of a noise."""


@dataclass(frozen=True)
class Form:
    """constant + Σ coefficient·name, with at least one name; the names are sorted."""

    parts: tuple[tuple[Name, Fraction], ...]
    constant: Fraction

    @property
    def noise(self) -> tuple[int, ...]:
        """The noise in it, in order."""
        return tuple(x for x, _ in self.parts if isinstance(x, int))

    def renamed(self, index: Mapping[int, int]) -> Form | Fraction:
        """Return it with other numbers for noise."""
        return form(
            ((index[x] if isinstance(x, int) else x, c) for x, c in self.parts), self.constant
        )

    def at(self, values: Mapping[str, Form | Fraction]) -> Form | Fraction:
        """Return it with values for inputs."""
        total: Form | Fraction = form(
            ((x, c) for x, c in self.parts if isinstance(x, int)), self.constant
        )
        for x, c in self.parts:
            if isinstance(x, str):
                total = plus(total, scaled(values[x], c))
        return total


def form(parts: Iterable[tuple[Name, Fraction]], constant: Fraction) -> Form | Fraction:
    """Return a form, or a number if no coefficient is left."""
    total: dict[Name, Fraction] = {}
    for x, c in parts:
        total[x] = total.get(x, Fraction(0)) + c
    kept = sorted(
        ((x, c) for x, c in total.items() if c), key=lambda p: (isinstance(p[0], str), p[0])
    )
    return Form(tuple(kept), constant) if kept else constant


def plus(a: Form | Fraction, b: Form | Fraction) -> Form | Fraction:
    """Return the sum."""
    parts = [*(a.parts if isinstance(a, Form) else ()), *(b.parts if isinstance(b, Form) else ())]
    return form(parts, _constant(a) + _constant(b))


def scaled(a: Form | Fraction, q: Fraction) -> Form | Fraction:
    """Return q·a."""
    if isinstance(a, Form):
        return form(((x, c * q) for x, c in a.parts), a.constant * q)
    return a * q


def _constant(a: Form | Fraction) -> Fraction:
    return a.constant if isinstance(a, Form) else a


HIGHEST = 2_000
"""Power of ε in a sum: a product of samples has one for each."""

LONGEST_RATE = 2_000
"""Bits of an exponent, and of the common denominator of exponents."""

Terms = dict[tuple[int, int], Fraction]
"""{(k, b): c} for Σ c·ε^k·e^{bε/unit}."""


@dataclass(frozen=True)
class Sum:
    """Σ c·ε^k·e^{bε/unit}, without terms that are 0."""

    terms: Terms
    unit: int

    def __add__(self, other: Sum) -> Sum:
        one, two, unit = self.with_unit_of(other)
        return Sum(added(one, two), unit)

    def __sub__(self, other: Sum) -> Sum:
        return self + Sum({key: -c for key, c in other.terms.items()}, other.unit)

    def derivative(self) -> Sum:
        """Return the derivative by ε."""
        falling = {(k - 1, b): c * k for (k, b), c in self.terms.items() if k}
        same = {(k, b): c * Fraction(b, self.unit) for (k, b), c in self.terms.items() if b}
        return Sum(added(falling, same), self.unit)

    def at_zero(self) -> Fraction:
        """Return the value at ε = 0."""
        return sum((c for (k, _), c in self.terms.items() if k == 0), Fraction(0))

    def with_unit_of(self, other: Sum) -> tuple[Terms, Terms, int]:
        """Return both terms over a common unit."""
        unit = lcm(self.unit, other.unit)
        return self._in(unit), other._in(unit), unit

    def _in(self, unit: int) -> Terms:
        factor = unit // self.unit
        need(unit.bit_length() <= LONGEST_RATE, "a unit that is too long")
        return {(k, b * factor): c for (k, b), c in self.terms.items()}


def number(q: Fraction) -> Sum:
    """Return a constant sum."""
    return Sum({(0, 0): q} if q else {}, 1)


def exponential(rate: Fraction) -> Sum:
    """Return e^{rate·ε}."""
    return Sum({(0, rate.numerator): Fraction(1)}, rate.denominator)


def multiplied(f: Sum, g: Sum, work: Work) -> Sum:
    """Return f·g."""
    one, two, unit = f.with_unit_of(g)
    result: Terms = {}
    for (k, b), c in one.items():
        for (m, d), e in two.items():
            result[k + m, b + d] = result.get((k + m, b + d), Fraction(0)) + sized(c * e, work)
    need(
        all(k <= HIGHEST and b.bit_length() <= LONGEST_RATE for k, b in result),
        "a power that is too high",
    )
    return Sum({key: c for key, c in result.items() if c}, unit)


def sized(q: Fraction, work: Work) -> Fraction:
    """Return a number, unless it is so long that it is nobody's proof."""
    work.number(length(q))
    return q


def length(q: Fraction) -> int:
    """Return the bits of a number."""
    return q.numerator.bit_length() + q.denominator.bit_length()


def added(one: Terms, two: Terms) -> Terms:
    """Return the sum of two sets of terms with one unit."""
    result = dict(one)
    for key, c in two.items():
        total = result.get(key, Fraction(0)) + c
        if total:
            result[key] = total
        else:
            result.pop(key, None)
    return result

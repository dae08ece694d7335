"""Numbers that are linear in unknowns; the run of the program decides their comparisons.

Because a comparison answers True or False, Python's own `max`, `sorted` and `abs` work on them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Protocol

from .operators import OrderedBySign
from .ratios import Ratio, UnsupportedError

Rational = int | Fraction
Coefficients = Mapping[int, Fraction]
MOST_BITS = 20_000


class Judge(Protocol):
    """Decides comparisons."""

    def decide(self, form: LinearForm, op: str) -> bool:
        """Return whether form op 0."""


def plain(value: Fraction) -> int | Fraction:
    """Return a whole number as an int; refuse huge ones."""
    if value.numerator.bit_length() + value.denominator.bit_length() > MOST_BITS:
        raise UnsupportedError("a number is too large")
    return value.numerator if value.denominator == 1 else value


def as_int(value: Rational) -> Rational:
    """Return a fraction that is an integer as an int, which is faster."""
    return value if type(value) is int else value.numerator if value.denominator == 1 else value


def is_number(value: object) -> bool:
    """Whether a value is a rational number."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def same(one: Any, two: Any) -> bool:
    """Whether two outputs are equal and of the same kinds: True is not 1."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(same, one, two))
    return isinstance(one, bool) == isinstance(two, bool) and bool(one == two)


class LinearForm(OrderedBySign):
    """Σ c·x + constant, with at least one unknown x."""

    __slots__ = ("coefficients", "constant", "judge")

    def __init__(self, coefficients: Coefficients, constant: Fraction, judge: Judge) -> None:
        self.coefficients = coefficients
        self.constant = constant
        self.judge = judge

    def _combined(self, other: Any, factor: int) -> Any:
        """Return self + factor·other."""
        if is_number(other):
            return LinearForm(self.coefficients, self.constant + factor * other, self.judge)
        if not isinstance(other, LinearForm):
            return NotImplemented
        total = dict(self.coefficients)
        for name, c in other.coefficients.items():
            more = c if factor == 1 else -c if factor == -1 else factor * c
            total[name] = total[name] + more if name in total else more
        found = {name: c for name, c in total.items() if c}
        constant = self.constant + factor * other.constant
        return LinearForm(found, constant, self.judge) if found else plain(constant)

    def __add__(self, other: object) -> Any:
        return self._combined(other, 1)

    def __sub__(self, other: object) -> Any:
        return self._combined(other, -1)

    def __neg__(self) -> LinearForm:
        found: LinearForm = self * -1
        return found

    def __mul__(self, other: Any) -> Any:
        if not is_number(other):
            return NotImplemented
        if not other:
            return 0
        found = {name: c * other for name, c in self.coefficients.items()}
        return LinearForm(found, self.constant * other, self.judge)

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / Fraction(other)) if is_number(other) else NotImplemented

    def __bool__(self) -> bool:
        raise UnsupportedError("a number with noise is used as a truth value")

    def compared(self, other: Any, op: str) -> Any:
        """Return whether self op other."""
        if isinstance(other, float):  # ±inf, no other float is ever made
            return op in ("<", "<=", "!=") if other > 0 else op in (">", ">=", "!=")
        difference = self._combined(other, -1)
        if isinstance(difference, LinearForm):
            return self.judge.decide(difference, op)
        if difference is NotImplemented:
            return NotImplemented
        return holds(difference, op)


_COMPARED = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def holds(number: int | Fraction, op: str) -> bool:
    """Return whether number op 0."""
    return bool(_COMPARED[op](number, 0))


def forms_in(value: Any) -> Iterator[LinearForm]:
    """Yield the forms in a value."""
    if isinstance(value, LinearForm):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from forms_in(one)
    elif isinstance(value, dict):
        raise UnsupportedError("a variable holds what is not merged")


def may_hold(value: Any) -> bool:
    """Whether a value may hold unknowns; what a loop has still to go through does not, mostly."""
    return not isinstance(value, list | tuple) or {*map(type, value)} != {int}


def spelled_key(value: Any) -> object:
    """Return a value as a key: equal keys are equal values."""
    if isinstance(value, LinearForm):
        slopes = tuple(sorted((name, as_int(c)) for name, c in value.coefficients.items()))
        return "form", slopes, as_int(value.constant)
    if isinstance(value, list | tuple):
        if not may_hold(value):
            return type(value).__name__, "int", tuple(value)
        return type(value).__name__, tuple(map(spelled_key, value))
    if isinstance(value, dict):
        return "dict", spelled_key([*value.items()])
    if value is None or isinstance(value, bool | int | str | Fraction | float):
        return type(value).__name__, value
    if isinstance(value, Ratio):
        return "ratio", frozenset(value.over.items()), frozenset(value.under.items())
    raise UnsupportedError("a variable holds what is not merged")

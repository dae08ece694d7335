"""Patterns of outputs: an output in which `Real` and `int` represent numbers without bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from exactdp.language.types import Real, RealType
from exactdp.language.values import Value
from exactdp.reals import Interval
from exactdp.semantics.events import RealNoiseInterval, WholeInterval


def reals_in(pattern: Value) -> int:
    """Return the number of real numbers in a pattern."""
    if isinstance(pattern, tuple):
        return sum(map(reals_in, pattern))
    return int(isinstance(pattern, RealType))


def integers_in(pattern: Value) -> int:
    """Return the number of unbounded integers in a pattern."""
    if isinstance(pattern, tuple):
        return sum(map(integers_in, pattern))
    return int(pattern is int)


def endless(pattern: Value) -> bool:
    """Whether a pattern represents infinitely many outputs."""
    return bool(integers_in(pattern) or reals_in(pattern))


def filled(pattern: Value, numbers: list[Value]) -> Value:
    """Return a pattern with numbers substituted for `Real`, in order; the list is consumed."""
    if isinstance(pattern, tuple):
        return tuple(filled(item, numbers) for item in pattern)
    return numbers.pop(0) if isinstance(pattern, RealType) else pattern


def with_integers(pattern: Value, parts: list[Value]) -> Value:
    """Return a pattern with integers, or intervals of these, for `int`; the list is consumed."""
    if isinstance(pattern, tuple):
        return tuple(with_integers(item, parts) for item in pattern)
    return parts.pop(0) if pattern is int else pattern


def numbers_of(pattern: Value, output: Value) -> list[Fraction] | None:
    """Return the numbers of an output at the positions of the noise of a pattern."""
    if pattern is int or isinstance(pattern, RealType):
        is_number = isinstance(output, int | Fraction) and not isinstance(output, bool)
        return [Fraction(output)] if is_number else None
    if not isinstance(pattern, tuple):
        return [] if pattern == output else None
    if not isinstance(output, tuple) or len(pattern) != len(output):
        return None
    found: list[Fraction] = []
    for one, two in zip(pattern, output, strict=True):
        numbers = numbers_of(one, two)
        if numbers is None:
            return None
        found += numbers
    return found


def interval_kind(pattern: Value, patterns: Sequence[Value]) -> type[Interval] | None:
    """Return which intervals a pattern needs, if integers and reals are in one place; else None."""

    def shape(one: Value) -> Value:
        if isinstance(one, tuple):
            return tuple(map(shape, one))
        return Real if one is int else one

    if all(one == pattern or shape(one) != shape(pattern) for one in patterns):
        return None
    return WholeInterval if integers_in(pattern) else RealNoiseInterval


def with_kind(outputs: Iterable[Value], kind: type[Interval] | None) -> list[Value]:
    """Return outputs with intervals of a kind of noise."""

    def marked(one: Value) -> Value:
        if isinstance(one, tuple):
            return tuple(map(marked, one))
        if not isinstance(one, Interval) or kind is None:
            return one
        return kind(one.lower, one.upper, lower_open=one.lower_open, upper_open=one.upper_open)

    return list(map(marked, outputs))

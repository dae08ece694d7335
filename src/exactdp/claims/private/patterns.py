"""Patterns of outputs: an output in which `Real` and `int` represent numbers without bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from exactdp.language.nested import leaves, mapped
from exactdp.language.types import Real, RealType
from exactdp.language.values import Value
from exactdp.reals import Interval
from exactdp.semantics.patterns import RealNoiseInterval, WholeInterval


def reals_in(pattern: Value) -> int:
    """Return the number of real numbers in a pattern."""
    return sum(isinstance(one, RealType) for one in leaves(pattern))


def integers_in(pattern: Value) -> int:
    """Return the number of unbounded integers in a pattern."""
    return sum(one is int for one in leaves(pattern))


def endless(pattern: Value) -> bool:
    """Whether a pattern represents infinitely many outputs."""
    return bool(integers_in(pattern) or reals_in(pattern))


def filled(pattern: Value, numbers: Iterable[Value]) -> Value:
    """Return a pattern with numbers substituted for `Real`, in order."""
    left = iter(numbers)
    return mapped(pattern, lambda one: next(left) if isinstance(one, RealType) else one)


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
        return mapped(one, lambda part: Real if part is int else part)

    if all(one == pattern or shape(one) != shape(pattern) for one in patterns):
        return None
    return WholeInterval if integers_in(pattern) else RealNoiseInterval


def with_kind(outputs: Iterable[Value], kind: type[Interval] | None) -> list[Value]:
    """Return outputs with intervals of a kind of noise."""

    def marked(one: Value) -> Value:
        if not isinstance(one, Interval) or kind is None:
            return one
        return kind(one.lower, one.upper, lower_open=one.lower_open, upper_open=one.upper_open)

    return [mapped(one, marked) for one in outputs]

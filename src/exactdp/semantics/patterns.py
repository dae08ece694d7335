"""Events: patterns that an output must match, with a place for each number.

A pattern has the structure of an output. For noise, `Real` (or `int`) matches any number, an
`Interval` the numbers inside, and `Near(v, γ)` those within γ of v; other entries must be equal.
So the event "within γ of the ideal" (the paper's P^new) is the ideal with `Near` for every number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.code import Appended, Code, Release, Set, written
from exactdp.language.events import State
from exactdp.language.nested import mapped
from exactdp.language.program import Program
from exactdp.language.released import form_of
from exactdp.language.stored import StoredAnswer
from exactdp.language.terms import EpsTerm
from exactdp.language.types import Real, RealType
from exactdp.language.values import Symbolic, Value, freeze
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.numbers import rational
from exactdp.semantics.spots import Spot


@dataclass(frozen=True)
class Near:
    """Any number within `radius` of `value`."""

    value: Fraction | Spot | bool
    radius: Fraction | Spot | ClosedForm

    @property
    def ends(self) -> tuple[Any, Any]:
        """The smallest and the largest of these numbers."""
        return self.value - self.radius, self.value + self.radius

    def __contains__(self, number: Any) -> bool:
        lower, upper = self.ends
        return bool(lower <= number <= upper)


class RealNoiseInterval(Interval):
    """An interval of real noise: integer noise is not in it."""


class WholeInterval(Interval):
    """An interval of integer noise: real noise is not in it."""


class _Anything:
    """The pattern of every output."""


class _Number:
    """The pattern of every number, with noise or without."""


ANYTHING = _Anything()
NUMBER = _Number()


def read_pattern(value: object) -> Value:
    """Return the pattern of an output written by a user: lists become tuples, numbers exact."""
    if isinstance(value, tuple | list):
        return tuple(read_pattern(item) for item in value)
    if isinstance(value, RealType | Interval | Near | Spot) or value is int:
        return value
    found = freeze(value)
    if isinstance(found, EpsTerm):
        return form_of(found)
    return _plain(found)


def _plain(value: Value) -> Value:
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    return value


def near(output: Value, radius: Fraction | Spot | ClosedForm) -> Value:
    """Return the pattern of the outputs within `radius` of `output` in the maximum norm.

    There a truth value is at distance 0 from the number that it equals, and far from all others.
    """
    if isinstance(output, tuple):
        return tuple(near(item, radius) for item in output)
    if isinstance(output, Spot):
        return Near(output, radius)
    if isinstance(output, bool):
        return Near(output, Fraction(0))
    return Near(Fraction(output), radius) if is_number(output) else output


def shape_of(pattern: Value) -> Value:
    """Return a pattern with `NUMBER` in place of `Near`."""
    if isinstance(pattern, tuple):
        return tuple(map(shape_of, pattern))
    return NUMBER if isinstance(pattern, Near) else pattern


def shape_of_output(output: Value) -> Value:
    """Return an output with `NUMBER` in place of its numbers: the shape of what is near it."""
    return mapped(output, lambda one: NUMBER if isinstance(one, Spot) or is_number(one) else one)


def pattern_of(output: Value, is_integer: Callable[[Symbolic], bool]) -> Value:
    """Return an output with its noise replaced by `Real` or `int`."""
    if isinstance(output, tuple):
        return tuple(pattern_of(item, is_integer) for item in output)
    if isinstance(output, Symbolic):
        return int if is_integer(output) else Real
    return output


Numbers = list[tuple[Any, Interval | Value]]
"""Symbolic numbers of an output, each with the part of the pattern that it must match."""


def match(output: Value, pattern: Value, numbers: Numbers) -> bool:
    """Whether an output can match a pattern; the conditions on its noise go to `numbers`."""
    if isinstance(output, StoredAnswer):
        return match(True, pattern, numbers) or match(False, pattern, numbers)
    if isinstance(output, tuple) or isinstance(pattern, tuple):
        return (
            isinstance(output, tuple)
            and isinstance(pattern, tuple)
            and len(output) == len(pattern)
            and all(match(a, b, numbers) for a, b in zip(output, pattern, strict=True))
        )
    if isinstance(pattern, RealType) or pattern is int:
        return isinstance(output, Symbolic)
    if pattern is NUMBER:
        return isinstance(output, Symbolic | bool) or is_number(output)
    if isinstance(output, Symbolic):
        value = pattern.value if isinstance(pattern, Near) else pattern
        if value is None or isinstance(value, str | bool):
            return False
        numbers.append((output, pattern))
        return True
    if isinstance(pattern, Near) and isinstance(output, bool):
        return bool(output == pattern.value)
    if isinstance(pattern, Interval | Near):
        return is_number(output) and output in pattern
    return bool(output == pattern)


def match_exactly(output: Value, pattern: Value, numbers: Numbers) -> bool:
    """Whether an output can match a pattern in which True differs from 1; else the same."""
    return match(output, pattern, numbers) and _has_kinds(output, pattern)


def _has_kinds(output: Value, pattern: Value) -> bool:
    """Whether there are truth values where a pattern has them, and nowhere where it has numbers."""
    if isinstance(output, tuple) and isinstance(pattern, tuple):
        return all(map(_has_kinds, output, pattern))
    if isinstance(pattern, bool):
        return not is_number(output)
    return not (is_number(pattern) and isinstance(output, bool | StoredAnswer))


def prefix_test(place: int | None, pattern: Value) -> Callable[[State], bool]:
    """Return a test that rejects states that can no longer end in an output of the pattern.

    It covers the common case of a list that is only appended to and then returned
    (`appended_slot`, at a place): its entries must match the beginning of the pattern.
    """
    if place is None or not isinstance(pattern, tuple):
        return lambda _: True

    def test(state: State) -> bool:
        found = state.env[place]
        if not isinstance(found, tuple):
            return True
        return len(found) <= len(pattern) and all(
            match(item, wanted, []) for item, wanted in zip(found, pattern, strict=False)
        )

    return test


def is_number(pattern: Value) -> bool:
    """Whether a value is a rational number, not a truth value."""
    return isinstance(pattern, int | Fraction) and not isinstance(pattern, bool)


def appended_slot(code: Code) -> str | None:
    """Return the slot that every return reads, if it starts empty once and is only appended to."""
    returned = {
        one.value.id if isinstance(one.value, ast.Name) else None
        for one in code.instructions
        if isinstance(one, Release)
    }
    if len(returned) != 1 or None in returned:
        return None
    (slot,) = returned
    starts = 0
    for pc, one in enumerate(code.instructions):
        if slot not in written(one):
            continue
        match one:
            case Set(_, Appended(base)) if base.id == slot:
                continue
            case Set(_, ast.List([]) | ast.Tuple([])) if not code.loops_at(pc):
                starts += 1
            case _:
                return None
    return slot if starts == 1 else None


def within_pattern(u: object, ideal: object, gamma: object, distance: str) -> Value:
    """Return the pattern of the outputs within gamma of the ideal output; `ANYTHING` for all.

    The ideal is a deterministic program, or the output itself.
    """
    if isinstance(ideal, Program):
        if ideal.checked.meets_eps or ideal.checked.releases_eps:
            raise ValueRefusedError(
                f"the ideal {ideal.__name__} depends on eps",
                rule="An ideal is one function of the input for every eps.",
                way_out="Write it with @ideal, without eps, and give ideal=….",
            )
        ideal = ideal.machine.run(ideal.read_input(u))
    output, radius = read_pattern(ideal), rational(gamma, "gamma")
    if radius < 0:
        raise ValueRefusedError(f"gamma is {radius}", rule="gamma is a distance, so not negative.")
    if distance == "discrete":
        return ANYTHING if radius >= 1 else output
    if distance == "sup":
        return near(output, radius)
    raise ValueRefusedError(
        f"the output distance {shown(distance)} is not known", way_out="Use 'discrete' or 'sup'."
    )

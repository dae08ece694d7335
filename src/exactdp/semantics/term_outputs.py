"""Outputs that are expressions in ε, compared with numbers: which of them match a pattern.

Such an output is a closed form, so it lies in an interval, or within a radius of a number, on a
union of intervals of ε. Between their ends, the same outputs match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from exactdp.language.nested import holds
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.measure.work import Hook
from exactdp.reals import ClosedForm, ExpPoly, Interval, SolutionSet, Stretch, solution_set
from exactdp.reals.numbers import inf
from exactdp.reals.spans import Span, around, as_stretch, common_parts
from exactdp.semantics.by_epsilon import (
    ByEpsilon,
    EpsilonPiece,
    distribution_by_epsilon,
    in_parts,
    probability_by_epsilon,
)
from exactdp.semantics.distribution import Distribution
from exactdp.semantics.engine import Engine
from exactdp.semantics.patterns import ANYTHING, Near, match

_FINE = Fraction(1, 10**30)


@dataclass(frozen=True)
class Slack:
    """A function of ε that is nonnegative where a number of an output matches; or positive."""

    form: ClosedForm
    strict: bool = False

    def holds_at(self, eps: Fraction) -> bool:
        """Whether the number matches at an ε."""
        sign = self.form.at(eps).sign
        return bool(sign > 0 if self.strict else sign >= 0)


@dataclass(frozen=True)
class TermMatch:
    """When an output with expressions in ε matches a pattern, and its pattern of plain values."""

    slacks: tuple[Slack, ...]
    pattern: Value
    """The pattern, in which each expression in ε stands for itself."""

    def where(self, on: Span) -> SolutionSet:
        """Return the ε of a span at which it matches; the ends of strict conditions count, too."""
        found = SolutionSet((as_stretch(on),))
        for one in self.slacks:
            found &= solution_set(one.form, around(on), _FINE)
        return found


def compared(output: Value, pattern: Value) -> TermMatch | None:
    """Return when an output matches a pattern; None if it does not for any ε.

    Numbers without ε in them match or do not; noise, and the entries that the pattern has for it,
    are left to the pattern.
    """
    if isinstance(output, tuple) and isinstance(pattern, tuple):
        if len(output) != len(pattern):
            return None
        parts = [compared(*pair) for pair in zip(output, pattern, strict=True)]
        known = [one for one in parts if one is not None]
        if len(known) < len(parts):
            return None
        slacks = tuple(slack for one in known for slack in one.slacks)
        return TermMatch(slacks, tuple(one.pattern for one in known))
    if not isinstance(output, ClosedForm):
        return TermMatch((), pattern) if match(output, pattern, []) else None
    if isinstance(pattern, Near | Interval):
        return TermMatch(tuple(_slacks(output, pattern)), output)
    return TermMatch((), output) if output == pattern else None


def _slacks(form: ClosedForm, pattern: Near | Interval) -> Iterator[Slack]:
    if isinstance(pattern, Near):
        value: Any = pattern.value
        yield Slack(pattern.radius - (form - value))
        yield Slack(pattern.radius + (form - value))
        return
    if pattern.lower != -inf:
        yield Slack(form - Fraction(pattern.lower), pattern.lower_open)
    if pattern.upper != inf:
        yield Slack(Fraction(pattern.upper) - form, pattern.upper_open)


def matching_parts(
    outputs: Sequence[Value], pattern: Value, on: Span
) -> list[tuple[Stretch, frozenset[int]]]:
    """Return parts of a span of ε, with the numbers of the outputs that match a pattern there."""
    every = [compared(one, pattern) for one in outputs]
    sets = [SolutionSet(()) if one is None else one.where(on) for one in every]
    return common_parts(sets, on)


def _probability_of_terms(
    program: Program, u: object, pattern: Value
) -> ClosedForm | ByEpsilon[ClosedForm]:
    """Return the probability of a pattern: on several intervals of ε, if it is not the same form.

    At an end of such an interval, an output may match that does not match beside it.
    """
    engine = program.kept(Engine)
    outputs = tuple(engine.distribution(u))
    every = [compared(one, pattern) for one in outputs]
    patterns = dict.fromkeys(one.pattern for one in every if one is not None)
    chances = {one: engine.probability(u, one) for one in patterns}

    def total(numbers: frozenset[int]) -> ClosedForm:
        used = dict.fromkeys(
            one.pattern for k, one in enumerate(every) if k in numbers and one is not None
        )
        start: ClosedForm = ExpPoly(0)
        return sum((chances[one] for one in used), start=start)

    def alone(point: Fraction) -> ClosedForm:
        near = (
            k
            for k, one in enumerate(every)
            if one is not None and all(slack.holds_at(point) for slack in one.slacks)
        )
        return total(frozenset(near))

    on = program.epsilon
    if on.is_point:
        return alone(Fraction(on.lower))
    sets = [SolutionSet(()) if one is None else one.where(on) for one in every]
    pieces = [
        EpsilonPiece(replace(part, lower_open=True, upper_open=True), total(numbers))
        for part, numbers in common_parts(sets, on)
        if not part.is_single
    ]
    return pieces[0].value if len(pieces) == 1 else ByEpsilon(tuple(pieces), alone)


def probability_at_input(
    program: Program, u: object, pattern: Value, progress: Hook | None = None
) -> ClosedForm | ByEpsilon[ClosedForm]:
    """Return the probability of a pattern that is read, as one closed form or on intervals of ε."""
    if pattern is ANYTHING:
        return ExpPoly(1)
    if program.moves:
        return probability_by_epsilon(program, u, pattern)

    def ask(part: Program) -> ClosedForm | ByEpsilon[ClosedForm]:
        if part.checked.releases_eps and holds(pattern, Near | Interval):
            return _probability_of_terms(part, u, pattern)
        return part.kept(Engine).probability(u, pattern, progress)

    return in_parts(program, ask)


def distribution_at_input(
    program: Program, u: object, progress: Hook | None = None
) -> Distribution | ByEpsilon[dict[Value, ClosedForm]]:
    """Return the distribution of the output at an input, or one for each of several intervals."""
    if program.moves:
        return distribution_by_epsilon(program, u)
    found = in_parts(program, lambda part: part.kept(Engine).distribution(u, progress).for_users())
    return found.mapped(dict) if isinstance(found, ByEpsilon) else found

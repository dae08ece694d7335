"""Simple inputs close to a worst one, at which the error is nearly as likely.

A worst input may have long fractions, or may only be approached. Answers show a simple input
nearby, and counterexamples are at one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import trunc
from typing import TYPE_CHECKING

from exactdp.claims.constants.curves import error_curve
from exactdp.claims.constants.risks import Risk
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.regions.regret import near_worst_inputs
from exactdp.language.nested import leaves
from exactdp.language.values import Value
from exactdp.reals.numbers import near, simplest_inside
from exactdp.semantics.patterns import is_number

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy

_NEARLY = Fraction(99, 100)  # fraction of the worst error probability
_STEPS = (Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000))  # away from a simple input
_NEXT = _STEPS[-1:]
_ROOMS = (Fraction(1, 20), Fraction(1, 200))  # of simple inputs close to another


def _simple(value: Value, room: Fraction | None = None) -> Value:
    """Return an input with its numbers rounded to simple ones, within a distance if it is given."""
    if isinstance(value, list | tuple):
        return [_simple(item, room) for item in value]
    if not isinstance(value, Fraction):
        return value
    return near(value) if room is None else simplest_inside(value - room, value + room)


def simple_around(claim: DecidedAccuracy, u: Value, risk: Fraction) -> Value:
    """Return a simple input close to `u` next to which the error is nearly as likely as `risk`.

    None if inputs are listed.
    """
    if not claim.scope.free:
        return None
    for room in _ROOMS if claim.epsilon.is_point else ():
        centre = _simple(u, room)
        for there in (centre, *_beside(u, centre, _NEXT)):
            if claim.scope.has_between(there):
                curve = error_curve(claim, claim.mechanism.read_input(there))
                error = curve.at(Fraction(claim.epsilon.lower))
                if error.lower >= risk * _NEARLY:
                    return centre
    return _simple(u)


def at_worst_input(verdict: Verdict, worst: Risk) -> Verdict:
    """Return a verdict whose counterexample is at the worst input for its ε.

    If the worst case is only approached, the counterexample is at an input nearby, if possible at a
    simple one where the error is nearly as likely.
    """
    found = verdict.counterexample
    if found is None or worst.input is None or worst.input == found.input:
        return verdict
    best = found
    near = _simple_near(worst.input)
    if verdict.claim.at_worst_inputs is not None:
        near = _next_to(worst.input, near_worst_inputs(verdict.claim))
    for there in [worst.input] if worst.attained else near:
        if not worst.attained and not verdict.claim.scope.has_between(there):
            continue
        at = replace(verdict.claim, inputs=[there], epsilon=found.eps).check().counterexample
        if at is not None and at.error.lower > best.error.lower:
            best = at
        if best.error.lower >= worst.lower * _NEARLY:
            break
    return replace(verdict, counterexamples=(best,))


def _next_to(u: Value, claim: DecidedAccuracy | None) -> Iterator[Value]:
    """Yield the inputs of a claim that differ from `u` in one entry."""
    for other in () if claim is None else claim.inputs:
        if sum(one != two for one, two in zip(u, other, strict=True)) == 1:
            yield other


def _simple_near(u: Value) -> Iterator[Value]:
    """Yield a simple input close to `u`, others that are closer and closer, and `u` itself."""
    centre = _simple(u)
    yield centre
    yield from _beside(u, centre, _STEPS)
    yield u


def _beside(u: Value, centre: Value, steps: Sequence[Fraction]) -> Iterator[Value]:
    """Yield inputs that are some steps away from a simple input towards `u`.

    First those with equal numbers where the simple one has equal numbers, then those with one
    different number, then all others.
    """
    pairs = list(zip(_numbers(u), _numbers(centre), strict=True))
    size = max((abs(one - two) for one, two in pairs), default=Fraction(0))
    if not size:
        return
    towards = [(one - two) / size for one, two in pairs]
    values = dict.fromkeys(two for _, two in pairs)
    groups = [[k for k, (_, two) in enumerate(pairs) if two == value] for value in values]
    groups += [[k] for k in range(len(pairs))] if len(groups) < len(pairs) else []
    for step, group in product(steps, groups):
        if sign := trunc(sum(towards[k] for k in group) * 2 / len(group)):
            moved = dict.fromkeys(group, step if sign > 0 else -step)
            yield _refilled(u, (two + moved.get(k, 0) for k, (_, two) in enumerate(pairs)))
    for step in steps:
        for rounded in (list(map(trunc, towards)), list(map(near, towards))):
            moved = dict(enumerate(to * step for to in rounded))
            yield _refilled(u, (two + moved[k] for k, (_, two) in enumerate(pairs)))


def _numbers(u: Value) -> Iterator[Fraction]:
    return (Fraction(one) for one in leaves(u) if is_number(one))


def _refilled(u: Value, numbers: Iterator[Fraction]) -> Value:
    """Return an input with its numbers replaced."""
    if isinstance(u, list | tuple):
        return [_refilled(item, numbers) for item in u]
    return next(numbers) if is_number(u) else u

"""det, and the distance to disagreement of Definition 1, without linear programs.

Run the ideal on the ball of radius r around u: a comparison whose form is decided on the ball goes
one way, others go both ways. The least r with another output is a shortest path whose length is the
largest |h(u)|/‖h‖ on it. It shows dd ≥ r (`reach`). If the ideal is another one just beyond u + r·s
for a direction s of norm 1, then dd ≤ r (`neighbour`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from ..errors import NotYet
from ..graph.explore import Compare, Draw, End, State
from ..graph.model import Model
from ..language.values import Value, key
from ..ring.linear import Linear, Rational
from .part import Point

BESIDE = "beside"
"""The name of an infinitesimal δ > 0 in a point just beyond another one."""


@dataclass(frozen=True)
class Disagreement:
    """det(u), and dd(u) with a direction in which the ideal changes there; infinite without one."""

    output: Value
    distance: Fraction | None
    direction: tuple[int, ...] = ()


def disagreement(ideal: Model, u: Point) -> Disagreement:
    """Return det and dd at an input, for the distances linf and discrete."""
    program = ideal.program
    output = det(ideal, u)
    own = key(output)
    inputs = dict(zip(program.coordinates, u, strict=True))
    order, done = count(), set[int]()
    heap: list[tuple[Fraction, int, int, tuple[Linear, ...]]] = [(Fraction(0), next(order), 0, ())]
    while heap:
        radius, _, number, crossed = heapq.heappop(heap)
        if number in done:
            continue
        done.add(number)
        match ideal.states[number]:
            case End(other):
                if key(other) != own:
                    return Disagreement(output, radius, _direction(ideal, u, radius, crossed, own))
            case Compare(form, strict, sides):
                value = _number(form.at(inputs))
                holds = bool(value > 0 or (value == 0 and not strict))
                size = sum((abs(Fraction(c)) for c in form.parts.values()), Fraction(0))
                needed = abs(value) / size
                for taken, edge in zip((True, False), sides, strict=True):
                    if taken == holds and value:
                        heapq.heappush(heap, (radius, next(order), edge.to, crossed))
                        continue
                    side = form if taken else -form
                    before = crossed if needed <= radius else ()
                    last = (*before, side) if needed >= radius else before
                    heapq.heappush(heap, (max(radius, needed), -next(order), edge.to, last))
            case Draw():
                raise AssertionError("an ideal draws no samples")
    return Disagreement(output, None)


def det(ideal: Model, u: tuple[Linear | Rational, ...]) -> Value:
    """Return the ideal output at an input; its numbers may have an infinitesimal part."""
    inputs = dict(zip(ideal.program.coordinates, u, strict=True))
    state: State = ideal.states[0]
    while not isinstance(state, End):
        if isinstance(state, Draw):
            raise AssertionError("an ideal draws no samples")
        value = state.form.at(inputs)
        if isinstance(value, Linear):
            value = value.constant or value.parts[BESIDE]
        holds = value > 0 or (value == 0 and not state.strict)
        state = ideal.states[state.next[0 if holds else 1].to]
    return state.output


def _direction(
    ideal: Model, u: Point, radius: Fraction, crossed: tuple[Linear, ...], own: object
) -> tuple[int, ...]:
    """Return a direction of norm 1 such that the ideal is another one just beyond radius.

    `crossed` are the forms that change their sign at this radius on a path to another output: one
    of them leads there, or all of them together.
    """
    for form in (*reversed(crossed), Linear.sum(crossed)):
        if not isinstance(form, Linear):
            continue
        s = tuple(_sign(form.parts.get(x, 0)) for x in ideal.program.coordinates)
        pairs = zip(u, s, strict=True)
        if (
            key(
                det(
                    ideal,
                    tuple(x + (radius + Linear.name(BESIDE)) * d if d else x for x, d in pairs),
                )
            )
            != own
        ):
            return s
    raise NotYet("claims")  # tests that depend on each other need a linear program


def _number(value: Linear | Rational) -> Fraction:
    assert not isinstance(value, Linear)
    return Fraction(value)


def _sign(c: Rational) -> int:
    return (c > 0) - (c < 0)

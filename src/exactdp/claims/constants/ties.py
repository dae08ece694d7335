"""Why no ε is large enough: inputs close to a tie, or numbers that would have to be exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.claims.decision.counterexamples import Counterexample
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.claims.stated.levels import constant
from exactdp.errors import ExactdpError
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.values import Value
from exactdp.reals.numbers import simplest_inside

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy

_CLOSE = Fraction(1, 1000)  # to a tie, in units of 1/ε: the noise is far larger
_NEAR = 100  # to a counterexample, in units of 1/ε


def why_never(claim: DecidedAccuracy, found: Counterexample) -> str:
    """Describe why a claim fails even at the very large ε of a counterexample."""
    if constant(claim.gamma_level) == 0 and not found.probability.numerator:
        return "noise is never exactly 0, so a number with noise is never exactly the ideal one"
    try:
        tie = next(_ties(claim, found), None)
    except ExactdpError:  # an ideal or a distance that is not defined there
        tie = None
    if tie is None:
        return f"at ε = {float(found.eps):.6g} it still fails at the input {show(found.input)}"
    is_tie = f"the input {show(tie)} is a tie"
    if claim.scope.free:
        is_tie = f"inputs may be arbitrarily close to a tie such as {show(tie)}"
    return f"{is_tie}, where the ideal output changes"


def _ties(claim: DecidedAccuracy, found: Counterexample) -> Iterator[Value]:
    """Yield inputs near which the ideal output changes and the claim fails at this ε."""
    mechanism = claim.mechanism
    given = list(entries(mechanism.read_input(found.input)))
    reals = [k for k, kind in enumerate(kinds(mechanism.inputs)) if kind is None]
    near = _NEAR / found.eps
    places: list[list[Value]] = []
    if claim.scope.free:
        places = [_with(given, dict.fromkeys(reals, value)) for value in (0, 1)]
        places.append(
            _with(given, {k: simplest_inside(given[k] - near, given[k] + near) for k in reals})
        )
    for place in (*places, given):
        there = as_given(mechanism, assembled(mechanism.inputs, place))
        if place == given:
            if any(True for _ in _changes(claim, place, reals, found)):
                yield as_written(there)
        elif claim.scope.has_between(there):
            for moved in _changes(claim, place, reals, found):
                at = replace(claim, inputs=[moved], epsilon=found.eps)
                if claim.scope.has_between(moved) and at.check().counterexample is not None:
                    yield as_written(there)
                    break


def _with(place: list[Value], values: dict[int, Value]) -> list[Value]:
    return [values.get(k, value) for k, value in enumerate(place)]


def _changes(
    claim: DecidedAccuracy, place: list[Value], reals: list[int], found: Counterexample
) -> Iterator[Value]:
    """Yield inputs close to a given one whose ideal outputs are further than γ from its own."""
    mechanism, step = claim.mechanism, _CLOSE / found.eps
    here = claim.ideal_function(assembled(mechanism.inputs, place))
    for k in reals:
        for to in (place[k] + step, place[k] - step):
            moved = assembled(mechanism.inputs, _with(place, {k: to}))
            given = as_given(mechanism, moved)
            other = claim.ideal_function(moved)
            if claim.output_metric.between(given, here, other) > found.gamma:
                yield given

"""The mass of the arrivals at an output: densities restricted to what a pattern asks for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.language.linear import Linear
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import Value
from exactdp.measure.density import Density
from exactdp.polyhedra.form import Number
from exactdp.reals import ClosedForm, ExpPoly, Interval
from exactdp.reals.operators import FLIPPED
from exactdp.semantics.densities import is_integer as _is_integer
from exactdp.semantics.densities import refuse_mixed, refuse_quotient
from exactdp.semantics.exact import Arrival, moved
from exactdp.semantics.nodes import Edge, noise_part
from exactdp.semantics.patterns import Near, RealNoiseInterval, WholeInterval, match_exactly
from exactdp.semantics.plan import PreparedEdge, Question, constant_part, question
from exactdp.semantics.spots import symbolic

ZERO = ExpPoly(0)


def without_inputs(output: Value, inputs: Mapping[str, Any]) -> Value:
    """Return an output in which only noise and the parameters of spots are symbolic."""
    if isinstance(output, tuple):
        return tuple(without_inputs(item, inputs) for item in output)
    if not isinstance(output, Linear):
        return output
    noise: dict[Hashable, Number] = dict(noise_part(output).items())
    return Linear.build(noise, 0) + symbolic(constant_part(output, inputs))


def inside(
    found: list[Arrival],
    regions: Callable[[Value], Iterable[list[tuple[Linear, str]]]],
    inputs: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> ClosedForm:
    """Return the probability that an output lies in one of its regions."""
    result: ClosedForm = ZERO
    for arrival in found:
        for region in regions(without_inputs(arrival.output, inputs)):
            density = arrival.density
            for form, op in region:
                constant = constant_part(form, parameters)
                density = _cut(density, noise_part(form), op, constant)
            result = result + density.without(range(arrival.variables)).number()
    return result


def _cut(density: Density, form: dict[int, Fraction], op: str, constant: Any) -> Density:
    """Return the density where Σ form·x + constant op 0."""
    if not density.products:
        return density
    asked = question(form, op, constant, density.products[0].integers)
    if isinstance(asked, Question):
        return asked.answer(density, True)
    return density if asked else Density(density.frame, ())


def probability_of(
    found: list[Arrival], pattern: Value, inputs: Mapping[str, Number]
) -> ClosedForm:
    """Return the probability that the output of some arrivals matches a pattern."""
    total: ClosedForm = ZERO
    for arrival in found:
        total = total + matching(arrival, pattern, inputs)
    return total


def matching(arrival: Arrival, pattern: Value, inputs: Mapping[str, Number]) -> ClosedForm:
    """Return the probability that an arrival's output matches a pattern."""
    return mass(arrival, pattern, inputs).number()


def mass(arrival: Arrival, pattern: Value, inputs: Mapping[str, Number]) -> Density:
    """Return the density of an arrival where its output matches a pattern, integrated."""
    numbers: list[tuple[Any, Any]] = []
    if not match_exactly(arrival.output, pattern, numbers):
        return Density(arrival.density.frame, ())
    density = arrival.density
    for form, wanted in numbers:
        density = confined(density, form, wanted, inputs)
    return density.without(range(arrival.variables))


def confined(density: Density, form: Linear, wanted: Any, inputs: Mapping[str, Number]) -> Density:
    """Return the density restricted to where a number of the output matches a pattern."""
    if isinstance(form, NoisyQuotient):
        return _confined_quotient(density, form, wanted, inputs)
    noise, constant = noise_part(form), constant_part(form, inputs)
    if not noise:
        is_in = constant in wanted if isinstance(wanted, Interval | Near) else constant == wanted
        return density if is_in else Density(density.frame, ())
    if not density.products:
        return density
    is_whole = density.products[0].integers.issuperset(noise)
    if isinstance(wanted, RealNoiseInterval) and is_whole:
        return Density(density.frame, ())
    if isinstance(wanted, WholeInterval) and not is_whole:
        return Density(density.frame, ())
    if not isinstance(wanted, Interval | Near):
        return _cut(density, noise, "==", constant - wanted)
    lower, upper, ops = limits(wanted)
    for end, op in zip((lower, upper), ops, strict=True):
        if not isinstance(end, float):
            density = _cut(density, noise, op, constant - end)
    return density


def _confined_quotient(
    density: Density, quotient: NoisyQuotient, wanted: Any, inputs: Mapping[str, Number]
) -> Density:
    """Return the density restricted to where a quotient matches, by sign of the denominator."""
    lower, upper, ops = limits(wanted)
    signs = ((1, ">"), (-1, "<")) if quotient.sign not in (1, -1) else ((quotient.sign, ""),)
    found = Density(density.frame, ())
    for sign, way in signs:
        part = density
        if way:
            part = compared(part, quotient.under, way, inputs)
        for end, op in zip((lower, upper), ops, strict=True):
            if not isinstance(end, float):
                form = quotient.over - quotient.under * end
                part = compared(part, form, op if sign > 0 else FLIPPED[op], inputs)
        found = found + part
    return found


def compared(density: Density, form: Any, op: str, inputs: Mapping[str, Number]) -> Density:
    """Return the density where a form op 0."""
    noise, constant = noise_part(form), constant_part(form, inputs)
    return _cut(density, noise, op, constant)


def limits(wanted: Any) -> tuple[Any, Any, tuple[str, str]]:
    """Return the ends of the range that a pattern requires, and the comparisons with them."""
    if isinstance(wanted, Interval):
        ops = ">" if wanted.lower_open else ">=", "<" if wanted.upper_open else "<="
        return wanted.lower, wanted.upper, ops
    if isinstance(wanted, Near):
        return *wanted.ends, (">=", "<=")
    return wanted, wanted, (">=", "<=")


def density_at(
    arrival: Arrival, form: Linear, point: Fraction, inputs: Mapping[str, Number]
) -> ClosedForm:
    """Return the density of a scaled real number at point·ε, as the only remaining variable."""
    refuse_quotient(arrival.output)
    refuse_mixed(arrival)
    if _is_integer(arrival, form):
        raise ValueRefusedError(
            "integer noise has no density", way_out="Ask for the probability of a value."
        )
    way = PreparedEdge.of(Edge(0, (form,), None), arrival.variables)
    density = moved(arrival.density, way, inputs)
    frame = density.frame
    total: ClosedForm = ZERO
    for part in density.products:
        value = part.functions[0].at(frame.point(point))
        total = total + part.with_weight(value).number(frame)
    return total

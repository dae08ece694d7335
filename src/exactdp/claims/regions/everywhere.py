"""The regions of a claim about all reals, or a box of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from exactdp.claims.regions.moving import exact_values, functions_of_eps, scaled_form
from exactdp.claims.stated.admissible import ClaimPart, LinearSide, parts_of
from exactdp.claims.stated.conditions import read_pieces
from exactdp.claims.stated.expressions import Comparison, Constant, Expression
from exactdp.claims.stated.functions import OfInput
from exactdp.claims.stated.inputs import as_given, with_zeros
from exactdp.claims.stated.levels import Level, Range, constant
from exactdp.claims.stated.products import without_powers
from exactdp.claims.stated.scope import Part, with_zeros_in
from exactdp.cones import Cone
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import assembled
from exactdp.language.linear import UNIT
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.reals.numbers import inf
from exactdp.semantics.by_epsilon import sides_of_eps
from exactdp.semantics.distribution import has_integers
from exactdp.semantics.engine import Engine
from exactdp.semantics.properties import independent_units

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions

from exactdp.claims.regions.free import Free
from exactdp.claims.regions.of_inputs import basis, level_forms, real_forms, sides_within
from exactdp.claims.regions.region import (
    MOST_MIXED,
    Region,
    refused,
    with_sides,
)


def regions_everywhere(claim: AccuracyRegions, first: int = 0) -> Iterator[tuple[Region, ...]]:
    """Yield the region for each value of the finite inputs, without the `first` ones."""
    if claim.mechanism.checked.releases_eps:
        raise refused("outputs are expressions in eps")
    if not _is_bounded(claim.gamma_level) and _releases_integers(claim):
        raise ValueRefusedError(
            "the mechanism releases integer noise, the claim is about all real inputs, and γ is "
            "not bounded by a number",
            rule="There is a case for each whole number below γ.",
            way_out="Give a number or a bounded range for gamma, or inputs=Grid(lo, hi) or a list.",
        )
    refuse_rounded(claim)
    if taken := {"alpha", "gamma"}.intersection(claim.entry_names):
        raise ValueRefusedError(
            f"an input of the mechanism is called {min(taken)}",
            rule="For all real inputs, the inputs are used together with eps, alpha and gamma.",
            way_out="Give the input another name.",
        )
    linear = _linear_levels(claim)
    for place in islice(claim.scope.parts(), first, None):
        whole = [
            region
            for whole_part in parts_of(claim, _symbolic_beta(claim))
            for part in _resolved(claim, whole_part)
            if (region := _of_part(claim, part, place, linear)) is not None
        ]
        yield tuple(
            one
            for region in whole
            for one in claim.corners.regions(place, region) or (claim.chamber.of(region),)
        )


def refuse_rounded(claim: AccuracyRegions) -> None:
    """Refuse rounded numbers at unbounded inputs: there is a case for each integer."""
    programs = (claim.mechanism, claim.ideal_function.program)
    if any(one is not None and one.kept(Engine).divides for one in programs):
        raise ValueRefusedError(
            "a quotient is released, and the claim is about all real inputs",
            rule="Quotients are not linear in the inputs.",
            way_out="Give inputs=Grid(lo, hi) or a list.",
        )
    rounds = any(one is not None and one.kept(Engine).rounds for one in programs)
    if rounds and not claim.scope.is_bounded:
        raise ValueRefusedError(
            "rounded numbers are released, compared with each other or means of noise, or integer "
            "noise is combined with reals, and the claim is about all real inputs",
            rule="There is a case for each whole number between the inputs.",
            way_out="Give inputs=Box(lo, hi) with finite ends, Grid(lo, hi) or a list.",
        )


def _is_bounded(gamma: Level) -> bool:
    """Whether γ is a number, or in a range that is bounded by numbers."""
    return gamma.upper != inf if isinstance(gamma, Range) else constant(gamma) is not None


def _releases_integers(claim: AccuracyRegions) -> bool:
    """Whether an output contains integer noise."""
    program = claim.mechanism
    engine = program.kept(Engine)
    if not program.checked.output.holds_noise or not engine.has_integers:
        return False
    if engine.rounds or claim.has_inverse_eps:
        return True
    zeros = (as_given(program, u) for u in with_zeros(program))
    return any(has_integers(one) for u in islice(zeros, 8) for one in engine.distribution(u))


def _symbolic_beta(claim: AccuracyRegions) -> Expression:
    """Return β, or a placeholder if it is a function that must be called with an input."""
    try:
        return claim.formula
    except ExactdpError:
        return Constant(ExpPoly(0))


def _resolved(claim: AccuracyRegions, part: ClaimPart) -> Iterator[ClaimPart]:
    """Yield parts whose conditions use no α and γ that are functions of the input, or powers."""
    parts = [part]
    for name, level in (("gamma", claim.gamma_level), ("alpha", claim.alpha_level)):
        if part.sides and isinstance(level, OfInput):
            pieces = read_pieces(level.function.function, claim.mechanism, name)
            parts = [
                replace(one, sides=(*when, *(side.bound_to({name: value}) for side in one.sides)))
                for one in parts
                for value, when in pieces
            ]
    for one in parts:
        yield from (replace(one, sides=sides) for sides in without_powers(one.sides))


def _of_part(
    claim: AccuracyRegions,
    part: ClaimPart,
    place: Part,
    linear: Mapping[str, ClosedForm],
) -> Region | None:
    """Return the region of a part of a claim at a part of its inputs."""
    free = Free.everywhere(claim, part)
    others = {
        name: form for name, form in functions_of_eps(claim, None).items() if name not in linear
    }
    free = Free(tuple(n for n in ("alpha", "gamma") if n in free.names or n in others), free.why)
    given_at = assembled(claim.mechanism.inputs, with_zeros_in(place))
    logs = independent_units(claim.level_logs)
    has_one = any(UNIT in (scaled_form(one, logs) or ()) for one in linear.values())
    has_one = has_one or (claim.has_inverse_eps and bool(part.sides or others))
    units = claim.units_at(given_at, has_one=has_one)
    names = ("eps", *units, *claim.scope.free, *free.names)
    unit = basis(names)
    levels = level_forms(names, units, linear)
    forms = [unit[name] for name in claim.scope.free]
    given = real_forms(place, forms)
    sides = sides_of_eps(claim.epsilon, units, names)
    sides += sides_within(claim.scope, unit["eps"], forms)
    region = Region(
        names,
        Cone.of(len(names), sides),
        given,
        claim.epsilon,
        levels.get("alpha"),
        levels.get("gamma"),
        beta=part.beta if claim.has_parts else None,
        above=part.above,
        is_unit_used=claim.has_inverse_eps,
    )
    values = claim.numbers(given)
    where = [_side_everywhere(claim, one.bound_to(values)) for one in part.sides]
    for name, level in claim.levels.items():
        if where and name in free.names and isinstance(level, Range):
            where += [_side_everywhere(claim, one) for one in level.sides(name)]
    for name, value in others.items():
        where += [_side(claim, one) for one in Range(value, value).sides(name)]
    if not where and not units and _has_room(claim):
        return region
    return (with_sides(region, where) if where else region).hull()


def _has_room(claim: AccuracyRegions) -> bool:
    """Whether the inputs are not flat; the cone of a box of n reals has 2^n rays that tell it."""
    return all(low != high for low, high in claim.scope.ends)


def _side_everywhere(claim: AccuracyRegions, given: Comparison) -> LinearSide:
    """Return a condition on the inputs, and on α and γ if they are ranges."""
    for name, level in (("gamma", claim.gamma_level), ("alpha", claim.alpha_level)):
        if not isinstance(level, Range):
            given = given.bound_to({name: level})
    return _side(claim, given)


def _side(claim: AccuracyRegions, given: Comparison) -> LinearSide:
    """Return a condition as a linear one."""
    side = LinearSide.of(given, ("alpha", "gamma", *claim.entry_names)).scaled().at(claim.epsilon)
    if side.mixed and not side.is_rational:
        raise refused(
            f"the condition {given} multiplies inputs with functions of eps that are irrational"
        )
    if len(side.mixed) > MOST_MIXED:
        raise refused(f"the condition {given} multiplies more than {MOST_MIXED} inputs with eps")
    return side


def _linear_levels(claim: AccuracyRegions) -> dict[str, ClosedForm]:
    """Return α and γ that are a + b/ε + c·log(r)/ε; at a single ε, the values of all functions."""
    levels = functions_of_eps(claim, None)
    if claim.epsilon.is_point and not claim.level_logs:
        fixed = exact_values(levels, Fraction(claim.epsilon.lower))
        if fixed is None:
            name, level = next(iter(levels.items()))
            raise refused(f"{name} = {level} is irrational at ε = {claim.epsilon.lower}")
        return {name: ExpPoly(value) for name, value in fixed.items()}
    # Of the others, a parameter is between the function and itself.
    logs = independent_units(claim.level_logs)
    return {name: one for name, one in levels.items() if scaled_form(one, logs) is not None}

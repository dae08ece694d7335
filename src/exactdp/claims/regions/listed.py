"""The regions of a claim at a listed input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.regions.moving import (
    curve_of,
    exact_values,
    functions_of_eps,
    scaled_form,
)
from exactdp.claims.stated.admissible import ClaimPart, LevelEnd, LinearSide, ends_of, parts_of
from exactdp.claims.stated.expressions import Comparison, Expression
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.levels import Range, constant
from exactdp.claims.stated.products import PolynomialSide, linear_sides
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.language.linear import UNIT, units_in
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Interval, Root, SolutionSet, Stretch, solution_set
from exactdp.reals.numbers import inf
from exactdp.reals.solutions import Boundary
from exactdp.reals.square_roots import at_least
from exactdp.reals.zeros import order, roots
from exactdp.semantics.by_epsilon import cone_of_constants
from exactdp.semantics.properties import independent_units

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions

from exactdp.claims.regions.free import Free
from exactdp.claims.regions.of_inputs import listed_forms, with_parameters
from exactdp.claims.regions.places import OnRay
from exactdp.claims.regions.region import (
    RAY,
    Combination,
    Region,
    Vector,
    on_stretch,
    ray_at_point,
    with_sides,
)
from exactdp.claims.stated.output_distances import discrete_outputs


def regions_at(claim: AccuracyRegions, u: tuple[Value, ...]) -> tuple[Region, ...]:
    """Return the regions of a claim at one input."""
    here = _AtInput(claim, u)
    beta = claim.beta_at(as_given(claim.mechanism, u)).bound_to(here.values)
    return tuple(region for part in parts_of(claim, beta) for region in here.regions(part))


class _AtInput:
    """The regions at one input."""

    def __init__(self, claim: AccuracyRegions, u: tuple[Value, ...]) -> None:
        self.claim, self.u = claim, u
        self.given: tuple[Value | Combination, ...] = tuple(entries(u))
        if claim.has_inverse_eps:
            self.given = listed_forms(claim.mechanism, self.given, 2)
        self.values = claim.level_values.input_values(u)

    def regions(self, part: ClaimPart) -> Iterator[Region]:
        """Yield the regions of a part of the claim."""
        free = Free.at(self.claim, part, self.values)
        base = Region(
            ("eps",),
            RAY,
            self.given,
            self.claim.epsilon,
            beta=part.beta if self.claim.has_parts or self.claim.is_beta_of_input else None,
            above=part.above,
        )
        if (own := self.claim.mechanism.definition.part) is not None:
            base = on_stretch(base, own)
        if self.claim.mechanism.checked.releases_eps:
            if part.sides:
                raise ValueRefusedError(
                    "outputs are expressions in eps, and the claim has conditions",
                    rule="Such outputs are compared where alpha and gamma are numbers.",
                    way_out="Leave the conditions out.",
                )
            for narrowed in self._compared(base):
                yield from self._plain(narrowed, free, {})
            return
        if not part.sides:
            yield from self._plain(base, free, {})
            return
        for sides in self._linear(part, free):
            yield from self._where(base, free, sides)

    def _linear(self, part: ClaimPart, free: Free) -> Iterator[list[LinearSide]]:
        """Yield linear conditions, some of which hold wherever those of a part do."""
        bound = [self._bound(one) for one in part.sides]
        top: Any = inf
        if any(not PolynomialSide.of(one).is_linear for one in bound):
            top = at_least(self.claim.obligations.distance(self.u))
        level = self.claim.alpha_level
        is_any = isinstance(level, Range) and level.upper == inf
        follows = self.claim.level_values.gamma_follows
        is_falling = is_any and "alpha" not in free.names and not follows
        for sides in linear_sides(bound, self.claim.epsilon, top, is_falling=is_falling):
            yield [one.at(self.claim.epsilon) for one in sides]

    def _where(self, base: Region, free: Free, sides: Sequence[LinearSide]) -> Iterator[Region]:
        """Yield the regions where some conditions hold."""
        rest = [one for one in sides if one.names]
        alone = [one for one in sides if not one.names]
        for found in OnRay(base.on, base.stretch).where(one.constant for one in alone):
            on = _opened(found, [one.constant for one in alone if one.strict])
            if on.is_single and (on.lower_open or on.upper_open):
                continue
            narrowed = on_stretch(base, on)
            if not rest:
                yield from self._plain(narrowed, free, {})
            elif self._is_between(free, rest):
                yield from self._alpha_between(narrowed, free, on, rest)
            else:
                yield from self._with_sides(narrowed, free, rest)

    def _compared(self, base: Region) -> Iterator[Region]:
        """Divide a region into parts on each of which every output is always or never within γ."""
        claim = self.claim
        whole = base.stretch or base.on
        radius, level = self._radius()
        output = claim.ideal_function(self.u)
        if claim.output_metric == discrete_outputs and not isinstance(radius, Fraction):
            raise ValueRefusedError(
                "outputs are expressions in eps, and gamma is not a number",
                rule="Under the discrete distance, γ is 0 or at least 1.",
                way_out="Write gamma=0.",
            )
        parts = claim.obligations.within.parts_by_terms(self.u, output, radius, whole)
        wide = [numbers for part, numbers in parts if not part.is_single]
        if claim.mechanism.definition.part is not None and len(wide) == 1:
            # At an end more outputs are within γ, so a bound that holds inside holds there.
            yield replace(base, near_by=wide[0], gamma=level)
            return
        for part, numbers in parts:
            yield replace(on_stretch(base, part), near_by=numbers, gamma=level)

    def _radius(self) -> tuple[Fraction | ClosedForm, Vector | None]:
        """Return γ as a function of ε, or the least γ of a range if β does not use it.

        If it is one of a range, return it as a form in the only parameter, too.
        """
        claim, level = self.claim, self.claim.gamma_level
        if isinstance(level, Expression):
            number = constant(level)
            if number is not None:
                return number, None
            moving = functions_of_eps(claim, self.u).get("gamma")
            if moving is not None:
                return moving, None
            if not claim.level_values.gamma_follows:
                return Fraction(claim.level_values.number(level, self.values, "gamma")), None
        elif not (level.lower_open or claim.is_beta_of_input or "gamma" in claim.formula.names()):
            return level.lower, (level.lower,)
        raise ValueRefusedError(
            f"outputs are expressions in eps, and gamma = {level} is not a number",
            rule="Which outputs are within γ is decided for a number γ, a function of ε, or a "
            "range that contains its lower end, if β does not use γ.",
            way_out="Give a number for gamma.",
        )

    def _is_between(self, free: Free, sides: Sequence[LinearSide]) -> bool:
        """Whether the largest α suffices: β is nonincreasing in α, and γ does not depend on α."""
        if free.names or self.claim.level_values.gamma_follows:
            return False
        return all(one.names == ("alpha",) for one in sides)

    def _bound(self, given: Comparison) -> Comparison:
        """Return a condition at the input, in α and γ if they are ranges."""
        levels = self.claim.levels
        bound = given.bound_to(self.values)
        for name in ("gamma", "alpha"):
            level = levels[name]
            if not isinstance(level, Range):
                bound = bound.bound_to({name: level.bound_to(self.values)})
        return bound

    def _plain(self, base: Region, free: Free, more: Mapping[str, ClosedForm]) -> Iterator[Region]:
        """Yield the regions where α and γ are numbers, ranges of them, or functions of ε."""
        claim, on = self.claim, base.on
        levels = {**functions_of_eps(claim, self.u), **more}
        if levels and on.is_point and not free.names and not claim.has_inverse_eps:
            fixed = exact_values(levels, Fraction(on.lower))
            if fixed is not None:
                yield ray_at_point(base, Fraction(on.lower), fixed)
                return
        if levels and _is_alpha_too_large(claim, self.u, levels, on):
            return
        if claim.has_inverse_eps:
            yield from self._with_inverse(base, free, levels)
            return
        if levels:
            curve = curve_of(levels)
            why = " and ".join(f"{name} = {level} depends on eps" for name, level in levels.items())
            if curve is None or free.names or on.is_point:
                yield from _where_alpha_touches(claim, self.u, levels, base)
                yield replace(base, levels=levels, why=why)
                return
            yield from _where_alpha_touches(claim, self.u, levels, base)
            alpha, gamma = curve.forms.get("alpha"), curve.forms.get("gamma")
            yield replace(
                base,
                names=curve.names,
                cone=curve.around(on),
                alpha=alpha,
                gamma=gamma,
                curve=curve,
                levels=levels,
                why=why,
            )
        elif free.names:
            yield self._free(base, free.names, free.why)
        else:
            yield base

    def _with_inverse(
        self, base: Region, free: Free, levels: Mapping[str, ClosedForm]
    ) -> Iterator[Region]:
        """Yield the region if 1/ε is combined with reals: a curve on which a parameter is 1.

        With logarithms it is a cone.
        """
        if self.claim.level_logs:
            yield self._with_logs(base, free, levels)
            return
        curve = curve_of(levels, with_unit=True)
        if curve is None or free.names:
            yield from self._with_sides(base, free, (), levels)
            return
        if self._units(has_one=bool(levels)) != (UNIT,):
            yield self._with_logs(base, free, levels)
            return
        yield replace(
            base,
            names=curve.names,
            cone=cone_of_constants(base.on, (UNIT,), curve.names),
            alpha=curve.forms.get("alpha"),
            gamma=curve.forms.get("gamma"),
            curve=curve,
            levels=levels,
            why="the mechanism uses 1/eps",
        )

    def _with_logs(self, base: Region, free: Free, levels: Mapping[str, ClosedForm]) -> Region:
        """Return the region with 1 and logarithms as parameters, of which α and γ are forms."""
        logs = independent_units(self.claim.level_logs)
        has_one = any(UNIT in (scaled_form(level, logs) or ()) for level in levels.values())
        found = with_parameters(base, self._units(has_one=has_one), free.names, levels)
        return replace(found, why="a level or the mechanism uses log(r)/eps")

    def _units(self, *, has_one: bool) -> tuple[str, ...]:
        """Return the constants among the parameters; with 1 if a level or a condition needs it."""
        if not self.claim.has_inverse_eps:
            return ()
        return self.claim.units_at(self.u, has_one=has_one)

    def _free(
        self, base: Region, free: Sequence[str], why: str, *, has_one: bool = False
    ) -> Region:
        """Return the region with α or γ as parameters."""
        units = self._units(has_one=has_one)
        level_values = self.claim.level_values
        is_unknown = level_values.gamma_follows and not level_values.is_gamma_linear(self.values)
        if is_unknown:
            why = f"gamma = {self.claim.gamma_level} is not linear in alpha and the inputs"
        found = with_parameters(base, units, free, {})
        return replace(found, is_unit_used=bool(units), why=why, is_unknown=is_unknown)

    def _with_sides(
        self,
        base: Region,
        free: Free,
        sides: Sequence[LinearSide],
        more: Mapping[str, ClosedForm] | None = None,
    ) -> Iterator[Region]:
        """Yield the region with conditions on α and γ as parameters, if it is not empty."""
        levels = {**functions_of_eps(self.claim, self.u), **(more or {})}
        used = {*free.names, *levels, *(name for side in sides for name in side.names)}
        why = "alpha and gamma depend on each other, or on eps"
        moving = [name for name in ("alpha", "gamma") if name in used]
        region = self._free(base, moving, why, has_one=bool(sides or levels))
        ends = [
            LinearSide.of(one, ("alpha", "gamma"))
            for name, level in self.claim.levels.items()
            if name in used and isinstance(level, Range)
            for one in level.sides(name)
        ]
        for name, form in levels.items():  # a function of ε is a range between it and itself
            both = Range(form, form).sides(name)
            ends += [LinearSide.of(one, ("alpha", "gamma")) for one in both]
        whole = with_sides(region, [*sides, *ends]).hull()
        if whole is not None:
            yield whole

    def _alpha_between(
        self, base: Region, free: Free, on: Stretch, sides: Sequence[LinearSide]
    ) -> Iterator[Region]:
        """Yield the regions if β is nonincreasing in α, which is between functions of ε.

        The largest α suffices: the least upper endpoint, or dd if that is smaller.
        """
        found = ends_of(sides, "alpha")
        if found is None:
            yield from self._with_sides(base, free, sides)
            return
        lows, highs = found
        level = self.claim.alpha_level
        assert isinstance(level, Range)
        lows.append(LevelEnd(ExpPoly(level.lower), level.lower_open))
        if level.upper != inf:
            highs.append(LevelEnd(ExpPoly(level.upper), level.upper_open))
        distance = at_least(self.claim.obligations.distance(self.u))
        base = replace(base, least=tuple(low.form for low in lows))
        claimed = [high.form - low.form for high in highs for low in lows]
        if distance != inf:
            claimed += [distance - low.form for low in lows]
        ends = lows, highs
        for part in self._up_to_distance(base, on, ends, claimed, distance):
            yield from self._plain(on_stretch(base, part), free, {})
        for high in highs:
            if self.claim.boundary != "check" and high.number == distance:
                continue  # α is as large as dd allows
            smallest = [other.form - high.form for other in highs if other is not high]
            if distance != inf:
                smallest.append(distance - high.form)
            none = [high.form - low.form for low in lows if low.is_open or high.is_open]
            for found_part in OnRay(base.on, on).where([*claimed, *smallest, high.form]):
                part = found_part if found_part.is_single else _opened(found_part, none)
                narrowed = replace(on_stretch(base, part), is_alpha_open=high.is_open)
                if high.is_open and part.is_single and not base.on.is_point:
                    continue
                if high.is_open and any(low.form == high.form for low in lows):
                    continue  # no α is between them
                if part.is_single and self._is_empty_below(distance, lows, part.lower):
                    continue
                if high.number is not None and not self.claim.has_inverse_eps:
                    yield replace(narrowed, alpha=(high.number,))
                else:
                    yield from self._plain(narrowed, free, {"alpha": high.form})

    def _up_to_distance(
        self,
        base: Region,
        on: Stretch,
        ends: tuple[Sequence[LevelEnd], Sequence[LevelEnd]],
        claimed: Sequence[ClosedForm],
        distance: Any,
    ) -> Iterator[Stretch]:
        """Yield the ε for which α is as large as dd allows."""
        lows, highs = ends
        if any(low.is_open and low.form == distance for low in lows):
            return  # α is above dd by a strict condition
        if distance == inf and highs:
            return
        beyond = [high.form - distance for high in highs]
        for part in OnRay(base.on, on).where([*claimed, *beyond]):
            if distance == inf:
                if self.claim.boundary == "check" or not part.is_single or base.on.is_point:
                    yield part
            elif self.claim.boundary == "check":
                zeros = [low.form - distance for low in lows if low.is_open]
                zeros += [one.form - low.form for one in highs for low in lows if one.is_open]
                inner = _opened(part, zeros)
                if not inner.is_single or not (inner.lower_open or inner.upper_open):
                    yield inner
            elif base.on.is_point:
                if all(_is_below(low.form, distance, base.on.lower) for low in lows):
                    yield part
            elif not part.is_single and all(low.form != distance for low in lows):
                yield _opened(part, [low.form - distance for low in lows])

    def _is_empty_below(self, distance: Any, lows: Sequence[LevelEnd], point: Boundary) -> bool:
        """Whether the least α is dd at an ε, and inputs with dd = α are not checked."""
        if isinstance(point, Root) and point.is_exact:
            point = point.lower
        if self.claim.boundary == "check" or distance == inf or not isinstance(point, Fraction):
            return False
        return any((distance - low.form).at(point).sign == 0 for low in lows)


def _opened(part: Stretch, forms: Sequence[ClosedForm]) -> Stretch:
    """Return a stretch without those endpoints at which one of some forms is 0."""

    def is_zero(end: object) -> bool:
        if isinstance(end, Root) and not end.is_exact:
            near = Interval(end.lower, end.upper)
            found = (one for form in forms if form.numerator for one in roots(form, near))
            return any(order(end, one) == 0 for one in found)
        point = end.lower if isinstance(end, Root) else end
        return isinstance(point, Fraction) and any(
            form.at(point).sign == 0 for form in forms if point
        )

    return replace(
        part,
        lower_open=part.lower_open or is_zero(part.lower),
        upper_open=part.upper_open or is_zero(part.upper),
    )


def _is_below(form: ClosedForm, distance: Any, point: object) -> bool:
    """Whether a function of ε is below a distance at a point."""
    assert isinstance(point, Fraction)
    return bool(distance == inf or (form - distance).at(point).sign < 0)


def _where_alpha_is_low(
    claim: AccuracyRegions, u: tuple[Value, ...], levels: Mapping[str, ClosedForm], on: Interval
) -> SolutionSet | None:
    """Return the ε at which α ≤ dd; None if α is not a function of ε alone, or dd is infinite."""
    if "alpha" not in levels or units_in(levels["alpha"].parameters):
        return None
    distance = at_least(claim.obligations.distance(u))
    return None if distance == inf else solution_set(distance - levels["alpha"], on)


def _is_alpha_too_large(
    claim: AccuracyRegions, u: tuple[Value, ...], levels: Mapping[str, ClosedForm], on: Interval
) -> bool:
    """Whether nothing is claimed at an input: α is nowhere below dd."""
    below = None if on.is_point else _where_alpha_is_low(claim, u, levels, on)
    closed = claim.boundary == "check"
    return below is not None and not any(closed or one.lower != one.upper for one in below)


def _where_alpha_touches(
    claim: AccuracyRegions, u: tuple[Value, ...], levels: Mapping[str, ClosedForm], base: Region
) -> Iterator[Region]:
    """Yield the isolated ε at which α equals dd and is larger nearby.

    The claim is made there if inputs with dd = α are checked.
    """
    check = claim.boundary == "check"
    below = _where_alpha_is_low(claim, u, levels, base.on) if check else None
    for stretch in below or ():
        if stretch.lower != stretch.upper:
            continue
        point = stretch.lower
        if isinstance(point, Root) and point.is_exact:
            point = point.lower
        fixed = exact_values(levels, point) if isinstance(point, Fraction) else None
        if isinstance(point, Fraction) and fixed is not None:
            yield ray_at_point(base, point, fixed)
        else:
            why = "α is the distance to disagreement at an irrational ε only"
            yield replace(base, why=why, is_unknown=True)

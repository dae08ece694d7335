"""The regions of parameters of a claim.

A region has parameters θ: ε, then the variable real inputs, and α and γ if they are free, each
multiplied by ε. A listed input is a ray: ε is the only parameter. All reals and boxes are cones. α
and γ that are functions of ε define a curve; for all reals, εα = c + dε is a linear form in ε and a
parameter that is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.regions.moving import (
    Curve,
    exact_values,
)
from exactdp.claims.stated.admissible import LinearSide
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.levels import Range
from exactdp.cones import Cone, Window
from exactdp.errors import ValueRefusedError
from exactdp.language.events import State
from exactdp.language.layout import assembled
from exactdp.language.linear import UNIT, base_of, unit_in
from exactdp.language.tree import Param
from exactdp.language.values import Value, plain
from exactdp.polyhedra.cone import dot
from exactdp.reals import (
    ClosedForm,
    Interval,
    Root,
    Stretch,
    infimum,
    supremum,
)
from exactdp.reals.logs import log_enclosure
from exactdp.reals.spans import around
from exactdp.semantics.spots import Spot, Trace

if TYPE_CHECKING:
    from exactdp.claims.regions.classes import InputClass
    from exactdp.claims.regions.corners import Corner

Vector: TypeAlias = tuple[Fraction, ...]

RAY = Cone.of(1, [(1,)])
_NARROW = Fraction(1, 10**9)
_MARGIN = Fraction(1, 10**6)


@dataclass(frozen=True)
class Combination:
    """An entry of the input, or α or γ, that is a linear form in the parameters."""

    form: Vector


@dataclass(frozen=True)
class Setting:
    """An input with numbers for ε, and for α and γ if a region has them."""

    eps: Fraction
    input: tuple[Value, ...]
    alpha: Fraction | None
    gamma: Fraction | None

    @property
    def levels(self) -> dict[str, Fraction]:
        """α and γ by name."""
        given = {"alpha": self.alpha, "gamma": self.gamma}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Region:
    """Parameters, with the input, α and γ as functions of them."""

    names: tuple[str, ...]
    """The parameters: ε first."""
    cone: Cone
    entries: tuple[Value | Combination, ...]
    """The scalars of the input."""
    on: Interval
    """The values of ε."""
    alpha: Vector | None = None
    """α as a form in the parameters; None if a theorem determines a sufficient α. γ likewise."""
    gamma: Vector | None = None
    curve: Curve | None = field(default=None, compare=False)
    """The curve that the claim is about, in a cone around it."""
    levels: Mapping[str, ClosedForm] = field(default_factory=dict, compare=False)
    """α and γ if they are functions of ε."""
    stretch: Stretch | None = field(default=None)
    """The exact set of ε, if an endpoint is irrational; `on` encloses it."""
    positive: tuple[Vector, ...] = field(default=())
    """Forms in the parameters that are not 0: the strict conditions."""
    sides: tuple[LinearSide, ...] = field(default=())
    """Conditions that are not linear in the parameters."""
    beta: Expression | None = field(default=None)
    """The bound, if the claim has several."""
    above: tuple[Expression, ...] = field(default=())
    """Other bounds; this one applies where it is the largest."""
    least: tuple[ClosedForm, ...] = field(default=())
    """Functions of ε below which α is not claimed."""
    is_alpha_open: bool = field(default=False)
    """Whether the claim is made below the given α, but not at it."""
    near_by: frozenset[int] | None = field(default=None)
    """The numbers of the outputs within γ, if outputs are expressions in ε."""
    why: str = field(default="", compare=False)
    """Why no theorem determines sufficient α and γ."""
    is_unknown: bool = False
    """Whether nothing is known about the claim there."""
    is_unit_used: bool = False
    """Whether the mechanism uses 1/ε, or log(r)/ε, as a parameter."""
    is_steady: bool = False
    """Whether all is continuous in ε: the claim at one ε follows from those at others."""
    output: State | None = None
    """The pattern of outputs among the entries, if any: here True differs from 1."""
    corner: Corner | None = field(default=None, compare=False)
    """Why the worst inputs suffice, if the region has no others."""
    stands_for: InputClass | None = field(default=None, compare=False)
    """The class of grid inputs that this input represents, if they are examined together."""

    ordered: tuple[tuple[str, ...], ...] = field(default=(), compare=False)
    """Groups of interchangeable entries, of which only nonincreasing ones are in the region."""

    @property
    def inputs(self) -> int:
        """The number of listed inputs that it represents."""
        return 1 if self.stands_for is None else self.stands_for.size

    @property
    def is_ray(self) -> bool:
        """Whether everything but ε is fixed."""
        return not (self.names != ("eps",) or self.levels or self.sides or self.is_unknown)

    @property
    def levels_given(self) -> bool:
        """Whether α or γ is given, rather than determined by a theorem."""
        return self.alpha is not None or self.gamma is not None

    @property
    def moves_inputs(self) -> bool:
        """Whether the input depends on the parameters."""
        return any(isinstance(one, Combination) for one in self.entries)

    @property
    def moving_levels(self) -> tuple[tuple[str, ClosedForm], ...]:
        """α and γ by name, if they are functions of ε."""
        return tuple(sorted(self.levels.items(), key=lambda one: one[0]))

    @property
    def window(self) -> Window | None:
        """The bounds on a parameter, if any."""
        if (unit := unit_in(self.names)) is not None:
            base = base_of(unit)
            ends = (Fraction(1), Fraction(1)) if base is None else log_enclosure(base)
            return Window(self.names.index(unit), *ends)
        return Window.of(0, self.on)

    def with_entries(
        self, entries: tuple[Value, ...], stands_for: InputClass | None = None
    ) -> Region:
        """Return the region at another listed input; `replace` is slow for each input of a grid."""
        found = object.__new__(Region)
        vars(found).update(vars(self), entries=entries, stands_for=stands_for)
        return found

    def input(self, params: Iterable[Param], trace: Trace) -> tuple[Value, ...]:
        """Return the input at a sample of the parameters."""
        return assembled(params, self.values(trace))

    def values(self, trace: Trace) -> list[Value]:
        """Return the scalars of the input at a sample of the parameters."""
        return [self._entry(one, trace) for one in self.entries]

    def level(self, form: Vector | None, trace: Trace) -> Spot | Fraction | None:
        """Return α or γ at a sample of the parameters."""
        if form is None:
            return None
        return form[0] if self.is_ray else trace.of(dict(zip(self.names, form, strict=True)))

    def _entry(self, one: Value | Combination, trace: Trace) -> Value:
        if not isinstance(one, Combination):
            return one
        found = self.level(one.form, trace)
        return plain(found) if isinstance(found, Fraction) else found

    def at(self, params: Iterable[Param], point: Sequence[Fraction]) -> Setting:
        """Return the setting that a point of the region represents."""
        if (name := unit_in(self.names)) is not None:
            unit = point[self.names.index(name)]
            point = [x / unit for x in point]
        given = self.numbers(point)
        alpha, gamma = (
            None if one is None else _number(one, point) for one in (self.alpha, self.gamma)
        )
        return Setting(Fraction(point[0]), assembled(params, given), alpha, gamma)

    def numbers(self, point: Sequence[Fraction]) -> list[Value]:
        """Return the scalars of the input at a point."""
        return [
            plain(_number(one.form, point)) if isinstance(one, Combination) else one
            for one in self.entries
        ]

    @property
    def only_numbers(self) -> list[Value]:
        """The scalars of the input, if it does not depend on the parameters."""
        return self.numbers([Fraction(1)] * len(self.names))

    def in_parameters(
        self,
        names: tuple[str, ...],
        moved: Callable[[Sequence[int | Fraction]], Vector],
        sides: Iterable[Vector] = (),
    ) -> Region:
        """Return the region in other parameters: `moved` rewrites forms; with further sides."""
        return replace(
            self,
            names=names,
            cone=Cone.of(len(names), [*map(moved, self.cone.inequalities), *sides]),
            entries=tuple(
                Combination(moved(one.form)) if isinstance(one, Combination) else one
                for one in self.entries
            ),
            alpha=None if self.alpha is None else moved(self.alpha),
            gamma=None if self.gamma is None else moved(self.gamma),
            positive=tuple(map(moved, self.positive)),
        )

    def hull(self) -> Region | None:
        """Return the region without parameters that its cone determines; None if empty."""
        region: Region | None = self
        while region is not None and not region.cone.is_full:
            if region._is_at_zero() or _are_zero(region.positive, region.cone):
                return None
            implied = region.cone.implied_equalities()
            if not implied:
                return None
            last = max(implied, key=lambda form: tuple(form)[1:])
            region = region.face(tuple(map(Fraction, last)))
        if region is None or region.sides == self.sides:
            return region
        # Conditions without the parameter may be linear in the others.
        return with_sides(replace(region, sides=()), region.sides).hull()

    def _is_at_zero(self) -> bool:
        """Whether ε, or a parameter that is not 0, is 0 everywhere in the cone."""
        positive = [0, *(k for k, name in enumerate(self.names) if unit_in([name]))]
        rays = (*self.cone.rays, *self.cone.lines)
        return any(all(ray[k] == 0 for ray in rays) for k in positive)

    def face(self, form: Vector) -> Region | None:
        """Return the part of the region where a form is 0, without the last parameter in it."""
        last = max(k for k, q in enumerate(form) if q)
        if self.curve is not None and self.names == ("eps", UNIT) and form[0] * form[1] < 0:
            point = -form[1] / form[0]
            if point in self.on:
                raise jump(point)
        if last == 0 or self.curve is not None:
            return None  # there ε would be 0; a curve passes through
        if unit_in([self.names[last]]):
            if self.is_steady or form[0] * form[last] >= 0:
                return None  # there ε is a single number, or would not be positive
            point = -form[last] / form[0]
            if (base := base_of(self.names[last])) is not None:
                raise jump(f"{'' if point == 1 else f'{point}·'}log({base})", is_rational=False)
            if self.is_unit_used:
                raise refused(f"it jumps at ε = {point}")
            if point not in self.on:
                return None
            return _without_unit(replace(self, on=Interval(point, point)), point)
        value = tuple(-q / form[last] for k, q in enumerate(form) if k != last)

        others = [name for k, name in enumerate(self.names) if k != last]
        known = {_known_as(name): q for name, q in zip(others, value, strict=True)}

        def moved(side: Sequence[int | Fraction]) -> Vector:
            rest = (q for k, q in enumerate(side) if k != last)
            return tuple(Fraction(q) + side[last] * v for q, v in zip(rest, value, strict=True))

        found = self.in_parameters(tuple(others), moved)
        if _are_zero(found.positive, found.cone):
            return None  # a strict condition does not hold there
        left = tuple(side.without(self.names[last], known) for side in self.sides)
        return replace(found, sides=left)


def _number(form: Vector, point: Sequence[Fraction]) -> Fraction:
    """Return the value of a form at a point, divided by ε."""
    return sum((q * x for q, x in zip(form, point, strict=True)), Fraction(0)) / point[0]


def on_stretch(region: Region, part: Stretch) -> Region:
    """Restrict a region to a part of its ε."""
    on = around(part)
    is_rational = not isinstance(part.lower, Root) and not isinstance(part.upper, Root)
    return replace(region, on=on, stretch=None if is_rational else part)


def with_sides(region: Region, sides: Sequence[LinearSide]) -> Region:
    """Return a region with conditions: those that are linear in its parameters bound its cone."""
    conic = [side.scaled().conic() for side in sides]
    has_unit = any(form is not None and form.get("") for form in conic)
    has_unit = has_unit or any(side.mixed and side.constant.numerator for side in sides)
    if has_unit and UNIT not in region.names:
        region = with_unit(region)
    inequalities: list[Vector] = list(map(_fractions, region.cone.inequalities))
    for form in conic:
        if form is not None:
            inequalities.append(
                tuple(form.get(_known_as(name), Fraction(0)) for name in region.names)
            )
    left = tuple(side for side, form in zip(sides, conic, strict=True) if form is None)
    cone = Cone.of(len(region.names), inequalities)
    strict = [
        tuple(form.get(_known_as(name), Fraction(0)) for name in region.names)
        for side, form in zip(sides, conic, strict=True)
        if form is not None and side.strict
    ]
    if _are_zero(strict, cone):
        nothing = tuple(Fraction(-(k == 0)) for k in range(len(region.names)))
        cone = Cone.of(len(region.names), [*inequalities, nothing])
    return replace(region, cone=cone, sides=left, positive=(*region.positive, *strict))


def _are_zero(forms: Sequence[Vector], cone: Cone) -> bool:
    """Whether one of some forms is 0 everywhere in a cone."""
    generators = (*cone.rays, *cone.lines)
    return any(not any(dot(form, ray) for ray in generators) for form in forms)


def _known_as(name: str) -> str:
    return "" if name == UNIT else name


def _fractions(form: Sequence[int]) -> Vector:
    return tuple(map(Fraction, form))


def widened(form: Sequence[int | Fraction]) -> Vector:
    """Return a form in ε and other parameters as one with another parameter next to ε."""
    return (Fraction(form[0]), Fraction(0), *map(Fraction, form[1:]))


def with_unit(region: Region) -> Region:
    """Return a region with a parameter that is 1, next to ε."""
    names = (region.names[0], UNIT, *region.names[1:])
    unit = tuple(Fraction(name == UNIT) for name in names)
    return region.in_parameters(names, widened, [unit, *_ends(region.on, len(names))])


def _without_unit(region: Region, point: Fraction) -> Region:
    """Return a region at one ε without the parameter that is 1: there it is a multiple of ε."""
    if UNIT not in region.names:
        return region
    unit = region.names.index(UNIT)

    def narrower(form: Sequence[int | Fraction]) -> Vector:
        first = Fraction(form[0]) + Fraction(form[unit]) / point
        return (first, *(Fraction(q) for k, q in enumerate(form) if k not in (0, unit)))

    names = tuple(name for name in region.names if name != UNIT)
    return region.in_parameters(names, narrower)


def _ends(on: Interval, size: int) -> Iterator[Vector]:
    """Yield the endpoints of an interval of ε as linear sides; the second parameter is 1."""
    for end, sign in ((on.lower, 1), (on.upper, -1)):
        if isinstance(end, Fraction) and end:
            yield (Fraction(sign), -sign * end, *(Fraction(0),) * (size - 2))


def _cut(region: Region, forms: Sequence[Mapping[str, Fraction]]) -> Region | None:
    """Return the part of a region where some forms are nonnegative."""
    inequalities: list[Vector] = list(map(_fractions, region.cone.inequalities))
    inequalities += [
        tuple(form.get(_known_as(name), Fraction(0)) for name in region.names) for form in forms
    ]
    if UNIT in region.names:
        inequalities += _ends(region.on, len(region.names))
    return replace(region, cone=Cone.of(len(region.names), inequalities)).hull()


def at_point(region: Region, point: Fraction) -> Region | None:
    """Return a part of a region at one ε, such that all its points belong to the region.

    It is the whole slice, except for a small margin at conditions that are strict, or irrational
    there. None if it is empty, or if α or γ is irrational there.
    """
    if region.stretch is not None and point not in region.stretch:
        return None
    if region.sides:
        forms = [side.inside(point, _MARGIN) for side in region.sides]
        alone = replace(region, on=Interval(point, point), sides=())
        return _cut(_without_unit(alone, point), forms)
    fixed = exact_values(region.levels, point)
    return None if fixed is None else ray_at_point(region, point, fixed)


def ray_at_point(base: Region, point: Fraction, fixed: Mapping[str, Fraction]) -> Region:
    """Return a ray at one ε, with α and γ as they are there."""
    alpha, gamma = ((fixed[name],) if name in fixed else None for name in ("alpha", "gamma"))
    return replace(
        base,
        names=("eps",),
        cone=RAY,
        on=Interval(point, point),
        stretch=None,
        alpha=alpha,
        gamma=gamma,
        curve=None,
        levels={},
        positive=(),
    )


def pieces_of(claim: Any, region: Region, on: Interval) -> Iterator[tuple[Region, ...]]:
    """Yield cones around α, γ and the inputs on an interval of ε, if conditions depend on ε.

    Each tuple covers all of them. The second one, if any, is closer: the signs of the inputs are
    distinguished, so that an input may be multiplied by bounds on a function of ε.
    """
    if not region.sides:
        around = _around_levels(claim, region, on)
        yield () if around is None else (around,)
        return
    narrowed = replace(region, on=on, stretch=None, sides=())
    mixed = list(dict.fromkeys(name for side in region.sides for name in side.mixed))
    yield tuple(_by_signs(narrowed, region.sides, mixed))
    signed = list(dict.fromkeys(name for side in region.sides for name in side.signed))
    if len(signed) > len(mixed) and len(signed) <= MOST_MIXED:
        unit = narrowed if UNIT in narrowed.names else with_unit(narrowed)
        yield tuple(_by_signs(unit, region.sides, signed))


MOST_MIXED = 6  # inputs whose signs are distinguished


def _by_signs(
    region: Region, sides: Sequence[LinearSide], names: Sequence[str]
) -> Iterator[Region]:
    """Yield cones around the points that satisfy conditions, for each choice of some signs."""
    known = [side.relaxed(region.on) for side in sides if not side.mixed]
    forms: list[Mapping[str, Fraction]] = [form[1] for form in known if form is not None]
    for chosen in product(*(_signs(region, name) for name in names)):
        signs = dict(zip(names, chosen, strict=True))
        cuts = [*forms, *({name: Fraction(sign)} for name, sign in signs.items())]
        for side in sides:
            if side.mixed or (side.signed and set(side.signed) <= signs.keys()):
                cuts += [form for _, form in side.relaxations(region.on, signs)]
        part = _cut(region, cuts)
        if part is not None:
            yield part


def _signs(region: Region, name: str) -> tuple[int, ...]:
    """Return the signs that a parameter has in a region: 1, −1 or both."""
    place, cone = region.names.index(name), region.cone
    found = {ray[place] > 0 for ray in cone.rays if ray[place]}
    found |= {True, False} if any(line[place] for line in cone.lines) else set()
    return tuple(sign for sign in (1, -1) if (sign > 0) in found) or (1,)


def _around_levels(claim: Any, region: Region, on: Interval) -> Region | None:
    """Return a cone around α and γ on an interval of ε, if they are other functions of ε."""
    given = claim.levels
    free = [name for name, level in given.items() if isinstance(level, Range)]
    names = ("eps", *(name for name in given if name in free or name in region.levels))
    unit = {name: tuple(Fraction(n == name) for n in names) for name in names}
    sides = list(unit.values())
    for name, form in region.levels.items():
        lower = max(Fraction(infimum(form, on, width=_NARROW).lower), Fraction(0))
        upper = supremum(form, on, width=_NARROW).upper
        sides.append(_minus(unit[name], lower, unit["eps"]))
        if isinstance(upper, Fraction):
            sides.append(tuple(-q for q in _minus(unit[name], upper, unit["eps"])))
    return replace(
        region,
        names=names,
        cone=Cone.of(len(names), sides),
        on=on,
        stretch=None,
        alpha=unit.get("alpha"),
        gamma=unit.get("gamma"),
        levels={},
        positive=(),
        why="",
    ).hull()


def _minus(one: Vector, factor: Fraction, two: Vector) -> Vector:
    return tuple(a - factor * b for a, b in zip(one, two, strict=True))


def jump(point: object, *, is_rational: bool = True) -> ValueRefusedError:
    """Return the error for a claim where the mechanism compares an input with a + b/ε."""
    also = f", and epsilon='{point}'" if is_rational else ""
    return ValueRefusedError(
        f"the mechanism compares numbers without noise that are equal at ε = {point}",
        rule="There the claim may be true on both sides, and false at this ε.",
        way_out=f"Check the intervals on both sides{also}.",
    )


def refused(problem: str) -> ValueRefusedError:
    """Return the error for a claim that needs more than cones."""
    return ValueRefusedError(
        f"the claim cannot be decided for all real inputs: {problem}",
        rule="There α and γ are numbers, ranges, numbers plus a multiple of 1/eps, "
        "or γ a multiple of α plus a number.",
        way_out="Give inputs=Grid(lo, hi) or a list.",
    )

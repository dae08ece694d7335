"""The regions of parameters that a claim is about.

A region has parameters θ: ε, then the real inputs that move, α and γ where they are free, each
multiplied by ε. A listed input is a ray: only ε is left. All reals and boxes are cones. α and γ
that are functions of ε make a curve; for all reals εα = c + dε is a linear form in ε and a
parameter that is 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.distances import Distance
from exactdp.claims.hypotheses import falls
from exactdp.claims.inputs import AllReals, Box, as_given, box_sides, how_many, is_listed, listed
from exactdp.claims.levels import Range
from exactdp.claims.moving import (
    Curve,
    curve_of,
    exact_values,
    functions_of_eps,
    scaled_polynomial,
)
from exactdp.cones import Cone, Window
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.noisy import samples_integers
from exactdp.language.syntax import Param
from exactdp.language.values import Value, plain
from exactdp.reals import (
    ClosedForm,
    Interval,
    Root,
    SolutionSet,
    infimum,
    solution_set,
    supremum,
)
from exactdp.reals.numbers import fraction, inf
from exactdp.semantics.spots import Spot, Trace

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.expressions import Expression

Vector: TypeAlias = tuple[Fraction, ...]

UNIT = "eps[0]"  # a parameter that is 1; no input has this name
RAY = Cone.of(1, [(1,)])
_NARROW = Fraction(1, 10**9)


@dataclass(frozen=True)
class Combination:
    """An entry of the input, or α or γ, that is a linear form in the parameters."""

    form: Vector


@dataclass(frozen=True)
class Setting:
    """An input with numbers for ε, and for α and γ where a region has them."""

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
    """Parameters and what the input, α and γ are in them."""

    names: tuple[str, ...]
    """The parameters: ε first."""
    cone: Cone
    entries: tuple[Value | Combination, ...]
    """The single values of the input."""
    on: Interval
    """The values of ε."""
    alpha: Vector | None = None
    """α as a form in the parameters; None if a theorem says which α suffices. γ likewise."""
    gamma: Vector | None = None
    curve: Curve | None = field(default=None, compare=False)
    """The curve that the claim is about, in a cone around it."""
    levels: Mapping[str, ClosedForm] = field(default_factory=dict, compare=False)
    """α and γ where they are functions of ε."""
    why: str = field(default="", compare=False)
    """Why no theorem says which α and γ suffice."""
    is_unknown: bool = False
    """Whether nothing is known of what the claim says there."""

    @property
    def is_ray(self) -> bool:
        """Whether everything but ε is fixed."""
        return self.names == ("eps",) and not self.levels and not self.is_unknown

    @property
    def levels_given(self) -> bool:
        """Whether α or γ is given, and not one that a theorem says suffices."""
        return self.alpha is not None or self.gamma is not None

    @property
    def moves_inputs(self) -> bool:
        """Whether the input depends on the parameters."""
        return any(isinstance(one, Combination) for one in self.entries)

    @property
    def window(self) -> Window | None:
        """Between which values a parameter has to be."""
        if UNIT in self.names:
            return Window(self.names.index(UNIT), Fraction(1), Fraction(1))
        return Window.of(0, self.on)

    def input(self, params: Iterable[Param], trace: Trace) -> tuple[Value, ...]:
        """Return the input at a sample of the parameters."""
        return assembled(params, self.values(trace))

    def values(self, trace: Trace) -> list[Value]:
        """Return the single values at a sample of the parameters."""
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
        """Return what a point of the region stands for."""
        if UNIT in self.names:
            unit = point[self.names.index(UNIT)]
            point = [x / unit for x in point]
        given = self.numbers(point)
        alpha, gamma = (
            None if one is None else _number(one, point) for one in (self.alpha, self.gamma)
        )
        return Setting(Fraction(point[0]), assembled(params, given), alpha, gamma)

    def numbers(self, point: Sequence[Fraction]) -> list[Value]:
        """Return the single values at a point."""
        return [
            plain(_number(one.form, point)) if isinstance(one, Combination) else one
            for one in self.entries
        ]

    def hull(self) -> Region | None:
        """Return the region without parameters that its cone leaves no room; None if empty."""
        region: Region | None = self
        while region is not None and not region.cone.is_full:
            implied = region.cone.implied_equalities()
            if not implied:
                return None
            last = max(implied, key=lambda form: tuple(form)[1:])
            region = region.face(tuple(map(Fraction, last)))
        return region

    def face(self, form: Vector) -> Region | None:
        """Return the part of the region where a form is 0, without the last parameter in it."""
        last = max(k for k, q in enumerate(form) if q)
        if last == 0 or self.curve is not None:
            return None  # there ε would be 0; a curve passes through
        if self.names[last] == UNIT:
            if form[0] * form[last] >= 0:
                return None  # there ε would not be positive
            raise refused(f"it jumps at ε = {-form[last] / form[0]}")
        value = tuple(-q / form[last] for k, q in enumerate(form) if k != last)

        def moved(side: Sequence[int | Fraction]) -> Vector:
            rest = (q for k, q in enumerate(side) if k != last)
            return tuple(Fraction(q) + side[last] * v for q, v in zip(rest, value, strict=True))

        return replace(
            self,
            names=tuple(name for k, name in enumerate(self.names) if k != last),
            cone=Cone.of(len(value), [moved(side) for side in self.cone.inequalities]),
            entries=tuple(
                Combination(moved(one.form)) if isinstance(one, Combination) else one
                for one in self.entries
            ),
            alpha=None if self.alpha is None else moved(self.alpha),
            gamma=None if self.gamma is None else moved(self.gamma),
        )


def _number(form: Vector, point: Sequence[Fraction]) -> Fraction:
    """Return the number that a form is at a point, not multiplied by ε."""
    return sum((q * x for q, x in zip(form, point, strict=True)), Fraction(0)) / point[0]


def regions_of(claim: Accuracy) -> Iterator[tuple[Region, ...]]:
    """Yield the regions of a claim: those of each listed input, or of each finite part of one."""
    if is_listed(claim.input_set):
        alike: tuple[Region, ...] | None = None
        for u in listed(claim.mechanism, claim.input_set):
            if alike is None:
                found = regions_at(claim, u)
            else:
                found = tuple(replace(one, entries=tuple(entries(u))) for one in alike)
            if found and not claim.uses_inputs and not any(one.levels for one in found):
                alike = found
            yield found
    else:
        yield from _everywhere(claim)


def how_many_groups(claim: Accuracy) -> int:
    """Return how many groups of regions there are."""
    if is_listed(claim.input_set):
        return how_many(claim.mechanism, claim.input_set)
    domains = (kind for kind in kinds(claim.mechanism.inputs) if kind is not None)
    return prod(len(kind.members) for kind in domains)


# Listed inputs ------------------------------------------------------------------------


def regions_at(claim: Accuracy, u: tuple[Value, ...]) -> tuple[Region, ...]:
    """Return the regions of a claim at one input."""
    given = tuple(entries(u))
    on = claim.epsilon
    levels = functions_of_eps(claim, u)
    values = claim.obligations.input_values(u)
    free = _Free.at(claim, claim.beta_at(as_given(claim.mechanism, u)).bound_to(values), values)
    if levels and on.is_point and not free.names:
        fixed = exact_values(levels, Fraction(on.lower))
        if fixed is not None:
            return (_at_point(given, Fraction(on.lower), fixed),)
    if levels and _is_alpha_too_large(claim, u, levels):
        return ()
    if levels:
        curve = curve_of(levels)
        why = " and ".join(f"{name} = {level} depends on eps" for name, level in levels.items())
        if curve is None or free.names or on.is_point:
            return (Region(("eps",), RAY, given, on, levels=levels, why=why),)
        return (
            *_where_alpha_touches(claim, u, levels),
            Region(
                curve.names,
                curve.around(on),
                given,
                on,
                curve.forms.get("alpha"),
                curve.forms.get("gamma"),
                curve,
                levels,
                why,
            ),
        )
    if not free.names:
        return (Region(("eps",), RAY, given, on),)
    names = ("eps", *free.names)
    forms = {name: tuple(Fraction(n == name) for n in names) for name in names}
    region = Region(
        names,
        Cone.of(len(names), forms.values()),
        given,
        on,
        forms.get("alpha"),
        forms.get("gamma"),
        why=free.why,
    )
    if claim.obligations.gamma_follows and not claim.obligations.is_gamma_linear(values):
        why = f"gamma = {claim.gamma_level} is not linear in alpha and the inputs"
        return (replace(region, is_unknown=True, why=why),)
    return (region,)


def _at_point(given: tuple[Value, ...], point: Fraction, fixed: Mapping[str, Fraction]) -> Region:
    """Return an input at one ε, with α and γ as they are there."""
    alpha, gamma = ((fixed[name],) if name in fixed else None for name in ("alpha", "gamma"))
    return Region(("eps",), RAY, given, Interval(point, point), alpha, gamma)


def at_point(region: Region, point: Fraction) -> Region | None:
    """Return the part of a region at one ε, where α and γ are other functions of it."""
    fixed = exact_values(region.levels, point)
    return None if fixed is None else _at_point(region.entries, point, fixed)


def _where_alpha_is_low(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> SolutionSet | None:
    """Return the ε at which α ≤ dd; None if α is not a function of ε, or dd is infinite."""
    if "alpha" not in levels:
        return None
    distance = claim.disagreement(as_given(claim.mechanism, u)).distance
    return None if distance == inf else solution_set(distance - levels["alpha"], claim.epsilon)


def _is_alpha_too_large(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> bool:
    """Whether nothing is claimed at an input: α is nowhere below dd."""
    below = None if claim.epsilon.is_point else _where_alpha_is_low(claim, u, levels)
    closed = claim.boundary == "check"
    return below is not None and not any(closed or one.lower != one.upper for one in below)


def _where_alpha_touches(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> Iterator[Region]:
    """Yield the single ε at which α is dd and larger around.

    The claim is made there if inputs with dd = α are checked.
    """
    below = _where_alpha_is_low(claim, u, levels) if claim.boundary == "check" else None
    given = tuple(entries(u))
    for stretch in below or ():
        if stretch.lower != stretch.upper:
            continue
        point = stretch.lower
        if isinstance(point, Root) and point.is_exact:
            point = point.lower
        fixed = exact_values(levels, point) if isinstance(point, Fraction) else None
        if isinstance(point, Fraction) and fixed is not None:
            yield _at_point(given, point, fixed)
        else:
            why = "α is the distance to disagreement at an irrational ε only"
            yield Region(("eps",), RAY, given, claim.epsilon, why=why, is_unknown=True)


def piece_of(claim: Any, region: Region, on: Interval) -> Region | None:
    """Return a cone around α and γ on an interval of ε, where they are other functions of it."""
    given = {"alpha": claim.alpha_level, "gamma": claim.gamma_level}
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
    cone = Cone.of(len(names), sides)
    alpha, gamma = unit.get("alpha"), unit.get("gamma")
    return Region(names, cone, region.entries, on, alpha, gamma).hull()


def _minus(one: Vector, factor: Fraction, two: Vector) -> Vector:
    return tuple(a - factor * b for a, b in zip(one, two, strict=True))


# All reals and boxes ------------------------------------------------------------------


def _everywhere(claim: Accuracy) -> Iterator[tuple[Region, ...]]:
    """Yield the region for each value of the finite inputs."""
    if samples_integers(claim.mechanism.definition):
        raise ValueRefusedError(
            "the mechanism samples integer noise, and the claim is about all real inputs",
            rule="All real inputs at once are for real noise (lap, expo).",
            way_out="Give inputs=Grid(lo, hi) or a list, or use Dom inputs.",
        )
    if taken := {"alpha", "gamma"}.intersection(claim.entry_names):
        raise ValueRefusedError(
            f"an input of the mechanism is called {min(taken)}",
            rule="For all real inputs the inputs stand beside eps, alpha and gamma.",
            way_out="Give the input another name.",
        )
    fixed, moving = _levels_everywhere(claim)
    free = _Free.everywhere(claim)
    domains = kinds(claim.mechanism.inputs)
    reals = [name for name, kind in zip(claim.entry_names, domains, strict=True) if kind is None]
    names = ("eps", *(UNIT,) * bool(moving), *reals, *free.names)
    unit = {name: tuple(Fraction(n == name) for n in names) for name in names}

    def form(constant: Fraction, slope: Fraction) -> Vector:
        """Return slope·ε + constant."""
        return tuple(
            slope * one + constant * two
            for one, two in zip(unit["eps"], unit.get(UNIT, unit["eps"]), strict=True)
        )

    levels: dict[str, Vector] = {name: unit[name] for name in free.names}
    levels |= {name: form(*parts) for name, parts in moving.items()}
    levels |= {name: tuple(value * q for q in unit["eps"]) for name, value in fixed.items()}
    region = Cone.of(len(names), _sides(claim, unit))
    for finite in product(*(kind.members for kind in domains if kind is not None)):
        rest = iter(finite)
        given = tuple(
            Combination(unit[name]) if kind is None else next(rest)
            for name, kind in zip(claim.entry_names, domains, strict=True)
        )
        on, alpha, gamma = claim.epsilon, levels.get("alpha"), levels.get("gamma")
        whole = Region(names, region, given, on, alpha, gamma).hull()
        yield () if whole is None else (whole,)


def _sides(claim: Accuracy, unit: Mapping[str, Vector]) -> list[Vector]:
    """Return the sides of the cone of all parameters."""
    sides = [unit[name] for name in unit if name in ("eps", UNIT, "alpha", "gamma")]
    assert isinstance(claim.input_set, AllReals | Box)
    reals = [name for name in unit if name not in (UNIT, "alpha", "gamma")]  # ε, then the inputs
    sides += [
        tuple(
            sum((q * unit[name][k] for q, name in zip(side, reals, strict=True)), Fraction(0))
            for k in range(len(unit))
        )
        for side in box_sides(claim.mechanism, claim.input_set)
    ]
    if UNIT in unit:  # where the unit is 1, an interval of ε has linear ends
        for end, sign in ((claim.epsilon.lower, 1), (claim.epsilon.upper, -1)):
            if isinstance(end, Fraction) and end:
                pairs = zip(unit["eps"], unit[UNIT], strict=True)
                sides.append(tuple(sign * (one - end * two) for one, two in pairs))
    return sides


def _levels_everywhere(
    claim: Accuracy,
) -> tuple[dict[str, Fraction], dict[str, tuple[Fraction, Fraction]]]:
    """Return values of α and γ at the only ε, and c, d where they are c/ε + d."""
    levels = functions_of_eps(claim, None)
    if claim.epsilon.is_point:
        fixed = exact_values(levels, Fraction(claim.epsilon.lower))
        if fixed is None:
            name, level = next(iter(levels.items()))
            raise refused(f"{name} = {level} is irrational at ε = {claim.epsilon.lower}")
        return fixed, {}
    moving: dict[str, tuple[Fraction, Fraction]] = {}
    for name, level in levels.items():
        scaled = scaled_polynomial(level)
        if scaled is None or scaled.degree() > 1:
            raise refused(f"{name} = {level} is not a number plus a multiple of 1/eps")
        moving[name] = fraction(scaled[0]), fraction(scaled[1])
    return {}, moving


def refused(problem: str) -> ValueRefusedError:
    """Return the refusal of a claim that needs more than cones."""
    return ValueRefusedError(
        f"the claim cannot be decided for all real inputs: {problem}",
        rule="There α and γ are numbers, ranges, numbers plus a multiple of 1/eps, "
        "or γ a multiple of α plus a number.",
        way_out="Give inputs=Grid(lo, hi) or a list.",
    )


# Which theorem applies ----------------------------------------------------------------


@dataclass(frozen=True)
class _Free:
    """Which of α and γ have to be parameters, because no theorem says which of them suffice."""

    names: tuple[str, ...]
    why: str = ""

    @classmethod
    def at(cls, claim: Accuracy, beta: Expression, values: Mapping[str, Distance]) -> _Free:
        """Return those at a listed input."""
        alpha, gamma = claim.alpha_level, claim.gamma_level
        follows = claim.obligations.gamma_follows
        noisy = claim.mechanism.checked.output.holds_noise
        why = {}
        if isinstance(alpha, Range):
            if follows:
                assert not isinstance(gamma, Range)
                beta = beta.bound_to({"gamma": gamma})
            if follows and noisy:
                why["alpha"] = "gamma moves with alpha, and the outputs hold noise"
            elif follows and claim.obligations.gamma_line(values) is None:
                why["alpha"] = (
                    f"gamma = {gamma} is not a multiple of alpha plus a number, and growing"
                )
            elif not falls(beta, "alpha", claim.epsilon):
                why["alpha"] = f"beta = {beta} is not seen to fall in alpha"
        if isinstance(gamma, Range):
            if noisy and not samples_integers(claim.mechanism.definition):
                why["gamma"] = "the outputs hold noise"
            elif not falls(beta, "gamma", claim.epsilon):
                why["gamma"] = f"beta = {beta} is not seen to fall in gamma"
            elif "alpha" in why:
                why["gamma"] = why["alpha"]
        return cls(tuple(why), next(iter(why.values()), ""))

    @classmethod
    def everywhere(cls, claim: Accuracy) -> _Free:
        """Return those for all reals: γ follows α or outputs hold noise, or β may not fall."""
        noisy = claim.mechanism.checked.output.holds_noise
        alpha = isinstance(claim.alpha_level, Range) and (
            claim.obligations.gamma_follows or not _is_seen_to_fall(claim, "alpha")
        )
        gamma = isinstance(claim.gamma_level, Range) and (
            noisy or alpha or not _is_seen_to_fall(claim, "gamma")
        )
        return cls((*("alpha",) * alpha, *("gamma",) * gamma))


def _is_seen_to_fall(claim: Accuracy, name: str) -> bool:
    try:
        return falls(claim.formula, name, claim.epsilon)
    except ExactdpError:  # β is a function that looks at the input
        return False

"""The parameters of a claim about all real inputs: which there are, and between which values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.claims.hypotheses import falls
from exactdp.claims.inputs import AllReals, Box, box_sides
from exactdp.claims.levels import Range
from exactdp.claims.slices import functions_of_eps, scaled_polynomial
from exactdp.cones import Cone, Window
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import kinds
from exactdp.language.values import Value
from exactdp.reals import Interval
from exactdp.reals.numbers import fraction, inf
from exactdp.semantics.spots import Spot, Trace

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

UNIT = "eps[0]"  # no input has this name


@dataclass(frozen=True)
class Space:
    """The parameters of a claim: ε first, then the real inputs, then α and γ if they are free.

    On a face some of them are linear forms in the others, `made_of`. So are an α and a γ that move
    with ε: εα = c + dε is a form in ε and the `UNIT`, a parameter that is 1.
    """

    names: tuple[str, ...]
    region: Cone
    finite: tuple[Value, ...]
    free_alpha: bool
    free_gamma: bool
    made_of: tuple[tuple[str, tuple[Fraction, ...]], ...] = ()

    def window(self, epsilon: Interval) -> Window | None:
        """Return between which values a parameter has to be."""
        if UNIT in self.names:
            return Window(self.names.index(UNIT), Fraction(1), Fraction(1))
        return Window.of(0, epsilon)

    def spots(self, trace: Trace) -> dict[str, Spot]:
        """Return the numbers that all parameters stand for."""
        found = {name: trace.spot(name) for name in self.names}
        for name, form in self.made_of:
            found[name] = trace.of(dict(zip(self.names, form, strict=True)))
        return found

    def values(self, point: tuple[Fraction, ...]) -> dict[str, Fraction]:
        """Return the values of all parameters at a point."""
        found = dict(zip(self.names, point, strict=True))
        for name, form in self.made_of:
            found[name] = sum((q * x for q, x in zip(form, point, strict=True)), Fraction(0))
        return found

    def hull(self) -> Space | None:
        """Return the space without parameters that its region leaves no room; None if empty."""
        space: Space | None = self
        while space is not None and not space.region.is_full:
            implied = space.region.implied_equalities()
            if not implied:
                return None
            last = max(implied, key=lambda form: tuple(form)[1:])
            space = space.face(tuple(map(Fraction, last)))
        return space

    def face(self, form: tuple[Fraction, ...]) -> Space | None:
        """Return the part of the space where a form is 0, without the last parameter in it."""
        last = max(k for k, q in enumerate(form) if q)
        if last == 0:
            return None  # there ε would be 0
        if self.names[last] == UNIT:
            if form[0] * form[last] >= 0:
                return None  # there ε would not be positive
            raise refused(f"it jumps at ε = {-form[last] / form[0]}")
        value = tuple(-q / form[last] for k, q in enumerate(form) if k != last)

        def moved(side: tuple[int | Fraction, ...]) -> tuple[Fraction, ...]:
            rest = (q for k, q in enumerate(side) if k != last)
            return tuple(Fraction(q) + side[last] * v for q, v in zip(rest, value, strict=True))

        region = Cone.of(len(value), [moved(side) for side in self.region.inequalities])
        made_of = (
            *((name, moved(other)) for name, other in self.made_of),
            (self.names[last], value),
        )
        names = tuple(name for k, name in enumerate(self.names) if k != last)
        return replace(self, names=names, region=region, made_of=tuple(sorted(made_of)))


def spaces_of(claim: Accuracy, moving: Mapping[str, tuple[Fraction, Fraction]]) -> Iterator[Space]:
    """Yield the parameter space for each value of the finite inputs."""
    listed = kinds(claim.mechanism.inputs)
    names = [name for name, kind in zip(claim.entry_names, listed, strict=True) if kind is None]
    free_alpha, free_gamma = _is_alpha_free(claim), _is_gamma_free(claim)
    unit_here = (UNIT,) * bool(moving)
    everything = ("eps", *unit_here, *names, *("alpha",) * free_alpha, *("gamma",) * free_gamma)
    unit = {name: tuple(int(n == name) for n in everything) for name in everything}
    sides: list[tuple[int | Fraction, ...]] = [
        unit[name] for name in everything if name in ("eps", UNIT, "alpha", "gamma")
    ]
    assert isinstance(claim.input_set, AllReals | Box)
    more = (0,) * (free_alpha + free_gamma)
    sides += [
        (side[0], *(0 for _ in unit_here), *side[1:], *more)
        for side in box_sides(claim.mechanism, claim.input_set)
    ]
    if moving:  # where the unit is 1, an interval of ε has linear ends
        ends = ((claim.epsilon.lower, 1), (claim.epsilon.upper, -1))
        sides += [
            tuple(
                sign * (one - end * two) for one, two in zip(unit["eps"], unit[UNIT], strict=True)
            )
            for end, sign in ends
            if end not in (0, inf)
        ]
    region = Cone.of(len(everything), sides)
    made_of = tuple(
        (
            name,
            tuple(
                slope * one + start * two for one, two in zip(unit["eps"], unit[UNIT], strict=True)
            ),
        )
        for name, (start, slope) in sorted(moving.items())
    )
    alpha, gamma = (free_alpha or "alpha" in moving, free_gamma or "gamma" in moving)
    for finite in product(*(kind.members for kind in listed if kind is not None)):
        yield Space(everything, region, finite, alpha, gamma, made_of)


def levels_at_point(claim: Accuracy) -> dict[str, Any]:
    """Return the values of an α and a γ that are functions of ε, at the only ε."""
    found = {}
    for name, level in functions_of_eps(claim, None).items():
        value = level.at(Fraction(claim.epsilon.lower))
        if not value.is_exact:
            raise refused(f"{name} = {level} is irrational at ε = {claim.epsilon.lower}")
        found[name] = value.lower
    return found


def moving_levels(claim: Accuracy) -> dict[str, tuple[Fraction, Fraction]]:
    """Return c and d for α and γ that are c/ε + d with c > 0."""
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for name, level in functions_of_eps(claim, None).items():
        scaled = scaled_polynomial(level)
        if scaled is None or scaled.degree() > 1:
            raise refused(f"{name} = {level} is not a number plus a multiple of 1/eps")
        found[name] = fraction(scaled[0]), fraction(scaled[1])
    return found


def refused(problem: str) -> ValueRefusedError:
    """Return the refusal of a claim that needs more than cones."""
    return ValueRefusedError(
        f"the claim cannot be decided for all real inputs: {problem}",
        rule="There α and γ are numbers, ranges, numbers plus a multiple of 1/eps, "
        "or γ a multiple of α plus a number.",
        way_out="Give inputs=Grid(lo, hi) or a list.",
    )


def _is_alpha_free(claim: Accuracy) -> bool:
    """Whether α must be a parameter: γ follows it, or β is not seen to fall in it."""
    if not isinstance(claim.alpha_level, Range):
        return False
    if claim.obligations.gamma_follows:
        return True
    try:
        return not falls(claim.formula, "alpha", claim.epsilon)
    except ExactdpError:  # β is a function that looks at the input
        return True


def _is_gamma_free(claim: Accuracy) -> bool:
    """Whether γ must be a parameter: outputs hold noise, or β is not seen to fall in γ."""
    if not isinstance(claim.gamma_level, Range):
        return False
    noisy = claim.mechanism.checked.output.holds_noise
    try:
        return noisy or _is_alpha_free(claim) or not falls(claim.formula, "gamma", claim.epsilon)
    except ExactdpError:  # β is a function that looks at the input
        return True

"""The largest κ with b − κ·e ≥ 0 on several cones, as a certified enclosure.

With b = β and e = 1 − P it is the factor by which the bound of a claim may be divided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from exactdp.cones.boxes import Slab
from exactdp.cones.decision import ConeDecision, nonnegative_on
from exactdp.cones.ordered_sum import OrderedSum, Vector
from exactdp.cones.piece import LocalSum, piece_of
from exactdp.cones.segments import Array
from exactdp.cones.window import Window
from exactdp.cones.witness import PointSampler, moved_inside, near_points
from exactdp.errors import ValueRefusedError
from exactdp.polyhedra.cone import Cone
from exactdp.reals.evaluation import enclosure_of
from exactdp.reals.exp_poly import ExpPoly, parameter
from exactdp.reals.numbers import Number, positive_width, simplest_inside


@dataclass(frozen=True)
class ConeRatio:
    """A numerator b and a denominator e ≥ 0 on a cone, or on the part of it in a window."""

    numerator: OrderedSum
    denominator: OrderedSum
    cone: Cone
    window: Window | None = None

    def less(self, factor: Fraction) -> OrderedSum:
        """Return b − factor·e."""
        over, under = self.numerator, self.denominator
        return OrderedSum(over.form - under.form * factor, over.names)

    def decision(self, factor: Fraction) -> ConeDecision:
        """Return whether b − factor·e ≥ 0."""
        return nonnegative_on(self.less(factor), self.cone, window=self.window)


@dataclass(frozen=True)
class FactorEnclosure:
    """lower ≤ κ ≤ upper for the largest κ with b − κ·e ≥ 0 on all cones.

    `lower` is None if nothing could be proved. `upper` is None if no bound was found (e = 0
    everywhere); else b < upper·e at the rational point `witness` of the relative interior of cone
    number `where`. If lower = upper then κ is known exactly and
    reached at the witness or in the limit at 0; then b < (κ + width)·e at the witness.
    """

    lower: Fraction | None
    upper: Fraction | None
    where: int | None
    witness: Vector | None


def largest_factor(
    quotients: Sequence[ConeRatio],
    width: Number = "1/1000",
) -> FactorEnclosure:
    """Return an enclosure of the largest κ with b − κ·e ≥ 0 on each cone.

    The upper end comes from low values of b/e, found in doubles and certified at rational points.
    Then κ = upper − width (nearly) is either proved on all cones, which ends the search, or refuted
    at a point, which lowers the upper end by at least about the width; if a cone stays undecided,
    the distance is doubled, and the enclosure is wider than requested.
    """
    gap = positive_width(width)
    if not quotients:
        raise ValueRefusedError("there is no cone")
    start = _first_bound(quotients, gap)
    if start is None:
        return FactorEnclosure(None, None, None, None)
    upper, place = start
    wanted = gap
    for _ in range(200):
        trial = simplest_inside(upper - wanted, upper - wanted / 2)
        index, last = _last_decision(quotients, trial)
        if last.holds:
            return _sharpened(quotients, FactorEnclosure(trial, upper, *place))
        if last.witness is not None:
            value = _above(quotients[index], last.witness, gap / 8)
            upper = trial if value is None else min(trial, value)
            place = index, last.witness
        else:
            wanted *= 2
    return FactorEnclosure(None, upper, *place)


def _last_decision(quotients: Sequence[ConeRatio], factor: Fraction) -> tuple[int, ConeDecision]:
    """Return the first cone on which b − factor·e ≥ 0 does not hold, or the last one."""
    *others, last = enumerate(quotients)
    for index, quotient in others:
        found = quotient.decision(factor)
        if not found.holds:
            return index, found
    return last[0], last[1].decision(factor)


def _first_bound(
    quotients: Sequence[ConeRatio], gap: Fraction
) -> tuple[Fraction, tuple[int, Vector]] | None:
    """Return a simple but nearly lowest upper end, and the cone and point that prove it."""
    values = [
        (value, (index, point))
        for index, quotient in enumerate(quotients)
        for point in _low_points(quotient)
        if (value := _above(quotient, point, gap / 8)) is not None
    ]
    if not values:
        return None
    lowest = min(value for value, _ in values)
    return next(entry for entry in values if entry[0] <= lowest + gap / 4)


def _sharpened(quotients: Sequence[ConeRatio], found: FactorEnclosure) -> FactorEnclosure:
    """Return the enclosure with the simplest number in it as κ itself, if that is proved."""
    if found.lower is None or found.upper is None or found.where is None or found.witness is None:
        return found
    guess = simplest_inside(found.lower, found.upper)
    places = [(quotients[found.where], found.witness)]
    places += [
        (quotient, (Fraction(0),) * quotient.cone.size)
        for quotient in quotients
        if quotient.window is None
    ]
    for quotient, point in places:
        at_guess = quotient.less(guess).sign_at(point)
        if quotient.denominator.sign_at(point) > 0 and at_guess == 0:
            if _last_decision(quotients, guess)[1].holds:
                return replace(found, lower=guess, upper=guess)
            break
    return found


def _above(quotient: ConeRatio, point: Vector, room: Fraction) -> Fraction | None:
    """Return a short rational just above b/e at a point, None if e > 0 is not certain there."""
    bits = 64
    while bits <= 1024:
        below = quotient.denominator.at(point, bits)
        value = quotient.numerator.at(point, bits) / below
        if below > 0 and value.is_finite():
            found = enclosure_of(value)
            if found.upper - found.lower < room / 2:
                return simplest_inside(found.upper, found.upper + room / 2)
        bits *= 2
    return None


def _low_points(quotient: ConeRatio) -> list[Vector]:
    """Return a few rational interior points at which b/e is small."""
    found = []
    for part in quotient.cone.pointed_parts():
        for cell in part.simplices():
            rays = piece_of(quotient.less(Fraction(-1)), cell).rays
            piece = piece_of(quotient.denominator, rays)
            if not piece.terms:
                continue
            best = _lowest(quotient, rays)
            if best is not None:
                inside = Slab.of(quotient.window, rays)
                found += near_points(LocalSum(rays, piece.terms, piece.dominant), best, inside)
    return found


def _lowest(quotient: ConeRatio, rays: tuple[Vector, ...]) -> list[float] | None:
    """Return coordinates s at which b/e is about least, by random points and steps downhill."""
    parts = [_sampler(form, rays) for form in (quotient.numerator, quotient.denominator)]

    def value(logs: Array) -> Array:
        (top, top_size), (bottom, bottom_size) = (part.scaled(logs) for part in parts)
        with np.errstate(all="ignore"):
            ratio = top / bottom * np.exp(np.clip(top_size - bottom_size, -600, 600))
        return np.where((bottom > 1e-9) & np.isfinite(ratio), ratio, np.inf)

    size = len(rays)
    inside = Slab.of(quotient.window, rays)
    random = np.random.default_rng(11)
    logs = np.concatenate(
        [random.normal(0.0, 1.5, (600, size)), random.uniform(-9.0, 6.0, (600, size))]
    )
    logs = moved_inside(logs, inside)
    values = value(logs)
    best = None
    for start in np.argsort(values)[:6]:
        place, low = logs[start], float(values[start])
        if not math.isfinite(low):
            continue
        moves = np.concatenate([np.eye(size), -np.eye(size), [[1.0] * size, [-1.0] * size]])
        step = 1.0
        while step > 1e-4:
            around = moved_inside(np.clip(place + step * moves, -30.0, 8.0), inside)
            near = value(around)
            i = int(np.argmin(near))
            if near[i] < low - 1e-13 * abs(low):
                place, low = around[i], float(near[i])
            else:
                step /= 2
        if best is None or low < best[0]:
            best = low, [math.exp(entry) for entry in place]
    return None if best is None else best[1]


def _sampler(form: OrderedSum, rays: tuple[Vector, ...]) -> PointSampler:
    """Return a sum as a function of the coordinates s of θ = Σ sⱼρⱼ, at many points."""
    names = tuple(f"s{j}" for j in range(len(rays)))
    axes = [parameter(name) for name in names]
    images = {
        name: sum((axis * ray[i] for axis, ray in zip(axes, rays, strict=True)), ExpPoly())
        for i, name in enumerate(form.names)
    }
    return PointSampler(form.form.substitute(**images).numerator.entries(names))

"""Coordinates in which a window is aligned with the boxes.

In the coordinates s of a simplicial cone the variable e of a window is Σ wⱼsⱼ, so boxes are not
aligned to it. Let σⱼ = wⱼsⱼ be the parts of e, and rₖ the unit vectors of the axes with wₖ = 0. A
point has a largest part σᵢ, and is

    e·ρᵢ + Σ σⱼ(ρⱼ − ρᵢ) + Σ sₖrₖ,   ρⱼ the point with sⱼ = 1/wⱼ alone.

The coordinates (e, σⱼ for j ≠ i, sₖ) are the chart of i. There the window is one segment, σⱼ and sₖ
are nonnegative, and only the remaining side σᵢ = e − Σ σⱼ ≥ 0 is oblique. But σᵢ is the largest
part, so that side is far away, and in other charts it is aligned. So boxes are aligned with
everything near them, and a sum may be arbitrarily close to 0 at a side of cone or window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.cones.boxes import Corner
from exactdp.cones.ordered_sum import OrderedSum
from exactdp.cones.piece import LocalTerms, piece_of
from exactdp.cones.proof import Ends
from exactdp.cones.segments import Segment
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_term import ExpTerm

_ZERO = Fraction(0)
_SHORT = 8


@dataclass(frozen=True)
class Chart:
    """A sum in the chart of one axis; its coordinates are `factors` times those of the terms."""

    axis: int
    weights: tuple[Fraction, ...]
    terms: LocalTerms
    factors: tuple[Fraction, ...]

    @property
    def parts(self) -> list[int]:
        """The axes of the σⱼ."""
        return [j for j, weight in enumerate(self.weights) if weight and j != self.axis]

    def region(self, lower: Fraction, upper: Fraction) -> tuple[Segment, ...]:
        """Return a box with all points between two values of e of which σᵢ is the largest part."""
        whole = [Segment(_ZERO, None)] * len(self.weights)
        whole[self.axis] = Segment(lower, upper - lower)
        for j in self.parts:
            whole[j] = Segment(_ZERO, upper / 2)
        return tuple(
            Segment(one.low / factor, None if one.length is None else one.length / factor)
            for one, factor in zip(whole, self.factors, strict=True)
        )

    def misses(self, box: Sequence[Segment]) -> bool:
        """Whether σᵢ is nowhere in a box the largest part."""
        ends = self.scaled(box)
        highest = ends[self.axis][1]
        assert highest is not None
        lows = [ends[j][0] for j in self.parts]
        return bool(lows) and highest < sum(lows) + max(lows)

    def candidates(self, box: Sequence[Segment], axes: list[int]) -> list[int]:
        """Return the axes that may be cut next; for a box that is not inside, no short side.

        Such a box has points with σᵢ ≤ 0, where the sum need not be positive, so it must shrink.
        """
        sides = {
            j: length * self.factors[j]
            for j in axes
            if self.weights[j] and (length := box[j].length) is not None
        }
        lows = {j: box[j].low * self.factors[j] for j in (self.axis, *self.parts)}
        highs = [lows[j] + sides.get(j, 0) for j in self.parts]
        if not sides or lows[self.axis] > sum(highs):
            return axes
        longest = max(sides.values())
        return [j for j in axes if j not in sides or _SHORT * sides[j] >= longest]

    def allows(self, corner: Corner) -> bool:
        """Whether a vertex is in the cone."""
        return self.rest(corner) >= 0

    def rest(self, corner: Corner) -> Fraction:
        """Return σᵢ at a vertex."""
        e = corner[self.axis]
        assert e is not None
        return e * self.factors[self.axis] - sum(
            (s * self.factors[j] for j in self.parts if (s := corner[j]) is not None), _ZERO
        )

    def lifted(self, corner: Corner) -> Corner:
        """Return the coordinates s of a vertex."""
        found = [
            None if s is None else s * factor / (weight or 1)
            for s, factor, weight in zip(corner, self.factors, self.weights, strict=True)
        ]
        found[self.axis] = self.rest(corner) / self.weights[self.axis]
        return tuple(found)

    def scaled(self, box: Sequence[Segment]) -> Ends:
        """Return the ends of a box in the coordinates e, σ and s."""
        return tuple(
            (part.low * factor, None if part.high is None else part.high * factor)
            for part, factor in zip(box, self.factors, strict=True)
        )


def charts(terms: LocalTerms, weights: Sequence[Fraction]) -> Iterator[Chart]:
    """Yield a sum in the charts of all axes along which the variable of a window changes."""
    size = len(weights)
    names = tuple(f"s{j}" for j in range(size))
    form = ExpPoly(
        ExpTerm(
            Fraction(c),
            tuple((name, k) for name, (k, _) in zip(names, key, strict=True)),
            tuple((name, Fraction(-a)) for name, (_, a) in zip(names, key, strict=True)),
        )
        for key, c in terms.items()
    )
    for axis, weight in enumerate(weights):
        if weight:
            rays = list(chart_rays(weights, axis))
            piece = piece_of(OrderedSum(form, names), rays)
            pairs = zip(piece.rays, rays, strict=True)
            factors = tuple(
                next(a / b for a, b in zip(one, two, strict=True) if b) for one, two in pairs
            )
            yield Chart(axis, tuple(weights), piece.terms, factors)


def chart_rays(weights: Sequence[Fraction], axis: int) -> Iterator[tuple[Fraction, ...]]:
    """Yield the directions of the coordinates of a chart."""
    size = len(weights)
    for j, weight in enumerate(weights):
        ray = [_ZERO] * size
        ray[j] = 1 / weight if weight else Fraction(1)
        if weight and j != axis:
            ray[axis] = -1 / weights[axis]
        yield tuple(ray)

"""Spaces of parameters, and the input, α and γ as linear forms in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .cones import PolyhedralCone, Vector, axes, axis, dot, reduced
from .corners import StatedCorner
from .parametric import At


@dataclass
class ParameterSpace:
    """Parameters, and the input, α and γ as linear forms in them."""

    size: int
    entries: list[Any]
    alpha: At | None
    gamma: At | None
    region: PolyhedralCone
    stands_for: str | None = None
    """Why its input stands for others: it has the largest "regret", or is like "every" one."""
    unit: At | None = None
    """1/ε, or a logarithm over ε, if such numbers are combined with reals."""
    corner: StatedCorner | None = None
    """Why its inputs are the worst ones; the parameter after ε is the a of `corners`."""
    position: int | None = None
    """The best position of such an input, the only output that counts as right there."""
    compared: set[tuple[Vector, str]] = field(default_factory=set)
    """What the mechanism was seen to compare without noise."""
    distances: set[Vector] = field(default_factory=set)
    """dd minus α, or minus the least α, as stated on the cells."""

    @property
    def forms(self) -> list[Vector]:
        """The numbers that move, ε first."""
        moving = [self.unit, *self.entries, self.alpha, self.gamma]
        return [axis(0, self.size), *(form.form for form in moving if isinstance(form, At))]

    def image(self, way: Vector) -> list[Fraction | int]:
        """Return the numbers that move, at a point of the parameters."""
        return [dot(form, way) for form in self.forms]

    @property
    def positive(self) -> int:
        """How many of the first parameters are positive: ε, and the unit."""
        return 1 + (self.unit is not None)

    def flat(self, directions: list[Vector] | None = None) -> tuple[object, ...]:
        """Return what identifies the space: its finite values, and the flat of its numbers."""
        image = [self.image(way) for way in directions or axes(self.size)]
        fixed = str([None if isinstance(one, At) else one for one in self.entries])
        return fixed, tuple(reduced(image))

"""Spaces of parameters, and the input, α and γ as linear forms in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .cones import PolyhedralCone, Vector, reduced
from .corners import StatedCorner
from .parametric import At

_ZERO = Fraction(0)


@dataclass
class ParameterSpace:
    """Parameters, and the input, α and γ as linear forms in them."""

    size: int
    entries: list[Any]
    alpha: At | None
    gamma: At | None
    region: PolyhedralCone
    compared: set[tuple[Vector, str]] = field(default_factory=set)
    """What the mechanism was seen to compare without noise."""
    distances: set[Vector] = field(default_factory=set)
    """dd minus the least α, as stated on the cells."""
    corner: StatedCorner | None = None
    """Why its inputs are the worst ones; the parameter after ε is the a of `corners`."""
    stands_for: str | None = None
    """Why its input stands for others: it has the largest "regret", or is like "every" one."""
    position: int | None = None
    """The best position of such an input, the only output that counts as right there."""
    unit: At | None = None
    """1/ε, or a logarithm over ε, if such numbers are combined with reals."""

    @property
    def forms(self) -> list[Vector]:
        """The numbers that move, ε first."""
        one = tuple(Fraction(k == 0) for k in range(self.size))
        moving = [self.unit, *self.entries, self.alpha, self.gamma]
        return [one, *(form.form for form in moving if isinstance(form, At))]

    @property
    def positive(self) -> int:
        """How many of the first parameters are positive: ε, and the unit."""
        return 1 + (self.unit is not None)

    def flat(self, directions: list[Vector] | None = None) -> tuple[object, ...]:
        """Return what identifies the space: its finite values, and the flat of its numbers."""
        if directions is None:
            directions = [
                tuple(Fraction(j == k) for j in range(self.size)) for k in range(self.size)
            ]
        image = [
            tuple(
                sum((a * b for a, b in zip(form, way, strict=True)), _ZERO) for form in self.forms
            )
            for way in directions
        ]
        fixed = str([None if isinstance(one, At) else one for one in self.entries])
        return fixed, tuple(reduced(image))

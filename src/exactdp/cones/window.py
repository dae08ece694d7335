"""Parts of a cone between two values of one of its variables, such as ε in [1, 2].

A sum has to be nonnegative only there. A proof for the whole cone suffices; otherwise boxes outside
are ignored, and arguments that move a point may only move it along the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.cones.segments import Segment
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import inf, spell


@dataclass(frozen=True)
class Window:
    """The points whose coordinate `variable`, nonnegative on the cone, is between two numbers."""

    variable: int
    lower: Fraction
    upper: Fraction | float

    @classmethod
    def of(cls, variable: int, interval: Interval) -> Window | None:
        """Return the window of an interval of ε > 0; None if it is all of them."""
        if interval.lower == 0 and interval.upper == inf:
            return None
        return cls(variable, Fraction(interval.lower), interval.upper)

    def simple_point(self) -> Fraction:
        """Return a simple value of the variable inside."""
        return Interval(self.lower, self.upper, upper_open=self.upper == inf).simple_point()

    def misses(self, weights: Sequence[Fraction], box: Sequence[Segment]) -> bool:
        """Whether a box of coordinates of rays with these weights has no point inside."""
        least = sum((w * part.low for w, part in zip(weights, box, strict=True)), Fraction(0))
        if least > self.upper:
            return True
        moving = [(w, part.high) for w, part in zip(weights, box, strict=True) if w]
        return all(high is not None for _, high in moving) and (
            sum((w * high for w, high in moving if high is not None), Fraction(0)) < self.lower
        )

    def along(self, weights: Sequence[Fraction], axis: int) -> Interval:
        """Return the range of one coordinate whose axis has a positive weight."""
        own = weights[axis]
        alone = all(not w for j, w in enumerate(weights) if j != axis)
        lower = self.lower / own if alone else Fraction(0)
        return Interval(lower, self.upper / own if self.upper != inf else inf)

    def to_json(self) -> dict[str, Any]:
        """Return the window as plain data."""
        return {
            "variable": self.variable,
            "lower": spell(self.lower),
            "upper": spell(self.upper) if isinstance(self.upper, Fraction) else None,
        }

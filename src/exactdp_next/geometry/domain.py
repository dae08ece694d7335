"""Domain: the points at which a goal is claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ..ring.epsilon import Interval
from ..ring.linear import Linear, Rational, quotient
from ..ring.zeros import Zero, simplest
from .cone import Cone

EVERY_EPS = Interval(0, inf, lower_open=True)


@dataclass(frozen=True)
class Domain:
    """{(ε, x, …) : (ε, ε·x, …) in the cone, ε in the window}; the names are "eps", then those of x.

    Scaled by ε the set is a cone wherever the order of all breakpoints is fixed. The ends of the
    window are rational or infinite. A listed input is the domain of ε alone, a line.
    """

    names: tuple[str, ...]
    cone: Cone
    window: Interval = EVERY_EPS

    def __post_init__(self) -> None:
        if self.names[:1] != ("eps",) or len(self.names) != self.cone.dimension:
            raise ValueError("a domain has a coordinate for each name, ε first")
        low, high = self.window.lower, self.window.upper
        if not isinstance(low, Fraction) or isinstance(high, Zero) or low < 0:
            raise ValueError("the window of a domain has rational ends, and ε is positive")
        if not self.cone.inside()[0]:
            raise ValueError("a cone without a point at which ε is positive")

    @staticmethod
    def line(window: Interval = EVERY_EPS) -> Domain:
        """Return the domain of ε alone."""
        return Domain(("eps",), Cone.orthant(1), window)

    @property
    def ends(self) -> tuple[Fraction, Fraction | None]:
        """The ends of the window, the upper one None where it is infinite."""
        low, high = self.window.lower, self.window.upper
        assert isinstance(low, Fraction)
        return low, high if isinstance(high, Fraction) else None

    @property
    def is_line(self) -> bool:
        """Whether ε is the only name."""
        return self.names == ("eps",)

    def cut(self, form: Linear | Rational) -> tuple[Domain | None, Domain | None]:
        """Return the parts where a form is ≥ 0 and ≤ 0; None for one without an inner point."""
        h = self._vector(form)
        sides = (self.cone.clip(h), self.cone.clip(tuple(-c for c in h)))
        above, below = (self._with(cone) for cone in sides)
        return above, below

    def _vector(self, form: Linear | Rational) -> tuple[Rational, ...]:
        """Return ε·form as a form in the coordinates of the cone."""
        if not isinstance(form, Linear):
            return (form, *(0 for _ in self.names[1:]))
        if unknown := form.parts.keys() - set(self.names[1:]):
            raise ValueError(f"names that the domain does not have: {unknown}")
        return (form.constant, *(form.parts.get(x, 0) for x in self.names[1:]))

    def _with(self, cone: Cone) -> Domain | None:
        inner = cone.span == self.cone.span and cone.inside()[0] > 0
        return Domain(self.names, cone, self.window) if inner else None

    def contains(self, point: Mapping[str, Rational]) -> bool:
        """Return whether a point (ε and the x, not scaled) is in the domain."""
        eps = point["eps"]
        scaled = (eps, *(eps * point[x] for x in self.names[1:]))
        return eps > 0 and eps in self.window and self.cone.contains(scaled)

    def inside(self) -> dict[str, Rational]:
        """Return a point of the relative interior: ε and the x, not scaled.

        The x do not depend on ε along a ray, so ε is any number of the window.
        """
        scale, *others = self.cone.inside()
        values = {x: quotient(v, scale) for x, v in zip(self.names[1:], others, strict=True)}
        return {"eps": _between(*self.ends), **values}


def _between(low: Fraction, high: Fraction | None) -> Fraction:
    """Return a simple rational inside a window, or the only one in it."""
    if high is None:
        return Fraction(low.__floor__() + 1)
    return low if low == high else simplest(low, high)

"""Where a sign is asked: along a ray of ε, on a cone of parameters, along a curve in it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from exactdp.claims.moving import Curve
from exactdp.claims.shapes import Shape, shape_of
from exactdp.cones import Cone, OrderedSum, Window, nonnegative_on
from exactdp.reals import ClosedForm, Interval, Root, Stretch, nonnegative
from exactdp.reals.numbers import inf

_FAR = 1_000  # an ε at which most bounds are below 1


@dataclass(frozen=True)
class OnRay:
    """All ε of an interval; everything else is fixed."""

    on: Interval

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is at least 1 at each ε; seen at once where it is not, far out."""
        excess = form - 1
        far = self.on.lower + _FAR if self.on.upper == inf else self.on.simple_point()
        return bool(excess.at(far, digits=1).sign >= 0 and nonnegative(excess, self.on))


@dataclass(frozen=True)
class OnCone:
    """A cone of named parameters, or the part of it in a window."""

    names: tuple[str, ...]
    cone: Cone
    window: Window | None

    def shape(self, form: ClosedForm) -> Shape:
        """Return the problem whether a closed form is never negative here."""
        return shape_of(self._signed(form), self.cone, self.window)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is seen to be at least 1 everywhere here."""
        function = self._signed(form - 1)
        point = self.cone.interior_point()
        if self.window is None:
            scale = Fraction(_FAR)
        else:
            scale = self.window.simple_point() / point[self.window.variable]
        if function.sign_at([scale * x for x in point]) < 0:
            return False
        shape = shape_of(function, self.cone, self.window)
        return nonnegative_on(shape.function, shape.cone, window=shape.window).holds is True

    def _signed(self, form: ClosedForm) -> OrderedSum:
        """Return a sum with the sign of a closed form."""
        return OrderedSum(form.numerator * form.denominator, self.names)


@dataclass(frozen=True)
class CurveDecision:
    """Whether a closed form is never negative along a curve; None if that stays open."""

    holds: bool | None
    witness: Fraction | None = None
    """An ε where it is negative."""


@dataclass(frozen=True, eq=False)
class OnCurve:
    """A stretch of a curve of parameters."""

    curve: Curve
    stretch: Stretch

    def decision(self, form: ClosedForm) -> CurveDecision:
        """Decide whether a closed form of the parameters is never negative here."""
        lower, upper = self._ends
        function = self.curve.along(form)
        found = function.nonnegative(lower, upper)
        if isinstance(found, Fraction):
            if found not in self.stretch:
                return CurveDecision(None)
            return CurveDecision(False, function.simple_negative(found, lower, upper))
        return CurveDecision(found)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is seen to be at least 1 everywhere here."""
        return self.decision(form - 1).holds is True

    @property
    def _ends(self) -> tuple[Fraction, Fraction | float]:
        """Rational ends around the stretch."""
        lower, upper = self.stretch.lower, self.stretch.upper
        first = lower.lower if isinstance(lower, Root) else lower
        last = upper.upper if isinstance(upper, Root) else upper
        assert isinstance(first, Fraction)
        return first, last if isinstance(last, Fraction) else inf

    @property
    def rational_ends(self) -> tuple[Fraction, ...]:
        """The ends that are rational and belong to the stretch."""
        ends = (self.stretch.lower, self.stretch.upper)
        return tuple(end for end in ends if isinstance(end, Fraction) and end in self.stretch)


Place: TypeAlias = OnRay | OnCone | OnCurve

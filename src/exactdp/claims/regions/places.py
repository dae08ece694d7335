"""Where signs are decided: along a ray of ε, on a cone of parameters, or along a curve in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from exactdp.claims.regions.moving import Curve
from exactdp.claims.regions.shapes import Shape, shape_of
from exactdp.cones import Cone, OrderedSum, Window
from exactdp.reals import (
    ClosedForm,
    Interval,
    Root,
    SolutionSet,
    Stretch,
    nonnegative,
    solution_set,
)
from exactdp.reals.certified import evaluated_sign, evaluated_solutions, simplest_negative
from exactdp.reals.curved import CurvedSum
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.log_sums import LogSum, log_solutions
from exactdp.reals.logs import lower_bound
from exactdp.reals.numbers import inf
from exactdp.reals.solutions import Boundary
from exactdp.reals.spans import around, as_stretch, between

_FINE = Fraction(1, 10**30)
_FAR = 1_000  # an ε at which most bounds are below 1


@dataclass(frozen=True)
class OnRay:
    """All ε of an interval; everything else is fixed."""

    on: Interval
    stretch: Stretch | None = None
    """The exact set of ε, if an endpoint is irrational."""

    def where(self, forms: Iterable[ClosedForm]) -> SolutionSet:
        """Return where some functions of ε are all nonnegative."""
        on = self.on
        found = SolutionSet((self.whole,))
        for form in forms:
            found &= solution_set(form, on, _FINE)
        return found

    def decision(self, form: ClosedForm) -> PlaceDecision:
        """Decide whether a function of ε is nonnegative on the stretch."""
        assert self.stretch is not None
        if self.stretch.lower == self.stretch.upper:
            single = self.stretch.lower
            if isinstance(single, Root) and single.is_exact:
                single = single.lower
            if isinstance(single, Fraction):
                is_negative = form.at(single).sign < 0
                return PlaceDecision(not is_negative, single if is_negative else None)
            return PlaceDecision(True if len(self.where([form])) else None)
        start: Boundary = self.stretch.lower
        is_seen = True
        for part in (*self.where([form]), None):
            end = self.stretch.upper if part is None else part.lower
            if start != end:  # the function is negative somewhere between
                point = between(start, end)
                if point is not None and form.at(point).sign < 0:
                    return PlaceDecision(False, point)
                is_seen = False
            start = end if part is None else part.upper
        return PlaceDecision(True if is_seen else None)

    def solutions(self, form: ClosedForm, width: Fraction) -> SolutionSet:
        """Return where a function of ε is nonnegative."""
        return solution_set(form, self.on, width)

    @property
    def whole(self) -> Stretch:
        """The set of ε."""
        return self.stretch or as_stretch(self.on)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is at least 1 at each ε; a large ε is tried first."""
        excess = form - 1
        if self.stretch is not None:
            return self.decision(excess).holds is True
        far = self.on.lower + _FAR if self.on.upper == inf else self.on.simple_point()
        return bool(excess.at(far, digits=1).sign >= 0 and nonnegative(excess, self.on))


@dataclass(frozen=True)
class OnCone:
    """A cone of named parameters, or the part of it in a window."""

    names: tuple[str, ...]
    cone: Cone
    window: Window | None

    def shape(self, form: ClosedForm) -> Shape:
        """Return the problem whether a closed form is nonnegative here."""
        return shape_of(self._signed(form), self.cone, self.window)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is proved to be at least 1 everywhere here."""
        function = self._signed(form - 1)
        point = self.cone.interior_point()
        if self.window is None:
            scale = Fraction(_FAR)
        else:
            scale = self.window.simple_point() / point[self.window.variable]
        if function.sign_at([scale * x for x in point]) < 0:
            return False
        return shape_of(function, self.cone, self.window).decision().holds is True

    def is_nonnegative(self, form: ClosedForm) -> bool:
        """Whether a closed form is proved to be nonnegative everywhere here."""
        return self.shape(form).decision().holds is True

    def sign_at(self, form: ClosedForm, point: Sequence[Fraction]) -> int:
        """Return the sign of a closed form at a point of the parameters."""
        return self._signed(form).sign_at(point)

    def _signed(self, form: ClosedForm) -> OrderedSum:
        """Return a sum with the sign of a closed form."""
        return OrderedSum(form.numerator * form.denominator, self.names)


@dataclass(frozen=True)
class PlaceDecision:
    """Whether a closed form is nonnegative on a stretch or a curve; None if undecided."""

    holds: bool | None
    witness: Fraction | None = None
    """An ε where it is negative."""
    why: str = ""
    """Why it is undecided, if that is known."""


@dataclass(frozen=True, eq=False)
class OnCurve:
    """A stretch of a curve of parameters."""

    curve: Curve
    stretch: Stretch

    def decision(self, form: ClosedForm) -> PlaceDecision:
        """Decide whether a closed form in the parameters is nonnegative here."""
        return _evaluated(self.curve.along(form), around(self.stretch), self.stretch)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is proved to be at least 1 everywhere here."""
        return self.decision(form - 1).holds is True

    def solutions(self, form: ClosedForm, width: Fraction) -> SolutionSet:
        """Return where a closed form in the parameters is nonnegative."""
        found = evaluated_solutions(self.curve.along(form), around(self.stretch))
        return found.refined(width)

    @property
    def whole(self) -> Stretch:
        """The set of ε."""
        return self.stretch

    @property
    def _ends(self) -> tuple[Fraction, Fraction | float]:
        """Rational endpoints of an interval around the stretch."""
        lower, upper = self.stretch.lower, self.stretch.upper
        first = lower.lower if isinstance(lower, Root) else lower
        last = upper.upper if isinstance(upper, Root) else upper
        assert isinstance(first, Fraction)
        return first, last if isinstance(last, Fraction) else inf

    @property
    def rational_ends(self) -> tuple[Fraction, ...]:
        """The rational endpoints that belong to the stretch."""
        ends = (self.stretch.lower, self.stretch.upper)
        return tuple(end for end in ends if isinstance(end, Fraction) and end in self.stretch)


@dataclass(frozen=True)
class OnLine:
    """The ε of an interval; all other parameters are constants, 1 or logarithms."""

    units: tuple[str, ...]
    on: Interval
    """It may be larger than the set of ε, by less than 10⁻³⁰."""
    stretch: Stretch | None = None
    """The exact set of ε, if it is requested."""

    @property
    def whole(self) -> Stretch:
        """The set of ε."""
        return self.stretch or as_stretch(self.on)

    def solutions(self, form: ClosedForm, width: Fraction) -> SolutionSet:
        """Return where a closed form in ε and the constants is nonnegative."""
        return log_solutions(form, self.units, self.whole).refined(width)

    def decision(self, form: ClosedForm) -> PlaceDecision:
        """Decide whether a closed form is nonnegative here.

        First it is replaced by one that is not larger, in which constants are rational numbers.
        """
        if nonnegative(lower_bound(form, self.units), self.on).holds:
            return PlaceDecision(True)
        return _evaluated(LogSum.of(form, self.units), self.on, self.whole)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is proved to be at least 1 everywhere here."""
        return self.decision(form - 1).holds is True


def _evaluated(function: CurvedSum | LogSum, on: Interval, where: Stretch) -> PlaceDecision:
    """Decide a sign by certified numbers; a witness has to be in a stretch."""
    try:
        holds, witness = evaluated_sign(function, on)
    except OpenSignError as error:
        return PlaceDecision(None, why=error.message)
    if witness is None:
        return PlaceDecision(holds)
    if witness not in where:
        return PlaceDecision(None)
    simple = simplest_negative(function, witness, on)
    return PlaceDecision(False, simple if simple in where else witness)


SignPlace: TypeAlias = OnRay | OnCone | OnCurve | OnLine

"""A problem: whether a bound holds at a place, which is the sign of a closed form there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from flint import fmpq, fmpq_mat

from exactdp.claims.regions.places import OnCone, OnCurve, OnLine, OnRay, PlaceDecision, SignPlace
from exactdp.claims.regions.region import Region, Vector
from exactdp.claims.regions.shapes import Shape, shape_of
from exactdp.claims.stated.claim import Bound, Due, near_maximum
from exactdp.cones import Cone, ConeDecision, OrderedSum
from exactdp.language.linear import base_of, unit_in, units_in
from exactdp.polyhedra.cone import dot
from exactdp.reals import ClosedForm, Decision, Stretch, parameter
from exactdp.reals.log_sums import stretch_at_constants
from exactdp.reals.logs import LogForm, lower_bound
from exactdp.reals.numbers import fraction
from exactdp.semantics.cells import Cell

if TYPE_CHECKING:
    pass

_MOST_VERTICES = 8  # of a cell, that are tried as the origin

Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]
Leaf: TypeAlias = Cell[Due[Any] | None]
Sign: TypeAlias = Decision | ConeDecision | PlaceDecision


@dataclass(frozen=True)
class Problem:
    """A bound at a place: probability − 1 + β ≥ 0 there."""

    region: Region
    cell: Leaf
    place: SignPlace
    obligation: Bound
    alternative: int
    """The index of the alternative of β."""
    attempt: int = 0
    """Which closed form replaces β, if β is the largest of several."""

    def __reduce__(self) -> tuple[object, ...]:
        place = (self.region, self.cell, self.place)
        return Problem, (*place, self.obligation, self.alternative, self.attempt)

    @property
    def beta(self) -> ClosedForm:
        """β as claimed, or a closed form that is at most the largest of several bounds."""
        if self.attempt == 0:
            return self.obligation.beta[self.alternative]
        found = near_maximum(self.obligation.largest_of[self.alternative], self.attempt)
        assert found is not None
        return found

    @property
    def is_mean(self) -> bool:
        """Whether β is replaced by a mean, not by one of several bounds."""
        forms = self.obligation.largest_of
        return not forms or not 0 < self.attempt <= len(forms[self.alternative])

    def is_false_at(self, witness: object) -> bool:
        """Whether the error is above all of several bounds at a point where a mean is below it.

        True also where that is not known.
        """
        forms = self.obligation.largest_of
        if not forms or not isinstance(self.place, OnCone) or not isinstance(witness, tuple | list):
            return True
        point = self.shape.completed(self.cell.cone, self.shape.lifted(witness))
        gaps = (self.obligation.probability - 1 + form for form in forms[self.alternative])
        return all(self.place.sign_at(gap, point) < 0 for gap in gaps)

    @property
    def next_attempt(self) -> Problem | None:
        """The same problem with another closed form instead of β; None if there is none left."""
        forms = self.obligation.largest_of
        if not forms or near_maximum(forms[self.alternative], self.attempt + 1) is None:
            return None
        return replace(self, attempt=self.attempt + 1)

    @property
    def gap(self) -> ClosedForm:
        """The margin by which the claim holds."""
        gap = self.obligation.probability - 1 + self.beta
        found = LogForm.of(gap)
        if found is None:
            return gap
        units = units_in(self.region.names)
        if isinstance(self.place, OnCone) and len(units) > 1:
            return lower_bound(found.form, units[1:])
        return found.form

    @property
    def alone(self) -> OnRay | OnCurve | OnLine | None:
        """The place as a set of ε alone, if the problem is about each ε of it; otherwise None.

        Cones are closed under scaling, so a cell that has a point with some ε has one with every ε,
        unless another parameter is fixed. With constants beside ε alone, a cell is a set of ε.
        """
        names, units, on = self.region.names, units_in(self.region.names), self.region.on
        if units and self.region.curve is None and len(names) == 1 + len(units):
            stretch = stretch_at_constants(self.cell.cone.inequalities, units, on)
            return OnLine(units, on, stretch or Stretch(on.lower, on.lower, True, True))
        if not isinstance(self.place, OnCone):
            return self.place
        is_alone = unit_in(self.place.names) is None and set(self.gap.parameters) <= {"eps"}
        return OnRay(on) if is_alone else None

    @property
    def gaps(self) -> tuple[ClosedForm, ...]:
        """The margins of which one must be nonnegative, if β is the largest of several."""
        forms = self.obligation.largest_of
        if not forms:
            return (self.gap,)
        return tuple(self.obligation.probability - 1 + one for one in forms[self.alternative])

    @cached_property
    def shape(self) -> Shape:
        """The problem on a cone, in parameters with standard names."""
        assert isinstance(self.place, OnCone)
        return self.place.shape(self.gap)

    @cached_property
    def raw_shape(self) -> Shape | None:
        """The problem with a parameter for every power of a logarithm; None if there is none.

        It may be true for every value of the parameter, which is easier to prove if it is tight.
        """
        if not isinstance(self.place, OnCone) or len(units_in(self.place.names)) != 1:
            return None
        gap = self.obligation.probability - 1 + self.beta
        return None if LogForm.of(gap) is None else self.place.shape(gap)

    @property
    def from_vertices(self) -> Iterator[tuple[Matrix, Shape]]:
        """Each vertex V of the cell and the problem with it as the origin, if there are logarithms.

        With θ = θ′ + V·units, whole powers of b are numbers at a vertex, so a claim that is tight
        there becomes an inequality that is exactly 0 at θ′ = 0. V has a row for each parameter.
        """
        names, units = self.region.names, units_in(self.region.names)
        places = [names.index(one) for one in units]
        levels = [form for form in (self.region.alpha, self.region.gamma) if form]
        has_level = any(form[k] for form in levels for k in places)
        is_cone = isinstance(self.place, OnCone | OnLine)
        if not is_cone or not any(map(base_of, units)) or not (has_level or len(units) > 1):
            return
        gap = self.obligation.probability - 1 + self.beta
        sides = self.cell.cone.inequalities
        rays = [one for one in self.cell.cone.rays if one[places[0]]][:_MOST_VERTICES]
        for origin in dict.fromkeys(_vertex(sides, ray, places) for ray in rays):
            if origin is None:
                continue
            moved = gap.substitute(
                **{
                    name: sum(
                        (q * parameter(unit) for q, unit in zip(row, units, strict=True)),
                        parameter(name),
                    )
                    for name, row in zip(names, origin, strict=True)
                    if any(row) and name in gap.parameters
                }
            )
            cone = Cone.of(len(names), [_from(side, origin, places) for side in sides])
            there = OnCone(names, cone, self.region.window)
            form = LogForm.made(moved, units).form
            kept = [n for n, row in zip(names, origin, strict=True) if not any(row)]
            positive = [n for n in kept if n in ("eps", "alpha", "gamma")]
            yield origin, there.shape(lower_bound(form, units[1:], positive))

    @cached_property
    def ratio(self) -> Shape | None:
        """The error and β on a cone, in parameters with standard names; None without an error."""
        error, beta = 1 - self.obligation.probability, self.beta
        if not error.numerator:
            return None
        names = self.region.names
        under = error.denominator * beta.denominator
        positive = under if under == 1 else under * under
        over, below = (OrderedSum((form * positive).numerator, names) for form in (beta, error))
        return shape_of(below, self.cell.cone, self.region.window, over)


def _vertex(
    sides: Iterable[Sequence[int]], ray: Sequence[int], places: Sequence[int]
) -> Matrix | None:
    """Return the point of a ray as multiples of units: a row for each parameter, 0 for units.

    It solves the sides that are 0 on the ray; None if these do not determine it.
    """
    others = [k for k in range(len(ray)) if k not in places]
    tight = [side for side in sides if not dot(side, ray) and any(side[k] for k in others)]
    if len(tight) < len(others):
        return None
    entries = [
        fmpq(q) for side in tight for q in (*(side[k] for k in others), *(-side[k] for k in places))
    ]
    reduced, rank = fmpq_mat(len(tight), len(ray), entries).rref()
    if rank < len(others) or any(reduced[k, k] != 1 for k in range(len(others))):
        return None
    known = {
        k: tuple(fraction(reduced[row, len(others) + j]) for j in range(len(places)))
        for row, k in enumerate(others)
    }
    return tuple(known.get(k, (Fraction(0),) * len(places)) for k in range(len(ray)))


def _from(side: Sequence[int], origin: Matrix, places: Sequence[int]) -> Vector:
    """Return a side of a cone in coordinates with another origin."""
    found = [Fraction(q) for q in side]
    for j, place in enumerate(places):
        found[place] += sum((q * row[j] for q, row in zip(side, origin, strict=True)), Fraction(0))
    return tuple(found)

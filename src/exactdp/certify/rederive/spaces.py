"""The spaces of parameters of a claim on cones, and the check that no input is left out.

A space has parameters θ = (ε, …), and each single number of the input, α and γ, times ε, as a
linear form in them. One space has them all free; on a tie some of them are forms in the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from ..kernel.reading import RealInterval
from . import values
from .cones import PolyhedralCone, Vector, axes, axis, reduced
from .linear import holds
from .parameter_spaces import ParameterSpace
from .parametric import At
from .statement import Statement

_SPACE = "names input tree"
_ZERO = Fraction(0)

Flats = Collection[tuple[object, ...]]
"""What identifies spaces."""


class Spaces(Statement):
    """A claim, and its spaces of parameters."""

    def ray(self) -> PolyhedralCone:
        """Return the region of a single input: only ε moves."""
        return PolyhedralCone(1, self).cut((Fraction(1),))

    def limits(
        self, on: RealInterval, reals: int, levels: int = 0, *, in_box: bool = True
    ) -> list[Vector]:
        """Return sides of the numbers that move: ε, the unit, real inputs, α and γ."""
        first = 1 + (self.unit is not None)
        units = axes(first + reals + levels)
        found = [*units[:first], *units[first + reals :]]
        if self.unit == 0:  # with a logarithm, all ε are examined
            found += between(units[0], units[1], on.lower, on.upper)
        if in_box:
            found += self.box_sides([At(one) for one in units[first : first + reals]], units[0])
        return found

    def cone(self, sides: Sequence[Vector]) -> PolyhedralCone:
        """Return the cone of the numbers that move with these sides."""
        found = PolyhedralCone(len(sides[0]), self)
        for side in sides:
            found = found.cut(side)
        return found

    def space(
        self,
        given: Any,
        limits: Sequence[Vector],
        free: Sequence[str] = (),
        *,
        stands_for: str | None = None,
    ) -> ParameterSpace:
        """Read a space of parameters, with the sides of the numbers that move."""
        names, listed, _, *forms = self.fields(given, " ".join((_SPACE, *free)))
        names = self.entries(names)
        right = names[:1] == ["eps"] and all(isinstance(one, str) for one in names)
        self.require(right and len(set(names)) == len(names) <= 40, "not names of parameters")
        size = len(names)
        kinds = self.derivation.members
        is_fixed = self.is_listed or stands_for is not None
        entries: list[Any] = []
        for one, kind in zip(self.entries(listed, len(kinds)), kinds, strict=True):
            moves = isinstance(one, dict) and "form" in one
            right = moves == (kind is None and not is_fixed)
            self.require(right, "an input that must move does not, or the other way round")
            if moves:
                entries.append(At(self.form(self.fields(one, "form")[0], size)))
                continue
            entries.append(values.value(self, one))
            right = values.is_entry(entries[-1], kind)
            self.require(right, "an input is not of the kind that the program takes")
        level = dict(zip(free, (At(self.form(one, size)) for one in forms), strict=True))
        unit = None
        if self.unit is not None:
            self.require(size > 1 and stands_for is None, "the unit is missing")
            unit = At(axis(1, size))
        cone = PolyhedralCone(size, self)
        space = ParameterSpace(
            size, entries, level.get("alpha"), level.get("gamma"), cone, stands_for, unit
        )
        moving = space.forms
        for side in limits:
            moved = [_ZERO] * size
            for q, form in zip(side, moving, strict=True):
                moved = [a + q * b for a, b in zip(moved, form, strict=True)] if q else moved
            space.region = space.region.cut(moved) if any(moved) else space.region
        return space

    def box_sides(self, entries: Sequence[Any], eps: Vector) -> Iterator[Vector]:
        """Yield the sides that keep an input in the box of the claim; ε is given as a form."""
        real = [one.form for one in entries if isinstance(one, At)]
        for form, (low, high) in zip(real, self.ends or (), strict=False):
            yield from between(form, eps, low, high)

    def unit_at(self, space: ParameterSpace, eps: Fraction) -> Any:
        """Return the unit at an ε: a parameter if it is a logarithm, else the number 1/ε."""
        return 1 / eps if self.unit == 0 else space.unit

    def covering(self, spaces: Sequence[ParameterSpace], cone: PolyhedralCone) -> Flats:
        """Check that each input is in a space; `cone` is that of all numbers that move."""
        flats = {space.flat() for space in spaces}
        whole = tuple(reduced(cone.generators))
        right = all((str(one), whole) in flats for one in self.fixed_inputs())
        self.require(right, "a region is missing")
        return flats

    @property
    def is_by_value(self) -> bool:
        """Whether two outputs agree exactly if they are equal."""
        spec = self.derivation.spec
        named = spec["output_distance"].get("name") in ("discrete", "sup")
        return spec["agreement"] == "equal" or named

    def faces(self, spaces: Sequence[ParameterSpace]) -> bool:
        """Check that each tie of the ideal is a separate space.

        Between ties the ideal output is the same, or it is undefined, and with it the sets of
        inputs that disagree; so dd is continuous in norms, and constant in the discrete distance.
        Where values of the
        output distance meet, fewer γ remain to be looked at.
        """
        flats = {space.flat() for space in spaces}
        for space in spaces:
            for form in sorted(self.ties(space)):
                self.face(space, form, flats)
        return True

    def ties(self, space: ParameterSpace) -> set[Vector]:
        """Return the forms that the ideal compares with 0, and gaps that decide disagreement.

        A form counts if it is 0 somewhere where the comparisons before it come out as on its path,
        and these do so on a full part of the space: otherwise one of them is 0 there, and the input
        is on the tie of that one, which is a space of its own.
        """
        pairs = zip(space.entries, self.derivation.members, strict=True)
        fixed = [None if members is None else one for one, members in pairs]
        found: set[Vector] = set()
        for path, _ in self.derivation.ideal_paths(fixed):
            region = space.region
            for condition, op in path.conditions:
                total = [condition.constant] + [_ZERO] * (space.size - 1)
                for name, c in condition.coefficients.items():
                    moved = space.entries[name].form
                    total = [a + c * b for a, b in zip(total, moved, strict=True)]
                form = tuple(total)
                if not any(form[1:]):
                    if holds(form[0], op):
                        continue
                    break
                if flat_of(region, form, space.positive):
                    found.add(form)
                if op != "!=":
                    region = region.cut([-q for q in form] if op[0] == "<" else form)
                if op == "==" or not region.is_full:
                    break
        spec = self.derivation.spec
        if spec["agreement"] != "equal" and spec["output_distance"].get("name") == "value_gap":
            moving = [one.form for one in space.entries if isinstance(one, At)]
            for one, two in combinations(moving, 2):
                found.add(tuple(a - b for a, b in zip(one, two, strict=True)))
        return {form for form in found if any(form[1:])}

    def face(self, space: ParameterSpace, form: Vector, flats: Flats) -> None:
        """Check that the part of a space where a form is 0 is a space, unless it is empty."""
        directions = flat_of(space.region, form, space.positive)
        right = not directions or space.flat(directions) in flats
        self.require(right, "a tie, at which the claim may jump, is not examined")

    def jumps(self, space: ParameterSpace, flats: Flats) -> None:
        """Check that the probability is continuous on a space, or that its jumps are examined.

        It may jump where the mechanism compares inputs without noise. If the whole space is on one
        side of such a form, and a tie is treated as on that side, then an input on the tie behaves
        as those inside of the space do.
        """
        for form, op in sorted(space.compared):
            side = {">": -1, "<=": -1, ">=": 1, "<": 1}.get(op, 0)
            if not side or not space.region.is_within([[side * q for q in form]]):
                self.face(space, form, flats)


def between(
    form: Vector, unit: Vector, low: Fraction | float, high: Fraction | float
) -> Iterator[Vector]:
    """Yield the conditions that a form is between two multiples of another one."""
    for end, sign in ((low, 1), (high, -1)):
        if isinstance(end, Fraction):
            yield tuple(sign * (a - end * b) for a, b in zip(form, unit, strict=True))


def flat_of(region: PolyhedralCone, form: Vector, positive: int) -> list[Vector]:
    """Return vectors that span the part of a region where a form is 0; none if it is empty.

    So many of the first parameters are positive: ε, and the unit if there is one.
    """
    tie = region.cut(form).cut([-q for q in form])
    found = [tuple(map(Fraction, ray)) for ray in (*tie.rays, *tie.lines)]
    return found if all(any(ray[k] for ray in found) for k in range(positive)) else []

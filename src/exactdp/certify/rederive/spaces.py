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
from .worst_inputs import WorstInputs

_SPACE = "names input alpha gamma tree"
_ZERO = Fraction(0)
_REASONS = ("regret", "every")  # why inputs stand for others


class Spaces(WorstInputs):
    """A claim, and its spaces of parameters."""

    def ray(self) -> PolyhedralCone:
        """Return the region of a single input: only ε moves."""
        return PolyhedralCone(1, self).cut((Fraction(1),))

    def space(self, k: int, given: Any) -> ParameterSpace:
        """Read a space of parameters; what the claim says of them bounds it."""
        self.where = f"region {k + 1}"
        stated = None
        if isinstance(given, dict) and "corner" in given:
            stated = given["corner"]
            given = {name: one for name, one in given.items() if name != "corner"}
        reason = None
        if isinstance(given, dict) and "stands_for" in given:
            reason = given["stands_for"]
            self.require(reason in _REASONS and stated is None, "why a region suffices")
            given = {name: one for name, one in given.items() if name != "stands_for"}
        names, listed, alpha, gamma, _ = self.fields(given, _SPACE)
        names = self.entries(names)
        right = names[:1] == ["eps"] and all(isinstance(one, str) for one in names)
        self.require(right and len(set(names)) == len(names) <= 40, "not names of parameters")
        size = len(names)
        kinds = self.derivation.members
        entries: list[Any] = []
        for one, kind in zip(self.entries(listed, len(kinds)), kinds, strict=True):
            if isinstance(one, dict) and "form" in one:
                right = kind is None and not self.is_listed and reason is None
                self.require(right, "an input that does not move")
                entries.append(At(self.form(self.fields(one, "form")[0], size)))
            else:
                entries.append(values.value(self, one))
                right = kind is not None or self.is_listed or reason is not None
                self.require(right, "a real input that does not move")
                right = reason is None or values.is_entry(entries[-1], kind)
                self.require(right, "an input is not of the kind that the program takes")
        levels = []
        for level, one in zip(self.levels, (alpha, gamma), strict=True):
            self.require(one is None or isinstance(level, RealInterval), "α or γ is fixed")
            levels.append(None if one is None else At(self.form(one, size)))
        region = PolyhedralCone(size, self)
        eps, second = axis(0, size), axis(1, size)
        sides = [eps, *(each.form for each in levels if each is not None)]
        if reason is None and stated is None:  # corners are those of all reals, of a box too
            sides += self.box_sides(entries, eps)
        corner = unit = None
        if stated is not None:
            right = size > 1 and not self.is_listed and self.unit is None
            self.require(right, "no corner")
            sides.append(second)
            corner = self.corner(stated, entries)
        if self.unit is not None:
            self.require(size > 1 and reason is None, "the unit is missing")
            sides.append(second)
            unit = At(second)
            if self.unit == 0:  # with a logarithm, all ε are examined
                sides += between(eps, second, self.epsilon.lower, self.epsilon.upper)
        for side in sides:
            region = region.cut(side)
        return ParameterSpace(
            size, entries, levels[0], levels[1], region, corner=corner, stands_for=reason, unit=unit
        )

    def box_sides(self, entries: Sequence[Any], eps: Vector) -> Iterator[Vector]:
        """Yield the sides that keep an input in the box of the claim; ε is given as a form."""
        real = [one.form for one in entries if isinstance(one, At)]
        for form, (low, high) in zip(real, self.ends or (), strict=False):
            yield from between(form, eps, low, high)

    def unit_at(self, space: ParameterSpace, eps: Fraction) -> Any:
        """Return the unit at an ε: a parameter if it is a logarithm, else the number 1/ε."""
        return 1 / eps if self.unit == 0 else space.unit

    def all_there(self, spaces: list[ParameterSpace]) -> str:
        """Check that no input is left out, and return how the sides of cells are covered."""
        self.require(spaces, "there are none")
        free = {(space.alpha is not None, space.gamma is not None) for space in spaces}
        self.require(self.is_listed or len(free) == 1, "α or γ moves in some regions only")
        if any(space.corner is not None for space in spaces):
            return self.corners_there(spaces)
        if any(space.stands_for is not None for space in spaces):
            return self.few_inputs(spaces)
        frees = {sum(one) for one in free}
        self.covering(spaces, frees)
        if self.is_listed:
            is_free = frees != {0}
            return "; on the sides of cells it holds by continuity in α and γ" if is_free else ""
        if self.is_continuous():
            return (
                "; on the sides of cells it holds by continuity: where dd > 0 in linf or l1, the "
                "inputs around have the same ideal output"
            )
        self.sides(spaces)
        return f"; {len(spaces) - len(self.fixed_inputs())} ties are separate regions"

    def covering(
        self, spaces: list[ParameterSpace], frees: Collection[int] = (0,)
    ) -> set[tuple[object, ...]]:
        """Check that each input is in a region; in each, so many of α and γ move."""
        flats = {space.flat() for space in spaces}
        self.require(len(flats) == len(spaces), "a region occurs twice")
        reals = 0 if self.is_listed else self.derivation.members.count(None)
        first = 1 + (self.unit is not None)
        wholes = [tuple(reduced(self.directions(first + reals + k, first))) for k in frees]
        for one in self.fixed_inputs():
            right = any((str(one), whole) in flats for whole in wholes)
            self.require(right, "a region is missing")
        return flats

    def is_continuous(self) -> bool:
        """Whether what holds inside cells is known to hold on their sides, wherever dd > 0."""
        spec = self.derivation.spec
        metric, is_total = spec["input_distance"].get("name"), not self.derivation.is_partial
        is_norm = metric in ("linf", "l1", "l2")
        return is_norm and self.is_by_value and not self.closed and is_total

    @property
    def is_by_value(self) -> bool:
        """Whether two outputs agree exactly if they are equal."""
        spec = self.derivation.spec
        named = spec["output_distance"].get("name") in ("discrete", "sup")
        return spec["agreement"] == "equal" or named

    def sides(self, spaces: list[ParameterSpace]) -> None:
        """Check that sides of cells on which something may jump are regions."""
        self.derive("sides of cells that are examined separately", lambda: self.faces(spaces))
        spec = self.derivation.spec
        metric, gap = (spec[name].get("name") for name in ("input_distance", "output_distance"))
        right = metric in ("linf", "l1", "l2", "discrete")
        if not right or not (self.is_by_value or gap == "value_gap"):
            what = "sides of cells on which dd jumps and the ideal does not"
            reason = "known only for norms and discrete on inputs, and named gaps of outputs"
            self.not_derived.setdefault(what, []).append(reason)

    def directions(self, size: int, first: int) -> list[list[Fraction]]:
        """Return vectors that span all (ε, …, εx, …) of the claim: εx = cε where a box is flat."""
        found = [list(one) for one in axes(size)]
        flat = []
        for k, (low, high) in enumerate(self.ends or (), start=first):
            if low == high and isinstance(low, Fraction):
                found[0][k] = low
                flat.append(k)
        return [one for k, one in enumerate(found) if k not in flat]

    def faces(self, spaces: list[ParameterSpace]) -> bool:
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

    def face(self, space: ParameterSpace, form: Vector, flats: set[tuple[object, ...]]) -> None:
        """Check that the part of a space where a form is 0 is a space, unless it is empty."""
        directions = flat_of(space.region, form, space.positive)
        right = not directions or space.flat(directions) in flats
        self.require(right, "a tie, at which the claim may jump, is not examined")

    def least(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
        """Check that inputs at which dd is the least α are examined, if the claim is made there.

        On a cell let D be what is stated of dd, so D ≥ dd, also on its sides, as far as dd is
        continuous there. Where the least α, say a, is below D, the claim is made on the cell for
        α from a on, so what holds on its sides holds by continuity. What is left are inputs with
        a = dd = D, if α may be dd. Either D = a on a flat of fewer parameters, which must be a
        space; or D = a on the whole cell. Then the claim is made there, unless α is a parameter:
        then α = a must be a space.
        """
        level = self.levels[0]
        if not self.closed or (isinstance(level, RealInterval) and not level.lower_closed):
            return
        for form in sorted(space.distances):
            if any(form[1:]):
                self.face(space, form, flats)
            elif form[0] == 0 and space.alpha is not None:
                at = space.alpha.form
                start = (at[0] - Fraction(level.lower), *at[1:])
                if any(start[1:]):
                    self.face(space, start, flats)

    def jumps(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
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

"""Certificates of claims by cases, with conditions on ε, α, γ and the input.

A case has conditions that are linear in α, γ and the inputs, with coefficients that are functions
of ε; a range or a formula for each of α and γ; and formulas whose maximum is β. The claim is the
conjunction of all cases. For each case, and each input or each value of the finite entries, a
tree cuts the parameters by values of ε and by linear forms, so its leaves cover everything. At a
leaf the conditions are replaced by linear ones that they imply for its ε: a stronger statement than
the claim is proved. Then the leaf is a region as in `claims`.

If 1/ε is combined with reals, or occurs in conditions, it is an additional variable: scaled by ε it
is the parameter 1, the unit. It is log b for a number b if log(b)/ε is combined with reals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from ..kernel.reading import RealInterval
from . import formulas, values
from .case_conditions import CaseConditions, Coordinates, Leaf
from .cones import PolyhedralCone, Vector, axis, leaves, reduced
from .derivation import single
from .parameter_spaces import ParameterSpace
from .parametric import At
from .points import vector_of
from .refutations import Case, Side
from .values import counted

_PARTS = (
    "mechanism ideal cases input_distance output_distance boundary agreement epsilon inputs unit"
)
_GROUP = "case input free tree"
_ZERO = Fraction(0)
_ANY = RealInterval(_ZERO, True, inf, False)


class CaseClaims(CaseConditions):
    """One pass over the certificate of a claim by cases; raises if something is not proved."""

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.read_setting(spec)
        self.read_unit(spec["unit"])
        self.cases = []
        for one in self.entries(spec["cases"]):
            # Without inputs it was written before cases had any.
            whole = {"inputs": None, **one} if isinstance(one, dict) else one
            when, alpha, gamma, betas, inputs = self.fields(whole, "when alpha gamma beta inputs")
            sides = []
            for side in self.entries(when):
                form, strict = self.fields(side, "form strict")
                self.require(type(strict) is bool, "a condition is strict or not")
                sides.append(Side(formulas.read(self, form), strict))
            levels = values.level(self, alpha), values.level(self, gamma)
            trees = [formulas.read(self, tree) for tree in self.entries(betas)]
            self.require(trees, "there is no β")
            self.cases.append(Case(sides, levels, trees, self.inputs_of_case(inputs)))
        right = all(any(case.is_at(one) for case in self.cases) for one in self.fixed_inputs())
        self.require(right, "no case is claimed at an input")
        self.levels, self.beta = (_ANY, _ANY), None  # see `enter`
        self.claim = self.sentence(spec)

    def inputs_of_case(self, given: Any) -> tuple[str, ...] | None:
        """Read the listed inputs at which a case is claimed; None for all inputs."""
        if given is None:
            return None
        found = tuple(str(single(self.input_of_claim(u))) for u in self.entries(given))
        self.require(self.is_listed and found, "a case is not claimed at listed inputs")
        return found

    def all_cases(self, entries: list[Any]) -> list[Case]:
        """Return the cases."""
        del entries
        return self.cases

    def levels_said(self) -> str:
        """Return α, β and γ in words."""
        return "; and ".join(case.said() for case in self.cases[:5]) + "; …" * (len(self.cases) > 5)

    # That it holds --------------------------------------------------------------------

    def holds(self, parts: dict[str, Any]) -> str:
        """Check that the claim holds, and return how that is proved."""
        wanted = [
            (k, one)
            for k, case in enumerate(self.cases)
            for one in self.fixed_inputs()
            if case.is_at(one)
        ]
        self.where = "the regions"
        groups = self.entries(parts["regions"], len(wanted))
        regions = 0
        for number, (given, (k, fixed)) in enumerate(zip(groups, wanted, strict=True), 1):
            self.where = f"group {number}"
            case, entries, free, tree = self.fields(given, _GROUP)
            right = self.integer(case, 0, len(self.cases) - 1) == k
            found = [
                None if one is None else values.value(self, one) for one in self.entries(entries)
            ]
            self.require(right and found == fixed, "a case or an input is left out")
            at = self.coordinates(free, fixed)
            for leaf, node in self.parts(Leaf(at, fixed, self.whole, ()), tree):
                regions += self.group_leaf(self.cases[k], leaf, node)
        self.says_nothing = self.silent == self.leaves
        return (
            f"{counted(self.leaves, 'cell')} of {counted(regions, 'region')} cover the cases, it "
            f"says nothing on {self.silent} of them, {counted(len(self.signs), 'sign')} prove the "
            "others"
        )

    def coordinates(self, free: Any, fixed: list[Any]) -> Coordinates:
        """Read which of α and γ are free."""
        names = tuple(self.entries(free))
        right = names in ((), ("alpha",), ("gamma",), ("alpha", "gamma"))
        self.require(right, "not α or γ")
        return Coordinates(self.unit is not None, fixed.count(None) * (not self.is_listed), names)

    def parts(self, leaf: Leaf, tree: Any) -> Iterator[tuple[Leaf, Any]]:
        """Yield the parts into which a tree cuts a group, with the statements about each."""
        waiting = [(leaf, tree)]
        while waiting:
            part, node = waiting.pop()
            if isinstance(node, dict) and "at" in node:
                at, below, above = self.fields(node, "at below above")
                point = self.rational(at)
                self.require(part.on.lower < point < part.on.upper, "a cut outside")
                lower = part.on._replace(upper=point, upper_closed=True)
                upper = part.on._replace(lower=point, lower_closed=True)
                waiting += [(part._replace(on=upper), above), (part._replace(on=lower), below)]
            elif isinstance(node, dict) and "form" in node:
                listed, above, below = self.fields(node, "form above below")
                form = self.form(listed, part.at.size)
                minus = tuple(-q for q in form)
                waiting += [
                    (part._replace(cuts=(*part.cuts, minus)), below),
                    (part._replace(cuts=(*part.cuts, form)), above),
                ]
            else:
                yield part, node

    def group_leaf(self, case: Case, leaf: Leaf, given: Any) -> int:
        """Check a part of a group: its conditions, that its regions are all, and these."""
        part, sides, listed = self.fields(given, "part sides regions")
        self.enter(case, self.integer(part, 0, len(case.betas)), leaf)
        rows = self.rows(case, leaf, sides)
        cone = PolyhedralCone(leaf.at.size, self)
        for row in rows:
            cone = cone.cut(row)
        found = self.entries(listed)
        if not any(ray[0] for ray in cone.generators):
            self.require(not found, "a region without ε")
            return 0
        is_empty = leaf.at.unit and not any(ray[1] for ray in cone.generators)  # the unit is not 0
        if not found and (is_empty or self.excludes(cone.generators)):
            return 0
        spaces = [self.case_space(leaf, rows, one) for one in found]
        self.require(spaces, "a region is missing")
        flats = [space.flat() for space in spaces]
        wanted = str([None if is_moving else one for one, is_moving in self.moved(leaf)])
        whole = (wanted, tuple(reduced(cone.generators)))
        self.require(flats[0] == whole, "the first region is not the whole part")
        if not self.is_listed and not self.is_continuous():
            self.sides(spaces)
        here = self.where
        for k, (space, one) in enumerate(zip(spaces, found, strict=True)):
            self.where = f"{here}, region {k + 1}"
            for region, cell in leaves(space.region, one["tree"]):
                self.leaf(space, region, cell)
            self.jumps(space, set(flats))
            self.least(space, set(flats))
        if any(isinstance(one, RealInterval) for one in self.levels):
            for beta in case.betas if part == len(case.betas) else [self.beta]:
                self.falls(self.at_input(beta, spaces[0].entries), spaces[0])
        self.where = here
        return len(spaces)

    def beyond(
        self, space: ParameterSpace, region: PolyhedralCone, dd: Any
    ) -> tuple[Fraction, ...]:
        """Return dd minus the least α, or minus α where it is a parameter, as a form."""
        if space.alpha is None:
            return super().beyond(space, region, dd)
        pairs = zip(vector_of(dd, space.size), space.alpha.form, strict=True)
        return tuple(d - a for d, a in pairs)

    def least(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
        """Check that α = dd is examined, where the claim is made.

        On a cell let D be what is stated of dd, so D ≥ dd, also on its sides. Where α < D, the
        claim is proved on the cell and, by continuity, on its sides. What is left are α = dd = D:
        D = α on the whole cell, where the claim is made; or on a flat, which must be a space.
        """
        if space.alpha is None:
            super().least(space, flats)
            return
        for form in sorted(space.distances):
            if any(form[1:]):
                self.face(space, form, flats)

    def enter(self, case: Case, part: int, leaf: Leaf) -> None:
        """Examine one formula for β of a case, or a mean of all of them, at the ε of a part.

        The mean Σ β³ / Σ β² has nonnegative weights, so it is nowhere above the largest β.
        """
        self.levels, self.epsilon = case.levels, leaf.on
        is_mean = part == len(case.betas)
        self.beta = formulas.mean(case.betas) if is_mean else case.betas[part]

    # Regions --------------------------------------------------------------------------

    def case_space(self, leaf: Leaf, rows: Sequence[Vector], given: Any) -> ParameterSpace:
        """Read a region of a part."""
        names, listed, alpha, gamma, _ = self.fields(given, "names input alpha gamma tree")
        size = len(self.entries(names))
        self.require(0 < size <= 40 and names[0] == "eps", "not names of parameters")
        entries: list[Any] = []
        for (value, moves), one in zip(
            self.moved(leaf), self.entries(listed, len(leaf.fixed)), strict=True
        ):
            if moves:
                entries.append(At(self.form(self.fields(one, "form")[0], size)))
            else:
                self.require(values.value(self, one) == value, "another input")
                entries.append(value)
        levels = []
        for name, one in (("alpha", alpha), ("gamma", gamma)):
            self.require((one is not None) == (name in leaf.at.free), "α or γ is not free")
            levels.append(None if one is None else At(self.form(one, size)))
        unit = None
        if leaf.at.unit:
            self.require(size > 1, "the unit is missing")
            unit = At(axis(1, size))
        space = ParameterSpace(
            size, entries, levels[0], levels[1], PolyhedralCone(size, self), unit=unit
        )
        forms = space.forms
        for row in rows:
            moved = [_ZERO] * size
            for q, form in zip(row, forms, strict=True):
                moved = [a + q * b for a, b in zip(moved, form, strict=True)]
            space.region = space.region.cut(moved) if any(moved) else space.region
        return space

"""Certificates of claims: a mechanism is (α, β, γ)-accurate at given, or all real, inputs.

Everything is scaled by ε: θ = (ε, εx, …, εα, εγ). For each case of the claim, and each input or
each value of the finite entries, a tree cuts the parameters by values of ε and by linear forms, so
its leaves cover everything. At a leaf the conditions of the case are replaced by linear ones that
they imply for its ε: a stronger statement than the claim is proved. Then the leaf is a region, with
a region for each tie on which the claim may jump. A region is cut into cells by a tree of linear
forms. Most claims have one case without conditions, and trees of one leaf; a single input is a
region in which only ε varies, and one cell.

If 1/ε is combined with reals, or occurs in conditions, it is an additional variable: scaled by ε it
is the parameter 1, the unit. It is log b for a number b if log(b)/ε is combined with reals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..kernel.reading import RealInterval
from . import formulas
from .case_conditions import CaseConditions, Coordinates, Leaf
from .cones import Vector, axes, leaves, reduced
from .obligations import follows
from .parameter_spaces import ParameterSpace
from .spaces import Flats
from .values import counted

_FREE = ((), ("alpha",), ("gamma",), ("alpha", "gamma"))
_REASONS = ("regret", "every")  # why inputs stand for others


class Claims(CaseConditions):
    """One pass over the certificate of a claim; raises if something is not proved."""

    def __init__(self) -> None:
        super().__init__()
        self.regions = self.wholes = 0
        self.why = ""

    # The whole ------------------------------------------------------------------------

    def holds(self, parts: dict[str, Any]) -> str:
        """Check that the claim holds, and return how that is proved."""
        self.where = "the regions"
        groups = self.entries(parts["regions"])
        if len(groups) == 1 and isinstance(groups[0], dict) and "stands_for" in groups[0]:
            self.few(groups[0])
        else:
            self.every(groups)
        self.says_nothing = self.silent == self.leaves
        how = ", ".join(f"{count} by {name}" for name, count in sorted(self.methods.items()))
        on_cones = f" (simplicial parts: {how})" if how else ""
        why = self.why.format(count=self.regions, ties=self.regions - self.wholes)
        return (
            f"{counted(self.leaves, 'cell')} of {counted(self.regions, 'region')} "
            f"{'covers' if self.leaves == 1 else 'cover'} the "
            f"{'inputs' if len(self.cases) == 1 else 'cases'}, it says nothing on "
            f"{self.silent} of them, {counted(len(self.signs), 'sign')} "
            f"{'proves' if len(self.signs) == 1 else 'prove'} the others{on_cones}"
            f"{why and f'; {why}'}"
        )

    def few(self, given: Any) -> None:
        """Check regions whose inputs stand for all."""
        reason, free, listed = self.fields(given, "stands_for free regions")
        self.require(reason in _REASONS, "why a region suffices")
        case = self.cases[0]
        leaf = Leaf(case, self.coordinates(free, 0), [], self.whole, stands_for=reason)
        self.enter(case, 0, leaf.on)
        rows = self.rows(leaf, [], in_box=False)
        spaces = [self.region(one, leaf, rows) for one in self.entries(listed)]
        self.require(spaces, "a region is missing")
        self.all_levels(spaces, leaf, 1)
        self.why = self.few_inputs(spaces)
        self.cells(leaf, 0, spaces, listed)

    def every(self, groups: list[Any]) -> None:
        """Check the group of each case at each input, or at each value of the finite entries."""
        wanted = [*self.wanted()]
        self.require(len(groups) == len(wanted), "a region is missing, or is too many")
        for number, (given, (case, fixed)) in enumerate(zip(groups, wanted, strict=True), 1):
            self.where = f"group {number}"
            free, tree = self.fields(given, "free tree")
            at = self.coordinates(free, self.reals)
            for leaf, node in self.parts(Leaf(case, at, fixed, self.whole), tree):
                self.part_of_group(leaf, node)

    def all_levels(self, spaces: Sequence[ParameterSpace], leaf: Leaf, first: int) -> None:
        """Check that in regions that stand for others all α and γ that are free occur.

        They do so if they, and the first parameters (ε, and the a of a corner), are independent.
        """
        for space in spaces:
            levels = [one.form for one in (space.alpha, space.gamma) if one is not None]
            forms = [*axes(space.size)[:first], *levels]
            right = len(reduced(forms)) == first + len(leaf.at.free)
            self.require(right, "some α or γ are left out")

    def coordinates(self, given: Any, reals: int) -> Coordinates:
        """Read which of α and γ are free."""
        free = tuple(self.entries(given))
        self.require(free in _FREE, "not α or γ")
        return Coordinates(self.unit is not None, reals, free)

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

    def part_of_group(self, leaf: Leaf, given: Any) -> None:
        """Check a part of a group: its conditions, that its regions are all, and these."""
        part, sides, listed = self.fields(given, "part sides regions")
        self.enter(leaf.case, self.integer(part, 0, len(leaf.case.betas)), leaf.on)
        found = self.entries(listed)
        at_corners = any(isinstance(one, dict) and "corner" in one for one in found)
        # Corners are those of all reals, of a box too.
        rows = self.rows(leaf, sides, in_box=not at_corners)
        spaces = [self.region(one, leaf, rows) for one in found]
        if at_corners:
            self.require(not leaf.cuts and not sides, "corners are those of all inputs")
            self.require(all(one.corner for one in spaces), "some regions are not corners")
            self.all_levels(spaces, leaf, 2)
            self.why = self.corners_there(leaf.fixed, spaces)
            self.cells(leaf, part, spaces, found)
            return
        flats = self.all_there(leaf, rows, spaces)
        if flats:
            self.cells(leaf, part, spaces, found, flats)

    def region(self, given: Any, leaf: Leaf, rows: Sequence[Vector]) -> ParameterSpace:
        """Read a region of a part."""
        if isinstance(given, dict) and "corner" in given:
            return self.corner_space(given, rows, leaf.at.free)
        return self.space(given, rows, leaf.at.free, stands_for=leaf.stands_for)

    def all_there(
        self, leaf: Leaf, rows: Sequence[Vector], spaces: Sequence[ParameterSpace]
    ) -> Flats:
        """Check that the first region is the whole part, and that its ties are regions.

        Return what identifies the regions; there is none where conditions leave no ε, or nothing.
        """
        is_same = bool(spaces) and spaces[0].forms == axes(leaf.at.size)
        cone = spaces[0].region if is_same else self.cone(rows)
        if not any(ray[0] for ray in cone.generators):
            self.require(not spaces, "a region without ε")
            return set()
        is_empty = leaf.at.unit and not any(ray[1] for ray in cone.generators)  # the unit is not 0
        if not spaces and (is_empty or self.excludes(cone.generators)):
            return set()
        self.require(spaces, "a region is missing")
        whole = str(leaf.fixed), tuple(reduced(cone.generators))
        flats = [space.flat() for space in spaces]
        self.require(flats[0] == whole, "the first region is not the whole part")
        self.wholes += 1
        if self.is_listed:
            if leaf.at.free:
                self.why = "on the sides of cells it holds by continuity in α and γ"
        elif self.is_continuous():
            self.why = (
                "on the sides of cells it holds by continuity: where dd > 0 in linf or l1, the "
                "inputs around have the same ideal output"
            )
        else:
            self.sides(spaces)
            self.why = "{ties} ties are separate regions"
        return {*flats}

    def cells(
        self,
        leaf: Leaf,
        part: int,
        spaces: Sequence[ParameterSpace],
        given: Sequence[Any],
        flats: Flats | None = None,
    ) -> None:
        """Check the cells of regions, that no tie is left out if there may be, and that β falls."""
        here, said = self.where, self.leaves - self.silent
        for k, (space, one) in enumerate(zip(spaces, given, strict=True), 1):
            self.where = f"{here}, region {k}"
            for region, cell in leaves(space.region, one["tree"]):
                self.leaf(space, region, cell)
            if flats is not None:  # at corners no input is compared without noise
                self.jumps(space, flats)
                self.least(space, flats)
        self.where = here
        self.regions += len(spaces)
        if self.leaves - self.silent > said:
            for beta in leaf.case.betas if part == len(leaf.case.betas) else [self.beta]:
                self.falls(self.at_input(beta, spaces[0].entries), leaf.at.free)

    # Between cells --------------------------------------------------------------------

    def falls(self, beta: formulas.Tree, free: Sequence[str]) -> None:
        """Require that β decreases where the largest α or γ represents all."""
        if follows(*self.levels):
            beta = formulas.bound(beta, "gamma", self.levels[1])
        for name, level in zip(("alpha", "gamma"), self.levels, strict=True):
            if isinstance(level, RealInterval) and name not in free:
                right = formulas.falls(beta, name, self.sign_known)
                self.require(right, f"β is not seen to fall in {name}")

    def is_continuous(self) -> bool:
        """Whether what holds inside cells is known to hold on their sides, wherever dd > 0."""
        spec = self.derivation.spec
        metric, is_total = spec["input_distance"].get("name"), not self.derivation.is_partial
        is_norm = metric in ("linf", "l1", "l2")
        return is_norm and self.is_by_value and not self.closed and is_total

    def sides(self, spaces: Sequence[ParameterSpace]) -> None:
        """Check that sides of cells on which something may jump are regions."""
        self.derive("sides of cells that are examined separately", lambda: self.faces(spaces))
        spec = self.derivation.spec
        metric, gap = (spec[name].get("name") for name in ("input_distance", "output_distance"))
        right = metric in ("linf", "l1", "l2", "discrete")
        if not right or not (self.is_by_value or gap == "value_gap"):
            what = "sides of cells on which dd jumps and the ideal does not"
            reason = "known only for norms and discrete on inputs, and named gaps of outputs"
            self.not_derived.setdefault(what, []).append(reason)

    def least(self, space: ParameterSpace, flats: Flats) -> None:
        """Check that inputs at which dd is the least α are examined, if the claim is made there.

        On a cell let D be what is stated of dd, so D ≥ dd, also on its sides, as far as dd is
        continuous there. Let a be α where it is a parameter, else the least α. Where a < D, the
        claim is proved on the cell and, by continuity, on its sides. What is left are inputs with
        a = dd = D, if α may be dd. Either D = a on the whole cell, where the claim is made; or on a
        flat of fewer parameters, which must be a space.
        """
        level = self.levels[0]
        if space.alpha is None and isinstance(level, RealInterval) and not level.lower_closed:
            return
        for form in sorted(space.distances):  # none if α must be below dd
            if any(form[1:]):
                self.face(space, form, flats)

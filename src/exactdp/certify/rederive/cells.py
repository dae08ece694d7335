"""Cells of claims of accuracy: what is stated of one follows from the program and the claim.

At a cell the checker re-derives from the program's source the ideal output, the distance to
disagreement dd (not larger than stated) and the probability, and from the claim the α and γ that
matter and β there, as functions on the whole cell. The sign of Pr − 1 + β is that of a function
that is proved to be nonnegative on a cone around the cell. What holds inside a cone holds on its
sides by continuity, as long as the claim is the same there. What cannot be re-derived is taken from
the solver, counted and named in the report.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

from ..kernel.reading import RealInterval, RejectedError
from . import formulas, values
from .cones import PolyhedralCone, UndecidedError, axis, leaves
from .derivation import UNDEFINED
from .distances import ratio
from .formulas import Tree
from .linear import LinearForm, is_number, plain
from .obligations import Levels, Required, due, follows, top
from .parameter_spaces import ParameterSpace
from .parametric import At, ProgramOnCone
from .points import InsideCone, number_of, vector_of
from .ratios import EPS, Ratio, UnsupportedError, variable
from .refutations import Refutations

_CELL = "output distance steps obligations parts"
_OBLIGATION = "alpha alpha_reached gamma gamma_reached probability beta"


class Cells(Refutations):
    """Checks what is stated of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.leaves = 0
        self.silent = 0

    def leaf(self, space: ParameterSpace, region: PolyhedralCone, given: Any) -> None:
        """Check a leaf of the tree of a region."""
        (cell,) = self.fields(given, "cell")
        self.require(region.is_full == (cell is not None), "a cell is left out, or has no inputs")
        if cell is None:
            return
        self.leaves += 1
        here = self.where
        self.where = f"{here}, cell {self.leaves}"
        try:
            self.cell(space, region, cell)
        except UndecidedError as error:
            self.require(False, str(error))
        self.where = here

    def cell(self, space: ParameterSpace, region: PolyhedralCone, given: Any) -> None:
        """Check the statements about one cell."""
        output, distance, steps, obligations, tree = self.fields(given, _CELL)
        if output == {"undefined": True}:
            more = (distance, steps, obligations)
            self.require(all(one is None for one in more), "something is stated of no output")
            self.undefined(space, region, tree)
            return
        ideal, dd = self.value(output, space.size), self.number(distance, InsideCone(region))
        self.require(dd >= 0, "a distance is negative")
        if space.corner is not None:
            self.at_corner(space, region, ideal, dd)
        if space.position is not None:
            right = type(ideal) is int and ideal == space.position
            self.require(right, "a cell is of another ideal output")
        programs: list[ProgramOnCone] = []
        for part, leaf in leaves(region, tree):
            (near,) = self.fields(leaf, "near")
            if part.is_full:
                programs.append(ProgramOnCone(self.derivation, part, space.entries, space.unit))
                self.part(programs[-1], ideal, distance, near)
        if dd != inf and self.closed:
            space.distances.add(self.beyond(space, region, dd))
        wanted = self.due(space, region, dd, steps)
        if wanted is None:
            right = obligations is None and steps is None and space.position is None
            self.require(right, "nothing is claimed here")
            self.silent += 1
            return
        stated = self.obligations(space, region, wanted, obligations)
        found = self.derive(
            "closed forms",
            lambda: [self.agrees(space, one, ideal, steps, stated) for one in programs],
        )
        self.require(found is None or all(found), "the program has another probability")

    def undefined(self, space: ParameterSpace, region: PolyhedralCone, tree: Any) -> None:
        """Check that the ideal is not defined on a cell: nothing is claimed there."""
        right = space.corner is None and space.stands_for is None
        self.require(right, "an input that stands for others, at which the ideal is not defined")
        for part, leaf in leaves(region, tree):
            (near,) = self.fields(leaf, "near")
            self.require(near is None, "an input that disagrees with none")
            if part.is_full:
                program = ProgramOnCone(self.derivation, part, space.entries, space.unit)
                self.part(program, UNDEFINED, None, None)
        self.silent += 1

    def at_corner(self, space: ParameterSpace, region: PolyhedralCone, ideal: Any, dd: Any) -> None:
        """Check that a cell proves the claim for the output of its corner, for all α below a."""
        assert space.corner is not None
        wanted = at_entries(space.corner.output, space)
        self.require(ideal == wanted, "a cell is of another ideal output")
        least: Any = Fraction(1)  # of the discrete distance
        if self.derivation.spec["input_distance"]["name"] != "discrete":
            least = number_of(axis(1, space.size), InsideCone(region))
        self.require(dd == inf or bool(dd >= least), "a corner is closer than a to disagreement")

    def part(self, program: ProgramOnCone, ideal: Any, distance: Any, near: Any) -> None:
        """Check the ideal output and that dd is not larger, on a part of a cell."""
        found = self.derive("ideal outputs", lambda: (program.ideal(),))
        self.require(found is None or found[0] == ideal, "the ideal output is another one")
        if ideal is UNDEFINED:
            return
        dd = self.number(distance, program.judge)
        self.require((near is None) == (dd == inf), "a nearest input that disagrees, or none")
        if near is not None:
            what = "distances to disagreement (not larger)"
            self.derive(what, lambda: self.nearest(program, ideal, dd, near))

    def value(self, given: Any, size: int) -> Any:
        """Read an output, whose numbers may be forms."""
        if isinstance(given, list):
            return tuple(self.value(one, size) for one in given)
        if isinstance(given, dict) and "form" in given:
            form = self.form(self.fields(given, "form")[0], size)
            return At(form) if any(form[1:]) else plain(form[0])
        return values.value(self, given)

    def number(self, given: Any, judge: InsideCone) -> Any:
        """Read a form, as a number to calculate with, or "inf"."""
        return inf if given == "inf" else number_of(self.form(given, judge.region.size), judge)

    def nearest(self, program: ProgramOnCone, ideal: Any, dd: Any, near: Any) -> None:
        """Check that inputs that disagree are as near as stated."""
        at, towards, germs = self.fields(near, "at towards germs")
        members, size = self.derivation.members, program.region.size
        v = [self.value(one, size) for one in self.entries(at, len(members))]
        right = all(
            values.is_entry(one, member) or (isinstance(one, At) and member is None)
            for one, member in zip(v, members, strict=True)
        )
        self.require(right, "the nearest input is not of the kind that the program takes")
        slopes = None
        if towards is not None:
            slopes = [self.rational(one) for one in self.entries(towards, len(v))]
            right = all(m is None for slope, m in zip(slopes, members, strict=True) if slope)
            self.require(right, "an entry of a finite domain cannot move a little")
        right = germs is False or (germs is True and slopes is not None and size == 1)
        self.require(right, "germs are for directions at a single input")
        try:
            found = program.reached(ideal, v, slopes, with_germs=germs)
        except UnsupportedError:
            if germs or slopes is None or size > 1:
                raise
            found = program.reached(ideal, v, slopes, with_germs=True)  # so it can be checked
        self.require(found is not None, "the nearest input that is given does not disagree")
        if self.derivation.spec["input_distance"].get("name") == "l2":
            unit, square = found
            rest = dict(dd.coefficients) if isinstance(dd, LinearForm) else {}
            stated = {**rest, 1: Fraction(dd.constant if rest else dd)}
            q = ratio({name: c for name, c in stated.items() if c}, unit)
            self.require(q * q >= square, "the nearest input is further away")
            return
        self.require(found == dd, "the nearest input is not as far away as stated")

    def beyond(
        self, space: ParameterSpace, region: PolyhedralCone, dd: Any
    ) -> tuple[Fraction, ...]:
        """Return dd minus α where it is a parameter, or minus the least α, as a form."""
        level, judge = self.levels[0], InsideCone(region)
        least: Any
        if space.alpha is not None:
            least = number_of(space.alpha.form, judge)
        elif isinstance(level, RealInterval):
            least = level.lower
        else:
            least = self.level_at(level, space, judge)
        return vector_of(dd - least, space.size)

    # What must be shown ---------------------------------------------------------------

    def due(
        self, space: ParameterSpace, region: PolyhedralCone, dd: Any, steps: Any
    ) -> list[Required] | None:
        """Return what must be shown on a cell; None if the claim says nothing there."""
        judge = InsideCone(region)
        level, gamma = self.levels
        highest: tuple[Any, bool] | None
        if isinstance(level, RealInterval) and space.alpha is None:
            highest = top(level, dd, closed=self.closed)
        else:
            alpha = (
                self.level_at(level, space, judge)
                if space.alpha is None
                else number_of(space.alpha.form, judge)
            )
            right = alpha < dd or (self.closed and alpha == dd)
            right = right and (not isinstance(level, RealInterval) or _is_in(level, alpha))
            highest = (alpha, True) if right else None
        if highest is None:
            return None
        if space.gamma is not None:
            radius = number_of(space.gamma.form, judge)
            if isinstance(gamma, RealInterval) and not _is_in(gamma, radius):
                return None
            return [Required(Levels(*highest, radius, True), radius)]
        moves = follows(*self.levels) and space.alpha is None
        self.require(not moves or space.size == 1, "γ moves with α")
        if isinstance(gamma, RealInterval) or moves:
            listed = [self.number(one, judge) for one in self.entries(steps)]
            right = listed[:1] == [0] and all(a < b for a, b in pairwise(listed))
            self.require(right, "the values of the output distance are not 0 and rising")
            return list(
                due(
                    self.levels,
                    highest,
                    listed,
                    lambda alpha: self.level_at(gamma, space, judge, alpha),
                )
            )
        self.require(steps is None, "values of the output distance are not needed")
        radius = self.level_at(gamma, space, judge, highest[0])
        return [Required(Levels(*highest, radius, True), radius)]

    def level_at(
        self, tree: Tree, space: ParameterSpace, judge: InsideCone, alpha: Any = None
    ) -> Any:
        """Return what a formula for α or γ is on a cell, at an α."""
        given = {name: self.entry(name, space, alpha) for name in formulas.names(tree)}
        found = formulas.alternatives(tree, given)
        vector = found[0].vector(space.size) if len(found) == 1 else None
        if vector is None:
            raise RejectedError(f"{self.where}: α or γ is not linear, or depends on ε")
        return number_of(vector, judge)

    def entry(self, name: str, space: ParameterSpace, alpha: Any) -> Ratio:
        """Return the meaning of a name in a formula."""
        if name == "alpha" and alpha is not None and alpha != inf:
            return Ratio.line(vector_of(alpha, space.size))
        if name == self.unit_name and space.unit is not None:
            return Ratio.line(space.unit.form) * EPS
        self.require(name in self.entry_names, "a name in a formula is not known")
        found = space.entries[self.entry_names.index(name)]
        if isinstance(found, At):
            return Ratio.line(found.form)
        self.require(is_number(found), "a name in a formula is not a number")
        return Ratio.number(found)

    def betas(self, beta: Tree, point: Levels, space: ParameterSpace) -> list[Ratio] | None:
        """Return the forms whose minimum is β, if they can be re-derived."""

        def derived() -> list[Ratio]:
            tree = beta
            if follows(*self.levels):
                tree = formulas.bound(tree, "gamma", self.levels[1])
            given: dict[str, Ratio] = {}
            endless: list[int] = []
            for k, name in enumerate(("alpha", "gamma")):
                value = (point.alpha, point.gamma)[k]
                if value == inf:
                    endless.append(space.size + k)
                    given[name] = variable(endless[-1]) / EPS
                else:
                    given[name] = Ratio.line(vector_of(value, space.size))
            for name in formulas.names(tree) - given.keys():
                given[name] = self.entry(name, space, None)
            return formulas.beta(tree, given, endless)

        return self.derive("β at α and γ", derived)

    def obligations(
        self,
        space: ParameterSpace,
        region: PolyhedralCone,
        wanted: list[Required],
        given: Any,
    ) -> list[tuple[Any, Ratio]]:
        """Check the obligations on a cell (α, γ, β, signs); return radii and probabilities."""
        beta = self.at_input(self.beta, space.entries)
        betas = [self.betas(beta, one.point, space) for one in wanted]
        pairs = [
            (one, forms) for one, forms in zip(wanted, betas, strict=True) if forms is None or forms
        ]
        judge = InsideCone(region)
        stated: list[tuple[Any, Ratio]] = []
        here = self.where
        listed = self.entries(given, len(pairs))
        for k, (one, (due_here, expected)) in enumerate(zip(listed, pairs, strict=True), 1):
            self.where = f"{here}, obligation {k}"
            a, a_reached, g, g_reached, chance, alternatives = self.fields(one, _OBLIGATION)
            right = type(a_reached) is bool and type(g_reached) is bool
            at = Levels(self.number(a, judge), a_reached, self.number(g, judge), g_reached)
            self.require(right and at == due_here.point, "α and γ do not follow from the claim")
            probability = self.quotient(chance, space.size)
            stated.append((due_here.radius, probability))
            self.alternatives(region, probability, alternatives, expected)
        self.where = here
        return stated

    def alternatives(
        self, region: PolyhedralCone, probability: Ratio, given: Any, expected: list[Ratio] | None
    ) -> None:
        """Check the forms of β, and that Pr − 1 + β ≥ 0 is proved for each of them."""
        forms: list[Ratio] = []
        for alternative in self.entries(given):
            has_origin = isinstance(alternative, dict) and "origin" in alternative
            names = "form under sign kept origin" if has_origin else "form under sign kept"
            form, *proof = self.fields(alternative, names)
            forms.append(self.quotient(form, region.size))
            self.bound_is_proved(region, probability - 1 + forms[-1], proof)
        self.require(forms, "there is no β")
        if expected is not None:
            right = all(one in expected for one in forms) and all(one in forms for one in expected)
            self.require(right, "β is not as claimed")

    def agrees(
        self,
        space: ParameterSpace,
        program: ProgramOnCone,
        ideal: Any,
        steps: Any,
        stated: list[tuple[Any, Ratio]],
    ) -> bool:
        """Whether the program has the probabilities that are stated, on a part of a cell."""
        size, judge = space.size, program.judge
        if steps is not None:
            listed = [self.number(one, judge) for one in steps]
            steps_found = program.steps(ideal)
            right = len(listed) == len(steps_found) and all(
                bool(a == b) for a, b in zip(listed, steps_found, strict=True)
            )
            self.require(right, "the output distance has other values")
        for radius, probability in stated:
            here = inf if radius == inf else number_of(vector_of(radius, size), judge)
            by_itself = space.position is not None  # where only one output counts as right
            found = program.exactly(ideal) if by_itself else program.probability(ideal, here)
            if found != probability:
                return False
        space.compared |= program.mechanism.compared
        return True


def _is_in(level: RealInterval, number: Any) -> bool:
    """Whether a number, perhaps a form, is in a range."""
    above = number > level.lower or (level.lower_closed and number == level.lower)
    below = number < level.upper or (level.upper_closed and number == level.upper)
    return bool(above and below)


def at_entries(output: Any, space: ParameterSpace) -> Any:
    """Return an output whose numbers are forms in the entries, in the parameters of a space."""
    if isinstance(output, tuple):
        return tuple(at_entries(one, space) for one in output)
    if not isinstance(output, At):
        return output
    total = [output.form[0], *[Fraction(0)] * (space.size - 1)]
    for q, entry in zip(output.form[1:], space.entries, strict=True):
        if q:
            total = [a + q * b for a, b in zip(total, entry.form, strict=True)]
    return At(tuple(total)) if any(total[1:]) else plain(total[0])

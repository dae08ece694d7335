"""Finds the parts into which the checker must divide a cell, using its own steps.

The checker rederives a claim on a whole cell of parameters. If one of its comparisons has two
answers there, the cell must be divided. This module searches for the cuts, so that the checker
need not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.case_conditions import Leaf as CheckedLeaf
from exactdp.certify.rederive.claims import Claims
from exactdp.certify.rederive.cones import PolyhedralCone, UndecidedError, Vector
from exactdp.certify.rederive.derivation import UNDEFINED
from exactdp.certify.rederive.parameter_spaces import ParameterSpace
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.proofs import Proofs
from exactdp.certify.rederive.ratios import MalformedError, UnsupportedError, WrongProgramError
from exactdp.claims.certificates.document import assume_orders
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import spell
from exactdp.semantics.spots import OnFaceError

_MOST = 500  # parts of a cell
_REFUSALS = (RejectedError, MalformedError, UnsupportedError, WrongProgramError)

Near = Callable[[Sequence[int]], Json | None]
"""Returns a disagreeing input at distance dd from a point."""


Checker = TypeVar("Checker", bound=Proofs)


def without_limits(kind: type[Checker]) -> Checker:
    """Return a checker without time limits."""
    checker = kind()
    checker.spend = lambda steps, bits: None  # type: ignore[method-assign] # noqa: ARG005
    return checker


def checker_of(stated: Json, orders: Sequence[ClosedForm] = ()) -> Claims:
    """Return a checker that has read a claim, without time limits."""
    found = without_limits(Claims)
    found.read_claim(stated)
    assume_orders(found, orders)
    return found


class Completed:
    """The parts of cells of the regions of a leaf; `rows` are the linear conditions there."""

    def __init__(self, checker: Claims, leaf: CheckedLeaf, rows: Sequence[Vector]) -> None:
        self._checker, self._leaf, self._rows = checker, leaf, rows

    def space(self, region: Json) -> ParameterSpace:
        """Return the space of a region."""
        return self._checker.region({**region, "tree": None}, self._leaf, self._rows)

    def parts(
        self, space: ParameterSpace, sides: Sequence[Sequence[int]], cell: Json, near: Near
    ) -> Json | None:
        """Return the tree of the parts of a cell, with a nearest input that disagrees on each.

        Return None if the leaf has no inputs there.
        """
        cone = space.region
        for side in sides:
            cone = cone.cut(side)
        return _Cut(self._checker, space, cell, near).tree(cone) if cone.is_full else None

    def suffice(self, corners: Sequence[Json]) -> bool:
        """Whether the checker sees that no input is left out."""
        try:
            self._checker.corners_there(self._leaf.fixed, [*map(self.space, corners)])
        except _REFUSALS:
            return False
        return True


class _Cut:
    """The parts of one cell."""

    def __init__(self, checker: Claims, space: ParameterSpace, cell: Json, near: Near) -> None:
        self.checker, self.space, self.cell, self.near = checker, space, cell, near
        self.left = _MOST

    def tree(self, region: PolyhedralCone) -> Json:
        """Return the tree of the parts of a region."""
        if not region.is_full:
            return {"near": None}
        self.left -= 1
        found: Json | None = None
        form: Sequence[Fraction | int]
        try:
            found = self.near(_inside(region))
            self._try(region, found)
        except UndecidedError as error:
            form = error.form
        except OnFaceError as error:
            form = error.form
        except _REFUSALS:
            return {"near": found}  # the checker will report why
        else:
            return {"near": found}
        if self.left <= 0:
            return {"near": found}
        return {
            "form": [spell(Fraction(q)) for q in form],
            "above": self.tree(region.cut(form)),
            "below": self.tree(region.cut([-q for q in form])),
        }

    def _try(self, region: PolyhedralCone, near: Json | None) -> None:
        """Do what the checker does on a part."""
        checker, cell = self.checker, self.cell
        program = ProgramOnCone(checker.derivation, region, self.space.entries, self.space.unit)
        if cell["output"] == {"undefined": True}:
            checker.part(program, UNDEFINED, None, None)
            return
        ideal = checker.value(cell["output"], region.size)
        checker.part(program, ideal, cell["distance"], near)
        dd = checker.number(cell["distance"], program.judge)
        for one in checker.due(self.space, region, dd, cell["steps"]) or ():
            program.probability(ideal, one.radius)
        if cell["steps"] is not None:
            program.steps(ideal)


def _inside(region: PolyhedralCone) -> list[int]:
    """Return an interior point at which no form with small coefficients vanishes."""
    total = [0] * region.size
    for k, ray in enumerate(region.rays):
        total = [a + (997 + 61 * k * k) * b for a, b in zip(total, ray, strict=True)]
    for k, line in enumerate(region.lines):
        total = [a + (29 + 7 * k) * b for a, b in zip(total, line, strict=True)]
    return total

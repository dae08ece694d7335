"""Finds the parts into which the checker must divide a cell, using its own steps.

The checker rederives a claim on a whole cell of parameters. If one of its comparisons has two
answers there, the cell must be divided. This module searches for the cuts, so that the checker
need not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Protocol, TypeVar

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.claims import Claims
from exactdp.certify.rederive.cones import PolyhedralCone, UndecidedError
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


class Parts(Protocol):
    """Finds the parts of cells."""

    def parts(self, region: Json, sides: Sequence[Sequence[int]], cell: Json, near: Near) -> Json:
        """Return the tree of the parts of a cell, with a nearest input that disagrees on each."""


class Completed:
    """The parts of cells of one claim."""

    def __init__(self, claim: Json, orders: Sequence[ClosedForm] = ()) -> None:
        self._claim, self._orders = claim, orders

    def parts(self, region: Json, sides: Sequence[Sequence[int]], cell: Json, near: Near) -> Json:
        """Return the tree of the parts of a cell, with a nearest input that disagrees on each."""
        space = self._checker.space(0, {**region, "tree": None})
        return cut_parts(self._checker, space, sides, cell, near)

    def suffice(self, regions: Sequence[Json]) -> bool:
        """Whether the checker sees that no input is left out."""
        try:
            self._checker.all_there([self._checker.space(k, one) for k, one in enumerate(regions)])
        except _REFUSALS:
            return False
        return True

    @cached_property
    def _checker(self) -> Claims:
        found = without_limits(Claims)
        found.read_claim(self._claim)
        assume_orders(found, self._orders)
        return found


def cut_parts(
    checker: Claims, space: ParameterSpace, sides: Sequence[Sequence[int]], cell: Json, near: Near
) -> Json:
    """Return the tree of the parts of a cell of a space."""
    if space.size == 1:  # a ray has no parts
        return {"near": near([1])}
    cone = PolyhedralCone(space.size, checker)
    for side in sides:
        cone = cone.cut(side)
    return _Cut(checker, space, cell, near).tree(cone)


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

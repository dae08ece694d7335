"""Trees of the parts of a region on which the checker derives what must be proved.

The writer uses the checker's own steps to find where it must cut, and which proof each bound needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from exactdp.certify.rederive.cones import PolyhedralCone, UndecidedError
from exactdp.certify.rederive.proofs import Proofs
from exactdp.certify.rederive.ratios import Ratio, UnsupportedError
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.written import cell_tree
from exactdp.claims.decision.problem import Leaf, Problem
from exactdp.claims.regions.places import OnCone
from exactdp.claims.regions.region import Region
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import spell

_MOST = 500  # parts of a cell

Required = Callable[[PolyhedralCone, Leaf | None], tuple[list[Ratio], Json]]
"""What must be proved on a part of a cell, and what else the certificate states there."""


class BoundTree:
    """The tree of one region: its cells, each cut into parts."""

    def __init__(
        self, checker: Proofs, signs: SignProofs, region: Region | None, required: Required
    ) -> None:
        self.checker, self.signs, self.region, self.required = checker, signs, region, required
        self.left = _MOST

    def written(self, whole: PolyhedralCone, cells: Sequence[Leaf], empty: Json) -> Json:
        """Return the tree of the cells that the solver found; `empty` is a part without points."""
        self.empty = empty
        if not cells:
            return self._parts(whole, None, [])
        return cell_tree(cells, self._cell)

    def _cell(self, cell: Leaf | None) -> Json:
        if cell is None:
            return self.empty
        assert self.region is not None
        part = PolyhedralCone(len(self.region.names), self.checker)
        for side in cell.cone.inequalities:
            part = part.cut(side)
        on = OnCone(self.region.names, cell.cone, self.region.window)
        problems = [
            Problem(self.region, cell, on, one, k)
            for one in cell.result or ()
            for k in range(len(one.beta))
        ]
        self.left = _MOST
        return self._parts(part, cell, problems)

    def _parts(self, part: PolyhedralCone, cell: Leaf | None, problems: list[Problem]) -> Json:
        """Return the tree of the parts of a cell on which the checker decides all comparisons."""
        if not part.is_full:
            return self.empty
        self.left -= 1
        try:
            functions, stated = self.required(part, cell)
        except UndecidedError as error:
            if self.left <= 0:
                raise UnsupportedError("a cell has too many parts") from error
            return {
                "form": [spell(Fraction(q)) for q in error.form],
                "above": self._parts(part.cut(error.form), cell, problems),
                "below": self._parts(part.cut([-q for q in error.form]), cell, problems),
            }
        return {"bounds": [self._proof(one, problems) for one in functions], **stated}

    def _proof(self, function: Ratio, problems: list[Problem]) -> list[Any] | None:
        """Return D, the place of the proof that function·D² ≥ 0, and its parameters."""
        if function == 0:
            return None
        assert self.region is not None
        names = self.region.names
        for one in problems:
            if _ratio(one.gap, names) in (function, self.checker.as_proved(function)):
                found = self.signs.place(self.region, one.cell, one.obligation, one.alternative)
                written = None if found.under is None else terms_json(found.under, names)
                return [written, found.place, list(found.kept)]
        raise UnsupportedError("a bound of the checker is not one of the solver")


def _ratio(form: ClosedForm, names: tuple[str, ...]) -> Ratio:
    """Return a closed form as the checker has it."""
    parts = (
        {(tuple(k), tuple(map(Fraction, q))): Fraction(str(c)) for k, q, c in part.entries(names)}
        for part in (form.numerator, form.denominator)
    )
    return Ratio.lifted(*parts)


def terms_json(form: Any, names: tuple[str, ...]) -> list[Any]:
    """Return a sum in named parameters as JSON."""
    return [
        [str(c), list(powers), [spell(Fraction(q)) for q in rates]]
        for powers, rates, c in sorted(form.entries(names))
    ]

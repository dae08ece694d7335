"""Certificates of privacy on cones: for all real inputs, and for outputs with real noise.

The checker lists the spaces of pairs itself and derives both distributions on each part of them.
This module uses the checker's own steps to find where it must cut, and which proof each bound
needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.cones import PolyhedralCone, UndecidedError
from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.pair_spaces import PairSpace
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.private_cones import ConePrivacies
from exactdp.certify.rederive.ratios import MalformedError, Ratio, UnsupportedError
from exactdp.claims.certificates.accuracy import cell_tree, value_json
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.decision.work import Leaf, Problem
from exactdp.claims.private.slopes import Slope, Slopes
from exactdp.claims.regions.places import OnCone
from exactdp.claims.regions.region import Combination, Region
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json, precision
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.privacy import Privacy
    from exactdp.claims.private.breaches import Breach

_MOST = 500  # parts of a cell
_MOST_STEPS = 200  # sides of the cell of a density
_REFUSALS = (RejectedError, MalformedError, UnsupportedError)
_NO_POINTS: Json = {"bounds": [], "falls": None}


class _UnlimitedPrivacies(ConePrivacies):
    """A checker without time limits."""

    def spend(self, steps: int, bits: int) -> None:
        """Count nothing."""


class WrittenCones:
    """Writes a verdict on cones."""

    def __init__(self, verdict: Verdict, claim: Json) -> None:
        self.verdict = verdict
        self.checker = _UnlimitedPrivacies()
        self.checker.read_claim(claim)
        by = verdict.implied_by
        self.slopes = by if isinstance(by, Slopes) else None
        self.checker.by_slopes = self.slopes is not None
        self.signs = SignProofs(verdict)

    def regions(self) -> list[Json]:
        """Return the tree of each space of the checker."""
        asked: Any = self.slopes or self.verdict.claim
        known = {_key_of_region(one): one for group in asked.regions(each=True) for one in group}
        found = []
        try:
            for space in self.checker.spaces():
                region = known.get(_key_of_space(space))
                cells = () if region is None else asked.work.cells(region)
                found.append(_Tree(self, space, region).written(cells))
        except _REFUSALS as error:
            raise refused(str(error)) from error
        return found

    def counterexample(self, one: Breach) -> Json:
        """Return a counterexample; for a density, with a cell of outputs around it."""
        claim: Privacy = self.verdict.claim
        written: Json = {
            "inputs": [
                [value_json(each) for each in claim.mechanism.read_input(u)] for u in one.inputs
            ],
            "outputs": [value_json(output) for output in one.outputs],
            "eps": spell(one.eps),
        }
        for turn in (1, -1) if one.what == "density" else (0,):
            found = self._with_cell(one, written, turn)
            if found is not None:
                return found
        raise refused("the checker does not see the counterexample")

    def _with_cell(self, one: Breach, written: Json, turn: int) -> Json | None:
        """Return a counterexample with the cell of its density; None if it is not one there.

        If the output is on the boundary of several cells, `turn` selects one of them.
        """
        sides: list[tuple[Fraction, ...]] = []
        for _ in range(_MOST_STEPS):
            cell = [[spell(q) for q in side] for side in sides] if turn else None
            stated = {**written, "cell": cell}
            try:
                found = {**stated, "bits": precision(partial(self._is_seen, stated))}
                self.checker.seen(found)
            except UndecidedError as error:
                sides.append(self._towards(one, error.form, turn))
            except RejectedError:
                return None
            except _REFUSALS as error:
                raise refused(str(error)) from error
            else:
                return found
        return None

    def _is_seen(self, written: Json, bits: int) -> bool:
        self.checker.seen({**written, "bits": bits})
        return True

    def _towards(
        self, one: Breach, form: Sequence[Fraction | int], turn: int
    ) -> tuple[Fraction, ...]:
        """Return the side of a form on which an output is."""
        checker = self.checker
        u = list(entries(self.verdict.claim.mechanism.read_input(one.inputs[0])))
        _, numbers = checker.matched(_frozen(one.outputs[0]), u)
        pairs = zip(form, (Fraction(1), *numbers), strict=True)
        value = sum((Fraction(a) * b for a, b in pairs), Fraction(0))
        side = turn if value == 0 else 1 if value > 0 else -1
        return tuple(side * Fraction(q) for q in form)


class _Tree:
    """The tree of one space of the checker."""

    def __init__(self, whole: WrittenCones, space: PairSpace, region: Region | None) -> None:
        self.whole, self.space, self.region = whole, space, region
        self.checker = whole.checker
        self.left = _MOST

    def written(self, cells: Sequence[Leaf]) -> Json:
        """Return the tree of the cells that the solver found, each cut into parts."""
        if not cells:
            return self._parts(self.space.region, None, [])
        return cell_tree(cells, self._cell)

    def _cell(self, cell: Leaf | None) -> Json:
        if cell is None:
            return _NO_POINTS
        assert self.region is not None
        part = PolyhedralCone(self.space.region.size, self.checker)
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
            return _NO_POINTS
        self.left -= 1
        try:
            falls = self._falls(part, cell)
            functions = self.checker.required(self.space, part, falls)
        except UndecidedError as error:
            if self.left <= 0:
                raise refused("a cell has too many parts") from error
            return {
                "form": [spell(Fraction(q)) for q in error.form],
                "above": self._parts(part.cut(error.form), cell, problems),
                "below": self._parts(part.cut([-q for q in error.form]), cell, problems),
            }
        return {"bounds": [self._proof(one, problems) for one in functions], "falls": falls}

    def _falls(self, part: PolyhedralCone, cell: Leaf | None) -> list[list[int]] | None:
        """Return the signs of the derivatives of each probability, if needed."""
        slopes = [one for one in (cell.result or () if cell else ()) if isinstance(one, Slope)]
        if not slopes or not slopes[0].is_by_signs:
            return None
        chances = self.checker.finite(ProgramOnCone(self.checker.derivation, part, self.space.one))
        known = {repr(one.output): one.signs for one in slopes}
        return [known[key] for key in chances]

    def _proof(self, function: Ratio, problems: list[Problem]) -> list[Any] | None:
        """Return D, the place of the proof that function·D² ≥ 0, and its parameters."""
        if function == 0:
            return None
        assert self.region is not None
        names = self.region.names
        for one in problems:
            if _ratio(one.gap, names) == function:
                under, sign, kept = self.whole.signs.place(
                    self.region, one.cell, one.obligation, one.alternative
                )
                written = None if under is None else _terms(under, names)
                return [written, sign, list(kept)]
        raise UnsupportedError("a bound of the checker is not one of the solver")


def _ratio(form: ClosedForm, names: tuple[str, ...]) -> Ratio:
    """Return a closed form as the checker has it."""
    parts = (
        {(tuple(k), tuple(map(Fraction, q))): Fraction(str(c)) for k, q, c in part.entries(names)}
        for part in (form.numerator, form.denominator)
    )
    return Ratio.lifted(*parts)


def _terms(form: Any, names: tuple[str, ...]) -> list[Any]:
    return [
        [str(c), list(powers), [spell(Fraction(q)) for q in rates]]
        for powers, rates, c in sorted(form.entries(names))
    ]


def _key_of_region(region: Region) -> str:
    """Return what identifies a region of the solver."""
    listed = [
        tuple(map(Fraction, one.form)) if isinstance(one, Combination) else one
        for one in region.entries
    ]
    return f"{len(region.names)} {_told(listed)}"


def _key_of_space(space: PairSpace) -> str:
    size = space.region.size
    listed = [*space.one, *(space.two or ())]
    found = [getattr(one, "form", one) for one in listed]
    if space.pattern is not None:
        found.append(space.pattern)
        found += [
            tuple(Fraction(j == k) for j in range(size)) for k in range(size - space.reals, size)
        ]
    return f"{size} {_told(found)}"


def _told(values: Sequence[Any]) -> str:
    return ", ".join(map(repr, values))


def _frozen(output: Any) -> Any:
    return tuple(map(_frozen, output)) if isinstance(output, list | tuple) else output


def refused(why: str) -> ValueRefusedError:
    """Return the error for a certificate that cannot be written on cones."""
    return ValueRefusedError(
        f"there is no certificate of this verdict on privacy: {why}",
        rule="The checker derives both distributions again, on cones of pairs of inputs.",
        way_out="Ask at listed inputs, with outputs that are rounded or compared.",
    )

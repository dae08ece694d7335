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

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.cones import PolyhedralCone, UndecidedError
from exactdp.certify.rederive.pair_spaces import PairSpace
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.private_cones import ConePrivacies
from exactdp.certify.rederive.ratios import MalformedError, Ratio, UnsupportedError
from exactdp.claims.certificates.bound_trees import BoundTree
from exactdp.claims.certificates.document import assume_orders
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.parts import without_limits
from exactdp.claims.certificates.plain_data import value_json
from exactdp.claims.decision.problem import Leaf
from exactdp.claims.private.slopes import Slope, Slopes
from exactdp.claims.regions.region import Combination, Region
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.reals.certificates import Json, precision
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.breaches import Breach
    from exactdp.claims.private.claim import Privacy

_MOST_PARTS = 4_000  # of an adjacency
_MOST_STEPS = 200  # sides of the cell of a density
_REFUSALS = (RejectedError, MalformedError, UnsupportedError)
_NO_POINTS: Json = {"bounds": [], "falls": None}


class WrittenCones:
    """Writes a verdict on cones."""

    def __init__(self, verdict: Verdict, claim: Json) -> None:
        self.verdict = verdict
        self.checker = without_limits(ConePrivacies)
        self.checker.read_claim(claim)
        assume_orders(self.checker, verdict.orders)
        by = verdict.implied_by
        self.slopes = by if isinstance(by, Slopes) else None
        self.checker.by_slopes = self.slopes is not None
        self.signs = SignProofs(verdict)
        if self.slopes is not None and self.checker.adjacency[0] == "source":
            self.checker.adjacent_tree = _AdjacentTree(self.checker).written()

    @property
    def how(self) -> bool | Json:
        """Whether slopes are used, and where inputs are adjacent by a function."""
        tree = self.checker.adjacent_tree
        return self.slopes is not None if tree is None else {"adjacent": tree}

    def regions(self) -> list[Json]:
        """Return the tree of each space of the checker."""
        asked: Any = self.slopes or self.verdict.claim
        known = {_key_of_region(one): one for group in asked.regions(each=True) for one in group}
        found = []
        try:
            for space in self.checker.spaces():
                region = known.get(_key_of_space(space))
                cells = () if region is None else asked.work.cells(region)
                tree = BoundTree(self.checker, self.signs, region, partial(self._required, space))
                found.append(tree.written(space.region, cells, _NO_POINTS))
        except _REFUSALS as error:
            raise refused(str(error)) from error
        return found

    def _required(
        self, space: PairSpace, part: PolyhedralCone, cell: Leaf | None
    ) -> tuple[list[Ratio], Json]:
        """Return what must be proved on a part, and signs of derivatives of each probability."""
        falls = self._falls(space, part, cell)
        return self.checker.required(space, part, falls), {"falls": falls}

    def _falls(
        self, space: PairSpace, part: PolyhedralCone, cell: Leaf | None
    ) -> list[list[int]] | None:
        """Return the signs of the derivatives of each probability, if needed."""
        slopes = [one for one in (cell.result or () if cell else ()) if isinstance(one, Slope)]
        if not slopes or not slopes[0].is_by_signs:
            return None
        if space.pattern is not None:
            return [one.signs for one in slopes]
        chances = self.checker.finite(ProgramOnCone(self.checker.derivation, part, space.one))
        known = {repr(one.output): one.signs for one in slopes}
        return [known[key] for key in chances]

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
        for turn in (1, -1) if "densit" in one.what else (0,):
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
        read = self.verdict.claim.mechanism.read_input
        u, v = (list(entries(read(x))) for x in one.inputs)
        _, numbers = checker.matched([_frozen(output) for output in one.outputs], u, v)
        pairs = zip(form, (Fraction(1), *numbers), strict=True)
        value = sum((Fraction(a) * b for a, b in pairs), Fraction(0))
        side = turn if value == 0 else 1 if value > 0 else -1
        return tuple(side * Fraction(q) for q in form)


class _AdjacentTree:
    """Cuts all pairs of real inputs until the checker sees where they are adjacent."""

    def __init__(self, checker: ConePrivacies) -> None:
        self.checker = checker
        self.left = _MOST_PARTS
        self.found: list[PolyhedralCone] = []

    def written(self) -> Any:
        """Return the tree."""
        size = 1 + 2 * self.checker.members.count(None)
        unit = tuple(Fraction(k == 0) for k in range(size))
        return self._tree(PolyhedralCone(size, self.checker).cut(unit))

    def _tree(self, part: PolyhedralCone) -> Any:
        self.left -= 1
        if self.left < 0:
            raise refused("the adjacency has too many cases")
        for k, other in enumerate(self.found):
            if part.is_within(other.sides):
                return k
        if not any(ray[0] for ray in part.generators):
            return False
        try:
            is_adjacent = self.checker.is_adjacent(part)
        except UndecidedError as error:
            form = [Fraction(q) for q in error.form]
            minus = [-q for q in form]
            return {
                "form": [spell(q) for q in form],
                "above": self._tree(part.cut(form)),
                "below": self._tree(part.cut(minus)),
                "at": self._tree(part.cut(form).cut(minus)),
            }
        except _REFUSALS as error:
            raise refused(str(error)) from error
        self.found += [part] if is_adjacent else []
        return is_adjacent


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
        way_out="Give a list of inputs, and release rounded values or comparisons.",
    )

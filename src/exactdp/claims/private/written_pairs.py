"""The regions and counterexamples in certificates of privacy.

The checker lists the spaces of pairs itself and derives both distributions on each part of them.
This module uses the checker's own steps to find where it must cut, and which proof each bound
needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.cones import PolyhedralCone, UndecidedError
from exactdp.certify.rederive.evaluation import EvaluationPoint
from exactdp.certify.rederive.pair_spaces import PairSpace
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.privacy import Privacies
from exactdp.certify.rederive.ratios import MalformedError, Ratio, UnsupportedError
from exactdp.claims.certificates.bound_trees import BoundTree
from exactdp.claims.certificates.document import assume_orders, quotient_json
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.parts import without_limits
from exactdp.claims.certificates.plain_data import value_json
from exactdp.claims.decision.problem import Leaf
from exactdp.claims.private.losses import Loss
from exactdp.claims.private.outcomes import NAMES
from exactdp.claims.private.slopes import Slope, Slopes
from exactdp.claims.private.stated_events import StatedEvents, refused
from exactdp.claims.regions.places import OnCone
from exactdp.claims.regions.region import Combination, Region
from exactdp.claims.stated.claim import Due
from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entries
from exactdp.reals import ExpPoly
from exactdp.reals.certificates import Json, precision
from exactdp.reals.numbers import spell
from exactdp.semantics.cells import Cell

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.breaches import Breach
    from exactdp.claims.private.claim import Privacy

_MOST_PARTS = 4_000  # of an adjacency
_MOST_STEPS = 200  # sides of the cell of a density
_REFUSALS = (RejectedError, MalformedError, UnsupportedError)
_NO_POINTS: Json = {"bounds": [], "signs": None}


class WrittenPairs:
    """Writes what a verdict says of pairs of inputs."""

    def __init__(
        self, verdict: Verdict, claim: Json, events: StatedEvents, signs: SignProofs
    ) -> None:
        self.verdict, self.events, self.signs = verdict, events, signs
        self.claim: Privacy = verdict.claim
        self.stated = claim
        by = verdict.implied_by
        self.slopes = by if isinstance(by, Slopes) else None

    @cached_property
    def checker(self) -> Privacies:
        """The checker, which has read the claim and the distributions."""
        found = without_limits(Privacies)
        found.read_claim(self.stated)
        assume_orders(found, self.verdict.orders)
        found.by_slopes = self.slopes is not None
        found.read_distributions(self.events.written)
        if self.slopes is not None and found.adjacency[0] == "source":
            found.adjacent_tree = _AdjacentTree(found).written()
        return found

    @property
    def how(self) -> bool | Json:
        """Whether slopes are used, and where inputs are adjacent by a function."""
        if self.slopes is None:
            return False
        tree = self.checker.adjacent_tree
        return True if tree is None else {"adjacent": tree}

    # Regions --------------------------------------------------------------------------

    def regions(self) -> list[Json]:
        """Return the tree of each space of the checker; where only ε moves, there is none."""
        if self.events.inputs and not self.events.have_reals:
            return []
        try:
            return [
                self._tree(space)
                for space in self.checker.spaces()
                if space.places is None or space.event is not None
            ]
        except _REFUSALS as error:
            raise _refused(str(error)) from error

    def _tree(self, space: PairSpace) -> Json:
        if space.event is not None and self.checker.delta != 0:
            return self._tree_of_event(space)
        region = self._known.get(_key_of_space(space))
        asked: Any = self.slopes or self.claim
        cells = () if region is None else asked.work.cells(region)

        def required(part: PolyhedralCone, cell: Leaf | None) -> tuple[list[Ratio], Json]:
            falls = self._falls(space, part, cell)
            return self.checker.required(space, part, falls), {"signs": falls}

        tree = BoundTree(self.checker, self.signs, region, required)
        return tree.written(space.region, cells, _NO_POINTS)

    @cached_property
    def _known(self) -> dict[str, Region]:
        """The regions of the solver."""
        asked: Any = self.slopes or self.claim
        return {_key_of_region(one): one for group in asked.regions(each=True) for one in group}

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

    def _tree_of_event(self, space: PairSpace) -> Json:
        """Return the tree of an interval of reals, on which p − e^b·p′ has one sign."""
        self.checker.signs_at = {}
        assert space.places is not None
        u, v = (self.events.inputs[k] for k in space.places)
        outputs = [key.env[0] for key in self.claim.outcomes.distribution(u)]
        pattern = next(one for one in outputs if repr(one) == repr(space.pattern))
        number = Combination((Fraction(0), Fraction(1)))
        cone = Cone.of(2, space.region.sides)
        region = Region(NAMES, cone, (*u, *v, pattern, number), self.claim.epsilon)
        given = [assembled(self.claim.mechanism.inputs, x) for x in (u, v)]
        cells = list(self.claim.outcomes.density_cells(given, pattern, cone))
        gaps = [p - q * self.claim.factor for p, q in (one.result for one in cells)]
        seen = {
            OnCone(NAMES, one.cone, region.window).sign_at(gap, _inside(one.cone))
            for one, gap in zip(cells, gaps, strict=True)
        }
        sign = -1 if -1 in seen else 1
        found: list[Leaf] = []
        for one, gap in zip(cells, gaps, strict=True):
            loss = Loss((*u, *v), (), ExpPoly(0), gap, ExpPoly(1), (gap * sign,))
            found.append(Cell(one.cone, Due((loss,)), one.path))

        def required(part: PolyhedralCone, _: Leaf | None) -> tuple[list[Ratio], Json]:
            return self.checker.required(space, part, [sign]), {"signs": [sign]}

        tree = BoundTree(self.checker, self.signs, region, required)
        try:
            return tree.written(space.region, found, _NO_POINTS)
        except ValueRefusedError:
            raise refused("the sign of a density is not seen") from None

    # Counterexamples ------------------------------------------------------------------

    def counterexample(self, one: Breach) -> Json:
        """Return a counterexample; for a density, with a cell of outputs around it."""
        written: Json = {
            "inputs": [
                [value_json(each) for each in self.claim.mechanism.read_input(u)]
                for u in one.inputs
            ],
            "outputs": [value_json(output) for output in one.outputs],
            "eps": spell(one.eps),
        }
        if self.events.inputs and not one.compares_densities:
            return self._of_events(one, written)
        for turn in (1, -1) if one.compares_densities else (0,):
            found = self._with_cell(one, written, turn)
            if found is not None:
                return found
        raise _refused("the checker does not see the counterexample")

    def _of_events(self, one: Breach, written: Json) -> Json:
        """Return a counterexample in the events that are stated of listed inputs."""
        outputs, checker = self.events.outputs(one.outputs), Privacies()
        gap = checker.quotient(quotient_json(self.events.gap(one.inputs, outputs)))
        bits = precision(lambda bits: checker.sign_of(gap, EvaluationPoint(one.eps, bits)) < 0)
        events = [value_json(output) for output in outputs]
        return {**written, "outputs": events, "cell": None, "bits": bits}

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
                self.checker.counterexample(found)
            except UndecidedError as error:
                sides.append(self._towards(one, error.form, turn))
            except RejectedError:
                return None
            except _REFUSALS as error:
                raise _refused(str(error)) from error
            else:
                return found
        return None

    def _is_seen(self, written: Json, bits: int) -> bool:
        try:
            self.checker.counterexample({**written, "bits": bits})
        except RejectedError as error:
            if isinstance(error.__cause__, UndecidedError | UnsupportedError):
                raise error.__cause__ from error
            raise
        return True

    def _towards(
        self, one: Breach, form: Sequence[Fraction | int], turn: int
    ) -> tuple[Fraction, ...]:
        """Return the side of a form on which an output is."""
        checker = self.checker
        read = self.claim.mechanism.read_input
        u, v = (list(entries(read(x))) for x in one.inputs)
        _, numbers = checker.matched([_frozen(output) for output in one.outputs], u, v)
        pairs = zip(form, (Fraction(1), *numbers), strict=True)
        total = sum((Fraction(a) * b for a, b in pairs), Fraction(0))
        side = turn if total == 0 else 1 if total > 0 else -1
        return tuple(side * Fraction(q) for q in form)


class _AdjacentTree:
    """Cuts all pairs of real inputs until the checker sees where they are adjacent."""

    def __init__(self, checker: Privacies) -> None:
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
            raise _refused("the adjacency has too many cases")
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
            raise _refused(str(error)) from error
        self.found += [part] if is_adjacent else []
        return is_adjacent


def _inside(cone: Cone) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, cone.interior_point()))


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


def _refused(why: str) -> ValueRefusedError:
    """Return the error for a certificate that cannot be written on cones."""
    return ValueRefusedError(
        f"there is no certificate of this verdict on privacy: {why}",
        rule="The checker derives both distributions again, on cones of pairs of inputs.",
        way_out="Give a list of inputs, and release rounded values or comparisons.",
    )

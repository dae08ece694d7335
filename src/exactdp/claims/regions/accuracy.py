"""Accuracy claims with their regions, and what must be proved at an input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, Self

from exactdp.claims.regions.chamber import Chamber
from exactdp.claims.regions.classes import FEW, InputClass, classes_of
from exactdp.claims.regions.corners import Corners
from exactdp.claims.regions.obligations import Obligations
from exactdp.claims.regions.of_claim import regions_of
from exactdp.claims.regions.region import Region
from exactdp.claims.regions.regret import at_worst_inputs
from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.distances import discrete
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.features import has_root
from exactdp.claims.stated.inputs import as_given, real_count
from exactdp.claims.stated.output_distances import ErrorOfEntries, discrete_outputs, sup
from exactdp.claims.stated.rational_bounds import rational_bound
from exactdp.claims.stated.statement import AccuracyStatement
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.code import Test
from exactdp.reals.square_roots import is_irrational
from exactdp.semantics.engine import Engine

_SOME_GROUPS = 20  # regions of these inputs show whether α or γ is a parameter
_FEW_REALS = 3  # in an input that is compared: their cells are quickly listed
_FEW_CORNERS = 6  # numbers of a box whose corners are listed at once


@dataclass(frozen=True, eq=False, init=False, repr=False)
class AccuracyRegions(AccuracyStatement):
    """An accuracy claim as regions of parameters; a few inputs may stand for all."""

    @property
    def obligations(self) -> Obligations:
        """What must be proved, input by input."""
        return self.kept(Obligations)

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield the regions of each class of listed inputs, or of each finite part of an input."""
        return regions_of(self, each=each, first=first)

    @property
    def classes(self) -> tuple[InputClass, ...] | None:
        """The classes of grid inputs with equal obligations; None if they are not known."""
        return self.kept(classes_of)

    def how_many_groups(self) -> int:
        """Return the number of groups of regions."""
        return self.scope.count

    # Ways to decide the claim ---------------------------------------------------------

    @property
    def corners(self) -> Corners:
        """The worst of all real inputs, if they are known."""
        return self.kept(Corners)

    @property
    def chamber(self) -> Chamber:
        """The real inputs that suffice because others arise from them by permuting entries."""
        return self.kept(Chamber)

    def _decided(self, **changes: Any) -> Self:
        return replace(self, _strategy=replace(self.strategy, **changes))

    def by_cells(self, *, whole: bool = False) -> Self:
        """Return the same claim, to be decided at all inputs and not only at corners.

        With `whole`, interchangeable inputs are not explored once, but each of them.
        """
        return self._decided(at_corners=False, in_chamber=not whole)

    def by_each_output(self) -> Self:
        """Return the same claim, to be decided at the corners of all ideal outputs, one by one."""
        return self._decided(at_few_outputs=False)

    def rounded(self, room: Fraction) -> Self:
        """Return the same claim, to be decided with rationals just above irrational limits."""
        return self._decided(room=room)

    @cached_property
    def is_rounded(self) -> bool:
        """Whether rationals close to it replace an irrational distance to disagreement."""
        if not self.has_roots or self.scope.free or self.has_cases:
            return self.has_roots
        due = (self.obligations.at(u) for u in self.scope.listed())
        return any(
            is_irrational(one.distance)
            and not is_irrational(one.alpha)
            and one.alpha > one.distance
            for found in due
            if found is not None
            for one in found.obligations
        )

    @cached_property
    def is_continuous(self) -> bool:
        """Whether the claim on the faces of cells follows from the claim in their interior."""
        by_value = self.agreement == "equal" or self.output_metric in (discrete_outputs, sup)
        is_total = not self.ideal_function.is_partial
        return self.input_metric.is_norm and by_value and self.boundary == "skip" and is_total

    # Inputs that stand for others -----------------------------------------------------

    @property
    def errs_by_differences(self) -> bool:
        """Whether the error of an output is a function of its differences from the ideal one."""
        metric = self.output_metric
        return metric == sup or isinstance(metric, ErrorOfEntries)

    @cached_property
    def only_noise_matters(self) -> bool:
        """Whether the error is seen from the program to have one distribution at all inputs.

        The mechanism then only adds noise to its ideal output, and errors are differences.
        """
        if self.ideal is not None or not self.errs_by_differences:
            return False
        try:
            return self.mechanism.kept(Engine).only_adds_noise
        except ExactdpError:  # too many paths
            return False

    @property
    def at_worst_inputs(self) -> Self | None:
        """The claim at the worst inputs of a selection, if it is equivalent to this one."""
        return self.kept(at_worst_inputs)

    def at_one_input(self) -> Self:
        """Return the same claim at one of its inputs, which is 0 or close to it."""
        return replace(self, inputs=[as_given(self.mechanism, self.scope.some)])

    @cached_property
    def _equivalent(self) -> Self | None:
        """The claim at one input if that is equivalent, and there are many inputs or cells.

        Under the discrete distance, dd is the same at all inputs. With irrational rates, and with
        integer noise added to real noise, all inputs are not examined otherwise.
        """
        engine = self.mechanism.kept(Engine)
        is_wide = self._compares and real_count(self.mechanism) > _FEW_REALS
        is_wide = is_wide or self._has_many_corners or engine.is_irrational or engine.rounds
        if not self.scope.free:
            is_wide = self.scope.count > FEW
        return self.at_one_input() if is_wide and self.is_same_everywhere else None

    @cached_property
    def is_same_everywhere(self) -> bool:
        """Whether the claim at one input is seen to be the claim at any other one."""
        if self.is_beta_of_input or self.has_parts or self.conditions != ALWAYS:
            return False
        levels = (self.formula, self.alpha_level, self.gamma_level)
        named = {name for one in levels if isinstance(one, Expression) for name in one.names()}
        right = self.input_metric == discrete and named <= {"alpha", "gamma"}
        return right and self.only_noise_matters

    @property
    def _compares(self) -> bool:
        return any(isinstance(one, Test) for one in self.mechanism.code.instructions)

    @property
    def _has_many_corners(self) -> bool:
        """Whether a box is one cell with many rays, because the mechanism does not compare."""
        is_wide = len(self.scope.free) > _FEW_CORNERS and not self.scope.has_all
        return is_wide and not self._compares

    @cached_property
    def is_bounded_only(self) -> bool:
        """Whether formulas with rational numbers replace a β with irrational ones.

        This is so for all reals, in boxes, and where α or γ is a parameter.
        """
        if self.is_beta_of_input or not has_root(self.formula) or self._equivalent is not None:
            return False
        if self.scope.free:
            return True
        some = islice(self.regions(), _SOME_GROUPS)
        return any(not one.is_ray for group in some for one in group)

    def _rational_beta(self, side: int) -> Expression:
        """Return a formula with rational numbers that is just below β (side −1), or above (1)."""
        found = rational_bound(self.formula, side, self.epsilon)
        if found is None:
            raise ValueRefusedError(
                f"beta = {self.formula} has irrational numbers, and the claim is on "
                f"{self.input_set}",
                rule="For all reals and in boxes, rational numbers on either side replace them; "
                "how this formula depends on them is not seen.",
                way_out="Give inputs=Grid(lo, hi) or a list, or use a rational number.",
            )
        return found

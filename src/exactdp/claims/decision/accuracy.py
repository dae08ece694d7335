"""Accuracy claims for the decision pass: bounds, counterexamples, the route."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from exactdp.claims.decision.claim import Claim
from exactdp.claims.decision.counterexamples import confirmed
from exactdp.claims.regions.accuracy import AccuracyRegions
from exactdp.claims.regions.obligations import ROUTES, Obligation
from exactdp.claims.regions.region import Region
from exactdp.claims.regions.regret import near_worst_inputs
from exactdp.claims.stated.claim import Due
from exactdp.claims.stated.vacuity import Content, Contents, content_of, way_out, why_empty
from exactdp.language.linear import unit_in
from exactdp.reals import ClosedForm
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    from exactdp.claims.decision.counterexamples import Counterexample
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Problem, Sign


ON_CONES = (
    "α or γ moves with ε, or β is not seen to fall in them (Corollary 13): the sign of "
    "an exponential sum on cones of (ε, εα, εγ)"
)
BY_EPSILON = (
    "numbers of the mechanism or of the claim move with ε: on each of some intervals of ε the "
    "sign of an exponential sum, in which powers of e are constants"
)
AT_CORNERS = (
    "all real inputs at once (Theorem 12): the chance of each ideal output can only grow from a "
    "worst input, on which the claim is decided, as an exponential sum on cones"
)
AT_WORST = (
    "all real inputs at once (Theorem 12): the probability of a right answer is least close to a "
    "few inputs, at which the claim is decided"
)
EVERYWHERE = (
    "all real inputs at once (Theorem 12): the parameters are cut into cones on which the "
    "probability is one exponential sum, and its sign on each cone is decided"
)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class DecidedAccuracy(AccuracyRegions, Claim):
    """An accuracy claim that is decided."""

    def due(self, region: Region, trace: Trace) -> Due[Obligation] | None:
        """Return what must be proved at a sample of a region."""
        first, *others = (
            self.obligations.at(
                region.input(self.mechanism.inputs, trace),
                region.level(region.alpha, trace),
                region.level(region.gamma, trace),
                beta,
                is_confined=bool(region.least),
                near_by=region.near_by,
                trace=trace if unit_in(region.names) else None,
            )
            for beta in (region.beta, *(() if region.is_ray else region.above))
        )
        if first is None or not others:
            return first
        bounds = [other.obligations for other in others if other is not None]
        return replace(
            first,
            obligations=tuple(
                one.or_else([other[k] for other in bounds])
                for k, one in enumerate(first.obligations)
            ),
        )

    def refutation(self, problem: Problem, sign: Sign) -> Counterexample | None:
        """Return the counterexample of a failed problem, if possible a simple one."""
        return confirmed(self, problem, sign)

    def stronger(self) -> Self | None:
        """Return a claim that implies this one and is easier to decide, if there is one.

        It is the claim at one input, if only noise matters; or at the worst inputs of a selection;
        or about all reals, if a box has many corners and the mechanism does not compare, so that
        all reals are one cone with few sides.
        """
        has_cone = self._has_many_corners and not self.mechanism.kept(Engine).is_irrational
        if self._equivalent is not None and not has_cone:
            return self._equivalent
        if self.is_bounded_only:
            return replace(self, beta=self._rational_beta(-1))
        if self.at_worst_inputs is not None:
            return self.at_worst_inputs
        return self.everywhere() if has_cone else None

    def weaker(self) -> Self | None:
        """Return a claim that this one implies and that is easier to decide, if there is one."""
        if self.is_bounded_only:
            return replace(self, beta=self._rational_beta(1))
        return near_worst_inputs(self) if self._equivalent is None else self._equivalent

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much the claim says at an input, given what must be proved there."""
        return content_of(due, is_at_least_one)

    def why_empty(self, contents: Contents) -> str:
        """Describe why the claim says nothing at some inputs."""
        return why_empty(self, contents)

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""
        return way_out(self, contents)

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""
        boundary = {
            "skip": "an input whose distance to disagreement is not above α claims nothing "
            "(Definition 2)",
            "check": "an input whose distance to disagreement equals α is checked too "
            "(the paper's experiments)",
        }[self.boundary]
        agreement = {
            "equal": "two ideal outputs agree if they are equal (Definition 1)",
            "output_distance": "two ideal outputs agree if their output distance is 0 (Lemma 3)",
        }[self.agreement]
        return self.distances, boundary, agreement

    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""
        if self.strategy.are_worst:
            return AT_WORST
        if self.scope.free:
            at_corners = findings and all(one.region.corner is not None for one in findings)
            return (AT_CORNERS if at_corners else EVERYWHERE) + _stand_for(findings)
        if all(one.region.is_ray and not one.region.levels_given for one in findings):
            return ROUTES[self.obligations.route]
        return BY_EPSILON if self.has_inverse_eps else ON_CONES


def _stand_for(findings: Sequence[Finding]) -> str:
    """Return a clause on the ideal outputs, or the inputs, that a few stand for."""
    corners = [one.region.corner for one in findings if one.region.corner is not None]
    total = max((one.stands_for for one in corners), default=0)
    if any(one.selects is not None for one in corners):
        why = "exchanging entries of the input exchanges outputs"
        return f"; one of the {total:,} ideal outputs stands for all, as {why}"
    if not total:
        groups = dict.fromkeys(group for one in findings for group in one.region.ordered)
        if not groups:
            return ""
        told = " and ".join(" ≥ ".join(group) for group in groups)
        return f"; interchangeable entries are explored once, where {told}"
    return f"; a few of the {total:,} ideal outputs stand for all, as their entries are independent"

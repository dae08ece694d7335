"""`Accuracy`: a claim that a mechanism is (α, β, γ)-accurate (Definition 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from exactdp.claims.certificates.accuracy import certificate
from exactdp.claims.certificates.cases import certificate_by_cases
from exactdp.claims.certificates.claim_cases import is_by_cases
from exactdp.claims.certificates.in_parts import certificate_in_parts, stating_signs
from exactdp.claims.certificates.term_parts import in_term_parts
from exactdp.claims.constants.bounded import BoundedClaim
from exactdp.claims.constants.budgets import smallest_epsilon
from exactdp.claims.constants.curves import error_curve
from exactdp.claims.constants.radii import smallest_gamma
from exactdp.claims.decision.counterexamples import confirmed
from exactdp.claims.decision.obligations import ROUTES, Obligation, Obligations
from exactdp.claims.disagreement.everywhere import disagreement
from exactdp.claims.disagreement.nearest import Disagreement
from exactdp.claims.regions.chamber import Chamber
from exactdp.claims.regions.classes import FEW, InputClass, classes_of
from exactdp.claims.regions.corners import Corners
from exactdp.claims.regions.of_claim import how_many_groups, regions_of
from exactdp.claims.regions.region import Region
from exactdp.claims.regions.regret import at_worst_inputs, near_worst_inputs
from exactdp.claims.stated.claim import Due
from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.distances import discrete
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.features import has_root
from exactdp.claims.stated.inputs import (
    AllReals,
    Box,
    as_given,
    ends_of,
    how_many,
    is_listed,
    listed,
    real_count,
)
from exactdp.claims.stated.output_distances import ErrorOfEntries, discrete_outputs, sup
from exactdp.claims.stated.rational_bounds import rational_bound
from exactdp.claims.stated.statement import AccuracyStatement, Beta, EpsilonGiven
from exactdp.claims.stated.vacuity import Content, Contents, content_of, way_out, why_empty
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.budgets import read_epsilon
from exactdp.language.code import Test
from exactdp.language.layout import assembled, kinds
from exactdp.language.linear import unit_in
from exactdp.language.values import Value, plain
from exactdp.reals import ClosedForm
from exactdp.reals.numbers import Number
from exactdp.reals.square_roots import is_irrational
from exactdp.running.conduct import How, conduct
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    from exactdp.claims.constants.budgets import Budget
    from exactdp.claims.constants.curves import ErrorCurve
    from exactdp.claims.constants.radii import Radius
    from exactdp.claims.decision.counterexamples import Counterexample
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.disagreement.everywhere import PiecewiseDistance
    from exactdp.running.conduct import Progress

_SOME_GROUPS = 20  # regions of these inputs show whether α or γ is a parameter
_FEW_REALS = 3  # in an input that is compared: their cells are quickly listed
_FEW_CORNERS = 6  # numbers of a box whose corners are listed at once

ON_CONES = (
    "α or γ moves with ε, or β is not seen to fall in them (Corollary 13): the sign of "
    "an exponential sum on cones of (ε, εα, εγ)"
)
BY_EPSILON = (
    "numbers of the mechanism move with ε: on each of some intervals of ε the sign of an "
    "exponential sum, in which powers of e are constants"
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
class Accuracy(AccuracyStatement, BoundedClaim):
    """The mechanism is (α, β, γ)-accurate at the inputs, for every ε of an interval.

    At an input whose distance to disagreement is above α, the output is within γ of the ideal
    output with probability at least 1 − β. A β above 1 is read as 1.
    """

    @cached_property
    def obligations(self) -> Obligations:
        """What must be proved, input by input."""
        return Obligations(self)

    @cached_property
    def corners(self) -> Corners:
        """The worst of all real inputs, if they are known."""
        return Corners(self)

    @cached_property
    def chamber(self) -> Chamber:
        """The real inputs that suffice because others arise from them by permuting entries."""
        return Chamber(self)

    def by_cells(self, *, whole: bool = False) -> Self:
        """Return the same claim, to be decided at all inputs and not only at corners.

        With `whole`, interchangeable inputs are not explored once, but each of them.
        """
        claim = replace(self)
        claim.corners.are_wanted = False
        claim.chamber.is_wanted = not whole
        return claim

    def by_each_output(self) -> Self:
        """Return the same claim, to be decided at the corners of all ideal outputs, one by one."""
        claim = replace(self)
        claim.corners.may_stand_for_others = False
        return claim

    def rounded(self, room: Fraction) -> Self:
        """Return the same claim, to be decided with rationals just above irrational limits."""
        claim = replace(self)
        claim.obligations.room = room
        return claim

    @cached_property
    def is_rounded(self) -> bool:
        """Whether rationals close to it replace an irrational distance to disagreement."""
        if not self.has_roots or not is_listed(self.input_set) or self.has_cases:
            return self.has_roots
        due = (self.obligations.at(u) for u in listed(self.mechanism, self.input_set))
        return any(
            is_irrational(one.distance)
            and not is_irrational(one.alpha)
            and one.alpha > one.distance
            for found in due
            if found is not None
            for one in found.obligations
        )

    # For the decision pass --------------------------------------------------------------

    @cached_property
    def is_continuous(self) -> bool:
        """Whether the claim on the faces of cells follows from the claim in their interior."""
        by_value = self.agreement == "equal" or self.output_metric in (discrete_outputs, sup)
        is_total = not self.ideal_function.is_partial
        return self.input_metric.is_norm and by_value and self.boundary == "skip" and is_total

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield the regions of each class of listed inputs, or of each finite part of an input."""
        return regions_of(self, each=each, first=first)

    @cached_property
    def classes(self) -> tuple[InputClass, ...] | None:
        """The classes of grid inputs with equal obligations; None if they are not known."""
        return classes_of(self)

    def how_many_groups(self) -> int:
        """Return the number of groups of regions."""
        return how_many_groups(self)

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

    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""
        if self.corners.are_listed:
            return AT_WORST
        if not is_listed(self.input_set):
            at_corners = findings and all(one.region.corner is not None for one in findings)
            return (AT_CORNERS if at_corners else EVERYWHERE) + _stand_for(findings)
        if all(one.region.is_ray and not one.region.levels_given for one in findings):
            return ROUTES[self.obligations.route]
        return BY_EPSILON if self.has_inverse_eps else ON_CONES

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

    @cached_property
    def at_worst_inputs(self) -> Accuracy | None:
        """The claim at the worst inputs of a selection, if it is equivalent to this one."""
        return at_worst_inputs(self)

    def at_one_input(self) -> Self:
        """Return the same claim at one of its inputs, which is 0 or close to it."""
        return replace(self, inputs=[as_given(self.mechanism, self._some_input())])

    def _some_input(self) -> tuple[Value, ...]:
        if is_listed(self.input_set):
            return next(iter(listed(self.mechanism, self.input_set)))
        mechanism, box = self.mechanism, self.input_set
        ends = iter(ends_of(box, real_count(mechanism)) or ())
        found: list[Value] = []
        for kind in kinds(mechanism.inputs):
            if kind is not None:
                found.append(kind.members[0])
            else:
                low, high = next(ends)
                found.append(plain(Fraction(min(max(low, 0), high))))
        return assembled(mechanism.inputs, found)

    @cached_property
    def _equivalent(self) -> Self | None:
        """The claim at one input if that is equivalent, and there are many inputs or cells.

        Under the discrete distance, dd is the same at all inputs. With irrational rates, and with
        integer noise added to real noise, all inputs are not examined otherwise.
        """
        engine = self.mechanism.kept(Engine)
        is_wide = self._compares and real_count(self.mechanism) > _FEW_REALS
        is_wide = is_wide or self._has_many_corners or engine.is_irrational or engine.rounds
        if is_listed(self.input_set):
            is_wide = how_many(self.mechanism, self.input_set) > FEW
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
        is_wide = real_count(self.mechanism) > _FEW_CORNERS
        return is_wide and isinstance(self.input_set, Box) and not self._compares

    def stronger(self) -> Accuracy | None:
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

    @cached_property
    def is_bounded_only(self) -> bool:
        """Whether formulas with rational numbers replace a β with irrational ones.

        This is so for all reals, in boxes, and where α or γ is a parameter.
        """
        if self.is_beta_of_input or not has_root(self.formula) or self._equivalent is not None:
            return False
        if not is_listed(self.input_set):
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

    def weaker(self) -> Accuracy | None:
        """Return a claim that this one implies and that is easier to decide, if there is one."""
        if self.is_bounded_only:
            return replace(self, beta=self._rational_beta(1))
        return near_worst_inputs(self) if self._equivalent is None else self._equivalent

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

    def certificate(self, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict as plain JSON."""
        if verdict.parts:
            return certificate_in_parts(verdict)
        releases = self.mechanism.checked.releases_eps
        if releases and not verdict.orders and (parted := in_term_parts(verdict)) is not None:
            return certificate_in_parts(parted)
        by_cases = is_by_cases(self) and not releases
        return stating_signs(verdict, certificate_by_cases if by_cases else certificate)

    # Questions ------------------------------------------------------------------------

    @overload
    def disagreement(self, u: AllReals | Box) -> PiecewiseDistance: ...  # type: ignore[overload-overlap]
    @overload
    def disagreement(self, u: object) -> Disagreement: ...
    def disagreement(self, u: object) -> Any:
        """Return the distance to disagreement at an input, and a nearest disagreeing input.

        For `AllReals()` or a `Box`, return a piecewise linear formula in the inputs.
        """
        if isinstance(u, AllReals | Box):
            return disagreement(self, u)
        return self.obligations.disagreement(self.mechanism.read_input(u))

    bound_name = "β"
    is_about_errors = True

    def with_bound(self, bound: Any) -> Self:
        """Return the same claim with another β."""
        return replace(self, beta=bound)

    @property
    def asked(self) -> Self:
        """The claim at one input, if it is equivalent to that about all reals or a box."""
        is_single = not is_listed(self.input_set) or self.mechanism.kept(Engine).is_irrational
        return self._equivalent or self if is_single else self

    @property
    def needs_trials(self) -> bool:
        """Whether problems are not all single closed forms, so that κ is found by trial."""
        return self.is_decided_only or self.is_rounded or self.has_tower

    def require_ratio(self, *, at_each: bool = False, by_trial: bool = False) -> None:
        """Refuse the question for the largest κ at each input, if there is more than one α or γ."""
        del by_trial
        if at_each:
            self.require_one_sum("the best constant at each input")
            self.require_rationals("the best constant at each input")

    def smallest_epsilon(
        self,
        *,
        beta: Beta | None = None,
        width: Number = "1e-12",
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Budget:
        """Return the least ε₀ such that the claim holds for all ε ≥ ε₀; another β may be given."""
        claim = self if beta is None else replace(self, beta=beta)
        return smallest_epsilon(claim.asked, width, conduct(progress, how))

    def smallest_gamma(
        self,
        *,
        eps: EpsilonGiven | None = None,
        width: Number = "1e-12",
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Radius:
        """Return the least γ for which the claim holds, for every ε or for the given ε."""
        on = self.epsilon if eps is None else read_epsilon(eps)
        return smallest_gamma(self, on, width, conduct(progress, how))

    def error_probability(self, u: object) -> ErrorCurve:
        """Return 1 − Pr(within γ) at an input as an exact function of ε, with the claimed β."""
        self.require_numbers("the error as a curve")
        return error_curve(self, self.mechanism.read_input(u))


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

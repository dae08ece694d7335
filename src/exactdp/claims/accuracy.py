"""`Accuracy`: a claim that a mechanism is (α, β, γ)-accurate (Definition 2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from exactdp.claims.decision.accuracy import DecidedAccuracy
from exactdp.claims.disagreement.everywhere import disagreement
from exactdp.claims.disagreement.nearest import Disagreement
from exactdp.claims.stated.distances import not_linear
from exactdp.claims.stated.inputs import AllReals, Box
from exactdp.claims.stated.statement import Beta, EpsilonGiven
from exactdp.language.budgets import read_epsilon
from exactdp.reals.numbers import Number
from exactdp.running.conduct import How, conduct
from exactdp.semantics.engine import Engine

if TYPE_CHECKING:
    from exactdp.claims.constants.budgets import Budget
    from exactdp.claims.constants.curves import ErrorCurve
    from exactdp.claims.constants.radii import Radius
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.disagreement.everywhere import PiecewiseDistance
    from exactdp.running.conduct import Progress


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Accuracy(DecidedAccuracy, BoundedClaim):
    """The mechanism is (α, β, γ)-accurate at the inputs, for every ε of an interval.

    At an input whose distance to disagreement is above α, the output is within γ of the ideal
    output with probability at least 1 − β. A β above 1 is read as 1.
    """

    bound_name = "β"
    is_about_errors = True

    def certificate(self, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict as plain JSON."""
        if verdict.parts:
            return certificate_in_parts(verdict)
        releases = self.mechanism.checked.releases_eps
        if releases and not verdict.orders and (parted := in_term_parts(verdict)) is not None:
            return certificate_in_parts(parted)
        by_cases = is_by_cases(self) and not releases
        return stating_signs(verdict, certificate_by_cases if by_cases else certificate)

    @overload
    def disagreement(self, u: AllReals | Box) -> PiecewiseDistance: ...  # type: ignore[overload-overlap]
    @overload
    def disagreement(self, u: object) -> Disagreement: ...
    def disagreement(self, u: object) -> Any:
        """Return the distance to disagreement at an input, and a nearest disagreeing input.

        For `AllReals()` or a `Box`, return a piecewise linear formula in the inputs.
        """
        if isinstance(u, AllReals | Box):
            if self.has_roots:
                raise not_linear("the distance to disagreement under l2")
            return disagreement(self.mechanism, self.obligations.distance, u)
        return self.obligations.disagreement(self.mechanism.read_input(u))

    def with_bound(self, bound: Any) -> Self:
        """Return the same claim with another β."""
        return replace(self, beta=bound)

    @property
    def asked(self) -> Self:
        """The claim at one input, if it is equivalent to that about all reals or a box."""
        is_single = self.scope.free or self.mechanism.kept(Engine).is_irrational
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
        return error_curve(self, self.mechanism.read_input(u))

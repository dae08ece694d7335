"""Claims with one bound on what is not negative, and the questions that can be asked about it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, Unpack

from exactdp.claims.constants.budgets import epsilons, smallest_epsilon
from exactdp.claims.constants.tightness import tightest, tightest_at_each
from exactdp.claims.constants.trials import tightest_by_trial
from exactdp.claims.decision.claim import Claim
from exactdp.errors import ExactdpError
from exactdp.language.parted import by_parts
from exactdp.reals.numbers import Number
from exactdp.running.conduct import How, conduct

if TYPE_CHECKING:
    from exactdp.claims.constants.budgets import Budget
    from exactdp.claims.constants.tightness import Tightness
    from exactdp.reals import SolutionSet
    from exactdp.running.conduct import Progress


class BoundedClaim(Claim):
    """A claim that something is at most a bound, at each input and ε."""

    bound_name: str
    is_about_errors: bool
    """Whether what is bounded is a probability, so at most 1."""

    @property
    @abstractmethod
    def bound(self) -> Any:
        """The bound, as given."""

    @abstractmethod
    def with_bound(self, bound: Any) -> Self:
        """Return the same claim with another bound."""

    @property
    def asked(self) -> Self:
        """The claim that is asked: this one, or an equivalent one."""
        return self

    @property
    @abstractmethod
    def needs_trials(self) -> bool:
        """Whether problems are not all single closed forms, so that κ is found by trial."""

    @abstractmethod
    def require_ratio(self, *, at_each: bool = False, by_trial: bool = False) -> None:
        """Refuse the question for the largest κ, at each input or overall, if it has no answer."""

    def hint(self) -> str:
        """Return a clause on the approximate best constant, or ""."""
        try:
            kappa = self.tightest(width=Fraction(1, 1000)).kappa
        except ExactdpError:
            return ""
        lower, upper = float(kappa.lower), float(kappa.upper)
        return f"; the best constant is between {lower:.6g} and {upper:.6g}"

    def tightest(
        self,
        *,
        width: Number = "1e-6",
        at_each: bool = False,
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Any:
        """Return the largest κ such that the claim with its bound divided by κ is true, enclosed.

        With `at_each`, return a table with one row for each input.
        """
        claim, report = self.asked, conduct(progress, how)
        if at_each:
            self.require_ratio(at_each=True)
            return tightest_at_each(self, width, report)

        def by_trial(_: object) -> Tightness:
            claim.require_ratio(by_trial=True)
            return tightest_by_trial(claim, width, report)

        def ask(claim: Self) -> Tightness:
            claim.require_ratio()
            return tightest(claim, width, report)

        found = by_trial(claim) if claim.needs_trials else by_parts(claim, ask, by_trial)
        return replace(found, bound=self.bound_name)

    def epsilons(
        self, *, width: Number = "1e-12", progress: Progress | None = None, **how: Unpack[How]
    ) -> SolutionSet:
        """Return the exact set of ε for which the claim holds at all inputs."""
        return epsilons(self.asked, width, conduct(progress, how))

    def smallest_epsilon(
        self, *, width: Number = "1e-12", progress: Progress | None = None, **how: Unpack[How]
    ) -> Budget:
        """Return the least ε₀ such that the claim holds for all ε ≥ ε₀."""
        return smallest_epsilon(self.asked, width, conduct(progress, how))

"""`Privacy`: the claim of a user, with its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from exactdp import claims
from exactdp.errors import folds
from exactdp.public.answers import DeltaCurve, PrivacyVerdict
from exactdp.running.conduct import How

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.claims.progress import Progress
    from exactdp.public.answers import ErrorCurve
    from exactdp.public.mechanism import Mechanism


@folds
class Privacy(claims.Privacy):
    """The mechanism is (budget, δ)-differentially private, for every ε of an interval.

    For all adjacent inputs u, u′ and all sets S of outputs, Pr[P(u) ∈ S] ≤ e^budget·Pr[P(u′) ∈ S]
    + δ. With measure="bounded_range" the ratio Pr[P(u) = o]/Pr[P(u′) = o] changes from output to
    output by a factor of e^budget at most.

    >>> from exactdp import Mechanism, Privacy, hamming
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> Privacy(coin, adjacent=hamming(1), epsilon="[2, inf)").check().holds
    True
    """

    mechanism: Mechanism

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> PrivacyVerdict:
        """Decide the claim. With `all` every failing pair is listed, not only the first."""
        return PrivacyVerdict.of(super().check(all=all, progress=progress, **how))

    def smallest_delta(self, *, progress: Progress | None = None, **how: Unpack[How]) -> DeltaCurve:
        """Return the smallest δ for the budget as an exact function of ε, at listed inputs."""
        return DeltaCurve.of(super().smallest_delta(progress=progress, **how))

    def plot(self, errors: ErrorCurve, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw an error probability against the exact privacy loss, as ε runs.

        `errors` is `Accuracy(…).error_probability(u)`. Several mechanisms go into the same axes.
        """
        from exactdp.report.private import plot_tradeoff  # noqa: PLC0415

        return plot_tradeoff(self, errors, ax, **options)

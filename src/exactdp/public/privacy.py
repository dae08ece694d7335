"""`Privacy`: the claim of a user, with its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp import claims
from exactdp.public.answers import PrivacyVerdict

if TYPE_CHECKING:
    from exactdp.claims.progress import Progress
    from exactdp.public.mechanism import Mechanism


class Privacy(claims.Privacy):
    """The mechanism is (budget, δ)-differentially private, for every ε of an interval.

    For all adjacent inputs u, u′ and all sets S of outputs, Pr[P(u) ∈ S] ≤ e^budget·Pr[P(u′) ∈ S]
    + δ. With measure="bounded_range" the ratio Pr[P(u) = o]/Pr[P(u′) = o] changes from output to
    output by a factor of e^budget at most.
    """

    mechanism: Mechanism

    def check(self, *, all: bool = False, progress: Progress | None = None) -> PrivacyVerdict:  # noqa: A002
        """Decide the claim. With `all` every failing pair is listed, not only the first."""
        return PrivacyVerdict.of(super().check(all=all, progress=progress))

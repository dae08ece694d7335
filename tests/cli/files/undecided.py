# mypy: ignore-errors
"""A claim that stays undecided: what the solver leaves is played, for it leaves little."""

import some_claims

from exactdp import Accuracy, Verdict


class Hard(Accuracy):
    """A claim that nobody decides."""

    def check(self, **options: object) -> Verdict:
        """Return what an undecided claim looks like."""
        del options
        return Verdict(self, None, "a route", 9, 0, missing="1 of 9 problems is left")


hard = Hard(some_claims.positive, beta="1/4")

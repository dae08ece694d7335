"""Progress reports for claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim
    from exactdp.running.conduct import Progress

Hear: TypeAlias = Callable[[float], None]
"""Called with the fraction of a part that is done."""

_STEPS = 1_000


def nobody(share: float) -> None:
    """Ignore a progress report."""
    del share


class Meter:
    """Reports progress: a number of listed inputs, or a fraction of the cones."""

    def __init__(self, claim: Claim, progress: Progress | None) -> None:
        self._one_by_one = not claim.scope.free
        self._progress = progress
        self._groups, self._done, self._told = claim.how_many_groups(), 0, 0.0

    def part(self, share: float) -> None:
        """Report the fraction of the current group that is done."""
        if self._progress is not None and not self._one_by_one:
            # Faces are discovered during the work, so the remainder may grow.
            self._told = max(self._told, (self._done + share) / self._groups)
            self._progress(int(self._told * _STEPS), _STEPS)

    def more(self, count: int) -> None:
        """Report that `count` more listed inputs are done, not necessarily in order."""
        self._done += count
        if self._progress is not None:
            self._progress(min(self._done, self._groups), self._groups)

    def one_more(self, inputs: int = 1) -> None:
        """Report that another group is done, which represents some inputs."""
        self._done += inputs
        if self._progress is not None and self._one_by_one:
            self._progress(self._done, self._groups)
        self.part(0.0)

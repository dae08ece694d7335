"""What all kinds of claims have in common: they are decided, and their results are kept."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.work import Explorer
from exactdp.claims.stated.inputs import AllReals
from exactdp.running.conduct import How, conduct

if TYPE_CHECKING:
    from exactdp.claims.decision.problem import Leaf
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.regions.region import Region
    from exactdp.claims.stated.claim import Claim
    from exactdp.claims.stated.vacuity import Contents
    from exactdp.running.conduct import Progress


class DecidedClaim:
    """A claim that is decided as it is, unless its kind defines more (see `Claim`)."""

    nouns = "input", "inputs"
    """The noun for what is counted, singular and plural."""

    @cached_property
    def work(self) -> Explorer:
        """The results computed so far: cells of parameters and signs."""
        return Explorer(cast(Any, self))

    def marks(self, region: Region, cell: Leaf) -> tuple[bytes, ...]:
        """Return (): obligations are not compared with those of other cells."""
        del region, cell
        return ()

    def everywhere(self) -> Self:
        """Return the same claim about all real inputs."""
        found: Self = replace(cast(Any, self), inputs=AllReals())
        return found

    def stronger(self) -> Claim | None:
        """Return None: no other claim is decided instead."""
        return None

    def weaker(self) -> Claim | None:
        """Return None: no other claim is decided instead."""
        return None

    def hint(self) -> str:
        """Return "": nothing is known about a best constant."""
        return ""

    def why_empty(self, contents: Contents) -> str:
        """Return "": the claim says something."""
        del contents
        return ""

    def way_out(self, contents: Contents) -> str:
        """Return "": the claim says something."""
        del contents
        return ""

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Verdict:
        """Decide the claim. With `all`, list every failing input or pair, not only the first."""
        return decide(cast(Any, self), every=all, progress=conduct(progress, how))

"""What all kinds of claims have in common: what the decision pass needs, and `check`.

`Accuracy`, `Privacy` and `Expected` are claims. A claim is true if every bound holds on each of its
regions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.work import Explorer
from exactdp.claims.stated.claim import Stated
from exactdp.claims.stated.inputs import AllReals, as_given
from exactdp.claims.stated.vacuity import Content, Contents
from exactdp.errors import VacuousClaimError
from exactdp.language.layout import assembled
from exactdp.reals import Interval
from exactdp.reals.spans import Span, around
from exactdp.running.conduct import How, conduct

if TYPE_CHECKING:
    from fractions import Fraction

    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Leaf, Problem, Sign
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.regions.classes import InputClass
    from exactdp.claims.regions.region import Region
    from exactdp.claims.stated.claim import Bound, Due
    from exactdp.language.values import Value
    from exactdp.reals import ClosedForm, Stretch
    from exactdp.running.conduct import Progress
    from exactdp.semantics.spots import Trace


class Claim(Stated):
    """A claim; its kind is a frozen dataclass that defines regions and bounds."""

    epsilon: Any
    """The values of ε: an interval."""
    inputs: Any
    """The inputs, as given."""
    speaks_of_alpha = True
    """Whether its words mention α and γ, if it has any."""
    nouns = "input", "inputs"
    """The noun for what is counted if inputs are listed, singular and plural."""

    @property
    @abstractmethod
    def is_continuous(self) -> bool:
        """Whether the claim on the faces of cells follows from the claim in their interior."""

    @property
    def work(self) -> Explorer:
        """The results computed so far: cells of parameters and signs."""
        return self.kept(Explorer)

    @property
    def classes(self) -> tuple[InputClass, ...] | None:
        """The classes of listed inputs that are examined together; None if they are not known."""
        return None

    def changed(self, **changes: Any) -> Self:
        """Return the same claim with other arguments."""
        found: Self = replace(cast(Any, self), **changes)
        return found

    @property
    def span(self) -> Span:
        """The values of ε, or the part of them on which each `min` and `max` is one argument."""
        return self.mechanism.definition.part or cast(Interval, self.epsilon)

    def on_part(self, part: Stretch) -> Self:
        """Return the same claim on a part of ε, whose ends may be irrational."""
        return self.changed(mechanism=self.mechanism.on_part(part), epsilon=around(part))

    # What must be proved --------------------------------------------------------------

    @abstractmethod
    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield groups of regions: those of each listed input, or of all reals.

        Listed inputs with equal obligations may form one group, unless `each` is set. The `first`
        groups are skipped.
        """

    @abstractmethod
    def how_many_groups(self) -> int:
        """Return the number of groups."""

    @abstractmethod
    def due(self, region: Region, trace: Trace) -> Due[Bound] | None:
        """Return what must be proved at a sample of a region; None if nothing is claimed."""

    def marks(self, region: Region, cell: Leaf) -> tuple[bytes, ...]:
        """Return a mark of each obligation of a cell: those with equal marks are decided once.

        Without marks, all obligations are decided.
        """
        del region, cell
        return ()

    @abstractmethod
    def refutation(self, problem: Problem, sign: Sign) -> Any:
        """Return the independently confirmed counterexample of a failed problem, or None."""

    # Other claims ---------------------------------------------------------------------

    def at_entries(self, entries: Sequence[Value], eps: Fraction | None = None) -> Self:
        """Return the same claim at the input with these entries, and at one ε if it is given."""
        u = as_given(self.mechanism, assembled(self.mechanism.inputs, entries))
        on = self.epsilon if eps is None else Interval(eps, eps)
        return self.changed(inputs=[u], epsilon=on)

    def everywhere(self) -> Self:
        """Return the same claim about all real inputs."""
        return self.changed(inputs=AllReals())

    def wider(self) -> Self | None:
        """Return the claim about all reals, if this one is about a box of them."""
        return self.everywhere() if self.scope.free and not self.scope.has_all else None

    def stronger(self) -> Claim | None:
        """Return a claim that implies this one and is easier to prove, if there is one."""
        return None

    def weaker(self) -> Claim | None:
        """Return a claim that this one implies and that is easier to refute, if there is one."""
        return None

    @property
    def is_bounded_only(self) -> bool:
        """Whether the claim is decided by these two alone."""
        return False

    # How much is claimed --------------------------------------------------------------

    @abstractmethod
    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much is claimed, given the obligations; the function decides form ≥ 1."""

    def counted(self, parts: Iterable[Contents], group: Sequence[Region]) -> Contents:
        """Return how much is claimed on a group of regions, given its cells.

        Cells of reals are counted one by one, but a listed input, or a class of them, once.
        """
        found = sum(parts, Contents())
        if self.scope.free:
            return found
        return Contents().and_some(found.most, group[0].inputs if group else 1)

    def why_empty(self, contents: Contents) -> str:
        """Describe why the claim says nothing at some inputs."""
        del contents
        return ""

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""
        del contents
        return ""

    def require_content(self, contents: Contents) -> None:
        """Refuse a question about a claim that says nothing, since every number would answer it."""
        if contents.are_empty:
            why = self.why_empty(contents)
            raise VacuousClaimError(
                f"the claim says nothing: {self}",
                rule=f"{why[0].upper()}{why[1:]}.",
                way_out=self.way_out(contents),
            )

    # The verdict ----------------------------------------------------------------------

    @property
    @abstractmethod
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""

    @abstractmethod
    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""

    def hint(self) -> str:
        """Return a clause on the approximate best constant, or ""."""
        return ""

    @abstractmethod
    def certificate(self, verdict: Any) -> dict[str, Any]:
        """Return a verdict as plain JSON."""

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Verdict:
        """Decide the claim. With `all`, list every failing input or pair, not only the first."""
        return decide(self, every=all, progress=conduct(progress, how))

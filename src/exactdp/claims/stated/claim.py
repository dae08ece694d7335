"""What every kind of claim has, so that one pass decides it: regions, and what is due on them.

`Accuracy` and `Privacy` are claims. A claim is true if on each of its regions every bound holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.budgets import read_epsilon
from exactdp.language.program import Program
from exactdp.reals import ClosedForm, Interval

if TYPE_CHECKING:
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.work import Explorer, Leaf, Problem, Sign
    from exactdp.claims.regions.region import Region
    from exactdp.claims.stated.inputs import Inputs
    from exactdp.claims.stated.vacuity import Content, Contents
    from exactdp.language.values import Value
    from exactdp.semantics.spots import Trace


class Bound(Protocol):
    """probability ≥ 1 − β for every ε of the claim, with each of the alternatives of β."""

    @property
    def input(self) -> tuple[Value, ...]:
        """The input, or both inputs one after the other."""

    @property
    def probability(self) -> ClosedForm:
        """The probability of what should happen."""

    @property
    def beta(self) -> tuple[ClosedForm, ...]:
        """Closed forms of which the least is claimed."""

    @property
    def allows_all(self) -> bool:
        """Whether nothing that can happen is excluded."""


B_co = TypeVar("B_co", bound=Bound, covariant=True)


@dataclass(frozen=True)
class Due(Generic[B_co]):
    """What must be proved at a point of a region where something is claimed."""

    obligations: tuple[B_co, ...]
    """None are left if each output that occurs is allowed."""
    allows_all: bool = False
    """Whether even every possible output is."""

    def __iter__(self) -> Iterator[B_co]:
        return iter(self.obligations)


class Claim(Protocol):
    """A claim: what the pass from regions to a verdict asks of it."""

    @property
    def mechanism(self) -> Program:
        """The mechanism."""

    @property
    def epsilon(self) -> Interval:
        """The values of ε."""

    @property
    def input_set(self) -> Inputs:
        """The inputs that the claim is about."""

    @property
    def work(self) -> Explorer:
        """What was computed so far."""

    @property
    def is_continuous(self) -> bool:
        """Whether what is claimed on the sides of cells follows from what is claimed inside."""

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Return groups of regions: those of each listed input, or of all reals.

        Listed inputs of which the same is claimed may be one group, unless `each` is asked for.
        The `first` groups are left out.
        """

    def how_many_groups(self) -> int:
        """Return how many groups there are."""

    def due(self, region: Region, trace: Trace) -> Due[Bound] | None:
        """Return what must be proved at a sample of a region; None if nothing is claimed."""

    def reduced(self, region: Region, cell: Leaf) -> Leaf:
        """Return a cell without what is known to be due on another one already."""

    def refutation(self, problem: Problem, sign: Sign) -> Any:
        """Return the counterexample of a failed problem, confirmed on its own; None if none is."""

    def route(self, findings: Sequence[Finding]) -> str:
        """Return how the claim was decided, as words."""

    def everywhere(self) -> Claim:
        """Return the same claim about all real inputs."""

    def stronger(self) -> Claim | None:
        """Return a claim that implies this one and is easier to prove, if there is one."""

    def weaker(self) -> Claim | None:
        """Return a claim that this one implies and that is easier to refute, if there is one."""

    def hint(self) -> str:
        """Return roughly where the best constant is, as words to add; may be empty."""

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that are followed."""

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much is claimed where something is due; the function decides form ≥ 1."""

    @property
    def nouns(self) -> tuple[str, str]:
        """What is counted where inputs are listed, one and many."""

    def why_empty(self, contents: Contents) -> str:
        """Return why the claim says nothing where it says nothing, as words."""

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""

    def certificate(self, verdict: Any) -> dict[str, Any]:
        """Return a verdict as plain JSON."""


def mechanism_on(mechanism: object, epsilon: Any) -> tuple[Program, Interval]:
    """Return a mechanism as asked for the ε of a claim, by default all for which it is defined."""
    if not isinstance(mechanism, Program):
        raise ValueRefusedError(
            f"{shown(mechanism)} is not a mechanism",
            rule="A claim is about a mechanism.",
            way_out="Put @mechanism above the function.",
        )
    on = read_epsilon(mechanism.epsilon if epsilon is None else epsilon)
    return mechanism.on(on), on


def about_the_constant(claim: Any) -> str:
    """Return roughly where the best constant of a claim is, as words to add; may be empty."""
    try:
        kappa = claim.tightest(width=Fraction(1, 1000)).kappa
    except ExactdpError:
        return ""
    lower, upper = float(kappa.lower), float(kappa.upper)
    return f"; the best constant is between {lower:.6g} and {upper:.6g}"

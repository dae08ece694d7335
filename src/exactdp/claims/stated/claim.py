"""The interface of all claims for the decision pass: regions, and the obligations on them.

`Accuracy`, `Privacy` and `Expected` are claims. A claim is true if every bound holds on each of its
regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.budgets import read_epsilon
from exactdp.language.program import Program
from exactdp.reals import ClosedForm, ExpPoly, Interval

if TYPE_CHECKING:
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Leaf, Problem, Sign
    from exactdp.claims.decision.work import Explorer
    from exactdp.claims.regions.region import Region
    from exactdp.claims.stated.inputs import Inputs
    from exactdp.claims.stated.vacuity import Content, Contents
    from exactdp.language.values import Value
    from exactdp.semantics.spots import Trace

_HIGHEST_ORDER = 128
NEARLY_ABOVE = -1
"""The attempt with a closed form that is at least the maximum of two nonnegative functions.

What fails for it fails for the maximum; what holds for it proves nothing.
"""


class Bound(Protocol):
    """probability ≥ 1 − β for every ε of the claim, with each of the alternatives of β."""

    @property
    def input(self) -> tuple[Value, ...]:
        """The input, or both inputs concatenated."""

    @property
    def probability(self) -> ClosedForm:
        """The probability that is bounded from below."""

    @property
    def beta(self) -> tuple[ClosedForm, ...]:
        """Closed forms whose minimum is the claimed bound."""

    @property
    def largest_of(self) -> tuple[tuple[ClosedForm, ...], ...]:
        """For each alternative of β, closed forms whose maximum is the bound; often empty."""

    @property
    def allows_all(self) -> bool:
        """Whether every possible outcome is allowed."""


B_co = TypeVar("B_co", bound=Bound, covariant=True)


@dataclass(frozen=True)
class Due(Generic[B_co]):
    """What must be proved at a point of a region where something is claimed."""

    obligations: tuple[B_co, ...]
    """Empty if every output that occurs is allowed."""
    allows_all: bool = False
    """Whether every possible output is allowed."""

    def __iter__(self) -> Iterator[B_co]:
        return iter(self.obligations)


class Claim(Protocol):
    """A claim, as seen by the decision pass."""

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
        """The results computed so far."""

    @property
    def is_continuous(self) -> bool:
        """Whether the claim on the faces of cells follows from the claim in their interior."""

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield groups of regions: those of each listed input, or of all reals.

        Listed inputs with equal obligations may form one group, unless `each` is set. The `first`
        groups are skipped.
        """

    def how_many_groups(self) -> int:
        """Return the number of groups."""

    def due(self, region: Region, trace: Trace) -> Due[Bound] | None:
        """Return what must be proved at a sample of a region; None if nothing is claimed."""

    def marks(self, region: Region, cell: Leaf) -> tuple[bytes, ...]:
        """Return a mark of each obligation of a cell: those with equal marks are decided once.

        Without marks, all obligations are decided.
        """

    def refutation(self, problem: Problem, sign: Sign) -> Any:
        """Return the independently confirmed counterexample of a failed problem, or None."""

    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""

    def everywhere(self) -> Claim:
        """Return the same claim about all real inputs."""

    def stronger(self) -> Claim | None:
        """Return a claim that implies this one and is easier to prove, if there is one."""

    def weaker(self) -> Claim | None:
        """Return a claim that this one implies and that is easier to refute, if there is one."""

    def hint(self) -> str:
        """Return a clause on the approximate best constant, or ""."""

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much is claimed, given the obligations; the function decides form ≥ 1."""

    @property
    def nouns(self) -> tuple[str, str]:
        """The noun for what is counted if inputs are listed, singular and plural."""

    def why_empty(self, contents: Contents) -> str:
        """Describe why the claim says nothing at some inputs."""

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""

    def certificate(self, verdict: Any) -> dict[str, Any]:
        """Return a verdict as plain JSON."""


def near_maximum(forms: Sequence[ClosedForm], attempt: int = 0) -> ClosedForm | None:
    """Return a closed form that is nowhere above the maximum of several; None after the last.

    First Σ f^(n+1) / Σ f^n with n = 2, then each function, then n = 8, 32 and 128. For an even n
    this is a mean with nonnegative weights. If the functions are nonnegative, it converges to their
    maximum; for two functions and n = 128, it is at least 99.7 % of it. The attempt `NEARLY_ABOVE`
    is an exception: it is slightly more than the last mean.
    """
    if len(set(forms)) == 1:
        return None if attempt > 0 else forms[0]
    if attempt == NEARLY_ABOVE:
        last = near_maximum(forms, len(forms) + 3)
        assert last is not None
        return last * Fraction(_HIGHEST_ORDER + 1, _HIGHEST_ORDER)
    if 0 < attempt <= len(forms):
        return forms[attempt - 1]
    order = 2 * 4 ** max(attempt - len(forms), 0)
    if order > _HIGHEST_ORDER:
        return None
    weights = [form**order for form in forms]
    over = [form * weight for form, weight in zip(forms, weights, strict=True)]
    return sum(over, start=ExpPoly(0)) / sum(weights, start=ExpPoly(0))


def mechanism_on(mechanism: object, epsilon: Any) -> tuple[Program, Interval]:
    """Return a mechanism restricted to the ε of a claim, by default all where it is defined."""
    if not isinstance(mechanism, Program):
        raise ValueRefusedError(
            f"{shown(mechanism)} is not a mechanism",
            rule="A claim is about a mechanism.",
            way_out="Put @mechanism above the function.",
        )
    mechanism.refuse_untyped()
    on = read_epsilon(mechanism.epsilon if epsilon is None else epsilon)
    return mechanism.on(on), on


def about_the_constant(claim: Any) -> str:
    """Return a clause on the approximate best constant of a claim, or ""."""
    try:
        kappa = claim.tightest(width=Fraction(1, 1000)).kappa
    except ExactdpError:
        return ""
    lower, upper = float(kappa.lower), float(kappa.upper)
    return f"; the best constant is between {lower:.6g} and {upper:.6g}"

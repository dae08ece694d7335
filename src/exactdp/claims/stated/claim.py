"""What a claim requires at a point: bounds on probabilities; and what all claims are about."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from exactdp.claims.stated.scope import Scope
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.budgets import read_epsilon
from exactdp.language.program import Program
from exactdp.reals import ClosedForm, ExpPoly, Interval

if TYPE_CHECKING:
    from exactdp.claims.stated.inputs import Inputs
    from exactdp.language.values import Value

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


T = TypeVar("T")
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


class Stated(ABC):
    """A claim: a value, and what was computed for it."""

    mechanism: Program

    @property
    @abstractmethod
    def input_set(self) -> Inputs:
        """The inputs that the claim is about."""

    @cached_property
    def scope(self) -> Scope:
        """The same inputs, in parts in which some entries are free."""
        return Scope(self.mechanism, self.input_set)

    @cached_property
    def _kept(self) -> dict[object, Any]:
        return {}

    def kept(self, make: Callable[[Self], T]) -> T:
        """Return `make(self)`, computed once and cached as long as the claim exists."""
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found


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

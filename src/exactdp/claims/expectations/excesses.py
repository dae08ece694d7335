"""Counterexamples to bounds on an expected loss: an input and an ε at which it is larger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from exactdp.claims.decision.cell_points import bound_at_log, first_failure, on_ray
from exactdp.claims.regions.of_inputs import region_at
from exactdp.claims.regions.places import OnCone, OnCurve, OnLine
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.language.layout import assembled
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure
from exactdp.reals.logs import LogForm
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told, distinct_texts

if TYPE_CHECKING:
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.expectations.claim import Expected


@dataclass(frozen=True)
class LossBound:
    """The expected loss at an input is at most a bound, for every ε of the claim."""

    input: tuple[Value, ...]
    expected: ClosedForm
    probability: ClosedForm
    """1 − the expected loss: the bound states that this is at least 1 − β."""
    beta: tuple[ClosedForm, ...]
    """Closed forms whose minimum is the claimed bound."""
    allows_all: bool = False
    largest_of: tuple[tuple[ClosedForm, ...], ...] = ()


@dataclass(frozen=True, repr=False)
class Excess(Told):
    """An input and an ε at which the expected loss is above the claimed bound.

    >>> from exactdp import Expected, Mechanism, eps
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> found = Expected(count, at_most=2, inputs=[0]).check().counterexample
    >>> found.input, found.eps < 1, found.size.text(4)
    (0, True, '3')
    """

    input: Value
    eps: Fraction
    expected: ClosedForm
    """The expected loss at the input, as a function of ε."""
    claimed: ClosedForm
    """The claimed bound there."""
    loss: str

    @cached_property
    def size(self) -> Enclosure:
        """An enclosure of the expected loss at this ε."""
        return self.expected.at(self.eps)

    @property
    def error(self) -> Enclosure:
        """The same, by the name that it has in counterexamples to accuracy."""
        return self.size

    @cached_property
    def allowed(self) -> Enclosure:
        """An enclosure of the bound at this ε."""
        return self.claimed.at(self.eps)

    def __str__(self) -> str:
        actual, most = distinct_texts(self.eps, self.expected, self.claimed)
        return (
            f"at the input {show(self.input)} and ε = {spell(self.eps)} the expected loss is "
            f"{actual}, and the claim allows {most}"
        )


def excess(claim: Expected, problem: Problem, sign: Sign) -> Excess | None:
    """Return the counterexample of a failed problem."""
    place, region, witness = problem.place, problem.region, sign.witness
    mechanism = claim.mechanism

    def told(numbers: Sequence[Value], at: Fraction, loss: Any, bound: ClosedForm) -> Excess:
        given = as_written(as_given(mechanism, assembled(mechanism.inputs, numbers)))
        form: Any = LogForm.of(loss) or loss
        return Excess(given, at, form, bound, claim.function.name)

    def at_log(point: Sequence[Fraction], near: Fraction) -> Excess | None:
        numbers = region.numbers(point)
        there = region_at(claim.scope, tuple(numbers), region.names[1:2], claim.epsilon)
        found = bound_at_log(claim, there, near)
        return None if found is None else told(numbers, near, found[0].expected, found[1])

    def at_point(point: Sequence[Fraction]) -> Any:
        if mechanism.moves:
            return claim.at_entries(region.numbers(point)).check().counterexample
        return on_ray(claim, region.numbers(point))

    if isinstance(place, OnCone):
        return cast("Excess | None", first_failure(claim, problem, sign, at_point, at_log))
    if not isinstance(witness, Fraction):
        return None
    if isinstance(place, OnCurve):
        alone = claim.at_entries(region.only_numbers, witness)
        return cast("Excess | None", alone.check().counterexample)
    line = problem.alone
    if isinstance(place, OnLine) and (line is None or witness not in line.whole):
        return None
    one = problem.obligation
    assert isinstance(one, LossBound)
    return told(region.only_numbers, witness, one.expected, problem.beta)

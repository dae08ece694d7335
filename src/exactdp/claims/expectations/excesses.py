"""Counterexamples to bounds on an expected loss: an input and an ε at which it is larger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.cell_points import at_exact_logs, points_near_logs, points_of
from exactdp.claims.decision.deciding import examine
from exactdp.claims.decision.progress import nobody
from exactdp.claims.expectations.loss_functions import expected
from exactdp.claims.regions.places import OnCurve, OnLine, OnRay
from exactdp.claims.regions.region import RAY, Combination, Region
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.language.layout import assembled
from exactdp.language.linear import base_of, unit_in
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, Interval
from exactdp.reals.logs import LogForm
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told
from exactdp.semantics.by_epsilon import as_spots
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.expected import Expected


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
        for digits in (4, 8, 16, 32):
            actual, most = (
                form.at(self.eps, digits).text(digits) for form in (self.expected, self.claimed)
            )
            if actual != most:
                break
        return (
            f"at the input {show(self.input)} and ε = {spell(self.eps)} the expected loss is "
            f"{actual}, and the claim allows {most}"
        )


def excess(claim: Expected, problem: Problem, sign: Sign) -> Excess | None:
    """Return the counterexample of a failed problem."""
    if isinstance(problem.place, OnCurve):
        return _at_one_eps(claim, problem, sign)
    if isinstance(problem.place, OnLine):
        return _on_line(claim, problem, sign)
    if not isinstance(problem.place, OnRay):
        return _confirmed(claim, problem, sign)
    one = problem.obligation
    assert isinstance(one, LossBound)
    if not isinstance(sign.witness, Fraction):
        return None
    given = as_given(claim.mechanism, one.input)
    name = claim.function.name
    return Excess(as_written(given), sign.witness, one.expected, problem.beta, name)


def _at_one_eps(claim: Expected, problem: Problem, sign: Sign) -> Excess | None:
    """Return the counterexample at an ε, checked as a claim about it."""
    if not isinstance(sign.witness, Fraction):
        return None
    u = _only_input(claim, problem)
    alone = replace(claim, inputs=[u], epsilon=Interval(sign.witness, sign.witness))
    found: Excess | None = alone.check().counterexample
    return found


def _only_input(claim: Expected, problem: Problem) -> Value:
    """Return the input of a region in which inputs do not vary, as users write it."""
    numbers = [
        Fraction(one.form[0]) if isinstance(one, Combination) else one
        for one in problem.region.entries
    ]
    return as_written(as_given(claim.mechanism, assembled(claim.mechanism.inputs, numbers)))


def _on_line(claim: Expected, problem: Problem, sign: Sign) -> Excess | None:
    """Return the counterexample at an ε, for a mechanism with several constants."""
    line = problem.alone
    if not isinstance(sign.witness, Fraction) or line is None or sign.witness not in line.whole:
        return None
    one = problem.obligation
    assert isinstance(one, LossBound)
    form: Any = LogForm.of(one.expected) or one.expected
    u = _only_input(claim, problem)
    return Excess(u, sign.witness, form, problem.beta, claim.function.name)


def _at_log(claim: Expected, u: tuple[Value, ...], at: Fraction, unit: str) -> Excess | None:
    """Return the counterexample at an input and an ε near a logarithm, if there is one."""

    def run(trace: Trace) -> Any:
        spots = as_spots(claim.mechanism, u, trace)
        return expected(claim.mechanism, claim.function, claim.ideal_function, spots, trace)

    found = at_exact_logs((unit,), at, run)
    if found is None or isinstance(found, float):
        return None
    form: Any = LogForm.of(found) or found
    for bound in claim.bounds_at(u):
        if (bound - form).at(at).sign < 0:
            given = as_written(as_given(claim.mechanism, u))
            return Excess(given, at, form, bound, claim.function.name)
    return None


def _confirmed(claim: Expected, problem: Problem, sign: Sign) -> Excess | None:
    """Return the counterexample at a point of a cone, checked as a claim about one input."""
    unit = unit_in(problem.region.names)
    if unit is not None and base_of(unit) is not None:
        for point, at in points_near_logs(claim, problem, sign.witness, unit):
            u = problem.region.at(claim.mechanism.inputs, point).input
            if (near := _at_log(claim, u, at, unit)) is not None:
                return near
        return None
    for point in points_of(claim, problem, sign.witness):
        if claim.mechanism.moves:
            there = problem.region.at(claim.mechanism.inputs, point).input
            given = as_written(as_given(claim.mechanism, there))
            alone: Excess | None = replace(claim, inputs=[given]).check().counterexample
            if alone is not None:
                return alone
            continue
        numbers = tuple(problem.region.numbers(point))
        found = examine(claim.work, Region(("eps",), RAY, numbers, claim.epsilon), nobody)
        if found.failures:
            failure: Excess = found.failures[0]
            return failure
    return None

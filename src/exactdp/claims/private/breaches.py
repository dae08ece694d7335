"""Counterexamples to privacy claims: two adjacent inputs, and outputs that distinguish them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.cell_points import bound_at_log, first_failure, on_ray
from exactdp.claims.private.far_out import replaced
from exactdp.claims.private.losses import Loss
from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.patterns import reals_in
from exactdp.claims.regions.of_inputs import region_at
from exactdp.claims.regions.places import OnCurve, OnRay
from exactdp.claims.stated.inputs import show
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, kinds
from exactdp.language.linear import UNIT
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, ExpPoly, Interval, eps
from exactdp.reals.logs import LogForm
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told, distinct_texts
from exactdp.semantics.simulate import sample

if TYPE_CHECKING:
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.private.claim import Privacy

_FIRST, _DOUBLED = 8, 8  # integers far out among which a counterexample is sought


@dataclass(frozen=True, repr=False)
class Breach(Told):
    """Two adjacent inputs, a set of outputs and an ε at which the claim is false.

    >>> from exactdp import Mechanism, Privacy, hamming
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> breach = Privacy(coin, adjacent=hamming(1)).check().counterexample
    >>> breach.eps, breach.output
    (Fraction(1, 1), 0)
    """

    inputs: tuple[Value, Value]
    """u and u′."""
    outputs: tuple[Value, ...]
    """A set of outputs; for bounded range, two outputs."""
    eps: Fraction
    chance: ClosedForm
    """Pr(P(u) in the set) as a function of ε; for real outputs, the density there."""
    other: ClosedForm
    """Pr(P(u′) in the set)."""
    allowed: ClosedForm
    """The largest Pr(P(u) in the set) that the claim allows: e^budget·Pr(P(u′) in the set) + δ."""
    what: str = "probability"
    """The kind of `chance` and `other`: probability, density, product (of two probabilities), or
    product of densities."""

    @property
    def output(self) -> Value:
        """The output, if the set has only one."""
        return self.outputs[0]

    @property
    def compares_densities(self) -> bool:
        """Whether densities are compared, or products of them, and not probabilities."""
        return self.what in ("density", "product of densities")

    @cached_property
    def probabilities(self) -> tuple[Enclosure, Enclosure]:
        """Enclosures of both probabilities at this ε."""
        return self.chance.at(self.eps), self.other.at(self.eps)

    @cached_property
    def limit(self) -> Enclosure:
        """An enclosure of the allowed probability at this ε."""
        return self.allowed.at(self.eps)

    def __str__(self) -> str:
        u, v = map(show, self.inputs)
        one, two, most = distinct_texts(self.eps, self.chance, self.other, self.allowed)
        return (
            f"at the inputs {u} and {v} and ε = {spell(self.eps)} {self._told} {one} and {two}, "
            f"and the claim allows {most} for the first"
        )

    @property
    def _told(self) -> str:
        """A description of the two numbers."""
        listed = ", ".join(map(show, self.outputs))
        if self.what == "probability" and any(map(reals_in, self.outputs)):
            # The ends of intervals are irrational.
            listed += ", where Real is any number with p > e^budget·p′,"
        if self.what.startswith("product"):
            one, two = map(show, self.outputs)
            kind = "densities" if self.compares_densities else "probabilities"
            return f"the products of the {kind} of {one} at one and of {two} at the other are"
        if self.what == "density":
            return f"the output {listed} has the densities"
        if len(self.outputs) == 1:
            return f"the output {listed} has the probabilities"
        return f"the outputs {listed} together have the probabilities"

    def simulated(self, mechanism: Program, size: int, seed: Any = None) -> tuple[float, float]:
        """Estimate `probabilities` from `size` runs of the mechanism at each input."""
        if self.compares_densities:
            raise ValueRefusedError(
                "a density is not seen in runs",
                rule="The share of runs with an output of the set is compared with a probability.",
                way_out="Compare a histogram of mechanism.sample(u, eps, size) with the density.",
            )
        one, two = (sample(mechanism, u, self.eps, size, seed) for u in self.inputs)
        if self.what == "product":
            first, second = self.outputs
            return (
                _share(one, (first,)) * _share(two, (second,)),
                _share(two, (first,)) * _share(one, (second,)),
            )
        return _share(one, self.outputs), _share(two, self.outputs)


def _share(runs: list[Value], outputs: tuple[Value, ...]) -> float:
    """Return the share of runs with an output of a set."""
    return sum(any(_is_of(run, output) for output in outputs) for run in runs) / len(runs)


def _is_of(run: Value, output: Value) -> bool:
    """Whether the output of a run equals an output, or is in an interval of outputs."""
    if isinstance(output, Interval):
        return isinstance(run, int | float | Fraction) and Fraction(run) in output
    if isinstance(output, tuple | list):
        return (
            isinstance(run, tuple | list)
            and len(run) == len(output)
            and all(_is_of(a, b) for a, b in zip(run, output, strict=True))
        )
    return isinstance(run, bool) == isinstance(output, bool) and bool(run == output)


def breach(claim: Privacy, problem: Problem, sign: Sign) -> Breach | None:
    """Return the counterexample of a failed problem."""
    one = problem.obligation
    assert isinstance(one, Loss)
    if not isinstance(problem.place, OnRay):
        return _confirmed(claim, problem, sign)
    at: Any = sign.witness
    if one.far is not None:
        return _far_out(claim, one, at)
    what = "product" if claim.measure == "bounded_range" else "probability"
    forms: tuple[ClosedForm, ...] = one.chance, one.other, problem.beta
    if one.is_density:
        what = "density" if what == "probability" else "product of densities"
        count = len(problem.region.entries) - len(one.input) - 1
        forms = tuple(form * eps**count for form in forms)
    chance, other, allowed = forms
    return Breach(claim.both(one), one.outputs, at, chance, other, allowed, what)


def _far_out(claim: Privacy, one: Loss, at: Fraction) -> Breach | None:
    """Return a counterexample at an ε among outputs with large integers, if one is found."""
    half = len(one.input) // 2
    given = [assembled(claim.mechanism.inputs, x) for x in (one.input[:half], one.input[half:])]
    for k in (*range(_FIRST), *(_FIRST * 2**j for j in range(_DOUBLED))):
        output = replaced(one.far, lambda far, k=k: far.start + far.step * k)  # type: ignore[misc]
        sides = [claim.outcomes.events(x, [output]) for x in given]
        chance, other = (sum(side.values(), ExpPoly(0)) for side in sides)
        allowed = other * claim.factor
        if (allowed - chance).at(at).sign < 0:
            return Breach(claim.both(one), (output,), at, chance, other, allowed)
    return None


def _confirmed(claim: Privacy, problem: Problem, sign: Sign) -> Breach | None:
    """Return the counterexample at a point of a cone, checked as a claim about one pair."""
    region = problem.region
    count = 2 * len(kinds(claim.mechanism.inputs))

    def at_log(point: Sequence[Fraction], near: Fraction) -> Breach | None:
        numbers, units = region.numbers(point), region.names[1:2]
        pair, others = numbers[:count], numbers[count:]
        there = region_at(claim.mechanism, pair, units, claim.epsilon, others)
        found = bound_at_log(claim, there, near)
        if found is None:
            return None
        one, beta = found
        forms: list[Any] = [LogForm.of(x) or x for x in (one.chance, one.other, beta)]
        both = claim.told(tuple(pair[: count // 2]), tuple(pair[count // 2 :]))
        return Breach(both, one.outputs, near, *forms)

    def at_point(point: Sequence[Fraction]) -> Any:
        numbers = region.numbers(point)
        if not _are_adjacent(claim, tuple(numbers)):
            return None
        if UNIT not in region.names:
            return on_ray(claim, numbers)
        at = Fraction(point[0]) / point[region.names.index(UNIT)]
        alone = claim.at_entries(numbers[:count], at) if at in claim.epsilon else None
        return None if alone is None else alone.check().counterexample

    if isinstance(problem.place, OnCurve):
        alone = claim.at_entries(region.only_numbers[:count], sign.witness)  # type: ignore[arg-type]
        found: Breach | None = alone.check().counterexample
    else:
        found = first_failure(claim, problem, sign, at_point, at_log)
    return found


def _are_adjacent(claim: Privacy, numbers: tuple[Value, ...]) -> bool:
    """Whether a pair of a region is adjacent; strict conditions are false at its boundary."""
    count = len(kinds(claim.mechanism.inputs))
    is_own = isinstance(claim.adjacency, Own)
    return not is_own or claim.adjacency.are(numbers[:count], numbers[count : 2 * count])

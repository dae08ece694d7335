"""Counterexamples to privacy claims: two adjacent inputs, and outputs that distinguish them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.cell_points import at_exact_logs, points_near_logs, points_of
from exactdp.claims.decision.deciding import examine
from exactdp.claims.decision.progress import nobody
from exactdp.claims.private.far_out import replaced
from exactdp.claims.private.losses import Loss
from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.pairs import Pairs
from exactdp.claims.private.patterns import reals_in
from exactdp.claims.regions.places import OnCurve, OnRay
from exactdp.claims.regions.region import RAY, Region
from exactdp.claims.stated.inputs import show
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, kinds
from exactdp.language.linear import UNIT, base_of, unit_in
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, ExpPoly, Interval, eps
from exactdp.reals.logs import LogForm
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told
from exactdp.semantics.by_epsilon import at_unit, in_units, positive_cone
from exactdp.semantics.simulate import sample

if TYPE_CHECKING:
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.privacy import Privacy

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
        for digits in (4, 8, 16, 32):
            one, two, most = (
                form.at(self.eps, digits).text(digits)
                for form in (self.chance, self.other, self.allowed)
            )
            if one != most:
                break
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
            kind = "probabilities" if self.what == "product" else "densities"
            return f"the products of the {kind} of {one} at one and of {two} at the other are"
        if self.what == "density":
            return f"the output {listed} has the densities"
        if len(self.outputs) == 1:
            return f"the output {listed} has the probabilities"
        return f"the outputs {listed} together have the probabilities"

    def simulated(self, mechanism: Program, size: int, seed: Any = None) -> tuple[float, float]:
        """Estimate `probabilities` from `size` runs of the mechanism at each input."""
        if self.what in ("density", "product of densities"):
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
    if isinstance(problem.place, OnCurve):
        assert isinstance(sign.witness, Fraction)
        return _at_one_eps(claim, region.entries, sign.witness)
    unit = unit_in(region.names)
    if unit is not None and base_of(unit) is not None:
        for point, near in points_near_logs(claim, problem, sign.witness, unit):
            beside = _at_log(claim, tuple(region.numbers(point)), near, unit)
            if beside is not None:
                return beside
        return None
    for point in points_of(claim, problem, sign.witness):
        numbers = tuple(region.numbers(point))
        if not _are_adjacent(claim, numbers):
            continue
        if UNIT in region.names:
            at = Fraction(point[0]) / point[region.names.index(UNIT)]
            alone = _at_one_eps(claim, numbers, at) if at in claim.epsilon else None
            if alone is not None:
                return alone
            continue
        found = examine(claim.work, Region(("eps",), RAY, numbers, claim.epsilon), nobody)
        if found.failures:
            failure: Breach = found.failures[0]
            return failure
    return None


def _are_adjacent(claim: Privacy, numbers: tuple[Value, ...]) -> bool:
    """Whether a pair of a region is adjacent; strict conditions are false at its boundary."""
    count = len(kinds(claim.mechanism.inputs))
    is_own = isinstance(claim.adjacency, Own)
    return not is_own or claim.adjacency.are(numbers[:count], numbers[count : 2 * count])


def _at_log(claim: Privacy, numbers: tuple[Value, ...], at: Fraction, unit: str) -> Breach | None:
    """Return the counterexample of a pair of inputs at an ε near a logarithm, if any."""
    cone = positive_cone(in_units(claim.epsilon, unit))
    region = Region(("eps", unit), cone, numbers, claim.epsilon)
    due = at_exact_logs((unit,), at, lambda trace: claim.losses.at(region, trace))
    half = len(kinds(claim.mechanism.inputs))
    for one in due or ():
        for beta in one.beta:
            gap = one.probability - 1 + beta
            if at_unit(gap, at).sign < 0:
                forms = (LogForm.of(form) or form for form in (one.chance, one.other, beta))
                chance, other, allowed = forms
                pair = claim.told(numbers[:half], numbers[half : 2 * half])
                return Breach(pair, one.outputs, at, chance, other, allowed)  # type: ignore[arg-type]
    return None


def _at_one_eps(claim: Privacy, numbers: Sequence[Any], at: Fraction) -> Breach | None:
    """Return a counterexample at an ε, for the pair of inputs at the start of `numbers`."""
    count = len(kinds(claim.mechanism.inputs))
    sides = (numbers[:count], numbers[count : 2 * count])
    pair = claim.told(*(tuple(side) for side in sides))
    verdict = replace(claim, inputs=Pairs(pair), epsilon=Interval(at, at)).check()
    found: Breach | None = verdict.counterexample
    return found

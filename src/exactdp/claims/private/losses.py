"""The requirements of privacy for a pair of inputs: bounds on the probabilities of outputs.

δ = 0: p(u, o) ≤ e^b·p(u′, o) for each output o. δ > 0: the sum of p(u, o) − e^b·p(u′, o) over any
set of outputs is at most δ; it is largest for the set of outputs with positive terms, so the sets
that occur in this way at some ε suffice. Bounded range: p(u, o)·p(u′, o′) ≤ e^b·p(u′, o)·p(u, o′).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING

from exactdp.claims.private.far_out import Far, parts_far, replaced
from exactdp.claims.private.outcomes import Chances, integers_beside_reals, only_finite
from exactdp.claims.private.patterns import filled, integers_in, reals_in
from exactdp.claims.private.real_sets import PositivePart, positive_parts
from exactdp.claims.stated.claim import Due
from exactdp.claims.stated.scope import FREE, with_zeros_in
from exactdp.errors import ValueRefusedError
from exactdp.language.events import State, distinct
from exactdp.language.layout import assembled, kinds
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, SolutionSet, nonnegative, solution_set
from exactdp.reals.spans import as_stretch
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import has_spots

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy
    from exactdp.claims.private.pairs import Entries
    from exactdp.claims.regions.region import Region
    from exactdp.claims.stated.scope import Part
    from exactdp.semantics.spots import Trace

_ZERO = ExpPoly(0)
_MOST_IN_SETS = 6


@dataclass(frozen=True)
class Loss:
    """p ≤ factor·p′ + δ, for an output or a set of outputs."""

    input: tuple[Value, ...]
    """The scalars of both inputs, u first."""
    outputs: tuple[Value, ...]
    """The outputs of the set; for a ratio of ratios, both outputs."""
    chance: ClosedForm
    """p: the probability at u; for a ratio of ratios, a product of two."""
    other: ClosedForm
    """p′: the same at u′."""
    probability: ClosedForm
    """1 − p."""
    beta: tuple[ClosedForm, ...]
    """factor·p′ + δ."""
    allows_all: bool = False
    largest_of: tuple[tuple[ClosedForm, ...], ...] = ()
    is_density: bool = False
    """Whether p and p′ are densities of real numbers multiplied by ε."""
    far: Value = None
    """The output, if it has large integers: then p and p′ are linear combinations of theirs."""

    @property
    def is_seen(self) -> bool:
        """Whether the bound is necessary: some output needs at least as much."""
        return all(one.is_seen for one in parts_far(self.far))


class Losses:
    """The bounds of one claim, pair by pair; shared results are computed once."""

    def __init__(self, claim: Privacy) -> None:
        self._claim = claim
        self._engine = claim.mechanism.kept(Engine)
        self._count = len(kinds(claim.mechanism.inputs))
        self._outcomes = claim.outcomes
        self._beside: dict[ClosedForm, ClosedForm] = {}
        self._rest: dict[ClosedForm, ClosedForm] = {}
        self._parts: dict[object, list[PositivePart]] = {}

    def at(self, region: Region, trace: Trace) -> Due[Loss]:
        """Return what must be proved at a sample of a region."""
        values, count = tuple(region.values(trace)), self._count
        u, v, output = values[:count], values[count : 2 * count], values[2 * count :]
        if output:
            return Due(tuple(self._densities(values[: 2 * count], u, v, output)))
        if self._claim.delta_form and not region.is_ray:
            return Due(tuple(self._sets_with_reals(region, u, v, trace)))
        return Due(tuple(self._bounds(values, u, v, trace)))

    def _sets_with_reals(
        self, region: Region, u: Entries, v: Entries, trace: Trace
    ) -> Iterator[Loss]:
        """Yield the bounds on sets of finite outputs, together with all real ones where p > e^b·p′.

        The real outputs of such a set depend on the inputs; the others are any of them.
        """
        sides = self._outcomes.distribution(u, trace), self._outcomes.distribution(v, trace)
        one, two = (
            {key: chance for key, chance in side.items() if not reals_in(key.env[0])}
            for side in sides
        )
        every = distinct(key.env[0] for side in sides for key in side)
        for pattern in every:
            if integers_in(pattern):
                raise only_finite(pattern)
        patterns = [pattern for pattern in every if reals_in(pattern)]
        chance: ClosedForm = _ZERO
        other: ClosedForm = _ZERO
        positive: dict[State, None] = {}
        for pattern in patterns:
            for part in self._positive(region, pattern):
                more = part.masses(trace)
                chance, other = chance + more[0], other + more[1]
                if more[0]:
                    positive[State(-1, (pattern,))] = None
        shown_as = tuple(positive)
        if shown_as:
            yield self._loss((*u, *v), shown_as, chance, other)
        for outputs in self._sets(one, two):
            yield self._loss(
                (*u, *v),
                (*outputs, *shown_as),
                sum((one.get(o, _ZERO) for o in outputs), chance),
                sum((two.get(o, _ZERO) for o in outputs), other),
            )

    def _positive(self, region: Region, pattern: Value) -> list[PositivePart]:
        """Return where real outputs are more probable at the first input, for a region."""
        key = region.names, region.cone, State(-1, (region.entries, pattern))
        if key not in self._parts:
            found = None
            if reals_in(pattern) == 1 and not integers_in(pattern):
                found = positive_parts(self._claim, region, pattern)
            if found is None:
                raise only_finite(pattern)
            self._parts[key] = found
        return self._parts[key]

    def _densities(
        self, both: Entries, u: Entries, v: Entries, output: tuple[Value, ...]
    ) -> Iterator[Loss]:
        """Yield the bound on the density at an output: its pattern, then its real numbers."""
        pattern, *points = output
        if integers_in(pattern):
            raise integers_beside_reals(pattern)
        told = pattern if has_spots(tuple(points)) else filled(pattern, list(points))
        if self._claim.measure == "privacy":
            outputs = [told]
            one, two = (self._density(x, pattern, points) for x in (u, v))
        else:
            assert isinstance(pattern, tuple)
            assert isinstance(told, tuple)
            outputs, (first, second), count = list(told), pattern, reals_in(pattern[0])
            at = points[:count], points[count:]
            one = self._density(u, first, at[0]) * self._density(v, second, at[1])
            two = self._density(v, first, at[0]) * self._density(u, second, at[1])
        if one.numerator:
            states = tuple(State(-1, (each,)) for each in outputs)
            yield replace(self._loss(both, states, one, two), is_density=True)

    def _density(self, u: Entries, pattern: Value, points: Sequence[Value]) -> ClosedForm:
        """Return the density of the numbers of a pattern, or the probability of an output."""
        given = assembled(self._claim.mechanism.inputs, u)
        if points:
            return self._engine.density(given, pattern, points)
        if has_spots(given):
            return self._engine.probability_at_spots(given, pattern)
        return self._outcomes.distribution(u).get(State(-1, (pattern,)), _ZERO)

    def with_reals(self, outputs: Iterable[Value]) -> list[Value]:
        """Return the patterns with real numbers; for bounded range, all pairs that have some."""
        every: Iterable[Value] = distinct(outputs)
        if self._claim.measure != "privacy":
            every = product(every, repeat=2)
        return [one for one in every if reals_in(one)]

    def patterns(self, u: Part, v: Part) -> list[Value]:
        """Return the patterns with real numbers that outputs have at two parts of the inputs."""
        holds_noise = FREE in u or self._claim.mechanism.checked.output.holds_noise
        if self._claim.delta_form or not holds_noise:
            return []
        given = [assembled(self._claim.mechanism.inputs, with_zeros_in(x)) for x in (u, v)]
        if self._claim.has_inverse_eps or FREE in u:
            return self.with_reals(one for x in given for one in self._engine.patterns(x))
        return self.with_reals(one.env[0] for x in (u, v) for one in self._outcomes.distribution(x))

    def seen_of(self, u: Part, v: Part, pattern: Value) -> object:
        """Return the data that the densities of a pattern at two parts of the inputs depend on."""
        if self._claim.has_inverse_eps or FREE in u:
            return u, v, State(-1, (pattern,))
        given = [assembled(self._claim.mechanism.inputs, x) for x in (u, v)]
        parts = [pattern] if self._claim.measure == "privacy" else pattern
        assert isinstance(parts, tuple | list)
        return State(-1, (pattern,)), *(
            self._engine.seen_of(x, one) for one in parts for x in given
        )

    def _bounds(self, both: Entries, u: Entries, v: Entries, trace: Trace) -> Iterator[Loss]:
        mixed = not self._claim.delta_form and self._claim.measure == "privacy"
        return self.bounds(both, *self._outcomes.chances(u, v, trace, mixed=mixed))

    def bounds(self, both: Entries, one: Chances, two: Chances) -> Iterator[Loss]:
        """Yield the bounds on outputs with these probabilities at two inputs."""
        if self._claim.measure == "bounded_range":
            yield from self._ranges(both, one, two)
        elif self._claim.delta_form:
            for outputs in self._sets(one, two):
                chance, other = (
                    sum((side.get(o, _ZERO) for o in outputs), _ZERO) for side in (one, two)
                )
                yield self._loss(both, outputs, chance, other)
        else:
            far = (output for output in two if parts_far(output.env[0]))
            for output in dict.fromkeys((*one, *far)):
                chance, other = one.get(output, _ZERO), two.get(output, _ZERO)
                yield self._loss(both, (output,), chance, other)

    def _loss(
        self, both: Entries, outputs: tuple[State, ...], chance: ClosedForm, other: ClosedForm
    ) -> Loss:
        if other not in self._beside:
            self._beside[other] = other * self._claim.factor + self._claim.delta_form
        if chance not in self._rest:
            self._rest[chance] = 1 - chance
        told = tuple(replaced(one.env[0], Far.told) for one in outputs)
        far = outputs[0].env[0] if parts_far(outputs[0].env[0]) else None
        beta = (self._beside[other],)
        return Loss(both, told, chance, other, self._rest[chance], beta, far=far)

    def _ranges(self, both: Entries, one: Chances, two: Chances) -> Iterator[Loss]:
        """Yield p(u, o)·p(u′, o′) ≤ e^b·p(u′, o)·p(u, o′) for all o and o′."""
        every = list(dict.fromkeys((*one, *two)))
        for first in every:
            for second in every:
                if first != second and first in one and second in two:
                    chance = one[first] * two[second]
                    other = two.get(first, _ZERO) * one.get(second, _ZERO)
                    yield self._loss(both, (first, second), chance, other)

    def _sets(self, one: Chances, two: Chances) -> tuple[tuple[State, ...], ...]:
        """Return sets of outputs such that at each ε, one of them maximises p − e^b·p′."""
        on = self._claim.epsilon
        if any(set(form.parameters) - {"eps"} for form in (*one.values(), *two.values())):
            if len(one) > _MOST_IN_SETS:
                raise ValueRefusedError(
                    f"there are {len(one)} outputs, and the claim is about all real inputs",
                    rule=f"With δ every set of at most {_MOST_IN_SETS} outputs is examined.",
                    way_out="Give inputs=Grid(lo, hi), a list, or Pairs(…).",
                )
            sizes = range(1, len(one) + 1)
            return tuple(chosen for size in sizes for chosen in combinations(one, size))
        whole = SolutionSet((as_stretch(on),))
        found: list[tuple[tuple[State, ...], SolutionSet]] = [((), whole)]
        for output, chance in one.items():
            gain = chance - two.get(output, _ZERO) * self._claim.factor
            if nonnegative(-gain, on):
                continue
            if nonnegative(gain, on):
                found = [((*outputs, output), where) for outputs, where in found]
                continue
            up, down = solution_set(gain, on), solution_set(-gain, on)
            found = [
                (outputs, where)
                for chosen, before in found
                for outputs, part in (((*chosen, output), up), (chosen, down))
                if (where := before & part).stretches
            ]
        return tuple(dict.fromkeys(outputs for outputs, _ in found if outputs))

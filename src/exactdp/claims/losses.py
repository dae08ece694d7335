"""What privacy demands of a pair of inputs: bounds on the probabilities of outputs.

δ = 0: p(u, o) ≤ e^b·p(u′, o) for each output o. δ > 0: the sum of p(u, o) − e^b·p(u′, o) over a set
of outputs is at most δ; it is largest over the outputs at which it is positive, so the sets that
these are at some ε suffice. Bounded range: p(u, o)·p(u′, o′) ≤ e^b·p(u′, o)·p(u, o′).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from exactdp.claims.claim import Due
from exactdp.claims.inputs import as_given
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.layout import assembled
from exactdp.language.machine import State
from exactdp.language.types import RealType
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, SolutionSet, Stretch, nonnegative, solution_set
from exactdp.semantics.distribution import Engine
from exactdp.semantics.spots import has_spots

if TYPE_CHECKING:
    from exactdp.claims.pairs import Entries
    from exactdp.claims.privacy import Privacy
    from exactdp.claims.regions import Region
    from exactdp.semantics.spots import Trace

Chances: TypeAlias = Mapping[State, ClosedForm]
"""Probabilities by output; outputs are compared as states are: True is not 1."""

_ZERO = ExpPoly(0)


@dataclass(frozen=True)
class Loss:
    """p ≤ factor·p′ + δ, for an output or a set of outputs."""

    input: tuple[Value, ...]
    """The single values of both inputs, u first."""
    outputs: tuple[Value, ...]
    """The outputs of the set; of a ratio of ratios both outputs."""
    chance: ClosedForm
    """p: the probability at u; of a ratio of ratios a product of two."""
    other: ClosedForm
    """p′: that at u′."""
    probability: ClosedForm
    """1 − p."""
    beta: tuple[ClosedForm, ...]
    """factor·p′ + δ."""
    allows_all: bool = False


class Losses:
    """The bounds of one claim, pair by pair; what pairs share is done once."""

    def __init__(self, claim: Privacy) -> None:
        self._claim = claim
        self._engine = claim.mechanism.kept(Engine)
        self._chances: dict[Entries, Chances] = {}
        self._beside: dict[ClosedForm, ClosedForm] = {}
        self._rest: dict[ClosedForm, ClosedForm] = {}
        self._sums: dict[object, tuple[frozenset[State], ...]] = {}

    def at(self, region: Region, trace: Trace) -> Due[Loss]:
        """Return what must be proved at a sample of a region."""
        values = tuple(region.values(trace))
        half = len(values) // 2
        return Due(tuple(self._bounds(values, values[:half], values[half:])))

    def _bounds(self, both: Entries, u: Entries, v: Entries) -> Iterator[Loss]:
        one, two = self.chances(u), self.chances(v)
        if self._claim.measure == "bounded_range":
            yield from self._ranges(both, one, two)
        elif self._claim.delta_form:
            for outputs in self._sets(one, two):
                chance, other = (
                    sum((side.get(o, _ZERO) for o in outputs), _ZERO) for side in (one, two)
                )
                yield self._loss(both, outputs, chance, other)
        else:
            for output, chance in one.items():
                yield self._loss(both, (output,), chance, two.get(output, _ZERO))

    def _loss(
        self, both: Entries, outputs: tuple[State, ...], chance: ClosedForm, other: ClosedForm
    ) -> Loss:
        if other not in self._beside:
            self._beside[other] = other * self._claim.factor + self._claim.delta_form
        if chance not in self._rest:
            self._rest[chance] = 1 - chance
        told = tuple(one.env[0] for one in outputs)
        return Loss(both, told, chance, other, self._rest[chance], (self._beside[other],))

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
        """Return sets of outputs of which one has the largest p − e^b·p′ at each ε."""
        on = self._claim.epsilon
        whole = SolutionSet((Stretch(on.lower, on.upper, on.lower_open, on.upper_open),))
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

    def chances(self, u: Entries) -> Chances:
        """Return the probabilities of the outputs at an input, given by its single values."""
        if u in self._chances:
            return self._chances[u]
        given = assembled(self._claim.mechanism.inputs, u)
        if has_spots(given):
            found = self._engine.distribution_at_spots(given).apart
        else:
            found = self._engine.distribution(as_given(self._claim.mechanism, given)).apart
        for pattern, _ in found:
            _refuse_noise(pattern)
        chances = {State(-1, (output,)): chance for output, chance in found}
        if not has_spots(given):
            self._chances[u] = chances
        return chances


def _refuse_noise(pattern: Value) -> None:
    if isinstance(pattern, tuple):
        for item in pattern:
            _refuse_noise(item)
    if isinstance(pattern, RealType) or pattern is int:
        raise ValueRefusedError(f"the outputs hold noise: {shown(pattern)}")

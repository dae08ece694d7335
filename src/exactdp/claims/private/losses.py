"""The requirements of privacy for a pair of inputs: bounds on the probabilities of outputs.

δ = 0: p(u, o) ≤ e^b·p(u′, o) for each output o. δ > 0: the sum of p(u, o) − e^b·p(u′, o) over any
set of outputs is at most δ; it is largest for the set of outputs with positive terms, so the sets
that occur in this way at some ε suffice. Bounded range: p(u, o)·p(u′, o′) ≤ e^b·p(u′, o)·p(u, o′).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.private.far_out import Far, expanded, far_out, parts_far, replaced
from exactdp.claims.private.real_sets import PositivePart, positive_parts
from exactdp.claims.stated.claim import Due
from exactdp.claims.stated.inputs import as_given
from exactdp.cones import Cone, OrderedSum, Window, nonnegative_on
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.layout import assembled, kinds
from exactdp.language.machine import State
from exactdp.language.program import Program
from exactdp.language.types import Real, RealType
from exactdp.language.values import Value
from exactdp.reals import (
    ClosedForm,
    ExpPoly,
    Interval,
    SolutionSet,
    Stretch,
    nonnegative,
    solution_set,
)
from exactdp.semantics.cells import explore
from exactdp.semantics.engine import Engine
from exactdp.semantics.events import RealInterval, WholeInterval
from exactdp.semantics.spots import has_spots
from exactdp.semantics.tails import Rates

if TYPE_CHECKING:
    from exactdp.claims.privacy import Privacy
    from exactdp.claims.private.pairs import Entries
    from exactdp.claims.regions.region import Region
    from exactdp.semantics.spots import Trace

Chances: TypeAlias = Mapping[State, ClosedForm]
"""Probabilities by output; outputs are compared like states: True differs from 1."""

_ZERO = ExpPoly(0)
_MOST_INTEGERS = 1_000
_MOST_IN_SETS = 6
_MOST_STEPS = 100  # integers further out, where p − e^b·p′ has one sign


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


class _Known:
    """The cached probabilities of events, by input and event."""

    def __init__(self, program: Program) -> None:
        del program
        self.chances: dict[State, ClosedForm] = {}


class Losses:
    """The bounds of one claim, pair by pair; shared results are computed once."""

    def __init__(self, claim: Privacy) -> None:
        self._claim = claim
        self._engine = claim.mechanism.kept(Engine)
        self._count = len(kinds(claim.mechanism.inputs))
        self._chances: dict[Entries, Chances] = {}
        self._beside: dict[ClosedForm, ClosedForm] = {}
        self._rest: dict[ClosedForm, ClosedForm] = {}
        self._parts: dict[object, list[PositivePart]] = {}

    def at(self, region: Region, trace: Trace) -> Due[Loss]:
        """Return what must be proved at a sample of a region."""
        values = tuple(region.values(trace))
        count = self._count
        if self._claim.has_inverse_eps:
            values = tuple(
                trace.of({"eps": value}) if is_real and isinstance(value, int | Fraction) else value
                for value, is_real in zip(values, self._is_real(len(values)), strict=True)
            )
        u, v, output = values[:count], values[count : 2 * count], values[2 * count :]
        if output:
            return Due(tuple(self._densities(values[: 2 * count], u, v, output)))
        if self._claim.delta_form and not region.is_ray and not self._claim.has_inverse_eps:
            return Due(tuple(self._sets_with_reals(region, u, v, trace)))
        return Due(tuple(self._bounds(values, u, v, trace)))

    def _sets_with_reals(
        self, region: Region, u: Entries, v: Entries, trace: Trace
    ) -> Iterator[Loss]:
        """Yield the bounds on sets of finite outputs, together with all real ones where p > e^b·p′.

        The real outputs of such a set depend on the inputs; the others are any of them.
        """
        sides = self.distribution(u, trace), self.distribution(v, trace)
        one, two = (
            {key: chance for key, chance in side.items() if not reals_in(key.env[0])}
            for side in sides
        )
        every = dict.fromkeys(key.env[0] for side in sides for key in side)
        patterns = [pattern for pattern in every if reals_in(pattern)]
        chance: ClosedForm = _ZERO
        other: ClosedForm = _ZERO
        for pattern in patterns:
            for part in self._positive(region, pattern):
                more = part.masses(trace)
                chance, other = chance + more[0], other + more[1]
        shown_as = tuple(State(-1, (pattern,)) for pattern in patterns)
        if patterns:
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
        key = region.names, region.cone, region.entries, pattern
        if key not in self._parts:
            found = None
            if reals_in(pattern) == 1 and not integers_in(pattern):
                found = positive_parts(self._claim, region, pattern)
            if found is None:
                raise _only_finite(pattern)
            self._parts[key] = found
        return self._parts[key]

    def _is_real(self, size: int) -> list[bool]:
        """Return which entries of two inputs followed by an output are real inputs."""
        one = [kind is None for kind in kinds(self._claim.mechanism.inputs)]
        return [*one, *one, *[False] * (size - 2 * len(one))]

    def _densities(
        self, both: Entries, u: Entries, v: Entries, output: tuple[Value, ...]
    ) -> Iterator[Loss]:
        """Yield the bound on the density at an output: its pattern, then its real numbers."""
        pattern, *points = output
        if integers_in(pattern):
            raise _integers_beside_reals(pattern)
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
        return self.distribution(u).get(State(-1, (pattern,)), _ZERO)

    def with_reals(self, outputs: Iterable[Value]) -> list[Value]:
        """Return the patterns with real numbers; for bounded range, all pairs that have some."""
        every: Iterable[Value] = dict.fromkeys(outputs)
        if self._claim.measure != "privacy":
            every = product(every, repeat=2)
        return [one for one in every if reals_in(one)]

    def patterns(self, u: Entries, v: Entries) -> list[Value]:
        """Return the patterns with real numbers that outputs have at two listed inputs."""
        if not self._by_density or not self._claim.mechanism.checked.output.holds_noise:
            return []
        if self._claim.has_inverse_eps:
            given = (assembled(self._claim.mechanism.inputs, x) for x in (u, v))
            return self.with_reals(one for x in given for one in self._engine.patterns(x))
        return self.with_reals(one.env[0] for x in (u, v) for one in self.distribution(x))

    def seen_of(self, u: Entries, v: Entries, pattern: Value) -> object:
        """Return the data that the densities of a pattern at two listed inputs depend on."""
        if self._claim.has_inverse_eps:
            return u, v, pattern
        given = [assembled(self._claim.mechanism.inputs, x) for x in (u, v)]
        parts = [pattern] if self._claim.measure == "privacy" else pattern
        assert isinstance(parts, tuple | list)
        return pattern, *(self._engine.seen_of(x, one) for one in parts for x in given)

    def _bounds(self, both: Entries, u: Entries, v: Entries, trace: Trace) -> Iterator[Loss]:
        mixed = self._by_density and self._claim.measure == "privacy"
        return self.bounds(both, *self.chances(u, v, trace, mixed=mixed))

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

    def chances(
        self, u: Entries, v: Entries, trace: Trace | None = None, *, mixed: bool = False
    ) -> tuple[Chances, Chances]:
        """Return the probabilities of the outputs at two inputs, given as flat tuples.

        Unbounded integers are listed one by one; large ones, for which the ratio of their
        probabilities is constant, are one event. If it is not constant they are refused, unless
        `mixed` is set: then a few combinations of them are returned, whose bounds imply all others.
        """
        sides = self.distribution(u, trace), self.distribution(v, trace)
        every = list(dict.fromkeys(key for side in sides for key in side))
        atoms = [key.env[0] for key in every if not endless(key.env[0])]
        wide = [key.env[0] for key in every if endless(key.env[0])]
        kinds_of = {one: _kind_of(one, wide) for one in wide}
        if self._by_density:
            wide = [pattern for pattern in wide if integers_in(pattern)]
        if not wide:
            one, two = (
                {key: chance for key, chance in side.items() if not endless(key.env[0])}
                for side in sides
            )
            return one, two
        given = [assembled(self._claim.mechanism.inputs, x) for x in (u, v)]
        if self._claim.has_inverse_eps:
            raise _only_finite(wide[0])
        outputs = list(atoms)
        for pattern in wide:
            if integers_in(pattern):
                found = self._values(given, pattern, atoms, mixed=mixed, pairs=[given])
            else:
                found = self._stretches(given, pattern, atoms)
            outputs += _apart(found, kinds_of[pattern])
        return self.events(given[0], outputs), self.events(given[1], outputs)

    def together(
        self,
        inputs: Sequence[Entries],
        examples: Sequence[Value] | None = None,
        far: dict[Value, list[Value]] | None = None,
    ) -> list[Chances]:
        """Return the probabilities of the same events at all listed inputs.

        Large integers are one event, if the ratio of their probabilities is constant. If outputs
        are `examples`, any ratio is allowed, and each example is a separate event. Events with
        several rates are added to `far`, with the numbers d_j that determine their signs.

        Integers are listed one by one, and large ones as one event; reals, with δ, are divided into
        intervals on each of which p − e^b·p′ has a constant sign for every pair.
        """
        sides = [self.distribution(u) for u in inputs]
        every = list(dict.fromkeys(key.env[0] for side in sides for key in side))
        wide = [one for one in every if endless(one)]
        if not wide:
            return sides
        outputs = [one for one in every if not endless(one)]
        atoms = list(outputs)
        given = [assembled(self._claim.mechanism.inputs, u) for u in inputs]
        pairs = [
            [assembled(self._claim.mechanism.inputs, u) for u in one] for one in self._claim.pairs
        ]
        for pattern in wide:
            if integers_in(pattern):
                beside = [*atoms, *(examples or ())]
                found = self._values(
                    given, pattern, beside, alone=examples is None, pairs=pairs, far=far
                )
            else:
                ends = set().union(*(self._ends(pair, pattern, atoms) for pair in pairs))
                found = _intervals(pattern, ends)
            outputs += _apart(found, _kind_of(pattern, wide))
        return [self.events(x, outputs) for x in given]

    def events(self, x: tuple[Value, ...], outputs: Sequence[Value]) -> Chances:
        """Return the probabilities of events at an input, without impossible ones."""
        given = as_given(self._claim.mechanism, x)
        return {
            State(-1, (output,)): chance
            for output in outputs
            if (chance := self._event(given, output))
        }

    def _event(self, given: Value, output: Value) -> ClosedForm:
        """Return the probability of an event, or a combination of those of large integers."""
        known = self._claim.mechanism.kept(_Known).chances
        found: ClosedForm = _ZERO
        for one, weight in expanded(output):
            key = State(-1, (given, one))
            if key not in known:
                known[key] = self._engine.probability(given, one, together=True)
            found = found + known[key] * weight
        return found

    @property
    def _by_density(self) -> bool:
        """Whether real outputs are compared by their densities."""
        return not self._claim.delta_form

    def _stretches(
        self, given: list[tuple[Value, ...]], pattern: Value, atoms: list[Value]
    ) -> list[Value]:
        """Return intervals of the real number of a pattern on which p − e^b·p′ has one sign."""
        return _intervals(pattern, self._ends(given, pattern, atoms))

    def density_gap(self, pair: Sequence[Entries], pattern: Value, place: Any) -> ClosedForm:
        """Return p − e^b·p′ at a real number of an output."""
        given = (assembled(self._claim.mechanism.inputs, x) for x in pair)
        one, two = (self._engine.density(x, pattern, [place]) for x in given)
        return one - two * self._claim.factor

    def _ends(
        self, given: Sequence[tuple[Value, ...]], pattern: Value, atoms: list[Value]
    ) -> set[Fraction]:
        """Return the endpoints of intervals on which p − e^b·p′ has one sign, for one real number.

        At listed inputs, the densities have pieces between multiples of ε. If the difference of
        two exponentials changes its sign, it does so at a multiple of ε, too.
        """
        if reals_in(pattern) != 1 or has_spots(tuple(given)):
            raise _only_finite(pattern)
        names = ("eps", "output[0]")
        found = (_numbers_of(pattern, atom) or () for atom in atoms)
        ends = {number for numbers in found for number in numbers}  # no part contains an atom

        def run(trace: Trace) -> tuple[ExpPoly, ExpPoly]:
            place = [trace.spot(names[1])]
            one, two = (self._engine.density(x, pattern, place) for x in given)
            return _gap(one, two, self._claim.factor)

        for cell in explore(names, Cone.of(2, [(1, 0)]), run):
            ends |= {Fraction(y, e) for e, y in cell.cone.rays if e}
            zero = None
            over, under = cell.result
            if not _has_a_sign(over * under, names, cell.cone, self._claim.epsilon):
                zero = _linear_zero(over, under, names)
                if zero is None:
                    raise _only_finite(pattern)
                ends.add(zero)
        return ends

    def _values(
        self,
        given: list[tuple[Value, ...]],
        pattern: Value,
        atoms: list[Value],
        *,
        mixed: bool = False,
        alone: bool = True,
        pairs: Sequence[Sequence[tuple[Value, ...]]] = (),
        far: dict[Value, list[Value]] | None = None,
    ) -> list[Value]:
        """Return the outputs of a pattern with an integer, and the events of large integers.

        If these fall at several rates, they are refused, unless `mixed` is set, or not `alone`, or
        δ is given: then p − e^b·p′ has one sign there, for all `pairs`.
        """
        assert not has_spots(tuple(given))  # integer noise is refused for all reals
        if reals_in(pattern):
            raise _integers_beside_reals(pattern)
        found = [one for x in given if (one := self._engine.tails(x, pattern))]
        known = [numbers for atom in atoms if (numbers := _numbers_of(pattern, atom))]
        places: list[list[Value]] = []
        for k, ends in enumerate(zip(*found, strict=True)):
            # A constant among the large integers would disturb the sequence.
            low = min(*(one.low for one in ends), *(floor(each[k]) for each in known), 0)
            high = max(*(one.high for one in ends), *(ceil(each[k]) for each in known), 0)
            if high - low > _MOST_INTEGERS:
                raise _not_compared()
            middle: list[Value] = list(range(low, high + 1))
            sides: list[list[Value]] = []
            for side, start, step in ((0, low - 1, -1), (1, high + 1, 1)):
                rates = [step * rate for rate in _all_rates([one.rates[side] for one in ends])]
                if len(rates) > 1 and mixed:
                    sides.append([*far_out(start, step, rates)])
                    continue
                nearer: list[Value] = []
                if len(rates) > 1 and alone:
                    if not self._claim.delta_form or len(found[0]) > 1:
                        raise _not_compared()
                    begin = self._one_sided(pairs, pattern, far_out(start, step, rates))
                    nearer = list(range(start, begin, step))
                begin = start + step * len(nearer)
                whole: Any = Interval(begin, "inf") if step > 0 else Interval("-inf", begin)
                sides.append([*nearer, whole] if step > 0 else [whole, *reversed(nearer)])
                if len(rates) > 1 and far is not None and len(found[0]) == 1:
                    listed = (_filled(pattern, [one]) for one in far_out(begin, step, rates))
                    far[_filled(pattern, [whole])] = list(listed)
            places.append([*sides[0], *middle, *sides[1]])
        if prod(map(len, places)) > 4 * _MOST_INTEGERS:
            raise _not_compared()
        return [_filled(pattern, list(parts)) for parts in product(*places)]

    def _one_sided(
        self, pairs: Sequence[Sequence[tuple[Value, ...]]], pattern: Value, far: Sequence[Far]
    ) -> int:
        """Return an integer from which p − e^b·p′ has one sign, for each of the pairs.

        It has the sign of the numbers d_j, if these have the same one (see `far_out`). A sign that
        is proved from an integer on is also that from any later one.
        """
        first, count = far[0], 0
        for pair in pairs:
            while not self._has_one_sign(pair, pattern, [one.moved(count) for one in far]):
                count = 2 * count + 2
                if count > _MOST_STEPS:
                    raise _many_signs()
        return first.start + first.step * count

    def _has_one_sign(
        self, pair: Sequence[tuple[Value, ...]], pattern: Value, far: Sequence[Far]
    ) -> bool:
        """Whether all numbers d_j of p − e^b·p′ are nonnegative, or none is positive."""
        gaps = [self.far_gap(pair, _filled(pattern, [one])) for one in far]
        on = self._claim.epsilon
        return any(all(nonnegative(gap * sign, on) for gap in gaps) for sign in (1, -1))

    def far_gap(self, pair: Sequence[tuple[Value, ...]], output: Value) -> ClosedForm:
        """Return a number d_j of p − e^b·p′."""
        one, two = (self._event(as_given(self._claim.mechanism, x), output) for x in pair)
        return one - two * self._claim.factor

    def distribution(self, u: Entries, trace: Trace | None = None) -> Chances:
        """Return the probabilities of outputs and of patterns of outputs."""
        if u in self._chances:
            return self._chances[u]
        given = assembled(self._claim.mechanism.inputs, u)
        if self._claim.has_inverse_eps and trace is not None:
            listed = self._engine.distribution_with(given, trace).apart
            return {State(-1, (output,)): chance for output, chance in listed}
        if has_spots(given):
            listed = self._engine.distribution_at_spots(given).apart
        else:
            listed = self._engine.distribution(as_given(self._claim.mechanism, given)).apart
        found = {State(-1, (output,)): chance for output, chance in listed}
        if not has_spots(given):
            self._chances[u] = found
        return found


def reals_in(pattern: Value) -> int:
    """Return the number of real numbers in a pattern."""
    if isinstance(pattern, tuple):
        return sum(map(reals_in, pattern))
    return int(isinstance(pattern, RealType))


def filled(pattern: Value, numbers: list[Value]) -> Value:
    """Return a pattern with numbers substituted for `Real`, in order; the list is consumed."""
    if isinstance(pattern, tuple):
        return tuple(filled(item, numbers) for item in pattern)
    return numbers.pop(0) if isinstance(pattern, RealType) else pattern


def integers_in(pattern: Value) -> int:
    """Return the number of unbounded integers in a pattern."""
    if isinstance(pattern, tuple):
        return sum(map(integers_in, pattern))
    return int(pattern is int)


def endless(pattern: Value) -> bool:
    """Whether a pattern represents infinitely many outputs."""
    return bool(integers_in(pattern) or reals_in(pattern))


def _numbers_of(pattern: Value, output: Value) -> list[Fraction] | None:
    """Return the numbers of an output at the positions of the noise of a pattern."""
    if pattern is int or isinstance(pattern, RealType):
        is_number = isinstance(output, int | Fraction) and not isinstance(output, bool)
        return [Fraction(output)] if is_number else None
    if not isinstance(pattern, tuple):
        return [] if pattern == output else None
    if not isinstance(output, tuple) or len(pattern) != len(output):
        return None
    found: list[Fraction] = []
    for one, two in zip(pattern, output, strict=True):
        numbers = _numbers_of(one, two)
        if numbers is None:
            return None
        found += numbers
    return found


def _integers_beside_reals(pattern: Value) -> ValueRefusedError:
    return ValueRefusedError(
        f"the output {shown(pattern)} has real noise and integers without bound",
        rule="Outputs are compared by densities, or integer by integer.",
        way_out="Clamp the integers, as in min(max(z, -10), 10).",
    )


def _kind_of(pattern: Value, patterns: Sequence[Value]) -> type[Interval] | None:
    """Return which intervals a pattern needs, if integers and reals are in one place; else None."""

    def shape(one: Value) -> Value:
        if isinstance(one, tuple):
            return tuple(map(shape, one))
        return Real if one is int else one

    if all(one == pattern or shape(one) != shape(pattern) for one in patterns):
        return None
    return WholeInterval if integers_in(pattern) else RealInterval


def _apart(outputs: Iterable[Value], kind: type[Interval] | None) -> list[Value]:
    """Return outputs with intervals of a kind of noise."""

    def marked(one: Value) -> Value:
        if isinstance(one, tuple):
            return tuple(map(marked, one))
        if not isinstance(one, Interval) or kind is None:
            return one
        return kind(one.lower, one.upper, lower_open=one.lower_open, upper_open=one.upper_open)

    return list(map(marked, outputs))


def _all_rates(listed: Sequence[Rates]) -> list[Fraction]:
    """Return all rates, each as often as it has powers somewhere."""
    most: dict[Fraction, int] = {}
    for rates in listed:
        for rate, count in rates.items():
            most[rate] = max(most.get(rate, 0), count)
    return [rate for rate, count in most.items() for _ in range(count)]


def _not_compared() -> ValueRefusedError:
    return ValueRefusedError(
        "the integers of the output are not compared at two inputs",
        rule="Far out the probabilities at both are geometric with one ratio, and at most "
        f"{_MOST_INTEGERS:,} integers lie between.",
        way_out="Clamp the output, as in min(max(z, -10), 10).",
    )


def _many_signs() -> ValueRefusedError:
    return ValueRefusedError(
        "δ is asked, and the integers of the output fall at several rates",
        rule="Then p − e^budget·p′ changes its sign at an integer that may grow without bound as "
        f"ε → 0; it must be at most {_MOST_STEPS} integers away.",
        way_out="Restrict epsilon, as in epsilon='[1/2, inf)', or clamp the output.",
    )


def _intervals(pattern: Value, ends: set[Fraction]) -> list[Value]:
    """Return a pattern with its real number replaced by each interval between some numbers."""
    cuts: list[Any] = ["-inf", *sorted(ends), "inf"]
    parts = [Interval(*one, lower_open=True, upper_open=True) for one in pairwise(cuts)]
    return [_with_real(pattern, part) for part in parts]


def _with_real(pattern: Value, part: Value) -> Value:
    """Return a pattern with its real number replaced by an interval."""
    if isinstance(pattern, tuple):
        return tuple(_with_real(item, part) for item in pattern)
    return part if isinstance(pattern, RealType) else pattern


def _gap(one: ClosedForm, two: ClosedForm, factor: ClosedForm) -> tuple[ExpPoly, ExpPoly]:
    """Return a numerator and a denominator of p − factor·p′, not in lowest terms.

    In lowest terms it may have thousands of terms: (1 − x^n)/(1 − x) has n.
    """
    over = one.numerator * two.denominator * factor.denominator
    over = over - two.numerator * one.denominator * factor.numerator
    return over, one.denominator * two.denominator * factor.denominator


def _has_a_sign(form: ExpPoly, names: tuple[str, ...], cone: Cone, on: Interval) -> bool:
    """Whether a closed form is proved to have one sign on a cone."""
    return not form or any(
        nonnegative_on(OrderedSum(one, names), cone, window=Window.of(0, on)).holds is True
        for one in (form, -form)
    )


def _linear_zero(over: ExpPoly, under: ExpPoly, names: tuple[str, ...]) -> Fraction | None:
    """Return k if f(ε, y) = c(ε)·(e^{ry} − e^{(r − s)kε + sy}) up to a sign: it is 0 at y = k·ε."""
    if set(under.parameters) - {"eps"}:
        return None
    terms: dict[Fraction, dict[tuple[int, Fraction], Any]] = {}  # by the rate of y
    for (power, beside), (rate, steep), q in over.entries(names):
        if beside:
            return None
        terms.setdefault(Fraction(steep), {})[power, Fraction(rate)] = q
    if len(terms) != 2:
        return None
    (r, one), (s, two) = terms.items()
    shift = max(rate for _, rate in two) - max(rate for _, rate in one)
    if {(power, rate + shift): -q for (power, rate), q in one.items()} != two:
        return None
    return shift / (r - s)


def _only_finite(pattern: Value) -> ValueRefusedError:
    return ValueRefusedError(
        f"δ is asked, and the output {shown(pattern)} holds real noise",
        rule="There p − e^budget·p′ must be a difference of two exponentials, as for one Laplace "
        "sample, so that it is known where it is positive.",
        way_out="Leave out delta, or release a rounded value.",
    )


def _filled(pattern: Value, parts: list[Value]) -> Value:
    """Return a pattern with integers, or intervals of these, for `int`; the list is consumed."""
    if isinstance(pattern, tuple):
        return tuple(_filled(item, parts) for item in pattern)
    return parts.pop(0) if pattern is int else pattern

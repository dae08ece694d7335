"""The probabilities of outputs at the inputs of a privacy claim, as those of finitely many events.

Finite outputs are events. Integers without bound are listed one by one, and large ones, whose
probabilities are geometric, are one event. With δ, reals are divided into intervals on each of
which p − e^b·p′ has one sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.private.far_out import Far, expanded, far_out
from exactdp.claims.private.patterns import (
    endless,
    filled,
    integers_in,
    interval_kind,
    numbers_of,
    reals_in,
    with_kind,
)
from exactdp.claims.private.real_sets import parts_by_sign
from exactdp.claims.regions.places import OnCone
from exactdp.claims.stated.inputs import as_given
from exactdp.cones import Cone, Window
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.events import State, distinct
from exactdp.language.layout import assembled
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import (
    ClosedForm,
    ExpPoly,
    Interval,
    SolutionSet,
    nonnegative,
    solution_set,
)
from exactdp.reals.spans import as_stretch
from exactdp.semantics.cells import Cell, explore
from exactdp.semantics.distribution import with_integers
from exactdp.semantics.engine import Engine
from exactdp.semantics.patterns import is_number
from exactdp.semantics.spots import has_spots
from exactdp.semantics.tails import Rates

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy
    from exactdp.claims.private.pairs import Entries
    from exactdp.semantics.spots import Trace

Chances: TypeAlias = Mapping[State, ClosedForm]
"""Probabilities by output; outputs are compared like states: True differs from 1."""

NAMES = ("eps", "output[0]")
"""The parameters of the densities of one real number at listed inputs."""
_POSITIVE = Cone.of(2, [(1, 0)])
_ZERO = ExpPoly(0)
_MOST_INTEGERS = 1_000
_MOST_STEPS = 100  # integers further out, where p − e^b·p′ has one sign


class _KnownChances:
    """The cached probabilities of events, by input and event."""

    def __init__(self, program: Program) -> None:
        del program
        self.chances: dict[State, ClosedForm] = {}


def refuse_equal_terms(outputs: Sequence[Value], on: Interval) -> None:
    """Refuse outputs with expressions in ε that are different, and equal at one ε.

    There they are one output, with the sum of their probabilities. At a single ε, equal numbers
    have one form.
    """
    for one, two in () if on.is_point else combinations(outputs, 2):
        for at in _where_equal(one, two, on):
            raise ValueRefusedError(
                f"the outputs {shown(one)} and {shown(two)} are equal at eps = {at}",
                rule="There they are one output; elsewhere they are two.",
                way_out="Ask for intervals of eps on both sides, and for this eps alone.",
            )


@lru_cache(maxsize=10_000)
def _where_equal(one: Value, two: Value, on: Interval) -> SolutionSet:
    """Return the ε at which two different outputs are equal."""
    gaps = _term_gaps(one, two)
    if gaps is None:
        return SolutionSet(())
    found = SolutionSet((as_stretch(on),))
    for gap in gaps:
        found &= solution_set(-gap * gap, on)
    return found


def _term_gaps(one: Value, two: Value) -> list[ClosedForm] | None:
    """Return the differences of numbers if one depends on ε; None if the outputs always differ."""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        parts = [_term_gaps(a, b) for a, b in zip(one, two, strict=True)]
        return None if None in parts else [gap for part in parts for gap in part or ()]
    are_numbers = all(isinstance(x, ClosedForm) or is_number(x) for x in (one, two))
    if are_numbers and any(isinstance(x, ClosedForm) for x in (one, two)):
        return [ExpPoly(0) + one - two]
    return [] if one == two else None


class Outcomes:
    """The probabilities of the outputs of one claim; shared results are computed once."""

    def __init__(self, claim: Privacy) -> None:
        self._claim = claim
        self._engine = claim.mechanism.kept(Engine)
        self._chances: dict[Entries, Chances] = {}

    def distribution(self, u: Entries, trace: Trace | None = None) -> Chances:
        """Return the probabilities of outputs and of patterns of outputs."""
        if u in self._chances:
            return self._chances[u]
        given = assembled(self._claim.mechanism.inputs, u)
        if self._claim.has_inverse_eps and trace is not None:
            listed = self._engine.distribution_at_spots(given, trace).apart
            return {State(-1, (output,)): chance for output, chance in listed}
        if has_spots(given):
            listed = self._engine.distribution_at_spots(given).apart
        else:
            listed = self._engine.distribution(as_given(self._claim.mechanism, given)).apart
        found = {State(-1, (output,)): chance for output, chance in listed}
        if not has_spots(given):
            self._chances[u] = found
        return found

    def chances(
        self, u: Entries, v: Entries, trace: Trace | None = None, *, mixed: bool = False
    ) -> tuple[Chances, Chances]:
        """Return the probabilities of the outputs at two inputs, given as flat tuples.

        Unbounded integers are listed one by one; large ones, for which the ratio of their
        probabilities is constant, are one event. If it is not constant they are refused, unless
        `mixed` is set: then a few combinations of them are returned, whose bounds imply all others.
        """
        sides = self.distribution(u, trace), self.distribution(v, trace)
        if self._claim.mechanism.checked.releases_eps:
            every = dict.fromkeys(key for side in sides for key in side)
            refuse_equal_terms([key.env[0] for key in every], self._claim.epsilon)
        found = self._apart({u: sides[0], v: sides[1]}, [(u, v)], mixed=mixed)
        return found[u], found[v]

    def together(
        self,
        among: Sequence[Sequence[Entries]],
        examples: Sequence[Value] | None = None,
        far: dict[Value, list[Value]] | None = None,
    ) -> dict[Entries, Chances]:
        """Return the probabilities of the same events at all inputs of some listed pairs.

        Large integers are one event, if the ratio of their probabilities is constant. If outputs
        are `examples`, any ratio is allowed, and each example is a separate event. Events with
        several rates are added to `far`, with the numbers d_j that determine their signs.

        Integers are listed one by one, and large ones as one event. All reals are one event; with δ
        they are divided into intervals on each of which p − e^b·p′ has one sign for every pair.
        """
        inputs = list(dict.fromkeys(u for pair in among for u in pair))
        sides = {u: self.distribution(u) for u in inputs}
        chances = self._apart(sides, among, examples, far)
        for u, side in sides.items() if not self._claim.delta_form else ():
            for (_, (pattern,)), chance in side.items():
                if reals_in(pattern):
                    chances[u][State(-1, (*_intervals(pattern, set()),))] = chance
        return dict(chances)

    def _apart(
        self,
        sides: Mapping[Entries, Chances],
        among: Sequence[Sequence[Entries]],
        examples: Sequence[Value] | None = None,
        far: dict[Value, list[Value]] | None = None,
        *,
        mixed: bool = False,
    ) -> dict[Entries, dict[State, ClosedForm]]:
        """Return the probabilities of the same events at some inputs; without δ, not of reals."""
        every = distinct(key.env[0] for side in sides.values() for key in side)
        atoms = [one for one in every if not endless(one)]
        kept = [one for one in every if endless(one)]
        wide = [one for one in kept if self._claim.delta_form or integers_in(one)]
        if not wide:
            return {
                u: {key: chance for key, chance in side.items() if not endless(key.env[0])}
                for u, side in sides.items()
            }
        if self._claim.has_inverse_eps:
            raise only_finite(wide[0])
        given = {u: assembled(self._claim.mechanism.inputs, u) for u in sides}
        pairs = [[given[u] for u in one] for one in among]
        outputs = list(atoms)
        for pattern in wide:
            if integers_in(pattern):
                beside = [*atoms, *(examples or ())]
                listed, alone = list(given.values()), examples is None
                found = self._values(
                    listed, pattern, beside, mixed=mixed, alone=alone, pairs=pairs, far=far
                )
            else:
                ends = set().union(*(self._ends(pair, pattern, atoms) for pair in pairs))
                found = _intervals(pattern, ends)
            outputs += with_kind(found, interval_kind(pattern, kept))
        return {u: self.events(x, outputs) for u, x in given.items()}

    def events(self, x: tuple[Value, ...], outputs: Sequence[Value]) -> dict[State, ClosedForm]:
        """Return the probabilities of events at an input, without impossible ones."""
        given = as_given(self._claim.mechanism, x)
        return {
            State(-1, (output,)): chance
            for output in outputs
            if (chance := self._event(given, output))
        }

    def _event(self, given: Value, output: Value) -> ClosedForm:
        """Return the probability of an event, or a combination of those of large integers."""
        known = self._claim.mechanism.kept(_KnownChances).chances
        found: ClosedForm = _ZERO
        for one, weight in expanded(output):
            key = State(-1, (given, one))
            if key not in known:
                known[key] = self._engine.probability(given, one, together=True)
            found = found + known[key] * weight
        return found

    def _ends(
        self, given: Sequence[tuple[Value, ...]], pattern: Value, atoms: list[Value]
    ) -> set[Fraction]:
        """Return the endpoints of intervals on which p − e^b·p′ has one sign, for one real number.

        At listed inputs, the densities have pieces between multiples of ε. If the difference of
        two exponentials changes its sign, it does so at a multiple of ε, too.
        """
        if reals_in(pattern) != 1 or has_spots(tuple(given)):
            raise only_finite(pattern)
        found = (numbers_of(pattern, atom) or () for atom in atoms)
        ends = {number for numbers in found for number in numbers}  # no part contains an atom
        for cell in self.density_cells(given, pattern, _POSITIVE):
            place = OnCone(NAMES, cell.cone, Window.of(0, self._claim.epsilon))
            parts = parts_by_sign(*_gap(*cell.result, self._claim.factor), place)
            if parts is None:
                raise only_finite(pattern)
            ends |= {Fraction(y, e) for _, part in parts for e, y in part.rays if e}
        return ends

    def density_cells(
        self, given: Sequence[tuple[Value, ...]], pattern: Value, cone: Cone
    ) -> Iterator[Cell[tuple[ClosedForm, ClosedForm]]]:
        """Yield cells of (ε, y) with the densities at two listed inputs of the number y."""

        def run(trace: Trace) -> tuple[ClosedForm, ClosedForm]:
            one, two = (self._engine.density(x, pattern, [trace.spot(NAMES[1])]) for x in given)
            return one, two

        return explore(NAMES, cone, run)

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
            raise integers_beside_reals(pattern)
        found = [one for x in given if (one := self._engine.tails(x, pattern))]
        known = [numbers for atom in atoms if (numbers := numbers_of(pattern, atom))]
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
                    listed = (with_integers(pattern, [one]) for one in far_out(begin, step, rates))
                    far[with_integers(pattern, [whole])] = list(listed)
            places.append([*sides[0], *middle, *sides[1]])
        if prod(map(len, places)) > 4 * _MOST_INTEGERS:
            raise _not_compared()
        return [with_integers(pattern, parts) for parts in product(*places)]

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
        gaps = [self.far_gap(pair, with_integers(pattern, [one])) for one in far]
        on = self._claim.epsilon
        return any(all(nonnegative(gap * sign, on) for gap in gaps) for sign in (1, -1))

    def far_gap(self, pair: Sequence[tuple[Value, ...]], output: Value) -> ClosedForm:
        """Return a number d_j of p − e^b·p′."""
        one, two = (self._event(as_given(self._claim.mechanism, x), output) for x in pair)
        return one - two * self._claim.factor


def integers_beside_reals(pattern: Value) -> ValueRefusedError:
    """Return the error for an output with unbounded integers and reals."""
    return ValueRefusedError(
        f"the output {shown(pattern)} has real noise and integers without bound",
        rule="Outputs are compared by densities, or integer by integer.",
        way_out="Clamp the integers, as in min(max(z, -10), 10).",
    )


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
    return [filled(pattern, [part] * reals_in(pattern)) for part in parts]


def _gap(one: ClosedForm, two: ClosedForm, factor: ClosedForm) -> tuple[ExpPoly, ExpPoly]:
    """Return a numerator and a denominator of p − factor·p′, not in lowest terms.

    In lowest terms it may have thousands of terms: (1 − x^n)/(1 − x) has n.
    """
    over = one.numerator * two.denominator * factor.denominator
    over = over - two.numerator * one.denominator * factor.numerator
    return over, one.denominator * two.denominator * factor.denominator


def only_finite(pattern: Value) -> ValueRefusedError:
    """Return the error for real outputs of which it is not known where p − e^b·p′ is positive."""
    if reals_in(pattern) > 1:
        return ValueRefusedError(
            f"δ is asked, and the output {shown(pattern)} holds several real numbers",
            rule="The set of outputs at which p − e^budget·p′ is positive is known for one number.",
            way_out="If adjacent inputs change one of the numbers, as one bucket of a histogram, "
            "return that one: the others do not matter. Otherwise leave out delta, or release "
            "rounded values.",
        )
    return ValueRefusedError(
        f"δ is asked, and the output {shown(pattern)} holds real noise",
        rule="There p − e^budget·p′ must be a difference of two exponentials, as for one Laplace "
        "sample, so that it is known where it is positive.",
        way_out="Leave out delta, or release a rounded value.",
    )

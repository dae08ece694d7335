"""The probability that an output is within γ of the ideal output, under any output distance."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from exactdp.claims.disagreement.nearest import Differ
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.output_distances import discrete_outputs, sup
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.nested import leaves
from exactdp.language.released import holds_terms
from exactdp.language.types import RealType
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Stretch
from exactdp.reals.numbers import inf
from exactdp.reals.radicals import Radical
from exactdp.reals.spans import Span
from exactdp.semantics.distribution import Distribution
from exactdp.semantics.engine import Engine
from exactdp.semantics.patterns import near, read_pattern
from exactdp.semantics.spots import Spot, Trace, has_spots, symbolic, trace_of
from exactdp.semantics.term_outputs import compared, matching_parts

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement


class Within:
    """Probabilities of balls around ideal outputs, for one claim."""

    def __init__(self, claim: AccuracyStatement) -> None:
        self._mechanism = claim.mechanism
        self._engine = claim.mechanism.kept(Engine)
        self._metric = claim.output_metric
        self._by_metric = claim.agreement == "output_distance"
        self._has_own_ideal = claim.ideal is not None
        self._kinds: set[str] = set()  # of outputs, as far as they are known
        self._last: tuple[object, Trace | None, Distribution] | None = None

    def differ(self, u: tuple[Value, ...], output: Value) -> Differ | None:
        """Return which outputs disagree at an input; None if exactly the unequal ones do."""
        if not self._by_metric or self._metric in (discrete_outputs, sup):
            return None
        given = as_given(self._mechanism, u)
        return lambda other: self._metric.between(given, output, other) > 0

    def probability(
        self,
        u: tuple[Value, ...],
        output: Value,
        radius: Distance,
        near_by: frozenset[int] | None = None,
        trace: Trace | None = None,
    ) -> ClosedForm:
        """Return Pr(distance of the output from the ideal output ≤ radius).

        Of outputs that are expressions in ε, those within the radius are given by their numbers.
        A `trace` is given if the mechanism uses 1/ε or logarithms as parameters.
        """
        given = as_given(self._mechanism, u)
        if radius == inf:
            return ExpPoly(1)
        if self._mechanism.checked.releases_eps:
            assert near_by is not None
            chances = (
                chance for k, (_, chance) in enumerate(self._finite(u).apart) if k in near_by
            )
            return sum(chances, start=ExpPoly(0))
        if self._metric == discrete_outputs:
            return ExpPoly(1) if radius >= 1 else self._chance(u, output, trace)
        if self._metric == sup:
            return self._chance(u, near(output, radius), trace)
        if self._mechanism.checked.output.holds_noise:
            regions = self._metric.ball(*map(symbolic, (given, output, radius)))
            if trace is not None or has_spots((u, output, radius)):
                found = trace_of((u, output, radius)) if trace is None else trace
                return self._engine.where_at_spots(u, regions, found)
            return self._engine.where(given, regions)
        total: ClosedForm = ExpPoly(0)
        for other, chance in self._finite(u, trace).apart:
            if self._metric.between(given, output, other) <= radius:
                total = total + chance
        return total

    def read(self, u: tuple[Value, ...], output: Value, radius: Distance) -> frozenset[int] | None:
        """Return the places of the numbers of an input on which its probability depends.

        None if these are not known. The output distance is `discrete` or `sup`.
        """
        if radius == inf or (self._metric == discrete_outputs and radius >= 1):
            return frozenset()
        pattern = output if self._metric == discrete_outputs else near(output, radius)
        return self._engine.read(u, read_pattern(pattern))

    def parts_by_terms(
        self, u: tuple[Value, ...], output: Value, radius: Distance | ClosedForm, on: Span
    ) -> list[tuple[Stretch, frozenset[int]]]:
        """Return parts of a span of ε, with the numbers of the outputs within a radius there."""
        if self._metric == discrete_outputs:
            radius = Fraction(0)
        elif self._metric != sup:
            raise ValueRefusedError(
                f"outputs are expressions in eps, and the output distance is {self._metric}",
                rule="Expressions in eps are compared by sup, the largest difference of numbers.",
                way_out="Use output_distance=sup, or discrete.",
            )
        if holds_terms(output):
            raise ValueRefusedError(
                f"the ideal output is {shown(output)}, an expression in eps",
                rule="What a mechanism approximates does not depend on its budget.",
                way_out="Give ideal=, a function of the input.",
            )
        outputs = [one for one, _ in self._finite(u).apart]
        return matching_parts(outputs, near(output, radius), on)

    def slacks(self, u: tuple[Value, ...], output: Value, radius: Distance) -> Iterator[ClosedForm]:
        """Yield functions of ε by whose signs outputs with expressions in ε are within a radius."""
        pattern = near(output, Fraction(0) if self._metric == discrete_outputs else radius)
        for one, _ in self._finite(u).apart:
            found = compared(one, pattern)
            yield from (slack.form for slack in (found.slacks if found is not None else ()))

    def allows_all(self, u: tuple[Value, ...], output: Value, radius: Distance) -> bool:
        """Whether no possible output is further than a radius from the ideal output."""
        if radius == inf:
            return True
        given, outputs = as_given(self._mechanism, u), self._engine.outputs
        return bool(self._metric.largest(given, output, outputs) <= radius)

    def steps(
        self, u: tuple[Value, ...], output: Value, trace: Trace | None = None
    ) -> list[tuple[Distance, ClosedForm]]:
        """Return the values of the output distance in order, each with Pr(distance ≤ value).

        The list begins with 0 and ends with a value that no output exceeds.
        """
        given = as_given(self._mechanism, u)
        chances: dict[Distance, ClosedForm] = {Fraction(0): ExpPoly(0)}
        for other, chance in self._finite(u, trace).apart:
            distance = self._metric.between(given, output, other)
            chances[distance] = chances.get(distance, ExpPoly(0)) + chance
        for one, two in combinations(chances, 2):
            if isinstance(gap := _gap(one, two), Spot):
                gap.trace.note(gap)  # equal distances are one step
        found: list[tuple[Distance, ClosedForm]] = []
        total: ClosedForm = ExpPoly(0)
        for distance in sorted(chances):
            total = total + chances[distance]
            found.append((distance, total))
        return found

    def comparable(self, u: tuple[Value, ...], output: Value, trace: Trace | None = None) -> None:
        """Refuse an ideal output of a kind that the mechanism never returns."""
        symbolic, has_noise = has_spots(u), self._mechanism.checked.output.holds_noise
        in_lists = self._metric == sup and isinstance(output, tuple) and not has_noise
        if not self._has_own_ideal or (not in_lists and (symbolic or _kind(output) in self._kinds)):
            return
        given = as_given(self._mechanism, u)
        found = (
            self._engine.distribution(given)
            if trace is None and not symbolic
            else self._engine.distribution_at_spots(u, trace)
        )
        if in_lists and any(_is_mixed(output, other) for other, _ in found.apart):
            raise ValueRefusedError(
                f"at the input {shown(given)} the ideal output {shown(output)} has a truth value "
                "where the mechanism returns the number that it is equal to, or the reverse",
                rule="True and 1 are two outputs, and the distance sup would be 0.",
                way_out="Return the same kind from both: int(x) or x == 1; or write "
                "output_distance=discrete.",
            )
        if symbolic:
            return
        kinds = {_kind(other) for other, _ in found.apart}
        self._kinds |= kinds
        if _kind(output) not in kinds:
            raise ValueRefusedError(
                f"at the input {shown(given)} the ideal output is {shown(output)}, "
                f"and the mechanism returns {' or '.join(sorted(kinds))}",
                rule="An ideal returns what the mechanism approximates.",
                way_out="Return outputs of the same kind from both.",
            )

    def _chance(self, u: tuple[Value, ...], pattern: Value, trace: Trace | None) -> ClosedForm:
        """Return the probability of an output, or of a pattern, at an input."""
        if trace is not None:
            return self._engine.probability_at_spots(u, read_pattern(pattern), trace)
        if has_spots(u) or has_spots(pattern):
            return self._engine.probability_at_spots(u, pattern)
        return self._engine.probability_at(u, read_pattern(pattern))

    def _finite(self, u: tuple[Value, ...], trace: Trace | None = None) -> Distribution:
        """Return the distribution at an input, if its outputs are finite values."""
        known = self._last
        if known is None or known[0] != u or known[1] is not trace:
            if trace is not None:
                found = self._engine.distribution_at_spots(u, trace)
            elif has_spots(u):
                found = self._engine.distribution_at_spots(u)
            else:
                found = self._engine.distribution(as_given(self._mechanism, u))
            for pattern in found:
                if _has_noise(pattern):
                    raise ValueRefusedError(
                        f"the outputs contain noise, and the output distance is {self._metric}",
                        rule="gamma=ANY and distances other than discrete and sup need finitely "
                        "many outputs.",
                        way_out=self._way_out(u),
                    )
            known = self._last = u, trace, found
        return known[2]

    def _way_out(self, u: tuple[Value, ...]) -> str:
        if has_spots(u):
            return "Use output_distance=sup, or give inputs=Grid(lo, hi) or a list."
        number = "Use a number for gamma, or gamma=alpha"
        if self._metric != sup:
            number = "Use output_distance=sup with a number for gamma, or gamma=alpha"
        if self._mechanism.kept(Engine).has_integers:
            return f"{number}."
        return f"{number}; or inputs=AllReals(), which proves all gamma."


def _gap(one: Distance, two: Distance) -> Distance:
    is_known = isinstance(one, Radical) or isinstance(two, Radical) or inf in (one, two)
    return inf if is_known else one - two


def _has_noise(pattern: Value) -> bool:
    return any(one is int or isinstance(one, RealType) for one in leaves(pattern))


def _is_mixed(one: Value, two: Value) -> bool:
    """Whether there is True in one place of an output, and 1 in the other output."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and any(map(_is_mixed, one, two))
    return one == two and isinstance(one, bool) != isinstance(two, bool)


def _kind(output: Value) -> str:
    if isinstance(output, tuple):
        return "a list"
    if isinstance(output, bool):
        return "a truth value"
    if isinstance(output, int | Fraction | RealType | Spot | ClosedForm) or output is int:
        return "a number"
    return "None" if output is None else "a string"

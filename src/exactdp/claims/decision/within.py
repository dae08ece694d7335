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
from exactdp.language.released import holds_terms
from exactdp.language.types import RealType
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.reals.numbers import inf
from exactdp.reals.square_roots import SquareRoot
from exactdp.semantics.distribution import Distribution
from exactdp.semantics.engine import Engine
from exactdp.semantics.events import is_number, near, read_pattern
from exactdp.semantics.spots import Spot, has_spots, symbolic, trace_of

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy


class Within:
    """Probabilities of balls around ideal outputs, for one claim."""

    def __init__(self, claim: Accuracy) -> None:
        self._mechanism = claim.mechanism
        self._engine = claim.mechanism.kept(Engine)
        self._metric = claim.output_metric
        self._by_metric = claim.agreement == "output_distance"
        self._has_own_ideal = claim.ideal is not None
        self._kinds: set[str] = set()  # of outputs, as far as they are known
        self._last: tuple[object, Distribution] | None = None

    def differ(self, u: tuple[Value, ...], output: Value) -> Differ | None:
        """Return which outputs disagree at an input; None if exactly the unequal ones do."""
        if not self._by_metric or self._metric in (discrete_outputs, sup):
            return None
        given = as_given(self._mechanism, u)
        return lambda other: self._metric.between(given, output, other) > 0

    def probability(
        self, u: tuple[Value, ...], output: Value, radius: Distance, at: Fraction | None = None
    ) -> ClosedForm:
        """Return Pr(distance of the output from the ideal output ≤ radius).

        Outputs that are expressions in ε are compared by their values `at` an ε.
        """
        given = as_given(self._mechanism, u)
        if radius == inf:
            return ExpPoly(1)
        if self._metric == discrete_outputs:
            return ExpPoly(1) if radius >= 1 else self._chance(u, output)
        if self._mechanism.checked.releases_eps:
            assert at is not None
            chances = zip(self._finite(u).apart, self.slacks(u, output, radius), strict=True)
            near_by = (chance for (_, chance), parts in chances if _are_near(parts, at))
            return sum(near_by, start=ExpPoly(0))
        if self._metric == sup:
            return self._chance(u, near(output, radius))
        if self._mechanism.checked.output.holds_noise:
            regions = self._metric.ball(*map(symbolic, (given, output, radius)))
            if has_spots(whole := (u, output, radius)):
                return self._engine.where_at_spots(u, regions, trace_of(whole))
            return self._engine.where(given, regions)
        total: ClosedForm = ExpPoly(0)
        for other, chance in self._finite(u).apart:
            if self._metric.between(given, output, other) <= radius:
                total = total + chance
        return total

    def slacks(
        self, u: tuple[Value, ...], output: Value, radius: Distance
    ) -> Iterator[tuple[ClosedForm, ...] | None]:
        """Yield for each output functions of ε that are nonnegative where it is within a radius.

        Yield None for an output that is infinitely far from the ideal output.
        """
        if self._metric != sup:
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
        return (_slack(output, other, radius) for other, _ in self._finite(u).apart)

    def allows_all(self, u: tuple[Value, ...], output: Value, radius: Distance) -> bool:
        """Whether no possible output is further than a radius from the ideal output."""
        if radius == inf:
            return True
        given, outputs = as_given(self._mechanism, u), self._engine.outputs
        return bool(self._metric.largest(given, output, outputs) <= radius)

    def steps(self, u: tuple[Value, ...], output: Value) -> list[tuple[Distance, ClosedForm]]:
        """Return the values of the output distance in order, each with Pr(distance ≤ value).

        The list begins with 0 and ends with a value that no output exceeds.
        """
        given = as_given(self._mechanism, u)
        chances: dict[Distance, ClosedForm] = {Fraction(0): ExpPoly(0)}
        for other, chance in self._finite(u).apart:
            distance = self._metric.between(given, output, other)
            chances[distance] = chances.get(distance, ExpPoly(0)) + chance
        if any(isinstance(distance, SquareRoot) for distance in chances):
            raise ValueRefusedError(
                f"γ is not a number, and the output distance {self._metric} has irrational values",
                rule="Which γ lie between two such values is decided for a number γ.",
                way_out="Give a number for gamma.",
            )
        for one, two in combinations(chances, 2):
            if isinstance(gap := _gap(one, two), Spot):
                gap.trace.note(gap)  # equal distances are one step
        found: list[tuple[Distance, ClosedForm]] = []
        total: ClosedForm = ExpPoly(0)
        for distance in sorted(chances):
            total = total + chances[distance]
            found.append((distance, total))
        return found

    def comparable(self, u: tuple[Value, ...], output: Value) -> None:
        """Refuse an ideal output of a kind that the mechanism never returns."""
        if not self._has_own_ideal or has_spots(u) or _kind(output) in self._kinds:
            return
        given = as_given(self._mechanism, u)
        kinds = {_kind(pattern) for pattern in self._engine.distribution(given)}
        self._kinds |= kinds
        if _kind(output) not in kinds:
            raise ValueRefusedError(
                f"at the input {shown(given)} the ideal output is {shown(output)}, "
                f"and the mechanism returns {' or '.join(sorted(kinds))}",
                rule="An ideal returns what the mechanism approximates.",
                way_out="Return outputs of the same kind from both.",
            )

    def _chance(self, u: tuple[Value, ...], pattern: Value) -> ClosedForm:
        """Return the probability of an output, or of a pattern, at an input."""
        if has_spots(u) or has_spots(pattern):
            return self._engine.probability_at_spots(u, pattern)
        return self._engine.probability_at(u, read_pattern(pattern))

    def _finite(self, u: tuple[Value, ...]) -> Distribution:
        """Return the distribution at an input, if its outputs are finite values."""
        if self._last is None or self._last[0] != u:
            if has_spots(u):
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
            self._last = u, found
        return self._last[1]

    def _way_out(self, u: tuple[Value, ...]) -> str:
        if has_spots(u):
            return "Use output_distance=sup, or give inputs=Grid(lo, hi) or a list."
        number = "Use a number for gamma, or gamma=alpha"
        if self._metric != sup:
            number = "Use output_distance=sup with a number for gamma, or gamma=alpha"
        if self._mechanism.kept(Engine).has_integers:
            return f"{number}."
        return f"{number}; or inputs=AllReals(), which proves all gamma."


def _slack(one: Value, two: Value, radius: Distance) -> tuple[ClosedForm, ...] | None:
    """Return radius ± the differences of numbers; None if anything else differs."""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        parts = [_slack(a, b, radius) for a, b in zip(one, two, strict=True)]
        return None if None in parts else tuple(form for part in parts for form in part or ())
    if is_number(one) and (is_number(two) or isinstance(two, ClosedForm)):
        gap = ExpPoly(0) + two - one
        return radius - gap, radius + gap
    return () if one == two else None


def _are_near(parts: tuple[ClosedForm, ...] | None, at: Fraction) -> bool:
    return parts is not None and all(form.at(at).sign >= 0 for form in parts)


def _gap(one: Distance, two: Distance) -> Distance:
    return inf if inf in (one, two) else one - two


def _has_noise(pattern: Value) -> bool:
    if isinstance(pattern, tuple):
        return any(map(_has_noise, pattern))
    return isinstance(pattern, RealType) or pattern is int


def _kind(output: Value) -> str:
    if isinstance(output, tuple):
        return "a list"
    if isinstance(output, bool):
        return "a truth value"
    if isinstance(output, int | Fraction | RealType | Spot | ClosedForm) or output is int:
        return "a number"
    return "None" if output is None else "a string"

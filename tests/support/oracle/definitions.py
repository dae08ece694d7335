"""Definitions 1 and 2 of the paper by brute force: det, dd and the probability of an error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from .linear import Distance, Row, feasible
from .masses import Masses
from .runs import Array, Form, Noise, Program, Run, Ways, frozen

OutputDistance = Callable[[Any, Any, Any], Any]
inf = math.inf


def discrete(u: Any, one: Any, two: Any) -> Any:
    """Return 0 if two outputs are equal, else 1."""
    del u
    return 0 if one == two else 1


def sup(u: Any, one: Any, two: Any) -> Any:
    """Return the largest difference of numbers, inf where anything else differs."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        if len(one) != len(two):
            return inf
        gaps = [sup(u, a, b) for a, b in zip(one, two, strict=True)]
        return inf if any(isinstance(gap, float) for gap in gaps) else max([0, *gaps])
    if _is_number(one) and _is_number(two):
        return abs(one - two)
    return 0 if one == two else inf


def value_gap(u: Any, one: Any, two: Any) -> Any:
    """Return how far the entries at two positions of the input are apart."""
    return abs(u[one] - u[two])


OUTPUT_DISTANCES: dict[str, OutputDistance] = {
    "discrete": discrete,
    "sup": sup,
    "value_gap": value_gap,
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction | Form) and not isinstance(value, bool)


@dataclass(frozen=True)
class _Region:
    """Inputs with the same finite entries and conditions on the others: they have one output."""

    finite: tuple[Any, ...]
    rows: tuple[Row, ...]
    output: Any


@dataclass
class Judge:
    """A program, its ideal (None: without noise) and distances; what was found is kept."""

    program: Program
    ideal: Program | None = None
    input_distance: str = "linf"
    output_distance: str | OutputDistance = "discrete"
    agreement: str = "equal"
    threshold: Fraction = Fraction(0)
    _ways: dict[Any, Ways] = field(default_factory=dict)
    _known: dict[Any, Fraction | float] = field(default_factory=dict)
    _polyhedra: dict[Any, Distance] = field(default_factory=dict)

    # Probabilities --------------------------------------------------------------------

    def distribution(self, u: Sequence[Any], masses: Masses) -> dict[Any, Array]:
        """Return the probability of each output at each ε, for finite outputs."""
        arguments = self.program.given(u)
        key = tuple(u), "distribution"
        return self._chances(key, lambda run: self.program.run(run, arguments), masses)

    def _chances(
        self, key: Any, function: Callable[[Run], Any], masses: Masses
    ) -> dict[Any, Array]:
        if key not in self._ways:
            self._ways[key] = Ways(function, merges=self.program.merges)
        found: dict[Any, Array] = {}
        for one in self._ways[key].outcomes(masses.eps):
            chance = one.weight * masses.of(one.rows)
            found[one.value] = found.get(one.value, 0.0) + chance
        return found

    def error(self, u: Sequence[Any], gamma: Any, masses: Masses) -> Array:
        """Return Pr(the output is farther than γ from the ideal one) at each ε."""
        arguments, ideal = self.program.given(u), self.det(u)
        shown = arguments[0] if len(arguments) == 1 else arguments

        def is_wrong(run: Run) -> bool:
            output = frozen(self.program.run(run, arguments))
            return bool(self._between(shown, ideal, output) > gamma)

        chances = self._chances((tuple(u), gamma), is_wrong, masses)
        return chances.get(True, np.zeros_like(masses.eps))

    def _between(self, u: Any, one: Any, two: Any) -> Any:
        distance = self.output_distance
        return (OUTPUT_DISTANCES[distance] if isinstance(distance, str) else distance)(u, one, two)

    # The ideal, and the distance to disagreement ----------------------------------------

    def det(self, u: Sequence[Any]) -> Any:
        """Return the ideal output at an input."""
        ideal = self.ideal or self.program
        return frozen(ideal.run(None, ideal.given(u)))

    def distance(self, u: Sequence[Any]) -> Fraction | float:
        """Return dd(u): how far the nearest input is whose ideal output disagrees."""
        key = tuple(u)
        if key not in self._known:
            ideal = self.det(u)
            least: Fraction | float = inf
            for region in self._regions:
                for rows in self._disagreeing(u, ideal, region):
                    least = min(least, self._nearest(u, region.finite, rows))
            self._known[key] = least
        return self._known[key]

    @cached_property
    def _regions(self) -> list[_Region]:
        domains = [domain for domain in self.program.domains if domain is not None]
        return [region for finite in product(*domains) for region in self._regions_of(finite)]

    def _regions_of(self, finite: tuple[Any, ...]) -> list[_Region]:
        ideal = self.ideal or self.program
        domains = self.program.domains

        def run(run: Run) -> Any:
            known = iter(finite)
            entries = [
                run.symbol("input", number=k) if domain is None else next(known)
                for k, domain in enumerate(domains)
            ]
            return ideal.run(None, ideal.given(entries))

        return [
            _Region(finite, tuple(rows), output) for output, rows in Ways(run, thin=True).results
        ]

    def _disagreeing(self, u: Sequence[Any], ideal: Any, region: _Region) -> list[tuple[Row, ...]]:
        """Return where in a region the ideal output disagrees with a given one."""
        if not _has_forms(region.output):
            if self.agreement == "equal":
                differs = region.output != ideal
            else:
                arguments = self.program.given(u)
                shown = arguments[0] if len(arguments) == 1 else arguments
                differs = self._between(shown, ideal, region.output) > 0
            return [region.rows] if differs else []
        gaps = _gaps(ideal, region.output)
        if gaps is None:
            return [region.rows]
        found = []
        for gap in gaps:
            if not isinstance(gap, Form):
                if gap:
                    return [region.rows]
                continue
            for side in (gap, -gap):
                rows = (*region.rows, Row.of(side.terms, side.constant, True))
                if feasible(rows):
                    found.append(rows)
        return found

    def _nearest(
        self, u: Sequence[Any], finite: tuple[Any, ...], rows: tuple[Row, ...]
    ) -> Fraction | float:
        """Return the distance of an input from a region."""
        if self.input_distance == "discrete":
            return Fraction(1)
        domains = self.program.domains
        fixed = [x for x, domain in zip(u, domains, strict=True) if domain is not None]
        gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(fixed, finite, strict=True)]
        variables = [Noise(k, "input", 0.0) for k, d in enumerate(domains) if d is None]
        point = [x for x, domain in zip(u, domains, strict=True) if domain is None]
        least: Fraction | float = inf
        for more in self._near(variables, point, fixed, finite):
            if more and not feasible((*rows, *more)):
                continue
            least = min(least, self._apart(variables, point, (*rows, *more)))
        return least + sum(gaps) if self.input_distance == "l1" else max([least, *gaps])

    def _near(
        self, variables: list[Noise], point: list[Any], fixed: list[Any], finite: Sequence[Any]
    ) -> list[tuple[Row, ...]]:
        """Return where the distance is finite: for `numeric` entries from T on must agree."""
        if self.input_distance != "numeric":
            return [()]
        if any(a != b and min(a, b) >= self.threshold for a, b in zip(fixed, finite, strict=True)):
            return []
        ways: list[tuple[Row, ...]] = [()]
        for v, x in zip(variables, point, strict=True):
            if x >= self.threshold:
                below = Row.of({v: Fraction(1)}, -self.threshold, True)
                at_most = Row.of({v: Fraction(1)}, -Fraction(x), False)
                at_least = Row.of({v: Fraction(-1)}, Fraction(x), False)
                ways = [(*way, *more) for way in ways for more in ((below,), (at_most, at_least))]
        return ways

    def _apart(
        self, variables: list[Noise], point: list[Any], rows: tuple[Row, ...]
    ) -> Fraction | float:
        if not variables:
            return Fraction(0)
        norm = "l1" if self.input_distance == "l1" else "linf"
        if rows not in self._polyhedra:
            self._polyhedra[rows] = Distance(rows, variables, norm)
        return self._polyhedra[rows].of(point)


def _has_forms(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_forms, value))
    return isinstance(value, Form)


def _gaps(one: Any, two: Any) -> list[Any] | None:
    """Return the differences of numbers in the same place, None if the outputs are of two kinds."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        if len(one) != len(two):
            return None
        found: list[Any] = []
        for a, b in zip(one, two, strict=True):
            gaps = _gaps(a, b)
            if gaps is None:
                return None
            found += gaps
        return found
    if all(isinstance(x, int | Fraction | Form) for x in (one, two)):  # False == 0 in Python
        return [two - one]
    return [] if one == two else None

"""Random mechanisms and random claims: every verdict is met by quadrature on a grid of ε.

A mechanism draws two Laplace noises and returns which of a few comparisons hold. Given the second
noise the comparisons leave an interval for the first, so Pr(right) is an integral over one
variable. By the same token any comparison flips at |slack|/2 (both noises in it) or |slack|, and
the distance to disagreement is the least of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from claims.formulas import exp
from claims.oracle import along, between, density
from exactdp import Accuracy, Mechanism, alpha, eps, minimum
from support.examples import examples

BUDGETS = [float(x) for x in np.geomspace(0.02, 60, 45)]


@dataclass(frozen=True)
class Program:
    """Two noises by their rates, and comparisons: which noises (0, 1 or both), and the constant."""

    rates: tuple[Fraction, Fraction]
    tests: tuple[tuple[str, int], ...]

    def source(self) -> str:
        """Return it in the language."""
        sides = {"first": "a >= {}", "second": "b >= {}", "both": "a >= b + {}"}
        tests = ", ".join(sides[kind].format(c) for kind, c in self.tests)
        r, s = self.rates
        return (
            "def program(q: Real[2]):\n"
            f"    a = lap({r.numerator} * eps / {r.denominator}, q[0])\n"
            f"    b = lap({s.numerator} * eps / {s.denominator}, q[1])\n"
            f"    return [{tests}]\n"
        )

    def slacks(self, a: Any, b: Any) -> list[Any]:
        """Return how far each comparison is from flipping."""
        forms = {"first": a, "second": b, "both": a - b}
        return [forms[kind] - c for kind, c in self.tests]

    def distance(self, q: tuple[Fraction, Fraction]) -> Fraction:
        """Return dd with linf."""
        shares = [2 if kind == "both" else 1 for kind, _ in self.tests]
        found = zip(self.slacks(*q), shares, strict=True)
        return min(Fraction(abs(slack)) / share for slack, share in found)

    def right(self, q: tuple[Fraction, Fraction], budget: float) -> float:
        """Return Pr(output = that without noise)."""
        r, s = (float(rate) * budget for rate in self.rates)
        mean, other = map(float, q)
        ideal = [slack >= 0 for slack in self.slacks(*q)]

        def given_second(b: Any) -> Any:
            low, high = np.full_like(b, -np.inf), np.full_like(b, np.inf)
            chance = density(s, other, b)
            for (kind, c), above in zip(self.tests, ideal, strict=True):
                if kind == "second":
                    chance = np.where((b >= c) == above, chance, 0.0)
                    continue
                end = np.full_like(b, c) if kind == "first" else b + c
                low, high = (np.maximum(low, end), high) if above else (low, np.minimum(high, end))
            return chance * between(r, mean, low, high)

        levels = [c for _, c in self.tests]
        kinks = [other, *levels, *(mean - c for c in levels)]
        kinks += [c - d for c in levels for d in levels]
        return along(given_second, kinks, [r, s])


rates = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2), Fraction(1, 3)])
comparisons = st.tuples(st.sampled_from(["first", "second", "both"]), st.integers(-2, 2))
programs = st.builds(
    Program, st.tuples(rates, rates), st.lists(comparisons, min_size=1, max_size=3).map(tuple)
)
numbers = st.fractions(-3, 3, max_denominator=3)


@dataclass(frozen=True)
class Bound:
    """Σ over parts of factor·e^(−rate·α·ε); with `least`, their minimum."""

    parts: tuple[tuple[Fraction, Fraction], ...]
    least: bool

    def formula(self) -> Any:
        """Return it as a user writes it."""
        forms = [factor * exp(-rate * alpha * eps) for factor, rate in self.parts]
        return minimum(*forms) if self.least else sum(forms[1:], forms[0])

    def at(self, level: float, budget: float) -> float:
        """Return its value."""
        found = [float(f) * math.exp(-float(r) * level * budget) for f, r in self.parts]
        return min(found) if self.least else math.fsum(found)


positive = st.fractions(Fraction(1, 8), 4, max_denominator=8)
bounds = st.builds(
    Bound, st.lists(st.tuples(positive, positive), min_size=1, max_size=2).map(tuple), st.booleans()
)


@examples(75)
@given(
    programs,
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=3),
    bounds,
    st.sampled_from(["skip", "check"]),
)
@example(
    Program((Fraction(1), Fraction(1)), (("both", 0),)),
    [(Fraction(0), Fraction(0))],
    Bound(((Fraction(1, 2), Fraction(1)),), least=False),
    "check",
)
def test_verdicts(
    program: Program, inputs: list[tuple[Fraction, Fraction]], bound: Bound, boundary: str
) -> None:
    claim = Accuracy(
        Mechanism.from_source(program.source()), bound.formula(), inputs=inputs, boundary=boundary
    )
    for u in inputs:
        assert claim.disagreement(u).distance == program.distance(u)
    verdict = claim.check(all=True)
    claimed = [q for q in inputs if boundary == "check" or program.distance(q) > 0]
    silent = {q for q in inputs if q not in claimed}
    assert verdict.silent == len(silent)
    failing = set()
    for found in verdict.counterexamples:
        first, second = (Fraction(x) for x in found.input)
        q = first, second
        failing.add(q)
        dd = program.distance(q)
        assert found.distance == dd
        assert found.alpha < dd or (boundary == "check" and found.alpha == dd)
        budget = float(found.eps)
        right = program.right(q, budget)
        need = 1 - bound.at(float(found.alpha), budget)
        assert abs(float(found.actual) - right) < 1e-10
        assert right < need + 1e-10
        assert found.actual.upper < found.required.lower
    assert verdict.holds is (not failing)
    for q in set(claimed) - failing:
        for budget in BUDGETS:
            need = 1 - bound.at(float(program.distance(q)), budget)
            assert program.right(q, budget) >= need - 1e-10

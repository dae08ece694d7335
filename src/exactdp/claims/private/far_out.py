"""Large integers: nonnegativity of a sum of geometric sequences, by finitely many values.

Let g(k), k ≥ 0, be a sum of sequences k^i·x^k with x > 0, counted from some integer. List the x in
increasing order, each as often as it has powers: x₁ ≤ … ≤ xₙ. With the shift (E g)(k) = g(k + 1)

    g(k) = Σ_j d_j·h_{k−j+1}(x₁, …, x_j),   d_j = [(E − x₁)…(E − x_{j−1}) g](0),

where h_m is the complete homogeneous polynomial of degree m: Newton's form of k ↦ x^k. All h are
nonnegative, so g ≥ 0 if every d_j ≥ 0. Of these d₁ = g(0), and dₙ has the sign of g(k) for large k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from exactdp.language.nested import leaves, mapped
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Interval, eps, exp


@dataclass(frozen=True)
class Far:
    """The number d_j for integers start, start + step, …, where j = len(rates) + 1."""

    start: int
    step: int
    rates: tuple[Fraction, ...]
    """x = e^{rate·ε} of the factors E − x."""
    is_last: bool

    @property
    def is_seen(self) -> bool:
        """Whether d_j < 0 implies that g is negative at some integer, or at all large ones."""
        return self.is_last or not self.rates

    def moved(self, count: int) -> Far:
        """Return the same number for integers further out."""
        return replace(self, start=self.start + self.step * count)

    def weights(self) -> Iterator[tuple[int, ClosedForm]]:
        """Yield integers and their factors in d_j."""
        found: list[ClosedForm] = [ExpPoly(1)]
        for rate in self.rates:
            x, more = exp(rate * eps), [ExpPoly(0), *found]
            found = [one - x * two for one, two in zip(more, [*found, ExpPoly(0)], strict=True)]
        for k, weight in enumerate(found):
            yield self.start + k * self.step, weight

    def told(self) -> Value:
        """Return the integers as an output for display."""
        if not self.rates:
            return self.start
        ends = (self.start, "inf") if self.step > 0 else ("-inf", self.start)
        found: Any = Interval(*ends)
        return found


def far_out(start: int, step: int, rates: Sequence[Fraction]) -> list[Far]:
    """Return the numbers d_j for integers from `start`, whose sequences have these rates."""
    ordered = sorted(rates)
    return [
        Far(start, step, tuple(ordered[:j]), j == len(ordered) - 1) for j in range(len(ordered))
    ]


def parts_far(output: Value) -> list[Far]:
    """Return the numbers d_j in an output."""
    return [one for one in leaves(output) if isinstance(one, Far)]


def replaced(output: Value, change: Callable[[Far], Value]) -> Value:
    """Return an output with each number d_j replaced."""
    return mapped(output, lambda one: change(one) if isinstance(one, Far) else one)


def expanded(output: Value) -> Iterator[tuple[Value, ClosedForm]]:
    """Yield the outputs whose linear combination an output with numbers d_j is, with factors."""
    listed = parts_far(output)
    if not listed:
        yield output, ExpPoly(1)
        return
    first = listed[0]
    for number, weight in first.weights():
        done: list[bool] = []

        def only_first(one: Far, number: int = number, done: list[bool] = done) -> Value:
            done.append(True)
            return number if len(done) == 1 else one

        for single, more in expanded(replaced(output, only_first)):
            yield single, weight * more

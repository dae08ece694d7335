"""Integer noise in a Euclidean ball: finitely many lines of a lattice, as linear conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.language.linear import Linear

_MOST_LINES = 200


def in_ball(gaps: Sequence[Any], left: Any) -> Iterator[list[tuple[Linear, str]]]:
    """Yield disjoint sets of conditions for Σ gap² ≤ left, where gaps are on a lattice.

    All gaps but the last have a number in each, and the last is between two numbers.
    """
    first, *others = gaps
    if not isinstance(first, Linear):
        left = left - Fraction(first) ** 2
        if left >= 0:
            yield from in_ball(others, left) if others else [[]]
        return
    moving = [k for k, gap in enumerate(others) if isinstance(gap, Linear)]
    still = sum((Fraction(g) ** 2 for g in others if not isinstance(g, Linear)), Fraction(0))
    values = _on_lattice(first, left - still)
    if not values:
        return
    if not moving:
        yield [(first - values[0], ">="), (values[-1] - first, ">=")]
        return
    if len(values) > _MOST_LINES:
        raise ValueRefusedError(
            "gamma is too large for the output distance l2",
            rule="The whole numbers in a ball are listed, at most "
            f"{_MOST_LINES} in each direction.",
            way_out="Use output_distance=sup, the largest error.",
        )
    for value in values:
        here = [(first - value, ">="), (value - first, ">=")]
        for rest in in_ball([others[k] for k in moving], left - still - value**2):
            yield [*here, *rest]


def _on_lattice(gap: Linear, square: Any) -> list[Fraction]:
    """Return the values of a form in integer noise whose squares are not above a number."""
    steps = [Fraction(q) for q in gap.coefficients.values()]
    unit = lcm(*(q.denominator for q in steps))
    step = Fraction(gcd(*(int(q * unit) for q in steps)), unit)
    value = Fraction(gap.constant) % step
    found = []
    for start, by in ((value, step), (value - step, -step)):
        at = start
        while at * at <= square:
            found.append(at)
            at += by
    return sorted(found)

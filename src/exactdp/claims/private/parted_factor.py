"""The best factor of privacy of a mechanism in which a `min` or `max` changes with ε.

It is the largest factor of the parts of ε between the changes. If an end of a part is irrational,
the factor is at most that on a slightly larger interval with rational ends, with the closed
forms of the part, and at least that on a slightly smaller one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from exactdp.claims.private.loss_factor import Factor, Leakage
from exactdp.language.parted import Division
from exactdp.reals import Interval, Root, Stretch
from exactdp.reals.numbers import inf

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy


def tightest_in_parts(division: Division[Privacy], ask: Callable[[Privacy], Leakage]) -> Leakage:
    """Return the largest of the best factors on parts of ε, between which an order changes."""
    found: list[Leakage] = []
    for part, piece in division:
        best = ask(piece)
        inner = _inside(part)
        if inner is not None and best.factor.upper != 0:
            low = ask(replace(piece, epsilon=inner)).factor.lower
            best = replace(best, factor=Factor(min(low, best.factor.lower), best.factor.upper))
        found.append(best)
    worst = max(found, key=lambda one: (one.factor.upper, one.factor.lower))
    lower = max(one.factor.lower for one in found)
    pairs = sum(one.pairs for one in found)
    return replace(worst, factor=Factor(lower, worst.factor.upper), pairs=pairs)


def _inside(part: Stretch) -> Interval | None:
    """Return an interval with rational ends inside of a part that has others; else None."""
    if not isinstance(part.lower, Root) and not isinstance(part.upper, Root):
        return None
    lower = part.lower.upper if isinstance(part.lower, Root) else part.lower
    upper = part.upper.lower if isinstance(part.upper, Root) else part.upper
    return Interval(lower, upper, lower_open=part.lower_open, upper_open=upper == inf)

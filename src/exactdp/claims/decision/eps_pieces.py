"""Decides regions where α and γ are nonlinear functions of ε, on pieces of ε.

On a piece, all α and γ that occur there are examined, so the pieces that are proved prove the
claim. The others are divided, and the claim is decided at single ε to find counterexamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from exactdp.claims.decision.findings import Finding
from exactdp.claims.decision.progress import Hear, nobody
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.decision.work import Explorer
from exactdp.claims.regions.moving import exact_values
from exactdp.claims.regions.region import Region, at_point, pieces_of
from exactdp.errors import ExactdpError
from exactdp.reals import Interval
from exactdp.reals.numbers import inf, simplest_inside

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim

_MOST_PIECES = 200
_DEEP, _DEEPEST = 10, 24
_MOST_FUTILE = 4
_MOST_REFUSALS = 12
_LARGE = 100  # an ε beyond which exponentials are hardly representable


class Examine(Protocol):
    """Returns the finding on a region, such as `deciding.examine`."""

    def __call__(
        self, work: Explorer, region: Region, hear: Hear, *, refute: bool = True
    ) -> Finding:
        """Examine a region; without `refute`, look for no counterexamples."""
        ...


def in_pieces(
    work: Explorer, region: Region, examine: Examine, decide: Callable[..., Verdict]
) -> Finding:
    """Return the finding on pieces of ε, on each of them for all α and γ that occur there.

    A piece that is not proved is decided at a simple ε, and divided there. `examine` and `decide`
    are those of `deciding`.
    """
    waiting = [(region.on, 0)]
    found = Finding(region)
    asked: set[Fraction] = set()
    is_rough = not all(side.is_rational for side in region.sides)
    refusals = 0  # how many pieces cannot be examined; smaller ones may be simpler
    futile = 0  # how often no counterexample was found a little inside of irrational conditions
    for _ in range(_MOST_PIECES):
        if not waiting:
            return found
        # Where few points are asked they shall be spread, so pieces are then taken level by level.
        on, depth = waiting.pop(0 if is_rough else -1)
        try:
            for parts in pieces_of(work.claim, region, on):
                here = Finding(region)
                for part in parts:
                    here = _joined(here, _with_faces(work, part, examine, refute=False))
                if not here.left:
                    break
        except ExactdpError as error:
            refusals += 1
            if refusals > _MOST_REFUSALS:
                raise
            here = Finding(region, left=1, missing=str(error))
        if not here.left:
            found = found.with_contents(here.contents)
            continue
        found = replace(found, missing=found.missing or here.missing)
        middle = _middle(on)
        # Bisection never isolates a claim made only at an end.
        ends = [one for one in (on.lower, on.upper) if isinstance(one, Fraction) and one in on]
        is_lost = bool(region.levels) and not region.sides
        is_lost = is_lost and exact_values(region.levels, middle) is None
        for point in (*ends, middle):
            if point in asked or futile >= _MOST_FUTILE:
                continue
            asked.add(point)
            single = None if region.is_unit_used else at_point(region, point)
            if region.is_unit_used:
                there = _at_one_eps(work.claim, region, point, decide)
                if there.failures:
                    return there
            elif single is not None:
                there = _with_faces(work, single, examine)
                if there.failures:
                    return there
                found = found.with_contents(there.contents)
                futile += is_rough and there.left > 0
            elif point == middle and is_lost:
                name, form = next(iter(region.levels.items()))
                why = f"{name} = {form} is irrational at rational ε: no counterexample can be shown"
                found = replace(found, missing=found.missing or why)
        if is_lost and depth >= _DEEP:
            break  # no counterexample would be found, either
        if on.is_point or depth == _DEEPEST:
            found = replace(found, left=found.left + 1)
            continue
        waiting += [
            (replace(on, upper=middle, upper_open=False), depth + 1),
            (replace(on, lower=middle, lower_open=False), depth + 1),
        ]
    return replace(found, left=found.left + len(waiting) + 1)


def _middle(on: Interval) -> Fraction:
    """Return a simple point of an interval of ε, in the middle of long ones by its logarithm."""
    lower, upper = on.lower, on.upper
    if lower == 0 and isinstance(upper, Fraction):
        return simplest_inside(upper / 4, upper / 2)
    if 0 < lower < _LARGE and upper == inf:
        return simplest_inside(2 * Fraction(lower), 4 * Fraction(lower))
    if lower > 0 and isinstance(upper, Fraction) and upper > 4 * lower:
        mean = Fraction(math.sqrt(lower * upper))
        return simplest_inside(mean * Fraction(4, 5), mean * Fraction(5, 4))
    return on.simple_point()


def _at_one_eps(
    claim: Claim, region: Region, point: Fraction, decide: Callable[..., Verdict]
) -> Finding:
    """Return the counterexamples of a claim at one ε, where its mechanism has numbers for 1/ε."""
    try:
        verdict = decide(claim.changed(epsilon=Interval(point, point)), hint=False)
    except ExactdpError:
        return Finding(region)
    return Finding(region, failures=tuple(verdict.counterexamples))


def _with_faces(
    work: Explorer, region: Region, examine: Examine, *, refute: bool = True
) -> Finding:
    """Return the finding on a region and on those of its faces where the claim may jump."""
    found = Finding(region)
    for one, _ in work.with_faces((region,), nobody):
        here = examine(work, one, nobody, refute=refute)
        if here.failures:
            return here
        found = _joined(found, here)
    return found


def _joined(found: Finding, here: Finding) -> Finding:
    """Return a finding without counterexamples together with another one."""
    return replace(
        found.with_contents(here.contents),
        left=found.left + here.left,
        missing=found.missing or here.missing,
    )

"""Claims about mechanisms in which a `min` or `max` changes with ε: decided on parts of ε.

Where an end of a part is irrational, the claim is decided on a slightly larger interval: it
suffices that it holds there, and a counterexample is valid if its ε is in the part. So a claim that
stays undecided is tight at such an end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from exactdp.claims.decision.verdict import Verdict
from exactdp.language.parted import Division
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.solutions import Stretch
from exactdp.reals.spans import between


def in_parts(division: Division[Any], decide: Callable[[Any], Verdict], *, every: bool) -> Verdict:
    """Combine the verdicts on parts of ε, between which an order changes."""
    found: list[Verdict] = []
    for part, piece in division:
        verdict = decide(piece)
        order = division.gap if _is_above(division.gap, part) else -division.gap
        inside = tuple(one for one in verdict.counterexamples if one.eps in part)
        holds = verdict.holds
        if holds is False and not inside:
            holds = None
            verdict = replace(verdict, missing=f"the claim is tight at an end of {part}")
        found.append(replace(verdict, holds=holds, counterexamples=inside, orders=(order,)))
        if inside and not every:
            break
    failures = tuple(one for verdict in found for one in verdict.counterexamples)
    missing = next((one.missing for one in found if one.holds is None), "")
    telling = max(found, key=lambda one: one.contents.telling)
    return replace(
        telling,
        claim=division.whole,
        holds=False if failures else None if missing else True,
        route=f"{len(found)} parts of ε, as an order of closed forms changes; {telling.route}",
        counterexamples=failures,
        missing="" if failures else missing,
        seconds=sum(one.seconds for one in found),
        parts=tuple(found),
    )


def _is_above(gap: ClosedForm, part: Stretch) -> bool:
    """Whether a function that does not change its sign on a part is nonnegative there."""
    point = between(part.lower, part.upper)
    assert point is not None  # a part is not a single point
    while gap.at(point).sign == 0:
        point = between(part.lower, point)
        assert point is not None
    return gap.at(point).sign > 0

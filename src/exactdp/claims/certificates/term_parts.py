"""Verdicts about outputs that are expressions in ε, by parts of ε on which they compare alike.

A function of ε decides whether an output is within γ of the ideal one. The claim is decided again
on parts on each of which no such function changes its sign, as the checker compares outputs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.parted import in_parts
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.levels import constant
from exactdp.errors import ValueRefusedError
from exactdp.language.parted import Division
from exactdp.reals import ClosedForm, nonnegative
from exactdp.reals.spans import as_stretch, parts_by_sign

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy
    from exactdp.claims.decision.verdict import Verdict


def in_term_parts(verdict: Verdict) -> Verdict | None:
    """Return a verdict by parts of ε; None if no output depends on ε at the inputs."""
    claim: DecidedAccuracy = verdict.claim
    if not isinstance(claim.gamma_level, Expression) or constant(claim.gamma_level) is None:
        raise ValueRefusedError(
            f"outputs are expressions in eps, and gamma = {claim.gamma_level} is not a number",
            rule="The checker compares such outputs with a number γ.",
            way_out="Give a number for gamma.",
        )
    if verdict.holds is False:
        failures = [_at_one(claim, one.eps) for one in verdict.counterexamples]
        if not failures or any(one is None for one in failures):
            return None
        return replace(verdict, parts=tuple(one for one in failures if one is not None))
    return _parted(claim)


def _at_one(claim: DecidedAccuracy, eps: object) -> Verdict | None:
    """Return the verdict at one ε, with a function that is nonnegative there."""
    alone = replace(claim, epsilon=eps)
    order = next((form for form in _orders(claim) if nonnegative(form, alone.epsilon)), None)
    found = decide(alone)
    return None if order is None else replace(found, orders=(order,))


def _parted(claim: DecidedAccuracy) -> Verdict | None:
    """Return the verdict on parts of ε, or on one part if no order changes."""
    first: ClosedForm | None = None
    span = claim.span
    for form in dict.fromkeys(_orders(claim)):
        if len(parts_by_sign(form, span)) > 1:
            parts = Division(claim, form)
            return in_parts(parts, lambda one: _parted(one) or decide(one), every=False)
        first = first or next(
            (one for one in (form, -form) if nonnegative(one, claim.epsilon)), None
        )
    if first is None:
        return None
    found = decide(claim.on_part(as_stretch(span)))
    return replace(found, claim=claim, parts=(replace(found, orders=(first,)),))


def _orders(claim: DecidedAccuracy) -> Iterator[ClosedForm]:
    """Yield the functions of ε that decide which outputs are within γ, at all inputs."""
    gamma = constant(claim.gamma_level)
    for u in claim.scope.listed():
        yield from claim.obligations.within.slacks(u, claim.ideal_function(u), gamma)

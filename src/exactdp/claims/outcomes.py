"""What the general route finds at an input, and a claim asked again at a single ε."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.inputs import as_given
from exactdp.claims.vacuity import Content
from exactdp.claims.verdict import Counterexample
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy


MOST_CELLS = 400
"""Cells of (ε, εα, εγ) that are looked at; integer noise has one for each whole number below γ."""
ENDLESS = (
    "too many cases of α and γ, as with integer noise and a γ without bound; restrict epsilon or "
    "alpha"
)


@dataclass(frozen=True)
class Outcome:
    """What the general route found at an input."""

    holds: bool | None
    content: Content = Content.SOMETHING
    counterexample: Counterexample | None = None
    missing: str = ""
    """Why it found nothing, if that is known."""


def at_point(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm], eps: Fraction
) -> Outcome:
    """Decide a claim at one ε, with the values that α and γ have there."""
    fixed: dict[str, Any] = {}
    for name, form in levels.items():
        value = form.at(eps)
        if not value.is_exact:
            why = f"{name} = {form} is irrational at rational ε: no counterexample can be shown"
            return Outcome(None, missing=why)
        fixed[name] = value.lower
    given = as_given(claim.mechanism, u)
    here = replace(claim, inputs=[given], epsilon=Interval(eps, eps), **fixed)
    verdict = here.check()
    return Outcome(verdict.holds, verdict.content, verdict.counterexample)

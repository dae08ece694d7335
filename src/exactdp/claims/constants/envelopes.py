"""The maximum of several functions of ε, in pieces with certified endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from exactdp.reals import ClosedForm, Interval, SolutionSet, Stretch, nonnegative, solution_set
from exactdp.reals.spans import as_stretch


def largest(forms: Iterable[ClosedForm], on: Interval) -> list[tuple[ClosedForm, SolutionSet]]:
    """Return the functions that attain the maximum at some ε, each with the set of these ε."""
    left: list[ClosedForm] = []
    for form in dict.fromkeys(forms):
        if any(nonnegative(other - form, on) for other in left):
            continue
        left = [other for other in left if not nonnegative(form - other, on)]
        left.append(form)
    found = []
    for form in left:
        where = SolutionSet((as_stretch(on),))
        for other in left:
            if other is not form:
                where &= solution_set(form - other, on)
        found.append((form, where))
    return found


def start(stretch: Stretch) -> Fraction:
    """Return the approximate start of a stretch, as a sort key."""
    end = stretch.lower
    return end if isinstance(end, Fraction) else Fraction(getattr(end, "lower", 0))

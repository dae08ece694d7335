"""Intervals of ε whose ends may be irrational: signs on them, and parts of one sign."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import TypeAlias

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import inf, simplest_inside
from exactdp.reals.signs import nonnegative, positive
from exactdp.reals.solutions import Boundary, SolutionSet, Stretch, order_of, solution_set
from exactdp.reals.zeros import Root

Span: TypeAlias = Interval | Stretch

_FINE = Fraction(1, 10**30)


def as_stretch(on: Span) -> Stretch:
    """Return a span as a stretch."""
    if isinstance(on, Stretch):
        return on
    return Stretch(on.lower, on.upper, on.lower_open, on.upper_open)


def around(on: Span) -> Interval:
    """Return an interval with rational ends that contains a span and is close to it."""
    if isinstance(on, Interval):
        return on
    lower = on.lower.lower if isinstance(on.lower, Root) else on.lower
    upper = on.upper.upper if isinstance(on.upper, Root) else on.upper
    return Interval(
        lower,
        upper,
        lower_open=on.lower_open and not isinstance(on.lower, Root),
        upper_open=on.upper_open and not isinstance(on.upper, Root),
    )


def between(lower: Boundary, upper: Boundary) -> Fraction | None:
    """Return a simple rational strictly between two ends, None if there is none."""
    low = lower.upper if isinstance(lower, Root) else lower
    high = upper.lower if isinstance(upper, Root) else upper
    if high == inf:
        return Fraction(low) + 1
    return simplest_inside(Fraction(low), Fraction(high)) if low < high else None


def is_nonnegative(form: ClosedForm, on: Span) -> bool:
    """Whether a function of ε is nonnegative on a span; irrational ends are not tested.

    A function that is nonnegative inside is so at the ends, by continuity.
    """
    if isinstance(on, Interval):
        return nonnegative(form, on).holds
    return all(one.is_single for one in _where_negative(form, on))


def is_positive(form: ClosedForm, on: Span) -> bool:
    """Whether a function of ε is positive on a span; at irrational ends it may be 0."""
    if isinstance(on, Interval):
        return positive(form, on).holds
    return is_nonnegative(form, on) and positive(form, around(on)).holds


def _where_negative(form: ClosedForm, on: Stretch) -> SolutionSet:
    """Return where a function is not positive on a stretch, if it is not 0 everywhere."""
    if not form.numerator:
        return SolutionSet(())
    return SolutionSet((on,)) & solution_set(-form, around(on), _FINE)


def parts_by_sign(form: ClosedForm, on: Span) -> list[Stretch]:
    """Return the parts of a span between the zeros at which a function changes its sign."""
    whole = SolutionSet((as_stretch(on),))
    found = [
        one
        for side in (form, -form)
        for one in whole & solution_set(side, around(on), _FINE)
        if not one.is_single
    ]
    return sorted(found, key=lambda one: Fraction(around(one).lower))


def common_parts(sets: Sequence[SolutionSet], on: Span) -> list[tuple[Stretch, frozenset[int]]]:
    """Divide a span into parts that lie in the same ones of some sets, each with their numbers.

    The parts are disjoint, in increasing order, and their union is the span. A part may be a single
    point.
    """
    whole = as_stretch(on)
    inside = [one & SolutionSet((whole,)) for one in sets]
    ends: list[Boundary] = [whole.lower, whole.upper]
    ends += (end for one in inside for part in one for end in (part.lower, part.upper))
    ends.sort(key=cmp_to_key(order_of))
    cuts = [end for k, end in enumerate(ends) if not k or order_of(ends[k - 1], end)]
    pieces = [Stretch(cuts[0], cuts[0], lower_open=False, upper_open=False)]
    for lower, upper in pairwise(cuts):
        pieces.append(Stretch(lower, upper, lower_open=True, upper_open=True))
        pieces.append(Stretch(upper, upper, lower_open=False, upper_open=False))
    found: list[tuple[Stretch, frozenset[int]]] = []
    for piece in pieces:
        single = SolutionSet((piece,))
        if not len(single & SolutionSet((whole,))):
            continue  # an end that does not belong to the span
        numbers = frozenset(k for k, one in enumerate(inside) if len(one & single))
        if found and found[-1][1] == numbers:
            first = found.pop()[0]
            piece = Stretch(first.lower, piece.upper, first.lower_open, piece.upper_open)  # noqa: PLW2901
        found.append((piece, numbers))
    return found

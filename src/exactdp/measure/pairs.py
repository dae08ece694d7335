"""Conditions on two variables at a time: what follows from them, and the ends they give to one.

A system of them stays one when a variable is integrated out. Its range ends at the greatest of its
lower bounds and at the least of its upper ones, each a multiple of another variable plus a
constant; which of them these are is again a matter of conditions on two variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from exactdp.measure.polyhedron import Bound, Condition


def ends(bounds: list[Bound]) -> Iterator[tuple[Bound, list[Condition]]]:
    """Yield each bound of a variable with the conditions under which its range ends there.

    An upper bound is then at most the other upper ones and at least the lower ones.
    """
    different = list(dict.fromkeys(bounds))  # of equal ones both would be the end
    for end in different:
        others = [one for one in different if one is not end]
        yield end, [_at_least(one, end) if one.is_upper else _at_least(end, one) for one in others]


def _at_least(one: Bound, two: Bound) -> Condition:
    """Return the condition one ≥ two."""
    form = {one.other: one.factor}
    form[two.other] = form.get(two.other, Fraction(0)) - two.factor
    return Condition.of(form, one.constant - two.constant)


def joined(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...] | None:
    """Return conditions and one more, without those that others imply; None if they exclude it.

    Of x < y < z and x < z the last is implied: without it a chain can be undone from its ends.
    """
    if not conditions:
        return (new,)
    if new.difference is None:
        if new.negated() in conditions:
            return None
        return conditions if new in conditions else (*conditions, new)
    x, y = new.difference
    known = [one.difference for one in conditions if one.difference is not None]
    if not any(first == y or second in (x, y) for first, second in known):
        return (*conditions, new)  # no row of differences leads through it or beside it
    if _follows(y, x, -new.constant, conditions):
        return None
    if _follows(x, y, new.constant, conditions):
        return conditions
    found = [*conditions, new]
    for one in conditions:
        rest = [other for other in found if other is not one]
        if one.difference is not None and _follows(*one.difference, one.constant, rest):
            found = rest
    return tuple(found)


def _follows(
    x: int, y: int, constant: Fraction, conditions: Iterable[Condition], seen: tuple[int, ...] = ()
) -> bool:
    """Whether x − y + constant ≥ 0 follows from differences in a row, from x to y."""
    for one in conditions:
        if one.difference is None or one.difference[0] != x:
            continue
        middle = one.difference[1]
        left = constant - one.constant if one.constant else constant
        if middle == y:
            if _is_at_least_zero(left):
                return True
        elif middle not in seen and _follows(middle, y, left, conditions, (*seen, x)):
            return True
    return False


def _is_at_least_zero(number: object) -> bool:
    """Whether a number is known not to be negative; a parameter only if it is 0."""
    return not number or (isinstance(number, Fraction | int) and number >= 0)

"""Conditions on two variables at a time: what follows from them, and the ends they give to one.

A system of them stays one when a variable is integrated out. Its range ends at the greatest of its
lower bounds and at the least of its upper ones, each a multiple of another variable plus a
constant; which of them these are is again a matter of conditions on two variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron, at_least


def ends(
    variable: int, halfspaces: Iterable[Halfspace]
) -> Iterator[tuple[Form, bool, list[Halfspace]]]:
    """Yield each bound of a variable, whether it is an upper one, and where its range ends there.

    An upper bound is then at most the other upper ones and at least the lower ones.
    """
    bounds = ((one.end(variable), one.coefficient(variable) < 0) for one in halfspaces)
    different = dict.fromkeys(bounds)  # of equal ones both would be the end
    for end, is_upper in different:
        others = [(one, upper) for one, upper in different if one is not end]
        where = [at_least(one, end) if upper else at_least(end, one) for one, upper in others]
        yield end, is_upper, where


def joined(conditions: Polyhedron, new: Halfspace) -> Polyhedron | None:
    """Return conditions and one more, without those that others imply; None if they exclude it.

    Of x < y < z and x < z the last is implied: without it a chain can be undone from its ends.
    """
    if not conditions:
        return (new,)
    if new.difference is None:
        if new.opposite() in conditions:
            return None
        return conditions if new in conditions else (*conditions, new)
    x, y = new.difference
    known = [one.difference for one in conditions if one.difference is not None]
    if not any(first == y or second in (x, y) for first, second in known):
        return (*conditions, new)  # no row of differences leads through it or beside it
    if _follows(y, x, -new.form.constant, conditions):
        return None
    if _follows(x, y, new.form.constant, conditions):
        return conditions
    found = [*conditions, new]
    for one in conditions:
        rest = [other for other in found if other is not one]
        if one.difference is not None and _follows(*one.difference, one.form.constant, rest):
            found = rest
    return tuple(found)


def _follows(
    x: int, y: int, constant: Fraction, conditions: Iterable[Halfspace], seen: tuple[int, ...] = ()
) -> bool:
    """Whether x − y + constant ≥ 0 follows from differences in a row, from x to y."""
    for one in conditions:
        if one.difference is None or one.difference[0] != x:
            continue
        middle = one.difference[1]
        own = one.form.constant
        left = constant - own if own else constant
        if middle == y:
            if _is_at_least_zero(left):
                return True
        elif middle not in seen and _follows(middle, y, left, conditions, (*seen, x)):
            return True
    return False


def _is_at_least_zero(number: object) -> bool:
    """Whether a number is known not to be negative; a parameter only if it is 0."""
    return not number or (isinstance(number, Fraction | int) and number >= 0)

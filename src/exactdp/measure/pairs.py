"""Conditions on pairs of variables: their consequences, and the range of one variable.

Integrating out a variable gives a system of the same form. The range of the variable ends at the
largest of its lower bounds and the smallest of its upper ones, each a multiple of another variable
plus a constant; which bounds these are is again expressed by conditions on pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron, at_least


def ends(
    variable: int, halfspaces: Iterable[Halfspace]
) -> Iterator[tuple[Form, bool, list[Halfspace]]]:
    """Yield each bound of a variable, whether it is an upper one, and the conditions for an end.

    An upper bound is an end where it is at most the other upper ones and at least the lower ones.
    """
    bounds = ((one.end(variable), one.coefficient(variable) < 0) for one in halfspaces)
    different = dict.fromkeys(bounds)  # of equal ones both would be the end
    for end, is_upper in different:
        others = [(one, upper) for one, upper in different if one is not end]
        where = [at_least(one, end) if upper else at_least(end, one) for one, upper in others]
        yield end, is_upper, where


def joined(conditions: Polyhedron, new: Halfspace) -> Polyhedron | None:
    """Return conditions and one more, without implied ones; None if they contradict it.

    Of x < y < z and x < z the last is implied: without it a chain can be resolved from its ends.
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
    """Whether x − y + constant ≥ 0 follows from a chain of differences from x to y."""
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
    """Whether a number is known to be nonnegative; a parameter only if it is 0."""
    return not number or (isinstance(number, Fraction | int) and number >= 0)

"""Why no input closer to a counterexample disagrees: halfspaces that contain those that do.

The checker lists the inputs that disagree as systems of linear conditions. For each of them it
needs multiples of the conditions that add up to a halfspace as far away as is stated
(`exactdp.certify.rederive.halfspaces`). These are found by linear programs, and for the Euclidean
distance from the nearest point.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.certify.rederive.halfspaces import (
    DisagreeingInputs,
    SystemRow,
    disagreeing,
    is_far,
)
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.certify.rederive.statement import Statement
from exactdp.claims.certificates.document import assume_orders
from exactdp.polyhedra.combination import combination
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.polyhedra.projection import nearest_point
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import inf, spell

Multiples = dict[int, Fraction]


def halfspaces(
    setting: Json,
    u: Sequence[Any],
    output: Any,
    alpha: Fraction,
    distance: Any,
    orders: Sequence[ClosedForm],
) -> list[Any] | None:
    """Return multiples for each system of the checker; None if it derives no systems."""
    statement = Statement()
    statement.read_setting(setting)
    if orders:
        assume_orders(statement, orders)
    closed = setting["boundary"] == "check"
    radius, strict = (alpha, closed) if distance == inf else (Fraction(distance), True)
    metric, u = statement.derivation.spec["input_distance"], list(u)
    found: list[Any] = []
    try:
        for one in disagreeing(statement.derivation, u, output):
            alone = ([[place, "1"]] for place in range(len(one.rows)))  # one is most often enough
            checker, near = Statement(), (radius, strict)
            seen = (row for row in alone if is_far(checker, metric, u, one, near, row))
            found.append(next(seen, None))
            if found[-1] is None:
                several = multiples(metric["name"], u, one, radius, strict=strict)
                found[-1] = [[place, spell(q)] for place, q in several.items()]
    except UnsupportedError:
        return None
    return found


def multiples(
    metric: str, u: Sequence[Any], v: DisagreeingInputs, radius: Fraction, *, strict: bool
) -> Multiples:
    """Return multiples of rows that show that inputs are far away; none if nothing is seen."""
    nowhere = _nowhere(v.rows)
    if nowhere is not None:
        return nowhere
    if metric == "discrete":
        return {}
    if metric == "l2":
        return _towards_nearest(u, v)
    # x is a real entry, t ≥ |x − u| its distance; rows are about all x, all t, and 1.
    moving = [k for k, one in enumerate(v.entries) if one is None]
    gaps = [abs(Fraction(b - a)) for a, b in zip(u, v.entries, strict=True) if b is not None]
    if metric == "l1":
        radius -= sum(gaps, Fraction(0))
    width = 2 * len(moving)
    vectors = [[*(c[k] for k in moving), *[Fraction(0)] * len(moving), d] for c, d, _ in v.rows]
    ball = []
    for place, k in enumerate(moving):
        for sign in (1, -1):
            side = [Fraction(0)] * width + [sign * Fraction(u[k])]
            side[place], side[len(moving) + place] = Fraction(-sign), Fraction(1)
            ball.append(side)
        if metric != "l1":
            ball.append([Fraction(-(j == len(moving) + place)) for j in range(width)] + [radius])
    if metric == "l1":
        ball.append([Fraction(-(j >= len(moving))) for j in range(width)] + [radius])
    zero = [Fraction(0)] * width
    if strict:  # the sum may be 0, if the ball is used
        weighted = [[*row, Fraction(0)] for row in vectors] + [[*row, Fraction(1)] for row in ball]
        found = combination([*weighted, [*zero, Fraction(1), Fraction(0)]], [*zero, 0, 1])
    else:
        found = combination([*vectors, *ball], [*zero, -1])
    return {k: q for k, q in (found or {}).items() if k < len(v.rows)}


def _nowhere(rows: Sequence[SystemRow]) -> Multiples | None:
    """Return multiples of rows that contradict each other."""
    size = len(rows[0][0]) if rows else 0
    found = combination([[*c, d] for c, d, _ in rows], [0] * size + [-1])
    if found is None:
        found = combination([[*c, d, strict] for c, d, strict in rows], [0] * (size + 1) + [1])
    return found


def _towards_nearest(u: Sequence[Any], v: DisagreeingInputs) -> Multiples:
    """Return multiples of rows whose sum has the direction to the nearest point."""
    moving = [k for k, one in enumerate(v.entries) if one is None]
    sides = [Halfspace.of({k: c[k] for k in moving if c[k]}, d, strict=False) for c, d, _ in v.rows]
    here = {k: Fraction(u[k]) for k in moving}
    nearest = nearest_point(sides, here)
    if nearest is None:
        return {}
    met = [
        place
        for place, (c, d, _) in enumerate(v.rows)
        if sum((c[k] * nearest[k] for k in moving), d) == 0
    ]
    way = [nearest[k] - here[k] for k in moving]
    found = combination([[v.rows[place][0][k] for k in moving] for place in met], way)
    return {met[k]: q for k, q in (found or {}).items()}

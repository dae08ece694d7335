"""The distance to disagreement from the halfspaces around the inputs of each ideal output.

Let P(o) be the polyhedron of halfspaces H ≥ 0 that `enclosing` finds around the inputs with ideal
output o. Suppose that for any two outputs o and p there is a side H of P(o) and a side −H + c of
P(p) with c ≤ 0. Then no point with H > 0 on all sides of P(o) is in P(p), so the ideal output at
all these points is o. For an input u with ideal output o let r be the least H(u)/‖h‖ over the sides
of P(o), with the norm dual to the distance. At all inputs closer to u than r all sides are
positive, and beyond a side the ideal output is not o. So dd(u) = r.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims.disagreement.bounds import Least, certified
from exactdp.claims.disagreement.reaches import told_apart
from exactdp.claims.stated.distances import InputDistance, l1, linf
from exactdp.language.linear import Linear
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.semantics.selected import Selected
from exactdp.semantics.spots import Spot

Closures = Mapping[Hashable, Polyhedron]
"""The closure of the inputs with each ideal output."""


def are_closures(found: Closures) -> bool:
    """Whether any two of some polyhedra lie on different sides of a hyperplane."""
    beside: dict[object, list[tuple[Any, Hashable]]] = {}
    for output, sides in found.items():
        for side in sides:
            beside.setdefault(side.direction, []).append((side.form.constant, output))
    for output, sides in found.items():
        apart = {output}
        for side in sides:
            opposite = frozenset((name, -q) for name, q in side.direction)
            constant = side.form.constant
            apart.update(o for c, o in beside.get(opposite, ()) if constant + c <= 0)
        if len(apart) < len(found):
            return False
    return True


def of_selection(selection: Selected) -> Closures | None:
    """Return where each number of a selection is the best; None if outputs are not told apart.

    A number that ties with another one is selected if it is the first of both, or the last.
    """
    ties = selection.ties
    if ties is None or ties.has_output:
        return None
    means = [one.mean if selection.is_largest else -one.mean for one in selection.numbers]
    found: dict[Hashable, Polyhedron] = {}
    for k, output in enumerate(selection.outputs):
        sides = []
        for j, other in enumerate(means):
            gap = means[k] - other
            if isinstance(gap, Linear):
                strict = (j < k) is not ties.last_wins
                sides.append(Halfspace.of(gap.coefficients, gap.constant, strict=strict))
            elif j != k:
                return None
        found[told_apart(output)] = tuple(sides)
    return found if len(found) == len(means) else None


def dual_norm(distance: InputDistance) -> Callable[[Halfspace], Fraction] | None:
    """Return the norm ‖h‖ such that H changes by at most ‖h‖ times the distance, and may do so."""
    if distance not in (linf, l1):
        return None

    def norm(side: Halfspace) -> Fraction:
        sizes = [abs(Fraction(q)) for q in side.form.coefficients.values()]
        return sum(sizes, Fraction(0)) if distance == linf else max(sizes)

    return norm


def distance_to_side(
    sides: Polyhedron, norm: Callable[[Halfspace], Fraction], point: Mapping[Name, Any]
) -> Any:
    """Return the least distance to a side; of spots, with the comparisons that prove it."""
    found: dict[object, Any] = {}
    for side in sides:
        value = side.form.value(point) / norm(side)
        found.setdefault(value.form if isinstance(value, Spot) else value, value)
    return certified(Least(tuple(found.values())))


def beyond_side(
    sides: Polyhedron,
    distance: InputDistance,
    point: Mapping[str, Any],
    sampled: Mapping[str, Fraction | int],
) -> tuple[dict[str, Any], dict[str, Fraction] | None]:
    """Return a nearest point on a side, and unless it is outside itself, a direction outwards."""
    norm = dual_norm(distance)
    assert norm is not None
    side = min(sides, key=lambda one: one.form.value(sampled) / norm(one))
    slopes: dict[Any, Fraction] = {n: Fraction(q) for n, q in side.form.coefficients.items()}
    step = side.form.value(point) / norm(side)
    moving: Sequence[str] = [*slopes]
    if distance == l1:
        moving = [max(slopes, key=lambda name: abs(slopes[name]))]
    towards = {name: Fraction(-1 if slopes[name] > 0 else 1) for name in moving}
    there = {**point, **{name: point[name] + step * q for name, q in towards.items()}}
    return there, None if side.strict else towards

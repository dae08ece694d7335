"""Complete a proof on a cone so that its checker need not search.

The checker's own steps are tried until one works, to find how the cone is cut into parts that each
lie in one cell, how the orthant is cut into boxes, and the precision that proves a box.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import fmpq_mat

from exactdp.certify.kernel.boxes import Box, Local, Tensor
from exactdp.certify.kernel.orthants import ConeSign
from exactdp.certify.kernel.reading import CertificateReader, RejectedError
from exactdp.polyhedra.combination import combination
from exactdp.polyhedra.cone import Cone, Integers, dot, primitive
from exactdp.reals.numbers import exact, fraction, spell

_CUTS = 8
"""How often a box of the solver is halved until the checker's rule proves its sign."""


class Unlimited(CertificateReader):
    """A reader without a limit on its work."""

    def spend(self, steps: int, bits: int) -> None:
        """Count nothing."""


class Completion(ConeSign):
    """Turns lists of boxes into trees of cuts, with the precision at each leaf."""

    def __init__(self, statement: dict[str, Any]) -> None:
        super().__init__(Unlimited())
        self._trees: dict[int, Any] = {}
        self._statement = statement

    def cells(self, given: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the arguments on cells with all that the checker needs."""
        listed = list(given)
        if any(one["proof"][0] in ("boxes", "zones") for one in listed):
            self.read_statement(*self._statement.values())
        for one in listed:
            if one["proof"][0] in ("boxes", "zones"):
                with contextlib.suppress(RejectedError):  # the checker will report why
                    self.cell(one)
                one["proof"] = self._placed(one["proof"])
        return listed

    def boxes(
        self,
        g: Local,
        tree: Any,
        region: Box,
        misses: Callable[[Box], bool],
        axis: int = 0,
    ) -> None:
        """Find the tree of a list of boxes."""
        sums = Tensor(self.reader, g, axis, region)

        def leaf(box: Box, cuts: int = _CUTS) -> Any:
            if misses(box):
                return None
            if (hint := _hint(sums, box, last=cuts == 0)) is not None:
                return hint
            if cuts == 0:
                raise RejectedError("the checker has no proof in a box")
            return _halved(sums, box, lambda half: leaf(half, cuts - 1))

        self._trees[id(tree)] = _box_tree(region, [list(box) for box in tree], leaf)

    def _placed(self, value: Any) -> Any:
        if id(value) in self._trees:
            return self._trees[id(value)]
        if isinstance(value, dict):
            return {name: self._placed(one) for name, one in value.items()}
        return [self._placed(one) for one in value] if isinstance(value, list) else value


def _hint(sums: Tensor, box: Box, *, last: bool) -> list[Any] | None:
    """Return a precision and the axes with the upper end that prove a sign; if `last`, try all."""
    finite = [j for j, (low, high) in enumerate(box) if high is not None and low != high]
    ends = [uppers for n in range(len(finite) + 1) for uppers in combinations(finite, n)]
    for bits in (256, 1024) if last else (256,):
        for uppers in ends:
            if (last or len(uppers) in (0, 1, len(finite))) and sums.is_nonnegative(
                box, bits, uppers
            ):
                return [bits, list(uppers)]
    return None


def _halved(sums: Tensor, box: Box, leaf: Callable[[Box], Any]) -> Any:
    """Return the tree of the halves of a box along the axis on which exponentials vary most."""
    lengths = {j: high - low for j, (low, high) in enumerate(box) if high is not None}
    widths = {j: (sums.rates[j][0] - sums.rates[j][-1]) * h for j, h in lengths.items()}
    j = max(widths, key=lambda j: widths[j])
    cut = box[j][0] + lengths[j] / 2
    return {
        "axis": j,
        "at": spell(cut),
        "below": leaf([*box[:j], (box[j][0], cut), *box[j + 1 :]]),
        "above": leaf([*box[:j], (cut, box[j][1]), *box[j + 1 :]]),
    }


def _box_tree(region: Box, boxes: list[Box], leaf: Callable[[Box], list[Any] | None]) -> Any:
    """Return the tree of cuts of a region between boxes."""
    if any(box == region for box in boxes):
        return leaf(region)
    cuts = {(j, end) for box in boxes for j, ends in enumerate(box) for end in ends if end}
    for j, cut in sorted(cuts):
        low, high = region[j]
        if not (low < cut and (high is None or cut < high)):
            continue
        below = [box for box in boxes if (top := box[j][1]) is not None and top <= cut]
        above = [box for box in boxes if box[j][0] >= cut]
        if len(below) + len(above) == len(boxes):
            one = [*region[:j], (low, cut), *region[j + 1 :]]
            two = [*region[:j], (cut, high), *region[j + 1 :]]
            return {
                "axis": j,
                "at": spell(cut),
                "below": _box_tree(one, below, leaf),
                "above": _box_tree(two, above, leaf),
            }
    raise AssertionError("boxes do not cover a cell")


# Covering a cone ------------------------------------------------------------------------

Inverse = list[tuple[Fraction, ...]]
"""The coordinates of a point in the rays of a cell, as linear forms."""


def cover(cone: Cone, cells: Sequence[Sequence[Sequence[Fraction | int]]]) -> Any:
    """Return a tree of linear forms that cuts a cone into parts, each in one simplicial cell.

    A leaf has the coordinates in the cell as sums of multiples of the conditions of its part.
    """
    inverses = {k: _inverse(cell) for k, cell in enumerate(cells)}
    return _part(cone, cells, inverses) if cone.size else None


def _inverse(rays: Sequence[Sequence[Fraction | int]]) -> Inverse:
    found = fmpq_mat([[exact(q) for q in row] for row in zip(*rays, strict=True)]).inv()
    return [tuple(fraction(q) for q in row) for row in found.tolist()]


def _part(
    part: Cone,
    cells: Sequence[Sequence[Sequence[Fraction | int]]],
    inverses: dict[int, Inverse],
) -> Any:
    """Return the tree of a part of the cone; `inverses` are of the cells that may meet it."""
    points = [*part.rays, *part.lines, *(tuple(-q for q in line) for line in part.lines)]
    for k, forms in inverses.items():
        if all(dot(form, point) >= 0 for form in forms for point in points):
            return {"cell": k, "multiples": [_multiples(part, form) for form in forms]}
    best: tuple[int, Integers] | None = None
    sides = Counter(_up_to_sign(form) for forms in inverses.values() for form in forms)
    for form, _ in sides.most_common():
        values = [dot(form, point) for point in points]
        if min(values) < 0 < max(values):
            ends = [[dot(form, ray) for ray in cells[k]] for k in inverses]
            torn = sum(min(side) < 0 < max(side) for side in ends)
            if best is None or torn < best[0]:
                best = torn, form
            if not torn:
                break
    assert best is not None, "cells do not cover the cone"
    branches = []
    for sign in (1, -1):
        turned = tuple(sign * q for q in best[1])
        half = Cone(part.size, (*part.inequalities, turned))
        left = {k: f for k, f in inverses.items() if any(dot(turned, ray) > 0 for ray in cells[k])}
        branches.append(_part(half, cells, left))
    return {"form": [str(q) for q in best[1]], "above": branches[0], "below": branches[1]}


def _up_to_sign(form: Sequence[Fraction]) -> Integers:
    found = primitive(form)
    return max(found, tuple(-q for q in found))


def _multiples(part: Cone, form: Sequence[Fraction]) -> list[Any]:
    """Return multiples ≥ 0 of the conditions of a part that add up to a form, by place."""
    found = combination(part.inequalities, form)
    assert found is not None, "cells do not cover the cone"
    return [[place, spell(q)] for place, q in found.items()]

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

from exactdp.certify.kernel.boxes import Box, Local, Tensor
from exactdp.certify.kernel.cones import PolyhedralCone, Whole, coordinates, dot, whole
from exactdp.certify.kernel.orthants import ConeSign
from exactdp.certify.kernel.reading import CertificateReader, RejectedError
from exactdp.reals.numbers import spell

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


def cover(
    size: int, sides: Iterable[Sequence[int]], cells: Sequence[Sequence[Sequence[Fraction | int]]]
) -> Any:
    """Return a tree of linear forms that cuts a cone into parts, each in one simplicial cell."""
    region = PolyhedralCone(size, Unlimited())
    for side in sides:
        region = region.cut(side)
    facets = {k: _facets(cell, size) for k, cell in enumerate(cells)}
    return _part(region, region.dimension, cells, facets) if size else None


def _facets(rays: Sequence[Sequence[Fraction | int]], size: int) -> list[Whole]:
    """Return the forms that are 0 on the facets of a simplicial cone, up to signs."""
    units = [[int(i == k) for i in range(size)] for k in range(size)]
    basis = list(rays)
    for unit in units:
        if coordinates(basis, unit) is None:
            basis.append(unit)
    columns = [coordinates(basis, unit) or () for unit in units]
    forms = [whole(form) for form in zip(*columns, strict=True)]
    return [max(form, tuple(-q for q in form)) for form in forms[: len(rays)]]


def _part(
    region: PolyhedralCone,
    dimension: int,
    cells: Sequence[Sequence[Sequence[Fraction | int]]],
    facets: dict[int, list[Whole]],
) -> Any:
    """Return the tree of a part of the cone; `facets` are those of the cells that may meet it."""
    if region.dimension < dimension:
        return None
    for k in facets:
        if region.is_spanned_by(cells[k]):
            return k
    points = region.generators
    best: tuple[int, Whole] | None = None
    for form, _ in Counter(form for forms in facets.values() for form in forms).most_common():
        values = [dot(form, point) for point in points]
        if min(values) < 0 < max(values):
            sides = [[dot(form, ray) for ray in cells[k]] for k in facets]
            torn = sum(min(side) < 0 < max(side) for side in sides)
            if best is None or torn < best[0]:
                best = torn, form
            if not torn:
                break
    assert best is not None, "cells do not cover the cone"
    form = best[1]
    branches = []
    for sign in (1, -1):
        turned = tuple(sign * q for q in form)
        left = {k: f for k, f in facets.items() if any(dot(turned, ray) > 0 for ray in cells[k])}
        branches.append(_part(region.cut(turned), dimension, cells, left))
    return {"form": [str(q) for q in form], "above": branches[0], "below": branches[1]}

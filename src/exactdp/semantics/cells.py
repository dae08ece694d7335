"""Divide a cone of parameters into cells on which a run takes the same path.

The program is run at a sample point that is not covered yet; its comparisons there determine where
its result is valid. Another cell begins where the first comparison has the opposite answer, so the
cells are the leaves of a tree of comparisons, and each is found once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from exactdp.errors import ValueRefusedError
from exactdp.polyhedra.cone import Cone, dot, primitive
from exactdp.semantics.spots import OnFaceError, Trace

T = TypeVar("T")

MOST_CELLS = 20_000
_FEW = 6  # number of parameters up to which there are never too many cells
_SAMPLES = 2


@dataclass(frozen=True)
class Cell(Generic[T]):
    """A cone, and the result of a run that is valid on all of it."""

    cone: Cone
    result: T
    path: tuple[tuple[int, ...], ...]
    """The comparisons that lead to the cell, as forms that are nonnegative on it, in order."""


def explore(names: Sequence[str], region: Cone, run: Callable[[Trace], T]) -> Iterator[Cell[T]]:
    """Yield cells that cover a region of parameters, the first of which is ε > 0."""
    waiting: tuple[Cone, ...] = (region,)
    while waiting:
        cell, waiting = next_cell(names, region, waiting, run)
        if cell is not None:
            yield cell


def next_cell(
    names: Sequence[str], region: Cone, waiting: tuple[Cone, ...], run: Callable[[Trace], T]
) -> tuple[Cell[T] | None, tuple[Cone, ...]]:
    """Return a cell in the last of the waiting cones, and the cones that remain."""
    *rest, cone = waiting
    if not cone.is_full:
        return None, tuple(rest)
    trace = Trace(names, inside(cone), region)
    try:
        result = run(trace)
    except OnFaceError as error:
        return None, (*rest, *cone.split(error.form))
    current = cone
    for side in map(primitive, trace.positive):
        beyond = tuple(-entry for entry in side)
        if _reaches(current, beyond):
            rest.append(Cone.of(cone.size, (*current.inequalities, beyond)))
            current = Cone.of(cone.size, (*current.inequalities, side))
    path = current.inequalities[len(region.inequalities) :]
    return Cell(current.irredundant(), result, path), tuple(rest)


def require_few_cells(
    names: Sequence[str], region: Cone, run: Callable[[Trace], T], times: int = 1
) -> None:
    """Refuse a question with too many cells before the work starts."""
    if len(names) <= _FEW:
        return
    enough = 10 * MOST_CELLS
    about = estimated_cells(names, region, run, enough) * times
    if about > enough:
        raise too_many_cells(f"more than {enough:,}")
    if about > MOST_CELLS:
        raise too_many_cells(f"about {about:,}")


def too_many_cells(count: str) -> ValueRefusedError:
    """Return the error for too many cells."""
    return ValueRefusedError(
        f"there are {count} cells of inputs",
        rule=f"Cells are examined one by one, at most {MOST_CELLS:,} are.",
        way_out="Use a Grid or a list of inputs, or a smaller mechanism.",
    )


def estimated_cells(
    names: Sequence[str], region: Cone, run: Callable[[Trace], T], enough: int
) -> int:
    """Return an estimate of the number of cells of a region, not much more than `enough`.

    A few cones represent all those with as many comparisons and sides (heterogeneous sampling:
    Chen 1992), from the top of the tree of comparisons down.
    """
    source = random.Random(0)
    waiting: dict[tuple[int, int], list[tuple[Cone, Fraction]]] = {(0, 0): [(region, Fraction(1))]}
    total = Fraction(0)
    while waiting and total <= enough:
        depth, _ = stratum = min(waiting)
        cones, weights = zip(*waiting.pop(stratum), strict=True)
        if len(cones) > _SAMPLES:
            cones = tuple(source.choices(cones, weights, k=_SAMPLES))
            weights = (sum(weights) / _SAMPLES,) * _SAMPLES
        for cone, weight in zip(cones, weights, strict=True):
            cell, beyond = next_cell(names, cone, (cone,), run)
            total += weight * (cell is not None)
            for k, other in enumerate(beyond, start=1):
                sides = len(other.irredundant().inequalities)
                waiting.setdefault((depth + k, sides), []).append((other, weight))
    return int(total)


def _reaches(cone: Cone, form: Sequence[int]) -> bool:
    """Whether a form is positive somewhere in a cone."""
    return any(dot(form, ray) > 0 for ray in cone.rays) or any(
        dot(form, line) for line in cone.lines
    )


def inside(cone: Cone) -> tuple[int, ...]:
    """Return an inner point that is unlikely to lie on a hyperplane with small coefficients."""
    point = [0] * cone.size
    weight = 1
    for ray in (*cone.rays, *cone.lines):
        weight = weight * 3 + 2
        point = [a + weight * b for a, b in zip(point, ray, strict=True)]
    return tuple(point)

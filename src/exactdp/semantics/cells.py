"""A cone of parameters cut into cells on which a run goes the same way.

The run is done at a sample point of what is not covered yet; what it compared there says how far
its result is valid. The first comparison that comes out otherwise is where another cell begins, so
the cells are the leaves of a tree of comparisons, and each is found once.
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
_FEW = 6  # parameters with which there are never too many cells
_SAMPLES = 2


@dataclass(frozen=True)
class Cell(Generic[T]):
    """A cone, and what a run gives on all of it."""

    cone: Cone
    result: T
    path: tuple[tuple[int, ...], ...]
    """The comparisons that lead to the cell, as forms that are not negative on it, in order."""


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
    """Return a cell in the last of the cones that wait, and the cones that wait then."""
    *rest, cone = waiting
    if not cone.is_full:
        return None, tuple(rest)
    trace = Trace(names, _inside(cone), region)
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
    """Refuse, before the work starts, what has too many cells."""
    if len(names) <= _FEW:
        return
    enough = 10 * MOST_CELLS
    about = estimated_cells(names, region, run, enough) * times
    if about > enough:
        raise too_many_cells(f"more than {enough:,}")
    if about > MOST_CELLS:
        raise too_many_cells(f"about {about:,}")


def too_many_cells(count: str) -> ValueRefusedError:
    """Return the refusal of so many cells."""
    return ValueRefusedError(
        f"there are {count} cells of inputs",
        rule=f"Each cell is treated on its own, and at most {MOST_CELLS:,} are.",
        way_out="Use a Grid or a list of inputs, or a smaller mechanism.",
    )


def estimated_cells(
    names: Sequence[str], region: Cone, run: Callable[[Trace], T], enough: int
) -> int:
    """Return about how many cells a region has, not much more than `enough`.

    A few of the cones with as many comparisons and sides stand for all of these (heterogeneous
    sampling: Chen 1992), from the top of the tree of comparisons down.
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


def _inside(cone: Cone) -> tuple[int, ...]:
    """Return an inner point on no hyperplane with small coefficients, as far as one can tell."""
    point = [0] * cone.size
    weight = 1
    for ray in (*cone.rays, *cone.lines):
        weight = weight * 3 + 2
        point = [a + weight * b for a, b in zip(point, ray, strict=True)]
    return tuple(point)

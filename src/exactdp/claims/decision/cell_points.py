"""Points of a cell at which a counterexample is looked for: simple ones, and near a witness.

A claim that fails there is checked again, at the input of the point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any, TypeVar

from exactdp.claims.decision.deciding import examine
from exactdp.claims.decision.problem import Problem, Sign
from exactdp.claims.decision.progress import nobody
from exactdp.claims.regions.region import RAY, Region
from exactdp.language.linear import base_of, unit_in, units_in
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import solution
from exactdp.polyhedra.form import Name, Number
from exactdp.reals import ClosedForm
from exactdp.reals.logs import constant_enclosure, enclosed
from exactdp.reals.numbers import simplest_inside
from exactdp.semantics.by_epsilon import at_unit
from exactdp.semantics.spots import OnFaceError, Trace

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim

T = TypeVar("T")

_MOST_POINTS = 64  # simple inputs that are tried as counterexamples
_LONG = 10**9  # a number of a ray near an irrational one
_ROOMS = Fraction(1, 10), Fraction(1, 10**4), Fraction(1, 10**12)


def first_failure(
    claim: Claim,
    problem: Problem,
    sign: Sign,
    at_point: Callable[[Sequence[Fraction]], Any],
    at_log: Callable[[Sequence[Fraction], Fraction], Any],
) -> Any:
    """Return the first counterexample at points of a cell: at those with an ε near a logarithm."""
    unit = unit_in(problem.region.names)
    if unit is not None and base_of(unit) is not None:
        points = points_near_logs(claim, problem, sign.witness, unit)
        found = (at_log(point, eps) for point, eps in points)
    else:
        found = (at_point(point) for point in points_of(claim, problem, sign.witness))
    return next(filter(None, found), None)


def on_ray(claim: Claim, numbers: Sequence[Value]) -> Any:
    """Return a counterexample at listed inputs, if there is one."""
    ray = Region(("eps",), RAY, tuple(numbers), claim.epsilon)
    return next(iter(examine(claim.work, ray, nobody).failures), None)


def bound_at_log(claim: Claim, region: Region, eps: Fraction) -> tuple[Any, ClosedForm] | None:
    """Return a bound of a claim at listed inputs that fails at an ε, with its β.

    Logarithms are among the parameters of the region.
    """
    due = at_exact_logs(region.names[1:], eps, lambda trace: claim.due(region, trace))
    for one in due or ():
        for beta in one.beta:
            if at_unit(one.probability - 1 + beta, eps).sign < 0:
                return one, beta
    return None


def points_of(claim: Claim, problem: Problem, witness: Any) -> Iterator[tuple[Fraction, ...]]:
    """Yield points of a cell: simple ones, and those that extend a witness."""
    shape, cone = problem.shape, problem.cell.cone
    point = shape.lifted(witness)
    if units_in(problem.region.names):
        yield from _at_constants(problem, point)
    elif any(abs(x) > _LONG for ray in cone.rays for x in ray):  # sums of these are not simple
        inside = (one.at({0: Fraction(1)}) for one in cone.halfspaces(strict=True))
        if (near := solution(inside)) is not None:
            yield (Fraction(1), *(near.get(k, Fraction(0)) for k in range(1, cone.size)))
    found = (shape.completed(cone, point), shape.completed(cone, point, odd=True))
    simple = _simple_points(cone.rays, cone.size)
    # At a simple point another bound may be the largest, and few points are checked then.
    is_known = bool(problem.obligation.largest_of)
    for values in chain(found, simple) if is_known else chain(simple, found):
        scales = _scales(claim, problem, values)
        for scale in (values[0], *scales) if is_known else scales:
            yield (scale, *values[1:])


def _at_constants(
    problem: Problem, witness: Mapping[int, Fraction]
) -> Iterator[tuple[Fraction, ...]]:
    """Yield simple points near a witness at which 1 and logarithms have their values."""
    names, cone = problem.region.names, problem.cell.cone
    units = units_in(names)
    sizes = {names.index(one): constant_enclosure(one)[0] for one in units}
    first = names.index(units[0])
    scale = sizes[first] / witness[first] if witness.get(first) else Fraction(1)
    inside = cone.halfspaces(strict=True)
    for room in (Fraction(1, 4), Fraction(1, 50), Fraction(1, 10**6)):
        near: dict[Name, Number] = dict(sizes)
        for k, value in witness.items():
            size = value * scale
            if k not in sizes:
                ends = sorted((size * (1 - room), size * (1 + room)))
                near[k] = simplest_inside(*ends) if size else Fraction(0)
        found = solution([one.at(near) for one in inside])
        if found is not None:
            yield tuple(Fraction(near.get(k, found.get(k, 0))) for k in range(cone.size))
    found = solution([one.at(dict(sizes)) for one in inside])
    if found is not None:
        yield tuple(Fraction(sizes.get(k, found.get(k, 0))) for k in range(cone.size))


def _simple_points(rays: Sequence[Sequence[int]], size: int) -> Iterator[tuple[Fraction, ...]]:
    """Yield a few points with small integers inside a cone."""
    weights = sorted(islice(product((1, 2, 3, 5), repeat=len(rays)), _MOST_POINTS), key=sum)
    for factors in weights:
        point = [Fraction(0)] * size
        for factor, ray in zip(factors, rays, strict=True):
            point = [a + factor * b for a, b in zip(point, ray, strict=True)]
        if point[0] > 0:
            yield tuple(point)


def _scales(claim: Claim, problem: Problem, point: Sequence[Fraction]) -> Iterator[Fraction]:
    """Yield values for ε; if nothing depends on ε alone, those that make the input simple."""
    others = [side for side in problem.cell.cone.inequalities if any(side[1:])]
    names = problem.region.names
    moves = unit_in(names) is not None or 0 in problem.shape.kept
    if not moves and not any(side[0] for side in others):
        yield Fraction(1)
        sizes = [abs(value) for value in point[1:] if value]
        yield from (min(sizes, default=Fraction(1)), max(sizes, default=Fraction(1)))
        on = claim.epsilon
        yield Fraction(on.lower) if on.is_point else simplest_inside(on.lower, on.upper)
    yield point[0]


# Where a parameter is a logarithm -----------------------------------------------------


def points_near_logs(
    claim: Claim, problem: Problem, witness: Any, unit: str
) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """Yield points of a cell with a logarithm as a parameter, each with simple ε near it."""
    names = problem.region.names
    low, high = constant_enclosure(unit)
    for point in points_of(claim, problem, witness):
        size = Fraction(point[0]) / point[names.index(unit)]  # ε as a multiple of log b
        for eps in simple_near(claim, size * (low + high) / 2):
            yield point, eps


def simple_near(claim: Claim, eps: Fraction) -> Iterator[Fraction]:
    """Yield simple ε of a claim near a number, closer and closer."""
    for room in _ROOMS:
        found = simplest_inside(eps * (1 - room), eps * (1 + room))
        if found in claim.epsilon:
            yield found


def at_exact_logs(
    units: Sequence[str], eps: Fraction, run: Callable[[Trace], T | None]
) -> T | None:
    """Return what a run finds at an ε and the logarithms; None if these are not distinguished.

    The run compares numbers at rationals close to the logarithms, which must not matter.
    """
    ends = [*map(constant_enclosure, units)]
    trace = Trace(("eps", *units), (eps, *(low for low, _ in ends)))
    try:
        found = run(trace)
    except OnFaceError:
        return None
    exact = [(eps, eps), *ends]
    return found if all(enclosed(form, exact)[0] > 0 for form in trace.positive) else None

"""β as the largest of exponentials: the parts of a cone on which each of them is the largest.

c·e^f ≥ d·e^g where f − g + log(c/d) ≥ 0, which is linear in the parameters and one that is 1. The
logarithm is replaced by a rational number just above it, so the parts overlap a little; a proof on
each of them is one for the whole cone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from exactdp.claims.decision.problem import Problem
from exactdp.claims.regions.places import OnCone
from exactdp.claims.regions.region import Vector, widened, with_unit
from exactdp.cones import Cone
from exactdp.language.linear import UNIT, units_in
from exactdp.reals import ClosedForm
from exactdp.reals.logs import log_enclosure
from exactdp.reals.numbers import simplest_inside

_CLOSE = Fraction(1, 10**9)


def by_largest(problem: Problem) -> tuple[Problem, ...]:
    """Return problems that prove another one together; none if bounds are not exponentials."""
    forms = problem.obligation.largest_of
    if not forms or not isinstance(problem.place, OnCone) or units_in(problem.region.names):
        return ()
    bounds = forms[problem.alternative]
    terms = [exponential(one) for one in bounds]
    if any(one is None for one in terms):
        return ()
    known = [one for one in terms if one is not None]
    region, cone = problem.region, problem.cell.cone
    sides: Sequence[Sequence[int | Fraction]] = cone.inequalities
    if len({c for c, _ in known}) > 1:
        region = with_unit(region)
        sides = [*map(widened, sides), *region.cone.inequalities]
    found = []
    for k, bound in enumerate(bounds):
        cuts = [above(known[k], other, region.names) for other in known if other != known[k]]
        part = Cone.of(len(region.names), [*sides, *cuts])
        if not part.is_full:
            continue  # the others are dense, and their parts are closed
        found.append(
            Problem(
                region,
                replace(problem.cell, cone=part),
                OnCone(region.names, part, region.window),
                replace(problem.obligation, beta=(bound,), largest_of=()),  # type: ignore[type-var]
                0,
            )
        )
    return tuple(found)


def exponential(form: ClosedForm) -> tuple[Fraction, dict[str, Fraction]] | None:
    """Return c > 0 and f if a closed form is c·e^f, else None."""
    terms = form.numerator.terms if form.denominator == 1 else []
    if len(terms) != 1 or terms[0][1] or terms[0][0] <= 0:
        return None
    return Fraction(terms[0][0]), dict(terms[0][2])


def above(
    one: tuple[Fraction, dict[str, Fraction]],
    other: tuple[Fraction, dict[str, Fraction]],
    names: Sequence[str],
) -> Vector:
    """Return a form that is nonnegative where one exponential is at least another one."""
    (c, rates), (d, rest) = one, other
    gap = {name: rates.get(name, Fraction(0)) - rest.get(name, Fraction(0)) for name in names}
    if c != d:
        high = log_enclosure(c / d)[1]
        gap[UNIT] = simplest_inside(high, high + _CLOSE)
    return tuple(gap[name] for name in names)

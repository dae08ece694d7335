"""The largest κ with error ≤ β/κ on cones of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.claims.constants.kappa import Kappa, every, largest_whole
from exactdp.claims.decision.problem import Problem
from exactdp.claims.regions.region import Setting
from exactdp.claims.stated.inputs import as_given, show
from exactdp.cones import ConeRatio, FactorEnclosure, largest_factor
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import simplest_inside, spell

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim

_MORE_LOOKS = 3  # refinements of the enclosure of a κ close to 0


@dataclass(frozen=True)
class LeastFactor:
    """The best constant on cones, and where it is attained or approached."""

    kappa: Kappa
    integer: int | None
    setting: Setting


def least_factor(claim: Claim, problems: Sequence[Problem], width: Fraction) -> LeastFactor | None:
    """Return the best constant of problems with an error on cones; None if there are none."""
    if not problems:
        return None

    def setting(problem: Problem, point: dict[int, Fraction]) -> Setting:
        """Return a point of a cell that extends given values of some of its parameters."""
        whole = problem.shape.completed(problem.cell.cone, point)
        return problem.region.at(claim.mechanism.inputs, whole)

    quotients = []
    for problem in problems:
        shape = problem.ratio
        assert shape is not None
        assert shape.second is not None
        quotients.append(ConeRatio(shape.second, shape.function, shape.cone, shape.window))
        if not shape.second:  # β is 0 and the error is not
            at = setting(problem, {0: problem.region.on.simple_point()})
            return LeastFactor(Kappa(Fraction(0), Fraction(0)), 0, at)
    found = _largest_factor(quotients, width)
    if found.upper is None or found.lower is None:
        raise ValueRefusedError("the best constant could not be enclosed")
    assert found.where is not None
    assert found.witness is not None
    problem = problems[found.where]
    assert problem.ratio is not None
    there = setting(problem, problem.ratio.lifted(found.witness))
    if found.upper <= 0:
        u = show(as_given(claim.mechanism, there.input))
        raise ValueRefusedError(
            f"the bound of the claim is negative at the input {u}, eps = {spell(there.eps)}",
            rule="A bound on what is not negative is defined and not negative for every eps.",
            way_out="Correct the bound, or restrict epsilon or the inputs.",
        )
    kappa = _sharpened(quotients, found.lower, found.upper)
    whole = largest_whole(kappa, lambda k: every(one.decision(k).holds for one in quotients))
    return LeastFactor(kappa, whole, there)


def _largest_factor(quotients: list[ConeRatio], width: Fraction) -> FactorEnclosure:
    """Return an enclosure of the largest factor, with a positive lower bound if one is proved."""
    found = closer = largest_factor(quotients, width)
    for _ in range(_MORE_LOOKS):
        if closer.lower is None or closer.upper is None or not closer.lower <= 0 < closer.upper:
            break
        closer = largest_factor(quotients, closer.upper / 4)
    return closer if closer.lower is not None and closer.lower > 0 else found


def _sharpened(quotients: list[ConeRatio], lower: Fraction, upper: Fraction) -> Kappa:
    """Return the enclosure with a simple number as its lower bound, if that is proved, too."""
    lower = max(lower, Fraction(0))
    simple = simplest_inside(lower, upper + (upper - lower) / 16) if lower < upper else lower
    if simple <= upper and all(one.decision(simple).holds for one in quotients):
        lower = simple
    return Kappa(lower, upper)

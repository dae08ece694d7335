"""The largest κ with error ≤ β/κ on cones of parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from exactdp.claims.constants.kappa import Kappa, largest_whole
from exactdp.claims.decision.problem import Problem
from exactdp.claims.regions.region import Setting
from exactdp.claims.regions.shapes import Shape
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


class Factors:
    """The problems on cones that determine the best constant; equal ones are kept once."""

    def __init__(self, claim: Claim, width: Fraction) -> None:
        self._claim, self._width = claim, width
        self._different: dict[Shape, tuple[Problem, ConeRatio, Shape]] = {}

    def add(self, problem: Problem) -> None:
        """Add a problem, unless its error is zero."""
        shape = problem.ratio
        if shape is None:
            return
        assert shape.second is not None
        quotient = ConeRatio(shape.second, shape.function, shape.cone, shape.window)
        self._different.setdefault(shape, (problem, quotient, shape))

    @property
    def problems(self) -> Iterator[Problem]:
        """The problems that were kept."""
        return (problem for problem, *_ in self._different.values())

    def least(self) -> LeastFactor | None:
        """Return the best constant; None if there is no problem with an error."""
        listed = list(self._different.values())
        if not listed:
            return None
        quotients = [quotient for _, quotient, _ in listed]
        for problem, quotient, _ in listed:
            if not quotient.numerator:  # β is 0 and the error is not
                point = {0: problem.region.on.simple_point()}
                return LeastFactor(Kappa(Fraction(0), Fraction(0)), 0, self._at(problem, point))
        found = _largest_factor(quotients, self._width)
        if found.upper is None or found.lower is None:
            raise ValueRefusedError("the best constant could not be enclosed")
        assert found.where is not None
        assert found.witness is not None
        problem, _, shape = listed[found.where]
        setting = self._at(problem, shape.lifted(found.witness))
        if found.upper <= 0:
            claim = self._claim
            there = show(as_given(claim.mechanism, setting.input))
            raise ValueRefusedError(
                f"the bound of the claim is negative at the input {there}, "
                f"eps = {spell(setting.eps)}",
                rule="A bound on what is not negative is defined and not negative for every eps.",
                way_out="Correct the bound, or restrict epsilon or the inputs.",
            )
        kappa = _sharpened(quotients, found.lower, found.upper)
        return LeastFactor(kappa, largest_whole(kappa, partial(_allow, quotients)), setting)

    def _at(self, problem: Problem, point: dict[int, Fraction]) -> Setting:
        """Return a point of a cell that extends given values of some of its parameters."""
        whole = problem.shape.completed(problem.cell.cone, point)
        return problem.region.at(self._claim.mechanism.inputs, whole)


def _largest_factor(quotients: list[ConeRatio], width: Fraction) -> FactorEnclosure:
    """Return an enclosure of the largest factor, with a positive lower bound if one is proved."""
    found = closer = largest_factor(quotients, width)
    for _ in range(_MORE_LOOKS):
        if closer.lower is None or closer.upper is None or not closer.lower <= 0 < closer.upper:
            break
        closer = largest_factor(quotients, closer.upper / 4)
    return closer if closer.lower is not None and closer.lower > 0 else found


def _allow(quotients: list[ConeRatio], kappa: Fraction) -> bool | None:
    """Whether error ≤ β/κ everywhere; None if undecided."""
    answer: bool | None = True
    for one in quotients:
        holds = one.decision(kappa).holds
        if holds is False:
            return False
        answer = answer and holds
    return answer


def _sharpened(quotients: list[ConeRatio], lower: Fraction, upper: Fraction) -> Kappa:
    """Return the enclosure with a simple number as its lower bound, if that is proved, too."""
    lower = max(lower, Fraction(0))
    simple = simplest_inside(lower, upper + (upper - lower) / 16) if lower < upper else lower
    if simple <= upper and all(one.decision(simple).holds for one in quotients):
        lower = simple
    return Kappa(lower, upper)

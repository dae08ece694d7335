"""Which ε make a claim true: the exact set, and the smallest from which on it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.claims.deciding import decide
from exactdp.claims.places import OnRay
from exactdp.claims.progress import Progress
from exactdp.claims.region import Region
from exactdp.claims.regions import regions_of
from exactdp.claims.survey import surveyed, unknown
from exactdp.claims.vacuity import Contents, refuse_empty
from exactdp.errors import ValueRefusedError
from exactdp.reals import Interval, Root, SolutionSet, Stretch, solution_set
from exactdp.reals.numbers import Number, inf, positive_width

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

_ROUGH = Fraction(1, 10**4)
_MOST_TRIALS = 80
_LARGEST = 10**6  # an ε that nobody uses


@dataclass(frozen=True)
class Budget:
    """The smallest ε from which on a claim holds: proven to lie in [lower, upper]."""

    lower: Fraction | float
    upper: Fraction | float
    """`inf` if the claim fails for arbitrarily large ε."""
    attained: bool
    """Whether the claim holds at this ε itself; otherwise at every larger one."""
    everywhere: SolutionSet
    """All ε for which the claim holds, among them perhaps smaller ones."""
    is_complete: bool = True
    """Whether `everywhere` is all of them; for all real inputs only the last stretch is known."""

    note = (
        "This is a property of the mechanism: it is computed from its program and the claim, "
        "looks at no data and costs no privacy."
    )

    @property
    def exists(self) -> bool:
        """Whether there is such an ε, as far as one looked."""
        return self.upper != inf

    def __float__(self) -> float:
        return float(self.upper)

    def __str__(self) -> str:
        if not self.exists and isinstance(self.lower, Fraction):
            return f"No ε up to {float(self.lower):.12g} is large enough. {self.note}"
        if not self.exists:
            where = f"for ε in {self.everywhere}" if self.everywhere.stretches else "for no ε"
            return f"No ε is large enough: the claim holds {where}. {self.note}"
        if self.lower == self.upper == 0:
            return f"The claim holds for every ε > 0. {self.note}"
        if self.upper - self.lower > _ROUGH * self.upper:
            return (
                f"The claim holds from ε = {float(self.upper):.6g} on, and not from "
                f"ε = {float(self.lower):.6g} on. {self.note}"
            )
        sign = "=" if self.lower == self.upper else "≈"
        verb = "from" if self.attained else "above"
        return f"The claim holds {verb} ε {sign} {float(self):.12g} on. {self.note}"


def epsilons(claim: Accuracy, width: Number, progress: Progress | None) -> SolutionSet:
    """Return the ε for which a claim holds at all its inputs."""
    target = positive_width(width)
    on = claim.epsilon
    found = SolutionSet((Stretch(on.lower, on.upper, on.lower_open, on.upper_open),))
    contents = Contents()
    seen = set()
    for part in surveyed(claim, "the set of ε", progress):
        contents += part.contents
        for problem in part.problems:
            if not isinstance(problem.place, OnRay):
                raise _only_smallest(problem.region)
            decision = claim.work.sign(problem)
            if not decision.holds and problem.gap not in seen:
                seen.add(problem.gap)
                found = found & solution_set(problem.gap, on, target)
    refuse_empty(claim, contents)
    return found.refined(target)


def _only_smallest(region: Region) -> ValueRefusedError:
    if not region.moves_inputs:
        return unknown("the set of ε", region.why)
    return ValueRefusedError(
        "the set of ε for all real inputs is not computed",
        rule="Its ends would be suprema over all inputs.",
        way_out="Ask for the smallest ε (smallest_epsilon), or give inputs=Grid(-1, 1) or a "
        "list (--inputs grid:-1:1).",
    )


def smallest_epsilon(claim: Accuracy, width: Number, progress: Progress | None = None) -> Budget:
    """Return the smallest ε from which on a claim holds."""
    if not all(region.is_ray for group in regions_of(claim) for region in group):
        return _on_cones(claim, positive_width(width), progress)
    everywhere = epsilons(claim, width, progress)
    last = everywhere.stretches[-1] if everywhere.stretches else None
    if last is None or last.upper != claim.epsilon.upper:
        return Budget(inf, inf, attained=False, everywhere=everywhere)
    end = last.lower
    if isinstance(end, Root):
        return Budget(end.lower, end.upper, attained=not last.lower_open, everywhere=everywhere)
    return Budget(end, end, attained=not last.lower_open, everywhere=everywhere)


def _on_cones(claim: Accuracy, width: Fraction, progress: Progress | None) -> Budget:
    """Return an enclosure of the smallest ε from which on a claim holds, found by trying.

    A proof from some ε on moves the upper end, a counterexample the lower one. Where neither is
    found, close to the end, the enclosure stays wider than asked for. What holds for all ε above
    one holds at that ε too, by continuity.
    """
    on = claim.epsilon
    whole = decide(claim, hint=False)
    refuse_empty(claim, whole.contents)
    if whole.holds:
        return _from(Fraction(on.lower), Fraction(on.lower), claim)
    lower: Fraction = Fraction(on.lower)
    upper: Fraction | None = None
    trial = max(lower, Fraction(1))
    for step in range(_MOST_TRIALS):
        if progress is not None:
            progress(step, _MOST_TRIALS)
        trial = min(trial, on.upper) if isinstance(on.upper, Fraction) else trial
        part = Interval(trial, on.upper, upper_open=on.upper_open and trial < on.upper)
        verdict = decide(replace(claim, epsilon=part), hint=False)
        if verdict.holds:
            upper = trial
        elif verdict.counterexample is not None:
            lower = max(lower, verdict.counterexample.eps)
        elif upper is not None:
            break
        if upper is not None and upper - lower <= width:
            break
        if upper is None and (lower >= _LARGEST or lower == on.upper):
            return Budget(lower, inf, attained=False, everywhere=SolutionSet(()), is_complete=False)
        trial = (lower + upper) / 2 if upper is not None else 4 * max(trial, lower)
    if upper is None:
        return Budget(lower, inf, attained=False, everywhere=SolutionSet(()), is_complete=False)
    return _from(lower, upper, claim)


def _from(lower: Fraction, upper: Fraction, claim: Accuracy) -> Budget:
    on = claim.epsilon
    is_open = upper == on.lower and on.lower_open
    found = SolutionSet((Stretch(upper, on.upper, is_open, on.upper_open),))
    return Budget(lower, upper, not is_open, found, is_complete=upper == on.lower)

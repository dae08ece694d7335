"""Which ε make a claim true: the exact set, and the smallest from which on it holds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.claims.deciding import Progress, Signs
from exactdp.claims.inputs import AllReals, Box, how_many, listed
from exactdp.claims.obligations import MissingHypothesisError
from exactdp.errors import ValueRefusedError
from exactdp.reals import Root, SolutionSet, Stretch, solution_set
from exactdp.reals.numbers import Number, inf, positive_width

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy


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

    note = (
        "This is a property of the mechanism: it is computed from its program and the claim, "
        "looks at no data and costs no privacy."
    )

    @property
    def exists(self) -> bool:
        """Whether there is such an ε."""
        return self.lower != inf

    def __float__(self) -> float:
        return float(self.upper)

    def __str__(self) -> str:
        if not self.exists:
            where = f"for ε in {self.everywhere}" if self.everywhere.stretches else "for no ε"
            return f"No ε is large enough: the claim holds {where}. {self.note}"
        if self.lower == self.upper == 0:
            return f"Every ε will do. {self.note}"
        sign = "=" if self.lower == self.upper else "≈"
        verb = "from" if self.attained else "above"
        return f"The claim holds {verb} ε {sign} {float(self):.12g} on. {self.note}"


def epsilons(claim: Accuracy, width: Number, progress: Progress | None) -> SolutionSet:
    """Return the ε for which a claim holds at all its inputs."""
    target = positive_width(width)
    if isinstance(claim.input_set, AllReals | Box):
        raise ValueRefusedError(
            "the set of ε for all real inputs is not computed",
            rule="Its ends would be suprema over all inputs.",
            way_out="Give inputs=Grid(-1, 1) or a list (--inputs grid:-1:1), or check the claim "
            "with epsilon='[1, inf)' (--eps '[1, inf)').",
        )
    on = claim.epsilon
    found = SolutionSet((Stretch(on.lower, on.upper, on.lower_open, on.upper_open),))
    signs = Signs(claim)
    seen = set()
    total = how_many(claim.mechanism, claim.input_set)
    for done, u in enumerate(listed(claim.mechanism, claim.input_set), 1):
        try:
            obligations = claim.obligations.at(u)
        except MissingHypothesisError as error:
            raise ValueRefusedError(f"the set of ε is not known: {error}") from None
        for one in obligations or ():
            for decision in signs.decisions(one):
                if not decision.holds and decision.function not in seen:
                    seen.add(decision.function)
                    found = found & solution_set(decision.function, on, target)
        if progress is not None:
            progress(done, total)
    return found.refined(target)


def smallest_epsilon(claim: Accuracy, width: Number, progress: Progress | None = None) -> Budget:
    """Return the smallest ε from which on a claim holds."""
    everywhere = epsilons(claim, width, progress)
    last = everywhere.stretches[-1] if everywhere.stretches else None
    if last is None or last.upper != claim.epsilon.upper:
        return Budget(inf, inf, attained=False, everywhere=everywhere)
    end = last.lower
    if isinstance(end, Root):
        return Budget(end.lower, end.upper, attained=not last.lower_open, everywhere=everywhere)
    return Budget(end, end, attained=not last.lower_open, everywhere=everywhere)

"""The best constant by trial: the claim with β/κ is decided for one κ after another.

For claims whose problems are not all single closed forms on a ray or a cone: with conditions, β by
cases, or numbers of the mechanism or outputs that depend on ε. A proof moves the lower bound, a
counterexample the upper bound: there, κ is at most β/error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.constants.kappa import Kappa, largest_whole
from exactdp.claims.constants.tightness import Tightness
from exactdp.claims.decision.counterexamples import Counterexample
from exactdp.claims.decision.deciding import decide
from exactdp.claims.stated.expressions import Expression, as_expression
from exactdp.claims.stated.functions import written
from exactdp.claims.stated.levels import constant
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import Number, inf, positive_width, simplest_inside, spell
from exactdp.running.conduct import Progress, conduct_of

if TYPE_CHECKING:
    from exactdp.claims.constants.bounded import BoundedClaim
    from exactdp.claims.decision.verdict import Verdict

_MOST_TRIALS = 200
_FEW = 3  # counterexamples in a row
_LARGEST = Fraction(2) ** 60  # beyond this, there seems to be no error
_ABOVE = 1 + Fraction(1, 2**40)


def tightest_by_trial(claim: BoundedClaim, width: Number, progress: Progress | None) -> Tightness:
    """Return the largest κ such that the claim with β/κ is true, enclosed."""
    target = positive_width(width)
    lower = _least(claim)
    upper: Fraction | float = inf
    found: Any = None  # a counterexample, of the kind of the claim
    trial = Fraction(1)
    quiet = conduct_of(progress).quiet
    verdict = _decided(claim, trial, quiet)
    claim.require_content(verdict.contents)
    fails, is_probe = 0, False  # since the last proof; whether κ is tried just above it
    for step in range(_MOST_TRIALS):
        if progress is not None:
            progress(step, _MOST_TRIALS)
        if verdict.holds:
            lower, fails = trial, 0
        elif verdict.counterexample is not None:
            fails += 1
            found = verdict.counterexample
            ratio = found.allowed.upper * trial / found.error.lower
            upper = min(trial, simplest_inside(ratio, ratio * _ABOVE))
        elif not is_probe:
            break  # too close to κ to be decided
        if upper - lower <= target * max(Fraction(1), lower) or lower >= _LARGEST:
            break
        is_probe = fails == _FEW and lower > 0  # often a simple κ is the best one
        fails += is_probe
        if is_probe:
            trial = lower + target * max(Fraction(1), lower) / 2
        else:
            trial = 2 * max(lower, trial) if upper == inf else _between(lower, upper)
        verdict = _decided(claim, trial, quiet)
    if lower == 0 and upper != 0:
        raise ValueRefusedError(
            f"the best constant could not be distinguished from 0: it is below {float(upper):.3g}",
            way_out="Check the claim with the constant that you want.",
        )
    if upper == inf and lower < _LARGEST:
        raise ValueRefusedError(
            f"the best constant is at least {spell(lower)}, and no upper bound on it was found: "
            f"{verdict.missing}",
            rule="An upper bound is a counterexample to β/κ.",
            way_out="Check the claim with the constant that you want.",
        )
    kappa = Kappa(lower, upper) if lower < _LARGEST else Kappa(inf, inf)
    whole = None if found is None else largest_whole(kappa, lambda one: _told(claim, one, quiet))
    contents = verdict.contents
    answer = Tightness(
        kappa, whole, None, None, None, None, None, contents.examined, contents.silent
    )
    if found is None:
        return answer
    answer = replace(answer, input=found.input, eps=found.eps)
    if isinstance(found, Counterexample):
        answer = replace(answer, alpha=found.alpha, gamma=found.gamma)
    return answer


def _least(claim: BoundedClaim) -> Fraction:
    """Return a κ for which the claim is true: for a number β it is β, since no error is above 1."""
    bound = claim.bound
    if not claim.is_about_errors:
        return Fraction(0)
    if callable(bound) and not isinstance(bound, Expression):
        return Fraction(0)
    return constant(as_expression(bound, "beta")) or Fraction(0)


def _between(lower: Fraction, upper: Fraction | float) -> Fraction:
    assert isinstance(upper, Fraction)
    if not lower:
        return upper / 4
    middle, room = (lower + upper) / 2, (upper - lower) / 50
    return simplest_inside(middle - room, middle + room)


def _decided(claim: BoundedClaim, kappa: Fraction, progress: Progress) -> Verdict:
    trial = claim.with_bound(divided(claim.bound, kappa))
    return decide(trial, progress=progress, hint=False)


def _told(claim: BoundedClaim, kappa: Fraction, progress: Progress) -> bool | None:
    verdict = _decided(claim, kappa, progress)
    return None if verdict.outcome == "undecided" else verdict.holds


@dataclass(frozen=True)
class _Divided:
    """A β that is a function of the input, divided by a constant."""

    beta: Callable[[Any], Any]
    kappa: Fraction

    def __call__(self, u: Any) -> Any:
        """Return β/κ at an input."""
        return as_expression(self.beta(u), "beta") / self.kappa

    def __str__(self) -> str:
        return f"({written(self.beta)})/{spell(self.kappa)}"


def divided(beta: Any, kappa: Fraction) -> Any:
    """Return a bound divided by a constant."""
    if callable(beta) and not isinstance(beta, Expression):
        return _Divided(beta, kappa)
    return as_expression(beta, "beta") / kappa

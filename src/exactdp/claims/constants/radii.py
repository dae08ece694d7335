"""The least γ such that a claim holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import islice, product
from typing import TYPE_CHECKING

from exactdp.claims.constants.curves import error_curve
from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.work import EndlessError
from exactdp.claims.regions.of_claim import regions_of
from exactdp.claims.stated.inputs import as_given, show
from exactdp.claims.stated.levels import ANY, constant
from exactdp.claims.stated.output_distances import ErrorOfEntries, sup
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.kinds import ValueKind
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval, nonnegative
from exactdp.reals.numbers import Number, approximate, inf, percentage, positive_width, spell
from exactdp.reals.told import Told
from exactdp.running.conduct import Progress, conduct_of
from exactdp.semantics.engine import Engine
from exactdp.semantics.patterns import is_number

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy
    from exactdp.claims.stated.distances import Distance

_LARGEST = 2**40  # an error larger than any in practice
_LARGE = 2**10  # after this, the largest is tried directly
_MOST_TRIALS = 400
_MOST_OUTPUTS = 200
_MOST_LISTED = 2_000  # inputs whose output distances are listed


@dataclass(frozen=True, repr=False)
class Radius(Told):
    """The least γ for which a claim holds: proven to lie in [lower, upper].

    >>> from exactdp import ErrorBound, Mechanism
    >>> count = Mechanism.from_source("def count(x: Dom(0, 9)): return dlap(eps, x)")
    >>> ErrorBound(count, risk="5%").smallest_within(eps=1).upper
    Fraction(3, 1)
    """

    lower: Fraction | float
    """The claim fails with any smaller γ; `inf` if it is proved to fail with every γ."""
    upper: Fraction | float
    """The claim holds with this γ; `inf` if none was found."""
    eps: Interval
    """For each of these ε."""
    risk: Fraction | None = None
    """The probability with which the error may exceed it, for error bounds."""
    why: str = ""
    """Why none was found, if that is known."""

    @property
    def exists(self) -> bool:
        """Whether such a γ was found."""
        return self.upper != inf

    @property
    def is_exact(self) -> bool:
        """Whether the least γ is known exactly."""
        return self.lower == self.upper

    def __float__(self) -> float:
        return float(self.upper)

    def __str__(self) -> str:
        on = self.eps
        point = f"At ε = {spell(Fraction(on.lower))}" if on.is_point else ""
        when = point or f"For every ε in {on}"
        if not isinstance(self.upper, Fraction):
            why = f": {self.why}" if self.why else ""
            least = "no γ" if self.lower == inf else f"no γ up to {float(self.lower):.6g}"
            if point:
                return f"{point} {least} is large enough{why}."
            return f"{least.capitalize()} is large enough for every ε in {on}{why}."
        if self.is_exact:
            size = f"= {spell(self.upper)}"
        elif self.upper - self.lower > self.upper / 10**4:
            size = f"between {float(self.lower):.6g} and {float(self.upper):.6g}"
        else:
            size = f"≈ {approximate(self.lower, self.upper)}"
        if self.risk is None:
            return f"{when} the least γ for which the claim holds is {size.removeprefix('= ')}."
        return (
            f"{when} the error exceeds γ with probability at most {percentage(self.risk)} for "
            f"γ {size}, and for no smaller γ."
        )


def smallest_gamma(
    claim: DecidedAccuracy, on: Interval, width: Number, progress: Progress | None = None
) -> Radius:
    """Return the least γ for which a claim holds at all ε of an interval.

    The larger γ, the weaker the claim, if β does not depend on it; and Pr(within γ) is continuous
    from the right in γ, so the least γ is attained. It is found by bisection, with each trial
    decided exactly. If the output distance has finitely many values, these are the candidates.
    """
    if _uses_gamma(claim):
        raise ValueRefusedError(
            f"the β of {claim} depends on gamma",
            rule="The least γ is computed for a fixed β; if β depends on γ, there may be none.",
            way_out="Give a beta that does not use gamma.",
        )
    target = positive_width(width)
    count = 0

    def holds(gamma: Fraction) -> bool | None:
        nonlocal count
        count += 1
        if progress is not None:
            progress(min(count, _MOST_TRIALS - 1), _MOST_TRIALS)
        trial = replace(claim, gamma=gamma, epsilon=on)
        asked = trial.at_worst_inputs or trial
        verdict = decide(asked, progress=conduct_of(progress).quiet, hint=False)
        if verdict.holds and verdict.silent == verdict.inputs:
            claim.require_content(verdict.contents)
        return verdict.holds

    if holds(Fraction(0)):
        return Radius(Fraction(0), Fraction(0), on)
    candidates = _distances(claim)
    if candidates is not None:
        found = _among(candidates, holds, on)
    else:
        found = _bisected(holds, lambda one: _is_least(claim, one, on), target, on)
    return found if found.exists else _explained(claim, found)


def _explained(claim: DecidedAccuracy, found: Radius) -> Radius:
    """Return a result without a γ, with the reason why there is none."""
    on = found.eps
    largest = replace(claim, gamma=_LARGEST, epsilon=on)
    against = decide(largest, hint=False).counterexample
    if against is None:
        return found
    where = f"at the input {show(against.input)}"
    limit = _limit_at_zero(claim, on, against.input)
    if limit is not None:
        why = f"as ε → 0, the probability of an error above any γ tends to {spell(limit)} {where}"
        return replace(found, lower=inf, why=why)
    if on.lower == 0:
        error = error_curve(largest, claim.mechanism.read_input(against.input)).exact
        if not isinstance(error, ClosedForm):
            return found
        near = Fraction(error.limit(0))
        why = f"as ε → 0, the probability of a larger error tends to {spell(near)} {where}"
    else:
        at = where if on.is_point else f"{where} and ε = {against.eps}"
        why = f"{at} the error is larger with probability {against.error.text(4)}"
    by_numbers = claim.output_metric == sup or isinstance(claim.output_metric, ErrorOfEntries)
    if by_numbers and _holds_finite(claim.mechanism.checked.output):
        why += "; an output that differs in more than numbers counts as infinitely far off"
    return replace(found, why=why)


def _limit_at_zero(claim: DecidedAccuracy, on: Interval, u: Value) -> Fraction | None:
    """Return the limit of the error probability at an input as ε → 0 if it is larger than β.

    None if it is not, or not known to be the same for every γ. On the cell of parameters (ε, εγ)
    that contains (ε, εγ) for all large γ, the probability is a sum Σ c·θ^k·exp(ℓ(θ)), which tends
    to its value at 0 for each of them.
    """
    beta = constant(claim.formula)
    if on.lower != 0 or beta is None:
        return None
    here = replace(claim, gamma=ANY, inputs=[u], epsilon=on)
    try:
        for region in (one for group in regions_of(here) for one in group):
            for step in here.work.steps(region):
                if region.names == ("eps", "gamma") and step.cell.cone.contains((0, 1)):
                    assert step.cell.result is not None
                    (one,) = step.cell.result
                    near = one.probability.substitute(gamma=0).limit(0)
                    is_sum = one.probability.denominator == 1
                    return Fraction(1 - near) if is_sum and near < 1 - beta else None
    except (ExactdpError, EndlessError):  # too many cells, or not decided with any γ
        pass
    return None


def _holds_finite(kind: ValueKind) -> bool:
    """Whether outputs contain anything but noisy numbers."""
    parts = (kind.items,) if isinstance(kind.items, ValueKind) else kind.items or ()
    return kind.finite or any(map(_holds_finite, parts))


def _among(
    candidates: Sequence[Fraction], holds: Callable[[Fraction], bool | None], on: Interval
) -> Radius:
    """Return the least of some candidates in increasing order; the first one fails."""
    known = cache(holds)
    low, high = 0, len(candidates)  # the candidate at `low` does not hold, that at `high` does
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if known(candidates[middle]) else (middle, high)
    while low and known(candidates[low]) is None:
        low -= 1
    if high == len(candidates):
        return Radius(candidates[low], inf, on)
    return Radius(candidates[low + 1], candidates[high], on)


def _bisected(
    holds: Callable[[Fraction], bool | None],
    is_least: Callable[[Fraction], bool],
    target: Fraction,
    on: Interval,
) -> Radius:
    """Return an enclosure of the least γ; 0 fails."""
    lower, upper = Fraction(0), Fraction(1)
    while not (found := holds(upper)):
        lower, upper = lower if found is None else upper, 2 * upper
        if upper == _LARGE and not (found := holds(Fraction(_LARGEST))):
            return Radius(lower if found is None else Fraction(_LARGEST), inf, on)
    while upper - lower > target:
        middle = (lower + upper) / 2
        if upper - lower > 1:
            middle = Fraction(int(middle))  # integer noise errs by whole numbers
        elif is_least(upper):
            return Radius(upper, upper, on)
        found = holds(middle)
        if found is None:
            break  # too close to be told apart
        lower, upper = (lower, middle) if found else (middle, upper)
    return Radius(lower, upper, on)


def _distances(claim: DecidedAccuracy) -> list[Fraction] | None:
    """Return the values of the output distance in increasing order; None if not listed."""
    checked = claim.mechanism.checked
    if checked.output.holds_noise or checked.releases_eps:  # then distances depend on ε
        return None
    if claim.scope.free:
        return _distances_of_outputs(claim)
    if claim.scope.count > _MOST_LISTED:
        return None
    found: set[Distance] = {Fraction(0)}
    for u in claim.scope.listed():
        steps = claim.obligations.within.steps(u, claim.ideal_function(u))
        found.update(distance for distance, _ in steps)
    return sorted(one for one in found if one != inf)


def _distances_of_outputs(claim: DecidedAccuracy) -> list[Fraction] | None:
    """Return the distances between outputs that are numbers; None if they depend on the input."""
    outputs = claim.mechanism.kept(Engine).outputs
    if outputs is None or claim.output_metric != sup or len(outputs) > _MOST_OUTPUTS:
        return None
    if claim.ideal is not None:  # may have other outputs
        return None
    found = {sup.between((), one, two) for one, two in product(outputs, repeat=2)}
    return sorted({Fraction(0), *(Fraction(one) for one in found if one != inf)})


def _is_least(claim: DecidedAccuracy, gamma: Fraction, on: Interval) -> bool:
    """Whether every smaller γ is proved to fail: 1 − Pr(distance < γ) > β at some input and ε.

    Integer noise makes the probability jump; real noise alone does not.
    """
    mechanism = claim.mechanism
    entry = getattr(claim, "entry", None)
    if not mechanism.kept(Engine).has_integers or (entry is None and claim.output_metric != sup):
        return False
    here = replace(claim, gamma=gamma, epsilon=on)
    engine = mechanism.kept(Engine)
    for u in islice(claim.scope.listed(), _MOST_LISTED):
        for one in here.obligations.at(u) or ():
            closer = engine.probability(as_given(mechanism, u), _inside(one.output, gamma, entry))
            if not all(nonnegative(closer - 1 + beta, on).holds for beta in one.beta):
                return True
    return False


def _inside(output: Value, radius: Fraction | float, entry: int | None = None) -> Value:
    """Return the pattern of the outputs at distance less than `radius` from an output.

    If an entry is given, the distance is that of this entry.
    """
    if isinstance(output, tuple):
        return tuple(
            _inside(item, radius if entry in (None, k) else inf) for k, item in enumerate(output)
        )
    if not is_number(output):
        return output
    return Interval(output - radius, output + radius, lower_open=True, upper_open=True)


def _uses_gamma(claim: DecidedAccuracy) -> bool:
    formulas = claim.betas if claim.is_beta_of_input else (claim.formula,)
    return any("gamma" in one.names() for one in formulas)

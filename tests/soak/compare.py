"""What exactdp says of a claim beside what the oracle finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactdp import Accuracy, ExactdpError, Mechanism, Verdict
from support.oracle import Formula, Judge, Masses, Program, formula, value

from .claims import GRID, Claim, Question, inf, level, window

Array = NDArray[np.float64]
_CLOSE = 1e-7  # relative; quadrature is right to 1e-13, values near 0 and ∞ are rounded
_TINY = 1e-280
_A_LITTLE = Fraction(1, 10**9)


@dataclass
class Log:
    """What was compared, and what was not the same."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def disagree(self, what: str, claim: Claim) -> None:
        """Note a disagreement."""
        self.counts["disagreements"] += 1
        self.wrong.append(f"{what}\n{claim}")


class Bench:
    """One program at fixed ε: integrals are shared by all claims about it."""

    def __init__(self, text: str, grid: tuple[Fraction, ...] = GRID) -> None:
        self.program, self.grid = Program(text), grid
        self.eps = np.array([float(e) for e in grid])
        self.masses = Masses(self.eps)
        self._judges: dict[Any, Judge] = {}
        self._errors: dict[Any, Array] = {}

    def at(self, grid: tuple[Fraction, ...]) -> Bench:
        """Return the same at other ε."""
        found = Bench(self.program.text, grid)
        found._judges = self._judges
        return found

    def judge(self, claim: Claim) -> Judge:
        """Return the judge of a claim."""
        key = self._key(claim)
        if key not in self._judges:
            ideal = None if claim.ideal is None else Program(claim.ideal)
            self._judges[key] = Judge(self.program, ideal, *key[1:])
        return self._judges[key]

    @staticmethod
    def _key(claim: Claim) -> Any:
        return claim.ideal, claim.input_distance, claim.output_distance, claim.agreement

    def error(self, claim: Claim, u: tuple[Any, ...], gamma: Any) -> Array:
        """Return the probability of an error above γ at each ε."""
        key = self._key(claim), u, gamma
        if key not in self._errors:
            self._errors[key] = self.judge(claim).error(u, gamma, self.masses)
        return self._errors[key]

    def spots(self, claim: Claim, u: tuple[Any, ...]) -> Iterator[Spot]:
        """Return α, γ and ε at which a claim is made at an input."""
        low, high = window(claim.epsilon)
        inside = (self.eps >= float(low)) & (self.eps <= float(high))
        judge = self.judge(claim)
        dd = judge.distance(u)
        closed = claim.boundary == "check"
        moves = "eps" in claim.alpha or "eps" in claim.gamma
        for k in np.nonzero(inside)[0][::4] if moves else [None]:
            here = {"eps": Fraction(1) if k is None else self.grid[k]}
            mask = inside if k is None else np.arange(len(self.eps)) == k
            for alpha in _alphas(level(claim.alpha), dd, closed, here):
                for gamma in _gammas(level(claim.gamma), alpha, here, self._steps(claim, u)):
                    yield Spot(u, alpha, gamma, mask)

    def _steps(self, claim: Claim, u: tuple[Any, ...]) -> set[Fraction]:
        """Return some γ at which the error may jump."""
        if claim.output_distance != "value_gap":
            return {Fraction(1)}
        return {abs(Fraction(a) - Fraction(b)) for a in u for b in u} - {Fraction(0)}

    def sides(self, claim: Claim, spot: Spot) -> tuple[Array, Array]:
        """Return the error and the bound at each ε of a spot."""
        error = self.error(claim, spot.input, spot.gamma)[spot.mask]
        return error, bound(claim, self.eps[spot.mask], spot.alpha, spot.gamma)


@dataclass(frozen=True)
class Spot:
    """An input, α and γ, and which ε of the grid."""

    input: tuple[Any, ...]
    alpha: Any
    gamma: Any
    mask: NDArray[np.bool_]


def bound(claim: Claim, eps: Array, alpha: Any, gamma: Any) -> Array:
    """Return β at each ε."""
    names = {"eps": eps, "alpha": float(alpha), "gamma": float(gamma)}
    found = np.asarray(_formula(claim.beta).at(names), float)
    return np.broadcast_to(found, eps.shape)


@lru_cache(4096)
def _formula(text: str) -> Formula:
    return formula(value(text))


def _alphas(given: Any, dd: Any, closed: bool, here: dict[str, Any]) -> list[Any]:
    """Return some α of a level at which a claim is made, the limit dd among them."""
    if not isinstance(given, tuple):
        alpha = formula(given).at(here)
        return [alpha] if alpha < dd or (closed and alpha == dd) else []
    low, high = given
    if not (low < dd or (closed and low == dd)):
        return []
    top = min(high, dd)
    if top == inf:
        return [low, low + 1, low + 10]
    return [low, (low + top) / 2, top]


def _gammas(given: Any, alpha: Any, here: dict[str, Any], steps: set[Fraction]) -> list[Any]:
    """Return some γ of a level, those just below a jump of the error among them."""
    if not isinstance(given, tuple):
        return [formula(given).at({**here, "alpha": alpha})]
    low, high = given
    some = {low, Fraction(low) + Fraction(5, 2) if high == inf else high}
    some |= {one - _A_LITTLE for one in steps if low < one - _A_LITTLE <= high}
    return sorted(some)


# Comparisons ------------------------------------------------------------------------------


def near_truth(bench: Bench, question: Question, share: float) -> tuple[Question, Bench | None]:
    """Return the claim with its bound scaled: the least β/error that the oracle sees is 1 + share.

    And the oracle at ε close to where it is least.
    """
    claim = question.claim
    least, spot, eps = least_ratio(bench, question)
    if spot is None or not 1e-6 < least < 1e6:
        return question, None
    close = None
    if "eps" not in claim.alpha + claim.gamma:
        low, high = window(claim.epsilon)
        steps = [Fraction(eps) * Fraction(k, 16) for k in (11, 13, 14, 15, 17, 18, 19, 21)]
        inside = tuple(e for e in steps if low <= e <= high)
        if inside:
            close = bench.at(inside)
            least = min(least, least_ratio(close, replace(question, points=(spot.input,)))[0])
    scale = Fraction((1 + share) / least).limit_denominator(10**7)
    text = f"({claim.beta}) * {scale!r}"
    return replace(question, claim=replace(claim, beta=text)), close


def least_ratio(bench: Bench, question: Question) -> tuple[float, Spot | None, float]:
    """Return the least of β/error over everything the oracle looks at, and where."""
    best: tuple[float, Spot | None, float] = inf, None, 0.0
    for u in question.points:
        for spot in bench.spots(question.claim, u):
            error, beta = bench.sides(question.claim, spot)
            with np.errstate(all="ignore"):
                ratio = np.where(error > _TINY, beta / error, inf)
            ratio = np.where(np.isnan(ratio), inf, ratio)
            if len(ratio) and (k := int(np.argmin(ratio))) >= 0 and ratio[k] < best[0]:
                best = float(ratio[k]), spot, float(bench.eps[spot.mask][k])
    return best


def compare(
    bench: Bench, question: Question, mechanism: Mechanism, log: Log, close: Bench | None = None
) -> None:
    """Ask exactdp, and compare all that it says; `close` is the oracle at other ε."""
    claim = question.claim
    try:
        asked = claim.accuracy(mechanism)
        verdict = asked.check()
    except ExactdpError as refusal:
        log.counts[f"refused: {str(refusal).splitlines()[0][:60]}"] += 1
        return
    log.counts["claims"] += 1
    outcome = getattr(verdict, "outcome", None) or (
        "undecided" if verdict.holds is None else "holds" if verdict.holds else "fails"
    )
    log.counts[outcome] += 1
    if verdict.holds:
        _not_contradicted(bench, question, log)
        if close is not None:
            _not_contradicted(close, question, log)
    elif verdict.holds is False:
        for found in verdict.counterexamples:
            _confirmed(bench, claim, found, log)
    _says_something(bench, question, verdict, log)
    if question.is_listed:
        _same_numbers(bench, question, asked, log)


def _not_contradicted(bench: Bench, question: Question, log: Log) -> None:
    claim = question.claim
    for u in question.points:
        for spot in bench.spots(claim, u):
            error, beta = bench.sides(claim, spot)
            beta = np.minimum(beta, 1.0)
            above = error - beta > _CLOSE * np.maximum(np.abs(beta), error) + _TINY
            if np.any(above):
                k = int(np.nonzero(above)[0][0])
                log.disagree(
                    f"holds, but at {u}, ε = {bench.eps[spot.mask][k]}, α = {spot.alpha}, "
                    f"γ = {spot.gamma} the error is {error[k]!r} and β is {beta[k]!r}",
                    claim,
                )
                return


def _confirmed(whole: Bench, claim: Claim, found: Any, log: Log) -> None:
    """Confirm a counterexample at its own point."""
    eps = Fraction(found.eps)
    low, high = window(claim.epsilon)
    if not (low <= eps <= high and eps > 0):
        log.disagree(f"the counterexample {found} is outside the interval of ε", claim)
        return
    if eps > 2000 or eps < Fraction(1, 10**9):
        log.counts["counterexamples beyond floats"] += 1
        return
    bench = whole.at((eps,))
    judge = bench.judge(claim)
    u = bench.program.entries(found.input)
    dd = judge.distance(u)
    here = {"eps": eps}
    if found.distance != dd:
        log.disagree(f"dd at {u} is {dd}, and the counterexample says {found.distance}", claim)
        return
    closed = claim.boundary == "check"
    alpha, gamma = found.alpha, found.gamma
    if not (alpha < dd or (closed and alpha == dd)) or not (
        _is_in(alpha, level(claim.alpha), here)
        and _is_in(gamma, level(claim.gamma), {**here, "alpha": alpha})
    ):
        log.disagree(f"nothing is claimed at the counterexample {found}, dd is {dd}", claim)
        return
    error = float(bench.error(claim, u, gamma)[0])
    beta = min(1.0, float(bound(claim, bench.eps, alpha, gamma)[0]))
    told = float((1 - found.probability).at(eps))
    if np.isnan(error) or max(error, told) < _TINY:
        log.counts["counterexamples beyond floats"] += 1
        return
    if abs(error - told) > _CLOSE * max(error, told):
        log.disagree(f"the error at {found} is {error!r}, not {told!r}", claim)
    elif beta - error > _CLOSE * max(abs(beta), error):
        log.disagree(f"at {found} the error is {error!r} and β is {beta!r}: no violation", claim)
    else:
        log.counts["counterexamples confirmed"] += 1


def _is_in(number: Any, given: Any, here: dict[str, Any]) -> bool:
    if isinstance(given, tuple):
        return bool(given[0] <= number <= given[1])
    return bool(formula(given).at(here) == number)


def _says_something(bench: Bench, question: Question, verdict: Verdict, log: Log) -> None:
    """Compare whether the claim is vacuous, where the oracle is sure."""
    claim = question.claim
    outcome = getattr(verdict, "outcome", None)
    spots = [spot for u in question.points for spot in bench.spots(claim, u)]
    if question.is_listed and "eps" not in claim.alpha + claim.gamma and not spots:
        log.counts["silent everywhere"] += 1
        if not verdict.vacuous or outcome not in (None, "vacuous"):
            log.disagree(f"nothing is claimed anywhere, and the outcome is {outcome}", claim)
    elif verdict.vacuous or outcome == "vacuous":
        log.counts["vacuous"] += 1
        for spot in spots:
            error, beta = bench.sides(claim, spot)
            if np.any((beta < 1 - 1e-9) & (error > _TINY)):
                log.disagree("vacuous, but there is an error and β is below 1", claim)
                return


def _same_numbers(bench: Bench, question: Question, asked: Accuracy, log: Log) -> None:
    """Compare dd and the error at the first input."""
    claim, u = question.claim, question.points[0]
    judge = bench.judge(claim)
    given = bench.program.given(u)
    shown: Any = given[0] if len(given) == 1 else tuple(given)
    try:
        distance = asked.disagreement(shown).distance
        log.counts["distances"] += 1
        if distance != judge.distance(u):
            log.disagree(f"dd at {u} is {judge.distance(u)}, not {distance}", claim)
        gamma = level(claim.gamma)
        if isinstance(gamma, tuple) or "eps" in claim.gamma or "alpha" in claim.gamma:
            return
        curve = asked.error_probability(shown).values(bench.eps)
    except ExactdpError as refusal:
        log.counts[f"refused: {str(refusal).splitlines()[0][:60]}"] += 1
        return
    log.counts["error curves"] += 1
    error = bench.error(claim, u, formula(gamma).at({"eps": Fraction(1)}))
    off = np.abs(error - curve) > _CLOSE * np.maximum(error, curve) + 1e-12
    if np.any(off & ~np.isnan(error)):
        k = int(np.nonzero(off)[0][0])
        log.disagree(
            f"the error at {u}, ε = {bench.eps[k]} is {error[k]!r}, not {curve[k]!r}", claim
        )


def compare_tightest(bench: Bench, question: Question, mechanism: Mechanism, log: Log) -> None:
    """Compare the best constant: no ratio is below it, and it is the ratio where it is attained."""
    claim = question.claim
    try:
        best = claim.accuracy(mechanism).tightest(width=Fraction(1, 10**6))
    except ExactdpError as refusal:
        log.counts[f"refused: {str(refusal).splitlines()[0][:60]}"] += 1
        return
    log.counts["best constants"] += 1
    least, spot, eps = least_ratio(bench, question)
    lower, upper = float(best.kappa.lower), float(best.kappa.upper)
    if least < lower - _CLOSE * max(1.0, lower):
        where = f"{spot.input}, ε = {eps}, α = {spot.alpha}, γ = {spot.gamma}" if spot else ""
        log.disagree(f"κ ≥ {lower!r}, but β/error is {least!r} at {where}", claim)
        return
    place = best.eps
    if None in (best.input, best.alpha, best.gamma, place) or place == inf:
        return
    at = Fraction(place) if isinstance(place, int | Fraction) else place.lower
    if not Fraction(1, 10**6) < at < 1000 or inf in (best.alpha, best.gamma):
        return
    there = bench.at((at,))
    u = there.program.entries(best.input)
    log.counts["best constants met"] += 1
    ratios = []
    for gamma in {best.gamma, max(Fraction(0), best.gamma - _A_LITTLE)}:  # γ may be a limit
        error = float(there.error(claim, u, gamma)[0])
        beta = float(bound(claim, there.eps, best.alpha, best.gamma)[0])
        ratios.append(beta / error if error > _TINY else inf)
    if not any(abs(ratio - upper) <= 1e-5 * max(1.0, upper) for ratio in ratios):
        log.disagree(f"κ = {upper!r} at {best}, but β/error is {ratios} there", claim)


def compare_distribution(
    bench: Bench, u: tuple[Any, ...], mechanism: Mechanism, claim: Claim, log: Log
) -> None:
    """Compare the probability of each output at an input."""
    given = bench.program.given(u)
    shown: Any = given[0] if len(given) == 1 else tuple(given)
    try:
        told = dict(mechanism.distribution(shown))
    except ExactdpError as refusal:
        log.counts[f"refused: {str(refusal).splitlines()[0][:60]}"] += 1
        return
    log.counts["distributions"] += 1
    found = bench.judge(claim).distribution(u, bench.masses)
    for output in {*told, *found}:
        mine = found.get(output, np.zeros_like(bench.eps))
        theirs = told[output].values(bench.eps) if output in told else np.zeros_like(bench.eps)
        off = np.abs(mine - theirs) > _CLOSE * np.maximum(mine, theirs) + 1e-12
        if np.any(off & ~np.isnan(mine)):
            k = int(np.nonzero(off)[0][0])
            log.disagree(
                f"Pr({output}) at {u}, ε = {bench.eps[k]} is {mine[k]!r}, not {theirs[k]!r}", claim
            )

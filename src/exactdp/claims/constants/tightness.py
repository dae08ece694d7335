"""The best constant: the largest κ such that the claim with β/κ is still true.

At an input, the claim with β/κ states error ≤ β/κ, so κ is the infimum of β/error over ε and over
all inputs. A β above 1 makes no difference, since the error is at most 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from exactdp.claims.constants.factors import least_factor
from exactdp.claims.constants.kappa import Kappa, every, largest_whole
from exactdp.claims.decision.claim import Claim
from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.progress import Hear
from exactdp.claims.decision.survey import Gathering, GatheringQuestion, gathered, unknown
from exactdp.claims.regions.obligations import Obligation
from exactdp.claims.regions.places import OnRay
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.claim import Bound
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.claims.stated.vacuity import Contents
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Extremum, Interval, Root, infimum, nonnegative
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.least_ratio import least_ratio
from exactdp.reals.numbers import Number, inf, positive_width, spell
from exactdp.reals.told import Told
from exactdp.reals.unexpanded import Unexpanded
from exactdp.running.conduct import Progress

Where: TypeAlias = Fraction | float | Root | None

_Key: TypeAlias = tuple[Interval, ClosedForm, ClosedForm]  # ε, the probability and β
_LOOKS = 2  # refinements of the enclosures of infima that may be equal


@dataclass(frozen=True, repr=False)
class Tightness(Told):
    """The largest κ, the input and ε that determine it, and the largest integer κ.

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy, alpha, eps, exp
    >>> Accuracy(larger, exp(-alpha * eps / 2), inputs=[[0, 2]]).tightest().kappa
    <Kappa: 2>
    """

    kappa: Kappa
    integer: int | None
    """The largest integer κ, as in the paper's tables; None if the claim holds for every κ.

    For all real inputs, also None if an integer close to κ is undecided.
    """
    input: Value | None
    alpha: Distance | None
    gamma: Distance | None
    eps: Where
    """Where β/error is least: attained there, or approached (0 and `inf` are never attained)."""
    attained: bool | None
    inputs: int
    """The number of examined inputs."""
    silent: int
    """The number of inputs at which the claim says nothing."""
    bound: str = "β"
    """The name of the bound."""

    def __str__(self) -> str:
        if self.input is None:
            where = "at the only input" if self.inputs == 1 else f"at all {self.inputs:,} inputs"
            return f"{self.bound}/κ is true for every κ > 0: {where} there is no error."
        whole = self.kappa.whole if self.integer is None else self.integer
        how = "attained" if self.attained else "approached"
        return (
            f"{self.bound}/κ is true for κ ≤ {self.kappa.limits} (largest whole κ: {whole}); "
            f"{how} at the input {show(self.input)}, ε {_where(self.eps)}."
        )


def _where(eps: Where) -> str:
    """Return a place as a relation: = 2, ≈ 0.54, → ∞."""
    if isinstance(eps, Root):
        return eps.text("= ")
    if isinstance(eps, Fraction):
        return f"= {spell(eps)}" if eps else "→ 0"
    return "→ ∞"


@dataclass(frozen=True, repr=False)
class KappaAt(Told):
    """The largest κ at one input."""

    input: Value
    kappa: Kappa
    eps: Where

    def __str__(self) -> str:
        return f"κ = {self.kappa} at the input {show(self.input)}, ε {_where(self.eps)}"


@dataclass(frozen=True)
class _Contender:
    """A problem on a ray, with the infimum of β/error."""

    problem: Problem
    least: Extremum

    @property
    def one(self) -> Bound:
        """What must be proved."""
        return self.problem.obligation

    def allows(self, kappa: Fraction) -> bool | None:
        """Whether error ≤ β/κ for every ε; None if undecided."""
        return _allows(self.problem, kappa)

    def is_seen_below(self, kappa: Fraction) -> bool:
        """Whether β < κ·error next to the zero of the derivative: a quick check."""
        at = self.least.at
        gap = self.problem.beta - (1 - self.one.probability) * kappa
        if isinstance(gap, Unexpanded):
            return at != 0  # an upper bound of 0 may be the best constant itself
        return isinstance(at, Root) and gap.at(at.lower).sign < 0


@dataclass(frozen=True)
class _Best:
    """The minimum of several infima: that of one of the contenders; all others are no smaller."""

    contenders: tuple[_Contender, ...] = ()

    @property
    def kappa(self) -> Kappa:
        """An enclosure of the minimum: the least lower bound and the least upper bound."""
        found = [one.least for one in self.contenders]
        return Kappa(
            min((one.lower for one in found), default=inf),
            min((one.upper for one in found), default=inf),
        )

    @property
    def first(self) -> _Contender:
        """A contender whose infimum is in the enclosure of the minimum."""
        return min(self.contenders, key=lambda one: one.least.upper)

    @property
    def attained(self) -> bool | None:
        """Whether the minimum is attained; None unless all contenders agree."""
        found = {one.least.attained for one in self.contenders}
        return found.pop() if len(found) == 1 else None

    def without_larger(self) -> _Best:
        """Return the minimum without contenders that are proved to be larger."""
        upper = self.kappa.upper
        return _Best(tuple(one for one in self.contenders if one.least.lower <= upper))


class _LeastRatio:
    """The infimum of β/error over many problems on rays; equal ones are solved once."""

    def __init__(self, width: Fraction) -> None:
        self._width = width
        self._known: dict[_Key, Extremum] = {}
        self._at_least: dict[_Key, Fraction | float] = {}

    def improved(self, best: _Best, problem: Problem, least: Extremum | None = None) -> _Best:
        """Return the minimum with one more problem; most are quickly seen to be no smaller.

        `least` is the infimum of the problem, if it is known from another slice.
        """
        key, limit = _key(problem), best.kappa.upper
        if any(_key(one.problem) == key for one in best.contenders) or not _errs(problem):
            return best
        if key not in self._known:
            if isinstance(limit, Fraction) and self._is_at_least(limit, problem, least):
                return best
            self._known[key] = least or self._infimum(problem, self._width)
        found = _Contender(problem, self._known[key])
        return _Best((*best.contenders, found)).without_larger()

    def _is_at_least(self, limit: Fraction, problem: Problem, least: Extremum | None) -> bool:
        """Whether the infimum of a problem is proved to be at least a number."""
        if least is not None and (least.lower >= limit or least.upper < limit):
            return bool(least.lower >= limit)
        key = _key(problem)
        if self._at_least.get(key, -inf) < limit and _allows(problem, limit):
            self._at_least[key] = limit
        return self._at_least.get(key, -inf) >= limit

    def _infimum(self, problem: Problem, width: Fraction) -> Extremum:
        """Return the infimum of β/error; if it is positive, so is its lower bound."""
        error = 1 - problem.obligation.probability
        if isinstance(error, Unexpanded):
            return _evaluated(problem, error, width)
        ratio = problem.beta / error
        found = infimum(ratio, problem.region.on, width)
        while found.lower < found.upper and found.lower <= 0:  # 0 itself is found exactly
            width /= 2**10
            found = infimum(ratio, problem.region.on, width)
        return found

    def settled(self, best: _Best) -> _Best:
        """Return the minimum with refined contenders, and exact if it is known exactly.

        An upper bound that differs from κ is larger, so that the claim fails with it.
        """
        width = self._width
        for _ in range(_LOOKS):
            if len(best.contenders) <= 1 or best.kappa.lower == best.kappa.upper:
                break
            width /= 2**60
            closer = (
                replace(one, least=self._infimum(one.problem, width)) for one in best.contenders
            )
            best = _Best(tuple(closer)).without_larger()
        lower, upper = best.kappa.lower, best.kappa.upper
        if (
            isinstance(upper, Fraction)
            and lower < upper
            and not best.first.is_seen_below(upper)
            and all(one.allows(upper) for one in best.contenders)
        ):
            equal = (one for one in best.contenders if one.least.upper == upper)
            best = _Best(
                tuple(replace(one, least=replace(one.least, lower=upper)) for one in equal)
            )
        return best


def _key(problem: Problem) -> _Key:
    return problem.region.on, problem.obligation.probability, problem.beta


def _errs(problem: Problem) -> bool:
    """Whether the error is not zero."""
    error, on = 1 - problem.obligation.probability, problem.region.on
    if isinstance(error, Unexpanded):
        return True
    return bool(error.numerator) and not (on.is_point and error.at(on.lower).sign == 0)


def _allows(problem: Problem, kappa: Fraction) -> bool | None:
    """Whether error ≤ β/κ for every ε; None if undecided."""
    error = 1 - problem.obligation.probability
    try:
        return nonnegative(problem.beta - error * kappa, problem.region.on).holds
    except OpenSignError:
        return None


def _evaluated(problem: Problem, error: Unexpanded, width: Fraction) -> Extremum:
    """Return the infimum of β/error, for an error that is not expanded."""
    try:
        return least_ratio(problem.beta, error, problem.region.on, width)
    except OpenSignError as why:
        raise ValueRefusedError(
            f"the best constant is not known: {why.message}", rule=why.rule, way_out=why.way_out
        ) from None


class _LeastRatioSought(Gathering):
    """The least of all rays, under the keys of its contenders, and the problems on cones.

    A problem that is not a contender in its slice is not one overall: the slice has another one
    that is proved to be no larger.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.search: _LeastRatio = self.kept.setdefault(
            _LeastRatio, _LeastRatio(self.question.width)
        )
        self._best = _Best()

    def take(self, problem: Problem) -> None:
        """Process another problem."""
        if isinstance(problem.place, OnRay):
            self._best = self.search.improved(self._best, problem)
        elif problem.ratio is not None:
            self.found.setdefault(problem.ratio, problem)

    def answer(self) -> tuple[Contents, dict[Any, Any]]:
        """Return the results."""
        key = tuple(_key(one.problem) for one in self._best.contenders)
        return self.contents, {**({key: self._best} if key else {}), **self.found}


class _RatioAtEach(_LeastRatioSought):
    """The best constants, input by input."""

    def add(self, group: tuple[Region, ...], hear: Hear) -> None:
        """Process another input."""
        problems = self.problems(group, hear)
        if not problems:
            return
        if not all(isinstance(one.place, OnRay) for one in problems):
            raise unknown(self.question.asked, problems[0].region.why)
        best = self.search.settled(reduce(self.search.improved, problems, _Best()))
        at = best.first.least.at if best.contenders else None
        given = problems[0].obligation.input
        u = as_written(as_given(self.claim.mechanism, given))
        self.found[given] = KappaAt(u, best.kappa, at)


@dataclass(frozen=True)
class LeastRatioAsked(GatheringQuestion):
    """The question for the best constant."""

    width: Fraction

    asked = "the best constant"
    prepare = "ratio"
    gathering = _LeastRatioSought


@dataclass(frozen=True)
class RatioAtEachAsked(LeastRatioAsked):
    """The question for the best constant at each input."""

    asked = "the best constant at each input"
    gathering = _RatioAtEach
    each = True


def tightest(claim: Claim, width: Number, progress: Progress | None) -> Tightness:
    """Return the largest κ over all inputs of a claim."""
    target = positive_width(width)
    contents, found = gathered(claim, LeastRatioAsked(target), progress)
    claim.require_content(contents)
    search = _LeastRatio(target)
    best, *others = [one for one in found.values() if isinstance(one, _Best)] or [_Best()]
    for one in (contender for other in others for contender in other.contenders):
        best = search.improved(best, one.problem, one.least)
    on_rays = _answer(claim, search.settled(best), contents)
    on_cones = least_factor(
        claim, [one for one in found.values() if isinstance(one, Problem)], target
    )
    if on_cones is None or on_rays.kappa.upper <= on_cones.kappa.lower:
        return on_rays
    found_there = replace(
        on_rays,
        kappa=on_cones.kappa,
        integer=on_cones.integer,
        input=as_written(as_given(claim.mechanism, on_cones.setting.input)),
        alpha=None,
        gamma=None,
        eps=on_cones.setting.eps,
        attained=None,
    )
    if on_cones.kappa.upper <= on_rays.kappa.lower:
        return found_there
    first = min((on_rays, found_there), key=lambda one: one.kappa.upper)
    lower = min(on_rays.kappa.lower, on_cones.kappa.lower)
    return replace(first, kappa=Kappa(lower, first.kappa.upper), integer=None, attained=None)


def tightest_at_each(claim: Claim, width: Number, progress: Progress | None) -> tuple[KappaAt, ...]:
    """Return the largest κ at each input where the claim says something."""
    claim.scope.require_listed(
        "κ is computed at each listed input, and the claim is about all real inputs",
        rule="Inputs that are listed have a κ each; all real inputs together have one.",
        way_out="Give inputs=Grid(-1, 1) or a list (--inputs grid:-1:1); or ask for the one κ, "
        "claim.tightest() (exactdp tighten).",
    )
    contents, rows = gathered(claim, RatioAtEachAsked(positive_width(width)), progress)
    claim.require_content(contents)
    return tuple(rows.values())


def _answer(claim: Claim, best: _Best, contents: Contents) -> Tightness:
    kappa, counts = best.kappa, (contents.examined, contents.silent)
    if not best.contenders:
        return Tightness(kappa, None, None, None, None, None, None, *counts)
    first = best.first
    one = first.one
    levels: tuple[Any, Any] = (
        (one.alpha, one.gamma) if isinstance(one, Obligation) else (None, None)
    )
    return Tightness(
        kappa,
        largest_whole(kappa, lambda k: every(one.allows(k) for one in best.contenders)),
        as_written(as_given(claim.mechanism, one.input)),
        levels[0],
        levels[1],
        first.least.at,
        best.attained,
        *counts,
    )

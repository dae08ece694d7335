"""The best constant: the largest κ such that the claim with β/κ is still true.

At an input, the claim with β/κ states error ≤ β/κ, so κ is the infimum of β/error over ε and over
all inputs. A β above 1 makes no difference, since the error is at most 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from typing import Any, TypeAlias

from exactdp.claims.constants.factors import Factors
from exactdp.claims.constants.kappa import Kappa, largest_whole
from exactdp.claims.decision.claim import Claim
from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.progress import Hear
from exactdp.claims.decision.slices import Fold, SlicedQuestion, whole
from exactdp.claims.decision.survey import surveyed, unknown
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
from exactdp.running.conduct import Progress, conduct_of

Where: TypeAlias = Fraction | float | Root | None

_Key: TypeAlias = tuple[Interval, ClosedForm, ClosedForm]  # ε, the probability and β
_ASKED = "the best constant"
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

    @property
    def key(self) -> _Key:
        """The data that the infimum depends on."""
        return _key(self.problem)

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

    def improved(self, best: _Best, problem: Problem) -> _Best:
        """Return the minimum with one more problem; most are quickly seen to be no smaller."""
        if self._is_no_smaller(best, problem):
            return best
        key = _key(problem)
        if key not in self._known:
            self._known[key] = self._infimum(problem, self._width)
        found = _Contender(problem, self._known[key])
        return _Best((*best.contenders, found)).without_larger()

    def joined(self, best: _Best, other: _Contender) -> _Best:
        """Return the minimum with a contender of another slice, as if it were found now."""
        key, limit = other.key, best.kappa.upper
        if any(two.key == key for two in best.contenders):
            return best
        if isinstance(limit, Fraction) and key not in self._known:
            least = other.least
            if least.lower >= limit or (least.upper >= limit and _allows(other.problem, limit)):
                return best
        self._known[key] = other.least
        return _Best((*best.contenders, other)).without_larger()

    def _is_no_smaller(self, best: _Best, problem: Problem) -> bool:
        """Whether the infimum is that of a contender, or at least the upper bound."""
        key, limit = _key(problem), best.kappa.upper
        if any(two.key == key for two in best.contenders):
            return True
        if not _errs(problem):
            return True
        if key in self._known or not isinstance(limit, Fraction):
            return False
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


def _all_allow(contenders: tuple[_Contender, ...], kappa: Fraction) -> bool | None:
    found = [one.allows(kappa) for one in contenders]
    return False if False in found else None if None in found else True


def _evaluated(problem: Problem, error: Unexpanded, width: Fraction) -> Extremum:
    """Return the infimum of β/error, for an error that is not expanded."""
    try:
        return least_ratio(problem.beta, error, problem.region.on, width)
    except OpenSignError as why:
        raise ValueRefusedError(
            f"the best constant is not known: {why.message}", rule=why.rule, way_out=why.way_out
        ) from None


@dataclass(frozen=True)
class LeastRatioAsked(SlicedQuestion):
    """The question for the best constant."""

    width: Fraction

    asked = _ASKED
    prepare = "ratio"

    def on(self, claim: Claim, kept: dict[Any, Any]) -> _LeastRatioSought:
        """Return the initial fold."""
        search = kept.setdefault(_LeastRatio, _LeastRatio(self.width))
        return _LeastRatioSought(claim, search, self.width)


@dataclass(frozen=True)
class _LeastFound:
    """The least ratio of some groups: the contenders on rays, and the problems on cones.

    A problem that is not a contender in its slice is not one overall: the slice has another one
    that is proved to be no larger.
    """

    contents: Contents
    best: _Best
    on_cones: tuple[Problem, ...]


class _LeastRatioSought(Fold):
    """The least ratio, accumulated group by group."""

    def __init__(self, claim: Claim, search: _LeastRatio, width: Fraction) -> None:
        self._claim, self._search = claim, search
        self._best, self._contents = _Best(), Contents()
        self._factors = Factors(claim, width)

    def add(self, group: tuple[Region, ...], hear: Hear) -> None:
        """Process another group."""
        found = surveyed(self._claim, group, hear, _ASKED)
        self._contents += found.contents
        for problem in found.problems:
            if isinstance(problem.place, OnRay):
                self._best = self._search.improved(self._best, problem)
            else:
                self._factors.add(problem)

    def answer(self) -> _LeastFound:
        """Return the results."""
        return _LeastFound(self._contents, self._best, tuple(self._factors.problems))


def tightest(claim: Claim, width: Number, progress: Progress | None) -> Tightness:
    """Return the largest κ over all inputs of a claim."""
    target = positive_width(width)
    search, factors = _LeastRatio(target), Factors(claim, target)
    best, contents = _Best(), Contents()
    for found in whole(claim, LeastRatioAsked(target), conduct_of(progress)):
        contents += found.contents
        if not best.contenders:
            best = found.best
        for one in found.best.contenders:
            best = search.joined(best, one)
        for problem in found.on_cones:
            factors.add(problem)
    claim.require_content(contents)
    on_rays = _answer(claim, search.settled(best), contents)
    on_cones = factors.least()
    if on_cones is None or on_rays.kappa.upper <= on_cones.kappa.lower:
        return on_rays
    found_there = Tightness(
        on_cones.kappa,
        on_cones.integer,
        as_written(as_given(claim.mechanism, on_cones.setting.input)),
        None,
        None,
        on_cones.setting.eps,
        None,
        contents.examined,
        contents.silent,
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
    rows: list[KappaAt] = []
    contents = Contents()
    for found in whole(claim, RatioAtEachAsked(positive_width(width)), conduct_of(progress)):
        contents += found[0]
        rows += found[1]
    claim.require_content(contents)
    return tuple(rows)


@dataclass(frozen=True)
class RatioAtEachAsked(SlicedQuestion):
    """The question for the best constant at each input."""

    width: Fraction

    asked = f"{_ASKED} at each input"
    each = True

    def on(self, claim: Claim, kept: dict[Any, Any]) -> _RatioAtEach:
        """Return the initial fold."""
        return _RatioAtEach(claim, kept.setdefault(_LeastRatio, _LeastRatio(self.width)))


class _RatioAtEach(Fold):
    """The best constants, accumulated input by input."""

    def __init__(self, claim: Claim, search: _LeastRatio) -> None:
        self._claim, self._search = claim, search
        self._rows: list[KappaAt] = []
        self._contents = Contents()

    def add(self, group: tuple[Region, ...], hear: Hear) -> None:
        """Process another input."""
        search, claim = self._search, self._claim
        found = surveyed(claim, group, hear, _ASKED)
        self._contents += found.contents
        if not found.problems:
            return
        if not all(isinstance(one.place, OnRay) for one in found.problems):
            raise unknown(f"{_ASKED} at each input", found.problems[0].region.why)
        best = search.settled(reduce(search.improved, found.problems, _Best()))
        at = best.first.least.at if best.contenders else None
        u = as_given(claim.mechanism, found.problems[0].obligation.input)
        self._rows.append(KappaAt(as_written(u), best.kappa, at))

    def answer(self) -> tuple[Contents, tuple[KappaAt, ...]]:
        """Return the results."""
        return self._contents, tuple(self._rows)


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
        largest_whole(kappa, partial(_all_allow, best.contenders)),
        as_written(as_given(claim.mechanism, one.input)),
        levels[0],
        levels[1],
        first.least.at,
        best.attained,
        *counts,
    )

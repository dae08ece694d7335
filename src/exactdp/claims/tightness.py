"""The best constant: the largest κ such that the claim with β/κ is still true.

At an input the claim with β/κ says error ≤ β/κ, so κ is the infimum of β/error over ε, and over
all inputs the least of these. A β above 1 changes nothing, for the error is at most 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from exactdp.claims.deciding import Progress, Signs
from exactdp.claims.distances import Distance
from exactdp.claims.inputs import AllReals, Box, as_given, as_written, how_many, listed, show
from exactdp.claims.obligations import Due, MissingHypothesisError, Obligation
from exactdp.claims.vacuity import Contents, content_of, refuse_empty
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Extremum, Interval, Root, infimum, nonnegative
from exactdp.reals.numbers import Number, double, inf, positive_width, spell

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

Where: TypeAlias = Fraction | float | Root | None

_Key: TypeAlias = tuple[ClosedForm, ClosedForm]  # the probability and β
_LOOKS = 2  # how often infima that may be equal are enclosed more closely


@dataclass(frozen=True)
class Kappa:
    """A certified enclosure of κ; both ends are `inf` if every κ will do.

    The claim is true with β/lower. It is false with β/upper unless the ends are equal: then κ is
    known exactly.
    """

    lower: Fraction | float
    upper: Fraction | float

    def __float__(self) -> float:
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return float(self.lower)
        return double((self.lower + self.upper) / 2)

    def __str__(self) -> str:
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "∞"
        if self.lower == self.upper:
            return spell(self.lower)
        return f"{float(self):.7g}"

    @property
    def limits(self) -> str:
        """Up to where and from where on, as words: "4.35 and for no κ ≥ 4.36"."""
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "∞"
        if self.lower == self.upper:
            return f"{spell(self.lower)} and for no larger κ"
        size = math.log10(self.upper.numerator) - math.log10(self.upper.denominator)
        unit = Fraction(10) ** (math.floor(size) - 6)
        down, up = math.floor(self.lower / unit) * unit, math.ceil(self.upper / unit) * unit
        return f"{_decimal(down)} and for no κ ≥ {_decimal(up)}"

    @property
    def whole(self) -> str:
        """The largest whole number that is not above κ, or those that it may be."""
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "any"
        low, high = math.floor(self.lower), math.floor(self.upper)
        return str(low) if low == high else f"{low} {'to' if high > low + 1 else 'or'} {high}"


def _decimal(value: Fraction) -> str:
    """Return a number of few digits, of any size."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.7g}"


@dataclass(frozen=True)
class Tightness:
    """The largest κ, where it is decided, and the largest whole number below it."""

    kappa: Kappa
    integer: int | None
    """The largest whole κ, as in the paper's tables; None if every κ will do.

    For all real inputs also None if a whole number close to κ stays undecided.
    """
    input: Value | None
    alpha: Distance | None
    gamma: Distance | None
    eps: Where
    """Where β/error is least: attained there, or approached (0 and `inf` are never attained)."""
    attained: bool | None
    inputs: int
    """How many inputs were looked at."""
    silent: int
    """At how many of them the claim says nothing."""

    def __str__(self) -> str:
        if self.input is None:
            where = "at the only input" if self.inputs == 1 else f"at all {self.inputs:,} inputs"
            return f"β/κ is true for every κ > 0: {where} there is no error."
        whole = self.kappa.whole if self.integer is None else self.integer
        how = "attained" if self.attained else "approached"
        return (
            f"β/κ is true for κ ≤ {self.kappa.limits} (largest whole κ: {whole}); "
            f"{how} at the input {show(self.input)}, ε {_where(self.eps)}."
        )


def _where(eps: Where) -> str:
    """Return a place as a relation: = 2, ≈ 0.54, → ∞."""
    if isinstance(eps, Root):
        return eps.text("= ")
    if isinstance(eps, Fraction):
        return f"= {spell(eps)}" if eps else "→ 0"
    return "→ ∞"


@dataclass(frozen=True)
class Row:
    """The largest κ at one input."""

    input: Value
    kappa: Kappa
    eps: Where


@dataclass(frozen=True)
class _Contender:
    """An obligation with one alternative of β, and the infimum of β/error."""

    one: Obligation
    beta: ClosedForm
    least: Extremum

    def allows(self, kappa: Fraction, on: Interval) -> bool:
        """Whether error ≤ β/κ for every ε."""
        return _allows(self.one, self.beta, kappa, on)

    def is_seen_below(self, kappa: Fraction) -> bool:
        """Whether β < κ·error right beside the zero of the derivative: a quick look."""
        at = self.least.at
        gap = self.beta - (1 - self.one.probability) * kappa
        return isinstance(at, Root) and gap.at(at.lower).sign < 0


@dataclass(frozen=True)
class _Best:
    """The least of several infima: that of one of the contenders, all others are no smaller."""

    contenders: tuple[_Contender, ...] = ()

    @property
    def kappa(self) -> Kappa:
        """The least is between the least of the lower ends and the least of the upper ends."""
        found = [one.least for one in self.contenders]
        return Kappa(
            min((one.lower for one in found), default=inf),
            min((one.upper for one in found), default=inf),
        )

    @property
    def first(self) -> _Contender:
        """A contender whose infimum is in the enclosure of the least."""
        return min(self.contenders, key=lambda one: one.least.upper)

    @property
    def attained(self) -> bool | None:
        """Whether the least is attained, where all contenders agree."""
        found = {one.least.attained for one in self.contenders}
        return found.pop() if len(found) == 1 else None

    def without_larger(self) -> _Best:
        """Return the least with only those contenders that may be it."""
        upper = self.kappa.upper
        return _Best(tuple(one for one in self.contenders if one.least.lower <= upper))


class _Search:
    """The least of β/error over many obligations; equal problems are solved once."""

    def __init__(self, claim: Accuracy, width: Fraction) -> None:
        self._on = claim.epsilon
        self._width = width
        self._known: dict[_Key, Extremum] = {}
        self._at_least: dict[_Key, Fraction | float] = {}

    def improved(self, best: _Best, one: Obligation) -> _Best:
        """Return the least so far with one more obligation; most are seen to be no smaller."""
        for beta in one.beta:
            if self._is_no_smaller(best, one, beta):
                continue
            key = one.probability, beta
            if key not in self._known:
                self._known[key] = self._infimum(one, beta, self._width)
            found = _Contender(one, beta, self._known[key])
            best = _Best((*best.contenders, found)).without_larger()
        return best

    def _is_no_smaller(self, best: _Best, one: Obligation, beta: ClosedForm) -> bool:
        """Whether the infimum is one of the contenders', or not below the upper end."""
        key, limit = (one.probability, beta), best.kappa.upper
        if any((two.one.probability, two.beta) == key for two in best.contenders):
            return True
        if not _errs(one, self._on):
            return True
        if key in self._known or not isinstance(limit, Fraction):
            return False
        if self._at_least.get(key, -inf) < limit and _allows(one, beta, limit, self._on):
            self._at_least[key] = limit
        return self._at_least.get(key, -inf) >= limit

    def _infimum(self, one: Obligation, beta: ClosedForm, width: Fraction) -> Extremum:
        """Return the infimum of β/error; its lower end is positive if it is."""
        found = infimum(beta / (1 - one.probability), self._on, width)
        while found.lower < found.upper and found.lower <= 0:  # 0 itself is told exactly
            width /= 2**10
            found = infimum(beta / (1 - one.probability), self._on, width)
        return found

    def settled(self, best: _Best) -> _Best:
        """Return the least, contenders told apart if a closer look can, and exact if it is known.

        An upper end that is not κ is larger, so that the claim fails with it.
        """
        width = self._width
        for _ in range(_LOOKS):
            if len(best.contenders) <= 1 or best.kappa.lower == best.kappa.upper:
                break
            width /= 2**60
            closer = (
                replace(one, least=self._infimum(one.one, one.beta, width))
                for one in best.contenders
            )
            best = _Best(tuple(closer)).without_larger()
        lower, upper = best.kappa.lower, best.kappa.upper
        if (
            isinstance(upper, Fraction)
            and lower < upper
            and not best.first.is_seen_below(upper)
            and all(one.allows(upper, self._on) for one in best.contenders)
        ):
            equal = (one for one in best.contenders if one.least.upper == upper)
            best = _Best(
                tuple(replace(one, least=replace(one.least, lower=upper)) for one in equal)
            )
        return best


def _errs(one: Obligation, on: Interval) -> bool:
    """Whether there is an error at all."""
    error = 1 - one.probability
    return bool(error.numerator) and not (on.is_point and error.at(on.lower).sign == 0)


def _allows(one: Obligation, beta: ClosedForm, kappa: Fraction, on: Interval) -> bool:
    """Whether error ≤ β/κ for every ε."""
    return nonnegative(beta - (1 - one.probability) * kappa, on).holds


def tightest(claim: Accuracy, width: Number, progress: Progress | None) -> Tightness:
    """Return the largest κ over all inputs of a claim."""
    goal = positive_width(width)
    if isinstance(claim.input_set, AllReals | Box):
        from exactdp.claims.everywhere import tightest_everywhere  # noqa: PLC0415

        return tightest_everywhere(claim, goal, progress)
    search = _Search(claim, goal)
    best = _Best()
    total = how_many(claim.mechanism, claim.input_set)
    contents, signs = Contents(), Signs(claim)
    for done, u in enumerate(listed(claim.mechanism, claim.input_set), 1):
        found = _obligations(claim, u)
        contents = contents.and_one(content_of(found, signs.at_least_one))
        for one in found or ():
            best = search.improved(best, one)
        if progress is not None:
            progress(done, total)
    refuse_empty(claim, contents)
    return _answer(claim, search.settled(best), total, contents.silent)


def tightest_at_each(claim: Accuracy, width: Number, progress: Progress | None) -> tuple[Row, ...]:
    """Return the largest κ at each input where the claim says something."""
    if isinstance(claim.input_set, AllReals | Box):
        raise ValueRefusedError(
            "κ is asked at each input, and the claim is about all real inputs",
            rule="Inputs that are listed have a κ each; all real inputs together have one.",
            way_out="Give inputs=Grid(-1, 1) or a list (--inputs grid:-1:1); or ask for the one κ, "
            "claim.tightest() (exactdp tighten).",
        )
    search = _Search(claim, positive_width(width))
    total = how_many(claim.mechanism, claim.input_set)
    rows = []
    contents, signs = Contents(), Signs(claim)
    for done, u in enumerate(listed(claim.mechanism, claim.input_set), 1):
        found = _obligations(claim, u)
        contents = contents.and_one(content_of(found, signs.at_least_one))
        best = search.settled(reduce(search.improved, found or (), _Best()))
        if found is not None and found.obligations:
            at = best.first.least.at if best.contenders else None
            rows.append(Row(as_written(as_given(claim.mechanism, u)), best.kappa, at))
        if progress is not None:
            progress(done, total)
    refuse_empty(claim, contents)
    return tuple(rows)


def _obligations(claim: Accuracy, u: tuple[Value, ...]) -> Due | None:
    try:
        return claim.obligations.at(u)
    except MissingHypothesisError as error:
        raise ValueRefusedError(
            f"the best constant is not known: {error}",
            rule="β/κ is compared with the exact error where one α and γ decide an input.",
        ) from None


def _answer(claim: Accuracy, best: _Best, inputs: int, silent: int) -> Tightness:
    kappa = best.kappa
    if not best.contenders:
        return Tightness(kappa, None, None, None, None, None, None, inputs, silent)
    first, on = best.first, claim.epsilon
    return Tightness(
        kappa,
        largest_whole(kappa, lambda one: all(x.allows(one, on) for x in best.contenders)),
        as_written(as_given(claim.mechanism, first.one.input)),
        first.one.alpha,
        first.one.gamma,
        first.least.at,
        best.attained,
        inputs,
        silent,
    )


def largest_whole(kappa: Kappa, allows: Callable[[Fraction], bool | None]) -> int | None:
    """Return the largest whole κ: those in the enclosure are decided, None if one is not."""
    low, high = math.floor(kappa.lower), math.floor(kappa.upper)
    if kappa.lower < high == kappa.upper:
        high -= 1  # κ is smaller
    while low < high:
        middle = (low + high + 1) // 2
        is_allowed = allows(Fraction(middle))
        if is_allowed is None:
            return None
        low, high = (middle, high) if is_allowed else (low, middle - 1)
    return low

"""The best constant: the largest κ such that the claim with β/κ is still true.

At an input the claim with β/κ says error ≤ β/κ, so κ is the infimum of β/error over ε, and over
all inputs the least of these. A β above 1 changes nothing, for the error is at most 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from exactdp.claims.deciding import Progress, Signs
from exactdp.claims.distances import Distance
from exactdp.claims.inputs import AllReals, Box, as_given, as_written, how_many, listed, show
from exactdp.claims.obligations import Due, MissingHypothesisError, Obligation
from exactdp.claims.vacuity import Contents, content_of, refuse_empty
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Root, infimum, nonnegative
from exactdp.reals.numbers import Number, double, inf, positive_width, spell

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

Where: TypeAlias = Fraction | float | Root | None


@dataclass(frozen=True)
class Kappa:
    """A certified enclosure of κ; both ends are `inf` if every κ will do."""

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
        unit = Fraction(10) ** (math.floor(math.log10(self.upper)) - 6)
        down, up = math.floor(self.lower / unit) * unit, math.ceil(self.upper / unit) * unit
        return f"{double(down):.7g} and for no κ ≥ {double(up):.7g}"

    @property
    def whole(self) -> str:
        """The largest whole number that is not above κ, or the two that it may be."""
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "any"
        low, high = math.floor(self.lower), math.floor(self.upper)
        return str(low) if low == high else f"{low} or {high}"


@dataclass(frozen=True)
class Tightness:
    """The largest κ, where it is decided, and the largest whole number below it."""

    kappa: Kappa
    integer: int | None
    """The largest whole κ, as in the paper's tables; None if every κ will do."""
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
        how = "attained" if self.attained else "approached"
        return (
            f"β/κ is true for κ ≤ {self.kappa.limits} (largest whole κ: {self.kappa.whole}); "
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
class _Best:
    kappa: Kappa
    one: Obligation | None = None
    eps: Where = None
    attained: bool | None = None


class _Search:
    """The least of β/error over many obligations; equal problems are solved once."""

    def __init__(self, claim: Accuracy, width: Fraction) -> None:
        self._claim = claim
        self._width = width
        self._known: dict[tuple[ClosedForm, ClosedForm], _Best] = {}

    def least(self, one: Obligation, beta: ClosedForm) -> _Best:
        """Return the infimum of β/error, for one alternative of β."""
        key = one.probability, beta
        if key not in self._known:
            error = 1 - one.probability
            if not error.numerator:
                self._known[key] = _Best(Kappa(inf, inf))
            else:
                found = infimum(beta / error, self._claim.epsilon, self._width)
                kappa = Kappa(found.lower, found.upper)
                self._known[key] = _Best(kappa, one, found.at, found.attained)
        return self._known[key]

    def improved(self, best: _Best, one: Obligation) -> _Best:
        """Return the least so far with one more obligation; most are seen to be no smaller."""
        for beta in one.beta:
            limit = best.kappa.upper
            key = one.probability, beta
            if isinstance(limit, Fraction) and key not in self._known:
                gap = beta - (1 - one.probability) * limit
                if nonnegative(gap, self._claim.epsilon).holds:
                    continue
            found = self.least(one, beta)
            if found.kappa.upper < best.kappa.upper:
                best = _Best(found.kappa, one, found.eps, found.attained)
        return best


def tightest(claim: Accuracy, width: Number, progress: Progress | None) -> Tightness:
    """Return the largest κ over all inputs of a claim."""
    goal = positive_width(width)
    if isinstance(claim.input_set, AllReals | Box):
        from exactdp.claims.everywhere import tightest_everywhere  # noqa: PLC0415

        return tightest_everywhere(claim, goal, progress)
    search = _Search(claim, goal)
    best = _Best(Kappa(inf, inf))
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
    return _answer(claim, best, total, contents.silent)


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
        due = _obligations(claim, u)
        contents = contents.and_one(content_of(due, signs.at_least_one))
        found = [search.least(one, beta) for one in due or () for beta in one.beta]
        if found:
            best = min(found, key=lambda one: one.kappa.upper)
            rows.append(Row(as_written(as_given(claim.mechanism, u)), best.kappa, best.eps))
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
    if best.one is None or not isinstance(best.kappa.lower, Fraction):
        return Tightness(best.kappa, None, None, None, None, None, None, inputs, silent)
    one = best.one
    whole = int(best.kappa.lower)
    # Whether the next whole number is κ itself cannot be seen from an enclosure: decide it.
    error = 1 - one.probability
    while best.kappa.upper >= whole + 1 and all(
        nonnegative(beta - error * (whole + 1), claim.epsilon).holds for beta in one.beta
    ):
        whole += 1
    return Tightness(
        best.kappa,
        whole,
        as_written(as_given(claim.mechanism, one.input)),
        one.alpha,
        one.gamma,
        best.eps,
        best.attained,
        inputs,
        silent,
    )

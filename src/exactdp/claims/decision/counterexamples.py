"""Counterexamples: an input, ε, α and γ, found in a cell and confirmed independently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.cell_points import (
    at_exact_logs,
    points_near_logs,
    points_of,
    simple_near,
)
from exactdp.claims.decision.problem import Problem
from exactdp.claims.regions.obligations import Obligation
from exactdp.claims.regions.places import OnCurve, OnLine, OnRay
from exactdp.claims.regions.region import RAY, Region, Vector
from exactdp.claims.stated.conditions import ALWAYS, CaseFormula, holds_at
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.expressions import Expression, Maximum
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.claims.stated.levels import Range
from exactdp.claims.stated.products import has_products
from exactdp.language.layout import assembled, entries
from exactdp.language.linear import UNIT, units_in
from exactdp.language.nested import leaves, mapped
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, Interval, parameter
from exactdp.reals.logs import LogForm
from exactdp.reals.numbers import inf, simplest_inside, spell
from exactdp.reals.radicals import Radical, told
from exactdp.reals.square_roots import at_most, is_irrational
from exactdp.reals.told import Told, distinct_texts
from exactdp.reals.unexpanded import Unexpanded
from exactdp.semantics.by_epsilon import as_spots
from exactdp.semantics.patterns import is_number
from exactdp.semantics.spots import Spot, Trace, at_sample

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy
    from exactdp.claims.decision.problem import Sign

_SIMPLE = 1_000  # the largest denominator of a simple number
_SHORT = 6  # entries of an input for which lists of zeros and ones are tried
_MOST_CANDIDATES = 8  # claims at one place that are checked where β has several alternatives


@dataclass(frozen=True, repr=False)
class Counterexample(Told):
    """An input, ε, α and γ at which the claim is false.

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy
    >>> found = Accuracy(larger, "25%", inputs=[[0, 2]]).check().counterexample
    >>> found.input, found.eps, found.error.text(4), found.allowed.text(4)
    ([0, 2], Fraction(1, 1), '0.2759', '1/4')
    """

    input: Value
    eps: Fraction
    alpha: Distance
    """A number; one with logarithms is a `LogForm`. γ likewise."""
    gamma: Distance
    output: Value
    """The ideal output."""
    distance: Distance
    """The distance to disagreement, above α."""
    probability: ClosedForm
    """Pr(within γ), as a function of ε."""
    beta: ClosedForm
    """The claimed bound at this α and γ, as a function of ε."""
    speaks_of_alpha: bool = field(default=True, repr=False, compare=False)
    """Whether α and γ are mentioned."""

    @cached_property
    def error(self) -> Enclosure:
        """An enclosure of the probability of an error above γ at this ε."""
        return (1 - self.probability).at(self.eps)

    @cached_property
    def allowed(self) -> Enclosure:
        """An enclosure of β at this ε."""
        return self.beta.at(self.eps)

    @cached_property
    def actual(self) -> Enclosure:
        """An enclosure of Pr(within γ) at this ε."""
        return self.probability.at(self.eps)

    @cached_property
    def required(self) -> Enclosure:
        """An enclosure of 1 − β at this ε."""
        return (1 - self.beta).at(self.eps)

    def __str__(self) -> str:
        return (
            f"at the input {show(self.input)} and ε = {spell(self.eps)} "
            f"{self._levels}{self._error_told}"
        )

    @property
    def _levels(self) -> str:
        if not self.speaks_of_alpha:
            return ""
        return f"(α = {told(self.alpha)}, γ = {told(self.gamma)}) "

    @property
    def _error_told(self) -> str:
        """Both error probabilities, with enough digits to see the difference."""
        what = "the output is wrong"
        if self.gamma:
            what = f"the error exceeds {'γ' if self.speaks_of_alpha else told(self.gamma)}"
        error = 1 - self.probability
        actual, claimed = distinct_texts(self.eps, error, self.beta)
        if actual != claimed:
            return f"{what} with probability {actual}, and the claim allows {claimed}"
        if isinstance(error, Unexpanded):
            gap = (error - self.beta).at(self.eps, 4).text(4)
            return f"{what} with probability {actual}, and the claim allows {gap} less"
        share = ((error - self.beta) / error).at(self.eps, 4).text(4)
        return f"{what} with probability {actual}, and the claim allows less, by {share} of this"


def confirmed(claim: DecidedAccuracy, problem: Problem, sign: Sign) -> Counterexample | None:
    """Return the counterexample of a failed problem, if possible a simple one."""
    if isinstance(problem.place, OnRay):
        assert isinstance(sign.witness, Fraction)  # a value below 0 has a rational neighbour
        alone = _on_ray(claim, problem, sign.witness)
        return alone if alone is not None and _is_one(claim, alone) else None
    units = units_in(problem.region.names)
    if isinstance(problem.place, OnLine):
        assert isinstance(sign.witness, Fraction)
        u = assembled(claim.mechanism.inputs, problem.region.only_numbers)
        found_at = (
            _confirmed_at_log(claim, problem, u, eps) for eps in simple_near(claim, sign.witness)
        )
        return next(filter(None, found_at), None)
    is_free = not {"alpha", "gamma"}.isdisjoint(problem.region.names)
    if len(units) == 1 and units != (UNIT,) and not is_free:
        return _with_log(claim, problem, sign)
    # Where one of several alternatives of β fails, another may hold at every candidate: then few
    # are checked at each of many ε.
    is_one_of_many = problem.region.on.is_point and not claim.epsilon.is_point
    most = _MOST_CANDIDATES if claim.has_parts and is_one_of_many else None
    for part in islice(_candidates(claim, problem, sign), most):
        found: Counterexample | None = part.check().counterexample
        if found is not None and _is_one(claim, found):
            return _simplified(claim, part, found)
    return None


def _is_one(claim: DecidedAccuracy, found: Counterexample) -> bool:
    """Whether the claim is made there and is false, with conditions and cases as given."""
    if claim.level_logs:  # then it has neither, and α was compared with dd at exact logarithms
        return True
    values: dict[str, Any] = dict(
        claim.level_values.input_values(claim.mechanism.read_input(found.input))
    )
    values |= {"alpha": found.alpha, "gamma": found.gamma}

    is_below = found.alpha < found.distance
    is_below = is_below or (claim.boundary == "check" and found.alpha == found.distance)
    if not is_below or not holds_at(claim.conditions, values, found.eps):
        return False
    if not claim.has_parts:
        return True
    bound = claim.beta_at(found.input)
    pieces = bound.pieces if isinstance(bound, CaseFormula) else ((bound, ALWAYS),)
    formula = next((one for one, cases in pieces if holds_at(cases, values, found.eps)), None)
    if formula is None:
        return False
    parts = formula.parts if isinstance(formula, Maximum) else (formula,)
    error = 1 - found.probability

    def one_at(form: ClosedForm) -> ClosedForm:
        """Return a form with ε/ε₀, which is 1 there, for the parameter that is 1."""
        return (
            form.substitute(**{UNIT: parameter("eps") / found.eps})
            if UNIT in form.parameters
            else form
        )

    return all(
        any((error - one_at(form)).at(found.eps).sign > 0 for form in part.alternatives(values))
        for part in parts
    )


def _simplified(
    claim: DecidedAccuracy, part: DecidedAccuracy, found: Counterexample
) -> Counterexample:
    """Return a counterexample with a simpler input, if one is found: zeros and ones, or nearby."""
    tried: Iterator[tuple[DecidedAccuracy, Value]] = (
        (replace(claim, inputs=[there]), there) for there in _zeros_and_ones(found.input)
    )
    size = _size(found.input)
    if size > 1:
        rounded = (_rounded(found.input, most) for most in (1, 2, 10, 100, _SIMPLE) if most < size)
        tried = chain(tried, ((replace(part, inputs=[there]), there) for there in rounded))
    for trial, there in tried:
        simple: Counterexample | None = (
            trial.check().counterexample if claim.scope.has_between(there) else None
        )
        if simple is not None and _is_one(claim, simple):
            return simple
    return found


def _zeros_and_ones(u: Value) -> Iterator[list[int]]:
    """Yield lists of zeros and ones with one deviating entry, unless `u` is made of these."""
    if not isinstance(u, list) or not 1 < len(u) <= _SHORT or not all(map(is_number, u)):
        return
    if set(u) <= {0, 1}:
        return
    for common, other in ((0, 1), (1, 0)):
        for place in range(len(u)):
            yield [other if k == place else common for k in range(len(u))]


def _size(value: Value) -> int:
    """Return the largest denominator in an input."""
    return max((one.denominator for one in leaves(value) if isinstance(one, Fraction)), default=1)


def _rounded(value: Value, most: int) -> Value:
    return mapped(value, lambda x: x.limit_denominator(most) if isinstance(x, Fraction) else x)


# On a ray -----------------------------------------------------------------------------


def _on_ray(claim: DecidedAccuracy, problem: Problem, eps: Fraction) -> Counterexample | None:
    """Return the counterexample of a failed obligation, with α and γ for which it is claimed."""
    one = problem.obligation
    assert isinstance(one, Obligation)
    found = _claimed(claim, problem.region, one, eps)
    if found is None:
        return None
    return _told(claim, one, eps, *found)


def _told(
    claim: DecidedAccuracy,
    one: Obligation,
    eps: Fraction,
    alpha: Distance,
    gamma: Distance,
    beta: ClosedForm,
) -> Counterexample:
    return Counterexample(
        as_written(as_given(claim.mechanism, one.input)),
        eps,
        _number_at(alpha, eps),
        _number_at(gamma, eps),
        one.output,
        one.distance,
        one.probability,
        LogForm.of(beta) or beta,  # type: ignore[arg-type]
        claim.speaks_of_alpha,
    )


def _number_at(level: Distance, eps: Fraction) -> Distance:
    """Return α or γ at an ε: one with logarithms as a sum of them."""
    if not isinstance(level, Spot):
        return level
    there = (level.closed_form() / eps).substitute(eps=eps)
    found = LogForm.of(there)
    assert found is not None
    return found


def _with_log(claim: DecidedAccuracy, problem: Problem, sign: Sign) -> Counterexample | None:
    """Return a counterexample to a claim with log(b)/ε in the mechanism, α or γ."""
    (unit,) = units_in(problem.region.names)
    for place, eps in points_near_logs(claim, problem, sign.witness, unit):
        u = problem.region.at(claim.mechanism.inputs, place).input
        found = _confirmed_at_log(claim, problem, u, eps)
        if found is not None:
            return found
    return None


def _confirmed_at_log(
    claim: DecidedAccuracy, problem: Problem, u: tuple[Value, ...], eps: Fraction
) -> Counterexample | None:
    """Return the counterexample at an input and an ε, with conditions and cases as given."""
    found = _at_log(claim, problem, u, eps)
    is_plain = not claim.has_parts and claim.conditions == ALWAYS
    return found if found is not None and (is_plain or _is_one(claim, found)) else None


def _at_log(
    claim: DecidedAccuracy, problem: Problem, u: tuple[Value, ...], eps: Fraction
) -> Counterexample | None:
    """Return the counterexample at an input and an ε, if there is one."""
    names = problem.region.names
    units = units_in(names)
    at = {"eps": eps, UNIT: Fraction(1)}

    def level(form: Vector | None, trace: Trace) -> Spot | Fraction | None:
        """Return α or γ: a number, or a form in ε and logarithms."""
        if form is None:
            return None
        parts = {name: q for name, q in zip(names, form, strict=True) if q}
        if parts.keys() <= at.keys():
            return sum((q * at[name] for name, q in parts.items()), Fraction(0)) / eps
        return trace.of(parts)

    due = at_exact_logs(
        units,
        eps,
        lambda trace: claim.obligations.at(
            as_spots(claim.mechanism, u, trace),
            level(problem.region.alpha, trace),
            level(problem.region.gamma, trace),
            beta=problem.region.beta,
            is_confined=bool(problem.region.least),
            trace=trace,
        ),
    )
    if due is None:
        return None
    beta = problem.region.beta
    region = Region(
        ("eps",),
        RAY,
        tuple(entries(u)),
        Interval(eps, eps),
        alpha=None if problem.region.alpha is None else (Fraction(0),),  # only whether it is given
        gamma=None if problem.region.gamma is None else (Fraction(0),),
        beta=beta,
        above=problem.region.above,
        least=problem.region.least,
        is_alpha_open=problem.region.is_alpha_open,
    )
    for one in due:
        alone = replace(
            one,
            input=u,
            output=claim.ideal_function(u),
            distance=at_sample(one.distance),
            alpha=_exact(one.alpha),
            gamma=_exact(one.gamma),
            probability=LogForm.made(one.probability, units),  # type: ignore[arg-type]
        )
        if not any((alone.probability - 1 + beta).at(eps).sign < 0 for beta in alone.beta):
            continue
        found = _claimed(claim, region, alone, eps)
        if found is not None:
            return _told(claim, alone, eps, *found)
    return None


def _exact(level: Distance) -> Distance:
    """Return a number at a sample; one with logarithms stays a form."""
    has_log = isinstance(level, Spot) and any(level.form[1:])
    return level if has_log else at_sample(level)


def _claimed(
    claim: DecidedAccuracy, region: Region, one: Obligation, eps: Fraction
) -> tuple[Distance, Distance, ClosedForm] | None:
    """Return α and γ at which the claim is made and false, and β there; None if there are none.

    If the claim is made only below the largest α, an α close enough to it is found: β is
    continuous, so it is below 1 − Pr there, too.
    """
    levels = claim.level_values
    values = levels.input_values(one.input)
    level = claim.gamma_level
    share = Fraction(1, 2)
    moved = {"alpha": region.alpha, "gamma": region.gamma}
    given = frozenset(name for name, form in moved.items() if form is not None)

    least = max((form.at(eps).upper for form in region.least), default=Fraction(0))

    def larger(form: ClosedForm, other: ClosedForm) -> int:
        gap = form - other
        return (LogForm.of(gap) or gap).at(eps).sign

    approached = not one.alpha_reached or region.is_alpha_open
    is_number = isinstance(one.alpha, Fraction | Radical)
    if approached and is_number and one.alpha <= max(one.alpha_least, least):
        return None
    limit = one.alpha
    if is_irrational(one.distance) and isinstance(limit, Fraction) and limit > one.distance:
        limit = at_most(one.distance)  # dd is irrational and represented by a number just above
        if limit <= max(one.alpha_least, least):
            return None
        there = levels.beta(one.input, values, limit, one.gamma, given=given, beta=region.beta)
        if not any((one.probability - 1 + beta).at(eps).sign < 0 for beta in there or ()):
            return None
    while True:
        alpha, gamma = limit, one.gamma
        if not one.alpha_reached or region.is_alpha_open:
            alpha = _below(limit, share, max(one.alpha_least, least))
        if isinstance(level, Expression) and region.gamma is None:
            gamma = levels.number(level, {**values, "alpha": alpha}, "gamma")
        elif not one.gamma_reached:
            gamma = _below(one.gamma, share, one.gamma_least)
        bounds = [
            min(found, key=cmp_to_key(larger))
            for part in (region.beta, *region.above)
            if (found := levels.beta(one.input, values, alpha, gamma, given=given, beta=part))
        ]
        # Close to the limit, one that is not larger there may still be the largest.
        beta = max(bounds, key=cmp_to_key(larger), default=None)
        if beta is not None and (one.probability - 1 + beta).at(eps).sign < 0:
            return alpha, gamma, beta
        share /= 16


def _below(limit: Distance, share: Fraction, least: Fraction) -> Fraction:
    """Return a simple number between two, the closer to the upper one the smaller the share."""
    if limit == inf:
        return least + 1 / share
    if isinstance(limit, Radical):
        return limit.near(-1, share * at_most(limit - least) / limit.near(1))
    return simplest_inside(limit - (limit - least) * share, limit)


# On a cone: candidates, each checked on its own ray -----------------------------------


def _candidates(claim: DecidedAccuracy, problem: Problem, sign: Sign) -> Iterator[DecidedAccuracy]:
    """Yield parts of a claim that may be false, each about one input with numbers for α and γ."""
    region, witness = problem.region, sign.witness
    if isinstance(problem.place, OnCurve):
        assert isinstance(witness, Fraction)
        points = {witness, *problem.place.rational_ends}
        for point in sorted(points, key=lambda q: (q.denominator, q)):
            yield claim.at_entries(region.only_numbers, point)
        return
    assert isinstance(witness, tuple | list)
    seen = set()
    multiplies = has_products(claim.conditions)  # then a region has points that they exclude
    for place in points_of(claim, problem, witness):
        setting = region.at(claim.mechanism.inputs, place)
        fixed = {
            name: value
            for name, value in setting.levels.items()
            if isinstance(getattr(claim, f"{name}_level"), Range)
        }
        if (key := (setting.input, *fixed.items())) in seen or not _are_claimed(claim, fixed):
            continue
        if not (claim.scope.free or fixed):
            continue  # this would be the same claim
        known = {**claim.level_values.input_values(setting.input), **setting.levels}
        if multiplies and not holds_at(claim.conditions, known, setting.eps):
            continue
        seen.add(key)
        levels: dict[str, Any] = dict(fixed)
        if claim.conditions != ALWAYS:
            levels["region"] = claim.conditions
        yield replace(claim, inputs=[as_given(claim.mechanism, setting.input)], **levels)


def _are_claimed(claim: DecidedAccuracy, fixed: dict[str, Fraction]) -> bool:
    """Whether the claim is made at given α and γ; a face of a cell may not belong to it."""
    return all(
        level.has(fixed[name])
        for name, level in claim.levels.items()
        if name in fixed and isinstance(level, Range)
    )

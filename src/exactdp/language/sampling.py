"""The checked parameters of a sampling statement: rate, scores, probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from exactdp.errors import Place, ProgramError, shown
from exactdp.language.evaluate import guarded
from exactdp.language.linear import Linear, Scalar, as_real
from exactdp.language.operations import items_of, python_fail
from exactdp.language.rules import fail
from exactdp.language.terms import EpsTerm
from exactdp.language.values import Symbolic, Table, Value, plain
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.reals import (
    ClosedForm,
    Interval,
    Root,
    SolutionSet,
    eps,
    exp,
    nonnegative,
    positive,
    roots,
    solution_set,
)
from exactdp.reals.interval import POSITIVE
from exactdp.reals.radicals import Surd
from exactdp.reals.spans import Span, around, is_nonnegative, is_positive

if TYPE_CHECKING:
    from exactdp.language.terms import Number

_WRITE_RATE = "Write a * eps with a rational number a > 0."
_WRITE_SCALE = "Write scale=b / eps with a rational number b > 0."
_RATE = "A rate is a positive number times eps, such as `eps / 2`, `3 * eps / 4`, `sqrt(2) * eps`."
_LOG = "Integer noise may have the rate k * log(r) with a whole number k and r > 1 in exp(eps)."
_LOG_RATE = "Write dlap(log(2 * exp(eps) - 1), mean), or a * eps with a rational number a > 0."
SCORE = "A score is a rational number or linear in real inputs, without noise or rounding."
NOISY = "Score the inputs themselves: expmech adds all the noise that is needed."
_DECLARE = ', or say for which eps: @mechanism(epsilon="{}"), or epsilon= in the claim.'


def _in(on: Span) -> str:
    return "> 0" if on == POSITIVE else f"in {on}"


def rate_of(value: Value, by_scale: bool, place: Place) -> Surd:
    """Return a > 0 if the value is the rate a·ε, or the scale 1/(a·ε)."""
    if isinstance(value, EpsTerm) and value.log_rate() is not None:
        raise fail(place, f"{value} is not a rate here", _RATE, _LOG_RATE)
    form = value.monomial() if isinstance(value, EpsTerm) else None
    power = -1 if by_scale else 1
    what = "scale" if by_scale else "rate"
    rule = _RATE if not by_scale else "A scale is a positive rational number over eps: `2 / eps`."
    if form is None or (form[1] != power and form[0] != 0):
        way_out = _WRITE_SCALE if by_scale else _WRITE_RATE
        if form is not None and form[1] == -power:
            way_out = "Write the scale as `scale=…`." if not by_scale else "Write the rate alone."
        elif isinstance(value, int | Fraction):
            way_out += " The value of eps is given where you ask, as in risk(eps=1)."
        raise fail(place, f"{shown(value)} is not a {what}", rule, way_out)
    if form[0] <= 0:
        sign = "0" if form[0] == 0 else "negative"
        raise fail(
            place,
            f"the {what} {value} is {sign}",
            rule,
            _WRITE_SCALE if by_scale else _WRITE_RATE,
        )
    return 1 / form[0] if by_scale else form[0]


def base_of_rate(
    value: Value, place: Place, on: Interval, *, somewhere: bool = False
) -> tuple[Fraction, EpsTerm] | None:
    """Return (k, r) if a rate of integer noise is k·log r, with r > 1 for every ε in question."""
    found = value.log_rate() if isinstance(value, EpsTerm) else None
    if found is None:
        return None
    times, base = found
    if times <= 0 or times.denominator != 1:
        raise fail(place, f"{value} is not a rate here", _LOG, _LOG_RATE)
    if not positive(closed_form(base, eps, exp) - 1, on).holds and not somewhere:
        message = f"the rate {value} is not positive for every eps {_in(on)}"
        raise fail(place, message, _LOG, _LOG_RATE)
    return times, base


def mean_of(value: Value, noise: str, place: Place) -> Value:
    """Return the mean of a sample, which must be a number."""
    is_whole = NOISES[noise].is_whole
    if isinstance(value, EpsTerm) and not is_whole:
        return as_real(value, place)
    if isinstance(value, Symbolic) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise fail(
            place,
            f"the mean of {noise} is {shown(value)}, which is not a number",
            "The mean is a number, a real input or a real variable.",
            "Give a number, such as 0.",
        )
    if is_whole and Fraction(value).denominator != 1:
        raise fail(
            place,
            f"the {NOISES[noise].second} of {noise} is {value}, which is not an integer",
            "Integer noise lies on the integers.",
            "Round the mean, or use lap.",
        )
    return plain(value) if isinstance(value, Fraction) else value


def ends_of(
    lower: Value, upper: Value, lower_place: Place, upper_place: Place
) -> tuple[Value, Value]:
    """Return the midpoint and the width of uniform noise, both free of noise."""
    ends = (_end(lower, lower_place), _end(upper, upper_place))
    width = ends[1] - ends[0]
    if not isinstance(width, Symbolic) and width <= 0:
        raise empty_range(upper_place, f"{shown(ends[0])} to {shown(ends[1])}")
    return (ends[0] + ends[1]) / Fraction(2), width


def empty_range(place: Place, ends: str) -> ProgramError:
    """Return the error for uniform noise with an empty range."""
    return fail(
        place,
        f"unif has no room: it goes from {ends}",
        "The lower end of uniform noise is below the upper one.",
        "Write unif(lo, hi) with lo < hi, or narrow the inputs to those for which it is so.",
    )


def _end(value: Value, place: Place) -> Value:
    """Return an end of uniform noise: a number, a form in inputs, or a + b/ε."""
    if isinstance(value, EpsTerm):
        return as_real(value, place)
    if _is_of_inputs(value) or (isinstance(value, int | Fraction) and not isinstance(value, bool)):
        return value
    what = "noise" if isinstance(value, Symbolic) else f"{shown(value)}, which is not a number"
    raise fail(
        place,
        f"an end of unif is {what}",
        "Its ends are rational numbers, real inputs and a + b / eps, without noise.",
        "Add noise to the sample instead: x + unif(0, 1)."
        if isinstance(value, Symbolic)
        else "Give a number, such as 0.",
    )


def _is_of_inputs(value: object) -> bool:
    """Whether a value is a form in real inputs, rounded or not, without noise."""
    return isinstance(value, Linear) and all(
        isinstance(name, str) or (isinstance(name, Whole) and _is_of_inputs(name.form))
        for name in value.coefficients
    )


def scores_of(score: Value, candidates: Value, place: Place) -> tuple[Scalar, ...]:
    """Return the score of each candidate: a number, or a form in real inputs."""
    values = _items(candidates, place)
    if not values:
        raise fail(
            place,
            "the list of candidates is empty",
            "expmech picks one of its candidates.",
            "Give at least one.",
        )
    if callable(score):
        scored = guarded(place, score)
        found: Sequence[Value] = [scored(value) for value in values]
    else:
        found = _items(score, place)
    return tuple(_points(value, one, place) for value, one in zip(values, found, strict=True))


def _points(value: Value, points: Value, place: Place) -> Scalar:
    """Return the score of a candidate; refuse a value that is not a score."""
    if isinstance(points, EpsTerm):
        points = as_real(points, place)
    if isinstance(points, Symbolic):
        if isinstance(points, Linear) and _is_of_inputs(points):
            return points
        raise fail(place, f"the score of {shown(value)} depends on noise", SCORE, NOISY)
    if isinstance(points, bool) or not isinstance(points, int | Fraction):
        raise fail(
            place,
            f"the score of {shown(value)} is {shown(points)}, which is not a rational number",
            SCORE,
            "Return an int or a Fraction from the score.",
        )
    return Fraction(points)


def _items(value: Value, place: Place) -> Any:
    try:
        return items_of(value)
    except (TypeError, ValueError) as error:
        raise python_fail(place, error) from None


def table_of(value: Value, place: Place) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Return the values of `choose(table)`, and their probabilities."""
    if not isinstance(value, Table) or not value:
        raise fail(
            place,
            f"choose cannot pick from {shown(value)}",
            "choose takes a dictionary of values with their probabilities, not an empty one.",
            "Write choose({value: probability, …}).",
        )
    return tuple(value), tuple(value.values())


def refuse_log(term: Value, place: Place) -> None:
    """Refuse a logarithm where a closed form in ε is needed."""
    if isinstance(term, EpsTerm) and term.has_log:
        raise fail(
            place,
            f"{term} has a logarithm",
            "log(r) / eps stands beside reals: added to them, compared with them, or as a mean.",
            "Write a rational number, or an expression in eps and exp(eps).",
        )


def chances_of(
    values: Sequence[Value],
    chances: Sequence[Value],
    place: Place,
    on: Span,
    *,
    somewhere: bool = False,
) -> tuple[EpsTerm | Number, ...]:
    """Return the probabilities of `choose`: ≥ 0 with sum 1 for every ε of an interval.

    With `somewhere`, refuse only what is wrong at every ε, because the ε for which the program
    will be used are not known yet.
    """
    for position, value in enumerate(values):
        if value in values[:position]:
            raise fail(
                place,
                f"choose lists the value {shown(value)} twice",
                "Each value has one probability.",
                "Write it once, with the sum of the probabilities.",
            )
    for value, chance in zip(values, chances, strict=True):
        if isinstance(chance, bool) or not isinstance(chance, int | Fraction | EpsTerm):
            raise fail(
                place,
                f"the probability of {shown(value)} is {shown(chance)}, "
                "which is not an expression in eps",
                "Probabilities are rational in eps and exp(q * eps).",
                "Give a rational number such as 0.05, or exp(eps) / (1 + exp(eps)).",
            )
    found: tuple[EpsTerm | Number, ...] = tuple(chances)
    if not _are_plain(found):
        for chance in found:
            refuse_log(chance, place)
        try:
            found = tuple(resolved(chance, on, place) for chance in found)
        except ProgramError:
            if somewhere:
                return found
            raise
    problem = _problem(found, on, somewhere)
    if problem is not None:
        which, text = problem
        who = "" if which is None else f" of {shown(values[which])}"
        message = text.replace("{who}", who)
        rule, declare = "their sum is 1", "."
        if which is not None and not somewhere:
            defined = _where_nonnegative(found)
            declare = _DECLARE.format("(0, 1]")
            if len(defined):
                rule += f"; here they are non-negative for eps in {defined}"
                declare = _DECLARE.format(_declared(defined))
        raise ProgramError(
            message,
            place=place,
            rule=f"Probabilities are non-negative for every eps {_in(on)} and {rule}.",
            way_out="Write the last one as 1 minus the others, and see that none is negative"
            + declare,
        )
    return found


class OrderChangesError(ProgramError):
    """Which argument `min` or `max` selects changes inside the given interval of ε."""

    gap: ClosedForm
    """The function that changes its sign there."""

    def __reduce__(self) -> tuple[object, ...]:
        return *super().__reduce__(), {"gap": self.gap}


def order_changes(
    gap: ClosedForm, what: str, on: Span, place: Place | None = None
) -> OrderChangesError:
    """Return the error for a function that changes its sign at some ε."""
    cuts = [cut for cut in roots(gap, around(on), "1e-9") if cut.multiplicity % 2]
    where = ", ".join(
        str(cut.lower) if cut.is_exact else f"{float(cut.lower):.6g}…" for cut in cuts
    )
    error = OrderChangesError(
        f"{what} changes at eps = {where}, inside {on}",
        place=place,
        rule="Here min, max and abs have to be one of their parts for all eps that are asked for.",
        way_out='Ask for the intervals between these eps one by one: epsilon="(0, 1]" of the '
        "claim or of @mechanism.",
    )
    error.gap = gap
    return error


def resolved(term: EpsTerm | Number, on: Span, place: Place) -> EpsTerm | Number:
    """Return a term with `min` and `max` replaced by the argument that they select on a span of ε.

    Refuse a term for which that argument changes inside.
    """
    if not isinstance(term, EpsTerm) or term.op == "eps":
        return term
    parts = tuple(resolved(part, on, place) for part in term.args)
    if term.op not in ("min", "max"):
        return EpsTerm(term.op, parts)
    order = _order(parts[0], parts[1], on)
    if order is None:
        one, two = (closed_form(part, eps, exp) for part in parts)
        raise order_changes(one - two, f"which part {term} is", on, place)
    return parts[0 if (order <= 0) == (term.op == "min") else 1]


@lru_cache(maxsize=1024)
def _are_plain(terms: tuple[EpsTerm | Number, ...]) -> bool:
    """Whether no term contains a logarithm, `min` or `max`."""
    parts = [term for term in terms if isinstance(term, EpsTerm)]
    return all(
        part.op not in ("log", "min", "max") and (part.op == "eps" or _are_plain(part.args))
        for part in parts
    )


@lru_cache(maxsize=1024)
def _order(left: EpsTerm | Number, right: EpsTerm | Number, on: Span) -> int | None:
    """Return −1 if left ≤ right for every ε of a span, 1 if left ≥ right; None if neither."""
    gap = closed_form(right, eps, exp) - closed_form(left, eps, exp)
    if is_nonnegative(gap, on):
        return -1
    return 1 if is_nonnegative(-gap, on) else None


@lru_cache(maxsize=1024)
def never(chance: EpsTerm | Number) -> bool:
    """Whether a probability is 0 for every ε, decided exactly."""
    return bool(closed_form(chance, eps, exp) == 0)


@lru_cache(maxsize=1024)
def _problem(
    chances: tuple[EpsTerm | Number, ...], on: Span, somewhere: bool
) -> tuple[int | None, str] | None:
    """Return the problem with probabilities as functions of ε, decided exactly, or None."""
    if not any(isinstance(chance, EpsTerm) for chance in chances):
        return _plain_problem(tuple(Fraction(chance) for chance in chances))  # type: ignore[arg-type]
    forms = [closed_form(chance, eps, exp) for chance in chances]
    total = sum(forms[1:], start=forms[0])
    if total != 1:
        shown = _witness(lambda at: sum(_at(chance, at) for chance in chances), 1)
        return None, f"the probabilities do not sum to 1: their sum is {total}{shown}"
    for position, form in enumerate(forms):
        if not is_nonnegative(form, on) and not (somewhere and not is_positive(-form, on)):
            shown = _negative_at(nonnegative(form, around(on)))
            return position, f"the probability{{who}} is negative{shown}: {form}"
    return None


def _where_nonnegative(chances: Sequence[EpsTerm | Number]) -> SolutionSet:
    """Return the ε at which no probability is negative."""
    found = solution_set(closed_form(1, eps, exp))
    for chance in chances:
        found &= solution_set(closed_form(chance, eps, exp))
    return found


def _declared(defined: SolutionSet) -> str:
    """Return the first part of a set of ε as an interval with rational ends inside it."""
    first = defined.stretches[0]
    lower = first.lower.upper if isinstance(first.lower, Root) else first.lower
    upper = first.upper.lower if isinstance(first.upper, Root) else first.upper
    if isinstance(first.lower, Root) and not first.lower.is_exact:
        lower = -(-lower * 1000 // 1) / Fraction(1000)
    if isinstance(first.upper, Root) and not first.upper.is_exact:
        upper = upper * 1000 // 1 / Fraction(1000)
    return str(Interval(lower, upper, lower_open=first.lower_open, upper_open=first.upper_open))


def closed_form(chance: EpsTerm | Number, eps: Any, exp: Callable[[Any], Any]) -> Any:
    """Return a probability as a closed form of `exactdp.reals`."""
    if isinstance(chance, EpsTerm):
        return chance.fold(eps, exp) + 0 * eps
    return chance + 0 * eps


def _plain_problem(chances: tuple[Fraction, ...]) -> tuple[int | None, str] | None:
    for position, chance in enumerate(chances):
        if chance < 0:
            return position, f"the probability{{who}} is negative: {chance}"
    total = sum(chances)
    return None if total == 1 else (None, f"the probabilities sum to {total}, not to 1")


def _at(chance: EpsTerm | Number, eps: float) -> float:
    return chance.at(eps) if isinstance(chance, EpsTerm) else float(chance)


def _witness(total: Callable[[float], float], expected: float) -> str:
    """Return an ε at which the sum is visibly wrong, for the message only."""
    for at in (1.0, 0.5, 2.0, 0.1, 10.0):
        try:
            if abs(total(at) - expected) > 1e-6:
                return f", which is {total(at):.6g} at eps = {Fraction(str(at))}"
        except (ArithmeticError, ValueError):
            continue
    return ""


def _negative_at(verdict: Any) -> str:
    """Return the ε at which a probability is negative, as the decision found it."""
    return "" if verdict.witness is None else f" at eps = {verdict.witness}"

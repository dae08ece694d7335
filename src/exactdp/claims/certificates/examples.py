"""Counterexamples as the plain data of certificates, with a precision that suffices for checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.evaluation import EvaluationPoint
from exactdp.certify.rederive.near_logs import PointLevel
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.certify.rederive.statement import Statement
from exactdp.claims.certificates.apart import halfspaces
from exactdp.claims.certificates.document import quotient_json
from exactdp.claims.certificates.parts import checker_of
from exactdp.claims.certificates.plain_data import (
    interval_json,
    number_json,
    quotient_in,
    setting_json,
    value_json,
)
from exactdp.claims.certificates.products import between, boxes, multiplies
from exactdp.language.layout import entries
from exactdp.reals import ClosedForm, Enclosure, ExpPoly, Interval, eps
from exactdp.reals.certificates import Json, precision
from exactdp.reals.logs import UNIT, LogForm, base_of, log_enclosure
from exactdp.reals.numbers import inf, spell
from exactdp.reals.radical_form import no_radical_certificate
from exactdp.reals.radicals import Radical
from exactdp.reals.square_roots import CLOSE, at_most

if TYPE_CHECKING:
    from exactdp.claims.decision.counterexamples import Counterexample
    from exactdp.claims.stated.statement import AccuracyStatement


_BITS = 1024  # with which conditions are compared with 0
_LOG_BITS = 200  # of the bounds on a logarithm, which are compared with 256


def _enclosure(value: Enclosure) -> list[str]:
    ends = value.lower_mantissa, value.upper_mantissa
    power = f"*2^{value.exponent}" if value.exponent else ""
    return [f"{spell(end)}{power}" for end in ends]


def _below(one: Counterexample) -> Any:
    """Return dd, or a rational between α and an irrational or infinite dd."""
    if isinstance(one.alpha, LogForm) and one.distance == inf:
        return Fraction(math.ceil(one.alpha.at(one.eps).upper))
    if not isinstance(one.distance, Radical):
        return at_most(one.distance)
    room = CLOSE
    while (found := one.distance.near(-1, room)) <= one.alpha:
        room *= CLOSE
    return found


def level_at_json(level: Any) -> Any:
    """Return α or γ at an ε: a number, or one and a factor of a logarithm."""
    if not isinstance(level, LogForm):
        return spell(level)
    (unit,) = (name for name in level.units if name != UNIT)
    form = level.form.substitute(**{UNIT: ExpPoly(1)})
    found = {powers: Fraction(c) for c, powers, _ in form.numerator.terms}
    return [spell(found.get(powers, Fraction(0))) for powers in ((), ((unit, 1),))]


def example_json(
    claim: AccuracyStatement, one: Counterexample, case: int, orders: Sequence[ClosedForm]
) -> Json:
    """Return a counterexample as plain data, without its probability, β and precision."""
    below = _below(one)
    if isinstance(one.alpha, Radical) or isinstance(one.gamma, Radical):
        raise no_radical_certificate()
    u = claim.mechanism.read_input(one.input)
    if multiplies(claim):
        below = between(one.alpha, below)
        found = boxes(setting_json(claim), entries(u), one.output, one.alpha, below)
        around: Json = {"boxes": found}
    else:
        setting = setting_json(claim)
        if orders:  # then only this ε is examined
            setting["epsilon"] = interval_json(Interval(one.eps, one.eps))
        found = halfspaces(setting, [*entries(u)], one.output, one.alpha, below, orders)
        around = {"apart": found}
    return {
        "case": case,
        "input": [value_json(each) for each in u],
        "output": value_json(one.output),
        "distance": number_json(below),
        "eps": spell(one.eps),
        "alpha": level_at_json(one.alpha),
        "gamma": level_at_json(one.gamma),
        "actual": _enclosure(one.actual),
        "required": _enclosure(one.required),
        **around,
    }


def counterexample_json(
    claim: AccuracyStatement,
    one: Counterexample,
    stated: Json,
    unit: str | None = None,
    orders: Sequence[ClosedForm] = (),
) -> Json:
    """Return a counterexample to a claim as stated, where some functions of ε are ≥ 0."""
    found = example_json(claim, one, _case_of(claim, one, stated), orders)
    if unit not in (None, UNIT):
        return _with_log(found, one, stated, unit)
    written: Json = {
        **found,
        "probability": quotient_json(one.probability),
        "beta": quotient_json(one.beta),
    }

    def is_enough(bits: int) -> bool:
        checker = Statement()
        chance, beta = (checker.quotient(written[name]) for name in ("probability", "beta"))
        point, ends = EvaluationPoint(one.eps, bits), (written["actual"], written["required"])
        checker.refuted(point, chance, beta, ends)
        return True

    return {**written, "bits": precision(is_enough)}


def _case_of(claim: AccuracyStatement, one: Counterexample, stated: Json) -> int:
    """Return the first case that is claimed at a counterexample."""
    if len(stated["cases"]) == 1:
        return 0
    if isinstance(one.alpha, Radical) or isinstance(one.gamma, Radical):
        raise no_radical_certificate()
    checker = checker_of(stated)
    u = [*entries(claim.mechanism.read_input(one.input))]
    at = [PointLevel.read(checker, level_at_json(x)) for x in (one.alpha, one.gamma)]
    log = log_enclosure(checker.unit, _BITS) if checker.unit else None
    for k, case in enumerate(checker.cases):
        with suppress(RejectedError, UnsupportedError):
            if checker.is_made(case, u, at, EvaluationPoint(one.eps, _BITS, log)):
                return k
    return 0  # the checker will report why


def _with_log(found: Json, one: Counterexample, stated: Json, unit: str) -> Json:
    """Return a counterexample with a logarithm, and bounds on it that suffice."""
    base = base_of(unit)
    assert base is not None
    forms: dict[str, Any] = {"probability": one.probability, "beta": one.beta}
    at_one = {UNIT: eps / one.eps}  # that is 1 there
    written: Json = {
        **found,
        **{
            key: quotient_in(getattr(form, "form", form).substitute(**at_one), ("eps", unit))
            for key, form in forms.items()
        },
        "log": [spell(end) for end in log_enclosure(base, _LOG_BITS)],
    }

    def is_enough(bits: int) -> bool:
        checker_of(stated).counterexample({**written, "bits": bits})
        return True

    return {**written, "bits": precision(is_enough)}

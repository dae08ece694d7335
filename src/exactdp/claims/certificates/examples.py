"""Counterexamples as the plain data of certificates, with a precision that suffices for checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.evaluation import EvaluationPoint
from exactdp.certify.rederive.statement import Statement
from exactdp.claims.certificates.apart import halfspaces
from exactdp.claims.certificates.document import quotient_json
from exactdp.claims.certificates.plain_data import (
    interval_json,
    number_json,
    setting_json,
    value_json,
)
from exactdp.claims.certificates.products import between, boxes, multiplies
from exactdp.language.layout import entries
from exactdp.reals import ClosedForm, Enclosure, ExpPoly, Interval
from exactdp.reals.certificates import Json, precision
from exactdp.reals.logs import UNIT, LogForm
from exactdp.reals.numbers import inf, spell
from exactdp.reals.radical_form import no_radical_certificate
from exactdp.reals.radicals import Radical
from exactdp.reals.square_roots import CLOSE, at_most

if TYPE_CHECKING:
    from exactdp.claims.decision.counterexamples import Counterexample
    from exactdp.claims.stated.statement import AccuracyStatement


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
    claim: AccuracyStatement, one: Counterexample, case: int = 0, orders: Sequence[ClosedForm] = ()
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
    claim: AccuracyStatement, one: Counterexample, case: int = 0, orders: Sequence[ClosedForm] = ()
) -> Json:
    """Return a counterexample to a case of a claim, where some functions of ε are ≥ 0."""
    written: Json = {
        **example_json(claim, one, case, orders),
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

"""Certificates of whole claims: a verdict written down so that `exactdp.certify` can check it.

The format is described in `docs/schema/certificate-v2.json`. Whatever the checker can re-derive is
only stated; proofs of signs are written once for equal problems.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby, product
from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.statement import Statement
from exactdp.claims.distances import Distance, numeric
from exactdp.claims.expressions import (
    Constant,
    Exponential,
    Expression,
    Minimum,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
)
from exactdp.claims.hypotheses import proved_signs
from exactdp.claims.ideals import IdealFunction, IdealProgram
from exactdp.claims.inputs import AllReals, Box, Grid, as_given, has_reals, listed, real_count
from exactdp.claims.levels import Level, Range
from exactdp.claims.obligations import ROUTES
from exactdp.claims.output_distances import LargestError, OutputDistance
from exactdp.errors import ExactdpError
from exactdp.language.layout import entries
from exactdp.language.program import DeterministicProgram, typed_program
from exactdp.language.values import List, Value
from exactdp.reals import ClosedForm, Decision, Enclosure, Interval, nonnegative
from exactdp.reals.certificates import VERSION, Json, precision, seal, terms
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.counterexamples import Counterexample
    from exactdp.claims.verdict import Verdict
    from exactdp.claims.work import Problem, Sign

_LARGEST_TABLE = 2_000  # inputs of an ideal that is written as a table


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict."""
    claim = verdict.claim
    on_cones = verdict.is_everywhere or (verdict.holds and verdict.route not in ROUTES.values())
    body: Json = {
        "format": "exactdp-certificate",
        "version": VERSION,
        "kind": "everywhere" if on_cones else "claim",
        "claim": _claim(claim),
        "verdict": {True: "holds", False: "fails", None: "undecided"}[verdict.holds],
        "reason": verdict.missing if verdict.holds is None else "",
        "counterexamples": [_counterexample(claim, one) for one in verdict.counterexamples],
        **(_on_cones(verdict) if on_cones else _at_inputs(verdict)),
    }
    return {**body, "seal": seal(body)}


def _at_inputs(verdict: Verdict) -> Json:
    """Return what was examined at listed inputs."""
    signs = _Signs()
    inputs: list[Json] = []
    if verdict.route in ROUTES.values():
        inputs = _inputs(verdict, signs)
        if verdict.holds:
            _say_that_beta_falls(verdict.claim, signs)
    return {"inputs": inputs, "signs": signs.written}


def _on_cones(verdict: Verdict) -> Json:
    """Return what was examined for all real inputs, or for all α and γ."""
    from exactdp.claims.certificates_everywhere import spaces_and_signs  # noqa: PLC0415 both ways

    spaces, signs = spaces_and_signs(verdict) if verdict.holds else ([], [])
    return {"spaces": spaces, "signs": signs}


# The claim ----------------------------------------------------------------------------


def _claim(claim: Accuracy) -> Json:
    by_input = callable(claim.beta) and not isinstance(claim.beta, Expression)
    return {
        "mechanism": str(claim.mechanism),
        "ideal": _ideal(claim),
        "beta": None if by_input else _tree(claim.beta_at(())),
        "alpha": _level(claim.alpha_level),
        "gamma": _level(claim.gamma_level),
        "input_distance": _input_distance(claim),
        "output_distance": _output_distance(claim.output_metric),
        "boundary": claim.boundary,
        "agreement": claim.agreement,
        "epsilon": _interval(claim.epsilon),
        "inputs": _which(claim),
    }


def _ideal(claim: Accuracy) -> Json:
    if claim.ideal is None:
        return {"noiseless": True}
    function: IdealFunction = claim.ideal_function
    if isinstance(function, IdealProgram):
        return {"source": str(function.function)}
    size = 1
    for param in claim.mechanism.inputs:
        size *= len(list(param.type.values())) if param.type is not None else 0
    if has_reals(claim.mechanism) or size > _LARGEST_TABLE:
        return {"python": str(function)}
    every = product(*(param.type.values() for param in claim.mechanism.inputs if param.type))
    table = []
    for u in every:
        with contextlib.suppress(ExactdpError):  # an ideal need only be defined where it is used
            table.append([[_value(one) for one in u], _value(function(u))])
    return {"table": table}


def _input_distance(claim: Accuracy) -> Json:
    metric = claim.input_metric
    if type(metric) is type(numeric):
        return {"name": "numeric", "threshold": spell(metric.threshold)}
    function = getattr(metric, "function", None)
    return {"name": metric.name} if function is None else {"source": str(function)}


def _output_distance(metric: OutputDistance) -> Json:
    function = getattr(metric, "function", None)
    if getattr(metric, "score", None) is not None or isinstance(metric, LargestError):
        return {"python": metric.name}
    if function is None:
        return {"name": metric.name}
    if not isinstance(function, DeterministicProgram):
        try:
            function = typed_program(function, ())
        except ExactdpError:
            return {"python": metric.name}
    return {"source": str(function)}


def _level(level: Level) -> Json:
    if isinstance(level, Range):
        return {"range": _interval(level.interval)}
    return {"formula": _tree(level)}


def _which(claim: Accuracy) -> Json:
    given = claim.input_set
    if isinstance(given, Grid):
        return {"grid": [spell(given.lower), spell(given.upper), spell(given.step)]}
    if isinstance(given, AllReals):
        return {"reals": True}
    if isinstance(given, Box):
        ends = given.ends(real_count(claim.mechanism))
        return {"box": [[spell(low), spell(high)] for low, high in ends]}
    assert isinstance(given, tuple)
    return {"list": [[_value(one) for one in u] for u in given]}


def _tree(formula: Expression) -> list[Any]:
    match formula:
        case Constant(form):
            return ["form", *_form(form)]
        case Symbol(name):
            return ["name", name]
        case Sum(left, right):
            return ["+", _tree(left), _tree(right)]
        case Product(left, right):
            return ["*", _tree(left), _tree(right)]
        case Quotient(left, right):
            return ["/", _tree(left), _tree(right)]
        case Power(base, power):
            return ["**", _tree(base), power]
        case Exponential(exponent):
            return ["exp", _tree(exponent)]
        case Minimum(parts):
            return ["min", *map(_tree, parts)]
    raise AssertionError(f"not an expression: {formula}")


# Values -------------------------------------------------------------------------------


def _value(value: Value) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    if isinstance(value, str):
        return {"text": value}
    return _number(value)


def _number(value: Distance | int) -> str:
    return str(value) if isinstance(value, float) else spell(Fraction(value))


def _form(form: ClosedForm) -> list[Any]:
    return [terms(form.numerator), terms(form.denominator)]


def _interval(on: Interval) -> Json:
    return {
        "lower": _number(on.lower),
        "lower_closed": not on.lower_open,
        "upper": _number(on.upper),
        "upper_closed": not on.upper_open,
    }


def _enclosure(value: Enclosure) -> list[str]:
    ends = value.lower_mantissa, value.upper_mantissa
    power = f"*2^{value.exponent}" if value.exponent else ""
    return [f"{spell(end)}{power}" for end in ends]


# Inputs -------------------------------------------------------------------------------


class _Signs:
    """The proofs of signs, each once."""

    def __init__(self) -> None:
        self.written: list[Json] = []
        self._places: dict[ClosedForm, int] = {}

    def place(self, decision: Decision) -> int:
        """Return where a decision is written."""
        if decision.function not in self._places:
            self._places[decision.function] = len(self.written)
            whole = decision.certificate
            self.written.append({name: whole[name] for name in ("claim", "verdict", "proof")})
        return self._places[decision.function]


def _inputs(verdict: Verdict, signs: _Signs) -> list[Json]:
    claim = verdict.claim
    found = {
        u: list(group) for u, group in groupby(verdict.decided, lambda one: one[0].obligation.input)
    }
    by_input = callable(claim.beta) and not isinstance(claim.beta, Expression)
    written: list[Json] = []
    for u in list(listed(claim.mechanism, claim.input_set))[: verdict.inputs]:
        record: Json = {
            "input": [_value(one) for one in u],
            "output": _value(claim.ideal_function(u)),
            "distance": "",
            "near": None,
            "beta": _tree(claim.beta_at(as_given(claim.mechanism, u))) if by_input else None,
            "steps": None,
            "obligations": None,
        }
        distance = _near(claim, u, record)
        record["distance"] = _number(distance)
        if u in found or _is_due(claim, u, distance):
            record["obligations"] = list(_obligations(found.get(u, []), signs))
            if claim.obligations.route == "any gamma":
                steps = claim.obligations.within.steps(u, claim.ideal_function(u))
                record["steps"] = [_number(step) for step, _ in steps]
        written.append(record)
    return written


def _is_due(claim: Accuracy, u: tuple[Value, ...], distance: Distance) -> bool:
    """Whether the claim is made at an input where nothing had to be proved."""
    closed = claim.boundary == "check"
    level = claim.alpha_level
    if isinstance(level, Range):
        return level.reaches_below(distance, closed=closed)
    number = level.at(claim.obligations.input_values(u)).numerator.constant()
    return number is not None and (number < distance or (closed and number == distance))


def _say_that_beta_falls(claim: Accuracy, signs: _Signs) -> None:
    """Add the signs of closed forms in β that show that it falls, where it has to."""
    levels = claim.alpha_level, claim.gamma_level
    if callable(claim.beta) and not isinstance(claim.beta, Expression):
        return
    if any(isinstance(level, Range) for level in levels):
        for formula in (claim.formula, *levels):
            if isinstance(formula, Expression):
                for form in proved_signs(formula, claim.epsilon):
                    signs.place(nonnegative(form, claim.epsilon))


def _obligations(checked: list[tuple[Problem, Sign]], signs: _Signs) -> Iterator[Json]:
    for _, group in groupby(checked, lambda one: id(one[0].obligation)):
        decided = list(group)
        one = decided[0][0].obligation
        places = {
            problem.alternative: signs.place(sign)
            for problem, sign in decided
            if isinstance(sign, Decision)
        }
        yield {
            "alpha": _number(one.alpha),
            "alpha_reached": one.alpha_reached,
            "gamma": _number(one.gamma),
            "gamma_reached": one.gamma_reached,
            "probability": _form(one.probability),
            "beta": [
                {"form": _form(form), "sign": places.get(k)} for k, form in enumerate(one.beta)
            ],
        }


def _near(claim: Accuracy, u: tuple[Value, ...], record: Json) -> Distance:
    """Return dd(u), and write an input that disagrees, or a way along which inputs do."""
    found = claim.disagreement(as_given(claim.mechanism, u))
    if found.input is None:
        return found.distance
    point = found.input if len(claim.mechanism.inputs) > 1 else (found.input,)
    there = entries(tuple(List(one) if isinstance(one, tuple | list) else one for one in point))
    record["near"] = {
        "at": [_value(one) for one in there],
        "towards": None if found.towards is None else [spell(one) for one in found.towards],
    }
    return found.distance


def _counterexample(claim: Accuracy, one: Counterexample) -> Json:
    written: Json = {
        "input": [_value(each) for each in claim.mechanism.read_input(one.input)],
        "output": _value(one.output),
        "distance": _number(one.distance),
        "eps": spell(one.eps),
        "alpha": spell(one.alpha),
        "gamma": spell(one.gamma),
        "probability": _form(one.probability),
        "beta": _form(one.beta),
        "actual": _enclosure(one.actual),
        "required": _enclosure(one.required),
    }

    def is_enough(bits: int) -> bool:
        checker = Statement()
        chance, beta = (checker.quotient(written[name]) for name in ("probability", "beta"))
        checker.refuted(one.eps, bits, chance, beta, (written["actual"], written["required"]))
        return True

    return {**written, "bits": precision(is_enough)}

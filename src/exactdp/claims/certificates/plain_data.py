"""Claims, formulas and values as the plain data of certificates.

The format is described in `docs/schema/certificate-v2.json`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.certificates.products import source_of
from exactdp.claims.stated.distances import Distance, NonlinearDistance, input_type, numeric
from exactdp.claims.stated.expressions import (
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
from exactdp.claims.stated.ideals import IdealFunction, IdealProgram, NonlinearIdeal
from exactdp.claims.stated.inputs import (
    AllReals,
    Box,
    Grid,
    Inputs,
    every_input,
    has_reals,
    how_many,
    real_count,
)
from exactdp.claims.stated.levels import Level, Range
from exactdp.claims.stated.output_distances import ErrorOfEntries, OutputDistance
from exactdp.claims.stated.powers_of_e import ConstantForm
from exactdp.errors import ExactdpError
from exactdp.language.program import DeterministicProgram, Program, typed_program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Interval
from exactdp.reals.certificates import Json, terms
from exactdp.reals.logs import base_of, is_constant
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement


_LARGEST_TABLE = 2_000  # inputs of an ideal that is written as a table


def form_json(form: Sequence[Fraction | int]) -> list[str]:
    """Return the coefficients of a linear form as plain data."""
    return [spell(Fraction(q)) for q in form]


def setting_json(claim: AccuracyStatement) -> Json:
    """Return all parts of the claim except α, β and γ."""
    return {
        "mechanism": str(claim.mechanism),
        "ideal": ideal_json(claim.mechanism, claim.ideal, claim.ideal_function),
        "input_distance": _input_distance(claim),
        "output_distance": _output_distance(claim.output_metric),
        "boundary": claim.boundary,
        "agreement": claim.agreement,
        "epsilon": interval_json(claim.epsilon),
        "inputs": inputs_json(claim.mechanism, claim.input_set),
    }


def ideal_json(mechanism: Program, ideal: object, function: IdealFunction) -> Json:
    """Return an ideal, given and as read, as plain data: its source, a table, or its name."""
    if ideal is None:
        return {"noiseless": True}
    if isinstance(function, IdealProgram):
        return {"source": str(function.function)}
    if isinstance(function, NonlinearIdeal):
        types = [param.type for param in mechanism.inputs]
        return {"source": source_of(function.function, f"the ideal {function}", types)}
    if has_reals(mechanism) or how_many(mechanism, 1) > _LARGEST_TABLE:
        return {"python": str(function)}
    table = []
    for u in every_input(mechanism):
        with contextlib.suppress(ExactdpError):  # an ideal need only be defined where it is used
            table.append([[value_json(one) for one in u], value_json(function(u))])
    return {"table": table}


def _input_distance(claim: AccuracyStatement) -> Json:
    metric = claim.input_metric
    if type(metric) is type(numeric):
        return {"name": "numeric", "threshold": spell(metric.threshold)}
    if isinstance(metric, NonlinearDistance):
        kind = input_type(claim.mechanism)
        return {"source": source_of(metric.function, f"the distance {metric}", [kind, kind])}
    function = getattr(metric, "function", None)
    return {"name": metric.name} if function is None else {"source": str(function)}


def _output_distance(metric: OutputDistance) -> Json:
    function = getattr(metric, "function", None)
    if isinstance(metric, ErrorOfEntries):
        return {"entries": list(metric.entries)}
    if getattr(metric, "score", None) is not None:
        return {"python": metric.name}
    if function is None:
        return {"name": metric.name}
    if not isinstance(function, DeterministicProgram):
        try:
            function = typed_program(function, ())
        except ExactdpError:
            return {"python": metric.name}
    return {"source": str(function)}


def level_json(level: Level) -> Json:
    """Return α or γ as plain data."""
    if isinstance(level, Range):
        return {"range": interval_json(level.interval)}
    return {"formula": tree_json(level)}


def inputs_json(mechanism: Program, given: Inputs) -> Json:
    """Return a set of inputs as plain data."""
    if isinstance(given, Grid):
        return {"grid": [spell(given.lower), spell(given.upper), spell(given.step)]}
    if isinstance(given, AllReals):
        return {"reals": True}
    if isinstance(given, Box):
        ends = given.ends(real_count(mechanism))
        return {"box": [[number_json(low), number_json(high)] for low, high in ends]}
    assert isinstance(given, tuple)
    return {"list": [[value_json(one) for one in u] for u in given]}


def tree_json(formula: Expression) -> list[Any]:
    """Return a formula as plain data."""
    match formula:
        case ConstantForm(form):
            return _with_names(form)
        case Constant(form):
            return ["form", *_form(form)]
        case Symbol(name):
            return ["name", name]
        case Sum(left, right):
            return ["+", tree_json(left), tree_json(right)]
        case Product(left, right):
            return ["*", tree_json(left), tree_json(right)]
        case Quotient(left, right):
            return ["/", tree_json(left), tree_json(right)]
        case Power(base, power):
            return ["**", tree_json(base), power]
        case Exponential(exponent):
            return ["exp", tree_json(exponent)]
        case Minimum(parts):
            return ["min", *map(tree_json, parts)]
    raise AssertionError(f"not an expression: {formula}")


def _with_names(form: ClosedForm) -> list[Any]:
    """Return a closed form with 1 and logarithms as parameters: "1" and "log(r)" are names."""
    groups: dict[tuple[Any, Any], list[Any]] = {}
    for c, powers, rates in form.numerator.terms:
        key = (
            tuple(one for one in powers if base_of(one[0]) is not None),
            tuple(one for one in rates if is_constant(one[0])),
        )
        kept = (tuple(x for x in given if x[0] == "eps") for given in (powers, rates))
        groups.setdefault(key, []).append((c, *kept))
    tree: list[Any] = []
    for (powers, rates), terms_here in sorted(groups.items()):
        part: list[Any] = ["form", *_form(ExpPoly(terms_here) / form.denominator)]
        for name, k in powers:
            part = ["*", part, ["**", _name(name), k] if k > 1 else _name(name)]
        for name, q in rates:
            part = ["*", part, ["exp", ["*", ["form", *_form(ExpPoly(q))], _name(name)]]]
        tree = ["+", tree, part] if tree else part
    return tree


def _name(constant: str) -> list[str]:
    base = base_of(constant)
    return ["name", "1" if base is None else f"log({base})"]


def value_json(value: Value) -> Any:
    """Return a value as plain data."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, tuple):
        return [value_json(one) for one in value]
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Interval):  # outputs of an event: closed if of integers
        ends = [value.lower, value.upper]
        is_whole = not (value.lower_open and value.upper_open)
        return {"integers" if is_whole else "reals": [number_json(end) for end in ends]}
    return number_json(value)


def number_json(value: Distance | int) -> str:
    """Return a rational or infinite number as plain data."""
    return str(value) if isinstance(value, float) else spell(Fraction(value))


def _form(form: ClosedForm) -> list[Any]:
    return [terms(form.numerator), terms(form.denominator)]


def quotient_in(form: ClosedForm, names: Sequence[str]) -> list[Any]:
    """Return a quotient of sums in some parameters."""
    return [sum_in(part, names) for part in (form.numerator, form.denominator)]


def sum_in(form: Any, names: Sequence[str]) -> list[Any]:
    """Return a sum in some parameters as plain data."""
    return [
        [str(c), list(powers), form_json(rates)] for powers, rates, c in sorted(form.entries(names))
    ]


def interval_json(on: Interval) -> Json:
    """Return an interval as plain data."""
    return {
        "lower": number_json(on.lower),
        "lower_closed": not on.lower_open,
        "upper": number_json(on.upper),
        "upper_closed": not on.upper_open,
    }

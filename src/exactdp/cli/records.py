"""Answers as JSON: exact numbers are strings such as "1/3", enclosures have two endpoints."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp import Expected, Privacy
from exactdp.cli.output import Json
from exactdp.errors import ExactdpError
from exactdp.reals import ClosedForm, Enclosure, Interval, Root, SolutionSet
from exactdp.reals.numbers import spell
from exactdp.reals.radicals import Surd

if TYPE_CHECKING:
    from exactdp import (
        Breach,
        Counterexample,
        DeltaCurve,
        Excess,
        ExpectedVerdict,
        Factor,
        Kappa,
        Leakage,
        PrivacyVerdict,
        Tightness,
        Verdict,
    )


def shown(value: Any) -> str:
    """Return an input or an output as a user would write it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, Fraction):
        return spell(value)
    if isinstance(value, Interval):
        return f"Interval({number(value.lower)}, {number(value.upper)})"
    if isinstance(value, type):
        return value.__name__
    return repr(value) if isinstance(value, str) else str(value)


def number(value: Surd | float | int | None) -> str | None:
    """Return an exact number as a string; `inf` is "inf"."""
    if value is None:
        return None
    return spell(Fraction(value)) if isinstance(value, int | Fraction) else str(value)


def enclosure(value: Enclosure, digits: int = 30) -> Json:
    """Return an enclosure: its certified digits and, unless they are too long, both endpoints."""
    found = {"digits": value.text(digits), "lower": None, "upper": None}
    try:
        return {**found, "lower": number(value.lower), "upper": number(value.upper)}
    except ExactdpError:
        return found


def form(value: ClosedForm) -> Json:
    """Return a closed form as input for `exactdp.parse`, as readable text, and as LaTeX."""
    return {"text": str(value), "pretty": value.pretty(), "latex": value.latex()}


def boundary(value: Fraction | float | Root | None) -> Json | None:
    """Return an endpoint of a set of ε, or an ε at which an extremum is attained."""
    if value is None:
        return None
    if isinstance(value, Root):
        text = spell(value.lower) if value.is_exact else f"{float(value):.9g}…"
        return {"lower": number(value.lower), "upper": number(value.upper), "text": text}
    text = str(number(value)).replace("inf", "∞")
    return {"lower": number(value), "upper": number(value), "text": text}


def solutions(found: SolutionSet) -> list[Json]:
    """Return a set of ε as a list of its intervals."""
    return [
        {
            "lower": boundary(one.lower),
            "upper": boundary(one.upper),
            "lower_open": one.lower_open,
            "upper_open": one.upper_open,
        }
        for one in found
    ]


def counterexample(one: Counterexample) -> Json:
    """Return a counterexample."""
    return {
        "sentence": str(one),
        "input": shown(one.input),
        "eps": number(one.eps),
        "alpha": number(one.alpha),
        "gamma": number(one.gamma),
        "ideal_output": shown(one.output),
        "distance": number(one.distance),
        "probability": form(one.probability),
        "beta": form(one.beta),
        "error": enclosure(one.error),
        "allowed": enclosure(one.allowed),
        "actual": enclosure(one.actual),
        "required": enclosure(one.required),
    }


def breach(one: Breach) -> Json:
    """Return a counterexample to a privacy claim."""
    first, second = one.probabilities
    return {
        "sentence": str(one),
        "inputs": [shown(u) for u in one.inputs],
        "outputs": [shown(output) for output in one.outputs],
        "eps": number(one.eps),
        "what": one.what,
        "probabilities": [enclosure(first), enclosure(second)],
        "allowed": enclosure(one.limit),
        "forms": [form(one.chance), form(one.other)],
    }


def excess(one: Excess) -> Json:
    """Return a counterexample to a bound on an expected loss."""
    return {
        "sentence": str(one),
        "input": shown(one.input),
        "eps": number(one.eps),
        "expected": enclosure(one.size),
        "allowed": enclosure(one.allowed),
        "forms": [form(one.expected), form(one.claimed)],
    }


def leakage(found: Leakage) -> Json:
    """Return the smallest factor, and the pair, output and ε that determine it."""
    return {
        "sentence": str(found),
        "saving": found.saving,
        "factor": kappa(found.factor),
        "inputs": None if found.inputs is None else [shown(u) for u in found.inputs],
        "outputs": None if found.outputs is None else [shown(one) for one in found.outputs],
        "eps": boundary(found.eps),
    }


def delta_curve(found: DeltaCurve) -> Json:
    """Return the smallest δ, piece by piece."""
    return {
        "sentence": str(found),
        "pieces": [
            {
                "lower": boundary(one.where.lower),
                "upper": boundary(one.where.upper),
                "delta": form(one.delta),
                "inputs": None if one.inputs is None else [shown(u) for u in one.inputs],
                "outputs": [shown(output) for output in one.outputs],
            }
            for one in found.pieces
        ],
    }


def verdict(found: Verdict | PrivacyVerdict | ExpectedVerdict) -> Json:
    """Return a verdict."""
    kind, failure = kind_of(found.claim)
    return {
        "verdict": found.outcome,
        "vacuous": found.vacuous,
        "sentence": found.sentence,
        "route": found.route,
        "inputs": found.inputs,
        "silent": found.silent,
        "trivial": found.trivial,
        "kind": kind,
        "counted": found.nouns[1],
        "assumptions": list(found.assumptions),
        "missing": found.missing,
        "counterexamples": [failure(one) for one in found.counterexamples],
        "seconds": round(found.seconds, 6),
    }


def kind_of(claim: object) -> tuple[str, Callable[[Any], Json]]:
    """Return the kind of a claim, and the function that converts its counterexamples."""
    if isinstance(claim, Privacy):
        return "privacy", breach
    return ("expected", excess) if isinstance(claim, Expected) else ("accuracy", counterexample)


def kappa(found: Kappa | Factor) -> Json:
    """Return an enclosure of κ, or of the factor a of a·ε-privacy."""
    return {"lower": number(found.lower), "upper": number(found.upper), "text": str(found)}


def tightness(found: Tightness) -> Json:
    """Return the best constant."""
    return {
        "sentence": str(found),
        "kappa": kappa(found.kappa),
        "integer": found.integer,
        "input": None if found.input is None else shown(found.input),
        "alpha": number(found.alpha),
        "gamma": number(found.gamma),
        "eps": boundary(found.eps),
        "attained": found.attained,
        "inputs": found.inputs,
        "silent": found.silent,
    }

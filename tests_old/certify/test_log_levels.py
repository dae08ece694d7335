"""Certificates of claims with logarithms in α or γ: log(r)/ε is the unit, as in mechanisms."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import jsonschema
import mpmath
import pytest

from exactdp import ANY, Accuracy, AllReals, Box, Grid, Ideal, Mechanism, ValueRefusedError, certify
from support.examples import TIMES

from .specimens import seal
from .test_cases import at
from .test_mutations import leaves, spread, variants
from .test_schema import SCHEMA

LAPLACE = Mechanism.from_source("def laplace(x: Real): return lap(eps, x)")
ABOVE = Mechanism.from_source("def above(x: Real): return lap(eps, x) > 1")
MARGIN = Mechanism.from_source("def margin(x: Real): return lap(eps, x) > 1 + log(6) / eps")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)
NOISY_MAX = Mechanism.from_source("""
def noisy_max(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""")
SPARSE = Mechanism.from_source("""
def first_above(q: Real[2]):
    t = lap(eps / 2, 0)
    for i in range(2):
        if lap(eps / 4, q[i]) >= t:
            return i
    return 2
""")
IDEAL = Ideal.from_source("def ideal(x: Real): return x > 1")

# Pr(|noise| > log(20)/ε) = 1/20. The error of `above` where dd > log(10)/ε is below 1/20, that of
# `margin` where x − 1 > log(36)/ε is below 6/(2·36) = 1/12; both come arbitrarily close.
CLAIMS: dict[str, tuple[Callable[[str], Accuracy], str, str]] = {
    "γ": (lambda b: Accuracy(LAPLACE, b, 0, "log(20)/eps", inputs=[1, 7]), "1/20", "1/21"),
    "γ everywhere": (
        lambda b: Accuracy(LAPLACE, b, 0, "log(20)/eps", inputs=AllReals()),
        "1/20",
        "1/21",
    ),
    "γ with a number": (
        lambda b: Accuracy(LAPLACE, b, 0, "log(20)/eps + 1", inputs=AllReals()),
        "1/20",
        "1/21",
    ),
    "γ with 1/ε": (  # 1/(20·e) is between 1/54 and 1/55
        lambda b: Accuracy(LAPLACE, b, 0, "(log(20) + 1)/eps", inputs=AllReals()),
        "1/54",
        "1/55",
    ),
    "half a logarithm": (  # 1/√399 is between 1/19 and 1/20
        lambda b: Accuracy(LAPLACE, b, 0, "log(399)/(2*eps)", inputs=AllReals()),
        "1/19",
        "1/20",
    ),
    "α": (lambda b: Accuracy(ABOVE, b, "log(10)/eps", inputs=AllReals()), "1/20", "1/21"),
    "α at inputs": (lambda b: Accuracy(ABOVE, b, "log(10)/eps", inputs=[9, -4]), "1/20", "1/21"),
    "α in a box": (lambda b: Accuracy(ABOVE, b, "log(10)/eps", inputs=Box(-5, 5)), "1/20", "1/21"),
    "α for some ε": (
        lambda b: Accuracy(ABOVE, b, "log(10)/eps", inputs=AllReals(), epsilon="[1, 3]"),
        "1/20",
        "1/21",
    ),
    "α at inputs for some ε": (  # at 7 and ε ≤ 3/7 the error is above e^(−18/7)/2 = 0.0382…
        lambda b: Accuracy(ABOVE, b, "log(10)/eps", inputs=[1, 7], epsilon="[2/5, 3/7]"),
        "1/20",
        "1/27",
    ),
    "the same in the mechanism": (
        lambda b: Accuracy(MARGIN, b, "log(36)/eps", ideal=IDEAL, inputs=AllReals()),
        "1/12",
        "1/13",
    ),
    "the same at an input": (
        lambda b: Accuracy(MARGIN, b, "log(36)/eps", ideal=IDEAL, inputs=[7]),
        "1/12",
        "1/13",
    ),
    "1/ε beside the mechanism's": (  # the error where x − 1 > 1/ε + 1 is below 1 − e/12 = 0.7734…
        lambda b: Accuracy(MARGIN, b, "1/eps + 1", ideal=IDEAL, inputs=AllReals()),
        "78/100",
        "77/100",
    ),
    "α of any size": (
        lambda b: Accuracy(
            LAPLACE, b, ANY, "log(20)/eps", input_distance="discrete", inputs=AllReals()
        ),
        "1/20",
        "1/21",
    ),
    "the textbook": (  # two numbers whose gap is 4·log(60)/ε: (1/2 + log(60)/2)/60² = 0.000707…
        lambda b: Accuracy(NOISY_MAX, b, "2*(log(3) + log(20))/eps", inputs=AllReals()),
        "1/20",
        "7/10000",
    ),
    "a grid": (
        lambda b: Accuracy(LARGER, b, "2*log(60)/eps", inputs=Grid(-1, 1)),
        "1/20",
        "1/10000",
    ),
    "a threshold": (
        lambda b: Accuracy(SPARSE, b, "8*log(40)/eps", inputs=AllReals()),
        "1/20",
        "1/100000000",
    ),
    "a gap": (
        lambda b: Accuracy(
            LARGER, b, 0, "4*log(60)/eps", output_distance="value_gap", inputs=AllReals()
        ),
        "1/20",
        "1/10000",
    ),
}


def sealed(claim: Accuracy, *, holds: bool) -> Any:
    verdict = claim.check()
    assert verdict.holds is holds, verdict
    return json.loads(json.dumps(verdict.certificate))


@pytest.mark.parametrize("name", CLAIMS)
def test_both_outcomes_are_certified(name: str) -> None:
    """Everything is derived again; the bounds are worked out beside the claims."""
    make, right, wrong = CLAIMS[name]
    for beta in (right, wrong):
        found = sealed(make(beta), holds=beta == right)
        report = certify.check(found)
        assert report.accepted, report.reason
        assert report.taken == ()
        jsonschema.Draft202012Validator(SCHEMA).validate(found)
        found["claim"]["cases"][0]["beta"] = [["form", [[wrong, 0, "0"]], [["1", 0, "0"]]]]
        assert certify.check(seal(found)).accepted is (beta == wrong)


@pytest.mark.parametrize(
    ("beta", "holds"),
    [
        ("exp(-alpha*eps)/2", True),
        ("exp(-2*alpha*eps)", False),
        ("minimum(exp(-2*alpha*eps), 3*exp(-alpha*eps))", False),
    ],
)
def test_beta_falls_in_a_logarithm(beta: str, holds: bool) -> None:
    """With α = log(10)/ε these are 1/20, 1/100 and 1/100; the error comes close to 1/20."""
    claim = Accuracy(ABOVE, beta, "log(10)/eps", inputs=AllReals())
    report = certify.check(sealed(claim, holds=holds))
    assert report.accepted, report.reason
    assert report.taken == ()


def test_tight_bounds_are_proved_at_a_vertex() -> None:
    """There whole powers of r are numbers; another vertex, or none, does not show the sign."""
    right = sealed(CLAIMS["α"][0]("1/20"), holds=True)
    origins = [path for path, _ in leaves(right["regions"]) if path[-2:-1] == ("origin",)]
    assert origins
    for path in origins:
        for change in ("0", "1", "-2", "1/7"):
            if at(right["regions"], path) == change:
                continue
            wrong = copy.deepcopy(right)
            at(wrong["regions"], path[:-1])[path[-1]] = change
            assert not certify.check(seal(wrong)).accepted, (path, change)
    for other in (None, [], ["0"], "0"):
        wrong = copy.deepcopy(right)
        at(wrong["regions"], origins[0][:-2])["origin"] = other
        assert not certify.check(seal(wrong)).accepted
    wrong = copy.deepcopy(right)
    del at(wrong["regions"], origins[0][:-2])["origin"]
    assert not certify.check(seal(wrong)).accepted


def _error(claim: Any, x: Fraction, e: Fraction) -> tuple[Any, Any] | None:
    """Return the largest error and β of a changed claim at an input and ε; None if it is silent."""
    log = mpmath.log(Fraction(claim["unit"]).numerator) if claim["unit"] else mpmath.mpf(0)

    def form(terms: Any) -> Any:
        return sum(
            mpmath.mpf(Fraction(c).numerator)
            / Fraction(c).denominator
            * mpmath.mpf(e.numerator) ** k
            / mpmath.mpf(e.denominator) ** k
            * mpmath.exp(mpmath.mpf((Fraction(q) * e).numerator) / (Fraction(q) * e).denominator)
            for c, k, q in terms
        )

    def value(tree: Any) -> Any:
        match tree:
            case ["form", over, under]:
                return form(over) / form(under)
            case ["name", _]:
                return log
            case ["+", one, two]:
                return value(one) + value(two)
            case ["*", one, two]:
                return value(one) * value(two)
        raise AssertionError(tree)

    case = claim["cases"][0]
    beta = max(map(value, case["beta"]))
    size = mpmath.mpf(e.numerator) / e.denominator
    if "laplace" in claim["mechanism"]:
        return mpmath.exp(-value(case["gamma"]["formula"]) * size), beta
    distance = abs(mpmath.mpf((x - 1).numerator) / (x - 1).denominator)
    if distance <= value(case["alpha"]["formula"]):
        return None
    return mpmath.exp(-distance * size) / 2, beta


@pytest.mark.parametrize("name", ["γ", "γ with 1/ε", "α", "α at inputs for some ε"])
def test_changed_certificates_prove_nothing_false(name: str) -> None:
    """What is still accepted after a slip of the pen is true, by mpmath at many ε."""
    make, right, wrong = CLAIMS[name]
    for beta in (right, wrong):
        found = sealed(make(beta), holds=beta == right)
        changes = [
            (path, change)
            for path, value in leaves({k: found[k] for k in found if k != "seal"})
            for change in variants(value)
        ]
        chosen = spread(changes, 1, name)
        for path, change in random.Random(name).sample(chosen, min(60 * TIMES, len(chosen))):
            mutant = copy.deepcopy(found)
            at(mutant, path[:-1])[path[-1]] = change
            report = certify.check(seal(mutant))
            if report.accepted and path[0] == "claim" and path[1] in ("cases", "unit"):
                pairs = [
                    _error(mutant["claim"], x, e)
                    for x in map(Fraction, ("1", "7", "9", "-4", "1/10", "332/100", "65/10"))
                    for e in map(Fraction, ("1/10", "2/5", "41/100", "1", "3", "8"))
                ]
                assert (beta == right) is all(p is None or p[0] <= p[1] + 1e-12 for p in pairs)
            elif report.accepted and path[0] == "claim":
                assert path[1] in ("epsilon", "inputs"), (path, change)


def test_what_is_stated_of_logarithms_is_checked() -> None:
    """Bounds on them, their factors at a counterexample, and the distance beyond one."""
    found = sealed(CLAIMS["α for some ε"][0]("1/20"), holds=True)
    places = [path for path, _ in leaves(found["regions"]) if path[-2:-1] == ("log",)]
    low, high = at(found["regions"], places[0][:-1])
    for ends in ([low, low], [high, high], [high, low], ["0", high], [low], None):
        wrong = copy.deepcopy(found)
        at(wrong["regions"], places[0][:-2])["log"] = ends
        assert not certify.check(seal(wrong)).accepted
    found = sealed(CLAIMS["α"][0]("1/21"), holds=False)
    (one,) = found["counterexamples"]
    assert one["alpha"][0] == "0"
    assert isinstance(one["alpha"], list)
    factor = one["alpha"][1]
    for change in (["1", factor], ["0", "0"], ["0", str(2 * Fraction(factor))], "2", [factor]):
        wrong = copy.deepcopy(found)
        wrong["counterexamples"][0]["alpha"] = change
        assert not certify.check(seal(wrong)).accepted
    for change in ("inf", "1/1000", "1000"):
        wrong = copy.deepcopy(found)
        wrong["counterexamples"][0]["distance"] = change
        assert not certify.check(seal(wrong)).accepted
    for base in ("11", "9", "100", "0", None, "1/10"):
        wrong = copy.deepcopy(found)
        wrong["claim"]["unit"] = base
        assert not certify.check(seal(wrong)).accepted


def test_two_independent_logarithms_are_refused() -> None:
    """The checker knows one unit; the message names both."""
    claim = Accuracy(
        NOISY_MAX,
        "1/20",
        "2*log(60)/eps",
        "log(3)/eps",
        output_distance="value_gap",
        inputs=AllReals(),
    )
    with pytest.raises(ValueRefusedError, match=r"log\(3\)/eps and log\(60\)/eps"):
        _ = claim.check().certificate

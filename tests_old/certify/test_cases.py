"""Certificates of claims by cases: conditions, levels that move with ε, numbers over ε."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import jsonschema
import mpmath
import pytest

from claims.formulas import exp
from exactdp import (
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Ideal,
    Mechanism,
    Range,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    gamma,
    maximum,
    parse,
    piecewise,
)
from support.examples import TIMES

from .specimens import seal
from .test_mutations import Path, leaves, spread, variants
from .test_schema import SCHEMA

LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1"
)
LAPLACE = Mechanism.from_source("def laplace(x: Real): return lap(eps, x)")
MARGIN = Mechanism.from_source("def above(x: Real): return lap(eps, x) >= 1 + 2 / eps")
LOG = Mechanism.from_source("def above(x: Real): return lap(eps, x) >= 1 + log(20) / eps")
TWO_LAPS = Mechanism.from_source(
    "def above(x: Real): return lap(eps / 3, x) + lap(eps / 3, 0) >= 1 + log(3) / eps"
)
IDEAL = Ideal.from_source("def ideal(x: Real): return x >= 1")
B = exp(-alpha * eps / 2)

CLAIMS: dict[str, Callable[[Any], Accuracy]] = {
    "a range that moves": lambda u: Accuracy(LARGER, B, alpha="[eps, inf)", inputs=u),
    "a region with the input": lambda u: Accuracy(
        LARGER, B, region="alpha <= q[0] - q[1] and alpha >= 1 / eps", inputs=u
    ),
    "functions of ε": lambda u: Accuracy(
        LARGER, B, region="alpha >= eps**2 and alpha <= exp(-eps)", inputs=u
    ),
    "α of the input": lambda u: Accuracy(LARGER, B, alpha=lambda u: abs(u[0] - u[1]) / 4, inputs=u),
    "α moves": lambda u: Accuracy(LARGER, B, alpha=1 / eps, inputs=u),
    "β by cases": lambda u: Accuracy(LARGER, piecewise((B, "alpha < 1"), (2 * B, True)), inputs=u),
    "β of the input": lambda u: Accuracy(
        LARGER, lambda u: exp(-abs(u[0] - u[1]) * eps / 4), region="alpha >= 0", inputs=u
    ),
}
ONE: dict[str, Callable[[Any], Accuracy]] = {
    "γ of the input": lambda u: Accuracy(
        LAPLACE, exp(-gamma * eps), alpha=0, gamma=lambda u: 1 + abs(u), inputs=u
    ),
    "γ between functions": lambda u: Accuracy(
        LAPLACE, exp(-gamma * eps), gamma=Range(1 / eps, 2 / eps), inputs=u
    ),
    "γ above α": lambda u: Accuracy(
        LAPLACE, exp(-gamma * eps), gamma=(alpha, float("inf")), inputs=u
    ),
    "γ moves": lambda u: Accuracy(
        LAPLACE, exp(-gamma * eps) + parse("1/1000"), gamma=1 + eps**2, inputs=u
    ),
    "a margin over ε": lambda u: Accuracy(MARGIN, 4 * exp(-alpha * eps), ideal=IDEAL, inputs=u),
    "a logarithm": lambda u: Accuracy(LOG, 10 * exp(-alpha * eps), ideal=IDEAL, inputs=u),
}


def sealed(claim: Accuracy, outcome: bool = True) -> Any:
    verdict = claim.check()
    assert verdict.holds is outcome, verdict
    return json.loads(json.dumps(verdict.certificate))


@pytest.mark.parametrize("name", [*CLAIMS, *ONE])
def test_claims_by_cases_are_certified(name: str) -> None:
    """At an input, in a box and for all reals; everything is derived again."""
    for k, given in enumerate(([[2, 0]], Box(-1, 1), AllReals())):
        here = [2] if name in ONE and not k else given
        found = sealed((CLAIMS | ONE)[name](here))
        report = certify.check(found)
        assert report.accepted, report.reason
        assert report.taken == ()
        assert found["kind"] == "claim"
    if name in ("functions of ε", "a logarithm"):
        jsonschema.Draft202012Validator(SCHEMA).validate(found)


APART = "alpha >= q[0] - q[1] and alpha >= q[1] - q[0]"
"""It holds for no α < dd, which is half of the gap; and for α = dd where both are 0."""


@pytest.mark.parametrize("inputs", [[[1, 1], [2, 0]], Box(-1, 1), AllReals()])
def test_alpha_may_be_dd(inputs: Any) -> None:
    """At a tie the error is 1/2. A certificate for α < dd alone does not suffice."""
    for factor, outcome in (("1/2", True), ("2/5", False)):
        beta = parse(factor) * exp(-alpha * eps / 2)
        closed = Accuracy(LARGER, beta, region=APART, inputs=inputs, boundary="check")
        report = certify.check(sealed(closed, outcome=outcome))
        assert report.accepted, report.reason
        assert report.taken == ()
        found = sealed(replace(closed, boundary="skip"))
        assert certify.check(found).accepted
        found["claim"]["boundary"] = "check"
        assert not certify.check(seal(found)).accepted
    for region in ("alpha <= 1", "alpha >= 1/2 and gamma >= 0"):
        beta = exp(-alpha * eps / 2) / 2
        report = certify.check(
            sealed(Accuracy(LARGER, beta, region=region, inputs=inputs, boundary="check"))
        )
        assert report.accepted, report.reason
        assert report.taken == ()


@pytest.mark.parametrize("inputs", [[-1, 0, 2], Box(-2, 3), AllReals()])
@pytest.mark.parametrize("region", ["alpha >= 1 / eps", "alpha >= 1 / eps and alpha <= 9 / eps"])
def test_alpha_may_be_dd_beside_a_multiple_of_the_inverse(inputs: Any, region: str) -> None:
    """At q the error is e^{−x}/2 with x = |q|ε, and x ≥ εα ≥ 1: so e^{−x/2}/3 is enough.

    With εα ≥ 1/2 it is not, as e^{1/4}/3 < 1/2; nor is e^{−x/2}·3/10 with εα ≥ 1.
    """
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 0")
    for factor, outcome in (("1/3", True), ("3/10", False)):
        beta = parse(factor) * exp(-alpha * eps / 2)
        claim = Accuracy(above, beta, region=region, inputs=inputs, boundary="check")
        found = sealed(claim, outcome=outcome)
        report = certify.check(found)
        assert report.accepted, report.reason
        assert report.taken == ()
        text = json.dumps(found["claim"])
        assert '[["-1", 0, "0"]], [["1", 1, "0"]]' in text  # −1/ε
        if outcome:
            wrong = text.replace('[["-1", 0, "0"]], [["1", 1,', '[["-1/2", 0, "0"]], [["1", 1,')
            assert not certify.check(seal({**found, "claim": json.loads(wrong)})).accepted


def test_conditions_that_leave_no_eps_or_a_single_one_at_an_input() -> None:
    """At q = 1 and ε ≤ 1, a strict condition leaves nothing, the other one ε = 1.

    At q = 2 the error is below e^{−3αε/4}.
    """
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 0")
    for boundary in ("skip", "check"):
        given: dict[str, Any] = {"inputs": [0, 1, 2], "epsilon": "(0, 1]", "boundary": boundary}
        strict = Accuracy(above, exp(-3 * alpha * eps / 4), region="q * eps > 1", **given)
        report = certify.check(sealed(strict))
        assert report.accepted, report.reason
        single = Accuracy(above, exp(-3 * alpha * eps / 4), region="q * eps >= 1", **given)
        assert single.check().holds
        with pytest.raises(ExactdpError, match="the conditions leave only eps = 1"):
            _ = single.check().certificate


def test_false_claims_by_cases_are_refuted() -> None:
    """Also where β is the largest of two: then both are exceeded."""
    for claim in (
        Accuracy(LARGER, B / 3, region="alpha <= eps", inputs=AllReals()),
        Accuracy(LARGER, maximum(B / 4, exp(-eps) / 8), inputs=[[2, 0]]),
        Accuracy(LAPLACE, exp(-2 * gamma * eps), gamma=3 / eps, inputs=[1]),
        Accuracy(MARGIN, exp(-alpha * eps) / 2, ideal=IDEAL, inputs=AllReals()),
        Accuracy(LOG, exp(-alpha * eps), ideal=IDEAL, inputs=AllReals()),
        Accuracy(TWO_LAPS, exp(-alpha * eps), ideal=IDEAL, inputs=[3]),  # with 3^(1/3) and log 3
    ):
        found = sealed(claim, outcome=False)
        report = certify.check(found)
        assert report.accepted, report.reason
        assert report.taken == ()
        jsonschema.Draft202012Validator(SCHEMA).validate(found)
        for place, change in (("alpha", "1000"), ("eps", "1/1000000"), ("gamma", "5000")):
            wrong = copy.deepcopy(found)
            wrong["counterexamples"][0][place] = change
            assert not certify.check(seal(wrong)).accepted


def test_bounds_on_a_logarithm_are_checked() -> None:
    """They enclose it, and are close enough for all comparisons and both sides."""
    found = sealed(Accuracy(TWO_LAPS, exp(-alpha * eps), ideal=IDEAL, inputs=[3]), outcome=False)
    low, high = found["counterexamples"][0]["log"]
    assert float(Fraction(low)) == float(Fraction(high)) == pytest.approx(math.log(3), abs=1e-15)
    for ends in ([high, high], [low, low], ["1", "2"], ["-1", high], [high, low], [low], None):
        wrong = copy.deepcopy(found)
        wrong["counterexamples"][0]["log"] = ends
        assert not certify.check(seal(wrong)).accepted
    del wrong["counterexamples"][0]["log"]
    assert not certify.check(seal(wrong)).accepted
    for name in ("actual", "required"):
        wrong = copy.deepcopy(found)
        wrong["counterexamples"][0][name] = ["1/2", "501/1000"]
        assert not certify.check(seal(wrong)).accepted
    other = copy.deepcopy(found)
    other["claim"]["mechanism"] = other["claim"]["mechanism"].replace("log(3)", "log(4)")
    assert not certify.check(seal(other)).accepted or certify.check(seal(other)).taken


MIXED: dict[str, Callable[[], Accuracy]] = {
    "γ = 1 + |x|ε": lambda: Accuracy(
        LAPLACE, exp(-eps), alpha=0, gamma=lambda x, eps: 1 + abs(x) * eps, inputs=AllReals()
    ),
    "γ = (1 + |x|)/ε": lambda: Accuracy(
        LAPLACE, parse("1/2"), alpha=0, gamma="(1 + abs(x)) / eps", inputs=Box(0, math.inf)
    ),
    "ε·q beside q": lambda: Accuracy(
        LARGER, parse("1/7"), alpha=0, inputs=Box([0, 0], [math.inf, 3]),
        region="q[0] >= eps * q[1] + 5 / eps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_inputs_times_powers_of_eps(name: str) -> None:
    """The sign of an input bounds its product with ε; a form that does not follow is rejected."""
    right = sealed(MIXED[name]())
    report = certify.check(right)
    assert report.accepted, report.reason
    assert report.taken == ()
    jsonschema.Draft202012Validator(SCHEMA).validate(right)
    places = [path for path, _ in leaves(right["regions"]) if path[-2:-1] == ("form",)]
    changed = 0
    for path in random.Random(name).sample(places, len(places)):
        if "sides" not in path or changed == 12:
            continue
        wrong = copy.deepcopy(right)
        form = at(wrong["regions"], path[:-1])
        if path[-1] not in (0, len(form) - 1):
            continue  # that of ε, or the last: γ, or an input
        form[path[-1]] = str(Fraction(form[path[-1]]) - Fraction(1, 7))
        changed += 1
        assert not certify.check(seal(wrong)).accepted, (path, form)
    assert changed


def test_the_sign_of_an_input_is_not_taken_on_trust() -> None:
    """A cut with the other sign, or none, does not prove what needs the sign."""
    right = sealed(MIXED["γ = 1 + |x|ε"]())
    for path, _ in leaves(right["regions"]):
        if "sides" in path and path[-2:] == ("form", 0) and path[path.index("sides") + 1] == 0:
            for late in (False, True):  # the condition that shows the sign is missing, or last
                wrong = copy.deepcopy(right)
                sides = at(wrong["regions"], path[: path.index("sides") + 1])
                first, *rest = sides
                sides[:] = [*rest, first] if late else rest
                assert not certify.check(seal(wrong)).accepted


def at(place: Any, path: Path) -> Any:
    for step in path:
        place = place[step]
    return place


@pytest.mark.parametrize(
    "name", ["a region with the input", "functions of ε", "γ between functions", "a margin over ε"]
)
def test_changes_of_the_statement_are_noticed(name: str) -> None:
    """A slip in a case, a condition or a cut is rejected, unless less is claimed or more proved.

    A smaller number in a condition may claim less, another form of a condition may be another
    one that follows; every accepted certificate must still be one of a true claim, which a search
    over ε, α and γ looks at.
    """
    right = sealed((CLAIMS | ONE)[name]([2] if name in ONE else [[2, 0]]))
    assert certify.check(right).accepted
    changes = [
        (path, change)
        for path, value in leaves({key: right[key] for key in ("claim", "regions")})
        for change in variants(value)
    ]
    accepted = 0
    chosen = spread(changes, 1, name)
    for path, change in random.Random(name).sample(chosen, min(30 * TIMES, len(chosen))):
        wrong = copy.deepcopy(right)
        at(wrong, path[:-1])[path[-1]] = change
        report = certify.check(seal(wrong))
        if report.accepted and report.taken == () and path[0] == "claim":
            accepted += 1
            assert path[1] in ("cases", "unit", "inputs", "epsilon"), (path, change)
            assert _is_true(wrong), (path, change)
    assert accepted < len(changes)


def _is_true(wrong: Any) -> bool:
    """Whether the changed claim is one that the old proofs show, seen at points.

    Wherever the changed claim is made it must be true: the error of these mechanisms at the input
    is known in closed form.
    """
    source = wrong["claim"]["mechanism"]
    inputs = [one[0] for one in wrong["claim"]["inputs"].get("list", [])]
    for x in inputs:
        for e in (Fraction(1, 3), Fraction(1), Fraction(5, 2)):
            for a in (Fraction(0), Fraction(1, 3), Fraction(9, 10)):
                for g in (Fraction(0), Fraction(2, 3), Fraction(3)):
                    beta = _claimed(wrong["claim"], x, e, a, g)
                    if beta is None:
                        continue
                    if "larger" in source:
                        y = mpmath.mpf(2) * e.numerator / e.denominator / 2
                        error = mpmath.exp(-y) * (mpmath.mpf(1) / 2 + y / 4)
                    elif "laplace" in source:
                        error = mpmath.exp(-mpmath.mpf((e * g).numerator) / (e * g).denominator)
                    else:
                        return True  # the margin: nothing but its own claim is listed
                    if error > beta + mpmath.mpf(10) ** -12:
                        return False
    return True


def _claimed(claim: Any, x: Any, e: Fraction, a: Fraction, g: Fraction) -> Any:
    """Return the largest β of the cases that are claimed there, by plain evaluation; or None."""
    names = {"alpha": a, "gamma": g, "x": Fraction(str(x)) if not isinstance(x, list) else 0}
    if isinstance(x, list):
        names |= {f"q[{k}]": Fraction(one) for k, one in enumerate(x)}

    def form(terms: Any) -> Any:
        total = mpmath.mpf(0)
        for c, k, q in terms:
            rate = Fraction(q) * e
            power = mpmath.exp(mpmath.mpf(rate.numerator) / rate.denominator)
            total += (
                mpmath.mpf(Fraction(c).numerator)
                / Fraction(c).denominator
                * power
                * (mpmath.mpf(e.numerator) / e.denominator) ** k
            )
        return total

    def value(tree: Any) -> Any:
        match tree:
            case ["form", over, under]:
                return form(over) / form(under)
            case ["name", name]:
                return mpmath.mpf(names[name].numerator) / names[name].denominator
            case ["+", one, two]:
                return value(one) + value(two)
            case ["*", one, two]:
                return value(one) * value(two)
            case ["/", one, two]:
                return value(one) / value(two)
            case ["**", one, power]:
                return value(one) ** power
            case ["exp", one]:
                return mpmath.exp(value(one))
        raise AssertionError(tree)

    for case in claim["cases"]:
        if all(value(side["form"]) > 0 for side in case["when"]):
            return max(map(value, case["beta"]))
    return None


def test_random_conditions_are_certified() -> None:
    """Random linear conditions with functions of ε: what holds has a certificate that is right."""
    source = random.Random(5)
    terms = ("eps", "1/eps", "1/2", "2*eps", "1", "q[0]", "q[1]", "eps**2", "1/(1 + eps)")
    held = refused = 0
    for _ in range(8 * TIMES):
        parts = [
            f"alpha {source.choice(('<=', '>=', '<'))} {source.choice(terms)}"
            for _ in range(source.choice((1, 2)))
        ]
        text = f" {source.choice(('and', 'or'))} ".join(parts)
        beta = source.choice((B, 2 * B, maximum(B, exp(-eps)), B * parse("9/10")))
        given = source.choice(([[2, 0]], [[0, 0]], [[-1, 1]], AllReals()))
        given = [[2, 0]] if isinstance(beta, type(maximum(1))) else given
        verdict = Accuracy(LARGER, beta, region=text, inputs=given).check()
        if verdict.holds is None:
            continue
        try:
            report = certify.check(json.loads(json.dumps(verdict.certificate)))
        except ValueRefusedError:
            refused += 1
            continue
        assert report.accepted, (text, beta, given, report.reason)
        held += 1
    assert held > 3 * refused


def test_products_of_inputs_at_listed_inputs() -> None:
    """At [3, 2] the region is α ≤ 6, and dd is 1/2: all α below it are claimed, as at α ≥ 0."""
    claim = Accuracy(LARGER, B, region="alpha <= q[0] * q[1] / eps", inputs=[[3, 2], [-1, 0]])
    found = claim.check().certificate
    assert certify.check(found).accepted
    false = Accuracy(LARGER, B / 3, region="alpha <= q[0] * q[1]", inputs=[[3, 2]]).check()
    assert certify.check(false.certificate).accepted
    text = json.dumps(false.certificate)
    changed = text.replace('["name", "q[0]"], ["name"', '["form", [["-1", 0, "0"]]], ["name"')
    assert changed != text  # now the region is α ≤ −2, which is empty
    assert not certify.check(seal(json.loads(changed))).accepted


@pytest.mark.parametrize("condition", ["q[0] == 3", "q[0] >= 3", "q[0] > 3"])
def test_levels_that_jump_where_two_cases_meet(condition: str) -> None:
    """The sides of a case belong to another one: there its own α and γ are proved, too."""
    for level in ("alpha", "gamma"):
        given: dict[str, Any] = {level: f"2 if {condition} else 1"}
        report = certify.check(sealed(Accuracy(LARGER, B, inputs=AllReals(), **given)))
        assert report.accepted, report.reason


def test_a_jump_at_the_least_alpha_is_examined() -> None:
    """At x = 1 = dd the mechanism is always wrong, and the claim speaks of it, with α = 1 only.

    Inputs close to it are examined with x > 1, where it is right, or their dd is below 1.
    """
    source = (
        "def above(x: Real):\n    if x >= 1:\n        return lap(eps, x) >= 0\n    return False\n"
    )
    ideal = Ideal.from_source("def ideal(x: Real): return x >= 0")
    beta = exp(-alpha * eps) * parse("3/4")
    given: dict[str, Any] = {"ideal": ideal, "inputs": AllReals(), "boundary": "check"}
    for region in ("alpha >= 1 and alpha <= 5", "alpha >= 1 + eps"):
        found = sealed(Accuracy(Mechanism.from_source(source), beta, region=region, **given))
        assert certify.check(found).accepted
        found["claim"]["mechanism"] = source.replace(">= 1", "> 1")
        assert not certify.check(seal(found)).accepted
        faces = found["regions"][0]["tree"]["regions"]
        for k in range(2 ** (len(faces) - 1)):
            kept = [one for j, one in enumerate(faces[1:]) if k >> j & 1]
            found["regions"][0]["tree"]["regions"] = [faces[0], *kept]
            assert not certify.check(seal(found)).accepted

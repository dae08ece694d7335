"""Certificates by parts of ε: a `min` or `max` of closed forms in the program changes with ε."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    Expected,
    Mechanism,
    Privacy,
    alpha,
    certify,
    eps,
    exp,
    ideal,
)
from exactdp.certify.kernel.reading import RealInterval
from exactdp.certify.rederive.distances import matches
from exactdp.certify.rederive.orders import Orders, UnseenSignError
from exactdp.certify.rederive.ratios import Ratio, UnsupportedError, variable
from exactdp.reals.certificates import seal as seal_of

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)
PARTS = ("exp(-eps)", "1 - exp(-eps)", "eps / 4", "1 / 2", "1 / (1 + eps)", "2 * exp(-2 * eps)")


def chosen(chance: str) -> Mechanism:
    """Return a bit that is told with a chance."""
    return Mechanism.from_source(
        f"def chosen(x: Dom(0, 1)): return choose({{x: {chance}, 1 - x: 1 - ({chance})}})"
    )


def truth(x: int) -> int:
    return x


@ideal
def sign(q: Real):  # type: ignore[no-untyped-def, name-defined]  # noqa: F821
    return q >= 0


TOLD = Mechanism.from_source("""
def told(q: Real):
    right = choose({True: max(1 / 2, exp(-eps)), False: 1 - max(1 / 2, exp(-eps))})
    above = lap(eps, q) >= 0
    if right:
        return above
    return not above
""")
LATE = Mechanism.from_source("""
def late(q: Real):
    is_late = choose({True: min(1 / 2, exp(-eps)), False: 1 - min(1 / 2, exp(-eps))})
    if is_late:
        return lap(eps, q) >= 1 / eps
    return lap(eps, q) >= 0
""")
ESTIMATE = Mechanism.from_source("""
def estimate(x: Dom(0, 1)):
    y = choose({x: exp(eps) / (1 + exp(eps)), 1 - x: 1 / (1 + exp(eps))})
    return [(y * (exp(eps) + 1) - 1) / (exp(eps) - 1), y]
""")
LINE = Mechanism.from_source("def line(x: Dom(0, 1)): return x * (eps - 1)")


def twice(x: int) -> list[int]:
    return [x, x]


def nothing(x: int) -> int:
    return 0 * x


FOLDED = chosen("max(exp(-eps), 1 - exp(-eps))")
CAPPED = chosen("min(exp(eps) / (1 + exp(eps)), 3 / 4)")
HOLDS: dict[str, Any] = {
    "tight at a change": Accuracy(FOLDED, "1/2", alpha=0, ideal=truth),
    "negative beyond a change": Accuracy(
        chosen("1 - max(0, 1 - exp(eps) / 2)"), "1/2", alpha=0, ideal=truth
    ),
    "nested": Accuracy(
        chosen("min(1, max(1/10, min(exp(-eps), eps / 4)))"), "9/10", alpha=0, ideal=truth
    ),
    "all reals": Accuracy(TOLD, "51/100", ideal=sign, inputs=AllReals()),
    "a box": Accuracy(TOLD, "51/100", ideal=sign, inputs=Box(-1, 1)),
    "a listed real": Accuracy(TOLD, exp(-alpha * eps) / 2 + eps, ideal=sign, inputs=[3]),
    "conditions": Accuracy(TOLD, "51/100", region="alpha <= eps", ideal=sign, inputs=AllReals()),
    "a number over ε": Accuracy(LATE, 3 * exp(-alpha * eps), ideal=sign, inputs=[3]),
    "estimates that come within γ": Accuracy(ESTIMATE, 2 * exp(-eps), gamma=1, ideal=twice),
    "estimates within γ": Accuracy(
        ESTIMATE, 1 / (1 + exp(eps)), gamma=1, ideal=twice, epsilon="[1, inf)"
    ),
    "an output at the end of γ": Accuracy(
        LINE, "1/3", gamma=1, ideal=nothing, alpha=0, epsilon="(0, 2]"
    ),
    "privacy": Privacy(CAPPED, budget=eps),
    "an expected loss for all reals": Expected(
        TOLD, "wrong", at_most="51/100", ideal=sign, inputs=AllReals()
    ),
    "an expected loss": Expected(
        chosen("min(1/2, exp(-eps))"), "wrong", at_most="9/10", ideal=truth, epsilon="(0, 2]"
    ),
}
FAILS: dict[str, Any] = {
    "listed": Accuracy(FOLDED, "49/100", alpha=0, ideal=truth),
    "all reals": Accuracy(TOLD, "2/5", alpha=1, ideal=sign, inputs=AllReals()),
    "privacy": Privacy(CAPPED, budget=eps * Fraction(9, 10)),
    "estimates": Accuracy(ESTIMATE, 1 / (1 + exp(eps)), gamma=1, ideal=twice),
}


def sealed(claim: Any) -> Any:
    return json.loads(json.dumps(claim.check().certificate))


def resealed(found: Any) -> Any:
    return {**found, "seal": seal_of({k: v for k, v in found.items() if k != "seal"})}


@pytest.mark.parametrize("name", HOLDS)
def test_claims_that_hold_are_certified(name: str) -> None:
    found = sealed(HOLDS[name])
    report = certify.check(found)
    assert report.accepted, report.reason
    assert report.taken == ()
    assert found["kind"] == "in_parts"
    jsonschema.Draft202012Validator(SCHEMA).validate(found)


@pytest.mark.parametrize("name", FAILS)
def test_claims_that_fail_are_refuted(name: str) -> None:
    found = sealed(FAILS[name])
    report = certify.check(found)
    assert report.accepted, report.reason
    assert report.taken == ()
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    for change in ("orders", "eps"):
        wrong = copy.deepcopy(found)
        wrong["counterexamples"][0][change] = [] if change == "orders" else "1/1000"
        report = certify.check(resealed(wrong))
        assert not report.accepted or report.taken


@pytest.mark.parametrize(("one", "two"), list(product(PARTS, PARTS))[1::13])
def test_random_orders(one: str, two: str) -> None:
    """The error is at most 1 − p; it is compared with a bound that is not tight."""
    chance = f"min(9 / 10, max(1 / 20, max({one}, {two})))"
    verdict = Accuracy(chosen(chance), "951/1000", alpha=0, ideal=truth).check()
    assert verdict.holds
    report = certify.check(json.dumps(verdict.certificate))
    assert report.accepted, report.reason
    assert report.taken == ()


def divisions(node: Any) -> list[Any]:
    if "proof" in node:
        return []
    return [node, *(each for part in node["parts"] for each in divisions(part["tree"]))]


@pytest.mark.parametrize(
    "name", ["tight at a change", "all reals", "privacy", "estimates that come within γ"]
)
def test_changes_of_parts_are_noticed(name: str) -> None:
    """Signs that are exchanged or missing, parts that are moved, left out, or beyond the claim."""
    found = sealed(HOLDS[name])
    count = len(divisions(found["tree"]))
    changed = 0
    for k in range(count):
        one = divisions(found["tree"])[k]
        for j in range(len(one["parts"])):
            for change in ("sign", "drop", "move", "unsigned", "narrow"):
                wrong = copy.deepcopy(found)
                node = divisions(wrong["tree"])[k]
                if change == "sign":
                    node["parts"][j]["sign"] *= -1
                elif change == "drop":
                    del node["parts"][j]
                elif change == "move":
                    on = node["parts"][j]["on"]
                    on["upper"], on["upper_closed"] = "1/3", True
                elif change == "narrow":
                    on = node["parts"][j]["on"]
                    on["lower"], on["lower_closed"] = "2", True
                else:
                    node["signs"] = node["signs"][1:]
                changed += 1
                report = certify.check(resealed(wrong))
                assert not report.accepted or report.taken, (name, k, j, change)
    assert changed >= 10


def test_another_function_is_not_believed() -> None:
    """The function that is assumed to be ≥ 0 is one whose sign is proved."""
    found = sealed(HOLDS["tight at a change"])
    for form in ([[["1", [0], ["0"]]], [["1", [0], ["0"]]]], found["tree"]["order"][::-1]):
        wrong = copy.deepcopy(found)
        wrong["tree"]["order"] = form
        assert not certify.check(resealed(wrong)).accepted
    wrong = copy.deepcopy(found)
    wrong["claim"]["claim"]["cases"] = json.loads(
        json.dumps(wrong["claim"]["claim"]["cases"]).replace("1/2", "49/100")
    )
    assert not certify.check(resealed(wrong)).accepted


def test_a_function_that_is_assumed_helps_only_where_it_stands() -> None:
    """Without orders, a sign cannot refer to one."""
    found = sealed(HOLDS["tight at a change"])
    leaf = found["tree"]["parts"][0]["tree"]["proof"]
    assert any("order" in one for one in leaf["signs"])
    alone = {
        **{name: found[name] for name in ("format", "version", "verdict", "reason")},
        "kind": "claim",
        "claim": found["claim"]["claim"],
        **leaf,
    }
    assert not certify.check(resealed(alone)).accepted


def test_outputs_that_are_functions_of_eps() -> None:
    """ε − 1 is within 1 of 0 up to 2: exactly at a single ε, and by stated orders elsewhere."""
    output, gap = variable(0) - 1, variable(0) - 2

    def near(on: RealInterval, *known: Ratio) -> bool:
        return matches(output, Fraction(0), Fraction(1), [], Orders(on, known))

    def at(number: int) -> RealInterval:
        return RealInterval(Fraction(number), True, Fraction(number), True)

    assert near(at(2), gap)  # at the end, whatever else is stated
    assert near(at(1))
    assert not near(at(3))
    later = RealInterval(Fraction(2), True, Fraction(3), True)
    assert not near(later, gap)
    for orders in (Orders(later), Orders(RealInterval(Fraction(1), True, Fraction(3), True)), None):
        with pytest.raises(
            (UnseenSignError, UnsupportedError)
        ):  # it may be within 1 at one of these ε
            matches(output, Fraction(0), Fraction(1), [], orders)


def test_an_output_at_the_end_is_no_counterexample() -> None:
    """The counterexample at 3 is moved to 2, where the output is 1 and within γ."""
    claim = Accuracy(LINE, "1/3", gamma=1, ideal=nothing, alpha=0, epsilon=3)
    found = sealed(claim)
    assert certify.check(found).accepted
    wrong = json.loads(json.dumps(found).replace('"3"', '"2"'))
    assert not certify.check(resealed(wrong)).accepted

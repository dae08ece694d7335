"""Certificates where it matters which α and which ε are meant exactly.

β that falls for the ε of the claim only; ranges of α with open ends; inputs with dd = α.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from certify.parts import regions
from claims.formulas import exp
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Dom,
    Grid,
    Ideal,
    Interval,
    Mechanism,
    Real,
    Verdict,
    alpha,
    certify,
    discrete,
    eps,
    gamma,
    ideal,
    lap,
    mechanism,
    value_gap,
)
from exactdp.certify.rederive import formulas
from exactdp.certify.rederive.ratios import Ratio

from .claim_specimens import make
from .specimens import seal
from .test_schema import VALIDATOR

Json = Any
ALL = AllReals()


@mechanism
def bands(q: Real):  # type: ignore[no-untyped-def, valid-type]
    r = lap(eps, q)
    if r > 1:
        return 2
    if r > -1:
        return 1
    return 0


@mechanism
def above_half(q: Real):  # type: ignore[no-untyped-def, valid-type]
    return q + lap(eps, 0) >= 0.5


@mechanism
def both(q: Real[2]):  # type: ignore[no-untyped-def, valid-type]
    return [lap(eps / 2, q[0]) > 0, lap(eps / 2, q[1]) > 0]  # type: ignore[index]


@mechanism
def shifted(x: Dom(0, 1), q: Real):  # type: ignore[no-untyped-def, valid-type]
    return lap(eps, q) > x


@mechanism
def rarely(q: Real):  # type: ignore[no-untyped-def, valid-type]
    return lap(eps, 0) > 10 + 0 * q


@ideal
def at_zero(q: Real):  # type: ignore[no-untyped-def, valid-type]
    return q == 0


@mechanism
def one_way(q: Real):  # type: ignore[no-untyped-def, valid-type]
    """For no input of a box from 0 on, 0 is compared with 1."""
    if q > 0:
        return lap(eps, q) > -1
    return lap(eps, q) > 1


def noisy_max(beta: Any, **more: Any) -> Callable[[], Accuracy]:
    return lambda: Accuracy(make("noisy_max", 2), beta=beta, **{"inputs": ALL, **more})


DECAY = 2 * exp(-alpha * eps / 2)
HOLDING: dict[str, Callable[[], Accuracy]] = {
    "β falls for these ε only": noisy_max(DECAY * (3 - eps), epsilon="(0, 2]"),
    "β falls from some ε on": noisy_max(DECAY * eps / (eps - 1), epsilon="[2, inf)"),
    "β falls for every ε, not by its coefficients": noisy_max(DECAY + (1 - exp(-eps)) * DECAY),
    "β falls in γ for these ε only": lambda: Accuracy(
        make("noisy_max", 2),
        beta=2 * exp(-gamma * eps / 4) * (3 - eps),
        gamma=ANY,
        output_distance=value_gap,
        epsilon="[1, 2]",
        inputs=ALL,
    ),
    "β falls for these ε only, on a grid": noisy_max(
        DECAY * (3 - eps), epsilon="(0, 2]", inputs=Grid(0, 1)
    ),
    "β falls, but not by its coefficients": noisy_max(DECAY * (4 - exp(eps)), epsilon="(0, 1]"),
    "β falls, but not by its coefficients, on a grid": noisy_max(
        DECAY * (4 - exp(eps)), epsilon="(0, 1]", inputs=Grid(0, 1)
    ),
    "an open range up to dd": lambda: Accuracy(
        above_half,
        beta=exp(-alpha * eps / 2) / 2,
        alpha=Interval.parse("(0, 1)"),
        input_distance=discrete,
        boundary="check",
        inputs=Box(1, 2),
    ),
    "an open range, α a parameter": lambda: Accuracy(
        above_half,
        beta=(1 + alpha * eps) * exp(-alpha * eps),
        alpha=Interval.parse("(0, 2)"),
        boundary="check",
        inputs=ALL,
    ),
    "all α, a parameter": lambda: Accuracy(
        bands, beta=2 * (1 + alpha * eps) * exp(-alpha * eps), boundary="check", inputs=ALL
    ),
    "γ moves with α": lambda: Accuracy(
        make("noisy_max", 2),
        beta=2 * exp(-gamma * eps / 4),
        gamma=alpha,
        output_distance=value_gap,
        boundary="check",
        inputs=ALL,
    ),
    "true of all reals, so of a box": lambda: Accuracy(
        above_half,
        beta=exp(-alpha * eps / 2) * (eps * eps - eps + 1),
        inputs=Box("1/2", 1),
    ),
    "a comparison that is never made": lambda: Accuracy(
        one_way,
        beta=exp(-alpha * eps / 2) + 1,
        alpha=Interval.parse("(0, inf)"),
        input_distance=discrete,
        inputs=Box(0, 3),
    ),
    "terms that cancel": lambda: Accuracy(
        make("noisy_max", 2),
        beta=(4 * exp(-alpha * eps / 9) + 1) * (eps * eps - eps + 1),
        alpha=Interval.parse("(0, 2]"),
        output_distance=value_gap,
        epsilon="(1/2, 4)",
        inputs=ALL,
    ),
}


@cache
def verdict(name: str) -> Verdict:
    return HOLDING[name]().check()


def certificate(name: str) -> Json:
    return json.loads(json.dumps(verdict(name).certificate))


@pytest.mark.parametrize(("ends", "holds"), [("(0, inf)", True), ("[0, inf)", False)])
def test_a_tie_at_which_an_open_range_says_nothing(ends: str, holds: bool) -> None:
    """At q = 0 the error is above 1/2, which is β at α = 0; dd is 0, so no other α is meant."""
    found = Accuracy(
        rarely,
        ideal=at_zero,
        beta=(1 + 2 * alpha * eps * exp(-alpha * eps)) / 2,
        alpha=Interval.parse(ends),
        boundary="check",
        inputs=ALL,
    ).check()
    assert found.holds is holds
    assert holds or (found.counterexample and found.counterexample.input == 0)
    report = certify.check(found.certificate)
    assert report.accepted, report.reason
    assert report.taken == ()


@pytest.mark.parametrize("name", HOLDING)
def test_what_holds_is_accepted(name: str) -> None:
    assert verdict(name).holds is True
    written = certificate(name)
    VALIDATOR.validate(written)
    report = certify.check(written)
    assert report.accepted, report.reason
    assert report.taken == ()


def test_a_counterexample_beside_a_finite_input_is_derived_again() -> None:
    claim = Accuracy(shifted, beta=exp(-eps), alpha=0, input_distance=discrete, inputs=ALL)
    found = claim.check()
    report = certify.check(found.certificate)
    assert found.holds is False
    assert report.accepted, report.reason
    assert report.taken == ()


def test_a_finite_input_that_disagrees_is_seen() -> None:
    """The input x = 1, q = 1/2 is at distance 1 from x = 0, where the output is another one."""
    claim = Accuracy(shifted, beta=exp(-eps) / 2, alpha="1/4", inputs=Box(-1, "1/2"))
    wrong = json.loads(json.dumps(claim.check().certificate))
    assert wrong["verdict"] == "fails"
    wrong["claim"]["cases"][0]["alpha"] = {"formula": ["form", [["2", 0, "0"]], [["1", 0, "0"]]]}
    (one,) = wrong["counterexamples"]
    one["alpha"], one["distance"] = "2", "3"
    assert "perhaps an input so close disagrees" in certify.check(seal(wrong)).reason


def ray(u: list[str], at: Any, towards: Any) -> Json:
    """Return what a certificate says of an input at which nothing is claimed."""
    cell = {"output": False, "distance": ["0"], "steps": None, "obligations": None}
    cell["parts"] = {"near": {"at": at, "towards": towards, "germs": False}}
    return {"names": ["eps"], "input": u, "tree": {"cell": cell}}


@pytest.mark.parametrize(
    ("at", "towards", "reason"),
    [
        (["1/2", "0"], None, "not of the kind"),
        (["1/3", "0"], ["1", "0"], "not of the kind"),
        (["0", "0"], ["1", "0"], "cannot move"),
        ([True, "0"], None, "not of the kind"),
        (["1"], None, "right length"),
    ],
)
def test_a_nearest_input_must_be_one(at: Any, towards: Any, reason: str) -> None:
    """From b = 0 the next input with another output is b = 1, so α = 1/2 is claimed, and fails.

    With 1/2, or a little more than 0 or 1/3, for b the output is another one closer by.
    """
    program = Mechanism.from_source(
        "def f(b: Dom(0, 1), q: Real):\n    return lap(eps, b if b == 0 else 1) > 0\n"
    )
    claim = Accuracy(program, beta=0, alpha="1/2", inputs=[(0, 0)])
    found = claim.check()
    assert found.holds is False
    wrong = json.loads(json.dumps(found.certificate))
    wrong["verdict"], wrong["counterexamples"] = "holds", []
    alone = {"part": 0, "sides": [], "regions": [ray(["0", "0"], at, towards)]}
    wrong["regions"] = [{"free": [], "tree": alone}]
    distance = "0" if at[0] == "0" else "1/2" if at[0] == "1/2" else "1/3"
    regions(wrong)[0]["tree"]["cell"]["distance"] = [distance]
    report = certify.check(seal(wrong))
    assert not report.accepted
    assert reason in report.reason


# What is wrong: β that does not fall ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("β falls for these ε only", ["0", False, "4", True]),
        ("β falls for these ε only", ["0", False, "inf", False]),
        ("β falls from some ε on", ["1/2", True, "inf", False]),
        ("β falls in γ for these ε only", ["1", True, "4", True]),
        ("β falls for these ε only, on a grid", ["0", False, "4", True]),
    ],
)
def test_other_budgets_are_not_proved(name: str, ends: list[Any]) -> None:
    wrong = certificate(name)
    names = ("lower", "lower_closed", "upper", "upper_closed")
    wrong["claim"]["epsilon"] = dict(zip(names, ends, strict=True))
    assert not certify.check(seal(wrong)).accepted


@pytest.mark.parametrize(
    "name",
    ["β falls, but not by its coefficients", "β falls, but not by its coefficients, on a grid"],
)
def test_the_sign_in_beta_must_be_proved(name: str) -> None:
    """The sign of 4 − e^ε, which is written last."""
    right = certificate(name)
    assert right["signs"][-1]["claim"]["numerator"] == [["4", 0, "0"], ["-1", 0, "1"]]
    wrong = copy.deepcopy(right)
    wrong["signs"].pop()
    assert certify.check(seal(wrong)).reason == "group 1: β is not seen to fall in alpha"
    wrong = copy.deepcopy(right)
    less = noisy_max(DECAY * (4 - exp(eps)), epsilon="(0, 1/2]")().check().certificate
    wrong["signs"][-1] = json.loads(json.dumps(less["signs"][-1]))
    assert certify.check(seal(wrong)).reason == "group 1: β is not seen to fall in alpha"
    other = noisy_max(DECAY * (5 - exp(eps)), epsilon="(0, 1]")().check().certificate
    wrong = copy.deepcopy(right)  # a right proof of another sign
    wrong["signs"][-1] = json.loads(json.dumps(other["signs"][-1]))
    assert certify.check(seal(wrong)).reason == "group 1: β is not seen to fall in alpha"


def test_a_sign_turns_what_falls() -> None:
    form = ("form", Ratio.number(7))
    tree = ("*", form, ("exp", ("*", ("form", Ratio.number(-1)), ("name", "alpha"))))
    signs = {1: 1, 0: 0, -1: -1}
    for sign, falls in ((1, True), (0, True), (-1, False), (None, False)):

        def known(one: Ratio, sign: int | None = sign) -> int | None:
            return sign if one == 7 else signs[one.sign() or 0]

        assert formulas.falls(tree, "alpha", known) is falls


# What is wrong: inputs at which dd is α ------------------------------------------------


def closed(program: Any, *, free: bool, **more: Any) -> tuple[Accuracy, Accuracy]:
    """Return a true claim, and one that is false where dd = α, and says nothing elsewhere."""
    factor = 1 + alpha * eps if free else 1
    return tuple(
        Accuracy(program, beta=factor * beta, boundary="check", **more)
        for beta in (5 * exp(-alpha * eps / 2), exp(-4 * alpha * eps) / 2)
    )  # type: ignore[return-value]


CLOSED: dict[str, Callable[[], tuple[Accuracy, Accuracy]]] = {
    "α is fixed": lambda: closed(bands, free=False, alpha=1, inputs=Box("-1/2", "1/2")),
    "β falls": lambda: closed(bands, free=False, alpha=(1, 2), inputs=Box("-1/2", "1/2")),
    "α is a parameter": lambda: closed(bands, free=True, alpha=(1, 2), inputs=Box("-1/2", "1/2")),
    "given inputs": lambda: closed(bands, free=True, alpha=(1, 2), inputs=[0]),
    "the end of a box": lambda: closed(
        above_half, free=True, alpha=Interval.parse("[1, inf)"), inputs=Box(1, "3/2")
    ),
    "the corner of a box": lambda: closed(
        both, free=False, alpha=Interval.parse("[1, 2)"), inputs=Box(0, 1)
    ),
}


def says_something(tree: Json) -> bool:
    if "cell" in tree:
        return bool(tree["cell"] and tree["cell"]["obligations"])
    return says_something(tree["above"]) or says_something(tree["below"])


@pytest.mark.parametrize("name", CLOSED)
def test_inputs_with_this_distance_must_be_looked_at(name: str) -> None:
    """Only at one input is dd as large as the least α, and there the second claim is false."""
    good, bad = CLOSED[name]()
    right, refuted = (json.loads(json.dumps(one.check().certificate)) for one in (good, bad))
    assert (right["verdict"], refuted["verdict"]) == ("holds", "fails")
    for one in (right, refuted):
        VALIDATOR.validate(one)
        report = certify.check(one)
        assert report.accepted, report.reason
        assert report.taken == ()
    wrong = copy.deepcopy(right)
    wrong["claim"]["cases"] = refuted["claim"]["cases"]
    assert not certify.check(seal(wrong)).accepted
    spaces = [one for one in regions(wrong) if not says_something(one["tree"])]
    assert len(spaces) < len(regions(wrong))
    regions(wrong)[:] = spaces
    wrong["signs"] = []
    reason = certify.check(seal(wrong)).reason
    assert reason.endswith("a tie, at which the claim may jump, is not examined")
    if "range" in wrong["claim"]["cases"][0]["alpha"]:  # above the largest dd nothing is claimed
        wrong["claim"]["cases"][0]["alpha"]["range"]["lower_closed"] = False
        assert certify.check(seal(wrong)).accepted


def test_ends_of_ranges_matter() -> None:
    wrong = certificate("an open range up to dd")
    wrong["claim"]["cases"][0]["alpha"]["range"]["upper_closed"] = True
    assert "α and γ do not follow" in certify.check(seal(wrong)).reason
    wrong = certificate("an open range, α a parameter")
    wrong["claim"]["cases"][0]["alpha"]["range"]["lower_closed"] = True
    assert not certify.check(seal(wrong)).accepted
    wrong = certificate("all α, a parameter")
    wrong["claim"]["cases"][0]["alpha"]["range"] = {
        "lower": "1",
        "lower_closed": True,
        "upper": "1",
        "upper_closed": True,
    }
    assert certify.check(seal(wrong)).reason == "the claim: a range has one number only"


def test_a_tie_at_which_alpha_is_0_must_not_be_left_out() -> None:
    right = certificate("all α, a parameter")
    places = [k for k, space in enumerate(regions(right)) if space["alpha"] == ["0"]]
    assert [regions(right)[k]["input"] for k in places] == [[{"form": [q]}] for q in ("-1", "1")]
    for k in places:
        wrong = copy.deepcopy(right)
        del regions(wrong)[k]
        reason = certify.check(seal(wrong)).reason
        assert reason.endswith("a tie, at which the claim may jump, is not examined")


@mechanism
def idle(q: Real):  # type: ignore[no-untyped-def, valid-type]
    bound = 0
    if q == 1:
        bound = 0
    return lap(eps, q) > bound


def test_a_comparison_of_inputs_that_changes_nothing() -> None:
    verdict = Accuracy(idle, exp(-eps), alpha=1, inputs=ALL).check()
    assert verdict.holds
    assert certify.check(verdict.certificate).accepted


def test_a_tie_at_the_end_of_a_box_that_is_treated_as_inside() -> None:
    """At q[1] = 0 the program does what it does at q[1] > 0, and the box has inputs there."""
    late = Mechanism.from_source(
        "def late(q: Real[2]):\n"
        "    if lap(eps, q[0]) > 0:\n"
        "        return 0\n"
        "    return 1 if q[1] >= 0 else 2\n"
    )
    claim = Accuracy(late, "3/4", inputs=Box(0, 1), epsilon="[1, 1]")
    verdict = claim.check()
    assert verdict.holds
    assert certify.check(verdict.certificate).accepted


@pytest.mark.parametrize("inputs", [ALL, Box(2, 4), Box(3, 4)], ids=["all", "inside", "end"])
def test_a_distance_of_outputs_that_jumps_at_an_input(inputs: Any) -> None:
    """If wrong outputs are 1 apart at q = 3 only, a proof beside it says nothing about q = 3."""
    sharp = Mechanism.from_source("def sharp(q: Real):\n    return lap(eps, q) > 1\n")
    apart = Ideal.from_source(
        "def apart(u, one, two):\n"
        "    if one == two or u > 3:\n"
        "        return 0\n"
        "    return 0 if u < 3 else 0\n"
    )
    claim = Accuracy(sharp, exp(-alpha * eps) / 100, output_distance=apart, inputs=inputs)
    right = claim.check()
    assert certify.check(right.certificate).accepted
    forged = copy.deepcopy(right.certificate)
    distance = forged["claim"]["output_distance"]
    assert distance["source"].endswith("else 0")
    distance["source"] = distance["source"][:-1] + "1"
    regions(forged)[:] = [one for one in regions(forged) if one["names"] != ["eps"]]
    reason = certify.check(seal(forged)).reason
    assert reason.endswith("a tie, at which the claim may jump, is not examined")


def test_a_distance_that_is_right_at_one_point_only() -> None:
    """Under `discrete` nothing is 1 away; under `linf` the claim speaks of q = 3, and is false."""
    sharp = Mechanism.from_source("def sharp(q: Real):\n    return lap(eps, q) > 1\n")
    given: dict[str, Any] = {"alpha": "[1, inf)", "inputs": AllReals()}
    silent = Accuracy(sharp, "3/10", input_distance="discrete", **given).check()
    wrong = Accuracy(sharp, "3/10", input_distance="linf", **given).check()
    assert silent.vacuous
    assert wrong.holds is False
    assert certify.check(silent.certificate).accepted
    forged = {**silent.certificate, "claim": wrong.certificate["claim"]}
    report = certify.check(seal(forged))
    assert "a comparison has different outcomes" in report.reason

"""Certificates of privacy: accepted as written, rejected where anything that matters is changed."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from exactdp import (
    Dom,
    Grid,
    Pairs,
    Privacy,
    Real,
    certify,
    choose,
    dlap,
    eps,
    exp,
    expo,
    geometric,
    hamming,
    l1,
    lap,
    mechanism,
    one_entry,
)
from exactdp.certify.rederive.events import Events
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.claims.regions.places import OnCone
from exactdp.cones import Cone
from exactdp.reals import nonnegative
from exactdp.reals.certificates import seal, without_head

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)


@mechanism
def noisy_max(q: Real[2]):
    return lap(eps / 2, q[0]) > lap(eps / 2, q[1])


@mechanism
def exponential_max(q: Real[3]):
    best, top = 0, expo(eps / 2, q[0])
    for i in range(1, 3):
        r = expo(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best


@mechanism
def response(b: Dom(0, 1)):
    return choose({b: exp(eps) / (exp(eps) + 1), 1 - b: 1 / (exp(eps) + 1)})


@mechanism
def count(x: Dom(0, 2)):
    return min(max(dlap(eps, x), 0), 2)


@mechanism
def released(x: Dom(0, 2)):
    return dlap(eps, x)


@mechanism
def thresholded(x: Dom(0, 2)):
    if x == 0:
        return None
    z = dlap(eps, x)
    return z if z >= 3 else None


@mechanism
def two_counts(x: Dom(0, 1)[2]):
    return [geometric(eps, x[0]), dlap(eps, x[1])]


@mechanism
def threshold_of_integers(x: Dom(0, 1)[2]):
    t = dlap(eps, 0)
    for i in range(2):
        z = dlap(eps, x[i])
        if z == t:
            return "tie"
        if z > t:
            return i
    return None


@mechanism
def clamped(q: Real):
    return min(max(lap(eps, q), 0), 1)


def by_one(u, v):
    return abs(u - v) <= 1


@mechanism
def above(q: Real):
    return lap(eps, q) > 0


DELTA = (exp(eps) - exp(eps / 2)) / (1 + exp(eps))
CLAIMS = {
    "grid": Privacy(noisy_max, inputs=Grid(-1, 1)),
    "l1": Privacy(noisy_max, inputs=Grid(-1, 1), adjacent=l1(1)),
    "one entry": Privacy(noisy_max, eps / 2, inputs=Grid(-1, 1), adjacent=one_entry(1)),
    "pairs": Privacy(noisy_max, inputs=Pairs(([0, 0], [1, -1]))),
    "too small a budget": Privacy(noisy_max, eps / 2, inputs=Grid(-1, 1)),
    "response": Privacy(response, adjacent=hamming(1)),
    "delta": Privacy(response, eps / 2, DELTA, adjacent=hamming(1)),
    "too small a delta": Privacy(response, eps / 2, DELTA / 2, adjacent=hamming(1)),
    "bounded range": Privacy(exponential_max, inputs=Grid(0, 1), measure="bounded_range"),
    "integers": Privacy(count),
    "delta in pieces": Privacy(count, eps / 2, 1 - exp(-eps / 2)),
    "all integers": Privacy(released),
    "all integers fail": Privacy(released, eps / 2),
    "delta of integers": Privacy(released, eps / 2, 1 - exp(-eps)),
    "delta of integers fails": Privacy(released, eps / 2, (1 - exp(-eps)) / 9),
    "range of integers": Privacy(released, 2 * eps, inputs=[0, 1], measure="bounded_range"),
    "thresholded": Privacy(thresholded, eps, exp(-2 * eps) / (1 + exp(-eps))),
    "thresholded fails": Privacy(thresholded, 2 * eps),
    "lists of integers": Privacy(two_counts, 2 * eps, adjacent=hamming(1)),
    "integers compared": Privacy(threshold_of_integers, 2 * eps, inputs=[[0, 0], [1, 0]]),
    "delta of reals": Privacy(clamped, eps / 2, 1 - exp(-eps / 4), inputs=[0, 1, 3]),
    "delta of reals fails": Privacy(clamped, eps / 2, (1 - exp(-eps / 4)) / 2, inputs=[0, 1, 3]),
    "own adjacency": Privacy(released, adjacent=by_one),
}


@cache
def written(name: str) -> dict[str, Any]:
    return CLAIMS[name].check().certificate


@pytest.mark.parametrize("name", CLAIMS)
def test_accepted(name: str) -> None:
    document = json.loads(json.dumps(written(name)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    report = certify.check(document)
    assert report, report.reason
    assert ("the claim holds" in report.reason) == (CLAIMS[name].check().outcome == "holds")
    assert not report.taken


def smaller_budget(document: Any) -> None:
    document["claim"]["budget"] = "1/2"


def wider(document: Any) -> None:
    document["claim"]["adjacent"] = {"linf": "2"}


def another_verdict(document: Any) -> None:
    document["verdict"] = "fails"


def fewer_signs(document: Any) -> None:
    del document["signs"][0]


def another_program(document: Any) -> None:
    document["claim"]["mechanism"] = document["claim"]["mechanism"].replace("eps / 2", "eps", 1)


def another_distribution(document: Any) -> None:
    first, second = document["distributions"][1]
    first[1], second[1] = second[1], first[1]


def an_output_less(document: Any) -> None:
    del document["distributions"][0][0]


def more_inputs(document: Any) -> None:
    document["claim"]["inputs"] = {"grid": ["-2", "1", "1"]}


def test_other_epsilons() -> None:
    """What is proved for some ε is not believed for more, but for fewer."""
    document = copy.deepcopy(Privacy(response, epsilon="[1, 5]").check().certificate)
    del document["seal"]
    for end, other, accepted in (("upper", "6", 0), ("lower", "1/2", 0), ("upper", "4", 1)):
        wrong = copy.deepcopy(document)
        wrong["claim"]["epsilon"][end] = other
        assert certify.check({**wrong, "seal": seal(wrong)}).accepted == accepted


@pytest.mark.parametrize(
    "change",
    [
        smaller_budget,
        wider,
        another_verdict,
        fewer_signs,
        another_program,
        another_distribution,
        an_output_less,
        more_inputs,
    ],
)
def test_rejected(change: Callable[[Any], None]) -> None:
    document = copy.deepcopy(written("grid"))
    change(document)
    del document["seal"]
    report = certify.check({**document, "seal": seal(document)})
    assert not report.accepted


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("too small a budget", "eps", "-1"),
        ("too small a budget", "inputs", [[["-1", "-1"]], [["1", "1"]]]),
        ("too small a budget", "inputs", [[["7", "7"]], [["8", "8"]]]),
        ("too small a budget", "inputs", [0, 8]),
        ("too small a budget", "cell", []),
        ("too small a budget", "outputs", []),
        ("too small a delta", "eps", "1/1000000"),
        ("bounded range", "outputs", ["0", "0"]),
    ],
)
def test_counterexamples_that_are_none(name: str, key: str, value: Any) -> None:
    document = copy.deepcopy(written(name))
    document["counterexamples"][0][key] = value
    del document["seal"]
    if (name, key) == ("too small a delta", "eps"):  # there the true δ is the larger one, too
        assert certify.check({**document, "seal": seal(document)})
    else:
        assert not certify.check({**document, "seal": seal(document)})


def test_a_delta_that_is_too_small_is_not_proved() -> None:
    document = copy.deepcopy(written("delta"))
    document["claim"]["delta"] = written("too small a delta")["claim"]["delta"]
    del document["seal"]
    assert not certify.check({**document, "seal": seal(document)})


def changed(name: str, change: Callable[[Any], None]) -> bool:
    document = copy.deepcopy(written(name))
    change(document)
    del document["seal"]
    return certify.check({**document, "seal": seal(document)}).accepted


def test_events_that_share_an_output_are_rejected() -> None:
    """[3, ∞) and the integers behind 3 overlap; at another input only one of them is listed."""

    def longer(document: Any) -> None:
        for each in document["distributions"]:
            for event, _ in each:
                if isinstance(event, dict) and event["integers"][1] == "inf":
                    event["integers"][0] = "3"

    assert not changed("all integers", longer)


def test_an_adjacency_that_is_not_symmetric_is_rejected() -> None:
    def one_way(document: Any) -> None:
        source = document["claim"]["adjacent"]["source"]
        assert "abs(u - v)" in source
        document["claim"]["adjacent"]["source"] = source.replace("abs(u - v)", "(u - v)")

    assert not changed("own adjacency", one_way)


@pytest.mark.parametrize("place", range(3))
def test_a_wrong_sign_of_a_density_is_rejected(place: int) -> None:
    def turned(document: Any) -> None:
        document["regions"][place]["signs"][0] *= -1

    assert not changed("delta of reals", turned)


@pytest.mark.parametrize("program", ["dlap(eps / 2", "dlap(2 * eps", "lap(eps"])
def test_another_integer_noise_is_rejected(program: str) -> None:
    def other(document: Any) -> None:
        source = document["claim"]["mechanism"]
        assert "dlap(eps" in source
        document["claim"]["mechanism"] = source.replace("dlap(eps", program)

    assert not changed("all integers", other)
    assert not changed("delta of integers", other)


def test_signs_on_a_cone_of_negative_epsilon_prove_nothing() -> None:
    """Half of the budget suffices for ε ≤ 0, where the bounds are proved; the claim is false."""
    claim = Privacy(above, eps / 2, inputs=[0, 1])
    assert claim.check().outcome == "fails"
    document = copy.deepcopy(Privacy(above, inputs=[0, 1]).check().certificate)
    document["claim"]["budget"] = "1/2"
    document["signs"] = []
    for u, v in claim.pairs:
        chances = [claim.outcomes.distribution(x) for x in (u, v)]
        for one in claim.losses.bounds((*u, *v), *chances):
            gap = one.beta[0] - one.chance
            decision = nonnegative(gap, claim.epsilon)
            if decision.holds:
                document["signs"].append(without_head(decision.certificate))
                continue
            found = OnCone(("eps",), Cone.of(1, [(-1,)]), None).shape(gap).decision()
            assert found.holds
            assert found.proof is not None
            document["signs"].append(found.proof.to_json())
    del document["seal"]
    assert not certify.check({**document, "seal": seal(document)})


def no_distribution(document: Any) -> None:
    document["distributions"][0] = None


def no_region(document: Any) -> None:
    del document["regions"][-1]


def one_region_more(document: Any) -> None:
    document["regions"].append(None)


def slopes(document: Any) -> None:
    document["slopes"] = True


def events_that_overlap(document: Any) -> None:
    """Half of the mass of (0, 1/4) in an event around it, and half in another one."""
    for each in document["distributions"][:2]:
        ((chance, _),) = [(one[1], each.remove(one)) for one in each if one[0] == NEAR_0]
        half = [[[f"{Fraction(c) / 2}", *rest] for c, *rest in chance[0]], chance[1]]
        each += [[{"reals": ["0", "1/5"]}, half], [{"reals": ["1/6", "1/4"]}, half]]


def an_event_with_two_signs(document: Any) -> None:
    """(0, 1) as one event; p − e^b·p′ changes its sign inside, so δ would be that of 0 alone."""
    mass = [["-1/2", [0], ["-1"]], ["1/2", [0], ["0"]]]
    for each in document["distributions"][:2]:
        each[:] = [one for one in each if isinstance(one[0], str)]
        each.append([{"reals": ["0", "1"]}, [mass, [["1", [0], ["0"]]]]])
    trees = []
    for low, middle, high in (document["regions"][:3], document["regions"][3:]):
        above = {"form": ["-3/4", "1"], "above": high, "below": middle}
        trees.append({"form": ["-1/4", "1"], "above": above, "below": low})
    document["regions"] = trees
    document["claim"]["delta"] = [[["-1/2", [0], ["-1/2"]], ["1/2", [0], ["0"]]], ONE]


NEAR_0 = {"reals": ["0", "1/4"]}
ONE = [["1", [0], ["0"]]]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (no_distribution, "a distribution is missing"),
        (no_region, "it is missing"),
        (one_region_more, "there are more"),
        (slopes, "slopes are used"),
        (events_that_overlap, "an output of another one"),
        (an_event_with_two_signs, "another one on another part"),
        (lambda document: document["distributions"][0].pop(), "do not sum to 1"),
    ],
)
def test_what_is_stated_of_real_events(change: Callable[[Any], None], why: str) -> None:
    document = copy.deepcopy(written("delta of reals"))
    change(document)
    del document["seal"]
    report = certify.check({**document, "seal": seal(document)})
    assert not report.accepted
    assert why in report.reason


def test_without_delta_a_density_is_compared_in_one_direction() -> None:
    """For small outputs p ≥ e^b·p′ is proved, but it is the other bound that is needed."""
    document = copy.deepcopy(Privacy(clamped, inputs=[0, 1]).check().certificate)
    delta = written("delta of reals")
    for key in ("distributions", "regions", "signs"):
        document[key] = copy.deepcopy(delta[key])
    document["claim"]["budget"] = delta["claim"]["budget"]
    document["distributions"] = document["distributions"][:2]
    for signed in (True, False):
        for region in document["regions"]:
            region["signs"] = region["signs"] if signed else None
        body = {key: value for key, value in document.items() if key != "seal"}
        assert not certify.check({**body, "seal": seal(body)})


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        (CLAIMS["grid"], "conditional"),
        (CLAIMS["too small a budget"], "conditional"),
        (CLAIMS["delta of reals"], "conditional"),
        (Privacy(clamped, inputs=[0, 1]), "conditional"),
        (CLAIMS["all integers"], "conditional"),
        (CLAIMS["lists of integers"], "conditional"),
    ],
)
def test_distributions_that_are_not_derived(
    claim: Privacy, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = claim.check().certificate

    def chances(*_: Any) -> Any:
        raise UnsupportedError("too many paths")

    monkeypatch.setattr(Events, "chances", chances)
    report = certify.check(document)
    assert report.outcome == outcome
    assert all("distributions" in one for one in report.taken)


def test_the_kind_for_cones_is_no_longer_read() -> None:
    report = certify.check({**written("grid"), "kind": "privacy_on_cones"})
    assert not report.accepted
    assert "is not read: write it again with this version of exactdp" in report.reason

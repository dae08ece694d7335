"""Certificates of privacy for all reals and for real outputs: accepted, and rejected if changed."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from exactdp import (
    AllReals,
    Box,
    Dom,
    Mechanism,
    Privacy,
    Real,
    ValueRefusedError,
    certify,
    choose,
    eps,
    exp,
    l1,
    lap,
    mechanism,
)
from exactdp.claims.decision.deciding import decide
from exactdp.claims.private.slopes import Slopes
from exactdp.reals.certificates import seal

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)


@mechanism
def larger(q: Real[2]):
    return lap(eps / 2, q[0]) > lap(eps / 2, q[1])


@mechanism
def above(q: Real):
    return lap(eps, q) > 0


@mechanism
def laplace(q: Real):
    return lap(eps, q)


@mechanism
def clamped(q: Real):
    return min(max(lap(eps, q), 0), 1)


@mechanism
def shifted(x: Dom(0, 1), q: Real):
    return lap(eps / 2, q + x) > 0


@mechanism
def steep(q: Real):
    return lap(2 * eps, q) > 0


@mechanism
def two(q: Real[2]):
    if choose({True: exp(-eps), False: 1 - exp(-eps)}):
        return None
    return [lap(eps, q[0]), lap(eps, q[1])]


@mechanism
def largest(q: Real[2]):
    return max(lap(eps / 2, q[0]), lap(eps / 2, q[1]))


@mechanism
def sparse(q: Real[2]):
    threshold, out = lap(eps / 2, 0), []
    for i in range(2):
        r = lap(eps / 4, q[i])
        if r >= threshold:
            out.append(r)
            break
        out.append(None)
    return out


@mechanism
def histogram(q: Real[3]):
    return [lap(eps, q[0]), lap(eps, q[1]), lap(eps, q[2])]


CLAIMS = {
    "slopes": Privacy(larger, inputs=AllReals()),
    "slopes in a box": Privacy(larger, inputs=Box(-1, 1), adjacent=l1(1), epsilon="[1/2, 2]"),
    "pairs of reals": Privacy(steep, inputs=Box(0, 0.5)),
    "a domain beside reals": Privacy(shifted, inputs=AllReals()),
    "delta": Privacy(above, eps / 2, 1 - exp(-eps / 4), inputs=AllReals()),
    "bounded range": Privacy(above, 2 * eps, inputs=AllReals(), measure="bounded_range"),
    "real outputs": Privacy(laplace, inputs=[0, 1]),
    "real outputs of reals": Privacy(laplace, inputs=AllReals()),
    "the larger of two": Privacy(largest, inputs=AllReals()),
    "a released sample": Privacy(sparse, eps / 2, inputs=AllReals()),
    "a histogram": Privacy(histogram, adjacent=l1(1), inputs=AllReals()),
    "atoms": Privacy(clamped, inputs=[0, 1]),
    "two real numbers": Privacy(two, 2 * eps, inputs=[[0, 0], [1, 1]]),
    "fails": Privacy(larger, eps / 2, inputs=AllReals()),
    "a density fails": Privacy(two, inputs=[[0, 0], [1, 1]]),
    "a delta fails": Privacy(above, eps / 2, (1 - exp(-eps / 4)) / 2, inputs=AllReals()),
}


@cache
def written(name: str) -> dict[str, Any]:
    return CLAIMS[name].check().certificate


def judged(document: Any) -> certify.Report:
    body = {key: value for key, value in document.items() if key != "seal"}
    return certify.check({**body, "seal": seal(body)})


@pytest.mark.parametrize("name", CLAIMS)
def test_accepted(name: str) -> None:
    document = json.loads(json.dumps(written(name)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    report = certify.check(document)
    assert report, report.reason
    assert not report.taken
    assert ("the claim fails" in report.reason) == ("fails" in name)


def smaller_budget(document: Any) -> None:
    document["claim"]["budget"] = "1/3"


def wider(document: Any) -> None:
    document["claim"]["adjacent"] = {"linf": "2"}


def another_program(document: Any) -> None:
    document["claim"]["mechanism"] = document["claim"]["mechanism"].replace("eps", "2 * eps", 1)


def more_epsilon(document: Any) -> None:
    document["claim"]["epsilon"] = {**document["claim"]["epsilon"], "lower": "1/100"}


def all_reals(document: Any) -> None:
    document["claim"]["inputs"] = {"reals": True}


def not_as_slopes(document: Any) -> None:
    document["slopes"] = not document["slopes"]


def fewer_regions(document: Any) -> None:
    del document["regions"][-1]


def fewer_bounds(document: Any) -> None:
    del first_part(document["regions"][-1])["bounds"][0]


def no_proof(document: Any) -> None:
    first_part(document["regions"][-1])["bounds"][0] = None


def another_sign(document: Any) -> None:
    bound = first_part(document["regions"][-1])["bounds"][0]
    bound[1] = (bound[1] + 1) % len(document["signs"])


def one_side_only(document: Any) -> None:
    tree = document["regions"][-1]
    tree["below"] = tree["above"]


def signs_of_derivatives(document: Any) -> None:
    first_part(document["regions"][-1])["signs"] = [[1, 1], [1, 1]]


def no_delta(document: Any) -> None:
    document["claim"]["delta"] = [[], [["1", [0], ["0"]]]]


def first_part(tree: Any) -> Any:
    while "form" in tree:
        tree = tree["above"]
    return tree


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("slopes", smaller_budget),
        ("slopes", wider),
        ("slopes", another_program),
        ("slopes", not_as_slopes),
        ("slopes", fewer_regions),
        ("slopes", fewer_bounds),
        ("slopes", no_proof),
        ("slopes", another_sign),
        ("slopes", signs_of_derivatives),
        ("slopes in a box", more_epsilon),
        ("slopes in a box", all_reals),
        ("pairs of reals", all_reals),
        ("pairs of reals", not_as_slopes),
        ("a domain beside reals", fewer_regions),
        ("a domain beside reals", wider),
        ("delta", no_delta),
        ("delta", smaller_budget),
        ("bounded range", smaller_budget),
        ("real outputs", smaller_budget),
        ("real outputs", fewer_regions),
        ("real outputs", one_side_only),
        ("real outputs of reals", one_side_only),
        ("the larger of two", smaller_budget),
        ("a released sample", smaller_budget),
        ("a histogram", smaller_budget),
        ("a histogram", fewer_regions),
        ("atoms", another_program),
        ("two real numbers", smaller_budget),
    ],
)
def test_rejected(name: str, change: Callable[[Any], None]) -> None:
    document = copy.deepcopy(written(name))
    change(document)
    assert not judged(document).accepted


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("fails", "inputs", [[["0", "0"]], [["5", "0"]]]),
        ("fails", "eps", "-1"),
        ("fails", "outputs", []),
        ("fails", "cell", []),
        ("a density fails", "cell", None),
        ("a density fails", "cell", []),
        ("a density fails", "outputs", [["1/2", "1/2"]]),
        ("a density fails", "outputs", [None]),
        ("a delta fails", "outputs", [True, False]),
    ],
)
def test_counterexamples_that_are_none(name: str, key: str, value: Any) -> None:
    document = copy.deepcopy(written(name))
    document["counterexamples"][0][key] = value
    assert not judged(document).accepted


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (
            Privacy(
                Mechanism.from_source("def j(q: Real): return lap(eps, 1 if q > 0 else 0) > 0"),
                inputs=AllReals(),
            ),
            "without noise",
        ),
    ],
)
def test_refused(claim: Privacy, message: str) -> None:
    with pytest.raises(ValueRefusedError, match=message):
        _ = claim.check().certificate


@pytest.mark.parametrize(
    "body",
    ["z = lap(eps, 0)\n    return z if z > q else None", "return expo(eps, q)"],
)
def test_slopes_of_densities_that_jump_prove_nothing(body: str) -> None:
    """The densities are nowhere steep, but they jump as q passes the output: no budget suffices."""
    claim = Privacy(Mechanism.from_source(f"def f(q: Real):\n    {body}"), inputs=AllReals())
    assert claim.check().outcome == "fails"
    wrong = decide(Slopes(claim))
    assert wrong.holds
    with pytest.raises(ValueRefusedError, match="may jump"):
        claim.certificate(replace(wrong, claim=claim, implied_by=Slopes(claim)))

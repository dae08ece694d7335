"""Ideals that are defined at some inputs: the claim is about these, and others never disagree."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from certify.parts import regions
from exactdp import Accuracy, AllReals, Box, Grid, Ideal, Mechanism, alpha, certify, eps, exp
from exactdp.errors import ExactdpError, UndefinedError
from exactdp.reals.certificates import seal

SIGN = Mechanism.from_source("def sign(q: Real):\n    return lap(eps, q) > 0\n")
APART = Ideal.from_source("def apart(q: Real):\n    assert q >= 1 or q <= -2\n    return q > 0\n")


def test_an_ideal_may_be_a_lambda() -> None:
    """It is read from its source, also if there are several on a line."""
    coin = Mechanism.from_source("""
def coin(q: Real[2]):
    side = bernoulli(1 / 2)
    return side if lap(eps, q[1]) > lap(eps, q[0]) else 0
""")
    larger, other = (lambda q: 1 if q[1] > q[0] else 0), (lambda q: 0 if q[1] > q[0] else 1)
    at = {ideal: coin.within([0, 2], 0, ideal=ideal) for ideal in (larger, other)}
    assert not (at[larger] + at[other] - 1).numerator
    wide = Accuracy(SIGN, beta=exp(-alpha * eps), ideal=lambda q: q > 0, inputs=AllReals()).check()
    assert wide.outcome == "holds"
    assert certify.check(wide.certificate).accepted


def test_distances_by_hand() -> None:
    """Inputs in (−2, 1) do not disagree with any: from 3 the nearest is −2, from −2 it is 1."""
    claim = Accuracy(SIGN, beta=Fraction(1, 2), ideal=APART, inputs=[3])
    assert (claim.disagreement(3).distance, claim.disagreement(3).input) == (5, -2)
    assert claim.disagreement(-2).distance == 3
    with pytest.raises(UndefinedError, match="an assertion failed"):
        claim.disagreement(0)


@pytest.mark.parametrize("inputs", [[1], Grid(-4, 4), Box(-5, 5), AllReals()])
def test_claims_where_the_ideal_is_defined(inputs: Any) -> None:
    """The error is e^(−ε|q|)/2 and dd ≤ 3|q|, with equality at q = 1 alone: a side of a piece."""
    right = Accuracy(SIGN, beta=exp(-alpha * eps / 3) / 2, ideal=APART, inputs=inputs)
    verdict = right.check()
    assert verdict.outcome == "holds"
    report = certify.check(verdict.certificate)
    assert report.accepted
    assert report.taken == ()
    wrong = Accuracy(
        SIGN, beta=exp(-alpha * eps * Fraction(34, 100)) / 2, ideal=APART, inputs=inputs
    )
    refuted = wrong.check()
    assert refuted.outcome == "fails"
    assert certify.check(refuted.certificate).accepted


def changed(found: Any, *, cell: int, **change: Any) -> Any:
    """Return a certificate with a change in one of its cells."""
    wrong = json.loads(json.dumps(found))
    cells: list[Any] = []

    def gather(node: Any) -> None:
        if "cell" in node:
            cells.append(node)
        else:
            gather(node["above"])
            gather(node["below"])

    for region in regions(wrong):
        gather(region["tree"])
    cells[cell]["cell"] |= change
    del wrong["seal"]
    return {**wrong, "seal": seal(wrong)}


NOTHING = {"output": {"undefined": True}, "distance": None, "steps": None,
           "obligations": None, "parts": {"near": None}}  # fmt: skip


@pytest.mark.parametrize("inputs", [[1, 0, -3], Box(-5, 5), AllReals()])
def test_where_an_ideal_is_defined_is_rederived(inputs: Any) -> None:
    """No cell can be called undefined that is not, and none defined that is undefined."""
    claim = Accuracy(SIGN, beta=exp(-alpha * eps / 3) / 2, ideal=APART, inputs=inputs)
    found = json.loads(json.dumps(claim.check().certificate))
    total = int(certify.check(found).reason.split()[3])
    rejected = 0
    for cell in range(total):
        rejected += not certify.check(changed(found, cell=cell, **NOTHING)).accepted
    assert rejected == (2 if isinstance(inputs, list) else 4)
    undefined = next(
        cell for cell in range(total) if certify.check(changed(found, cell=cell, **NOTHING))
    )
    changes: tuple[dict[str, Any], ...] = (
        {"output": False}, {"distance": ["1"]}, {"obligations": []}, {"steps": []},
    )  # fmt: skip
    for change in changes:
        assert not certify.check(changed(found, cell=undefined, **change)).accepted
    for source in ("q >= 2 or q <= -2", "True"):
        wrong = json.loads(json.dumps(found))
        del wrong["seal"]
        text = wrong["claim"]["ideal"]["source"]
        assert "q >= 1 or q <= -2" in text
        wrong["claim"]["ideal"]["source"] = text.replace("q >= 1 or q <= -2", source)
        assert not certify.check({**wrong, "seal": seal(wrong)}).accepted
    for k, region in enumerate(regions(found)[1:] if rejected == 4 else (), 1):
        at = region["input"][0]["form"][0]
        wrong = json.loads(json.dumps(found))
        del wrong["seal"], regions(wrong)[k]
        accepted = certify.check({**wrong, "seal": seal(wrong)}).accepted
        assert accepted is (at == "0")  # where the ideal is not defined around it


def test_a_domain_without_interior() -> None:
    """The ideal is defined at 1 and −1 only, and wrong there: cells say nothing, their sides do."""
    points = Ideal.from_source("def points(q: Real):\n    assert abs(q) == 1\n    return q < 0\n")
    claim = Accuracy(SIGN, beta=Fraction(1, 2), ideal=points, inputs=AllReals())
    verdict = claim.check()
    assert verdict.outcome == "fails"
    assert abs(verdict.counterexamples[0].input) == 1
    assert certify.check(verdict.certificate).accepted
    right = Ideal.from_source("def right(q: Real):\n    assert abs(q) == 1\n    return q > 0\n")
    report = certify.check(
        Accuracy(SIGN, "1/2", ideal=right, inputs=AllReals()).check().certificate
    )
    assert report.accepted
    assert report.taken == ()


def test_nothing_is_claimed_elsewhere() -> None:
    """At an input where the ideal is not defined the claim says nothing, and says why."""
    verdict = Accuracy(SIGN, beta=Fraction(1, 2), ideal=APART, inputs=[0]).check()
    assert verdict.outcome == "vacuous"
    assert "the ideal is not defined" in str(verdict)


def test_tables_and_functions_against_the_definition() -> None:
    """Random partial tables on a finite domain: dd by brute force, with the table as a function."""
    program = Mechanism.from_source("def f(x: Dom(0, 3)[2]):\n    return x[0] + x[1] > 2\n")
    everything = list(product(range(4), repeat=2))
    for seed in range(5):
        rng = Random(seed)
        table = {u: rng.choice((0, 1)) for u in everything if rng.random() < 0.5}

        def function(x: list[int], known: dict[tuple[int, ...], int] = table) -> int:
            assert tuple(x) in known
            return known[tuple(x)]

        for ideal in (table, function):
            claim = Accuracy(program, beta=Fraction(1, 2), ideal=ideal)
            for u in everything:
                if u not in table:
                    with pytest.raises(UndefinedError):
                        claim.disagreement(u)
                    continue
                gaps = [
                    max(abs(a - b) for a, b in zip(u, other, strict=True))
                    for other, out in table.items()
                    if out != table[u]
                ]
                assert claim.disagreement(u).distance == min(gaps, default=float("inf"))


def test_an_assertion_of_the_mechanism_stays_an_error() -> None:
    """Its noiseless form is not a partial ideal: the mechanism itself is not defined there."""
    program = Mechanism.from_source(
        "def f(x: Dom(0, 3)):\n    assert x < 3\n    return dlap(eps, x) > 1\n"
    )
    with pytest.raises(ExactdpError, match="an assertion failed"):
        Accuracy(program, beta=Fraction(1, 2)).check()

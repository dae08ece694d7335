"""Certificates of claims at corners: what the checker derives again, and what it rejects."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from certify.parts import regions
from exactdp import Accuracy, AllReals, Box, Mechanism, alpha, eps, exp, gamma, numeric, sup
from exactdp.certify import check
from exactdp.reals.certificates import seal
from exactdp.reproduce.programs import FIGURE, noisy_max, numeric_sparse, sparse


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate with a fresh seal."""
    rest = {name: one for name, one in body.items() if name != "seal"}
    return {**rest, "seal": seal(rest)}


PEELED = """
def peeled(q: Real[3]):
    first = [lap(eps / 2, x) for x in q]
    a = first.index(max(first))
    second = [lap(eps / 2, x) for x in q]
    return a, max([i for i in range(3) if i != a], key=lambda i: second[i])
"""
"""`index` compares the largest number with each entry; some of these edges cannot be taken."""


@cache
def written(name: str) -> dict[str, Any]:
    """Return the certificate of a claim that holds."""
    claims = {
        "noisy max": Accuracy(noisy_max(3), 3 * exp(-alpha * eps / 2), inputs=AllReals()),
        "checked": Accuracy(
            noisy_max(2), 2 * exp(-alpha * eps / 2), inputs=AllReals(), boundary="check"
        ),
        "discrete": Accuracy(
            noisy_max(3), "9/10", alpha=0, input_distance="discrete", inputs=AllReals()
        ),
        "sparse": Accuracy(sparse(3, 2), 12 * exp(-alpha * eps / 16), inputs=AllReals()),
        "numeric": Accuracy(
            numeric_sparse(2, 1, FIGURE),
            4 * exp(-alpha * eps / 9) + exp(-gamma * eps / 9),
            gamma=alpha,
            input_distance=numeric,
            output_distance=sup,
            inputs=AllReals(),
        ),
    }
    claims["box"] = Accuracy(noisy_max(4), 4 * exp(-alpha * eps / 2), inputs=Box(0, 3))
    claims["peeled"] = Accuracy(
        Mechanism.from_source(PEELED), 6 * exp(-alpha * eps / 2), inputs=AllReals()
    )
    found: dict[str, Any] = claims[name].check().certificate
    return found


@pytest.mark.parametrize(
    "name", ["noisy max", "checked", "discrete", "sparse", "numeric", "box", "peeled"]
)
def test_everything_is_derived_again(name: str) -> None:
    certificate = written(name)
    assert all("corner" in region for region in regions(certificate))
    report = check(certificate)
    assert report.accepted, report.reason
    assert not report.taken
    assert "worst inputs" in report.reason


def test_random_choices() -> None:
    """The worst inputs of the exponential mechanism; with other scores they are others."""
    text = "def f(q: Real[3]): return expmech(eps / 2, lambda i: q[i], range(3))"
    claim = Accuracy(Mechanism.from_source(text), 3 * exp(-alpha * eps / 2), inputs=AllReals())
    certificate = claim.check().certificate
    assert all("corner" in region for region in regions(certificate))
    assert check(certificate).accepted
    assert not check(certificate).taken
    for other in ("-q[i]", "abs(q[i])", "q[i] + q[i - 1] / 2", "q[i] * (1 if i else 2)"):
        wrong = deepcopy(certificate)
        wrong["claim"]["ideal"] = {"source": "def g(q: Real[3]): return q.index(max(q))"}
        source = wrong["claim"]["mechanism"]
        assert "q[i]" in source
        wrong["claim"]["mechanism"] = source.replace("q[i]", other)
        assert not check(sealed(wrong)).accepted, other


def changes(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    """Return certificates with one wrong thing each."""
    found = []
    region = regions(certificate)[0]["corner"]
    first = next(k for k, one in enumerate(region["bounds"]) if isinstance(one, int))

    def changed(change: Any) -> None:
        copy = deepcopy(certificate)
        change(regions(copy)[0]["corner"], copy)
        found.append(sealed(copy))

    changed(lambda _, whole: regions(whole).pop())
    changed(lambda corner, _: corner["rows"][0].update(width="100"))
    changed(lambda corner, _: corner["rows"][0].update(constant="1"))
    changed(lambda corner, _: corner["bounds"].__setitem__(first, "idle"))
    changed(lambda corner, _: corner.update(output="7"))
    changed(lambda _, whole: regions(whole)[0].pop("corner"))

    def turned(corner: Any, whole: Any) -> None:
        """Turn a row around, with the entry that it bounds."""
        row = corner["rows"][corner["bounds"][first]]
        row["slopes"] = [[k, q[1:] if q[0] == "-" else f"-{q}"] for k, q in row["slopes"]]
        form = regions(whole)[0]["input"][first]["form"]
        form[1] = form[1][1:] if form[1][0] == "-" else f"-{form[1]}"

    changed(turned)
    return found


@pytest.mark.parametrize("name", ["noisy max", "sparse"])
def test_what_is_wrong_is_rejected(name: str) -> None:
    """A corner less, a row too wide or elsewhere, an entry that matters, another output."""
    for k, wrong in enumerate(changes(written(name))):
        assert not check(wrong).accepted, k


def test_another_program_is_rejected() -> None:
    """A program with the same ideal whose chance of success is not monotone."""
    copy = deepcopy(written("noisy max"))
    source = copy["claim"]["mechanism"]
    assert "r > top" in source
    copy["claim"]["mechanism"] = source.replace("r > top", "r > top and not r > top + 1000")
    copy["claim"]["ideal"] = {
        "source": source.replace("lap(eps / 2, ", "(").replace("@mechanism", "")
    }
    assert not check(sealed(copy)).accepted


def test_large_claims_are_partly_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many runs, the report says that the order is taken from the solver."""
    monkeypatch.setattr("exactdp.certify.rederive.merged._MOST_NODES", 2)
    report = check(written("noisy max"))
    assert report.outcome == "conditional", report.reason
    assert any("worst inputs" in one for one in report.taken)


def test_a_box_does_not_make_a_false_claim_true() -> None:
    """The corners of a box are those of all reals; with a smaller β they prove nothing."""
    forged = deepcopy(written("box"))
    (beta,) = forged["claim"]["cases"][0]["beta"]
    assert beta[1][1] == [["4", 0, "0"]]
    beta[1][1] = [["1/2", 0, "0"]]
    assert not check(sealed(forged)).accepted


def test_corners_that_the_checker_does_not_see() -> None:
    """Two selections from the same noise compare numbers several times: cells are written."""
    text = """
def two(q: Real[3]):
    x = [lap(eps / 4, y) for y in q]
    a = x.index(max(x))
    return a, max([i for i in range(3) if i != a], key=lambda i: x[i])
"""
    claim = Accuracy(Mechanism.from_source(text), 6 * exp(-alpha * eps / 4), inputs=AllReals())
    assert check(claim.check().certificate).accepted

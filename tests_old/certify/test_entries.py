"""Certificates of claims about lists of independent entries, and forgeries of them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from certify.parts import regions
from exactdp import Accuracy, AllReals, Mechanism, alpha, eps, exp
from exactdp.certify import check
from exactdp.certify.rederive.entries import entry_parts
from exactdp.certify.rederive.programs import SourceProgram, Steps
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.reals.certificates import seal

BITS = "def bits(q: Real[{k}]):\n    return [lap(eps / 2, x) > 5 for x in q]\n"
LOOP = """
def bits(q: Real[{k}]):
    out = []
    for i in range({k}):
        if lap(eps / 2, q[i]) > 5 + i:
            out.append("high")
        else:
            out.append(None)
    return out
"""
OWN_IDEAL = "def ideal(q: Real[{k}]):\n    return [x > 5 for x in q]\n"
SIZE = 6


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate with a fresh seal."""
    rest = {name: one for name, one in body.items() if name != "seal"}
    return {**rest, "seal": seal(rest)}


@cache
def written(source: str, k: int, **more: Any) -> dict[str, Any]:
    """Return the certificate of a claim that holds: half of k, times e^(−αε/2)."""
    mechanism = Mechanism.from_source(source.format(k=k))
    claim = Accuracy(mechanism, k * exp(-alpha * eps / 2) / 2, inputs=AllReals(), **more)
    found: dict[str, Any] = claim.check().certificate
    return found


@pytest.mark.parametrize(
    ("source", "k", "more"),
    [
        (BITS, 3, {}),
        (BITS, 10, {}),
        (LOOP, 7, {}),
        (BITS, SIZE, {"input_distance": "l1"}),
        (BITS, SIZE, {"input_distance": "l2", "boundary": "check"}),
    ],
    ids=["3 bits", "10 bits", "a loop", "l1", "l2"],
)
def test_everything_is_derived_again(source: str, k: int, more: dict[str, Any]) -> None:
    """With 1,024 ideal outputs as with 8, of which each has a corner."""
    certificate = written(source, k, **more)
    few = k > 5
    assert len(regions(certificate)) == (k + 1 if few else 2**k)
    report = check(certificate)
    assert report.accepted, report.reason
    assert not report.taken
    assert ("entries are independent" in report.reason) == few


def test_the_discrete_distance() -> None:
    """One bit in 64 is wrong at most with probability 1 − (1/2)^6 < 99 %."""
    mechanism = Mechanism.from_source(BITS.format(k=SIZE))
    claim = Accuracy(mechanism, "99%", alpha=0, input_distance="discrete", inputs=AllReals())
    report = check(claim.check().certificate)
    assert report.accepted, report.reason
    assert not report.taken
    assert "entries are independent" in report.reason


# Forgeries ----------------------------------------------------------------------------


def _changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    copy = deepcopy(written(BITS, SIZE))
    change(copy)
    return sealed(copy)


def _source(text: str) -> Callable[[dict[str, Any]], object]:
    """Return a change of the mechanism, whose ideal stays as it was."""

    def change(copy: dict[str, Any]) -> None:
        copy["claim"]["ideal"] = {"source": OWN_IDEAL.format(k=SIZE)}
        copy["claim"]["mechanism"] = text.format(k=SIZE)

    return change


def _ideal(text: str) -> Callable[[dict[str, Any]], object]:
    return lambda copy: copy["claim"].update(ideal={"source": text.format(k=SIZE)})


def _each(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    """Return a change of every corner."""

    def whole(copy: dict[str, Any]) -> None:
        for region in regions(copy):
            change(region["corner"])

    return whole


def _probability(copy: dict[str, Any]) -> None:
    """Take one factor less, in each region and in the sign: the proof stays correct."""
    smaller = written(BITS, SIZE + 1)
    copy["signs"] = deepcopy(smaller["signs"])
    copy["claim"]["cases"] = smaller["claim"]["cases"]
    cells = deepcopy(regions(smaller)[0]["tree"]["cell"]["obligations"])
    for region in regions(copy):
        region["tree"]["cell"]["obligations"] = cells


def _turned(copy: dict[str, Any]) -> None:
    """Let the first bound of one corner be on the other side."""
    region = regions(copy)[0]
    row = region["corner"]["rows"][region["corner"]["bounds"][0]]
    row["slopes"] = [[k, q[1:] if q[0] == "-" else f"-{q}"] for k, q in row["slopes"]]


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "a bin is left out": lambda copy: regions(copy).pop(0),
    "the list from which others differ is left out": lambda copy: regions(copy).pop(),
    "a bin occurs twice instead of another": lambda copy: regions(copy).__setitem__(
        0, regions(copy)[1]
    ),
    "another product": _probability,
    "another threshold": lambda copy: copy["claim"].update(
        mechanism=copy["claim"]["mechanism"].replace("> 5", "> 6")
    ),
    "another threshold of the mechanism": _source(BITS.replace("> 5", "> 4")),
    "another threshold of one bin": _source(
        "def bits(q: Real[{k}]):\n"
        "    return [lap(eps / 2, q[i]) > (4 if i == 3 else 5) for i in range({k})]\n"
    ),
    "another rate of one bin": _source(
        "def bits(q: Real[{k}]):\n"
        "    return [lap(eps / 4 if i == 3 else eps / 2, q[i]) > 5 for i in range({k})]\n"
    ),
    "more bins": lambda copy: copy["claim"].update(mechanism=BITS.format(k=SIZE + 1)),
    "noise that all entries share": _source(
        "def bits(q: Real[{k}]):\n    z = lap(eps / 2, 0)\n    return [x + z > 5 for x in q]\n"
    ),
    "noise that two entries share": _source(
        "def bits(q: Real[{k}]):\n"
        "    z = [lap(eps / 2, 0) for x in q]\n"
        "    return [q[i] + z[min(i, {k} - 2)] > 5 for i in range({k})]\n"
    ),
    "an earlier entry is read": _source(
        "def bits(q: Real[{k}]):\n"
        "    out = []\n"
        "    for x in q:\n"
        "        out.append(lap(eps / 2, x) > 5 and (len(out) < 2 or out[0] or out[1]))\n"
        "    return out\n"
    ),
    "a copy of an earlier entry": _source(
        "def bits(q: Real[{k}]):\n"
        "    out = []\n"
        "    last = False\n"
        "    for x in q:\n"
        "        last = lap(eps / 2, x) > 5 and not last\n"
        "        out.append(last)\n"
        "    return out\n"
    ),
    "a list that is made anew": _source(
        "def bits(q: Real[{k}]):\n"
        "    out = []\n"
        "    out.append(lap(eps / 2, q[0]) > 5)\n"
        "    if lap(eps / 2, q[1]) > 5:\n"
        "        out = []\n"
        "        out.append(True)\n"
        "    for i in range(1, {k}):\n"
        "        out.append(lap(eps / 2, q[i]) > 5)\n"
        "    return out\n"
    ),
    "a number of another entry": _source(
        "def bits(q: Real[{k}]):\n    return [lap(eps / 2, q[max(i, 1)]) > 5 for i in range({k})]\n"
    ),
    "the chance of an entry is not monotone": _source(
        "def bits(q: Real[{k}]):\n"
        "    out = []\n"
        "    for x in q:\n"
        "        r = lap(eps / 2, x)\n"
        "        out.append(r > 5 and not r > 1000)\n"
        "    return out\n"
    ),
    "an ideal whose entries depend on each other": _ideal(
        "def ideal(q: Real[{k}]):\n"
        "    out = []\n"
        "    n = 0\n"
        "    for x in q:\n"
        "        above = x > 5 and n < 2\n"
        "        out.append(above)\n"
        "        if above:\n"
        "            n = n + 1\n"
        "    return out\n"
    ),
    "an ideal with one more value": _ideal(
        "def ideal(q: Real[{k}]):\n    return ['far' if x > 9000 else x > 5 for x in q]\n"
    ),
    "an ideal about other numbers": _ideal(
        "def ideal(q: Real[{k}]):\n    return [q[{k} - 1 - i] > 5 for i in range({k})]\n"
    ),
    "outputs differ elsewhere": lambda copy: regions(copy)[0]["corner"].update(differs=[0]),
    "no output differs": _each(lambda corner: corner.update(differs=[])),
    "each output has a corner": _each(lambda corner: corner.pop("differs")),
    "a row that is too wide": _each(lambda corner: corner["rows"][0].update(width="2")),
    "a row elsewhere": _each(lambda corner: corner["rows"][0].update(constant="4")),
    "a row on the other side": _turned,
    "an entry that matters": _each(lambda corner: corner["bounds"].__setitem__(0, "idle")),
    "another distance": lambda copy: copy["claim"].update(
        input_distance={"name": "numeric", "threshold": "5"}
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_rejected(what: str) -> None:
    report = check(_changed(WRONG[what]))
    assert not report.accepted, report.reason


def test_values_with_other_probabilities() -> None:
    """With one-sided noise True is certain at its corner and False is not: lists are not alike."""
    report = check(_changed(_source(BITS.replace("lap", "expo"))))
    assert not report.accepted
    assert "an entry has other probabilities at two corners" in report.reason


def test_the_ideal_may_be_given() -> None:
    """What the forgeries change is accepted if it is not changed."""
    report = check(_changed(_source(BITS)))
    assert report.accepted, report.reason
    assert not report.taken


@pytest.mark.parametrize(
    "body",
    [
        "return [lap(eps, x) for x in q]",
        "return lap(eps, q[0]) > 0",
        "return [True, lap(eps, q[0]) > 0]",
        "return [lap(eps, q[0]) > 0] if lap(eps, q[1]) > 0 else []",
        "return [choose({True: 1/2, False: 1/2}) for x in q]",
        "out = [lap(eps, x) > 0 for x in q]\n    out.append(out[0])\n    return out",
        "out = [lap(eps, x) > 0 for x in q]\n    a = lap(eps, 0) > 0\n    return out",
        "z = lap(eps, 0)\n    return [q[i] + z > 0 for i in range(2)]",
    ],
)
def test_entries_that_are_not_seen_to_be_independent(body: str) -> None:
    program = SourceProgram(f"def program(q: Real[2]):\n    {body}\n", Steps())
    with pytest.raises(UnsupportedError):
        entry_parts(program, [[None, None]], noisy=True)


def test_the_numbers_that_entries_depend_on() -> None:
    """A part has the numbers that it compares, and those in the means of its noise."""
    program = SourceProgram(LOOP.format(k=3), Steps())
    for noisy in (True, False):
        parts = entry_parts(program, [[None] * 3], noisy=noisy)
        assert [sorted(part.inputs) for part in parts] == [[0], [1], [2]]

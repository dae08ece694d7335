"""Large certificates are checked in good time; excessive ones are rejected in good time."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest

from exactdp import certify

from .specimens import ALL, LINEAR, certificate, factor, half, proof

Json = Any


def with_room(count: int, boxes: int, degree: int) -> Json:
    """2 + Σ ±ε^k·e^{−qε}/count > 0 on [1, 4], with many exponents and many boxes."""
    terms = [
        [str(Fraction((-1) ** i, count)), i % 3, str(Fraction(-i, 72) - 4)]
        for i in range(count - 1, 0, -1)
    ]
    terms.append(["2", 0, "0"])
    ends = [1 + Fraction(3 * i, boxes) for i in range(1, boxes + 1)]
    pieces = [["box", str(end), "0", degree, 64, "middle"] for end in ends]
    return certificate("holds", terms, ">", "[1, 4]", proof(half(factor(terms, pieces))))


def test_fifty_terms_and_thirty_boxes_take_less_than_a_second() -> None:
    large = with_room(50, 30, 12)
    before = time.process_time()
    assert certify.check(large)
    assert time.process_time() - before < 2  # measured: 0.05; a slow machine shall pass


def test_two_thousand_terms() -> None:
    assert certify.check(with_room(2000, 1, 20))


def linear_at(point: str) -> Json:
    """ε − point ≥ 0 from the point on."""
    terms = [["-" + point, 0, "0"], ["1", 1, "0"]]
    return certificate("holds", terms, ">=", f"[{point}, inf)", proof(half(factor(terms, LINEAR))))


@pytest.mark.parametrize("digits", [600, 601, 4300, 4301, 30_000])
def test_long_numbers_are_read(digits: int) -> None:
    assert certify.check(linear_at("7" * digits))
    assert certify.check(linear_at("1/" + "3" * digits))
    assert not certify.check(linear_at("9" * digits + "/" + "3" * digits))


def test_too_long_numbers_are_rejected() -> None:
    assert "rational" in certify.check(linear_at("7" * (certify.MAX_DIGITS + 1))).reason


def test_long_numbers_are_shortened_in_the_claim() -> None:
    assert len(certify.check(linear_at("7" * 9000)).claim) < 300


TWO_TERMS = [["-1/3", 1, "-1/7"], ["1", 0, "1/5"]]
EXCESSIVE = {
    "a power": half(factor([["1", 0, "0"], ["1/7", 1, "1/3"]], LINEAR, power=10_000)),
    "a degree": half(factor(TWO_TERMS, [["box", "2", "0", 10_000, 65_536, "middle"]])),
    "an exponent": half(factor(TWO_TERMS, [["box", "2", str(10**30), 3, 64, "middle"]])),
    "digits in a box": half(
        factor(TWO_TERMS, [["box", "2/" + "7" * 150_000, "0", 500, 64, "middle"]] * 50)
    ),
    "bits": half(
        factor(
            TWO_TERMS,
            [["box", str(1 + Fraction(i, 9)), "0", 9, 65_536, "lower"] for i in range(1, 10)],
        )
    ),
}


@pytest.mark.parametrize("name", EXCESSIVE)
def test_excessive_work_is_rejected_in_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certify.limits, "MAX_WORK", 100_000)
    before = time.process_time()
    report = certify.check(certificate("holds", TWO_TERMS, ">", "[1, 2]", proof(EXCESSIVE[name])))
    assert not report
    assert time.process_time() - before < 20


def test_a_high_order_at_0_is_found_or_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """e^ε minus its Taylor polynomial is of order 31 at 0."""
    factorial, terms = 1, []
    for k in range(31):
        factorial *= k or 1
        terms.append([str(Fraction(-1, factorial)), k, "0"])
    terms.append(["1", 0, "1"])
    remainder = certificate(
        "holds", terms, ">", "(0, 1]", proof(half(factor(terms, [["start", "1", 33, 256]])))
    )
    assert certify.check(remainder)
    monkeypatch.setattr(certify.limits, "MAX_WORK", 1000)
    assert "steps" in certify.check(remainder).reason


def test_text_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certify.limits, "MAX_TEXT", 100)
    assert not certify.check(ALL["0 ≥ 0"])


def test_a_hopeless_point_is_given_up() -> None:
    """e^ε − 1 − ε at 10^{−30000} needs more bits than there are."""
    tiny = "1/1" + "0" * 30_000
    terms = [["1", 0, "0"], ["1", 1, "0"], ["-1", 0, "1"]]
    value = ["-1/2" + "0" * 60_000, "-1/2" + "0" * 60_000]
    refutation = {"at": tiny, "value": value, "bits": certify.MAX_BITS}
    report = certify.check(certificate("fails", terms, ">=", "(0, 1]", refutation))
    assert "decided" in report.reason or "steps" in report.reason

"""Certificates of programs that are defined on an interval of ε."""

from __future__ import annotations

from typing import Any

import pytest

from exactdp import Accuracy, Ideal, Interval, Mechanism, certify, eps, nonnegative, parse

from .specimens import seal

RESPONSE = """
def f(x: Dom(0, 1)):
    return choose({x: (1 + eps**2 * (3 - eps) / 2) / 2, 1 - x: (1 - eps**2 * (3 - eps) / 2) / 2})
"""


@pytest.fixture(scope="module")
def certificate() -> Any:
    """Pr(error) = (1 − ε²(3 − ε)/2)/2 = (1 − ε)·(…)/2, a probability for ε ≤ 1 and at ε = 2 not."""
    ideal = Ideal.from_source("def g(x: Dom(0, 1)):\n    return x")
    error = (1 - eps**2 * (3 - eps) / 2) / 2
    claim = Accuracy(Mechanism.from_source(RESPONSE), beta=error, ideal=ideal, epsilon="(0, 1]")
    return claim.check().certificate


def test_probabilities_are_checked_on_the_interval(certificate: Any) -> None:
    report = certify.check(certificate)
    assert report.accepted
    assert not report.taken


def test_beyond_the_interval_the_program_is_wrong(certificate: Any) -> None:
    """Another interval in the claim, or another program: a probability is negative somewhere."""
    text = certificate["claim"]["mechanism"].replace("3 - eps", "4 - eps")
    changed = seal({**certificate, "claim": {**certificate["claim"], "mechanism": text}})
    report = certify.check(changed)
    assert not report.accepted
    assert "not seen to be at least 0" in report.reason


@pytest.mark.parametrize("text", ["1 - eps", "(1 - eps)*(eps - 3)", "(1 - eps)^3*(exp(-eps) - 2)"])
def test_a_zero_at_the_only_point(text: str) -> None:
    """A factor that is 0 at the point may have either sign; the other factors have their own."""
    decision = nonnegative(parse(text), Interval(1, 1))
    assert decision.holds
    assert certify.check(decision.certificate).accepted

"""Every rule of proof and refutation accepts what it should."""

from __future__ import annotations

import json

import pytest

from exactdp import certify

from .specimens import ALL, FAILS, HOLDS


@pytest.mark.parametrize("name", ALL)
def test_specimen_is_accepted(name: str) -> None:
    report = certify.check(ALL[name])
    assert report.accepted, report.reason
    assert bool(report)


@pytest.mark.parametrize("name", ALL)
def test_text_is_accepted_like_the_mapping(name: str) -> None:
    assert certify.check(json.dumps(ALL[name], indent=2)) == certify.check(ALL[name])


def test_the_reason_says_which_verdict_was_proved() -> None:
    assert all("holds" in certify.check(c).reason for c in HOLDS.values())
    assert all("fails" in certify.check(c).reason for c in FAILS.values())

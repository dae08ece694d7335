"""Certificates of error bounds whose outputs have a position and a number."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from certify.specimens import seal
from certify.test_schema import VALIDATOR
from exactdp import AllReals, ErrorBound, Grid, Mechanism, certify

BOTH = """
def both(q: Real[2]):
    a, b = lap(eps / 2, q[0]), lap(eps / 2, q[1])
    if a > b:
        return 0, lap(eps / 2, q[0])
    return 1, lap(eps / 2, q[1])
"""


@cache
def certificates() -> dict[str, dict[str, Any]]:
    """Return certificates at listed inputs, for all reals, and of a failure."""
    mechanism = Mechanism.from_source(BOTH)
    asked = {
        "grid": (ErrorBound(mechanism, 5, "20%", inputs=Grid(0, 6, 3)), 1),
        "reals": (ErrorBound(mechanism, 5, "20%", inputs=AllReals()), 1),
        "fails": (ErrorBound(mechanism, 5, "5%", inputs=AllReals()), 1),
        "number": (ErrorBound(mechanism, 5, "20%", inputs=Grid(0, 6, 3), simultaneous=False), 1),
    }
    return {name: bound.check(eps=eps).certificate for name, (bound, eps) in asked.items()}


@pytest.mark.parametrize("name", ["grid", "reals", "fails", "number"])
def test_they_are_re_derived(name: str) -> None:
    """The checker reads the distance on outputs and takes no closed form from the solver."""
    VALIDATOR.validate(certificates()[name])
    report = certify.check(certificates()[name])
    assert report.accepted
    assert not report.taken


CHANGES: list[tuple[str, str, str]] = [
    ("position and number exchanged", '["position", "value"]', '["value", "position"]'),
    ("no position", '["position", "value"]', '["any", "value"]'),
    ("no number", '["position", "value"]', '["position", "any"]'),
    ("an unknown kind", '["position", "value"]', '["position", "distance"]'),
    ("less noise", "return 1, lap(eps / 2, q[1])", "return 1, lap(eps, q[1])"),
    ("the other position", "return 1, lap", "return 0, lap"),
    ("a smaller risk", '"1/5"', '"1/10"'),
    ("a smaller error", '[["5", 0, "0"]]', '[["4", 0, "0"]]'),
]


@pytest.mark.parametrize("name", ["grid", "reals"])
@pytest.mark.parametrize(("old", "new"), [one[1:] for one in CHANGES], ids=[c[0] for c in CHANGES])
def test_another_claim_is_rejected(old: str, new: str, name: str) -> None:
    """Each changes what the certificate states, and none of its proofs."""
    body = dict(certificates()[name])
    text = json.dumps(body["claim"])
    assert old in text
    body["claim"] = json.loads(text.replace(old, new))
    assert not certify.check(seal(body)).accepted

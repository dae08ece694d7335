"""A budget of bounded range is not negative, not even where there is one output only."""

from __future__ import annotations

import copy

import pytest

from exactdp import Mechanism, Privacy, certify, eps

from .specimens import seal


@pytest.mark.parametrize("factor", ["1/2", "-5"])
def test_a_negative_budget(factor: str) -> None:
    constant = Mechanism.from_source("def constant(x: Dom(0, 1)):\n    return 0")
    claim = Privacy(constant, 1 * eps, inputs=[0, 1], measure="bounded_range")
    certificate = copy.deepcopy(claim.check().certificate)
    assert certificate is not None
    assert certify.check(certificate)
    for q, right in ((factor, False), ("2", True)):
        log = [[[q, [0], ["0"]]], [["1", [0], ["0"]]]]
        certificate["claim"]["budget"] = {"log": log}
        assert bool(certify.check(seal(certificate))) is right

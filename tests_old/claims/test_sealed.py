"""Certificates that are changed and sealed again are rejected."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

from certify.specimens import seal
from claims.test_powers_of_e import LAPLACE
from claims.test_strict_conditions import _steps
from exactdp import Accuracy, Mechanism, certify, discrete


def test_a_certificate_with_another_power_is_rejected() -> None:
    """The number in the exponent belongs to what is claimed."""
    right = json.loads(json.dumps(Accuracy(LAPLACE, "exp(-2)", 0, "2/eps").check().certificate))
    assert certify.check(right).accepted
    (tree,) = right["claim"]["cases"][0]["beta"]
    text = json.dumps(tree)
    for change in ('"-3"', '"-20001/10000"', '"2"'):
        wrong = copy.deepcopy(right)
        wrong["claim"]["cases"][0]["beta"] = [json.loads(text.replace('"-2"', change))]
        assert not certify.check(seal(wrong)).accepted
    wrong = copy.deepcopy(right)
    wrong["claim"]["cases"][0]["beta"] = [json.loads(text.replace('"1"]', '"log(3)"]'))]
    assert not certify.check(seal(wrong)).accepted
    wrong["claim"]["unit"] = "3"
    assert not certify.check(seal(wrong)).accepted


def test_a_certificate_is_about_the_strict_condition() -> None:
    """At q = 0 the claim is false: the same proof of the condition q ≥ 0 is rejected."""
    late = Mechanism.from_source("""
def late(q: Real):
    return 1 if q > 0 and lap(eps, q) > 0 else 0
""")
    claim = Accuracy(
        late,
        Fraction(1, 2),
        alpha=0,
        ideal=_steps("ideal", 0, (0, 1, 1)).noiseless(),
        input_distance=discrete,
        inputs=lambda q: q > 0,
        output_distance=discrete,
    )
    certificate: Any = copy.deepcopy(claim.check().certificate)
    assert certify.check(certificate)
    (side,) = certificate["claim"]["cases"][0]["when"]
    assert side["strict"] is True
    side["strict"] = False
    assert not certify.check(seal(certificate))

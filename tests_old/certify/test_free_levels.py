"""Regions that stand for all inputs must have all α and γ of the claim, not only some of them."""

from __future__ import annotations

import copy

from certify.parts import regions
from exactdp import Accuracy, AllReals, Interval, Mechanism, alpha, certify, discrete, eps, exp, sup

from .claim_specimens import make
from .specimens import seal

ALL = {"range": {"lower": "0", "lower_closed": True, "upper": "inf", "upper_closed": False}}


def test_a_gamma_that_stands_for_all() -> None:
    """At γ = 0 noise is never right; at γ = 5 it is with probability 1 − e^{−5ε} ≥ 1/2."""
    laplace = Mechanism.from_source("def laplace(x: Real):\n    return lap(eps, x)")
    claim = Accuracy(
        laplace,
        "1/2",
        0,
        5,
        inputs=[0],
        epsilon=Interval.parse("[1, inf)"),
        input_distance=discrete,
        output_distance=sup,
    )
    certificate = copy.deepcopy(claim.check().certificate)
    assert certificate is not None
    (region,) = regions(certificate)
    few = {"stands_for": "every", "free": [], "regions": [region]}
    certificate["claim"]["inputs"] = {"reals": True}
    certificate["regions"] = [few]
    assert certify.check(seal(certificate))
    certificate["claim"]["cases"][0]["gamma"] = ALL
    few["free"] = ["gamma"]
    region["gamma"] = ["5"]
    assert "left out" in certify.check(seal(certificate)).reason


def test_an_alpha_at_corners_at_which_nothing_is_claimed() -> None:
    """Where α is the distance to disagreement a claim says nothing: that is no reason for it."""
    claim = Accuracy(make("noisy_max", 5), beta=5 * exp(-alpha * eps / 2), inputs=AllReals())
    certificate = copy.deepcopy(claim.check().certificate)
    assert certificate is not None
    assert certify.check(certificate)
    beta = ["form", [["1/1000", 0, "0"]], [["1", 0, "0"]]]
    certificate["claim"]["cases"][0]["beta"] = [beta]
    certificate["signs"] = []
    certificate["regions"][0]["free"] = ["alpha"]
    for region in regions(certificate):
        assert "corner" in region
        region["alpha"] = ["0", "1"]
        region["tree"]["cell"].update(obligations=None, steps=None)
    assert "left out" in certify.check(seal(certificate)).reason

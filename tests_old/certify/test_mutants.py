"""Certificates that no other test noticed when the checker was changed: see `mutants`."""

from __future__ import annotations

from fractions import Fraction

from claims.formulas import exp
from exactdp import (
    Accuracy,
    AllReals,
    Ideal,
    Mechanism,
    alpha,
    certify,
    discrete,
    eps,
    l1,
    linf,
    sup,
)

from .specimens import seal

LARGER = Mechanism.from_source(
    "def larger(q: Real[2]):\n    return lap(eps / 2, q[0]) < lap(eps / 2, q[1])"
)


def test_the_distance_l1_for_all_real_inputs() -> None:
    """The sum of both changes must reach the gap, so dd is the gap, and not half of it as in linf.

    The error at a gap d is (1/2 + εd/8)·e^{−εd/2} ≤ e^{−εd/4}.
    """
    claim = Accuracy(LARGER, exp(-alpha * eps / 4), input_distance=l1, inputs=AllReals())
    verdict = claim.check()
    assert verdict.holds
    report = certify.check(verdict.certificate)
    assert report
    assert "distances to disagreement" in report.reason
    assert "β = exp(" in report.claim


def test_a_distance_that_is_too_small_is_not_accepted() -> None:
    """In linf dd is half of the gap d, so e^{−αε/2} is at least e^{−εd/4}, and the claim holds.

    In l1 dd is d, and (1/2 + εd/8)·e^{−εd/2} is above e^{−εd/2} for large ε: the same proof, said
    to be about l1, leaves out the α that matter.
    """
    for distance, holds in ((linf, True), (l1, False)):
        claim = Accuracy(LARGER, exp(-alpha * eps / 2), input_distance=distance, inputs=AllReals())
        verdict = claim.check()
        assert verdict.holds is holds
        assert certify.check(verdict.certificate)
        if holds:
            changed = verdict.certificate
            changed["claim"]["input_distance"] = {"name": "l1"}
            assert not certify.check(seal(changed))


def test_noise_that_is_compared_twice() -> None:
    """After a < b also a ≤ b is known, and after a ≥ b also a > b, with probability 1."""
    mechanism = Mechanism.from_source(
        "def f(q: Real[2]):\n"
        "    a = lap(eps, q[0])\n"
        "    b = lap(eps, q[1])\n"
        "    if a < b:\n"
        "        return 0 if a <= b else 1\n"
        "    return 2 if a > b else 3\n"
    )
    ideal = Ideal.from_source("def g(q: Real[2]):\n    return 0 if q[0] < q[1] else 2")
    # Both wrong outputs are impossible, the other one has probability (1/2 + εd/4)·e^{−εd} < 3/4.
    for u in ([0, 1], [1, 0]):
        claim = Accuracy(mechanism, Fraction(3, 4), ideal=ideal, alpha=0, inputs=[u])
        report = certify.check(claim.check().certificate)
        assert report
        assert not report.taken
        assert "β = (3/4)" in report.claim


def test_a_distance_of_numbers_between_texts() -> None:
    """The solver refuses such a claim; of a certificate of one, the distance is not derived."""
    mechanism = Mechanism.from_source(
        "def f(x: Dom(['a', 'b'])):\n"
        "    return choose({x: exp(eps) / (1 + exp(eps)), 'c': 1 / (1 + exp(eps))})"
    )
    ideal = Ideal.from_source("def g(x):\n    return x")
    claim = Accuracy(mechanism, Fraction(1, 2), ideal=ideal, alpha=0, input_distance=discrete)
    certificate = claim.check().certificate
    assert not certify.check(certificate).taken
    certificate["claim"]["input_distance"] = {"name": "linf"}
    report = certify.check(seal(certificate))
    assert not report
    assert "needs numbers" in report.reason


def test_a_number_without_noise_near_the_ideal_one() -> None:
    """At 1 it is 5, the ideal output, with probability 1 − e^{−ε}/2; else it is noise around 4.

    The claim asks for 1/5; at 4.5, an ideal output that is no output, 5 is within 1 as well.
    """
    mechanism = Mechanism.from_source(
        "def f(q: Real):\n    if lap(eps, q) > 0:\n        return 5\n    return lap(eps, 4)"
    )
    for output in ("5", "9 / 2"):
        ideal = Ideal.from_source(f"def g(q: Real):\n    return {output} if q > 0 else 4")
        claim = Accuracy(
            mechanism,
            Fraction(4, 5),
            alpha=0,
            gamma=1,
            ideal=ideal,
            input_distance=discrete,
            output_distance=sup,
            inputs=[1],
        )
        verdict = claim.check()
        assert verdict.holds
        report = certify.check(verdict.certificate)
        assert report
        assert not report.taken

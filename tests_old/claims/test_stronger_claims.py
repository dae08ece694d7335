"""Claims in the paper's generality have certificates, which do not prove stronger claims.

Each is true, and false with a smaller β, as errors show that are computed by hand at one ε.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import exp as mexp
from typing import Any

import pytest

from certify.specimens import seal
from claims.mechanisms import LARGER
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Ideal,
    Mechanism,
    alpha,
    certify,
    discrete,
    eps,
    exp,
    gamma,
    l2,
    maximum,
    parse,
)

COIN = Mechanism.from_source(
    "def coin(x: Dom(0, 1)): return choose({x: (1 + eps) / 2, 1 - x: (1 - eps) / 2})"
)
TABLE = Mechanism.from_source("""
def table(x: Dom(0, 2)):
    chances = {k: {j: (2 if j == k else 1) / 4 for j in range(3)} for k in range(3)}
    return choose(chances[x])
""")
BOTH = Mechanism.from_source("""
def both(q: Real, x: Dom(0, 2)):
    return (lap(eps, q) >= 0, dlap(eps, x) >= 1)
""")
TWO = Mechanism.from_source("def two(q: Real[2]): return [lap(eps, q[0]), lap(eps / 2, q[1])]")
LATER = Mechanism.from_source("""
def later(q: Real):
    b = lap(eps, q) > 0
    if b:
        x = 1
    c = lap(eps, q) > 1
    if b:
        return x
    return 0
""")
SAME = Ideal.from_source("def same(x: Dom(0, 2)): return x")
BIT = Ideal.from_source("def bit(x: Dom(0, 1)): return x")
ANYWHERE: dict[str, Any] = {"alpha": 0, "gamma": ANY, "input_distance": discrete}

CLAIMS: dict[str, tuple[Callable[[Any], Accuracy], float, float]] = {
    # The claim as a function of what is multiplied with β; the error and β, somewhere.
    "a program on an interval of ε": (
        lambda k: Accuracy(COIN, k * (1 - eps) / 2, ideal=BIT, epsilon="(0, 1]"),
        0.25,
        0.25,
    ),
    "a table of probabilities": (
        lambda k: Accuracy(TABLE, k * parse("1/2"), ideal=SAME),
        0.5,
        0.5,
    ),
    "integer and real noise, all reals": (
        # at q = x = 1, ε = 1: P(Lap ≥ −1) = 1 − 1/(2e), P(DLap ≥ 0) = 1/(1 + 1/e); α → 1
        lambda k: Accuracy(BOTH, k * exp(-alpha * eps) * 3 / 2, inputs=AllReals()),
        1 - (1 - mexp(-1) / 2) / (1 + mexp(-1)),
        1.5 * mexp(-1),
    ),
    "any γ of real outputs": (
        # at γ = 4 and ε = 1 the error is 1 − (1 − e^−4)(1 − e^−2)
        lambda k: Accuracy(TWO, k * 2 * exp(-gamma * eps / 2), inputs=[[1, 5]], **ANYWHERE),
        1 - (1 - mexp(-4)) * (1 - mexp(-2)),
        2 * mexp(-2),
    ),
    "the largest of two bounds": (
        # at [2, 0] and ε = 2 the error is e^−2·(1/2 + 1/2), and α → 1
        lambda k: Accuracy(
            LARGER,
            k * maximum(exp(-alpha * eps), exp(-alpha * eps / 2) / 2),
            inputs=[[2, 0]],
        ),
        mexp(-2),
        mexp(-1) / 2,
    ),
    "the Euclidean distance": (
        # at [2, 0] dd is √2
        lambda k: Accuracy(LARGER, k * exp(-alpha * eps / 2), input_distance=l2, inputs=[[2, 0]]),
        mexp(-1) * 0.75,
        mexp(-(2**0.5) / 2),
    ),
    "a variable that is assigned where it is read": (
        lambda k: Accuracy(LATER, k * exp(-alpha * eps) / 2, inputs=AllReals()),
        mexp(-1) / 2,
        mexp(-1) / 2,
    ),
}


@pytest.mark.parametrize("name", list(CLAIMS))
def test_a_certificate_does_not_prove_a_stronger_claim(name: str) -> None:
    claim, error, bound = CLAIMS[name]
    assert error <= bound + 1e-12
    right = json.loads(json.dumps(claim(1).check().certificate))
    assert certify.check(right).accepted
    less = parse(f"{0.98 * error / bound:.4f}")
    verdict = claim(less).check()
    assert verdict.holds is False
    refuted = json.loads(json.dumps(verdict.certificate))
    assert certify.check(refuted).accepted
    if right["kind"] == refuted["kind"]:
        assert not certify.check(seal({**right, "claim": refuted["claim"]})).accepted
    assert not certify.check(seal({**right, "verdict": "fails"})).accepted
    assert not certify.check(seal({**refuted, "verdict": "holds"})).accepted

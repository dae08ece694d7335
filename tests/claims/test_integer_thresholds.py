"""Integer noise compared with a + b/ε and log(r)/ε: steps in ε, against sums over the integers."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import Accuracy, ExactdpError, Ideal, Mechanism, alpha, eps, exp

PRESENT = Ideal.from_source("def present(x: Dom(0, 5)): return x > 1")
SHIFTS = {
    "2 / eps": 2.0,
    "log(10) / eps": math.log(10),
    "(1 / 2 + log(3)) / eps": 0.5 + math.log(3),
}


def mechanism(op: str, shift: str) -> Mechanism:
    return Mechanism.from_source(f"def above(x: Dom(0, 5)): return dlap(eps, x) {op} 1 + {shift}")


def above(x: int, e: float, op: str, number: float) -> float:
    """Return the probability that x plus discrete Laplace noise is above 1 + number/ε."""
    q, limit = math.exp(-e), 1 + number / e
    if abs(limit - round(limit)) < 1e-12:
        limit = round(limit)
    total = 0.0
    for k in range(-300, 400):
        if k > limit or (op == ">=" and k == limit):
            total += (1 - q) / (1 + q) * q ** abs(k - x)
    return total


@pytest.mark.parametrize("op", [">", ">="])
@pytest.mark.parametrize("shift", SHIFTS)
def test_probabilities(op: str, shift: str) -> None:
    """On intervals of ε, and at ε = 1 and 2, where 1 + 2/ε is a whole number."""
    program = mechanism(op, shift)
    text = str(program).replace("def ", '@mechanism(epsilon="[1/3, 4]")\ndef ', 1)
    for x in (0, 3):
        found: Any = Mechanism.from_source(text).probability(x, True)
        for at in (Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(7, 2)):
            assert float(found.at(at)) == pytest.approx(above(x, float(at), op, SHIFTS[shift]))


def worst(op: str, number: float, low: float, high: float) -> float:
    """Return the least ratio of exp(−ε·dd) and the error, on a grid and where steps may be."""
    points = [low + (high - low) * k / 300 for k in range(301)]
    points += [one for k in range(1, 40) if low <= (one := number / k) <= high]
    least = math.inf
    for x in range(6):
        distance = 2 - x if x <= 1 else x - 1
        for e in points:
            chance = above(x, e, op, number)
            error = chance if x <= 1 else 1 - chance
            least = min(least, math.exp(-e * distance) / error)
    return least


@pytest.mark.parametrize("seed", range(4))
def test_claims(seed: int) -> None:
    """Random thresholds: β just above the worst error holds, below it fails where it says."""
    rng = Random(seed)
    op, shift = rng.choice([">", ">="]), rng.choice([*SHIFTS])
    low = Fraction(rng.randint(2, 4), 4)
    number, high = SHIFTS[shift], low + 1
    least = worst(op, number, float(low), float(high))
    program = mechanism(op, shift)
    for factor, outcome in ((1.02, "holds"), (0.98, "fails")):
        beta = Fraction(factor / least) * exp(-alpha * eps)
        claim = Accuracy(program, beta, ideal=PRESENT, epsilon=(low, high))
        verdict = claim.check()
        assert verdict.outcome == outcome
        if outcome == "fails":
            found = verdict.counterexample
            assert found is not None
            chance = above(found.input, float(found.eps), op, number)
            error = chance if found.input <= 1 else 1 - chance
            assert float(found.error) == pytest.approx(error)
            assert error > float(found.allowed)


def test_what_is_not_decided() -> None:
    """Arbitrarily small ε; a number that is hit at a single ε; sets of ε; certificates."""
    program = mechanism(">", "2 / eps")
    with pytest.raises(ExactdpError, match="arbitrarily small eps"):
        program.distribution(3)
    hit = Mechanism.from_source(
        "def hit(x: Dom(0, 5)):\n    z = dlap(eps, x)\n"
        "    return z >= 1 + 2 / eps and not z > 1 + 2 / eps"
    )
    never = Ideal.from_source("def never(x: Dom(0, 5)): return False")
    with pytest.raises(ExactdpError, match="equal at ε = "):
        Accuracy(hit, "1/100", ideal=never, alpha=0, epsilon=("1/2", 3)).check()
    assert Accuracy(hit, "1/100", ideal=never, alpha=0, epsilon=1).check().outcome == "fails"
    claim = Accuracy(program, 9 * exp(-alpha * eps), ideal=PRESENT, epsilon=("1/2", 3))
    assert claim.check().holds
    with pytest.raises(ExactdpError, match="does not examine"):
        assert claim.check().certificate
    less = Accuracy(program, 6 * exp(-alpha * eps), ideal=PRESENT, epsilon=("1/2", 3))
    with pytest.raises(ExactdpError, match="set of ε is not computed"):
        less.epsilons()

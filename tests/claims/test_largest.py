"""β as the largest of exponentials, for all reals: tight where two of them are equal.

The error of the comparison at distance d is (1/2 + x/4)·e^(−x) with x = εd, by hand, so the best
factor of a bound is a maximum over x alone, which a search in floats finds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from claims.mechanisms import LARGER, NOISY
from exactdp import (
    Accuracy,
    AllReals,
    Box,
    alpha,
    certify,
    eps,
    exp,
    gamma,
    inf,
    maximum,
)
from support.examples import TIMES

Bounds = list[tuple[Fraction, Fraction]]


def needed(bounds: Bounds) -> float:
    """Return the least factor with which the largest c·e^(−r·x) is at least the error."""
    points = [x / 500 for x in range(20_000)]
    return max(
        (1 / 2 + x / 4) * math.exp(-x) / max(float(c) * math.exp(-float(r) * x) for c, r in bounds)
        for x in points
    )


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_the_best_factor(seed: int) -> None:
    random = Random(seed)
    rates = random.sample([Fraction(k, 4) for k in range(4)], random.choice([2, 2, 3]))
    bounds = [(Fraction(random.randint(2, 20), 10), rate) for rate in rates]
    least = Fraction(needed(bounds)).limit_denominator(10**6)
    inputs: Any = random.choice([AllReals(), Box(0, inf), Box(-3, 3)])
    for factor, outcome in ((Fraction(1002, 1000), "holds"), (Fraction(998, 1000), "fails")):
        parts = [c * least * factor * exp(-r * alpha * eps) for c, r in bounds]
        verdict = Accuracy(LARGER, maximum(*parts), inputs=inputs).check()
        assert verdict.outcome == outcome, (bounds, least)
        if seed % 2 == 0:
            assert certify.check(verdict.certificate).accepted


def test_where_gamma_is_any_number() -> None:
    """Pr(error > γ) = e^(−x) with x = γε; the largest bound is 9/10·e^(−x/2) up to x = 2·log 9."""
    for factor, outcome in ((1, "fails"), (Fraction(10, 9), "holds")):
        bound = maximum(Fraction(9, 10) * factor * exp(-gamma * eps / 2), Fraction(1, 10))
        for inputs in ([0], AllReals()):
            claim = Accuracy(NOISY, bound, alpha=0, gamma=(0, inf), inputs=inputs)
            assert claim.check().outcome == outcome


def test_the_best_constant_is_close() -> None:
    """κ is 1/`needed`, by search."""
    bounds = [(Fraction(4, 5), Fraction(1)), (Fraction(3, 5), Fraction(1, 2))]
    bound = maximum(*(c * exp(-r * alpha * eps) for c, r in bounds))
    kappa = Accuracy(LARGER, bound, inputs=AllReals()).tightest(width=Fraction(1, 1000)).kappa
    assert (
        kappa.lower - Fraction(1, 10**4) <= 1 / needed(bounds) <= kappa.upper + Fraction(1, 10**4)
    )
    assert kappa.upper - kappa.lower <= Fraction(1, 1000)

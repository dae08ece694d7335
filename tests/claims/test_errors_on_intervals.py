"""Errors, best constants and factors with one closed form on each of several intervals of ε."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from exactdp import (
    Accuracy,
    ErrorBound,
    ExactdpError,
    Expected,
    Ideal,
    Mechanism,
    Privacy,
    alpha,
    compare,
    eps,
    exp,
    linf,
    value_gap,
)

BIT = Ideal.from_source("def bit(x: Dom(0, 1)): return x")
CHANGING = Mechanism.from_source("""
def changing(x: Dom(0, 1)):
    p = minimum(1 - exp(-eps), eps / 2)
    return choose({x: 1 / 2 + p / 2, 1 - x: 1 / 2 - p / 2})
""")
POINTS = (Fraction(1, 7), Fraction(4, 5), Fraction(3, 2), Fraction(2), Fraction(6))


def wrong(e: float) -> float:
    """Return the error probability of `CHANGING`."""
    return (1 - min(1 - math.exp(-e), e / 2)) / 2


def tail(t: float) -> float:
    """Return Pr(X > t) for Laplace noise of rate 1."""
    return math.exp(-t) / 2 if t >= 0 else 1 - math.exp(t) / 2


def test_errors_with_a_minimum() -> None:
    """The minimum changes where 1 − e^(−ε) = ε/2, and the error is 1/10 at ln 5."""
    curve = Accuracy(CHANGING, "1/2", ideal=BIT).error_probability(1)
    points = [*map(float, POINTS)]
    known = [*map(wrong, points)]
    assert [float(curve.at(one)) for one in POINTS] == pytest.approx(known)
    assert curve.values(points).tolist() == pytest.approx(known)
    risk = ErrorBound(CHANGING, within=0, ideal=BIT).risk(eps=1)
    assert risk.lower == risk.upper == Fraction(1, 4)
    assert "for ε in" in str(risk)
    least = ErrorBound(CHANGING, within=0, risk="10%", ideal=BIT).smallest_epsilon()
    assert float(least) == pytest.approx(math.log(5))
    kappa = Expected(CHANGING, "wrong", at_most=exp(-eps / 4), ideal=BIT).tightest().kappa
    best = min(math.exp(-e / 4) / wrong(e) for e in (k / 500 for k in range(1, 5000)))
    assert float(kappa.lower) == pytest.approx(best, abs=1e-2)
    with pytest.raises(ExactdpError, match="not one closed form"):
        compare({"one": CHANGING, "other": CHANGING}, "error", inputs=[0], ideal=BIT)
    chains = CHANGING.chain(1)
    assert len(chains) == 2  # type: ignore[arg-type]


def test_the_best_factor_with_a_minimum() -> None:
    """It is attained where the minimum changes, at an irrational ε."""
    found = Privacy(CHANGING).tightest().factor
    grid = (1 + k / 10**4 for k in range(10**4))
    best = max(math.log((1 - wrong(e)) / wrong(e)) / e for e in grid)
    assert best <= found.upper < best + 1e-4
    assert 0 < found.upper - found.lower < 1e-5
    mixed = Mechanism.from_source("""
def mixed(q: Real):
    p = min(eps, 1 / 2)
    return lap(eps, q) > 0 if bernoulli(p) == 1 else lap(eps / 2, q) > 0
""")

    def above(q: float, e: float) -> float:
        p = min(e, 0.5)
        return p * tail(-e * q) + (1 - p) * tail(-e * q / 2)

    found = Privacy(mixed, adjacent=linf(1), inputs=[0, 1]).tightest().factor
    grid = (k / 1000 for k in range(1, 5000))
    best = max(math.log((1 - above(0, e)) / (1 - above(1, e))) / e for e in grid)
    assert float(found.upper) == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_random_thresholds(seed: int) -> None:
    """Two noisy numbers above thresholds that depend on ε, with α and β as claimed."""
    rng = Random(seed)
    shift = rng.choice([("2 / eps", 2.0), ("log(20) / eps", math.log(20))])
    rates = [Fraction(rng.randint(1, 3), 2) for _ in range(2)]
    program = Mechanism.from_source(f"""
def f(q: Real[2]):
    for i in range(2):
        if lap({rates[0]} * eps, q[i]) > 1 + {shift[0]} and lap({rates[1]} * eps, q[i]) > 0:
            return i
    return None
""")
    ideal = Ideal.from_source("""
def ideal(q: Real[2]):
    for i in range(2):
        if q[i] > 1:
            return i
    return None
""")
    u = [Fraction(rng.randint(-4, 8), 2) + Fraction(1, 4) for _ in range(2)]
    claim = Accuracy(program, 5 * exp(-alpha * eps / 2), ideal=ideal, inputs=[u])
    curve = claim.error_probability(u)
    expected = 0 if u[0] > 1 else 1 if u[1] > 1 else None
    for at in POINTS:
        e = float(at)
        over = [
            tail(float(rates[0]) * (e + shift[1] - e * float(x)))
            * tail(-float(rates[1]) * e * float(x))
            for x in u
        ]
        right = {0: over[0], 1: (1 - over[0]) * over[1], None: (1 - over[0]) * (1 - over[1])}
        assert float(curve.at(at)) == pytest.approx(1 - right[expected], rel=1e-9)
        assert curve.alpha is not None
        bound = min(1, 5 * math.exp(-float(curve.alpha) * e / 2))
        assert curve.claimed_values([e])[0] == pytest.approx(bound)


def test_other_distances() -> None:
    """With a distance of finite outputs, the regret of a selection."""
    larger = Mechanism.from_source(
        "def larger(q: Real[2]): return 0 if lap(eps, q[0]) > lap(eps, q[1]) + 1 / eps else 1"
    )
    first = Ideal.from_source("def first(q: Real[2]): return 0 if q[0] > q[1] else 1")
    given = {"ideal": first, "output_distance": value_gap, "inputs": [[3, 1]], "alpha": 0}
    curves = [
        Accuracy(larger, "1/2", gamma=gamma, **given).error_probability([3, 1])  # type: ignore[arg-type]
        for gamma in (1, 2)
    ]
    assert float(curves[0].at(1)) == pytest.approx(float(larger.probability([3, 1], 1).at(1)))
    assert float(curves[1].at(1)) == 0

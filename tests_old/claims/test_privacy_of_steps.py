"""The privacy of sums of integer noise and uniform noise, compared with a discretized sum."""

import math

import numpy
import pytest

from exactdp import ExactdpError, Mechanism, Privacy, compare, eps, exp, linf

TULAP = Mechanism.from_source("def tulap(x: Dom(0, 2)): return x + dlap(eps, 0) + unif(-1/2, 1/2)")
STAIRCASE = Mechanism.from_source("""
def staircase(x: Dom(0, 1)):
    sign = choose({-1: 1 / 2, 1: 1 / 2})
    near = bernoulli(1 / (1 + 2 * exp(-eps)))
    rest = unif(0, 1 / 3) if near == 1 else unif(1 / 3, 1)
    return x + sign * (geometric(eps) + rest)
""")
FOLDED = Mechanism.from_source("""
def folded(x: Dom(0, 1)):
    u, z = unif(0, 1), dlap(eps, x)
    return z + u if z + u > 1 / 3 else z - u
""")


def masses(mechanism: Mechanism, x: int, at: float) -> numpy.ndarray:
    """Return the probabilities of the steps of length 1/6 between −40 and 40."""
    z = numpy.arange(-39, 39)
    u = (numpy.arange(600) + 0.5) / 600
    ratio = math.exp(-at)
    laplace = (1 - ratio) / (1 + ratio) * ratio ** abs(z - x)
    found = numpy.zeros(80 * 6)

    def add(y: numpy.ndarray, weight: numpy.ndarray) -> None:
        numpy.add.at(found, numpy.floor(y * 6).astype(int) + 240, weight[:, None] / len(u))

    if mechanism is TULAP:
        add(z[:, None] + u - 0.5, laplace)
    elif mechanism is FOLDED:
        whole = z[:, None] + u
        add(numpy.where(whole > 1 / 3, whole, z[:, None] - u), laplace)
    else:
        k, near = numpy.arange(38), 1 / (1 + 2 * ratio)
        for sign in (-1, 1):
            for p, low, high in ((near, 0, 1 / 3), (1 - near, 1 / 3, 1)):
                part = k[:, None] + low + (high - low) * u
                add(x + sign * part, (1 - ratio) * ratio**k * p / 2)
    return found


@pytest.mark.parametrize("mechanism", [TULAP, STAIRCASE, FOLDED], ids=range(3))
def test_budget_and_delta(mechanism: Mechanism) -> None:
    claim = Privacy(mechanism, budget=eps / 2, adjacent=linf(1))
    assert claim.check().outcome == "fails"
    one, two = (masses(mechanism, x, 1.0) for x in (0, 1))
    sums = [(p - math.exp(0.5) * q).clip(0).sum() for p, q in ((one, two), (two, one))]
    assert float(claim.smallest_delta().at(1)) == pytest.approx(max(sums), abs=1e-9)


def test_optimal_noise_costs_exactly_eps() -> None:
    for mechanism in (TULAP, STAIRCASE):
        best = Privacy(mechanism, adjacent=linf(1)).tightest().factor
        assert (best.lower, best.upper) == (1, 1)
    laplace = Mechanism.from_source("def laplace(x: Dom(0, 2)): return lap(eps, x)")
    ranking = compare([TULAP, laplace], "squared", [0], adjacent=linf(1))
    # 2b/(1 − b)² + 1/12 = 2/ε² with b = e^(−ε)
    (stretch,) = ranking.best["tulap"]
    x = float(stretch.upper)
    b = math.exp(-x)
    assert 2 * b / (1 - b) ** 2 + 1 / 12 == pytest.approx(2 / x**2, abs=1e-10)


def test_integers_and_reals_in_one_place() -> None:
    """An interval contains both, and neither is counted twice: δ is the mean of both δ."""
    either = Mechanism.from_source("""
def either(x: Dom(0, 1)):
    return lap(eps, x) if bernoulli(1 / 2) == 1 else dlap(eps, x)
""")
    claim = Privacy(either, budget=eps / 2, delta=0.5, epsilon="(0, 1]")
    wanted = (1 - exp(-eps / 4)) / 2 + (1 - exp(-eps / 2)) / (1 + exp(-eps)) / 2
    (form,) = claim.smallest_delta().forms
    assert form == wanted
    with pytest.raises(ExactdpError, match="in one place"):
        _ = claim.check().certificate


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("x + dlap(eps, 0) + lap(eps, 0)", "sum of integer noise and real noise"),
        ("x + dlap(eps, 0) + unif(0, 1) if bernoulli(1 / 2) == 1 else 0", "sum of integer noise"),
    ],
)
def test_what_is_refused(output: str, message: str) -> None:
    mechanism = Mechanism.from_source(f"def f(x: Dom(0, 1)): return {output}")
    with pytest.raises(ExactdpError, match=message):
        Privacy(mechanism, budget=eps / 2, delta=0.5, adjacent=linf(1)).smallest_delta()
    with pytest.raises(ExactdpError, match="has no certificate"):
        _ = Privacy(TULAP, adjacent=linf(1)).check().certificate

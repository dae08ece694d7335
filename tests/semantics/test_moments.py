"""Expectations and variances: known ones, and random programs and functions against simulation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import AllReals, Box, ExactdpError, Mechanism, eps, exp, inf
from support.examples import examples

NOISY_MAX = """
def noisy_max(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""


def made(text: str) -> Mechanism:
    """Return a mechanism from its text."""
    return Mechanism.from_source(text)


def test_known_variances() -> None:
    """Laplace 2/ε², exponential 1/ε², geometric 2w/(1 − w)² with w = e^{−ε}, and their means."""
    count = made("def count(x: Real): return lap(eps, x)")
    assert (count.expectation(3), count.variance(3)) == (3, 2 / eps**2)
    assert count.expectation(3, "absolute") == 1 / eps
    assert count.expectation(3, lambda y: (y - 3) ** 4) == 24 / eps**4
    late = made("def late(x: Real): return expo(2 * eps, x)")
    assert (late.expectation(1), late.variance(1)) == ((2 * eps + 1) / (2 * eps), 1 / (4 * eps**2))
    whole = made("def whole(x: Dom(0, 3)): return dlap(eps, x)")
    w = exp(-eps)
    assert (whole.expectation(2), whole.variance(2)) == (2, 2 * w / (1 - w) ** 2)
    assert whole.expectation(2, "absolute") == 2 * w / (1 - w**2)


def test_largest_of_exponentials() -> None:
    """The largest of n exponentials has the mean Σ 1/k and the variance Σ 1/k², over ε and ε²."""
    for n in (2, 3, 4):
        largest = made(f"def top():\n    return max([expo(eps, 0) for _ in range({n})])")
        assert largest.expectation() * eps == sum(Fraction(1, k) for k in range(1, n + 1))
        assert largest.variance() * eps**2 == sum(Fraction(1, k * k) for k in range(1, n + 1))


def test_estimator_of_randomized_response() -> None:
    """(b·(e^ε + 1) − 1)/(e^ε − 1) is unbiased, with the variance e^ε/(e^ε − 1)² (Warner)."""
    answer = made(
        "def answer(b: Dom(0, 1)):"
        " return choose({b: exp(eps) / (exp(eps) + 1), 1 - b: 1 / (exp(eps) + 1)})"
    )

    def estimate(y: Any) -> Any:
        return (y * (exp(eps) + 1) - 1) / (exp(eps) - 1)

    for b in (0, 1):
        assert answer.expectation(b, lambda u, y: estimate(y) - u) == 0
        assert answer.variance(b, estimate) == exp(eps) / (exp(eps) - 1) ** 2
    assert answer.expectation(1, "wrong", ideal=lambda b: b) == 1 / (exp(eps) + 1)


def test_sum_of_noise_and_lists() -> None:
    """Variances of independent noise add; a list has the moments of its entries."""
    both = made("def both(x: Real):\n    a = lap(eps, x)\n    return [a, a + lap(eps / 2, 0)]")
    assert both.expectation(1) == (1, 1)
    assert both.variance(1) == (2 / eps**2, 10 / eps**2)
    covariance = both.expectation(1, lambda y: (y[0] - 1) * (y[1] - 1))
    assert covariance == 2 / eps**2
    assert both.expectation(1, "squared") == 12 / eps**2


def test_loops_and_infinity() -> None:
    """A loop that ends with probability 1 has finite moments; ∞ is told where it has mass."""
    retries = made(
        "def retries():\n    k = 0\n    while k == 0:\n"
        "        k = choose({0: 1 / 2, 1: exp(-eps) / 2, 3: (1 - exp(-eps)) / 2})\n    return k"
    )
    assert retries.expectation() == 3 - 2 * exp(-eps)
    assert retries.expectation((), lambda k: inf if k == 3 else 0) == inf
    assert retries.expectation((), lambda k: inf if k == 2 else 0) == 0
    assert retries.variance((), lambda k: inf if k == 3 else 0) == inf


def test_all_reals() -> None:
    """A formula for all reals is, at each input, the expectation there."""
    count = made("def count(x: Real): return lap(eps, x)")
    formula = count.expectation(AllReals(), abs)
    assert len(formula) == 2
    selected = made(NOISY_MAX)
    regret = selected.expectation(AllReals(), "regret")
    for q in ([0, 1, 3], [2, 2, 0], [-1, 5, 4]):
        assert regret.at(*q) == selected.expectation(q, "regret")
        assert formula.at(q[2]) == count.expectation(q[2], abs)
    by_hand = sum(
        (selected.probability([0, 1, 3], k) * lost for k, lost in ((0, 3), (1, 2))), 0 * eps
    )
    assert regret.at(0, 1, 3) == by_hand
    jumps = count.expectation(Box(0, 2), lambda u, y: y if u > 1 else 0 * y)
    assert [jumps.at(x) for x in (Fraction(1, 2), 1, 2)] == [0, 0, 2]


NUMBERS = ("0", "1", "-3/2", "2/3")
FUNCTIONS = (
    "a", "b", "a * b", "abs(a - b)", "max(a, b) ** 2", "min(a, 1) * b", "abs(a) ** 3 - b",
    "(a if a > b else b * b)", "1 if a < b else 0", "max(min(a, 2), -1)", "abs(abs(a) - abs(b))",
)  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a program that returns two numbers with noise."""
    kind = draw(st.sampled_from(["real", "real", "whole"]))
    number = st.sampled_from(NUMBERS if kind == "real" else ("0", "1", "-2"))
    rate = st.sampled_from(("eps", "eps / 2", "2 * eps"))
    words = st.sampled_from(("lap", "expo") if kind == "real" else ("dlap",))
    first, second = (f"{draw(words)}({draw(rate)}, {draw(number)})" for _ in range(2))
    factor = draw(st.sampled_from(("1", "-1", "2")))
    return f"""
def program():
    x = {first}
    y = {second} + {factor} * {draw(st.sampled_from(("x", "0")))}
    if x {draw(st.sampled_from(("<", ">=")))} {draw(st.sampled_from(("y", "1")))}:
        return [x, {draw(st.sampled_from(("y", "x", "1")))}]
    return [y, {draw(st.sampled_from(("x", "y", "0")))}]
"""


@examples(30)
@given(programs(), st.sampled_from(FUNCTIONS), st.sampled_from(["1/2", "2"]))
def test_against_simulation(text: str, body: str, at: str) -> None:
    """The mean of 6,000 runs is within eight standard errors of the exact expectation."""
    mechanism = made(text)
    function = eval(f"lambda output: (lambda a, b: {body})(*output)")
    first, variance = mechanism.expectation((), function), mechanism.variance((), function)
    runs = mechanism.sample((), at, 6_000, seed=1)
    values = np.array([float(function(run)) for run in runs])
    error = math.sqrt(float(variance.at(at)) / len(values))
    assert abs(values.mean() - float(first.at(at))) <= 8 * error + 1e-9
    second = mechanism.expectation((), lambda output: function(output) ** 2)
    assert variance == second - first**2


WRONG: list[tuple[str, Any, str]] = [
    ("a quotient of noise", lambda y: 1 / y, "divide"),
    ("no number", lambda _: None, "not a number"),
    ("an inexact float", lambda y: y * 0.1, "not exact"),
    ("a comparison of squares", lambda y: 1 if y * y > 2 else 0, "not linear"),
    ("an index", lambda y: [1, 2][y], "failed"),
    ("three arguments", lambda _, __, ___: 0, "3 arguments"),
    ("an unknown name", "largest", "is not a loss"),
    ("always wrong", "wrong", "always wrong"),
    ("no selection", "regret", "not positions"),
    ("both infinities", lambda y: inf if y > 0 else -inf, "∞ and −∞"),
    ("types", lambda y: 0 if isinstance(y, int | Fraction) else 1, "for symbols"),
]


@pytest.mark.parametrize(
    ("function", "told"), [one[1:] for one in WRONG], ids=[w[0] for w in WRONG]
)
def test_refusals(function: Any, told: str) -> None:
    """What is not polynomial on pieces is refused with a reason."""
    count = made("def count(x: Real): return lap(eps, x)")
    with pytest.raises(ExactdpError, match=told):
        count.expectation(2, function)


def test_numbers_over_eps() -> None:
    """max(y, 0) for y uniform around 1 is (1 + 1/ε)²·ε/4 for ε < 1; a count by quadrature."""
    spread = made("def f(q: Real): return q + unif(-1 / eps, 1 / eps)")
    (piece,) = spread.variance(1)
    assert str(piece.value.substitute(**{piece.unit: 1})) == "1/3/eps^2"
    positive = spread.expectation(1, lambda y: max(y, 0))
    for at in ("1/4", "1/2", "3"):
        e = float(Fraction(at))
        want = (1 + 1 / e) ** 2 * e / 4 if e < 1 else 1
        assert float(positive.at(at)) == pytest.approx(want, rel=1e-12)
    bin_ = made(
        "def f(c: Real):\n    z = lap(eps, c)\n    return z if z > 1 + log(100) / eps else 0"
    )
    for at in ("1/2", "1", "3"):
        e = float(Fraction(at))
        low = 1 + math.log(100) / e
        grid = np.linspace(low, low + 100, 1_000_001)
        height = grid * e / 2 * np.exp(-e * abs(grid - 5))
        assert float(bin_.expectation(5).at(at)) == pytest.approx(np.trapezoid(height, grid), 1e-6)
    both = made("def f(c: Real): return [lap(eps, c), c + 1 / eps]").expectation(5).at(2)
    assert [float(one) for one in both] == [5, 5.5]


def test_noise_with_the_rate_of_a_logarithm() -> None:
    """Around 1, by sums over the masses (1 − a)/(1 + a)·a^|z| with a = 1/(2e − 1) at ε = 1."""
    noise = Mechanism.from_source("def f(x: Dom(0, 3)): return dlap(log(2 * exp(eps) - 1), x)")
    r = 2 * exp(eps) - 1
    assert noise.variance(1) == 2 * r / (r - 1) ** 2
    a = 1 / (2 * math.e - 1)
    masses = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-60, 61)}
    for power in (1, 3, 4):
        want = sum(mass * abs(z + 1) ** power for z, mass in masses.items())
        found = noise.expectation(1, lambda y, power=power: abs(y) ** power)
        assert float(found.at(1)) == pytest.approx(want, rel=1e-12)

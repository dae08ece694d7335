"""δ of real outputs for all real inputs, against formulas and a search over pairs."""

from __future__ import annotations

from math import exp as mexp
from typing import Any

import mpmath
import pytest

from exactdp import AllReals, Box, Mechanism, Privacy, ValueRefusedError, certify, eps, exp, linf


def _mechanism(output: str) -> Mechanism:
    return Mechanism.from_source(f"def f(q: Real): return {output}")


@pytest.mark.parametrize(
    ("output", "budget", "change", "delta"),
    [
        ("lap(eps, q)", 0 * eps, 1, 1 - exp(-eps / 2)),
        ("lap(eps, q)", eps / 2, 2, 1 - exp(-3 * eps / 4)),
        ("expo(eps, q)", eps, 1, 1 - exp(-eps)),
    ],
)
def test_the_smallest_delta_for_all_reals(
    output: str, budget: Any, change: int, delta: Any
) -> None:
    """At a change d, Laplace noise has 1 − e^{−(dε − b)/2}; one-sided noise reveals d·ε of it."""
    claim = Privacy(_mechanism(output), budget, adjacent=linf(change), inputs=AllReals())
    (piece,) = claim.smallest_delta().pieces
    assert piece.delta == delta


def _above(u: float, v: float, budget: float) -> float:
    """Return δ of a release of u + noise if it is at least 2, at ε = 1."""

    def density(y: float, q: float) -> float:
        return mexp(-abs(y - q)) / 2

    def below(q: float) -> float:
        return mexp(2 - q) / 2 if q > 2 else 1 - mexp(q - 2) / 2

    grown = mexp(budget)
    places = sorted({2.0, max(2.0, u), max(2.0, v), max(2.0, (u + v) / 2), 40.0})
    real = mpmath.quad(lambda y: max(0, density(y, u) - grown * density(y, v)), places)
    return float(real) + max(0.0, below(u) - grown * below(v))


def test_a_release_above_a_threshold() -> None:
    """The worst pair is found by a search on a grid: δ slightly above it suffices."""
    claim = Mechanism.from_source("""
def above(q: Real):
    r = lap(eps, q)
    return None if r < 2 else r
""")
    places = [k / 2 for k in range(9)]
    best = max(_above(u, u + d, 0.5) for u in places for d in (-1, 1))
    more, less = (f"{best + d:.6f}" for d in (0.002, -0.01))
    assert Privacy(claim, eps / 2, more, inputs=AllReals(), epsilon=1).check().holds
    failing = Privacy(claim, eps / 2, less, inputs=Box(0, 4), epsilon=1).check()
    assert failing.outcome == "fails"
    assert certify.check(failing.certificate).accepted


def test_what_is_refused() -> None:
    twice = _mechanism("lap(eps, q) + lap(eps, 0)")
    with pytest.raises(ValueRefusedError, match="difference of two exponentials"):
        Privacy(twice, eps / 2, "1/2", inputs=AllReals()).check()


def test_the_smallest_budget_on_an_interval() -> None:
    """1 − e^{−(ε − aε)/2} = δ has a = 1 + 2·ln(1 − δ)/ε, largest at the largest ε."""
    right = 1 + 2 * float(mpmath.log(1 - mpmath.mpf(1) / 20)) / 2
    laplace = Privacy(_mechanism("lap(eps, q)"), inputs=[0, 1], epsilon="[1/2, 2]")
    found = laplace.smallest_budget(delta="1/20")
    assert float(found.lower) - 1e-9 <= right <= float(found.upper) + 1e-9
    assert found.upper - found.lower <= 1e-6


def test_the_smallest_budget_of_randomized_response() -> None:
    """(e^ε − e^{aε})/(1 + e^ε) = δ at the largest ε; discrete Laplace noise has the same δ."""
    right = mpmath.log(mpmath.e**2 - (1 + mpmath.e**2) / 10) / 2
    sources = (
        "def f(b: Dom(0, 1)): return b if bernoulli(exp(eps) / (1 + exp(eps))) else 1 - b",
        "def f(n: Dom(0, 2)): return dlap(eps, n)",
    )
    for source in sources:
        claim = Privacy(Mechanism.from_source(source), epsilon="[1/2, 2]")
        found = claim.smallest_budget(delta="1/10")
        assert float(found.lower) - 1e-9 <= right <= float(found.upper) + 1e-9

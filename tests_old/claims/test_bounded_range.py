"""Bounded range of outputs with real noise: the ratios of densities at two outputs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp as mexp
from math import log
from typing import Any

import pytest

from exactdp import AllReals, Grid, Mechanism, Privacy, ValueRefusedError, certify, eps


def _ratios(density: Any, u: Any, v: Any, e: float) -> list[float]:
    return [log(density(u, k / 4, e) / density(v, k / 4, e)) for k in range(-40, 41)]


def _laplace(u: float, y: float, e: float) -> float:
    return mexp(-e * abs(y - u))


def _larger(u: tuple[float, ...], y: float, e: float) -> float:
    """Return the density of the larger of two samples with rate ε/2."""

    def below(q: float) -> float:
        t = (y - q) * e / 2
        return mexp(t) / 2 if t < 0 else 1 - mexp(-t) / 2

    first, second = (mexp(-e / 2 * abs(y - q)) for q in u)
    return first * below(u[1]) + second * below(u[0])


CASES: dict[str, tuple[str, Any, Any, Fraction]] = {
    "laplace": ("def f(q: Real): return lap(eps, q)", [0, 1], _laplace, Fraction(2)),
    "maximum": (
        "def f(q: Real[2]): return max(lap(eps / 2, q[0]), lap(eps / 2, q[1]))",
        [(0, 0), (1, 1)],
        _larger,
        Fraction(3, 2),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_range_is_that_of_a_search(name: str) -> None:
    """The largest ratio over the smallest one, at outputs on a grid."""
    source, inputs, density, factor = CASES[name]
    given = [list(u) if isinstance(u, tuple) else u for u in inputs]
    claim = Privacy(
        Mechanism.from_source(source), factor * eps, inputs=given, measure="bounded_range"
    )
    assert claim.tightest().factor.upper == claim.tightest().factor.lower == factor
    best = 0.0
    for (u, v), e in product((inputs, inputs[::-1]), (0.5, 2, 8)):
        found = _ratios(density, u, v, e)
        best = max(best, (max(found) - min(found)) / e)
    assert 0.9 * factor < best <= factor + 1e-9
    assert certify.check(claim.check().certificate).accepted
    less = Privacy(
        claim.mechanism, factor * eps * 9 / 10, inputs=given, measure="bounded_range"
    ).check()
    assert less.outcome == "fails"
    assert certify.check(less.certificate).accepted
    assert "products of the densities" in str(less.counterexample)
    one, other = less.counterexample.outputs
    u, v = inputs if less.counterexample.inputs[0] == given[0] else inputs[::-1]
    at = float(less.counterexample.eps)
    seen = [log(density(u, float(y), at) / density(v, float(y), at)) for y in (one, other)]
    assert seen[0] - seen[1] > factor * at * 9 / 10


def test_atoms_beside_densities_and_all_reals() -> None:
    """A clamped release: from the lower to the upper atom the ratio changes from e^ε to e^{−ε}."""
    clamped = Mechanism.from_source("def f(q: Real): return min(max(lap(eps, q), 0), 1)")
    found = Privacy(clamped, inputs=Grid(0, 1), measure="bounded_range").tightest()
    assert found.factor.upper == found.factor.lower == 2
    laplace = Mechanism.from_source("def f(q: Real): return lap(eps, q)")
    verdict = Privacy(laplace, 2 * eps, inputs=AllReals(), measure="bounded_range").check()
    assert verdict.holds
    assert certify.check(verdict.certificate).accepted
    breach = Privacy(laplace, inputs=Grid(0, 1), measure="bounded_range").check()
    with pytest.raises(ValueRefusedError, match="not seen in runs"):
        breach.simulated(10)

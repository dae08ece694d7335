"""Rényi divergences and zCDP of outputs with real noise, against formulas and quadrature."""

from __future__ import annotations

from math import exp as mexp
from math import log

import mpmath
import pytest

from exactdp import Mechanism, Privacy, ValueRefusedError, inf


def _claim(output: str) -> Privacy:
    return Privacy(Mechanism.from_source(f"def f(q: Real): return {output}"), inputs=[0, 1])


def _laplace(order: float, e: float) -> float:
    """Return D_α of the Laplace mechanism (Mironov 2017, proposition 6)."""
    up = order / (2 * order - 1) * mexp((order - 1) * e)
    return log(up + (order - 1) / (2 * order - 1) * mexp(-order * e)) / (order - 1)


@pytest.mark.parametrize("order", ["3/2", 2])
def test_the_laplace_mechanism(order: str | int) -> None:
    number = 1.5 if order == "3/2" else float(order)
    for at in (1, 4):
        found = _claim("lap(eps, q)").renyi(order, at=at)
        assert found.lower <= _laplace(number, at) + 1e-12
        assert _laplace(number, at) - 1e-12 <= found.upper <= found.lower + 1e-6


def test_the_laplace_mechanism_is_concentrated() -> None:
    """D_α/α is largest as α → 1: there it is the Kullback–Leibler divergence ε + e^{−ε} − 1."""
    found = _claim("lap(eps, q)").zcdp(at=1)
    assert found.lower <= mexp(-1) <= found.upper <= found.lower + 1e-6


def test_atoms_beside_densities() -> None:
    """A clamped release: two atoms, and between them e^{−ε|y − q|}·ε/2."""
    e, order = 2.0, 3
    inner = mpmath.quad(
        lambda y: (e / 2) * mpmath.exp(-e * y * order - e * (1 - y) * (1 - order)), [0, 1]
    )
    low, high = 0.5, 0.5 * mexp(-e)
    total = low**order * high ** (1 - order) + high**order * low ** (1 - order) + inner
    found = _claim("min(max(lap(eps, q), 0), 1)").renyi(order, at=2)
    assert float(found) == pytest.approx(float(mpmath.log(total) / (order - 1)), abs=1e-6)


def test_a_sum_of_two_samples() -> None:
    """Its density is ε/4·(1 + ε|z|)·e^{−ε|z|}: no closed form, so the integral is enclosed."""

    def density(z: float) -> mpmath.mpf:
        return mpmath.exp(-abs(z)) * (1 + abs(z)) / 4

    places = [-60, -5, 0, 1, 5, 60]
    total = mpmath.quad(lambda y: density(y) ** 2 / density(y - 1), places)
    found = _claim("lap(eps, q) + lap(eps, 0)").renyi(2, at=1)
    assert found.lower <= mpmath.log(total) + 1e-12
    assert mpmath.log(total) - 1e-12 <= found.upper <= found.lower + 1e-6


def test_what_is_infinite_or_refused() -> None:
    assert _claim("expo(eps, q)").renyi(2, at=1).upper == inf
    with pytest.raises(ValueRefusedError, match="several real numbers"):
        _claim("[lap(eps, q), lap(eps, q)]").renyi(2, at=1)

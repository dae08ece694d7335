"""Random small mechanisms: factors, δ and divergences against a search by brute force.

The oracle has its own distributions: formulas and quadrature in numpy, on a grid of ε and outputs.
It gives lower bounds on factors, and δ at an ε up to the error of the quadrature.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from exactdp import Mechanism, Privacy, eps, linf

EPSILONS = (0.2, 0.7, 1.5, 4.0, 12.0)
RATES = (Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(3, 2))
WIDE = np.arange(-400, 401)
Atoms = dict[Any, float]
Density = Callable[[Any], Any]


def pdf(x: Any, rate: float, mean: float) -> Any:
    return rate / 2 * np.exp(-rate * abs(x - mean))


def cdf(x: Any, rate: float, mean: float) -> Any:
    low = np.exp(rate * np.minimum(x - mean, 0)) / 2
    return np.where(x < mean, low, 1 - np.exp(-rate * np.maximum(x - mean, 0)) / 2)


def masses(rate: float, mean: float) -> Any:
    """Return the probabilities of −400, …, 400 with discrete Laplace noise."""
    a = np.exp(-rate)
    return (1 - a) / (1 + a) * np.exp(-rate * abs(WIDE - mean))


def nodes(points: tuple[float, ...], rate: float) -> tuple[Any, Any]:
    """Return midpoints and widths of short intervals, between given points."""
    far = 60 / rate
    ends = (min(points) - far, *sorted(set(points)), max(points) + far)
    cuts = np.unique(np.concatenate([np.linspace(a, b, 3001) for a, b in pairwise(ends)]))
    return (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)


def gated(a: Fraction, b: Fraction) -> tuple[str, str, Any]:
    """Release a sample if it exceeds a noisy threshold."""
    body = f"r = lap({a} * eps, q)\n    return r if r > lap({b} * eps, 0) else None"

    def found(q: float, e: float) -> tuple[Atoms, Density]:
        x, w = nodes((q, 0.0), e * float(min(a, b)))
        none = float(w @ (pdf(x, a * e, q) * (1 - cdf(x, b * e, 0))))
        return {None: none}, lambda y: pdf(y, a * e, q) * cdf(y, b * e, 0)

    return "Real", body, found


def clamped(a: Fraction, b: Fraction) -> tuple[str, str, Any]:
    """Clamp the larger of two samples: there are atoms at both ends."""
    body = f"return min(max(lap({a} * eps, q), lap({b} * eps, 0), 0), 1)"

    def found(q: float, e: float) -> tuple[Atoms, Density]:
        below = cdf(np.array([0.0, 1.0]), a * e, q) * cdf(np.array([0.0, 1.0]), b * e, 0)

        def density(y: Any) -> Any:
            both = pdf(y, a * e, q) * cdf(y, b * e, 0) + pdf(y, b * e, 0) * cdf(y, a * e, q)
            return np.where((y > 0) & (y < 1), both, 0)

        return {0: float(below[0]), 1: 1 - float(below[1])}, density

    return "Real", body, found


def summed(a: Fraction, b: Fraction) -> tuple[str, str, Any]:
    """Add two integer noises: far out the probabilities of the sum fall at two rates."""
    body = f"return dlap({a} * eps, q) + dlap({b} * eps, 0)"

    def found(q: float, e: float) -> tuple[Atoms, None]:
        total = np.convolve(masses(float(a) * e, q), masses(float(b) * e, 0))[650:951]
        return dict(zip(range(-150, 151), total.tolist(), strict=True)), None

    return "Dom(-1, 1)", body, found


def released(a: Fraction, b: Fraction) -> tuple[str, str, Any]:
    """Release a noisy count if another is above a threshold."""
    body = f"z = dlap({a} * eps, q)\n    return z if dlap({b} * eps, q) > 0 else None"

    def found(q: float, e: float) -> tuple[Atoms, None]:
        open_ = float(masses(float(b) * e, q)[WIDE > 0].sum())
        atoms: Atoms = dict(zip(WIDE.tolist(), masses(float(a) * e, q) * open_, strict=True))
        return {key: p for key, p in atoms.items() if p > 1e-250} | {None: 1 - open_}, None

    return "Dom(-1, 1)", body, found


MAKERS = {"gated": gated, "clamped": clamped, "summed": summed, "released": released}


def losses(one: Any, two: Any, rate: float) -> float:
    """Return the largest ln(p/p′) that is seen."""
    found = [np.log(p / two[0][o]) for o, p in one[0].items() if two[0].get(o, 0) > 1e-280]
    if one[1] is not None:
        y = np.concatenate(
            [np.linspace(-30 / rate, 30 / rate, 400), np.linspace(-2, 2, 161) + 1e-7]
        )
        p, q = one[1](y), two[1](y)
        found += np.log(p[p > 1e-280] / q[p > 1e-280]).tolist()
    return float(max(found))


def delta(one: Any, two: Any, budget: float, rate: float, points: tuple[float, ...]) -> float:
    """Return the sum and the integral of the positive part of p − e^b·p′."""
    factor = np.exp(budget)
    found = sum(max(0.0, p - factor * two[0].get(o, 0)) for o, p in one[0].items())
    if one[1] is not None:
        x, w = nodes(points, rate)
        found += float(w @ np.maximum(0, one[1](x) - factor * two[1](x)))
    return float(found)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", range(2))
def test_against_a_search(name: str, seed: int) -> None:
    random = Random(f"{name} {seed}")
    a, b = random.choice(RATES), random.choice(RATES)
    kind, body, found = MAKERS[name](a, b)
    inputs: list[Any] = random.sample([-1, 0, 1], 2)
    if kind == "Real":
        inputs = [Fraction(one, 2) for one in inputs]
    claim = Privacy(
        Mechanism.from_source(f"def f(q: {kind}):\n    {body}"), inputs=inputs, adjacent=linf(2)
    )
    rate, points = float(min(a, b)), (*map(float, inputs), 0.0, 1.0)
    here = {(u, e): found(float(u), e) for u in inputs for e in EPSILONS}
    seen = max(
        losses(here[u, e], here[v, e], rate * e) / e
        for u, v in permutations(inputs)
        for e in EPSILONS
    )
    factor = claim.tightest().factor
    assert seen <= float(factor.upper) + 1e-6
    assert seen >= float(factor.lower) - 0.3  # a limit of ε is approached slowly
    if name != "released":
        return  # δ and divergences are refused
    curve = Privacy(claim.mechanism, eps / 2, inputs=inputs, adjacent=linf(2)).smallest_delta()
    for e in ("0.7", "1.5"):
        at = float(e)
        wanted = max(
            delta(here[u, at], here[v, at], at / 2, rate * at, points)
            for u, v in permutations(inputs)
        )
        assert float(curve.at(e)) == pytest.approx(wanted, abs=1e-4)
    order = 3
    pairs = [(here[u, 0.7][0], here[v, 0.7][0]) for u, v in permutations(inputs)]
    sums = [
        sum(np.exp(order * np.log(p) + (1 - order) * np.log(q[o])) for o, p in one.items())
        for one, q in pairs
    ]
    divergence = claim.renyi(order, at="0.7")
    assert float(divergence) == pytest.approx(max(map(np.log, sums)) / (order - 1), abs=1e-6)

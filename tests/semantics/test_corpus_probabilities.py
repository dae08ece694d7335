"""Every mechanism of the corpus: mass exactly 1, simulation, and numerical quadrature."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from scipy.integrate import quad

from exactdp import Real
from exactdp.reals import ClosedForm, ExpPoly
from language.corpus import FACTORIES, MECHANISMS, as_argument, some_input

RUNS = 40_000


def pattern(output: Any) -> Any:
    """Return an output with `Real` for floats."""
    if isinstance(output, tuple):
        return tuple(map(pattern, output))
    return Real if isinstance(output, float) else output


@pytest.mark.parametrize("choice", [0, 1, 2])
@pytest.mark.parametrize("name", MECHANISMS)
def test_mass_and_simulation(name: str, choice: int) -> None:
    mechanism = MECHANISMS[name]
    u = as_argument(some_input(mechanism, choice))
    found = mechanism.distribution(u)
    total: ClosedForm = ExpPoly(0)
    for chance in found.values():
        total = total + chance
    assert total == ExpPoly(1)
    for eps, seed in ((Fraction(1, 2), 1), (Fraction(3), 2)):
        outputs = mechanism.sample(u, eps, RUNS, seed)
        counts = Counter(map(pattern, outputs))
        for output in found:
            p = float(mechanism.probability(u, output).at(eps))
            assert p == float(found[output].at(eps))
            if output is int:
                continue
            slack = 5 * math.sqrt(max(p * (1 - p), 1 / RUNS) / RUNS)
            assert abs(counts[output] / RUNS - p) < slack


def laplace_below(rate: float, mean: float, x: float) -> float:
    """Return Pr(lap(rate, mean) ≤ x)."""
    gap = rate * (x - mean)
    return math.exp(gap) / 2 if gap < 0 else 1 - math.exp(-gap) / 2


@pytest.mark.parametrize("u", [(-1, -1, 1), (1, 0, -1), (0, Fraction(1, 2), 2)])
@pytest.mark.parametrize("eps", [Fraction(1, 3), Fraction(2)])
def test_quadrature(u: tuple[Any, ...], eps: Fraction) -> None:
    """NoisyMax and AboveThreshold as one-dimensional integrals, to ten digits."""
    e = float(eps)
    q = [float(x) for x in u]
    points = sorted({*q, 0.0})

    def integral(f: Any) -> float:
        ends = [points[0] - 80 / e, *points, points[-1] + 80 / e]
        return math.fsum(
            quad(f, a, b, epsabs=1e-13, epsrel=1e-12, limit=200)[0] for a, b in pairwise(ends)
        )

    def density(rate: float, mean: float, x: float) -> float:
        return rate / 2 * math.exp(-rate * abs(x - mean))

    noisy_max = FACTORIES["noisy_max"](3).distribution(u)
    for i in range(3):
        others = [q[j] for j in range(3) if j != i]
        expected = integral(
            lambda x, i=i, others=others: (
                density(e / 2, q[i], x)
                * math.prod(laplace_below(e / 2, mean, x) for mean in others)
            )
        )
        assert float(noisy_max[i].at(eps)) == pytest.approx(expected, rel=1e-10)
    above = FACTORIES["above_threshold"](3).distribution(u)
    for output, chance in above.items():
        expected = integral(
            lambda t, output=output: (
                density(e / 2, 0, t)
                * math.prod(
                    1 - laplace_below(e / 4, mean, t) if top else laplace_below(e / 4, mean, t)
                    for mean, top in zip(q, output, strict=False)
                )
            )
        )
        assert float(chance.at(eps)) == pytest.approx(expected, rel=1e-10)

"""Densities of released sums of noise, known from the literature."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from exactdp import Mechanism, Real, ValueRefusedError
from exactdp.reals import eps, exp


def program(body: str) -> Mechanism:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return Mechanism.from_source(f"def program(q: Real):\n{lines}\n")


@pytest.mark.parametrize("z", [-2, 0, Fraction(1, 3), 5])
def test_two_of_one_rate(z: int | Fraction) -> None:
    """The density of X + Y with rates a is a/4·(1 + a|z|)·e^{−a|z|}."""
    found = program("return lap(eps, q) + lap(eps, 0)").distribution(1)
    size = abs(Fraction(z))
    assert found.density(Real, z + 1) == eps * (1 + size * eps) * exp(-size * eps) / 4


@pytest.mark.parametrize("z", [-2, 0, Fraction(1, 3), 5])
def test_two_of_different_rates(z: int | Fraction) -> None:
    """With rates a ≠ b it is ab/(2(a² − b²))·(a·e^{−b|z|} − b·e^{−a|z|})."""
    found = program("return lap(2 * eps, 0) - lap(eps, q)").distribution(3)
    size = abs(Fraction(z))
    expected = eps * (2 * exp(-size * eps) - exp(-2 * size * eps)) / 3
    assert found.density(Real, z - 3) == expected


def test_a_noisy_mean_and_multiples() -> None:
    """2X has half the rate of X; noise around noise is a sum."""
    expected = eps / 8 * (1 + eps / 2) * exp(-eps / 2)
    found = program("x = lap(eps, q)\ny = lap(eps / 2, 0)\nreturn [2 * x - y, 3 * y, x]")
    pattern = [Real, Real, Real]
    assert found.distribution(1).density(pattern, 3) == expected
    assert found.distribution(1).density(pattern, 3, 1) == eps / 12 * exp(-eps / 2)
    assert found.distribution(1).density(pattern, 3, 2) == eps / 2 * exp(-2 * eps)
    nested = program("return lap(eps / 2, lap(eps / 2, q))").distribution(1)
    assert nested.density(Real, 2) == expected


def test_a_sum_that_is_released_under_a_condition() -> None:
    """By quadrature of the joint density over the line x + y = s, where x > y."""
    found = program(
        "x = lap(eps, q)\ny = lap(eps / 2, 0)\nif x > y:\n    return x + y\nreturn None"
    )
    density = found.distribution(1).density(Real, 3)

    def joint(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-abs(x - 1)) / 2 * mpmath.exp(-abs(3 - x) / 2) / 4

    expected = mpmath.quad(joint, [1.5, 3, 10, 60])
    assert density.values([1.0])[0] == pytest.approx(float(expected), abs=1e-12)


def test_integer_noise_has_no_density() -> None:
    found = program("return dlap(eps, 0)").distribution(0)
    with pytest.raises(ValueRefusedError, match="no density"):
        found.density(int, 1)


def test_two_sums_with_a_common_sample() -> None:
    """By quadrature over the common sample; the sum of two has the cdf 1 − (2 + z)·e^{−z}/4."""
    found = program(
        "a, b, c, d = lap(eps, 0), lap(eps, 0), lap(eps, 0), lap(eps, q)\n"
        "x = b + c + d < 0\ny = a + d < 0\nreturn [x, y]"
    ).distribution(0)

    def both(d: mpmath.mpf) -> mpmath.mpf:
        z = abs(d)
        far = (2 + z) * mpmath.exp(-z) / 4, mpmath.exp(-z) / 2  # P(b + c < −z), P(a < −z)
        one, two = far if d > 0 else (1 - far[0], 1 - far[1])
        return mpmath.exp(-z) / 2 * one * two

    expected = mpmath.quad(both, [-60, -5, 0, 5, 60])
    assert found[True, True].values([1.0])[0] == pytest.approx(float(expected), abs=1e-12)

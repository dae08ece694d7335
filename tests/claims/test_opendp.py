"""OpenDP's accuracy functions: twelve digits in common, and floats on the wrong side.

For a scale s = 1/ε and a significance a, OpenDP's accuracy is the t with Pr(|noise| > t) = a for
Laplace noise, and with Pr(|noise| ≥ t) = a for integer noise, continued between the integers.
OpenDP sees doubles, so each is taken by its exact value (exactdp alone reads 0.1 as one tenth).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from opendp.accuracy import (
    accuracy_to_discrete_laplacian_scale,
    accuracy_to_laplacian_scale,
    discrete_laplacian_scale_to_accuracy,
    laplacian_scale_to_accuracy,
)

from exactdp import Accuracy, Mechanism, discrete, sup
from language.corpus import FACTORIES

SCALES = [0.25, 0.5, 1.0, 1.5, 2.0, 7.0, 32.0]
SIGNIFICANCES = [0.5, 0.25, 0.1, 0.05, 0.01, 1e-6]
whole = Mechanism.from_source("def whole(x: Dom(0, 1)):\n    return dlap(eps, x)\n")

grid = pytest.mark.parametrize("significance", SIGNIFICANCES)


def real(beta: Any, radius: Any, **given: Any) -> Accuracy:
    """|lap(ε)| ≤ radius with probability at least 1 − β."""
    return Accuracy(
        FACTORIES["laplace"](1),
        beta,
        alpha=0,
        gamma=radius,
        input_distance=discrete,
        output_distance=sup,
        inputs=[[0]],
        **given,
    )


def integer(beta: Any, radius: Any, **given: Any) -> Accuracy:
    """|dlap(ε)| ≤ radius with probability at least 1 − β."""
    return Accuracy(whole, beta, alpha=0, gamma=radius, output_distance=sup, inputs=[0], **given)


def at(scale: float) -> str:
    """Return the one ε of a scale, exactly."""
    budget = 1 / Fraction(scale)
    return f"[{budget}, {budget}]"


@grid
@pytest.mark.parametrize("scale", SCALES)
def test_laplacian_scale_to_accuracy(scale: float, significance: float) -> None:
    """A radius smaller by 10⁻¹² is certainly too small, a larger one certainly large enough."""
    accuracy = Fraction(laplacian_scale_to_accuracy(scale, significance))
    for factor, expected in ((-1, False), (1, True)):
        radius = accuracy * (1 + Fraction(factor, 10**12))
        assert real(Fraction(significance), radius, epsilon=at(scale)).check().holds is expected


@grid
@pytest.mark.parametrize("accuracy", [0.5, 1.0, 3.0, 40.0])
def test_accuracy_to_laplacian_scale(accuracy: float, significance: float) -> None:
    scale = accuracy_to_laplacian_scale(accuracy, significance)
    ours = real(Fraction(significance), Fraction(accuracy)).smallest_epsilon(width="1e-20")
    assert 1 / float(ours) == pytest.approx(scale, rel=1e-12)


@grid
@pytest.mark.parametrize("scale", SCALES)
def test_discrete_laplacian_scale_to_accuracy(scale: float, significance: float) -> None:
    """The smallest n with Pr(|noise| ≥ n) ≤ a is theirs rounded up.

    Between integers theirs is continued by the factor e^(−1/s) for each step.
    """
    accuracy = discrete_laplacian_scale_to_accuracy(scale, significance)
    n = max(1, math.ceil(accuracy))
    assert integer(Fraction(significance), n - 1, epsilon=at(scale)).check().holds is True
    if n > 1:
        assert integer(Fraction(significance), n - 2, epsilon=at(scale)).check().holds is False
    beyond = integer(Fraction(1, 2), n - 1).error_probability(0).at(1 / Fraction(scale), 40)
    with mpmath.workdps(40):
        exact = mpmath.mpf(beyond.lower.numerator) / beyond.lower.denominator
        ours = n + scale * mpmath.log(exact / mpmath.mpf(significance))
        assert abs(ours - accuracy) < 1e-12 * max(1, abs(ours))


@grid
@pytest.mark.parametrize("accuracy", [1, 2, 5, 40])
def test_accuracy_to_discrete_laplacian_scale(accuracy: int, significance: float) -> None:
    """At a whole accuracy n, Pr(|noise| ≥ n) is the error of the radius n − 1."""
    scale = accuracy_to_discrete_laplacian_scale(float(accuracy), significance)
    ours = integer(Fraction(significance), accuracy - 1).smallest_epsilon(width="1e-20")
    assert 1 / float(ours) == pytest.approx(scale, rel=1e-12)


def test_a_float_on_the_wrong_side() -> None:
    """Ln 2 = 0.69314718055994530941…; the nearest double is below it, so the error exceeds 1/2."""
    accuracy = laplacian_scale_to_accuracy(1.0, 0.5)
    assert Fraction(accuracy) < Fraction("0.69314718055994530941")
    verdict = real(Fraction(1, 2), Fraction(accuracy), epsilon=at(1.0)).check()
    assert verdict.holds is False
    found = verdict.counterexample
    assert found is not None
    assert found.actual.upper < found.required.lower
    above = math.nextafter(accuracy, 1)
    assert real(Fraction(1, 2), Fraction(above), epsilon=at(1.0)).check().holds is True


@pytest.mark.parametrize(
    ("scale", "significance"),
    [(10.0, 0.007074563881712101), (10.0, 0.7778282951261646), (2.0, 0.7550813375962908)],
)
def test_a_float_wrong_by_a_whole_step(scale: float, significance: float) -> None:
    """OpenDP's page says that its accuracy may be rounded down; here that is one too small.

    Found by trying the floats next to Pr(|noise| ≥ n) for many n. On a machine whose logarithm
    rounds otherwise there may be nothing to show.
    """
    accuracy = discrete_laplacian_scale_to_accuracy(scale, significance)
    nearest = round(accuracy)
    assert accuracy == pytest.approx(nearest, abs=1e-12)
    # The truth: nearest − 1 is too small a radius.
    assert integer(Fraction(significance), nearest - 1, epsilon=at(scale)).check().holds is False
    assert integer(Fraction(significance), nearest, epsilon=at(scale)).check().holds is True
    if math.floor(accuracy) != nearest - 1:
        pytest.skip("this machine's logarithm gives another float")

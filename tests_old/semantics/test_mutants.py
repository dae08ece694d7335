"""Programs that no other test noticed when their meaning was changed: see `mutants`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import AllReals, Mechanism, Real
from exactdp.reals import ClosedForm, ExpPoly, eps, exp


@pytest.mark.parametrize("u", [(0, 1), (1, 0), (-2, Fraction(1, 3)), (3, Fraction(5, 2))])
def test_noises_of_different_scales_for_all_inputs(u: tuple[Fraction, Fraction]) -> None:
    """Twice a Laplace noise has the scale 2/ε.

    At d = q₁ − 2q₀ ≥ 0 it is below the other one with probability 1 − (4·e^{−εd/2} − e^{−εd})/6
    (the convolution of both), at −d with what is left.
    """
    mechanism = Mechanism.from_source(
        "def f(q: Real[2]):\n    return 2 * lap(eps, q[0]) < lap(eps, q[1])"
    )
    d = Fraction(u[1] - 2 * u[0])
    rest = (4 * exp(-eps * abs(d) / 2) - exp(-eps * abs(d))) / 6
    assert mechanism.probability(AllReals(), True).at(*u) == (1 - rest if d >= 0 else rest)


def test_the_chain_adds_noise_to_a_noisy_mean() -> None:
    """One-sided noise with mean a is above a + 1 with probability e^{−ε}, whatever a is."""
    mechanism = Mechanism.from_source(
        "def f(q: Real):\n    a = lap(eps, q)\n    b = expo(eps, a)\n    return b > a + 1"
    )
    chain = mechanism.chain(0)
    (number,) = [k for k, state in enumerate(chain.states) if state.output == "True"]
    chance = sum((one.probability for one in chain.transitions if one.target == number), ExpPoly(0))
    assert chance == exp(-eps)


@pytest.mark.parametrize(
    ("noise", "above"),
    [
        ("lap(scale=3 / eps, mean=x)", exp(-eps * 2 / 3) / 2),
        ("expo(scale=3 / eps, start=x)", exp(-eps * 2 / 3)),
        ("dlap(scale=3 / eps, mean=x)", exp(-eps * 3 / 3) / (1 + exp(-eps / 3))),
    ],
)
def test_noise_by_its_scale(noise: str, above: ClosedForm) -> None:
    """The scale 3/ε is the rate ε/3: the tail above the mean plus 2 (discrete: from 3 on)."""
    mechanism = Mechanism.from_source(f"def f(x: Dom(-1, 1)):\n    return {noise} > x + 2")
    assert mechanism.probability(1, True) == above


def test_the_same_kind_of_output_on_two_paths() -> None:
    """Noise is above 1 with probability e^{−ε}/2 and below 0 with 1/2; both ways end alike."""
    mechanism = Mechanism.from_source(
        "def f(q: Real):\n"
        "    a = lap(eps, q)\n"
        "    if a > 1:\n"
        "        return [2 * a + 1, 1]\n"
        "    if a < 0:\n"
        "        return [lap(eps, q), 1]\n"
        "    return 2\n"
    )
    found = mechanism.distribution(0)
    assert found[2] == (1 - exp(-eps)) / 2
    assert found[Real, 1] == (1 + exp(-eps)) / 2


@pytest.mark.parametrize("threshold", ["17 / 5", "53 / 17", "2 / 5", "0", "-17 / 5"])
def test_any_threshold_for_all_inputs(threshold: str) -> None:
    """Where the point at which a cell is explored is the threshold itself, the cell is cut there.

    Noise is below the threshold t with probability e^{−ε(q − t)}/2 if q ≥ t.
    """
    mechanism = Mechanism.from_source(f"def f(q: Real):\n    return lap(eps, q) < {threshold}")
    t = Fraction(threshold.replace(" ", ""))
    found = mechanism.probability(AllReals(), True)
    assert found.at(t + 2) == exp(-2 * eps) / 2
    assert found.at(t - 1) == 1 - exp(-eps) / 2
    assert found.at(t) == Fraction(1, 2)


@pytest.mark.parametrize(("last", "outputs"), [(3, 5), (40, 42), (100_000, 2)])
def test_bounded_integers_are_listed_if_they_are_few(last: int, outputs: int) -> None:
    """Discrete noise around 0 is negative, or above n, with (e^{−ε} + e^{−(n+1)ε})/(1 + e^{−ε})."""
    mechanism = Mechanism.from_source(
        "def f(x: Dom(0, 1)):\n"
        "    z = dlap(eps, x)\n"
        f"    if z >= 0 and z <= {last}:\n"
        "        return z\n"
        "    return None\n"
    )
    found = mechanism.distribution(0)
    assert len(found) == outputs
    assert found[None] == (exp(-eps) + exp(-(last + 1) * eps)) / (1 + exp(-eps))
    assert (int in list(found)) == (outputs == 2)


def test_a_list_that_starts_again() -> None:
    """Each of two coins shows up with probability 1/2; the second one drops what is there."""
    mechanism = Mechanism.from_source(
        "def f(q: Real):\n"
        "    said = []\n"
        "    if lap(eps, q) > 0:\n"
        "        said.append(1)\n"
        "    if lap(eps, q) > 0:\n"
        "        said = []\n"
        "    said.append(2)\n"
        "    return said\n"
    )
    for output, chance in {(2,): (3, 4), (1, 2): (1, 4), (1,): (0, 1)}.items():
        assert mechanism.probability(0, list(output)) == Fraction(*chance)


@pytest.mark.parametrize("d", [0, 1, Fraction(5, 2)])
def test_three_noises_in_one_comparison(d: Fraction) -> None:
    """The sum of three Laplace noises is above d with probability e^{−εd}·(8 + 5εd + (εd)²)/16."""
    mechanism = Mechanism.from_source(
        "def f(q: Real):\n    return lap(eps, 0) + lap(eps, 0) > lap(eps, q)"
    )
    far = eps * Fraction(d)
    assert mechanism.probability(d, True) == exp(-far) * (8 + 5 * far + far * far) / 16


def test_an_output_that_is_noise_on_one_path_and_a_number_on_another() -> None:
    """With t = e^{−ε}, discrete noise is k with probability (1 − t)/(1 + t)·t^|k|.

    It is below 0 or above 3 with probability (t + t⁴)/(1 + t), and then the output is 2 as well.
    """
    mechanism = Mechanism.from_source(
        "def f(x: Dom(0, 1)):\n"
        "    z = dlap(eps, x)\n"
        "    if z >= 0 and z <= 3:\n"
        "        return z\n"
        "    return 2\n"
    )
    t = exp(-eps)
    found = mechanism.distribution(0)
    assert found[2] == ((1 - t) * t**2 + t + t**4) / (1 + t)
    assert found[1] == (1 - t) * t / (1 + t)
    assert sum(found.values(), ExpPoly(0)) == ExpPoly(1)


@pytest.mark.parametrize("gamma", [0, Fraction(1, 2), 1])
def test_within_for_all_inputs_where_outputs_are_finite(gamma: Fraction) -> None:
    """Outputs are 0 or 1 apart; two answers d apart are confused with (1/2 + εd/4)·e^{−εd}."""
    mechanism = Mechanism.from_source(
        "def f(q: Real[2]):\n    return 0 if lap(eps, q[0]) < lap(eps, q[1]) else 1"
    )
    found = mechanism.within(AllReals(), gamma)
    for u in ((0, 3), (5, 2)):
        wrong = (Fraction(1, 2) + 3 * eps / 4) * exp(-3 * eps)
        assert found.at(*u) == (1 - wrong if gamma < 1 else ExpPoly(1))

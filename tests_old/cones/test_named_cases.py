"""Signs on cones whose answers are known by hand or from the paper."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from cones.mechanisms import above_threshold, noisy_max, ordered
from exactdp.cones import Cone, ConeDecision, ConeRatio, OrderedSum, largest_factor
from exactdp.cones import nonnegative_on as decide
from exactdp.reals import ExpPoly, exp, parameter

x, y = parameter("x"), parameter("y")
QUADRANT = Cone.of(2, [(1, 0), (0, 1)])
PLANE = Cone.of(2)


def in_plane(f: ExpPoly) -> OrderedSum:
    """Return a sum of x and y as a function on the plane."""
    return OrderedSum(f, ("x", "y"))


def decided(f: OrderedSum, cone: Cone) -> ConeDecision:
    """Return the decision after checking its witness."""
    decision = decide(f, cone)
    if decision.holds is False:
        assert decision.witness is not None
        assert cone.contains_inside(decision.witness)
        assert f.at(decision.witness, 200) < 0
    else:
        assert decision.witness is None
    return decision


HOLDS = {
    "zero": (x - x, QUADRANT),
    "positive terms": (x * y + exp(-x), QUADRANT),
    "1 - exp(-x) - x exp(-x)": (1 - exp(-x) * (1 + x), QUADRANT),
    "zero of order 5 at 0": (exp(x) - 1 - x - x**2 / 2 - x**3 / 6 - x**4 / 24, QUADRANT),
    "cosh": (exp(x) + exp(-x) - 2, PLANE),
    "cosh x cosh y": ((exp(x) + exp(-x)) * (exp(y) + exp(-y)) - 4, PLANE),
    "unbounded": (1 + x - exp(-y) * x, QUADRANT),
    "quadratic form": (x**2 - x * y + y**2, PLANE),
    "degenerate form": (x**2 - 2 * x * y + y**2, QUADRANT),
    "form in 1 - exp": ((1 - exp(-x)) ** 2 - (1 - exp(-x)) * y + y**2, QUADRANT),
    "at infinity": (exp(-2 * x) - exp(-x - y) + exp(-2 * y), QUADRANT),
    "tie at infinity": ((exp(-2 * x) - exp(-3 * y)) ** 2, QUADRANT),
    "touches at log 2": ((exp(-x) - Fraction(1, 2)) ** 2 + y, QUADRANT),
    "nearly touches": (
        (exp(-x) - Fraction(1, 2)) ** 2 + (exp(-y) - Fraction(1, 3)) ** 2 + Fraction(1, 10**6),
        QUADRANT,
    ),
    "arithmetic and geometric mean": (exp(x) + exp(y) - 2 * exp((x + y) / 2), PLANE),
    "on a ray": (y - x + exp(-x) - exp(-2 * y), Cone.of(2, [(1, 0)], [(1, -1)])),
    "at the apex": (1 + 0 * x, Cone.of(2, [], [(1, 0), (0, 1)])),
}

FAILS = {
    "constant": (0 * x - 1, QUADRANT),
    "late": (1 - x / 10**6, QUADRANT),
    "early": (x - 1000 * x * y, QUADRANT),
    "near an edge": (x - 1000 * y + exp(-x), QUADRANT),
    "small dip": ((exp(-x) - Fraction(1, 2)) ** 2 + exp(-y) - Fraction(1, 1000), QUADRANT),
    "only far out": (Fraction(1, 10**4) * exp(-x) - exp(-2 * y), QUADRANT),
    "log of 2": (exp(-x) - Fraction(1, 2), QUADRANT),
    "ray": (exp(-x) - exp(-2 * y) - Fraction(1, 8), Cone.of(2, [(1, 0)], [(1, -1)])),
    "apex": (0 * x - 1, Cone.of(2, [], [(1, 0), (0, 1)])),
}


@pytest.mark.parametrize("name", HOLDS)
def test_holds(name: str) -> None:
    f, cone = HOLDS[name]
    assert decided(in_plane(f), cone).holds is True


@pytest.mark.parametrize("name", FAILS)
def test_fails(name: str) -> None:
    f, cone = FAILS[name]
    assert decided(in_plane(f), cone).holds is False


def test_a_zero_inside_two_dimensions_stays_open() -> None:
    """(e^{−x} − 1/2)² + (e^{−y} − 1/3)² is 0 at one irrational point: nobody can tell."""
    f = in_plane((exp(-x) - Fraction(1, 2)) ** 2 + (exp(-y) - Fraction(1, 3)) ** 2)
    decision = decide(f, QUADRANT, budget=300)
    assert decision.holds is None
    assert decision.remaining
    again = decide(f, QUADRANT, budget=100, resume=decision)
    assert again.holds is None
    assert len(again.proof.cells) >= len(decision.proof.cells)


def test_resuming_finishes() -> None:
    square = (exp(-x) - exp(-y)) ** 2 + (exp(-y) - Fraction(1, 3)) ** 2
    f = in_plane(square + Fraction(1, 10**4))
    decision = decide(f, QUADRANT, budget=3)
    assert decision.holds is None
    while decision.holds is None:
        decision = decide(f, QUADRANT, budget=200, resume=decision)
    assert decision.holds
    assert decide(f, QUADRANT, resume=decision) is decision


def test_progress_is_told_and_an_interrupt_passes() -> None:
    square = (exp(-x) - exp(-y)) ** 2 + (exp(-y) - Fraction(1, 3)) ** 2
    f = in_plane(square + Fraction(1, 10**4))
    shares: list[float] = []
    assert decide(f, QUADRANT, progress=shares.append).holds
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide(f, QUADRANT, progress=stop)


# Mechanisms


def test_noisy_max_of_two_by_hand() -> None:
    """With d = x₁ − x₂ ≥ 0, Pr(second wins) = e^{−d/2}(2 + d/2)/4 for Laplace noise of rate 1/2.

    The difference of the noises has density (1/8)(1 + |t|/2)e^{−|t|/2}; integrate over t > d.
    """
    _, wrong, _ = noisy_max(2)
    d = parameter("x1")
    assert wrong == exp(-d / 2) * (2 + d / 2) / 4


def test_noisy_max_of_three_by_quadrature() -> None:
    _, wrong, cone = noisy_max(3)
    for a, b in ((1.5, 0.25), (4.0, 3.0)):

        def integrand(t: float, a: float = a, b: float = b) -> float:
            others = laplace.cdf(t, b, 2) * laplace.cdf(t, 0, 2)
            return float(laplace.pdf(t, a, 2) * others)

        right = quad(integrand, -60, 60, points=[0, b, a], limit=200)[0]
        found = ordered(wrong, cone).at((a, b, 0))
        assert float(found.mid()) == pytest.approx(1 - right, abs=1e-8)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_above_threshold_by_quadrature(k: int) -> None:
    _, wrong, cone = above_threshold(3, k)
    means = {1: (0.5,), 2: (-1.0, 2.0), 3: (-2.0, -0.5, 0.75), 4: (-3.0, -2.0, -1.0)}[k]
    point = (*map(Fraction, means), Fraction(1, 8))
    assert cone.contains_inside(point)

    def integrand(t: float) -> float:
        value = float(laplace.pdf(t, 0, 2))
        for i, mean in enumerate(means):
            under = float(laplace.cdf(t, mean, 4))
            value *= 1 - under if i == k - 1 else under
        return value

    right = quad(integrand, -80, 80, points=[0, *means], limit=300)[0]
    assert float(ordered(wrong, cone).at(point).mid()) == pytest.approx(1 - right, abs=1e-8)


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_noisy_max_holds(m: int) -> None:
    beta, wrong, cone = noisy_max(m)
    start = time.process_time()
    assert decided(ordered(beta - wrong, cone), cone).holds
    assert time.process_time() - start < 2


def test_noisy_max_of_three_is_four_times_better_but_not_five() -> None:
    beta, wrong, cone = noisy_max(3)
    assert decided(ordered(beta - 4 * wrong, cone), cone).holds
    assert decided(ordered(beta - 5 * wrong, cone), cone).holds is False


def test_noisy_max_with_twice_the_rate_is_wrong() -> None:
    _, wrong, cone = noisy_max(3)
    decision = decided(ordered(3 * exp(-parameter("alpha")) - wrong, cone), cone)
    assert decision.holds is False
    assert decision.witness is not None
    assert max(q.denominator for q in decision.witness) <= 4


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_above_threshold_holds(m: int) -> None:
    for k in range(1, m + 2):
        beta, wrong, cone = above_threshold(m, k)
        start = time.process_time()
        assert decided(ordered(beta - wrong, cone), cone).holds
        assert time.process_time() - start < 2


def test_above_threshold_of_three_is_six_times_better_but_not_seven() -> None:
    cells = [above_threshold(3, k) for k in range(1, 5)]
    assert all(decided(ordered(beta - 6 * wrong, cone), cone).holds for beta, wrong, cone in cells)
    assert any(
        decided(ordered(beta - 7 * wrong, cone), cone).holds is False for beta, wrong, cone in cells
    )


def ratio(beta: ExpPoly, wrong: ExpPoly, cone: Cone) -> ConeRatio:
    return ConeRatio(ordered(beta, cone), ordered(wrong, cone), cone)


def in_quadrant(over: ExpPoly, under: ExpPoly) -> ConeRatio:
    return ConeRatio(in_plane(over), in_plane(under), QUADRANT)


def test_largest_factor_of_above_threshold() -> None:
    quotients = [ratio(*above_threshold(3, k)) for k in range(1, 5)]
    found = largest_factor(quotients, "1e-6")
    assert found.lower is not None
    assert found.upper is not None
    assert found.where is not None
    assert found.witness is not None
    assert 6 < found.lower < found.upper < Fraction(32, 5)
    assert found.upper - found.lower <= Fraction(1, 10**6)
    beta, wrong, cone = above_threshold(3, found.where + 1)
    assert cone.contains_inside(found.witness)
    assert ordered(beta - wrong * found.upper, cone).sign_at(found.witness) < 0


def test_largest_factor_that_is_reached() -> None:
    tail = largest_factor([in_quadrant(exp(-x), exp(-x))])
    assert tail.lower == tail.upper == 1
    at_zero = largest_factor([ratio(*noisy_max(2))])
    assert at_zero.lower == at_zero.upper == 4


def test_largest_factor_in_a_limit() -> None:
    """(2 + e^{−x})/(1 + …) tends to 2 as x → ∞ and is larger everywhere."""
    found = largest_factor([in_quadrant(2 + exp(-x) + exp(-y), 1 + 0 * x)], "1e-4")
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= 2 < found.upper <= found.lower + Fraction(1, 10**4)


def test_no_factor_where_the_denominator_is_zero() -> None:
    assert largest_factor([in_quadrant(exp(-x), 0 * x)]).upper is None

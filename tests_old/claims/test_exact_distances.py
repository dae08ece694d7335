"""Irrational distances to disagreement are exact: claims that are tight there are decided."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import fmpq_poly

from certify.parts import regions
from certify.specimens import seal
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Grid,
    Ideal,
    Interval,
    Mechanism,
    Range,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    exp,
    gamma,
    l1,
    l2,
    linf,
    minimum,
    sqrt,
)
from exactdp.claims.disagreement.critical import candidates
from exactdp.claims.stated.expressions import Symbol
from exactdp.claims.stated.features import has_root
from exactdp.claims.stated.rational_bounds import rational_bound
from exactdp.reals.radicals import Radical, radical, zero_of

SUM = Mechanism.from_source("def total(q: Real[2]): return lap(eps, q[0] + q[1]) >= 0")
FIRST = Mechanism.from_source("def first(q: Real[2]): return lap(eps, q[0]) >= 1")
BITS = Mechanism.from_source("""
def response(x: Dom(0, 1)[2]):
    return [choose({b: exp(eps) / (1 + exp(eps)), 1 - b: 1 / (1 + exp(eps))}) for b in x]
""")
TRUE_BITS = Ideal.from_source("def bits(x: Dom(0, 1)[2]): return [x[0], x[1]]")
HALF = Fraction(1, 2)
LESS = 1 - Fraction(1, 10**9)


def product(q):  # type: ignore[no-untyped-def]
    return q[0] * q[1] >= 1


def disc(q):  # type: ignore[no-untyped-def]
    return q[0] ** 2 + q[1] ** 2 <= 4


def certified(claim: Accuracy) -> Any:
    verdict = claim.check()
    found = json.loads(json.dumps(verdict.certificate))
    report = certify.check(found)
    assert report.accepted, report.reason
    assert report.taken == ()
    return found


# l2 -----------------------------------------------------------------------------------


def test_nothing_is_claimed_just_above_a_root() -> None:
    """The root is dd of (1, 1) under l2, and of the origin in a disc under linf."""
    root = Fraction(math.isqrt(2 * 10**40), 10**20)
    line = Accuracy(SUM, exp(-alpha * eps), input_distance=l2, inputs=[[1, 1]])
    round_ = Accuracy(SUM, exp(-alpha * eps), ideal=disc, inputs=[[0, 0]])
    for claim, room in ((line, Fraction(1, 10**18)), (round_, Fraction(1, 10**12))):
        assert replace(claim, alpha=root - room).check().outcome != "vacuous"
        above = replace(claim, alpha=root + room)
        assert above.check().outcome == "vacuous"
        certified(above)


def test_claims_that_are_tight_at_a_root() -> None:
    """At (1, 1) the error is e^(−2ε)/2 and dd = √2, so β = e^(−√2·αε)/2 is an equality."""
    claim = Accuracy(SUM, exp(-sqrt(2) * alpha * eps) / 2, input_distance=l2, inputs=[[1, 1]])
    assert claim.check().outcome == "holds"
    best = claim.tightest().kappa
    assert (best.lower, best.upper) == (1, 1)
    false = replace(claim, beta=exp(-sqrt(2) * alpha * eps) * HALF * LESS).check()
    assert false.outcome == "fails"
    assert false.counterexample.alpha < math.sqrt(2)
    assert replace(claim, inputs=Grid(-1, 1)).check().outcome == "holds"  # √2, √2/2


def test_rates_close_to_a_root() -> None:
    """β = e^(−kαε)/2 at α = √2 is at least the error e^(−2ε)/2 exactly if k ≤ √2."""
    for rate, outcome in (("1.414213562373", "holds"), ("1.414213562374", "fails")):
        claim = Accuracy(
            SUM, exp(-Fraction(rate) * alpha * eps) / 2, input_distance=l2, inputs=[[1, 1]]
        )
        assert claim.check().outcome == outcome
        found = certified(claim)
        if outcome == "fails":
            changed = copy.deepcopy(found)
            changed["counterexamples"][0]["alpha"] = "1.414213562374"  # above √2
            assert not certify.check(seal(changed)).accepted


def test_sets_of_eps_at_a_root() -> None:
    """e^(−2ε)/2 ≤ e^(−√2·ε)/5 from ε = ln(5/2)/(2 − √2) on."""
    claim = Accuracy(SUM, exp(-alpha * eps) / 5, input_distance=l2, inputs=[[1, 1]])
    expected = math.log(2.5) / (2 - math.sqrt(2))
    assert str(claim.epsilons()) == f"[{str(expected)[:13]}…, ∞)"


@pytest.mark.parametrize(
    ("level", "boundary", "beta", "outcome"),
    [
        (sqrt(2), "skip", exp(-2 * eps) / 2, "vacuous"),
        (sqrt(2), "check", exp(-2 * eps) / 2, "holds"),
        (sqrt(2), "check", exp(-2 * eps) * HALF * LESS, "fails"),
        (sqrt(2) - Fraction(1, 10**12), "skip", exp(-2 * eps) * HALF * LESS, "fails"),
        ((0, sqrt(2)), "skip", exp(-sqrt(2) * alpha * eps) / 2, "holds"),
        (Range(sqrt(2), 3), "check", exp(-2 * eps) * HALF * LESS, "fails"),
        (Range(sqrt(2), 3), "skip", exp(-2 * eps) * HALF * LESS, "vacuous"),
    ],
)
def test_alpha_may_be_a_root(level: Any, boundary: str, beta: Any, outcome: str) -> None:
    """Dd = √2 at (1, 1), where the error is e^(−2ε)/2."""
    claim = Accuracy(SUM, beta, alpha=level, input_distance=l2, inputs=[[1, 1]], boundary=boundary)
    assert claim.check().outcome == outcome


def test_all_gammas_of_outputs_that_are_root_two_apart() -> None:
    """One wrong bit is 1 away, two are √2 away. For γ in [1, √2), both must be wrong: 1/(1 + e^ε)².

    For γ in [0, 1) one suffices: with w = 1/(1 + e^ε) the error is 2w − w².
    """
    wrong = 1 / (1 + exp(eps))
    claim = Accuracy(
        BITS, 2 * wrong, alpha=0, gamma=ANY, ideal=TRUE_BITS,
        input_distance="discrete", output_distance=l2, inputs=[[0, 1]],
    )  # fmt: skip
    assert claim.check().outcome == "holds"  # 1 − (1 − w)² ≤ 2w, and w² ≤ 2w
    assert replace(claim, beta=2 * wrong * exp(-gamma * eps)).check().outcome == "fails"
    assert replace(claim, beta=2 * exp(-gamma * eps)).check().outcome == "holds"
    assert replace(claim, beta=exp(-gamma * eps)).check().outcome == "fails"  # γ → 1
    exact = replace(claim, gamma=Range(1, 2), beta=exp(-sqrt(2) * gamma * eps))
    assert exact.check().outcome == "holds"  # e^(−2ε) ≥ w² as γ → √2, with equality as ε → ∞
    tighter = replace(exact, beta=exp(-sqrt(2) * gamma * eps) * Fraction(9, 10))
    assert tighter.check().outcome == "fails"
    assert replace(exact, gamma=sqrt(2)).check().outcome == "vacuous"  # no output is further


def test_two_roots_are_rounded() -> None:
    """√3 in β and dd = √2 are not combined; rationals just above and below dd decide."""
    for factor, outcome in ((1, "holds"), (Fraction(9, 10), "fails")):
        claim = Accuracy(
            SUM, factor * exp(-sqrt(3) * alpha * eps / 2) / 2, input_distance=l2, inputs=[[1, 1]]
        )
        assert claim.check().outcome == outcome


def test_partial_ideals_under_l2() -> None:
    """Defined for q[0] ≥ 0: the inputs that disagree with (0, 3) are nearest at (0, 0)."""
    partial = Ideal.from_source(
        "def partial(q: Real[2]):\n    assert q[0] >= 0\n    return q[0] + q[1] >= 0"
    )
    claim = Accuracy(
        SUM, exp(-alpha * eps) / 2, ideal=partial, input_distance=l2, inputs=[[0, 3], [1, 1]]
    )
    assert claim.disagreement([0, 3]).distance == 3  # without the assertion 3/√2
    assert claim.disagreement([1, 1]).distance == radical(Fraction(2), HALF)
    assert claim.check().outcome == "holds"  # the errors are e^(−3ε)/2 and e^(−2ε)/2
    certified(claim)
    false = replace(claim, beta=exp(-alpha * eps * Fraction(101, 100)) / 2)
    assert false.check().outcome == "fails"
    certified(false)


# Integer noise under l2, and roots in β for all reals ------------------------------------


def _mass(rate: float, k: int) -> float:
    q = math.exp(-rate)
    return (1 - q) / (1 + q) * q ** abs(k)


@pytest.mark.parametrize(("radius", "square"), [(2, 4), (sqrt(5), 5), (Fraction(3, 2), 2.25)])
def test_integer_noise_in_a_ball(radius: Any, square: float) -> None:
    """At ε = 1, the probability of all points (i, j/2, k) with i² + j²/4 + k² ≤ γ², summed."""
    counts = Mechanism.from_source("""
def counts(x: Dom(0, 3)[3]):
    return [dlap(eps, x[0]), dlap(eps, x[1]) / 2, dlap(2 * eps, x[2])]
""")
    near = range(-6, 7)
    inside = sum(
        _mass(1, i) * _mass(1, j) * _mass(2, k)
        for i in near
        for j in near
        for k in near
        if i * i + j * j / 4 + k * k <= square
    )
    claim = Accuracy(
        counts, "1/2", alpha=0, gamma=radius, input_distance="discrete", output_distance=l2,
        inputs=[[1, 2, 0]],
    )  # fmt: skip
    error = claim.error_probability([1, 2, 0]).exact
    assert float(error.at(1).lower) == pytest.approx(1 - inside, abs=1e-12)
    assert claim.check().outcome == "fails"  # 1 as ε → 0
    assert replace(claim, epsilon="[2, inf)").check().outcome == "holds"


def test_integer_noise_in_a_ball_of_any_size_is_refused() -> None:
    pair = Mechanism.from_source("def pair(x: Dom(0, 1)[2]): return [dlap(eps, y) for y in x]")
    claim = Accuracy(
        pair, exp(-gamma * eps), alpha=0, gamma=ANY, input_distance="discrete", output_distance=l2
    )
    with pytest.raises(ValueRefusedError, match="gamma"):
        claim.check()


@pytest.mark.parametrize("inputs", [AllReals(), Box(-2, 2)])
def test_roots_in_a_bound_for_all_reals(inputs: Any) -> None:
    """The error at distance d is e^(−√2·dε)/2 under l2, where d = |q[0] + q[1]|/√2."""
    for rate, outcome in (
        (sqrt(2) * Fraction(99, 100), "holds"),
        (sqrt(2) * Fraction(101, 100), "fails"),
        (sqrt(2) - Fraction(1, 10**6), "holds"),
    ):
        beta = exp(-rate * alpha * eps) / 2
        claim = Accuracy(SUM, beta, input_distance=l2, inputs=inputs)
        assert claim.check().outcome == outcome
    tight = Accuracy(SUM, exp(-sqrt(2) * alpha * eps) / 2, input_distance=l2, inputs=inputs).check()
    assert tight.outcome == "undecided"


def test_roots_in_a_bound_with_any_gamma() -> None:
    release = Mechanism.from_source("def release(q: Real): return lap(eps, q)")
    for rate, outcome in ((sqrt(2) / 2, "holds"), (sqrt(2), "fails")):
        claim = Accuracy(release, exp(-rate * gamma * eps), alpha=0, gamma=ANY, inputs=[0])
        assert claim.check().outcome == outcome
    with pytest.raises(ValueRefusedError, match="irrational"):
        Accuracy(release, exp(-eps), alpha=0, gamma=sqrt(2), inputs=[0])
    with pytest.raises(ValueRefusedError, match="irrational"):
        Accuracy(SUM, exp(-eps), alpha=sqrt(2), inputs=AllReals())


@pytest.mark.parametrize(
    "formula",
    [
        exp(-sqrt(2) * alpha * eps) / 2,
        (3 - sqrt(2)) * exp(-alpha * eps) - (sqrt(2) - 1) * exp(-2 * alpha * eps),
        minimum(sqrt(2), 2 * exp(-alpha * sqrt(8) * eps)) + sqrt(2) * exp(-eps),
        (sqrt(2) * exp(-alpha * eps)) ** 3 / 5,
        exp(-sqrt(2) * eps) + exp(-gamma * eps / sqrt(2)),
    ],
)
def test_rational_bounds(formula: Any) -> None:
    """Values at some points are on the right side, and close."""
    on = Interval(0, math.inf, lower_open=True)
    for side in (1, -1):
        found = rational_bound(formula, side, on)
        assert found is not None
        assert not has_root(found)
        for a, g, e in ((0, 1, 1), (1, 2, Fraction(1, 3)), (5, 0, 4)):
            values = {"alpha": Fraction(a), "gamma": Fraction(g)}
            parts = zip(found.alternatives(values), formula.alternatives(values), strict=True)
            for one, two in parts:
                gap = (one - two).at(e)
                assert gap.upper * side >= 0
                assert abs(gap.upper) < Fraction(1, 10**9)
    assert rational_bound(sqrt(2) * Symbol("q"), 1, on) is None


# Polynomials --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ideal", "metric", "expected"),
    [
        (product, linf, (5 - radical(Fraction(5), HALF)) / 2),  # (3 − r)(2 − r) = 1
        (product, l1, Fraction(5, 3)),  # 3·(2 − r) = 1
        (disc, linf, (5 - radical(Fraction(7), HALF)) / 2),  # (3 − r)² + (2 − r)² = 4
        (disc, l1, 5 - 2 * radical(Fraction(2), HALF)),  # x + y ≤ 2√2
        (disc, l2, radical(Fraction(13), HALF) - 2),
    ],
)
def test_tight_claims(ideal: Any, metric: Any, expected: Any) -> None:
    """At (3, 2), the error of the first comparison is e^(−2ε)/2, or 1 less that if false is right.

    So β = e^(−(2/dd)·αε)/2 is an equality.
    """
    claim = Accuracy(FIRST, "1/3", ideal=ideal, inputs=[[3, 2]], input_distance=metric)
    found = claim.disagreement([3, 2])
    assert found.distance == expected
    assert "near" in str(found)
    if ideal is product:
        rate = 2 / expected
        if isinstance(rate, Radical):
            rate = 4 / (5 - sqrt(5))
        tight = replace(claim, beta=exp(-rate * alpha * eps) / 2)
        assert tight.check().outcome == "holds"
        assert (
            replace(tight, beta=exp(-rate * alpha * eps) * HALF * LESS).check().outcome == "fails"
        )
        if metric == l1:
            certificate = certified(tight)
            changed = copy.deepcopy(certificate)
            cell = regions(changed)[0]["tree"]["cell"]
            cell["distance"] = cell["obligations"][0]["alpha"] = ["1.6666"]  # too small
            assert not certify.check(seal(changed)).accepted


def test_certificates_close_to_dd() -> None:
    """2/dd = 1.4472135954…; at 1.447213595 and 1.447213596 there are certificates."""
    for rate, outcome in (("1.447213595", "holds"), ("1.447213596", "fails")):
        claim = Accuracy(
            FIRST, exp(-Fraction(rate) * alpha * eps) / 2, ideal=product, inputs=[[3, 2]]
        )
        assert claim.check().outcome == outcome
        certified(claim)


def squares(u, v):  # type: ignore[no-untyped-def]
    return (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2


def test_a_distance_that_is_a_polynomial() -> None:
    """From (3, 0) to v[0] < 1 it is 4; from (3, 2) to the disc, (√13 − 2)²."""
    claim = Accuracy(FIRST, exp(-alpha * eps / 2) / 2, inputs=[[3, 0]], input_distance=squares)
    assert claim.disagreement([3, 0]).distance == 4
    assert claim.check().outcome == "holds"
    certified(claim)
    assert replace(claim, beta=exp(-alpha * eps / 2) * HALF * LESS).check().outcome == "fails"
    round_ideal = replace(claim, ideal=disc, inputs=[[3, 2]])
    assert round_ideal.disagreement([3, 2]).distance == (radical(Fraction(13), HALF) - 2) ** 2


def test_that_there_is_no_other_output() -> None:
    """x² + xy + y² is never below 0, which boxes alone do not show."""

    def never(q):  # type: ignore[no-untyped-def]
        return q[0] ** 2 + q[0] * q[1] + q[1] ** 2 + 1 < 0

    claim = Accuracy(FIRST, BOUND, ideal=never, inputs=[[3, 2]])
    assert claim.disagreement([3, 2]).distance == math.inf


BOUND = exp(-alpha * eps)


def least_along_rays(value: Any, u: list[float], norm: Any) -> float:
    """Return the least distance at which a polynomial changes its sign, by a scan of directions."""
    turns = np.linspace(0, 2 * math.pi, 361)[:, None]
    dx, dy = np.cos(turns), np.sin(turns)
    size = norm(dx, dy)
    steps = np.linspace(0, 3, 601)
    values = value(u[0] + dx / size * steps, u[1] + dy / size * steps)
    changes = values[:, :-1] * values[:, 1:] < 0
    rows = np.flatnonzero(changes.any(axis=1))
    first = changes[rows].argmax(axis=1)
    low, high = values[rows, first], values[rows, first + 1]
    found = steps[first] + (steps[1] - steps[0]) * low / (low - high)
    return float(found.min(initial=math.inf))


NORMS = {
    linf: lambda x, y: np.maximum(abs(x), abs(y)),
    l1: lambda x, y: abs(x) + abs(y),
    l2: np.hypot,
}


@pytest.mark.parametrize("seed", range(5))
def test_random_conics(seed: int) -> None:
    """Dd is that of a scan of directions, which is not below it, under each distance."""
    random = Random(seed)
    a, b, c, d, e, k = (random.randint(-3, 3) for _ in range(6))
    cubic = random.choice((0, 0, 1))
    u = [Fraction(random.randint(-4, 4), 2) for _ in range(2)]

    def value(x: Any, y: Any) -> Any:
        return cubic * x * x * x + a * x * x + b * x * y + c * y * y + d * x + e * y - k

    def ideal(q):  # type: ignore[no-untyped-def]
        return value(q[0], q[1]) >= 0

    if value(*u) == 0:
        return
    for metric, norm in NORMS.items():
        expected = least_along_rays(value, [float(x) for x in u], norm)
        if expected > 2.9:
            continue
        claim = Accuracy(FIRST, BOUND, ideal=ideal, inputs=[u], input_distance=metric)
        found = claim.disagreement(u).distance
        assert isinstance(found, Fraction | Radical)
        assert -1e-4 <= expected - float(found) <= 1e-3


def test_equations_without_isolated_solutions_are_not_used() -> None:
    """A line along which the distance does not change, and a square, have no finite set of r."""
    found = candidates([Fraction(0), Fraction(0)], lambda q: q[0] * q[0] >= 1, linf)
    assert found is not None
    only = found.only_between(Fraction(9, 10), Fraction(11, 10), 1)
    assert only is not None
    assert only.number() == 1
    assert candidates([Fraction(0)] * 4, lambda q: q[0] * q[1] >= 1, linf) is None


# Numbers ------------------------------------------------------------------------------


def test_zeros_of_polynomials_are_numbers() -> None:
    """√2 + √3 is a zero of x⁴ − 10x² + 1, and 2^(1/3) of x³ − 2."""
    both = zero_of(fmpq_poly([1, 0, -10, 0, 1]), Fraction(3), Fraction(4))
    assert isinstance(both, Radical)
    assert float(both) == pytest.approx(math.sqrt(2) + math.sqrt(3), abs=1e-14)
    assert both**4 - 10 * both**2 + 1 == 0
    assert both * (1 / both) == 1
    assert radical(Fraction(9), HALF) < both < radical(Fraction(10), HALF)
    assert str(both) == "zero(x^4 - 10*x^2 + 1, 3.14626)"
    assert float(both.root.to_sympy()) == pytest.approx(float(both))
    assert zero_of(fmpq_poly([-2, 0, 0, 1]), Fraction(1), Fraction(2)) == radical(
        Fraction(2), Fraction(1, 3)
    )
    with pytest.raises(ValueRefusedError, match="combined"):
        both + radical(Fraction(2), HALF)
    assert both.near(1) > both > both.near(-1)
    assert both.near(1, Fraction(1, 10**30)) - both.near(-1, Fraction(1, 10**30)) < Fraction(
        1, 10**29
    )

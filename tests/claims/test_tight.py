"""Best constants, sets of ε and error curves, against quadrature, SciPy and simulation."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from claims import oracle
from claims.formulas import exp
from claims.published import EXPERIMENTS, Experiment
from exactdp import (
    ANY,
    Accuracy,
    Grid,
    Interval,
    Mechanism,
    Root,
    ValueRefusedError,
    alpha,
    discrete,
    eps,
    gamma,
    inf,
    sup,
    value_gap,
)
from language.corpus import SHARED

# The constants of the paper's tables --------------------------------------------------


def row(program: str, m: int, c: int, source: str = "artifact") -> Experiment:
    same = [one for one in EXPERIMENTS if (one.program, one.m, one.c) == (program, m, c)]
    return next(one for one in same if one.table[0] == "4" and one.source == source)


#: Table, program, (m, c), largest whole κ, and κ.
CONSTANTS = [
    ("sparse", 3, 1, "artifact", 6, "6.375842"),
    ("sparse", 3, 2, "artifact", 12, "12.677887"),
    ("sparse_variant", 3, 1, "artifact", 6, "6.375842"),
    ("sparse_variant", 3, 2, "artifact", 13, "13.315907"),
    ("sparse_variant", 3, 2, "figure", 12, "12.751685"),
    ("noisy_max", 3, 1, "artifact", 4, "4.357366"),
    ("noisy_max", 4, 1, "artifact", 4, "4.863576"),
    ("numeric_sparse", 3, 1, "artifact", 3, "3.255813"),
    ("numeric_sparse", 3, 1, "figure", 4, "4.949132"),
    ("numeric_sparse", 3, 2, "artifact", 5, "5.185185"),
    ("numeric_sparse", 3, 2, "figure", 6, "6.782656"),
]


@pytest.mark.parametrize(("program", "m", "c", "source", "whole", "digits"), CONSTANTS)
def test_tables_4(program: str, m: int, c: int, source: str, whole: int, digits: str) -> None:
    """The largest whole κ is the published one for the programs that the authors ran."""
    one = row(program, m, c, source)
    published = {x.kappa for x in EXPERIMENTS if x.table[0] == "4" and x.expect == "holds"}
    assert source == "figure" or whole in published
    claim = one.claim(kappa=1)
    best = claim.tightest(width="1e-12")
    assert best.integer == whole
    lower, upper = best.kappa.lower, best.kappa.upper
    assert Fraction(digits) <= lower <= upper <= Fraction(digits) + Fraction(1, 10**6)
    assert upper - lower <= Fraction(1, 10**12)
    # A hair below κ the claim is true, a hair above it is false.
    hair = Fraction(1, 10**9)
    assert one.claim(kappa=lower * (1 - hair)).check().holds is True
    assert one.claim(kappa=upper * (1 + hair)).check().holds is False
    at_each = claim.tightest(at_each=True)
    assert len(at_each) == one.inputs
    # A constant function of ε is only enclosed, so inputs are compared by their upper ends.
    assert min(float(x.kappa) for x in at_each) == pytest.approx(float(best.kappa), abs=2e-6)


@pytest.mark.parametrize(
    ("program", "m", "c"), [("sparse", 3, 1), ("sparse_variant", 3, 2), ("noisy_max", 3, 1)]
)
def test_where_it_is_attained(program: str, m: int, c: int) -> None:
    """SciPy minimises β/error by quadrature at the named input, and finds the same κ and ε."""
    one = row(program, m, c)
    best = one.claim(kappa=1).tightest(width="1e-12")
    u = tuple(int(x) for x in best.input)

    def ratio(budget: float) -> float:
        if program == "sparse":
            chance = oracle.sparse(u, c, budget)
        elif program == "noisy_max":
            chance = oracle.noisy_max(u, [u.index(max(u))], budget)
        else:
            chance = oracle.sparse_variant(u, c, budget, True)
        level = float(best.alpha)
        falling = level * budget / 2 if program == "noisy_max" else level * budget / (8 * c)
        factor = m if program == "noisy_max" else 2 * m * c
        return factor * math.exp(-falling) / (1 - chance)

    found = minimize_scalar(ratio, bounds=(0.01, 30), method="bounded", options={"xatol": 1e-9})
    assert found.fun == pytest.approx(float(best.kappa), rel=1e-10)
    assert isinstance(best.eps, Root)
    assert found.x == pytest.approx(float(best.eps.lower), rel=1e-4)  # flat at the bottom


def test_approached_at_infinity() -> None:
    """NumericSparse with one query, as the artifact ran it: κ = 36/13 in the limit of large ε.

    By hand at u = 1, α = γ = 1, with y = e^(−ε/9): compared and released is 1 + noise of rate 1/9,
    the threshold has rate 4/9. The sample misses [0, 2] with probability y. Inside, the threshold
    is above it with probability ∫₀² (1/18)·e^(−ε|x−1|/9)·(1/2)·e^(−4εx/9) ε dx =
    (1/36)·y·(1 − y^3)·3 + O(y^4) = y/12 + O(y^4): so error/y → 13/12 and κ = 3/(13/12) = 36/13.
    """
    one = next(x for x in EXPERIMENTS if x.program == "numeric_sparse" and x.m == 1)
    best = one.claim(kappa=1).tightest()
    assert best.kappa.lower <= Fraction(36, 13) <= best.kappa.upper
    assert (best.eps, best.attained) == (inf, False)


def test_no_constant_at_all() -> None:
    """Without noise there is no error, so β may be divided by any number."""
    exact = Mechanism.from_source("def exact(x: Dom(0, 3)): return x")
    best = Accuracy(exact, exp(-eps)).tightest()
    assert (best.kappa.lower, best.integer, best.input) == (inf, None, None)
    assert str(best) == "β/κ is true for every κ > 0: at all 4 inputs there is no error."


# Exactly at the edge ------------------------------------------------------------------


def laplace(beta: Any, radius: Any = 1, **given: Any) -> Accuracy:
    return Accuracy(
        SHARED["laplace"](1),
        beta,
        alpha=0,
        gamma=radius,
        input_distance=discrete,
        output_distance=sup,
        inputs=[[0]],
        **given,
    )


def test_equality_holds() -> None:
    """The error of one Laplace number is e^(−γε) exactly."""
    assert laplace(exp(-gamma * eps)).check().holds is True
    best = laplace(exp(-gamma * eps)).tightest()
    assert (best.kappa.lower, best.kappa.upper, best.integer) == (1, 1, 1)
    assert laplace(exp(-gamma * eps) * (1 - Fraction(1, 10**30))).check().holds is False
    assert laplace(exp(-gamma * eps * (1 + Fraction(1, 10**12)))).check().holds is False
    assert laplace(7 * exp(-gamma * eps)).tightest().integer == 7


CLAIMS: list[tuple[str, tuple[Any, ...], Any, dict[str, Any]]] = [
    ("noisy_max", (2,), 2 * exp(-alpha * eps / 2), {}),
    ("noisy_max", (3,), 3 * exp(-alpha * eps / 3), {}),
    ("sparse", (2, 1), 4 * exp(-alpha * eps / 8), {}),
    ("sparse", (2, 2), 4 * exp(-alpha * eps / 16), {}),
    ("above_threshold", (3,), exp(-alpha * eps / 9), {}),
    ("noisy_max_exponential", (2,), exp(-alpha * eps / 2), {}),
    (
        "noisy_max",
        (3,),
        exp(-gamma * eps / 4),
        {"alpha": 0, "gamma": ANY, "input_distance": discrete, "output_distance": value_gap},
    ),
]


@pytest.mark.parametrize(("name", "size", "beta", "given"), CLAIMS)
def test_verdicts_flip_at_the_best_constant(
    name: str, size: tuple[Any, ...], beta: Any, given: dict[str, Any]
) -> None:
    rng = random.Random(name + str(size))
    mechanism = SHARED[name](*size)
    for _ in range(6):
        u = [Fraction(rng.randint(-30, 30), rng.choice([1, 4, 9])) for _ in range(size[0])]
        claim = Accuracy(mechanism, beta, inputs=[u], **given)
        best = claim.tightest(width="1e-12").kappa
        if best.lower == inf:
            assert claim.disagreement(u).distance == 0
            continue
        for factor, expected in ((1 - Fraction(1, 10**9), True), (1 + Fraction(1, 10**9), False)):
            kappa = (best.lower if expected else best.upper) * factor
            verdict = replace(claim, beta=beta / kappa).check()
            assert verdict.holds is expected
            if not expected:
                found = verdict.counterexample
                assert found is not None
                assert found.actual.upper < found.required.lower


# Counterexamples ----------------------------------------------------------------------


def test_the_simplest_eps() -> None:
    """Two tied queries: Pr(right) = 1/2 for every ε, and 1 − β = 1 − e^(−ε)·6/5.

    β < 1/2 where ε > ln(12/5) = 0.875…: the simplest such number is 1.
    """
    claim = Accuracy(
        SHARED["noisy_max"](2), Fraction(6, 5) * exp(-eps), inputs=[[0, 0]], boundary="check"
    )
    found = claim.check().counterexample
    assert found is not None
    assert [found.eps, found.alpha, found.gamma, found.output] == [1, 0, 0, 0]
    narrow = replace(claim, epsilon=Interval("0.9", "0.95")).check().counterexample
    assert narrow is not None
    assert narrow.eps == Fraction(9, 10)  # no fraction with a smaller denominator is inside
    assert replace(claim, epsilon="(0, 0.875]").check().holds is True


def gap_of_two(radius: Any) -> Accuracy:
    """Return a claim that fails by far at the outputs 1 and 0, whose gaps are 5 and 6."""
    return Accuracy(
        SHARED["noisy_max"](3),
        3 * exp(-10 * gamma * eps),
        alpha=0,
        gamma=radius,
        input_distance=discrete,
        output_distance=value_gap,
        inputs=[[0, 1, 6]],
    )


@pytest.mark.parametrize("radius", [ANY, Interval("11/2", 7)])
def test_the_gamma_of_a_counterexample_is_claimed(radius: Any) -> None:
    """Its probability is that of the ball of this γ, and the γ is one of the claim's."""
    for found in gap_of_two(radius).check(all=True).counterexamples:
        assert isinstance(radius, Interval) is False or found.gamma in radius
        right = [i for i, x in enumerate((0, 1, 6)) if 6 - x <= found.gamma]
        expected = oracle.noisy_max((0, 1, 6), right, float(found.eps))
        assert float(found.actual) == pytest.approx(expected, abs=1e-11)


def test_the_alpha_of_a_counterexample_is_claimed() -> None:
    claim = Accuracy(
        SHARED["noisy_max"](3),
        exp(-10 * alpha * eps),
        alpha=Interval("9/10", 2),
        inputs=[[0, 0, 2]],
    )
    found = claim.check().counterexample
    assert found is not None
    assert Fraction(9, 10) <= found.alpha < 1


# Sets of ε ----------------------------------------------------------------------------


def in_stretches(found: Any, budget: float) -> bool:
    return Fraction(budget).limit_denominator(10**6) in found


def error_of(u: tuple[int, ...]) -> Callable[[float], float]:
    return lambda budget: 1 - oracle.noisy_max(u, [u.index(max(u))], budget)


def test_an_upward_closed_set() -> None:
    """NoisyMax errs with probability at most 1/10 from one ε on, which SciPy finds too."""
    claim = Accuracy(SHARED["noisy_max"](3), Fraction(1, 10), inputs=[[0, 0, 1], [0, 1, 3]])
    found = claim.epsilons()
    assert len(found) == 1
    ends = [brentq(lambda e, u=u: error_of(u)(e) - 0.1, 0.1, 60) for u in ((0, 0, 1), (0, 1, 3))]
    (stretch,) = found
    assert isinstance(stretch.lower, Root)
    assert float(stretch.lower.lower) == pytest.approx(max(ends), rel=1e-10)
    budget = claim.smallest_epsilon()
    assert budget.exists
    assert budget.attained
    assert float(budget) == pytest.approx(max(ends), rel=1e-10)
    assert budget.upper - budget.lower <= Fraction(1, 10**12)
    assert "no data" in budget.note
    # At the certified ends the claim fails and holds.
    for at, holds in ((budget.lower, False), (budget.upper, True)):
        assert replace(claim, epsilon=Interval(at, at)).check().holds is holds


def test_another_beta() -> None:
    """The error of one Laplace number is at most β from ε = ln(1/β)/γ on."""
    claim = laplace(Fraction(1, 2), radius=3)
    for beta in ("1/20", Fraction(1, 100), 0.5):
        expected = math.log(1 / float(Fraction(beta))) / 3
        found = claim.smallest_epsilon(beta=beta)
        assert float(found) == pytest.approx(expected, rel=1e-11)
        assert found.lower <= found.upper
    assert claim.smallest_epsilon(beta=0).exists is False
    with pytest.raises(ValueRefusedError, match="beta is 1"):
        claim.smallest_epsilon(beta=1)
    never = "The claim holds for no ε: at ε = 1e+06 it still fails at the input [0]."
    assert claim.smallest_epsilon(beta=0).sentence == never


def test_a_set_that_is_not_upward_closed() -> None:
    """2·e^(−x) bounds e^(−x)(1/2 + x/4), x = gε/2, exactly where x ≤ 6: two queries, gap g = 2.

    With a factor 4/5·(1 + (ε − 8)²/16) instead, it holds, fails and holds again.
    """
    two = SHARED["noisy_max"](2)
    down = Accuracy(two, 2 * exp(-eps), inputs=[[0, 2]])
    (only,) = down.epsilons()
    assert (only.lower, only.upper) == (0, 6) or isinstance(only.upper, Root)
    assert 6 in down.epsilons()
    assert "6.000001" not in down.epsilons()
    assert not down.smallest_epsilon().exists

    beta = exp(-eps) * Fraction(4, 5) * (1 + (eps - 8) ** 2 / 16)
    claim = Accuracy(two, beta, inputs=[[0, 2]])
    found = claim.epsilons()
    assert len(found) == 2

    def slack(e: float) -> float:
        return 0.8 * (1 + (e - 8) ** 2 / 16) - (0.5 + e / 4)

    ends = [brentq(slack, 0, 6), brentq(slack, 8, 40)]
    first, last = found
    assert float(first.upper.lower) == pytest.approx(ends[0], rel=1e-10)  # type: ignore[union-attr]
    assert float(last.lower.lower) == pytest.approx(ends[1], rel=1e-10)  # type: ignore[union-attr]
    assert last.upper == inf
    for budget in np.linspace(0.05, 30, 400):
        if abs(slack(budget)) > 1e-6:
            assert in_stretches(found, float(budget)) is bool(slack(budget) >= 0)


def test_the_set_of_several_inputs_is_the_intersection() -> None:
    inputs = [[0, 2], [0, 5], [1, 4]]
    two = SHARED["noisy_max"](2)
    claims = [Accuracy(two, Fraction(1, 7), inputs=some) for some in ([inputs[0]], inputs)]
    alone = [Accuracy(two, Fraction(1, 7), inputs=[u]).epsilons() for u in inputs]
    together = claims[1].epsilons()
    for budget in np.geomspace(0.01, 40, 300):
        point = Fraction(float(budget))
        assert (point in together) is all(point in one for one in alone)


def test_a_claim_restricted_to_budgets() -> None:
    claim = laplace(Fraction(1, 2), epsilon="(0, 1/2]")
    assert claim.check().holds is False
    assert len(claim.epsilons()) == 0
    assert laplace(Fraction(1, 2), epsilon=[1, 2]).check().holds is True
    assert str(laplace(Fraction(1, 2), epsilon=[1, 2]).epsilons()) == "[1, 2]"


# Error curves -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size", "u"),
    [("noisy_max", (3,), (0, 1, 1)), ("sparse", (3, 2), (-1, 2, 1)), ("sparse", (2, 1), (-2, -1))],
)
def test_error_probability(name: str, size: tuple[Any, ...], u: tuple[int, ...]) -> None:
    """By quadrature to ten digits, and by simulation within five standard deviations."""
    mechanism: Mechanism = SHARED[name](*size)
    claim = Accuracy(mechanism, 2 * exp(-alpha * eps / 8), inputs=[u])
    curve = claim.error_probability(list(u))
    points = [0.25, 1.0, 4.0]
    if name == "sparse":
        expected = [1 - oracle.sparse(u, size[1], e) for e in points]
    else:
        expected = [1 - oracle.noisy_max(u, [u.index(max(u))], e) for e in points]
    assert curve.values(points) == pytest.approx(expected, abs=1e-11)
    right, runs = mechanism.noiseless()(list(u)), 20_000
    wrong = runs - mechanism.sample(list(u), 1, runs, seed=5).count(right)
    p = expected[1]
    assert abs(wrong / runs - p) < 5 * math.sqrt(p * (1 - p) / runs)
    dd = claim.disagreement(list(u)).distance
    if dd == 0:
        assert (curve.alpha, curve.claimed) == (None, ())
    else:
        bounds = [min(1, 2 * math.exp(-float(dd) * e / 8)) for e in points]
        assert curve.claimed_values(points) == pytest.approx(bounds)


def test_error_of_integer_noise() -> None:
    """Pr(|dlap(ε)| > g) = 2·e^(−(g+1)ε)/(1 + e^(−ε))."""
    mechanism = Mechanism.from_source("def f(x: Dom(0, 3)):\n    return dlap(eps, x)\n")
    claim = Accuracy(mechanism, "1/2", alpha=0, gamma=2, output_distance=sup)
    expected = 2 * exp(-3 * eps) / (1 + exp(-eps))
    assert all(claim.error_probability(x).exact == expected for x in range(4))
    assert replace(claim, beta=expected).check().holds is True
    assert replace(claim, beta=expected).tightest().integer == 1


def test_grids_count_once() -> None:
    claim = Accuracy(SHARED["noisy_max"](2), exp(-alpha * eps / 4), inputs=Grid(0, 1, "1/2"))
    seen: list[tuple[int, int]] = []
    verdict = claim.check(progress=lambda done, total: seen.append((done, total)))
    assert verdict.inputs == 9
    assert seen == [(k, 9) for k in range(1, 10)]

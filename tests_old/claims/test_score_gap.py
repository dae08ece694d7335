"""`score_gap` for all real inputs: against `value_gap`, and against a calculation by hand.

The mechanism reports the larger of two answers after adding Laplace noise with scale 2/ε to each.
If they are d apart, the other one is reported with probability (1/2 + εd/8)·e^(−εd/2): the
difference of two Laplace variables with scale b is below −d with probability
(1/2 + d/(4b))·e^(−d/b). An input is d/2 away (linf) from one with another ideal output.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    ExactdpError,
    Grid,
    Mechanism,
    alpha,
    eps,
    exp,
    gamma,
    score_gap,
    value_gap,
)
from exactdp.language.values import List
from exactdp.semantics.spots import OnFaceError, Trace

LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)


def error(distance: float, budget: float) -> float:
    """Return the probability that the smaller of two answers is reported."""
    return (0.5 + budget * distance / 8) * math.exp(-budget * distance / 2)


@pytest.mark.parametrize("level", [ANY, 0, Fraction(1, 2), alpha])
@pytest.mark.parametrize("divisor", [1, 3])
def test_the_score_that_is_the_value(level: Any, divisor: int) -> None:
    beta = 2 * exp(-gamma * eps / 4 - alpha * eps / 4) / divisor
    claims = [
        Accuracy(LARGER, beta, gamma=level, output_distance=distance, inputs=AllReals())
        for distance in (value_gap, score_gap(lambda u, v: u[v]))
    ]
    one, two = (claim.check() for claim in claims)
    assert one.holds == two.holds
    if level != ANY:
        best = [claim.tightest(width="1e-2").kappa for claim in claims]
        assert best[0] == best[1]


Score = Callable[[Any, int], Any]


def scores(seed: int) -> tuple[Score, str]:
    """Return a random piecewise linear score of two answers."""
    chance = random.Random(seed)
    rows = [[chance.choice([-1, 0, 1, 2, Fraction(1, 2)]) for _ in range(3)] for _ in range(4)]
    kind = chance.choice(["linear", "abs", "max", "step"])

    def linear(k: int, u: Any) -> Any:
        return rows[k][0] * u[0] + rows[k][1] * u[1] + rows[k][2]

    def score(u: Any, v: int) -> Any:
        match kind:
            case "abs":
                return abs(linear(v, u))
            case "max":
                return max(linear(v, u), linear(2 + v, u))
            case "step":
                return 1 if linear(v, u) > linear(2 + v, u) else 0
        return linear(v, u)

    return score, kind


@pytest.mark.parametrize("seed", range(12))
def test_random_scores(seed: int) -> None:
    """What holds is violated nowhere on many inputs; what fails does so at its counterexample."""
    score, _ = scores(seed)
    chance = random.Random(seed)
    level = chance.choice([Fraction(0), Fraction(1), Fraction(1, 2)])
    factor = chance.choice([Fraction(1, 2), Fraction(1, 4)])
    claim = Accuracy(
        LARGER,
        factor * exp(-alpha * eps / 2),
        gamma=level,
        output_distance=score_gap(score),
        inputs=AllReals(),
    )
    verdict = claim.check()

    def excess(u: list[Fraction], budget: float) -> float:
        """Return error − β, where α is the largest that the input is above."""
        distance = abs(u[0] - u[1])
        far = abs(score(u, 0) - score(u, 1)) > level
        beta = float(factor) * math.exp(-float(distance) * budget / 4)
        return (error(float(distance), budget) if far else 0) - beta

    if verdict.holds:
        for _ in range(500):
            u = [Fraction(chance.randint(-40, 40), chance.choice([1, 4, 9])) for _ in range(2)]
            assert excess(u, 10 ** chance.uniform(-2, 2)) <= 1e-12
    else:
        found = verdict.counterexample
        assert found is not None
        assert excess([Fraction(x) for x in found.input], float(found.eps)) > 0


def test_the_score_of_expmech_beside_a_real_input() -> None:
    """The scores are numbers, whatever the real input is."""
    turned = Mechanism.from_source(
        "def turned(x: Dom(0, 1)[2], q: Real):\n"
        "    v = expmech(eps / 2, lambda v: x[v], range(2))\n"
        "    return v if lap(eps, q) > 0 else 1 - v\n"
    )
    for divisor, holds in ((1, True), (4, False)):
        beta = (exp(-gamma * eps / 2) + exp(-alpha * eps)) / divisor
        claims = [
            Accuracy(turned, beta, gamma=ANY, output_distance=distance, inputs=inputs)
            for distance in (score_gap, score_gap(lambda u, v: u[0][v]))
            for inputs in (AllReals(), Grid(-2, 2))
        ]
        assert [claim.check().holds for claim in claims] == [holds] * 4


def test_a_comparison_that_is_a_tie_at_the_sample_is_no_mistake_of_the_score() -> None:
    trace = Trace(("eps", "q[0]", "q[1]"), (1, 2, 2))
    u = List((trace.spot("q[0]"), trace.spot("q[1]")))
    with pytest.raises(OnFaceError):
        score_gap(lambda u, v: v * max(u)).between(u, 0, 1)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (lambda u, v: u[v] * u[v], "the score cannot be computed for all inputs at once"),
        (lambda _u, _v: None, "the score of 0 is None, which is not a number"),
        (None, "score_gap alone needs a mechanism that begins with expmech"),
    ],
)
def test_scores_that_are_refused(score: Any, message: str) -> None:
    distance = score_gap if score is None else score_gap(score)
    with pytest.raises(ExactdpError) as refused:
        Accuracy(LARGER, exp(-eps), output_distance=distance, inputs=AllReals()).check()
    assert message in str(refused.value)
    assert "Spot" not in str(refused.value)

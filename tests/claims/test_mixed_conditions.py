"""Conditions that multiply inputs with different powers of ε, for all reals and in boxes.

The error of a comparison of two numbers with noise is (1 + d/2)·e^(−d)/2 with d = ε·|q[0] − q[1]|,
and dd is half of their distance.
"""

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp import Accuracy, AllReals, Box, ExactdpError, Mechanism, alpha, eps, exp, inf, parse

LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 0 if lap(eps, q[0]) >= lap(eps, q[1]) else 1"
)


def error(q: list[float], at: float) -> float:
    """Return the probability of a wrong answer."""
    d = at * abs(q[0] - q[1])
    return (1 + d / 2) * math.exp(-d) / 2


def test_a_condition_that_is_needed() -> None:
    """With q[1] ≤ 3, ε(q[0] − q[1]) ≥ 5 + (ε² − ε)·q[1] ≥ 17/4, with equality at ε = 1/2."""
    best = (1 + 17 / 8) * math.exp(-17 / 4) / 2
    claims = {
        beta: Accuracy(
            LARGER, parse(beta), alpha=0, inputs=Box([0, 0], [inf, 3]),
            region="q[0] >= eps * q[1] + 5 / eps",
        )
        for beta in ("1/40", "1/45")
    }  # fmt: skip
    assert claims["1/40"].check().outcome == "holds"
    assert 1 / 45 < best < 1 / 40
    found = claims["1/45"].check().counterexample
    assert found is not None
    first, second = found.input
    assert 0 <= second <= 3
    assert first >= found.eps * second + 5 / found.eps
    assert error([first, second], float(found.eps)) > 1 / 45


COEFFICIENTS = ["1", "-1", "eps", "-eps", "2 / eps", "(1 - eps)", "eps**2"]


@pytest.mark.parametrize("seed", range(6))
def test_random_conditions(seed: int) -> None:
    """No point that satisfies the condition contradicts a claim that holds."""
    chance = random.Random(seed)
    one, two = (chance.choice(COEFFICIENTS) for _ in range(2))
    left, sign = chance.choice(["alpha", "alpha * eps", "0"]), chance.choice(["<=", ">="])
    region = (
        f"{left} {sign} {one} * q[0] + {two} * q[1] + {chance.choice(['1', '3 / eps', '-eps'])}"
    )
    rate, low, high = chance.choice([1, 2]), *chance.choice([(-2, 2), (0, 3)])
    claim = Accuracy(LARGER, exp(-rate * alpha * eps), region=region, inputs=Box(low, high))
    verdict = claim.check()
    assert verdict.outcome != "undecided"
    if (found := verdict.counterexample) is not None:
        points = [(found.eps, list(found.input), found.alpha)]
    else:
        points = []
        for _ in range(3000):
            q = [Fraction(chance.uniform(low, high)).limit_denominator(64) for _ in range(2)]
            size = abs(q[0] - q[1]) / 2 * Fraction(chance.randint(0, 63), 64)
            points.append((Fraction(2) ** chance.randint(-4, 4), q, size))
    for at, q, size in points:
        is_claimed = eval(region, {"alpha": size, "eps": at, "q": q})
        is_false = error([*map(float, q)], float(at)) > math.exp(-rate * size * at) * (1 + 1e-12)
        is_claimed = is_claimed and size < abs(q[0] - q[1]) / 2
        assert (is_claimed and is_false) == (found is not None)


def test_all_reals() -> None:
    """The example of the documentation; a false claim has a counterexample that is confirmed."""
    region = "alpha <= eps * q[0] + q[1]"
    assert Accuracy(LARGER, exp(-alpha * eps), region=region, inputs=AllReals()).check().holds
    false = Accuracy(LARGER, exp(-2 * alpha * eps), region=region, inputs=AllReals()).check()
    assert false.counterexample is not None
    assert false.counterexample.alpha <= (
        false.counterexample.eps * false.counterexample.input[0] + false.counterexample.input[1]
    )


def test_ranges_with_inputs() -> None:
    """An end of a range is a formula in ε and the inputs."""
    given = Accuracy(LARGER, exp(-2 * alpha * eps), alpha="[eps * q[0], inf)", inputs=[[1, 3]])
    assert given.check().holds  # α ≥ ε, and α < 1
    everywhere = Accuracy(
        LARGER, exp(-2 * alpha * eps), alpha="[eps * q[0] + q[1], 2 * eps]", inputs=AllReals()
    )
    assert everywhere.check().outcome == "fails"


def test_what_is_refused() -> None:
    """Coefficients of inputs that are irrational at rational ε."""
    mixed = Accuracy(LARGER, exp(-eps), region="exp(-eps) * q[0] + q[1] >= 0", inputs=AllReals())
    with pytest.raises(ExactdpError, match="irrational"):
        mixed.check()


@pytest.mark.parametrize(
    "region",
    [
        "q[1] == q[0] - 3 and eps**2 * alpha <= q[1]",
        "q[0] == q[1] + 3 and eps**2 * alpha <= q[0] + eps * q[1]",
        "q[0] == 2 and eps**2 * alpha <= q[0] + q[1] + 9",
        "alpha == q[1] and q[0] == q[1] + 4 and eps**2 * alpha <= q[0] + 9",
    ],
)
def test_equal_numbers_in_conditions(region: str) -> None:
    """An equation eliminates an input, also from the other conditions (the first was "holds").

    The error at distance d is (1/2 + εd/4)·e^{−εd}, which is above e^{−2αε} for α close to d.
    """
    verdict = Accuracy(LARGER, exp(-2 * alpha * eps), region=region, inputs=AllReals()).check()
    found = verdict.counterexample
    assert found is not None
    names = {"q": found.input, "alpha": found.alpha, "eps": found.eps}
    assert eval(region, {}, names)
    distance = abs(found.input[0] - found.input[1]) / 2
    budget = float(found.eps * distance)
    assert found.alpha < distance
    assert (1 / 2 + budget / 4) * math.exp(-budget) > math.exp(-2 * float(found.alpha * found.eps))


def test_a_condition_close_to_zero_and_infinity() -> None:
    """γ = 1 + |q|ε is at least 1, γ = (1 + |q|)/ε at least 1/ε: tight at q = 0, for every ε."""
    noisy = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
    for level, bound in (
        (lambda u, eps: 1 + abs(u) * eps, exp(-eps)),
        (lambda u, eps: (1 + abs(u)) / eps, parse("37/100")),
    ):
        claim = Accuracy(noisy, bound, alpha=0, gamma=level, inputs=AllReals())
        assert claim.check().outcome == "holds"
        assert replace(claim, beta=bound * parse("99/100")).check().outcome == "fails"


def test_inputs_with_dd_equal_to_alpha() -> None:
    """At the input 0, the ideal output 0 is never returned: this counts if dd = α is checked."""
    sign = Mechanism.from_source("def sign(q: Real): return 1 if lap(eps, q) > 0 else -1")
    ideal = Mechanism.from_source("def ideal(q: Real): return (q > 0) - (q < 0)")
    for region, outcome in (
        ("alpha <= eps * q + 1 / eps", "fails"),
        ("alpha + eps**2 <= eps * q + 1", "fails"),
        ("q >= 1 + eps * alpha", "holds"),
    ):
        for boundary, expected in (("skip", "holds"), ("check", outcome)):
            claim = Accuracy(
                sign, "1/2", ideal=ideal, region=region, inputs=AllReals(), boundary=boundary
            )
            assert claim.check().outcome == expected

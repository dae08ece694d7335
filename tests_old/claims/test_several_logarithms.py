"""Mechanisms with log(r)/ε for several r, and 1/ε beside them, against errors computed here."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Ideal,
    Mechanism,
    Verdict,
    alpha,
    certify,
    eps,
    exp,
)
from exactdp.reals.logs import independent_bases, log_combination

SIGN = Ideal.from_source("def sign(q: Real): return q >= 0")
BUDGETS = [1.4**k for k in range(-16, 16)]
INPUTS = [Fraction(k, 3) for k in (-20, -9, -2, -1, 1, 2, 4, 9, 20)]


def above(x: float) -> float:
    """Return Pr(Laplace noise of rate 1 ≥ x)."""
    return math.exp(-x) / 2 if x >= 0 else 1 - math.exp(x) / 2


class Both:
    """Two noisy numbers are compared with a + b/ε + c·log(r)/ε each."""

    def __init__(self, *thresholds: tuple[int, Fraction, Fraction, int]) -> None:
        self.thresholds = thresholds
        self.mechanism = Mechanism.from_source(
            "def both(q: Real): return "
            + " and ".join(
                f"lap(eps, q) >= {a} + ({b} + {c} * log({r})) / eps" for a, b, c, r in thresholds
            )
        )

    def error(self, u: Any, e: float) -> float:
        """Return the probability that the output is not the sign."""
        sizes = [a * e + b + c * math.log(r) for a, b, c, r in self.thresholds]
        right = math.prod(above(size - float(u) * e) for size in sizes)
        return 1 - right if u >= 0 else right


def is_false(both: Both, inputs: list[Any], bound: float) -> bool:
    """Whether the error is above bound·e^(−ε·dd/2) at one of some points; dd is |u|."""
    pairs = [(u, e) for u in inputs for e in BUDGETS]
    return any(both.error(u, e) > bound * math.exp(-e * abs(u) / 2) + 1e-9 for u, e in pairs)


def met(both: Both, verdict: Verdict, bound: float) -> None:
    """Assert that a counterexample is one, by its own numbers."""
    found = verdict.counterexample
    assert found is not None
    error = both.error(Fraction(found.input), float(found.eps))
    assert abs(found.input) > found.alpha
    assert error == pytest.approx(float(found.error))
    assert error > bound * math.exp(-found.eps * found.alpha / 2)


@pytest.mark.parametrize("seed", range(6))
def test_random_thresholds(seed: int) -> None:
    random = Random(seed)
    halves = [Fraction(k, 2) for k in range(-2, 3)]
    both = Both(
        *(
            (random.choice([0, 1]), random.choice(halves), random.choice(halves[2:]), r)
            for r in (2, random.choice([3, 10]))
        )
    )
    bound = random.choice([2, 10, 40])
    for inputs in ([random.choice(INPUTS)], AllReals()):
        claim = Accuracy(both.mechanism, bound * exp(-alpha * eps / 2), ideal=SIGN, inputs=inputs)
        verdict = claim.check()
        assert verdict.outcome in ("holds", "fails")
        if verdict.outcome == "fails":
            met(both, verdict, bound)
        else:
            assert not is_false(both, inputs if isinstance(inputs, list) else INPUTS, bound)


def test_probabilities_on_intervals() -> None:
    """At 3 the answers change where ε·3 = log 2, which is irrational, and never at −log 3."""
    levels = Mechanism.from_source("""
def levels(q: Real):
    r = lap(eps, q)
    return 2 if r >= log(2) / eps else 1 if r >= -log(3) / eps else 0
""")
    found: Any = levels.distribution(3)
    assert len(found) == 2
    for e in (0.1, 0.23, 0.24, 2):
        high, low = above(math.log(2) - 3 * e), above(-math.log(3) - 3 * e)
        chances = found.at(Fraction(str(e)))
        assert float(chances[2]) == pytest.approx(high)
        assert float(chances[0]) == pytest.approx(1 - low)
    assert "0.231049060187" in str(found)


@pytest.mark.parametrize(
    ("more", "bound", "outcome"),
    [
        ({"alpha": 8 / eps}, 40, "holds"),
        ({"alpha": 1 / eps}, 1, "fails"),
        ({"region": "alpha >= 1/eps"}, 40, "holds"),
        ({"region": "alpha <= 1 and eps >= 1/10"}, 1, "fails"),
    ],
)
@pytest.mark.parametrize("inputs", [[5, -5], AllReals()], ids=str)
def test_conditions_and_levels_that_move(more: Any, bound: int, outcome: str, inputs: Any) -> None:
    """Pr(wrong) ≤ 3·10·e^(−|u|ε) with both thresholds between 0 and log 10."""
    both = Both((0, Fraction(0), Fraction(1), 10), (0, Fraction(0), Fraction(1), 3))
    beta = bound * exp(-alpha * eps / 2)
    verdict = Accuracy(both.mechanism, beta, ideal=SIGN, inputs=inputs, **more).check()
    assert verdict.outcome == outcome
    if outcome == "fails":
        met(both, verdict, bound)


def test_one_logarithm_with_conditions_has_a_certificate() -> None:
    one = Both((0, Fraction(0), Fraction(1), 10))
    claim = Accuracy(
        one.mechanism, 20 * exp(-alpha * eps), ideal=SIGN, region="alpha >= 1/eps", inputs=[3]
    )
    assert certify.check(claim.check().certificate).accepted


def test_dependent_logarithms() -> None:
    """The logarithm of 6 is log 2 + log 3: how many of three thresholds are reached."""
    steps = Mechanism.from_source("""
def steps(q: Real):
    r = lap(eps, q)
    return (r >= log(2) / eps) + (r >= log(3) / eps) + (r >= log(6) / eps)
""")
    for q in (Fraction(1), Fraction(-2), Fraction(5, 2)):
        found: Any = steps.distribution(q)
        for at in (Fraction(1, 3), Fraction(1), Fraction(4)):
            above = [1.0]
            for r in (2, 3, 6):
                t = math.log(r) - float(q * at)
                above.append(math.exp(-t) / 2 if t >= 0 else 1 - math.exp(t) / 2)
            known = [one - two for one, two in zip(above, [*above[1:], 0], strict=True)]
            assert [float(found.at(at)[k]) for k in range(4)] == pytest.approx(known)
        assert len(steps.chain(q)) == len(found)  # type: ignore[arg-type]
    equal = Mechanism.from_source(
        "def equal(q: Real): return lap(eps, q) > max(q, log(6) / eps - log(2) / eps) or "
        "log(6) / eps == q + log(2) / eps + log(3) / eps"
    )
    assert float(equal.probability(0, True).at(1)) == 1
    none = Ideal.from_source("def none(q: Real): return 3 if q >= 0 else 0")
    for factor, outcome in ((Fraction(12), "holds"), (Fraction(2), "fails")):
        claim = Accuracy(steps, factor * exp(-alpha * eps), ideal=none, inputs=[4, -1])
        assert claim.check().outcome == outcome


def test_combinations_of_logarithms() -> None:
    """log(12/5) = 3·log 2 + log(3/2) − log 5."""
    three = (Fraction(2), Fraction(3, 2), Fraction(5))
    assert independent_bases(three) == three
    assert independent_bases([Fraction(4), Fraction(8)]) == (Fraction(4),)
    assert log_combination(Fraction(8), [Fraction(4)]) == (Fraction(3, 2),)
    assert log_combination(Fraction(12, 5), three) == (Fraction(3), Fraction(1), Fraction(-1))
    assert log_combination(Fraction(7), three) is None

"""Gumbel noise, which is only compared: a race of exponential noises."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest

from exactdp import Accuracy, ExactdpError, Mechanism, Privacy, alpha, eps, exp, linf

U = [Fraction(1), Fraction(1, 3), Fraction(0)]
WEIGHTS = [exp(eps * x / 2) for x in U]

SPELLINGS = (
    """
def loop(q: Real[3]):
    best, top = 0, gumbel(eps / 2, q[0])
    for i in range(1, 3):
        r = gumbel(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""",
    """
def indexed(q: Real[3]):
    noisy = [gumbel(scale=2 / eps, mean=x) for x in q]
    return noisy.index(max(noisy))
""",
    "def picked(q: Real[3]): return expmech(eps / 2, lambda i: q[i], range(3))",
)


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_largest_is_picked_by_its_weight(text: str) -> None:
    mechanism = Mechanism.from_source(text)
    found = mechanism.distribution(U)
    assert all(found[k] == weight / sum(WEIGHTS) for k, weight in enumerate(WEIGHTS))
    assert Accuracy(mechanism, 2 * exp(-alpha * eps)).check().outcome == "holds"
    assert Accuracy(mechanism, 2 * exp(-alpha * eps)).by_cells().check().outcome == "holds"
    assert Accuracy(mechanism, 1.99 * exp(-alpha * eps)).check().outcome == "fails"
    drawn = mechanism.sample(U, 2, 5_000, seed=1)
    for k in range(3):
        assert abs(drawn.count(k) / 5_000 - float(found[k].at(2))) < 0.03


def test_the_order_is_that_of_plackett_and_luce() -> None:
    """The first is picked by its weight, the next one of the others by its weight, and so on."""
    ordered = Mechanism.from_source("""
def ordered(q: Real[3]):
    noisy = [gumbel(eps / 2, q[i]) for i in range(3)]
    return sorted(range(3), key=lambda i: -noisy[i])
""")
    found = ordered.distribution(U)
    for order in permutations(range(3)):
        first, second, third = (WEIGHTS[k] for k in order)
        assert found[order] == first / sum(WEIGHTS) * (second / (second + third))


def test_a_margin_scales_a_weight() -> None:
    """Pr(x + G > y + H + c) = e^x/(e^x + e^(y + c)): the difference is logistic noise."""
    ahead = Mechanism.from_source(
        "def ahead(q: Real[2]): return gumbel(eps, q[0]) > gumbel(eps, q[1]) + 1"
    )
    assert ahead.probability([3, 1], True) == exp(3 * eps) / (exp(3 * eps) + exp(2 * eps))
    for factor, outcome in ((2, "holds"), (Fraction(19, 10), "fails")):
        assert Privacy(ahead, budget=factor * eps, adjacent=linf(1)).check().outcome == outcome


@pytest.mark.parametrize(
    "output",
    [
        "gumbel(eps, q)",
        "gumbel(eps, q) > 0",
        "gumbel(eps, q) > lap(eps, 0)",
        "lap(eps, 0) > gumbel(eps, q)",
        "gumbel(eps, q) > gumbel(eps / 2, 0)",
        "gumbel(eps, q) > 2 * gumbel(eps, 0)",
        "gumbel(eps, q) + lap(eps, 0) > gumbel(eps, 0)",
        "gumbel(eps, q) + gumbel(eps, 0) > gumbel(eps, 0)",
    ],
)
def test_anything_else_is_refused(output: str) -> None:
    mechanism = Mechanism.from_source(f"def f(q: Real): return {output}")
    for ask in (mechanism.distribution, mechanism.expectation):
        with pytest.raises(ExactdpError, match="is used other than in comparisons") as caught:
            ask(1)
        assert caught.value.place is not None

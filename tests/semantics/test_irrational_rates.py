"""Mechanisms with rates such as √2·ε at listed inputs, met by quadrature, by hand and by runs."""

import math
from collections import Counter
from fractions import Fraction

import numpy
import pytest
from mpmath import exp as e_to
from mpmath import inf, mpf, quad
from mpmath import sqrt as root

from exactdp import AllReals, ExactdpError, Mechanism, Real, eps, exp, sqrt

RUNS = 40_000


def source(text: str) -> Mechanism:
    return Mechanism.from_source(text)


def test_one_rate_is_a_substitution() -> None:
    """Where every rate is a rational multiple of √2·ε, the answer is that for ε, at √2·ε."""
    for body in (
        "lap({a} * eps, 1) + expo(2 * {a} * eps, 0)",
        "round(lap({a} * eps, 1 / 3))",
        "dlap({a} * eps, 1) - geometric({a} * eps / 3)",
        "expmech({a} * eps, lambda i: x * i / 3, range(3))",
        "1 if gumbel({a} * eps, 1) > gumbel({a} * eps, x) else 0",
    ):
        plain, scaled = (
            source(f"def f(x: Dom(0, 2)): return {body.format(a=a)}") for a in ("1", "sqrt(2)")
        )
        for of in (None, abs, lambda y: max(y, 1) ** 2):
            wanted = plain.expectation(2, of)
            found = scaled.expectation(2, of)
            at = Fraction(14142135623730951, 10**16)
            assert float(found.at(1)) == pytest.approx(float(wanted.at(at)), rel=1e-12)


def test_rates_that_differ_by_an_irrational_factor() -> None:
    """Pr(X > Y) for X with rate ε at 1 and Y with rate √2·ε at 0, by hand and by quadrature."""
    larger = source("def f(q: Real[2]): return lap(eps, q[0]) > lap(sqrt(2) * eps, q[1])")
    assert larger.probability([1, 0], True) == 1 - exp(-eps) + exp(-sqrt(2) * eps) / 2
    total = source("def f(q: Real): return lap(eps, q) + lap(sqrt(2) * eps, 0)")
    s = root(2)

    def density(x: float) -> mpf:
        return quad(
            lambda t: e_to(-abs(t) - s * abs(x - t)) * s / 4, [-inf, min(0, x), max(0, x), inf]
        )

    inside = 2 * quad(density, [0, 1])
    assert float(total.within(0, 1).at(1)) == pytest.approx(float(inside), abs=1e-9)
    assert total.variance(0) == 3 / eps**2


def test_a_cubic_root_and_runs() -> None:
    """The split 1 : (2c)^(2/3) of the sparse vector technique (Lyu, Su and Li 2017), c = 2."""
    split = source("""
def split(q: Real[3]):
    first = eps / (1 + 4 ** (2 / 3))
    bar = lap(first, 0)
    for i in range(3):
        if lap((eps - first) / 4, q[i]) >= bar:
            return i
    return 3
""")
    found = split.distribution([-1, 1, 0])
    assert not (sum(found.values(), 0 * eps) - 1).numerator
    seen = Counter(split.sample([-1, 1, 0], eps=2, size=RUNS, seed=1))
    for output, chance in found.items():
        p = float(chance.at(2))
        assert abs(seen[output] / RUNS - p) < 5 * math.sqrt(p * (1 - p) / RUNS)


def test_conditions_and_order_statistics() -> None:
    text = """
def f(q: Real[3]):
    first, second, third = sorted([lap(eps, q[0]), lap(sqrt(2) * eps, q[1]), lap(2 * eps, q[2])])
    observe(first > -1)
    return second
"""
    found = source(text)
    noise = numpy.random.default_rng(2)
    listed = [noise.laplace(m, 1 / r, RUNS) for m, r in ((0, 1), (1, math.sqrt(2)), (2, 2))]
    rows = numpy.sort(numpy.stack(listed), 0)
    kept = rows[1][rows[0] > -1]
    for of, values in ((None, kept), (lambda y: abs(y - 1), abs(kept - 1))):
        value = float(found.expectation([0, 1, 2], of).at(1))
        assert abs(values.mean() - value) < 5 * values.std() / math.sqrt(len(values))


def test_probabilities_and_losses_in_other_powers_of_e() -> None:
    coin = source("""
def coin(x: Dom(0, 1)):
    keep = 1 / (1 + exp(-sqrt(2) * eps))
    return choose({x: keep, 1 - x: 1 - keep})
""")
    assert coin.probability(1, 0) == exp(-sqrt(2) * eps) / (1 + exp(-sqrt(2) * eps))
    noisy = source("def f(x: Dom(0, 1)): return lap(sqrt(2) * eps, x)")
    assert noisy.expectation(1, lambda y: abs(y - 1) * exp(eps)) == exp(eps) / (sqrt(2) * eps)
    assert noisy.distribution(0).density(Real, 1) == sqrt(2) / 2 * eps * exp(-sqrt(2) * eps)
    assert len(coin.chain(1).states) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lap(sqrt(3) * eps, q) > lap(sqrt(2) * eps, 0)", r"sqrt\(2\) and sqrt\(3\) are combined"),
        ("lap(eps, q) > sqrt(2)", "cannot be combined with reals"),
        ("lap((1 - sqrt(2)) * eps, q)", "is negative"),
        ("lap(eps ** (1 / 2), q)", "small constant integer"),
        ("round(lap(eps, q)) if lap(sqrt(2) * eps, 0) > 0 else 0", "is rounded"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExactdpError, match=message):
        source(f"def f(q: Real): return {text}").expectation(0, lambda y: 1 if y > 0 else 0)
    with pytest.raises(ExactdpError, match="irrational rates"):
        source("def f(q: Real): return lap(sqrt(2) * eps, q)").expectation(AllReals())

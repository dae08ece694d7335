"""`sample` and `run` against `distribution`: integer noise and fractions, choices, any size of ε.

Six standard deviations are allowed, 6·√(p(1 − p)/runs), and 20 runs more for events that are too
rare for the normal law, so that chance fails no test: each comparison with probability 10⁻⁸.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import ExactdpError, Mechanism
from semantics.random_programs import Input, Program, inputs, programs
from support.examples import examples

RUNS = 20_000
BUDGETS = [Fraction(text) for text in ("1e-6", "1/1000", "1/10", "1", "7", "50")]


def agrees(mechanism: Mechanism, u: Any, eps: Fraction, outputs: list[Any]) -> None:
    """Compare how often each output came with its exact probability."""
    counts, runs = Counter(outputs), len(outputs)
    found = mechanism.distribution(u)
    assert set(counts) <= set(found)
    for output, chance in found.items():
        p = float(chance.at(eps))
        allowed = 6 * math.sqrt(runs * p * (1 - p)) + 20 * (0 < p < 1)
        assert abs(counts[output] - runs * p) <= allowed, (output, p, counts[output] / runs)


fractions = st.sampled_from([Fraction(text) for text in ("1/10", "3/10", "-2/7", "1", "-5/2")])
factors = st.sampled_from([Fraction(text) for text in ("1", "-1", "1/2")])
limits = st.sampled_from([Fraction(text) for text in ("0", "3/10", "-2/7", "1", "1000/3")])
comparisons = st.sampled_from(["<", "<=", "==", "!=", ">=", ">"])
chances = st.sampled_from(["1/3", "exp(eps) / (1 + exp(eps))", "1 - exp(-eps)", "eps / (1 + eps)"])


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Draw a program with integer noise, a choice and an exponential mechanism."""
    chance = draw(chances)
    return f"""def program():
    c = choose({{1: {chance}, 0: 1 - ({chance})}})
    k = expmech({draw(st.sampled_from(["eps / 3", "2 * eps"]))}, lambda v: v / 2, [0, 1, 3])
    x = {draw(fractions)} * dlap(eps, c) + {draw(fractions)} * k
    return [k, x {draw(comparisons)} {draw(limits)}]
"""


@st.composite
def sums(draw: st.DrawFn) -> str:
    """Draw a program that compares the sum of two integer noises."""
    return f"""def program():
    x = {draw(factors)} * dlap(eps, 1)
    z = x + {draw(factors)} * dlap(2 * eps, {draw(st.integers(-2, 2))})
    return z {draw(comparisons)} {draw(limits)}
"""


@examples(15)
@given(st.one_of(sources(), sums()), st.sampled_from(BUDGETS))
def test_integer_noise_and_fractions(source: str, eps: Fraction) -> None:
    mechanism = Mechanism.from_source(source)
    agrees(mechanism, (), eps, mechanism.sample((), eps, RUNS, seed=1))
    rng = random.Random(1)
    agrees(mechanism, (), eps, [mechanism.run((), eps, rng) for _ in range(200)])


@examples(15)
@given(programs(most=3), inputs, st.sampled_from(BUDGETS))
def test_real_noise(program: Program, u: Input, eps: Fraction) -> None:
    mechanism = program.mechanism()
    agrees(mechanism, u, eps, mechanism.sample(u, eps, RUNS, seed=1))
    rng = random.Random(1)
    agrees(mechanism, u, eps, [mechanism.run(u, eps, rng) for _ in range(200)])


def read(expression: str) -> Mechanism:
    return Mechanism.from_source(f"def f():\n    a = lap(eps, 0)\n    return {expression}\n")


CASES = [
    ("0.1 * dlap(eps, 3) <= 0.3", "1"),
    ("dlap(eps, 0) >= 0", "1e-19"),
    ("dlap(eps, 0) / 3 + 2 * dlap(eps, 1) / 7 > 1/5", "1e-19"),
    ("dlap(eps, 10**40) - 10**40 + 0.5 > 0", "1"),
    ("choose({1: exp(eps) / (1 + exp(eps)), 0: 1 / (1 + exp(eps))})", "1000"),
    ("choose({1: 1 - exp(-eps), 0: exp(-eps)})", "1e-19"),
    ("expmech(eps, lambda v: v, [0, 1])", "1e25"),
    ("[a + 0.1 - 0.1 == a, a / 3 + 2 * a / 3 <= a, a / 3 + 2 * a / 3 < a]", "1"),
    ("a > -10**18", "1"),
    ("a > 0", "1e25"),
    ("a > 10**25", "1e-25"),
]


@pytest.mark.parametrize(("expression", "eps"), CASES)
def test_ends_of_the_range(expression: str, eps: str) -> None:
    """Noise and chances that a float cannot hold, or that cancel in floats."""
    mechanism = read(expression)
    budget = Fraction(eps)
    agrees(mechanism, (), budget, mechanism.sample((), budget, RUNS, seed=1))
    rng = random.Random(1)
    agrees(mechanism, (), budget, [mechanism.run((), budget, rng) for _ in range(1000)])


def test_integer_noise_is_exact_in_outputs() -> None:
    outputs = read("0.1 * dlap(eps, 3)").sample((), 1, 1000, seed=1)
    assert {type(output) for output in outputs} == {int, Fraction}
    assert all((10 * output).denominator == 1 for output in outputs)


@pytest.mark.parametrize("expression", ["lap(eps, 1) > 1", "a + 10**5 > 10**5"])
def test_what_floats_cannot_tell_is_refused(expression: str) -> None:
    """The noise is 10²⁵ times smaller than the numbers beside it; one exact run does not mind."""
    mechanism = read(expression)
    with pytest.raises(ExactdpError, match=r"<mechanism>:3:\d+: .* rounding of floats"):
        mechanism.sample((), 10**25, 1000, seed=1)
    rng = random.Random(1)
    agrees(mechanism, (), Fraction(10**25), [mechanism.run((), 10**25, rng) for _ in range(1000)])


@pytest.mark.parametrize("eps", [Fraction(10) ** 400, Fraction(1, 10**400), "1e31"])
def test_budgets_outside_the_range_are_refused(eps: object) -> None:
    for ask in (lambda: read("a > 0").sample((), eps, 10), lambda: read("a > 0").run((), eps)):
        with pytest.raises(ExactdpError, match=r"eps is (larger than 1e30|smaller than 1e-100)"):
            ask()


def test_scales_outside_the_range_are_refused() -> None:
    mechanism = read("lap(eps / 10**250, 0) > 0")
    for ask in (lambda: mechanism.sample((), 1, 10), lambda: mechanism.run((), 1)):
        with pytest.raises(ExactdpError, match="noise of a scale near 1e250 cannot be sampled"):
            ask()

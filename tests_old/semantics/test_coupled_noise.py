"""Several noises that are compared with each other: ranks, medians, tournaments."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from exactdp import AllReals, ExpPoly, Mechanism, eps, exp, gamma
from semantics.quadrature import integral, laplace
from semantics.test_random_probabilities import agrees_with_simulation, both_ways_agree, total

MEDIAN = """
def median(q: Real[3]):
    a = lap(eps / 2, q[0])
    b = lap(eps / 2, q[1])
    c = lap(eps, q[2])
    if a < b:
        if b < c:
            return 1
        return 2 if a < c else 0
    if a < c:
        return 0
    return 2 if b < c else 1
"""
RANKS = """
def ranks(q: Real[{n}]):
    r = [{noise}(eps, x) for x in q]
    ranks = []
    for i in range({n}):
        above = 0
        for j in range({n}):
            if j != i:
                if r[j] > r[i]:
                    above += 1
        ranks.append(above)
    return ranks
"""


def program(body: str) -> Mechanism:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return Mechanism.from_source(f"def program():\n{lines}\n")


@pytest.mark.parametrize("u", [(Fraction(7, 3), 0, -1)])
def test_a_noisy_median_by_quadrature(u: tuple[Any, ...]) -> None:
    """The index of the middle one of three noises, in three dimensions."""
    rates, q = (0.35, 0.35, 0.7), tuple(map(float, u))
    found = Mechanism.from_source(MEDIAN).distribution(u)
    assert total(dict(found)) == ExpPoly(1)
    for i in range(3):

        def inside(*r: Any, i: int = i) -> Any:
            middle = np.median(np.array(np.broadcast_arrays(*r)), axis=0) == r[i]
            return math.prod(map(laplace, rates, q, r)) * middle

        kinks = [lambda: q, lambda r: [*q, r], lambda r, s: [q[2], r, s]]
        expected = integral(inside, kinks, 0.35)
        assert float(found[i].at(Fraction(7, 10))) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("noise", ["lap", "expo"])
def test_every_order_of_equal_noises_has_the_same_chance(noise: str) -> None:
    """All n! orders are equally likely where no noise differs from another."""
    found = Mechanism.from_source(RANKS.format(n=4, noise=noise)).distribution([1, 1, 1, 1])
    assert dict(found) == {order: ExpPoly(Fraction(1, 24)) for order in permutations(range(4))}


def test_exponential_noises() -> None:
    """Of rates 1, 2, 3, 4, each the least of those left with a chance in proportion to its rate."""
    drawn = "a, b, c, d = expo(eps, 0), expo(2 * eps, 0), expo(3 * eps, 0), expo(4 * eps, 0)\n"
    chain = program(drawn + "return [a < b, b < c, c < d]")
    in_order = Fraction(1, 10) * Fraction(2, 9) * Fraction(3, 7)
    assert chain.probability((), (True, True, True)) == ExpPoly(in_order)
    # a and b below c and d: the two least are a and b, in either order.
    crown = program(drawn + "return [a < c, a < d, b < c, b < d]")
    two_least = Fraction(1, 10) * Fraction(2, 9) + Fraction(2, 10) * Fraction(1, 8)
    assert crown.probability((), (True,) * 4) == ExpPoly(two_least)
    # a > 2b and b > 3c, where 2b and 6c have the rates 1 and 1/2: an order of a, 2b and 6c.
    multiples = program(drawn + "return [a > 2 * b, b > 3 * c]")
    expected = Fraction(1, 5) * Fraction(1, 2)
    assert multiples.probability((), (True, True)) == ExpPoly(expected)
    # c + d < 1 as a range of the one by the other: ∫ 3e^{−3x}·(1 − e^{−4(1 − x)}) over x < 1.
    below = program(drawn + "return c + d < 1").probability((), True)
    assert float(below.at(1)) == pytest.approx(1 + 3 * math.exp(-4) - 4 * math.exp(-3))


def test_comparisons_that_come_too_late() -> None:
    """Three of six equal noises are below the others in 3!·3! of 6! orders; one pair may tell."""
    halves = program(
        """
x = [lap(eps, 0) for i in range(6)]
below = True
for i in range(3):
    for j in range(3, 6):
        if x[i] > x[j]:
            below = False
return below
"""
    )
    assert dict(halves.distribution(())) == {
        True: ExpPoly(Fraction(1, 20)),
        False: ExpPoly(Fraction(19, 20)),
    }


CONSTANTS = st.sampled_from(["0", "0", "0", "1", "-1", "1/2"])


@st.composite
def systems(draw: st.DrawFn, noises: int, factors: tuple[str, ...]) -> str:
    """Draw a program that compares pairs of its noises, as soon as it can."""
    lines = []
    for j in range(noises):
        kind = draw(st.sampled_from(["lap", "lap", "expo"]))
        mean = draw(st.sampled_from(["0", "1", "q[0]", "q[1]"]))
        lines.append(f"x{j} = {kind}({draw(st.sampled_from(['eps', 'eps / 2']))}, {mean})")
        for i in range(j):
            if draw(st.integers(0, 3)):
                left, right = draw(st.permutations([i, j]))
                factor = draw(st.sampled_from(factors))
                lines.append(f"t{i}{j} = x{left} > {factor}x{right} + {draw(CONSTANTS)}")
    truths = [line.split()[0] for line in lines if line.startswith("t")]
    lines.append(f"return [{', '.join(truths)}]")
    return "\n".join(["def program(q: Real[2]):", *(f"    {line}" for line in lines), ""])


inputs = st.tuples(*[st.sampled_from([0, 1, -1, Fraction(1, 2), Fraction(-7, 3)])] * 2)
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@few
@given(systems(3, ("", "-1 * ", "2 * ", "-1/2 * ")), inputs)
def test_functions_and_polyhedra_agree(source: str, u: tuple[Fraction, Fraction]) -> None:
    both_ways_agree(source, u)


@few
@given(systems(4, ("", "", "2 * ")), inputs)
def test_more_of_them_agree_with_simulation(source: str, u: tuple[Fraction, Fraction]) -> None:
    mechanism = Mechanism.from_source(source)
    found = dict(mechanism.distribution(u))
    assert total(found) == ExpPoly(1)
    agrees_with_simulation(mechanism, u, found)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(MEDIAN, (5, 2, 1, -7))
@given(systems(3, ("",)), st.tuples(*[st.integers(-24, 24)] * 4))
def test_formulas_agree_with_single_inputs(source: str, numbers: tuple[int, ...]) -> None:
    mechanism = Mechanism.from_source(source)
    formula = mechanism.distribution(AllReals())
    if source == MEDIAN:
        assert len(formula) == 6  # the orders of the inputs, no more
    for shift in (0, 5):
        u = [Fraction(numbers[j] + shift * j, 4) for j in range(len(formula.names) - 1)]
        there, here = formula.at(*u), mechanism.distribution(u)
        assert {k: v for k, v in there.items() if v.numerator} == dict(here)


def test_sums_that_grow() -> None:
    """Prefix sums within γ of the true ones: by hand, with t = γ·rate, for all inputs at once.

    ∫ ½e^{−|x|}·(1 − ½e^{−(t−x)} − ½e^{−(t+x)}) dx over |x| ≤ t.
    """
    prefixes = Mechanism.from_source(
        """
def prefixes(q: Real[2]):
    out = []
    total = 0
    for x in q:
        total += lap(eps / 2, x)
        out.append(total)
    return out
"""
    )
    t = eps
    by_hand = 1 - (5 + 2 * t) * exp(-t) / 4 + exp(-3 * t) / 4
    assert prefixes.within([3, -1], 2, distance="sup") == by_hand
    formula = prefixes.within(AllReals(), gamma, distance="sup")
    assert len(formula) == 1
    assert formula.at(3, -1, 2) == by_hand

"""Probabilities worked out by hand, or known from the literature, in scaled units p = e^{−ε}."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactdp import Interval, Mechanism, Real, parse
from exactdp.reals import ClosedForm, ExpPoly, eps, exp


def program(body: str, inputs: str = "q: Real[3]", **constants: object) -> Mechanism:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return Mechanism.from_source(f"def program({inputs}):\n{lines}\n", constants)


def chance(body: str, u: object = (0, 0, 0), output: object = True) -> ClosedForm:
    return program(body).probability(u, output)


def test_one_laplace() -> None:
    """Pr(X ≤ x) = e^x/2 for x ≤ 0 and 1 − e^{−x}/2 above."""
    assert chance("return lap(eps, 0) <= -2") == exp(-2 * eps) / 2
    assert chance("return lap(eps, 0) < 3") == 1 - exp(-3 * eps) / 2
    assert chance("return lap(eps / 3, q[0]) >= 1", (5, 0, 0)) == 1 - exp(eps * Fraction(-4, 3)) / 2
    assert chance("return lap(scale=2 / eps, mean=1) >= 1") == ExpPoly(Fraction(1, 2))


def test_one_sided_exponential() -> None:
    assert chance("return expo(2 * eps, q[0]) > 3", (1, 0, 0)) == exp(-4 * eps)
    assert chance("return expo(eps, 1) < 1") == ExpPoly(0)


def test_difference_of_two() -> None:
    """Pr(X − Y > d) = (1/2 + d/4)·e^{−d} for equal rates.

    For rates a ≠ b it is (a²·e^{−bd} − b²·e^{−ad})/(2(a² − b²)).
    """
    equal = "return lap(eps, q[0]) > lap(eps, q[1])"
    assert chance(equal, (0, 3, 0)) == (2 + 3 * eps) * exp(-3 * eps) / 4
    mixed = "return lap(eps, q[0]) > lap(2 * eps, q[1])"
    expected = (exp(-6 * eps) - 4 * exp(-3 * eps)) / (2 * (1 - 4))
    assert chance(mixed, (0, 3, 0)) == expected


def test_maximum_and_order_statistics() -> None:
    """Pr(max ≤ 1) = F(1)^m; the second of three is ≤ 1 with probability 3F² − 2F³."""
    f = 1 - exp(-eps) / 2
    noises = "r = [lap(eps, 0) for i in range(3)]\n"
    assert chance(noises + "return max(r) <= 1") == f**3
    assert chance(noises + "return min(r) <= 1") == 1 - (1 - f) ** 3
    middle = noises + (
        "count = 0\nfor x in r:\n    if x <= 1:\n        count += 1\nreturn count >= 2"
    )
    assert chance(middle) == 3 * f**2 - 2 * f**3


def test_sums_of_two_and_three() -> None:
    """Pr(X + Y > d) = (2 + d)·e^{−d}/4, and for three noises (8 + 5d + d²)·e^{−d}/16."""
    assert chance("return lap(eps, 0) + lap(eps, 0) > 2") == (2 + 2 * eps) * exp(-2 * eps) / 4
    three = "return lap(eps, 0) + lap(eps, 0) + lap(eps, 0) > 2"
    assert chance(three) == (8 + 10 * eps + 4 * eps**2) * exp(-2 * eps) / 16


def test_noise_on_noise_is_a_sum() -> None:
    chained = "a = lap(eps, q[0])\nreturn lap(eps, a) > 2"
    assert chance(chained) == (2 + 2 * eps) * exp(-2 * eps) / 4


def test_scaled_noise() -> None:
    """Pr(3X − Y > d) is that of a rate-1/3 and a rate-1 noise."""
    scaled = "a = lap(eps, 0)\nreturn 3 * a - lap(eps, 0) > 1"
    a, b = Fraction(1, 3), Fraction(1)
    expected = (a**2 * exp(-b * eps) - b**2 * exp(-a * eps)) / (2 * (a**2 - b**2))
    assert chance(scaled) == expected
    assert (
        chance("a = lap(eps, 0)\nreturn abs(2 * a - 1) <= 3")
        == 1 - exp(-2 * eps) / 2 - exp(-eps) / 2
    )


@pytest.mark.parametrize("n", range(-3, 4))
def test_sum_of_two_discrete_laplace(n: int) -> None:
    """Σ_k p^{|k| + |n−k|} = p^{|n|}·(|n| + (1 + p²)/(1 − p²)), times ((1 − p)/(1 + p))²."""
    p = exp(-eps)
    size = abs(n)
    total = p**size * (size + (1 + p**2) / (1 - p**2))
    expected = total * ((1 - p) / (1 + p)) ** 2
    assert chance(f"return dlap(eps, 0) + dlap(eps, 0) == {n}") == expected
    mass = program("return dlap(eps, 0) + dlap(eps, 0)").probability((0, 0, 0), n)
    assert mass == expected


def test_integer_noise() -> None:
    p = exp(-eps)
    assert chance("return dlap(eps, 0) >= 2") == p**2 / (1 + p)
    assert chance("return dlap(eps, 1) == 1") == (1 - p) / (1 + p)
    assert chance("return dlap(eps, 1) != 1") == 2 * p / (1 + p)
    assert chance("return 2 * dlap(eps, 0) > 3") == p**2 / (1 + p)
    assert chance("return 2 * dlap(eps, 0) == 3") == ExpPoly(0)
    # 2a = 3b: a = 3k, b = 2k, so Σ p^{5|k|} = (1 + p⁵)/(1 − p⁵)
    expected = ((1 - p) / (1 + p)) ** 2 * (1 + p**5) / (1 - p**5)
    assert chance("return 2 * dlap(eps, 0) == 3 * dlap(eps, 0)") == expected


def test_parity() -> None:
    """Pr(a = 2b) for fresh b is Σ_k p^{3|k|}; Pr(a is even and |a| ≤ 2) lists three masses."""
    p = exp(-eps)
    once = (1 - p) / (1 + p)
    doubled = chance("return dlap(eps, 0) == 2 * dlap(eps, 0)")
    assert doubled == once**2 * (1 + p**3) / (1 - p**3)
    mechanism = program("return 2 * dlap(eps, 0)")
    assert mechanism.probability((0, 0, 0), 3) == ExpPoly(0)
    assert mechanism.probability((0, 0, 0), -4) == once * p**2
    few = chance("a = dlap(eps, 0)\nreturn a == 0 or a == 2 or a == -2")
    assert few == once * (1 + 2 * p**2)


def test_integer_outputs_are_listed_where_they_are_bounded() -> None:
    """A clamped geometric mechanism has three outputs; the ends collect the tails."""
    p = exp(-eps)
    clamped = program("z = dlap(eps, 0)\nreturn max(-1, min(1, z))")
    found = clamped.distribution((0, 0, 0))
    assert dict(found) == {-1: p / (1 + p), 0: (1 - p) / (1 + p), 1: p / (1 + p)}
    free = program("return dlap(eps, 0)").distribution((0, 0, 0))
    assert list(free) == [int]
    assert free[2] == (1 - p) / (1 + p) * p**2
    assert free.cumulative(int, 0) == 1 / (1 + p)


def test_exponential_mechanism_and_choose() -> None:
    picked = program("return expmech(eps / 2, score, [0, 1, 2])", score=lambda v: v)
    whole = 1 + exp(eps / 2) + exp(eps)
    found = picked.distribution((0, 0, 0))
    assert found[2] == exp(eps) / whole
    assert found[0] == 1 / whole
    chosen = program("return choose({'a': 1 / (1 + exp(eps)), 'b': exp(eps) / (1 + exp(eps))})")
    assert chosen.distribution((0, 0, 0))["a"] == 1 / (1 + exp(eps))


@pytest.mark.parametrize(
    ("x1", "x2", "gamma"), [(-1, 1, 1), (-2, "1/2", "1/3"), ("-1/7", 3, 2), (-5, "0.1", 4)]
)
def test_numeric_sparse_of_section_5_1(x1: Any, x2: Any, gamma: Any) -> None:
    """The paper's closed form p₁·p₂ for x₁ < 0 < x₂, term by term."""
    a, b, g = (Fraction(value) for value in (x1, x2, gamma))
    third = Fraction(1, 3)

    def e(rate: Fraction) -> ExpPoly:
        return exp(rate * eps)

    p1 = (
        1
        - 2 * third * (e(Fraction(2, 9) * a) + e(Fraction(-2, 9) * b))
        + Fraction(1, 6) * (e(Fraction(4, 9) * a) + e(Fraction(-4, 9) * b))
        - Fraction(1, 48) * (e((6 * a - 2 * b) / 9) + e(-(6 * b - 2 * a) / 9))
        + Fraction(1, 4) * e(Fraction(2, 9) * (a - b))
    )
    p2 = 1 - e(-g / 9)
    source = """
t = lap(4 * eps / 9, 0)
out = []
for i in range(2):
    if lap(2 * eps / 9, q[i]) >= t:
        out.append(lap(eps / 9, q[i]))
        break
    out.append(None)
return out
"""
    mechanism = program(source, "q: Real[2]")
    around = Interval(b - g, b + g)
    assert mechanism.probability([x1, x2], [None, around]) == p1 * p2
    assert mechanism.within([x1, x2], gamma) == p1 * p2
    assert mechanism.distribution([x1, x2])[None, Real] == p1


def test_real_outputs() -> None:
    """Density and cumulative function of a released number."""
    found = program("return lap(eps, q[0])").distribution((1, 0, 0))
    assert found[Real] == ExpPoly(1)
    assert found.cumulative(Real, 3) == 1 - exp(-2 * eps) / 2
    assert found.density(Real, 3) == eps * exp(-2 * eps) / 2
    largest = program("a = lap(eps, 0)\nb = lap(eps, 0)\nreturn max(a, b)")
    f = 1 - exp(-eps) / 2
    assert largest.distribution((0, 0, 0)).cumulative(Real, 1) == f**2
    assert largest.distribution((0, 0, 0)).density(Real, 1) == 2 * f * eps * exp(-eps) / 2


def test_loops() -> None:
    """A geometric number of rounds: Pr(even) = (1 − r)/(1 − r²) with r the chance to go on."""
    source = """
n = False
while choose({True: exp(-eps), False: 1 - exp(-eps)}):
    n = not n
return n
"""
    p = exp(-eps)
    found = program(source).distribution((0, 0, 0))
    assert found[False] == 1 / (1 + p)
    assert found[True] == p / (1 + p)


def test_a_loop_at_the_very_start() -> None:
    """X is drawn until it is not 0: 1 and 2 keep their ratio 1 : 2."""
    source = """
x = choose({0: 0.5, 1: Fraction(1, 6), 2: Fraction(1, 3)})
while x == 0:
    x = choose({0: 0.5, 1: Fraction(1, 6), 2: Fraction(1, 3)})
return x
"""
    mechanism = program(source, "")
    assert mechanism.probability((), 1) == ExpPoly(Fraction(1, 3))
    assert mechanism.distribution(())[2] == ExpPoly(Fraction(2, 3))
    alone = program(
        "while choose({True: exp(-eps), False: 1 - exp(-eps)}):\n    pass\nreturn 7", ""
    )
    assert alone.probability((), 7) == ExpPoly(1)


def test_loop_with_an_earlier_comparison() -> None:
    """Coins until one equals [r ≥ 1]: the number of misses is geometric with 1/2 whatever r is."""
    source = """
above = lap(eps, 0) >= 1
odd = False
while choose({True: 0.5, False: 0.5}) != above:
    odd = not odd
return (odd, above)
"""
    found = program(source).distribution((0, 0, 0))
    assert found[(True, True)] == exp(-eps) / 6
    assert found[(False, False)] == (1 - exp(-eps) / 2) * Fraction(2, 3)


def test_equality_of_continuous_noise_has_no_mass() -> None:
    assert chance("return lap(eps, 0) == 0") == ExpPoly(0)
    assert chance("return lap(eps, 0) != lap(eps, 0)") == ExpPoly(1)
    assert chance("return q[0] == 0") == ExpPoly(1)


def test_parse_of_a_result() -> None:
    text = "1 - 1/2*exp(-eps)"
    assert chance("return lap(eps, 0) <= 1") == parse(text)

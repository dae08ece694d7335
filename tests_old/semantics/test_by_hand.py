"""Probabilities worked out by hand, or known from the literature, in scaled units p = e^{−ε}."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import pytest

from exactdp import Interval, Mechanism, ProgramError, Real, parse
from exactdp.reals import ClosedForm, ExpPoly, eps, exp

HALF, ONE = ExpPoly(Fraction(1, 2)), ExpPoly(1)


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


def laplace_above(rate: Fraction, d: Fraction) -> ExpPoly:
    """Return Pr(X > d) of one Laplace noise around 0: e^{−ad}/2 for d ≥ 0."""
    tail = exp(-rate * abs(d) * eps) / 2
    return tail if d >= 0 else 1 - tail


POINTS = [Fraction(point) for point in ("-3", "-1/2", "0", "1", "7/3")]


@pytest.mark.parametrize("d", POINTS)
def test_cumulative_functions_of_one_and_two(d: Fraction) -> None:
    """On both sides of 0, by symmetry: Pr(X > −d) = 1 − Pr(X > d)."""
    size = abs(d)

    def symmetric(tail: ClosedForm) -> ClosedForm:
        return tail if d >= 0 else ONE - tail

    equal = symmetric((2 + size * eps) * exp(-size * eps) / 4)
    mixed = symmetric((exp(-2 * size * eps) - 4 * exp(-size * eps)) / (2 * (1 - 4)))
    for body, expected in {
        "return lap(eps / 3, q[0])": laplace_above(Fraction(1, 3), d),
        "return lap(eps, q[0]) - lap(eps, 0)": equal,
        "return lap(eps, q[0]) + lap(eps, 0)": equal,
        "return lap(eps, q[0]) - lap(2 * eps, 0)": mixed,
        "return lap(2 * eps, q[0]) + lap(eps, 0)": mixed,
    }.items():
        found = program(body).distribution((5, 0, 0))
        assert found.cumulative(Real, 5 + d) == ONE - expected


@pytest.mark.parametrize("d", POINTS)
def test_sum_of_three_with_different_rates(d: Fraction) -> None:
    """Partial fractions of the characteristic function Π aᵢ²/(aᵢ² + t²).

    For different rates it is Σ wᵢ·aᵢ²/(aᵢ² + t²) with wᵢ = Π_{j≠i} aⱼ²/(aⱼ² − aᵢ²), so the tail
    is the same mixture of Laplace tails. For rates a, a, b put s = t²:
    a⁴b²/((a² + s)²(b² + s)) = −C/(a² + s) + B/(a² + s)² + C/(b² + s)
    with C = a⁴b²/(a² − b²)² and B = a⁴b²/(b² − a²). Here a²/(a² + s) belongs to one noise of
    rate a and a⁴/(a² + s)² to the sum of two, whose tail is (2 + ad)·e^{−ad}/4.
    """
    size = abs(d)
    rates = [Fraction(1), Fraction(2), Fraction(1, 2)]
    tail: ClosedForm = ExpPoly(0)
    for a in rates:
        others = [b for b in rates if b != a]
        share = Fraction(1)
        for b in others:
            share *= b**2 / (b**2 - a**2)
        tail = tail + share * laplace_above(a, size)
    different = chance(f"return lap(eps, 0) + lap(2 * eps, 0) - lap(eps / 2, 0) > {d}")
    assert different == (tail if d >= 0 else ONE - tail)

    a, b = Fraction(1), Fraction(1, 2)
    c = a**4 * b**2 / (a**2 - b**2) ** 2
    two = (2 + a * size * eps) * exp(-a * size * eps) / 4
    tail = (
        laplace_above(b, size) * (c / b**2)
        - laplace_above(a, size) * (c / a**2)
        + two * (b**2 / (b**2 - a**2))
    )
    mixed = chance(f"return lap(eps, 0) + lap(eps / 2, 0) + lap(eps, 0) > {d}")
    assert mixed == (tail if d >= 0 else ONE - tail)


@pytest.mark.parametrize("d", POINTS)
def test_sum_of_three_of_one_rate(d: Fraction) -> None:
    """The tail (8 + 5d + d²)·e^{−d}/16 on both sides of 0."""
    size = abs(d)
    tail = (8 + 5 * size * eps + (size * eps) ** 2) * exp(-size * eps) / 16
    found = program("return lap(eps, 0) + lap(eps, 0) + lap(eps, 0)").distribution((0, 0, 0))
    assert found.cumulative(Real, d) == (1 - tail if d >= 0 else tail)


def test_difference_of_two_one_sided() -> None:
    """Pr(E₁ > E₂ + d) = E[e^{−a(E₂ + d)}] = e^{−ad}·b/(a + b) for d ≥ 0."""
    a, b, d = Fraction(2), Fraction(1, 3), Fraction(3, 2)
    found = chance("return expo(2 * eps, 1) > expo(eps / 3, 1) + Fraction(3, 2)")
    assert found == exp(-a * d * eps) * (b / (a + b))


@pytest.mark.parametrize("m", [1, 2, 4, 5])
def test_maximum_of_m(m: int) -> None:
    """Pr(max ≤ x) is the product of the cumulative functions, whatever the means and rates."""
    x = Fraction(1, 2)
    means = [Fraction(j - 1, 2) for j in range(m)]
    rates = [Fraction(1, 1 + j % 3) for j in range(m)]
    listed = ", ".join(f"lap(({a}) * eps, {c})" for a, c in zip(rates, means, strict=True))
    expected: ClosedForm = ExpPoly(1)
    for a, mean in zip(rates, means, strict=True):
        expected = expected * (1 - laplace_above(a, x - mean))
    assert chance(f"return max([{listed}]) <= {x}") == expected


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_order_statistics(k: int) -> None:
    """The k-th smallest of 4 is ≤ x where at least k of them are: Σ_{j≥k} C(4,j)·Fʲ·(1 − F)^{4−j}.

    For k = 2 of rates 1 and 2, two each: the chance that at most one is below is taken away.
    """
    for x in (Fraction(-1), Fraction(1, 2)):
        f = 1 - laplace_above(Fraction(1), x)
        expected = sum((comb(4, j) * f**j * (1 - f) ** (4 - j) for j in range(k, 5)), ExpPoly(0))
        draws = "r = [lap(eps, 0) for i in range(4)]\n"
        assert chance(f"{draws}return sorted(r)[{k - 1}] <= {x}") == expected
        count = f"count = 0\nfor y in r:\n    if y <= {x}:\n        count += 1\n"
        assert chance(f"{draws}{count}return count >= {k}") == expected
        g = 1 - laplace_above(Fraction(2), x)
        none = (1 - f) ** 2 * (1 - g) ** 2
        one = 2 * f * (1 - f) * (1 - g) ** 2 + 2 * g * (1 - g) * (1 - f) ** 2
        draws = "r = [lap(eps, 0), lap(2 * eps, 0), lap(eps, 0), lap(2 * eps, 0)]\n"
        assert chance(f"{draws}return sorted(r)[1] <= {x}") == 1 - none - one


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


@pytest.mark.parametrize("n", range(-2, 4))
def test_sum_of_two_discrete_laplace_with_different_rates(n: int) -> None:
    """Σ_k p^{|k|}·r^{|n−k|}: the tails k < 0 and k > n are geometric, and so is the middle.

    For n ≥ 0 it is (rⁿ + pⁿ)·pr/(1 − pr) + (r^{n+1} − p^{n+1})/(r − p).
    """
    p, r = exp(-eps), exp(-eps / 2)
    size = abs(n)
    total = (r**size + p**size) * p * r / (1 - p * r)
    total = total + (r ** (size + 1) - p ** (size + 1)) / (r - p)
    expected = total * (1 - p) / (1 + p) * (1 - r) / (1 + r)
    assert chance(f"return dlap(eps, 0) + dlap(eps / 2, 1) == {n + 1}") == expected


def test_residue_classes() -> None:
    """Pr(2a − 3b ≤ 1) by symmetry and residues.

    2a = 3b has the solutions (3k, 2k), with weights p^{5|k|}. 2a = 3b + 1 has (3k + 2, 2k + 1):
    p^{5k+3} for k ≥ 0 and p^{5j−3} for k = −j < 0, together (p³ + p²)/(1 − p⁵).
    By symmetry Pr(2a − 3b ≤ 0) = (1 + Pr(2a = 3b))/2.
    """
    p = exp(-eps)
    both = ((1 - p) / (1 + p)) ** 2
    none = both * (1 + p**5) / (1 - p**5)
    one = both * (p**2 + p**3) / (1 - p**5)
    draws = "a = dlap(eps, 0)\nb = dlap(eps, 0)\n"
    assert chance(f"{draws}return 2 * a - 3 * b == 1") == one
    assert chance(f"{draws}return 2 * a - 3 * b <= 1") == (1 + none) / 2 + one
    assert chance(f"{draws}return 2 * a - 3 * b < 1") == (1 + none) / 2
    assert chance(f"{draws}return abs(2 * a - 3 * b) != 1") == 1 - 2 * one
    assert chance(f"{draws}return 4 * a - 6 * b == 1") == ExpPoly(0)


def test_residues_of_two_rates() -> None:
    """2a = 3b with a of rate 1 and b of rate 1/2: weights p^{3|k|}·r^{2|k|} = p^{4|k|}."""
    p, r = exp(-eps), exp(-eps / 2)
    norm = (1 - p) / (1 + p) * (1 - r) / (1 + r)
    found = chance("return 2 * dlap(eps, 0) == 3 * dlap(eps / 2, 0)")
    assert found == norm * (1 + p**4) / (1 - p**4)


def test_even() -> None:
    """Pr(a is even) where b says so: given a = 2b or a = 2b + 1 the classes share their masses.

    Σ_k p^{|2k|+|k|} = (1 + p³)/(1 − p³); Σ_k p^{|2k+1|+|k|} = p/(1 − p³) + p²/(1 − p³).
    """
    p = exp(-eps)
    both = ((1 - p) / (1 + p)) ** 2
    draws = "a = dlap(eps, 0)\nb = dlap(eps, 0)\n"
    found = program(f"{draws}return [a == 2 * b, a == 2 * b + 1]").distribution((0, 0, 0))
    assert found[True, False] == both * (1 + p**3) / (1 - p**3)
    assert found[False, True] == both * (p + p**2) / (1 - p**3)
    assert found[True, True] == ExpPoly(0)


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


def test_nested_loops() -> None:
    """The inner loop flips a geometric number of times: E(−1)^flips = Σ (1/2)(−1/2)^k = 1/3.

    The outer loop goes n rounds with chance (1 − p)·pⁿ, so E(−1)^all = (1 − p)/(1 − p/3)
    and Pr(odd) = (1 − that)/2 = p/(3 − p).
    """
    source = """
odd = False
while choose({True: exp(-eps), False: 1 - exp(-eps)}):
    while choose({True: 0.5, False: 0.5}):
        odd = not odd
return odd
"""
    p = exp(-eps)
    found = program(source).distribution((0, 0, 0))
    assert found[True] == p / (3 - p)
    assert found[False] == (3 - 2 * p) / (3 - p)


def test_loop_left_by_return() -> None:
    """Two players take turns, each wins with chance p: the first does with p/(1 − (1 − p)²).

    With an inner loop: a coin that falls heads ends everything from inside, else it is thrown
    again with chance p, and else the outer loop begins anew: it ends with "heads" for certain.
    """
    source = """
player = 0
while True:
    if choose({True: exp(-eps), False: 1 - exp(-eps)}):
        return player
    player = 1 - player
"""
    p = exp(-eps)
    found = program(source).distribution((0, 0, 0))
    assert found[0] == 1 / (2 - p)
    assert found[1] == (1 - p) / (2 - p)
    inner = """
rounds = 0
while rounds < 2:
    while choose({True: exp(-eps), False: 1 - exp(-eps)}):
        if choose({True: 0.5, False: 0.5}):
            return "heads"
    rounds += 1
return "none"
"""
    # one inner loop ends without heads with chance (1 − p)·Σ (p/2)^k = (1 − p)/(1 − p/2)
    quiet = (1 - p) / (1 - p / 2)
    assert dict(program(inner).distribution((0, 0, 0))) == {
        "heads": ONE - quiet**2,
        "none": quiet**2,
    }


def test_comparisons_of_earlier_noise_inside_a_loop() -> None:
    """The loop is entered with chance 1/2; then a < b ends it with 1, else a > 2 with 2, else 0.

    Pr(a < b) = 1 − (2 + 1)·e^{−1}/4 for means 0 and 1 (in units of 1/ε), and
    Pr(b ≤ a, a > 2) = ∫₂^∞ e^{−x}/2·(1 − e^{−(x−1)}/2) dx = e^{−2}/2 − e^{−3}/8.
    """
    source = """
a = lap(eps, 0)
b = lap(eps, 1)
while choose({True: 0.5, False: 0.5}):
    if a < b:
        return 1
    if a > 2:
        return 2
return 0
"""
    found = program(source).distribution((0, 0, 0))
    one = (1 - (2 + eps) * exp(-eps) / 4) / 2
    two = (exp(-2 * eps) / 2 - exp(-3 * eps) / 8) / 2
    assert dict(found) == {1: one, 2: two, 0: 1 - one - two}


def test_a_comparison_in_a_loop_keeps_its_truth() -> None:
    """Asked again, a comparison of the same noise has the same answer."""
    source = """
a = lap(eps, 0)
above = below = 0
while above + below < 3:
    if choose({True: exp(-eps), False: 1 - exp(-eps)}):
        if a > 1:
            above += 1
        else:
            below += 1
return (above, below)
"""
    found = program(source).distribution((0, 0, 0))
    assert dict(found) == {(3, 0): exp(-eps) / 2, (0, 3): 1 - exp(-eps) / 2}


def test_integer_noise_in_a_loop() -> None:
    """Pr(a = b) = Σ p^{2|k|}, as ever; the loop only repeats the question until a coin ends it."""
    source = """
a = dlap(eps, 0)
b = dlap(eps, 0)
same = False
while choose({True: 0.5, False: 0.5}):
    same = a == b
return same
"""
    p = exp(-eps)
    equal = ((1 - p) / (1 + p)) ** 2 * (1 + p**2) / (1 - p**2)
    assert program(source).distribution((0, 0, 0))[True] == equal / 2


def test_one_output_of_a_loop_with_a_comparison() -> None:
    """Asked for alone, an output has the probability it has in the distribution."""
    source = """
a = lap(eps, 0)
n = 0
while choose({True: 0.5, False: 0.5}):
    n = 1 if a > 1 else 2
return n
"""
    found = dict(program(source).distribution((0, 0, 0)))
    assert found == {0: HALF, 1: exp(-eps) / 4, 2: HALF - exp(-eps) / 4}
    for output, expected in found.items():
        assert program(source).probability((0, 0, 0), output) == expected


def test_exponential_mechanism_in_a_loop() -> None:
    """Drawn until it is not 0: weights e^{ε/2} and e^{ε} remain, so 2 has e^{ε/2}/(1 + e^{ε/2})."""
    source = """
v = expmech(eps / 2, score, [0, 1, 2])
while v == 0:
    v = expmech(eps / 2, score, [0, 1, 2])
return v
"""
    mechanism = program(source, score=lambda v: v)
    assert mechanism.probability((0, 0, 0), 2) == exp(eps / 2) / (1 + exp(eps / 2))


TRAPS = {
    "behind a coin": ("""
state = "start"
while state != "end":
    if state == "start":
        state = choose({"end": 0.5, "trap": 0.5})
return state
""", (3, 4)),
    "behind a comparison": ("""
a = lap(eps, 0)
done = False
while not done:
    if a > 5:
        done = choose({True: 0.5, False: 0.5})
return done
""", (5, 6)),
    "a coin that falls one way": ("""
while choose({True: 1, False: 0}):
    pass
return 1
""", (2, 3)),
    "in an inner loop": ("""
x = 0
while choose({True: 0.5, False: 0.5}):
    x = choose({0: exp(-eps), 1: 1 - exp(-eps)})
    while x == 1:
        x = choose({1: 1})
return x
""", (5, 6)),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_a_loop_that_may_never_end_is_shown(name: str) -> None:
    """The error says where the trap is."""
    body, lines = TRAPS[name]
    with pytest.raises(ProgramError, match="this loop never ends") as caught:
        program(body).distribution((0, 0, 0))
    assert caught.value.line is not None
    assert lines[0] <= caught.value.line <= lines[1]


@pytest.mark.parametrize("name", list(TRAPS))
def test_a_trap_is_shown_to_who_asks_for_one_output(name: str) -> None:
    for output in (0, 1, True):
        with pytest.raises(ProgramError, match="this loop never ends"):
            program(TRAPS[name][0]).probability((0, 0, 0), output)


NEVER = ["a > 1 and a < 0", "a == b", "a < a - 1", "q[0] > 0"]


@pytest.mark.parametrize("condition", NEVER)
def test_a_trap_that_is_never_entered_is_none(condition: str) -> None:
    source = f"""
a = lap(eps, 0)
b = lap(eps, 0)
stuck = 1 if {condition} else 0
x = 0
while stuck == 1 or x == 0:
    x = choose({{0: 0.5, 1: 0.5}})
return stuck
"""
    assert dict(program(source).distribution((0, 0, 0))) == {0: ExpPoly(1)}


@pytest.mark.parametrize("condition", NEVER)
def test_a_standstill_that_is_never_entered_is_none(condition: str) -> None:
    """The same, where nothing is sampled inside the loop."""
    source = f"""
a = lap(eps, 0)
b = lap(eps, 0)
stuck = 1 if {condition} else 0
while stuck == 1:
    pass
return stuck
"""
    assert dict(program(source).distribution((0, 0, 0))) == {0: ExpPoly(1)}


def test_equality_of_continuous_noise_has_no_mass() -> None:
    assert chance("return lap(eps, 0) == 0") == ExpPoly(0)
    assert chance("return lap(eps, 0) != lap(eps, 0)") == ExpPoly(1)
    assert chance("return q[0] == 0") == ExpPoly(1)


def test_parse_of_a_result() -> None:
    text = "1 - 1/2*exp(-eps)"
    assert chance("return lap(eps, 0) <= 1") == parse(text)

"""Probabilities against numerical quadrature, to ten digits.

Each expected value is an integral written down from the definition of the mechanism: the joint
density of its noises times the indicator of the output, over all of them (up to three), or one
integral over the threshold where the other noises are independent given it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from exactdp import Interval, Mechanism, Real
from language.corpus import FACTORIES
from semantics.quadrature import Kinks, exponential, integral, laplace, laplace_above, laplace_below

budgets = pytest.mark.parametrize("eps", [Fraction(1, 3), Fraction(7, 2)])
pairs = pytest.mark.parametrize("u", [(-1, 1), (Fraction(1, 2), Fraction(-2, 3))])
triples = pytest.mark.parametrize(
    "u", [(-1, -1, 1), (0, Fraction(1, 2), 2), (Fraction(7, 3), 0, -1)]
)


def floats(u: Sequence[Any]) -> tuple[float, ...]:
    return tuple(map(float, u))


def agree(found: Any, eps: Fraction, expected: float) -> None:
    assert float(found.at(eps)) == pytest.approx(expected, rel=1e-10, abs=0)


def along(f: Callable[[float], float], kinks: Sequence[float], slowest: float) -> float:
    """Return an integral over one variable by QUADPACK, from kink to kink."""
    points = sorted({*kinks})
    ends = [points[0] - 36 / slowest, *points, points[-1] + 36 / slowest]
    return math.fsum(
        quad(f, a, b, epsabs=1e-14, epsrel=1e-12, limit=200)[0] for a, b in pairwise(ends)
    )


@cache
def over_the_threshold(
    rates: tuple[float, float], q: tuple[float, ...], answers: tuple[bool, ...]
) -> float:
    """Return Pr(these of lap(rates[1], q) are ≥ lap(rates[0], 0)): one integral over the latter."""

    def given(t: float) -> float:
        chance = laplace(rates[0], 0, t)
        for mean, above in zip(q, answers, strict=True):
            chance *= (laplace_above if above else laplace_below)(rates[1], mean, t)
        return float(chance)

    return along(given, [0, *q], rates[0])


@cache
def over_everything(
    rates: tuple[float, float], q: tuple[float, ...], answers: tuple[bool, ...]
) -> float:
    """Return the same as an integral over the threshold and one or two answers."""

    def density(t: Any, *r: Any) -> Any:
        result = laplace(rates[0], 0, t)
        for mean, above, x in zip(q, answers, r, strict=True):
            result = result * laplace(rates[1], mean, x) * ((x >= t) == above)
        return result

    others = [lambda t, *_, mean=mean: [mean, t] for mean in q]
    return integral(density, [lambda: [0, *q], *others], min(rates))


def stretches(
    q: tuple[float, ...], output: Sequence[Any]
) -> list[tuple[tuple[float, ...], tuple[bool, ...]]]:
    """Cut the answers where a new threshold is drawn: after each that is above."""
    result = []
    start = 0
    for end, one in enumerate(output, 1):
        if one not in (False, None) or end == len(output):
            above = tuple(x not in (False, None) for x in output[start:end])
            result.append((q[start:end], above))
            start = end
    return result


def mass(rate: float, mean: float, ends: Interval) -> float:
    """Return the Laplace mass of an interval as an integral over it."""
    low, high = float(ends.lower), float(ends.upper)
    kinks = sorted({low, high, *([mean] if low < mean < high else [])})
    return math.fsum(
        quad(lambda x: laplace(rate, mean, x), a, b, epsabs=1e-15, epsrel=1e-13)[0]
        for a, b in pairwise(kinks)
    )


# Answers against noisy thresholds.


@pairs
@budgets
def test_above_threshold_of_two(u: tuple[Any, ...], eps: Fraction) -> None:
    """Three noises, three dimensions."""
    e, q = float(eps), floats(u)
    found = FACTORIES["above_threshold"](2).distribution(u)
    assert set(found) == {(True,), (False, True), (False, False)}
    for output, chance in found.items():
        agree(chance, eps, over_everything((e / 2, e / 4), q[: len(output)], output))


@triples
@budgets
def test_above_threshold_of_three(u: tuple[Any, ...], eps: Fraction) -> None:
    e, q = float(eps), floats(u)
    found = FACTORIES["above_threshold"](3).distribution(u)
    assert len(found) == 4
    for output, chance in found.items():
        agree(chance, eps, over_the_threshold((e / 2, e / 4), q[: len(output)], output))


@pairs
@budgets
def test_sparse_of_two(u: tuple[Any, ...], eps: Fraction) -> None:
    """Up to c = 2 answers above; a new threshold after each: two and three dimensions."""
    e, q = float(eps), floats(u)
    found = FACTORIES["sparse"](2, 2).distribution(u)
    assert set(found) == set(product((False, True), repeat=2))
    for output, chance in found.items():
        parts = [over_everything((e / 4, e / 8), *part) for part in stretches(q, output)]
        agree(chance, eps, math.prod(parts))


@pytest.mark.parametrize("m", [3, 4])
@triples
@budgets
def test_sparse_of_more(u: tuple[Any, ...], eps: Fraction, m: int) -> None:
    e, q = float(eps), (*floats(u), 0.25)[:m]
    found = FACTORIES["sparse"](m, 2).distribution([Fraction(x) for x in (*u, "1/4")[:m]])
    assert len(found) == {3: 7, 4: 11}[m]
    for output, chance in found.items():
        parts = [over_the_threshold((e / 4, e / 8), *part) for part in stretches(q, output)]
        agree(chance, eps, math.prod(parts))


@pytest.mark.parametrize("artifact", [False, True])
@pairs
@budgets
def test_sparse_variant_of_two(u: tuple[Any, ...], eps: Fraction, artifact: bool) -> None:
    """One threshold for all answers: three dimensions."""
    e, q = float(eps), floats(u)
    found = FACTORIES["sparse_variant"](2, 2, artifact=artifact).distribution(u)
    for output, chance in found.items():
        agree(chance, eps, over_everything((e / 2 if artifact else e / 4, e / 8), q, output))


@triples
@budgets
def test_sparse_variant_of_three(u: tuple[Any, ...], eps: Fraction) -> None:
    e, q = float(eps), floats(u)
    found = FACTORIES["sparse_variant"](3, 2).distribution(u)
    assert len(found) == 7
    for output, chance in found.items():
        agree(chance, eps, over_the_threshold((e / 4, e / 8), q[: len(output)], output))


# Answers above a threshold, with numbers.


@pytest.mark.parametrize("ends", [Interval(0, 2), Interval("-1/3", "1/2"), Interval(1, 5)])
@pairs
@budgets
def test_numeric_sparse(u: tuple[Any, ...], eps: Fraction, ends: Interval) -> None:
    """The number is fresh noise: the comparisons in two or three dimensions, times its mass."""
    e, q = float(eps), floats(u)
    mechanism = FACTORIES["numeric_sparse"]()
    rates = 4 * e / 9, 2 * e / 9
    first = over_everything(rates, q[:1], (True,)) * mass(e / 9, q[0], ends)
    agree(mechanism.probability(u, [ends]), eps, first)
    second = over_everything(rates, q, (False, True)) * mass(e / 9, q[1], ends)
    agree(mechanism.probability(u, [None, ends]), eps, second)
    agree(mechanism.probability(u, [None, None]), eps, over_everything(rates, q, (False, False)))


@triples
@budgets
def test_numeric_sparse_with_two_numbers(u: tuple[Any, ...], eps: Fraction) -> None:
    e, q = float(eps), floats(u)
    mechanism = FACTORIES["numeric_sparse"](3, 2)
    one, two = Interval(-1, 1), Interval(0, 3)
    for output in ([one, two], [one, None, two], [None, one, two], [None, None, one]):
        expected = 1.0
        for part in stretches(q, output):
            expected *= over_the_threshold((2 * e / 9, e / 9), *part)
        for mean, ends in zip(q, output, strict=False):
            expected *= mass(e / 18, mean, ends) if ends is not None else 1
        agree(mechanism.probability(u, output), eps, expected)


@pytest.mark.parametrize("ends", [Interval(0, 2), Interval("-1/3", "1/2")])
@pairs
@budgets
def test_numeric_sparse_artifact(u: tuple[Any, ...], eps: Fraction, ends: Interval) -> None:
    """The number is the one that was compared: all of it in two and three dimensions."""
    e, q = float(eps), floats(u)
    low, high = float(ends.lower), float(ends.upper)
    mechanism = FACTORIES["numeric_sparse_artifact"]()

    def first(t: Any, r: Any) -> Any:
        event = (r >= t) & (low <= r) & (r <= high)
        return laplace(4 * e / 9, 0, t) * laplace(e / 9, q[0], r) * event

    def second(t: Any, r: Any, s: Any) -> Any:
        event = (r < t) & (s >= t) & (low <= s) & (s <= high)
        density = laplace(4 * e / 9, 0, t) * laplace(e / 9, q[0], r) * laplace(e / 9, q[1], s)
        return density * event

    kinks = [lambda: [0, *q, low, high], lambda t: [q[0], t, low, high]]
    agree(mechanism.probability(u, [ends]), eps, integral(first, kinks, e / 9))
    kinks = [
        lambda: [0, *q, low, high],
        lambda t: [q[0], t],
        lambda t, _: [q[1], t, low, high],
    ]
    agree(mechanism.probability(u, [None, ends]), eps, integral(second, kinks, e / 9))


@pytest.mark.parametrize("x", [Fraction(-1, 2), Fraction(2)])
@pairs
@budgets
def test_density_and_cumulative_function(u: tuple[Any, ...], eps: Fraction, x: Fraction) -> None:
    """Of the number that the artifact's NumericSparse releases second."""
    e, q, at = float(eps), floats(u), float(x)
    found = FACTORIES["numeric_sparse_artifact"]().distribution(u)

    def threshold(t: Any) -> Any:
        return laplace(4 * e / 9, 0, t) * laplace_below(e / 9, q[0], t)

    number = laplace(e / 9, q[1], at)
    density = along(lambda t: threshold(t) * number * (t <= at), [0, q[0], at], e / 9)
    agree(found.density([None, Real], x), eps, density)

    def below(t: Any, s: Any) -> Any:
        return threshold(t) * laplace(e / 9, q[1], s) * (t <= s) * (s <= at)

    kinks = [lambda: [0, *q, at], lambda t: [q[1], t, at]]
    agree(found.cumulative([None, Real], x), eps, integral(below, kinks, e / 9))


# The largest of three.


@pytest.mark.parametrize("noise", [laplace, exponential])
@triples
@budgets
def test_noisy_max(u: tuple[Any, ...], eps: Fraction, noise: Any) -> None:
    """The index of the largest of three, in three dimensions."""
    e, q = float(eps), floats(u)
    names = ["noisy_max_exponential"] if noise is exponential else ["noisy_max", "noisy_max_figure"]
    found = [FACTORIES[name](3).distribution(u) for name in names]
    for i in range(3):

        def density(*r: Any, i: int = i) -> Any:
            top = r[i] >= np.maximum(r[(i + 1) % 3], r[(i + 2) % 3])
            return math.prod(noise(e / 2, q[j], r[j]) for j in range(3)) * top

        kinks = [lambda: q, lambda r: [*q, r], lambda r, s: [q[2], r, s]]
        expected = integral(density, kinks, e / 2)
        for one in found:
            agree(one[i], eps, expected)


# Numbers released as they are.


@budgets
def test_laplace(eps: Fraction) -> None:
    e = float(eps)
    boxes = [Interval(-1, 1), Interval("1/2", 2), Interval(-3, "1/3")]
    u = [Fraction(1, 2), Fraction(-1), Fraction(1)]
    q = floats(u)
    for k in (2, 3):
        ends = [floats((box.lower, box.upper)) for box in boxes[:k]]

        def density(*x: Any, ends: list[tuple[float, ...]] = ends) -> Any:
            result = np.ones_like(x[0])
            for mean, (low, high), one in zip(q, ends, x, strict=False):
                result = result * laplace(e, mean, one) * (low <= one) * (one <= high)
            return result

        kinks: Kinks = [
            lambda *_, mean=mean, own=own: [mean, *own] for mean, own in zip(q, ends, strict=False)
        ]
        found = FACTORIES["laplace"](k).probability(u[:k], boxes[:k])
        agree(found, eps, integral(density, kinks, e))


@pytest.mark.parametrize(
    "ends",
    [
        ((-1, 1), (0, 2), (Fraction(-1, 2), 3)),
        ((0, 5), (-4, Fraction(1, 3)), (1, 2)),
    ],
)
@budgets
def test_smart_sum(eps: Fraction, ends: tuple[tuple[Any, Any], ...]) -> None:
    """Three sums share the noise of the first block: three dimensions for it and the others.

    The outputs are lap(q₀), x = lap(q₀ + q₁), x + lap(q₂) and x + lap(q₂ + q₃).
    """
    e = float(eps)
    u = [Fraction(1), Fraction(-1, 2), Fraction(0), Fraction(2)]
    q = floats(u)
    mechanism = FACTORIES["smart_sum"]()
    (a, b), (c, d), (g, h) = [floats(pair) for pair in ends]

    def density(x: Any, y: Any, z: Any) -> Any:
        event = (a <= x) & (x <= b) & (c <= x + y) & (x + y <= d) & (g <= x + z) & (x + z <= h)
        return laplace(e, q[0] + q[1], x) * laplace(e, q[2], y) * laplace(e, q[2] + q[3], z) * event

    kinks = [
        lambda: [a, b, q[0] + q[1], c - q[2], d - q[2], g - q[2] - q[3], h - q[2] - q[3]],
        lambda x: [q[2], c - x, d - x],
        lambda x, _: [q[2] + q[3], g - x, h - x],
    ]
    boxes = [Interval(*pair) for pair in ends]
    expected = integral(density, kinks, e)
    agree(mechanism.probability(u, [Real, *boxes]), eps, expected)
    first = Interval(-1, "3/2")
    agree(mechanism.probability(u, [first, *boxes]), eps, expected * mass(e, q[0], first))


@budgets
def test_smart_sum_within(eps: Fraction) -> None:
    """All four sums within 1 of the truth: |x|, |x + y| and |x + z| are at most 1."""
    e = float(eps)

    def density(x: Any, y: Any, z: Any) -> Any:
        near = (abs(x) <= 1) & (abs(x + y) <= 1) & (abs(x + z) <= 1)
        return laplace(e, 0, x) * laplace(e, 0, y) * laplace(e, 0, z) * near

    kinks = [
        lambda: [-1, 0, 1],
        lambda x: [0, -1 - x, 1 - x],
        lambda x, _: [0, -1 - x, 1 - x],
    ]
    expected = integral(density, kinks, e) * mass(e, 0, Interval(-1, 1))
    agree(FACTORIES["smart_sum"]().within([1, 0, -2, "1/3"], 1), eps, expected)


# Programs that are in no example: sums, chains of noise, scaled noise, absolute values.


def chance(body: str) -> Any:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return Mechanism.from_source(f"def program():\n{lines}\n").probability((), True)


RATES = [(1.0, 1.0, 1.0), (1.0, 0.5, 2.0), (0.5, 0.5, 1.5)]


@pytest.mark.parametrize("c", [-2, Fraction(1, 2)])
@pytest.mark.parametrize("rates", RATES)
@budgets
def test_sums(eps: Fraction, rates: tuple[float, ...], c: Fraction) -> None:
    """Sums of two and of three, of equal rates and different ones."""
    e = float(eps)
    k, m, n = (e * rate for rate in rates)
    bound = float(c)
    draws = "\n".join(
        f"{name} = lap({Fraction(rate)} * eps, {mean})"
        for name, rate, mean in zip("xyz", rates, (0, 1, 0), strict=True)
    )

    def two(x: Any, y: Any) -> Any:
        return laplace(k, 0, x) * laplace(m, 1, y) * (x + y <= bound)

    kinks: Kinks = [lambda: [0, bound - 1], lambda x: [1, bound - x]]
    slowest = e * min(rates)
    agree(chance(f"{draws}\nreturn x + y <= {c}"), eps, integral(two, kinks, slowest))

    def three(x: Any, y: Any, z: Any) -> Any:
        density = laplace(k, 0, x) * laplace(m, 1, y) * laplace(n, 0, z)
        return density * (x + y + z <= bound)

    kinks = [
        lambda: [0, bound - 1],
        lambda x: [1, bound - x],
        lambda x, y: [0, bound - x - y],
    ]
    agree(chance(f"{draws}\nreturn x + y + z <= {c}"), eps, integral(three, kinks, slowest))


@budgets
def test_chain_of_noise(eps: Fraction) -> None:
    """A Laplace sample around a Laplace sample around another; the last against the first."""
    e = float(eps)

    def density(x: Any, y: Any, z: Any) -> Any:
        return laplace(e, 0, x) * laplace(e / 2, x, y) * laplace(2 * e, y, z) * (x + 1 < z)

    found = chance("x = lap(eps, 0)\ny = lap(eps / 2, x)\nz = lap(2 * eps, y)\nreturn x + 1 < z")
    kinks = [lambda: [0], lambda x: [x, x + 1], lambda x, y: [y, x + 1]]
    agree(found, eps, integral(density, kinks, e / 2))


@budgets
def test_scaled_noise(eps: Fraction) -> None:
    """Two and three dimensions with coefficients: 2x − 3y ≤ 1, and 2x − 3y + z/2 ≤ 1."""
    e = float(eps)
    draws = "x = lap(eps, 1)\ny = lap(eps / 2, 0)\nz = expo(eps, 0)\n"

    def two(x: Any, y: Any) -> Any:
        return laplace(e, 1, x) * laplace(e / 2, 0, y) * (2 * x - 3 * y <= 1)

    kinks: Kinks = [lambda: [1, 0.5], lambda x: [0, (2 * x - 1) / 3]]
    agree(chance(f"{draws}return 2 * x - 3 * y <= 1"), eps, integral(two, kinks, e / 2))

    def three(x: Any, y: Any, z: Any) -> Any:
        event = 2 * x - 3 * y + z / 2 <= 1
        return laplace(e, 1, x) * laplace(e / 2, 0, y) * exponential(e, 0, z) * event

    kinks = [
        lambda: [1, 0.5],
        lambda x: [0, (2 * x - 1) / 3],
        lambda x, y: [0, 2 * (1 - 2 * x + 3 * y)],
    ]
    agree(chance(f"{draws}return 2 * x - 3 * y + z / 2 <= 1"), eps, integral(three, kinks, e / 2))


@budgets
def test_absolute_values_and_extremes(eps: Fraction) -> None:
    """The distance of two noises is at most a third; the largest is far from the smallest."""
    e = float(eps)
    near = chance("x = lap(eps, 0)\ny = lap(eps / 2, 1)\nz = expo(eps, 0)\nreturn abs(x - y) <= z")

    def density(x: Any, y: Any, z: Any) -> Any:
        return laplace(e, 0, x) * laplace(e / 2, 1, y) * exponential(e, 0, z) * (abs(x - y) <= z)

    kinks: Kinks = [lambda: [0, 1], lambda x: [1, x], lambda x, y: [0, abs(x - y)]]
    agree(near, eps, integral(density, kinks, e / 2))
    spread = chance("r = [lap(eps, 0), lap(eps, 1), lap(2 * eps, 0)]\nreturn max(r) - min(r) <= 2")

    def together(x: Any, y: Any, z: Any) -> Any:
        low, high = np.minimum(np.minimum(x, y), z), np.maximum(np.maximum(x, y), z)
        return laplace(e, 0, x) * laplace(e, 1, y) * laplace(2 * e, 0, z) * (high - low <= 2)

    kinks = [
        lambda: [k - 2 for k in range(6)],
        lambda x: [*range(-2, 4), x - 2, x, x + 2],
        lambda x, y: [0, x - 2, x + 2, y - 2, y + 2, x, y],
    ]
    agree(spread, eps, integral(together, kinks, e))


@budgets
def test_three_live_noises_compared_with_each_other(eps: Fraction) -> None:
    """Two conditions, each of two sums: x + y ≤ z + 1 and x − y ≥ z − 2."""
    e = float(eps)
    found = chance(
        "x = lap(eps, 0)\ny = lap(eps, 0)\nz = lap(eps / 2, 0)\n"
        "return x + y <= z + 1 and x - y >= z - 2"
    )

    def density(x: Any, y: Any, z: Any) -> Any:
        event = (x + y <= z + 1) & (x - y >= z - 2)
        return laplace(e, 0, x) * laplace(e, 0, y) * laplace(e / 2, 0, z) * event

    # z lies between x + y − 1 and x − y + 2, which meet at y = 3/2 and change sign at
    # y = 1 − x and y = x + 2; these lines cross each other and y = 0, 3/2 at the listed x.
    kinks = [
        lambda: [-2, -0.5, 0, 1],
        lambda x: [0, 1.5, 1 - x, x + 2],
        lambda x, y: [0, x + y - 1, x - y + 2],
    ]
    agree(found, eps, integral(density, kinks, e / 2))


# Integer noise: sums over integers instead of integrals.


def weight(rate: float, mean: int, z: Any) -> Any:
    p = math.exp(-rate)
    return (1 - p) / (1 + p) * p ** np.abs(z - mean)


@budgets
def test_integer_noise(eps: Fraction) -> None:
    """Discrete Laplace noise by adding its masses up, in two dimensions."""
    e = float(eps)
    line = np.arange(-250, 251)  # e^(−250/6) is below 10^−18
    x, y = line[:, None], line[None, :]
    both = weight(e, 0, x) * weight(e, 1, y)
    draws = "x = dlap(eps, 0)\ny = dlap(eps, 1)\n"
    for text, event in {
        "2 * x - 3 * y <= 1": 2 * x - 3 * y <= 1,
        "2 * x - 3 * y == 1": 2 * x - 3 * y == 1,
        "3 * x + 2 < 5 * y": 3 * x + 2 < 5 * y,
        "x == 2 * y": x == 2 * y,
        "abs(x - y) <= 2": abs(x - y) <= 2,
        "max(x, 2 * y) == 4": np.maximum(x, 2 * y) == 4,
    }.items():
        agree(chance(f"{draws}return {text}"), eps, float(np.sum(both * event)))
    for bits in product((0, 1), repeat=3):
        ones, zeros = weight(e / 2, sum(bits), x), weight(e / 2, 3 - sum(bits), y)
        found = FACTORIES["majority"]().probability(bits, True)
        agree(found, eps, float(np.sum(ones * zeros * (x > y))))
    for count in range(6):
        kept = np.clip(line, 0, 5)
        listed = FACTORIES["counting"]().distribution(count)
        for value in range(6):
            agree(listed[value], eps, float(np.sum(weight(e, count, line) * (kept == value))))


@budgets
def test_three_integer_noises(eps: Fraction) -> None:
    """Three dimensions: the middle of three, and a sum of three in a residue class."""
    e = float(eps)
    line = np.arange(-100, 101)  # e^(−100/3) is below 10^−14
    x, y, z = np.ix_(line, line, line)
    all_three = weight(e, 0, x) * weight(e, 1, y) * weight(2 * e, 0, z)
    draws = "x = dlap(eps, 0)\ny = dlap(eps, 1)\nz = dlap(2 * eps, 0)\n"
    for text, event in {
        "x <= y <= z": (x <= y) & (y <= z),
        "x + y == 2 * z": x + y == 2 * z,
        "x + y + z > 1": x + y + z > 1,
    }.items():
        agree(chance(f"{draws}return {text}"), eps, float(np.sum(all_three * event)))

"""Ideals that multiply reals: distances to disagreement by hand and by a fine grid."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Grid,
    Mechanism,
    ValueRefusedError,
    alpha,
    discrete,
    eps,
    exp,
    l2,
    linf,
    numeric,
)
from exactdp.claims.stated.interval_numbers import AmbiguousComparisonError, Germ, IntervalNumber
from exactdp.reals.radicals import Radical

FIRST = Mechanism.from_source("def first(q: Real[2]):\n    return lap(eps, q[0]) >= 1")
PAIR = Mechanism.from_source("def pair(x: Real, y: Real):\n    return lap(eps, x) >= 1")
THIRD = Mechanism.from_source("def third(q: Real[3]):\n    return lap(eps, q[0]) >= 1")
BOUND = exp(-alpha * eps)


def outside(q):  # type: ignore[no-untyped-def]
    return q[0] ** 2 + q[1] * q[1] >= 3.9 + 0.1


def product(q):  # type: ignore[no-untyped-def]
    return q[0] * q[1] >= 1


def of_two(x, y):  # type: ignore[no-untyped-def]
    return x * y >= 1


def cube(q):  # type: ignore[no-untyped-def]
    return q[0] ** 3 >= 8


def never(q):  # type: ignore[no-untyped-def]
    return q[0] * q[0] + 1 <= 0


def inside(q):  # type: ignore[no-untyped-def]
    return sum(x * x for x in q) <= 1


def rooted(q):  # type: ignore[no-untyped-def]
    return q[0] * math.sqrt(q[1]) > 1


def on_the_right(q):  # type: ignore[no-untyped-def]
    assert q[0] > 0, "on the right"
    return q[0] * q[1] >= 1


def distance(mechanism: Mechanism, ideal: Any, u: Any, metric: Any = linf) -> Any:
    claim = Accuracy(mechanism, BOUND, ideal=ideal, inputs=[u], input_distance=metric)
    return claim.disagreement(u).distance


@pytest.mark.parametrize(
    ("mechanism", "ideal", "u", "metric", "expected"),
    [
        (FIRST, outside, [3, 2], linf, (5 - math.sqrt(7)) / 2),  # (3 − r)² + (2 − r)² = 4
        (FIRST, outside, [0, 0], linf, math.sqrt(2)),
        (FIRST, outside, [3, 4], l2, 3),
        (FIRST, product, [3, 2], linf, (5 - math.sqrt(5)) / 2),  # (3 − r)(2 − r) = 1
        (PAIR, of_two, (3, 2), linf, (5 - math.sqrt(5)) / 2),
        (FIRST, product, [3, 2], discrete, 1),
        (FIRST, product, [2, Fraction(1, 2)], linf, 0),
        (FIRST, cube, [3, 2], linf, 1),
        (FIRST, never, [3, 2], linf, math.inf),
        (THIRD, inside, [1, 1, 1], linf, 1 - 1 / math.sqrt(3)),
        (FIRST, on_the_right, [3, 2], linf, (5 - math.sqrt(5)) / 2),
        (FIRST, on_the_right, [1, -2], linf, (math.sqrt(13) + 1) / 2),  # (1 + r)(r − 2) = 1
    ],
)
def test_distances_by_hand(
    mechanism: Mechanism, ideal: Any, u: Any, metric: Any, expected: float
) -> None:
    found = distance(mechanism, ideal, u, metric)
    assert isinstance(found, Fraction | Radical) or found == math.inf
    assert float(found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 7, 8, 10, 11])
def test_distances_on_a_fine_grid(seed: int) -> None:
    """No point of a fine grid is nearer than dd, and some point is nearly as near."""
    random = Random(seed)
    a, b, c, d, e, k = (random.randint(-3, 3) for _ in range(6))
    u = [Fraction(random.randint(-4, 4), 2) for _ in range(2)]

    def value(x: Any, y: Any) -> Any:
        return a * x * x + b * x * y + c * y * y + d * x + e * y

    def ideal(q):  # type: ignore[no-untyped-def]
        return value(q[0], q[1]) >= k

    steps = np.linspace(-3, 3, 601)
    dx, dy = np.meshgrid(steps, steps)
    differs = (value(float(u[0]) + dx, float(u[1]) + dy) >= k) != (value(*u) >= k)
    nearest = np.maximum(abs(dx), abs(dy))[differs].min(initial=math.inf)
    if nearest > 2.8:  # there may be no other output anywhere, which boxes need not show
        return
    found = distance(FIRST, ideal, u)
    assert -1e-9 <= nearest - float(found) <= 0.1


def test_claims_at_listed_inputs() -> None:
    """At (3, 2) the error is e^(−2ε)/2 and dd ≈ 1.177; at (0, 0), e^(−ε)/2 and √2."""
    assert Accuracy(FIRST, exp(-1.6 * alpha * eps), ideal=outside, inputs=[[3, 2]]).check().holds
    wrong = Accuracy(FIRST, exp(-1.8 * alpha * eps), ideal=outside, inputs=[[3, 2]]).check()
    found = wrong.counterexample
    assert wrong.holds is False
    assert found.alpha < (5 - math.sqrt(7)) / 2
    assert found.error.lower > found.allowed.upper
    assert Accuracy(FIRST, BOUND, ideal=outside, inputs=[[0, 0]]).check().holds is False
    grid = Accuracy(FIRST, BOUND, alpha=1, ideal=outside, inputs=Grid(-1, 1)).check()
    assert grid.silent == 8  # dd > 1 at the origin alone
    checked = Accuracy(FIRST, "1/2", ideal=product, inputs=[[1, 1]], boundary="check")
    assert checked.check().holds


def area(q):  # type: ignore[no-untyped-def]
    return q[0] * q[1]


def test_an_ideal_that_is_a_number() -> None:
    """At (3, 2) it is 6: 3 + noise is off by more than 4 if the noise is above 7 or below −1."""
    release = Mechanism.from_source("def release(q: Real[2]):\n    return lap(eps, q[0])")
    claim = Accuracy(release, "1/2", alpha=0, gamma=4, ideal=area, inputs=[[3, 2]])
    error = claim.error_probability([3, 2]).exact
    assert error == (exp(-eps) + exp(-7 * eps)) / 2
    assert claim.disagreement([3, 2]).distance == 1  # of the distance discrete
    assert claim.check().holds is False  # 1 as ε → 0
    assert Accuracy(
        release, "1/2", alpha=0, gamma=4, ideal=area, inputs=[[3, 2]], input_distance=linf
    ).check().outcome == "vacuous"  # fmt: skip


def test_refusals() -> None:
    for inputs in (AllReals(), lambda u: u[0] >= 1):
        with pytest.raises(ValueRefusedError, match="Th₊,ₓ"):
            Accuracy(FIRST, BOUND, ideal=outside, inputs=inputs)
    with pytest.raises(ValueRefusedError, match="linf, l1, l2, discrete"):
        distance(FIRST, outside, [3, 2], numeric)
    with pytest.raises(ValueRefusedError, match="failed"):
        distance(FIRST, rooted, [3, 2])


def test_spans_and_germs() -> None:
    x, y = IntervalNumber(Fraction(-1), Fraction(2)), IntervalNumber(Fraction(3), Fraction(4))
    assert ((x * y).lower, (x * y).upper) == (-4, 8)
    assert ((x * x).lower, (x**2).upper, (x**3).lower) == (0, 4, -1)
    assert (1 / y).upper == Fraction(1, 3)
    assert x < y
    assert y >= 3
    assert IntervalNumber(-math.inf, math.inf) ** 2 >= 0
    for undecided in (lambda: x > 0, lambda: 1 / x, lambda: y > 3, lambda: x == 1):
        with pytest.raises(AmbiguousComparisonError):
            undecided()
    t = Germ((Fraction(1), Fraction(-1)))
    assert t * t < 1
    assert abs(t - 1) > 0

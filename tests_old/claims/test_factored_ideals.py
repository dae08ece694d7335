"""Ideals that compare products of linear forms are decided for all reals, with linear tests."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import Accuracy, AllReals, Box, Mechanism, ValueRefusedError, alpha, certify, eps, exp
from exactdp.claims.stated.ideals import IdealProgram, NonlinearIdeal
from exactdp.language.values import List

FAR = Mechanism.from_source("def far(q: Real): return abs(lap(eps, q)) >= 2")
SIGNS = Mechanism.from_source(
    "def signs(q: Real[2]): return (lap(eps, q[0]) > 0) == (lap(eps, q[1]) > 0)"
)
PLANE = Mechanism.from_source("def plane(q: Real[2]): return lap(eps, q[0]) >= 1")


def same_sign(q):  # type: ignore[no-untyped-def]
    return q[0] * q[1] > 0


def band(q):  # type: ignore[no-untyped-def]
    return (q[0] - 1) * (3 - q[0]) >= 0 and (q[1] ** 2 + 1) * (q[0] + q[1]) > 0


def larger_square(q):  # type: ignore[no-untyped-def]
    return 0 if q[0] ** 2 > q[1] ** 2 else 1 if q[0] ** 2 == q[1] ** 2 else 2


def cubes(q):  # type: ignore[no-untyped-def]
    return min(q[0], q[1]) ** 3 * (q[0] - q[1]) ** 2 < 0


def negative_divisor(q):  # type: ignore[no-untyped-def]
    return (q[0] * q[0] - 4) / -3 > 0


def levels(q):  # type: ignore[no-untyped-def]
    product = q[0] * (q[1] - 1)
    return [product > 0, "none" if product == 0 else None, Fraction(1, 3)]


@pytest.mark.parametrize("ideal", [same_sign, band, larger_square, cubes, negative_divisor, levels])
def test_the_same_function(ideal: Any) -> None:
    """The function with linear tests returns what the given one returns, at ties, too."""
    written = Accuracy(PLANE, "1/2", ideal=ideal, inputs=[[0, 0]]).ideal_function
    assert isinstance(written, IdealProgram)
    random = Random(1)
    for _ in range(200):
        q = [Fraction(random.randint(-8, 8), 2) for _ in range(2)]
        expected = ideal(q)
        found: Any = written((List(q),))
        assert found == (tuple(expected) if isinstance(expected, list) else expected)


@pytest.mark.parametrize(("factor", "holds"), [(1, True), (Fraction(9, 10), False)])
def test_a_square_is_two_linear_tests(factor: Any, holds: bool) -> None:
    """q² ≥ 4 is |q| ≥ 2. At |q| < 2, the error is (e^(−(2 − q)ε) + e^(−(2 + q)ε))/2: at 0, e^(−2ε).

    There dd = 2, so e^(−αε) is an equality, and at larger |q| it is not exceeded.
    """
    for ideal in (lambda q: q * q >= 4, lambda q: abs(q) >= 2):
        claim = Accuracy(FAR, factor * exp(-alpha * eps), ideal=ideal, inputs=AllReals())
        verdict = claim.check()
        assert verdict.holds is holds
        report = certify.check(json.loads(json.dumps(verdict.certificate)))
        assert report.accepted, report.reason
        assert report.taken == ()
    assert (
        Accuracy(FAR, "1/2", ideal=lambda q: q * q >= 4, inputs=Box(-1, 1)).check().holds is False
    )


def test_distances_of_products() -> None:
    """q[0]·q[1] > 0: the nearer axis; for all reals it is the minimum of |q[0]| and |q[1]|."""
    claim = Accuracy(SIGNS, exp(-alpha * eps), ideal=same_sign, inputs=AllReals())
    whole = claim.disagreement(AllReals())
    for q in ([3, -2], [1, 5], [-4, -1], [0, 3]):
        assert whole.at(*q) == min(map(abs, q))
    assert claim.check().holds


def partial(q):  # type: ignore[no-untyped-def]
    assert q[0] > 0
    return q[0] * q[1] > 0


def test_partial_ideals_stay_partial() -> None:
    """Beyond q[0] ≤ 0 nothing disagrees, so the distance from (1, 2) is that to q[1] ≤ 0."""
    claim = Accuracy(SIGNS, exp(-alpha * eps / 3), ideal=partial, inputs=[[1, 2], [-1, 2]])
    assert claim.ideal_function.is_partial
    assert claim.check().silent == 1
    assert claim.disagreement([1, 2]).distance == 2


@pytest.mark.parametrize(
    "ideal",
    [lambda q: q[0] * q[1] >= 1, lambda q: q[0] ** 2 >= 2, lambda q: q[0] / (q[1] ** 2 + 1) > 1],
)
def test_what_does_not_factor_is_refused(ideal: Any) -> None:
    assert isinstance(
        Accuracy(PLANE, "1/2", ideal=ideal, inputs=[[0, 0]]).ideal_function, NonlinearIdeal
    )
    with pytest.raises(ValueRefusedError, match="Th₊,ₓ"):
        Accuracy(PLANE, "1/2", ideal=ideal, inputs=AllReals())

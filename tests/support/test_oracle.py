"""The oracle against numbers worked out by hand: it must not need exactdp to be right."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from support.oracle import Judge, Masses, Program

EPS = np.array([0.01, 0.7, 3.0, 60.0])


def test_it_imports_nothing_of_ours() -> None:
    """A fresh interpreter that loads it has no module of exactdp."""
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    code = "import sys, support.oracle; print([m for m in sys.modules if 'exactdp' in m])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"


def test_two_queries() -> None:
    """With rates ε/2 and a gap of 2 the wrong one wins with probability e^(−ε)(1/2 + ε/4)."""
    judge = Judge(Program("def f(q: Real[2]): return lap(eps / 2, q[0]) < lap(eps / 2, q[1])"))
    u = Fraction(0), Fraction(2)
    expected = np.exp(-EPS) * (1 / 2 + EPS / 4)
    assert judge.error(u, 0, Masses(EPS)) == pytest.approx(expected, rel=1e-12)
    assert judge.distance(u) == 1
    assert judge.distance((Fraction(1), Fraction(1))) == 0


def test_sums_of_three() -> None:
    """The sum of three exponential noises exceeds x with chance e^(−εx)(1 + εx + (εx)²/2)."""
    program = Program(
        "def f(q: Real):\n    return expo(eps, q) + expo(eps, 0) + expo(eps, 0) > 2\n"
    )
    found = Judge(program).distribution([Fraction(1)], Masses(EPS))
    assert found[True] == pytest.approx(np.exp(-EPS) * (1 + EPS + EPS**2 / 2), rel=1e-12)


def test_integer_noise() -> None:
    """|z| > 3 with probability 2e^(−4ε)/(1 + e^(−ε)); of two equal ones the sum is even."""
    masses = Masses(EPS[1:])
    judge = Judge(Program("def f(x: Dom(0, 9)): return dlap(eps, x)"), output_distance="sup")
    q = np.exp(-EPS[1:])
    assert judge.error([5], 3, masses) == pytest.approx(2 * q**4 / (1 + q), rel=1e-12)
    equal = Program("def f(x: Dom(0, 1)): return dlap(eps, x) == dlap(eps, x)")
    expected = ((1 - q) / (1 + q)) ** 2 * (1 + q**2) / (1 - q**2)
    assert Judge(equal).distribution([0], masses)[True] == pytest.approx(expected, rel=1e-12)


def test_a_loop_that_may_run_for_ever() -> None:
    """Up with e^(−ε) from 0, from 1 to either end with 1/2: Pr(3) = p/2/(1 − p/2), p = e^(−ε)."""
    program = Program("""
def f(q: Real):
    k = 0
    while k < 2:
        if k == 0:
            k = choose({1: exp(-eps), 2: 1 - exp(-eps)})
        else:
            k = choose({0: 1 / 2, 3: 1 / 2})
    return k
""")
    assert program.merges
    found = Judge(program).distribution([Fraction(0)], Masses(EPS))
    p = np.exp(-EPS)
    assert found[3] == pytest.approx(p / 2 / (1 - p / 2), rel=1e-12)
    assert found[2] == pytest.approx((1 - p) / (1 - p / 2), rel=1e-12)


@pytest.mark.parametrize(
    ("distance", "expected"), [("linf", Fraction(1, 2)), ("l1", 1), ("discrete", 1)]
)
def test_distances(distance: str, expected: Fraction) -> None:
    """The sum of two numbers is 1 from the threshold: half a step by each, or one by one."""
    program = Program("def f(q: Real[2]): return lap(eps, q[0]) + q[1] > 1")
    judge = Judge(program, input_distance=distance)
    assert judge.distance((Fraction(2), Fraction(0))) == expected


def test_the_distance_of_numeric_sparse() -> None:
    """Entries at or above 0 must agree or fall below 0: [1, −2] is 1 from losing its first."""
    text = "def f(q: Real[2]): return [x if lap(eps, x) >= 0 else None for x in q]"
    judge = Judge(Program(text), input_distance="numeric")
    assert judge.distance((Fraction(1), Fraction(-2))) == 1
    assert judge.distance((Fraction(3), Fraction(-2))) == 2
    assert Judge(Program(text)).distance((Fraction(1), Fraction(-2))) == 0


def test_an_ideal_without_alternatives() -> None:
    program = Program("def f(q: Real): return lap(eps, q) < lap(eps, q) + 1")
    assert Judge(program).distance([Fraction(0)]) == math.inf

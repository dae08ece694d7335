"""Sums whose exponents have nothing in common: every question is answered quickly, or stops.

Written as polynomials they have degrees in the millions, in which dense algorithms drown.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from fractions import Fraction

import mpmath
import pytest
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from exactdp.reals import ClosedForm, ExpPoly, Root, eps, exp, infimum, supremum
from exactdp.reals.native import gcd, product, squarefree


def total(*terms: tuple[int, Fraction | int]) -> ExpPoly:
    return sum((c * exp(Fraction(q) * eps) for c, q in terms), ExpPoly())


def value(f: ClosedForm, x: float) -> mpmath.mpf:
    """Return f(x) by mpmath."""
    with mpmath.workdps(120):
        parts = [
            mpmath.fsum(
                mpmath.mpf(t.coefficient.numerator)
                / t.coefficient.denominator
                * mpmath.mpf(x) ** t.power
                * mpmath.exp(mpmath.mpf(t.rate.numerator) / t.rate.denominator * x)
                for t in part.terms
            )
            for part in (f.numerator, f.denominator)
        ]
        return parts[0] / parts[1]


def test_a_supremum_that_hung_in_a_gcd() -> None:
    """The quotient grows like e^((715/7 − 15)ε), and its least value on [2, ∞) is at 2."""
    rates = (Fraction(715, 7), Fraction(-28, 125), Fraction(-66, 125))
    above = total((1, rates[0]), (-2, -709), (3, rates[1]), (5, rates[2]), (-1, -141))
    below = total(
        *((1 + n % 4, Fraction(n, 2)) for n in range(-30, 31, 7)),
        *((2 + n % 3, Fraction(n, 3)) for n in range(-41, 41, 9)),
    )
    assert len(below.terms) >= 18
    f = above / below
    begin = time.process_time()
    assert supremum(f, "[2, inf)").lower == mpmath.inf
    least = infimum(f, "[2, inf)")
    assert least.at == 2
    assert mpmath.almosteq(float(least), value(f, 2), 1e-9)
    assert time.process_time() - begin < 2


def quotient(seed: int) -> ClosedForm:
    """Return a quotient whose denominator is positive, or has two double zeros."""
    random_ = random.Random(seed)

    def some(count: int, least: int) -> ExpPoly:
        rates = [
            Fraction(random_.randint(-40, 40), random_.choice((1, 2, 7, 97))) for _ in range(count)
        ]
        return total(*((random_.randint(least, 9) or 1, q) for q in rates))

    under = some(random_.choice((2, 6) if seed % 3 == 0 else (2, 6, 18)), 1)
    if seed % 3 == 0:
        under = under * (exp(eps / 97) - Fraction(101, 100)) ** 2
    return some(5, -9) / under


@pytest.mark.parametrize("seed", range(12))
def test_no_value_is_above_the_supremum(seed: int) -> None:
    f = quotient(seed)
    begin = time.process_time()
    found = supremum(f, "[1/2, 3]")
    assert time.process_time() - begin < 2
    points = [0.5 + 2.5 * k / 50 for k in range(51)]
    highest = max(value(f, x) for x in points)
    if not found.is_finite:
        assert seed % 3 == 0  # at ε = 97·log(1.01) ≈ 0.965 the denominator is 0
        assert abs(float(found.at) - 0.96518) < 1e-4
        return
    slack = 1e-9 * abs(highest) + 1e-9
    assert highest <= float(found) + slack
    assert abs(value(f, float(found.at)) - float(found)) <= slack


def test_a_double_pole_is_no_critical_point() -> None:
    """−1/(e^ε − 2)² + e^{−ε} is −∞ at log 2, negative between, and 1 at most: at 0 it is 0."""
    f = exp(-eps) - 1 / (exp(eps) - 2) ** 2
    found = supremum(f, "(0, inf)")
    with mpmath.workdps(30):
        highest = max(value(f, 1.5 + k / 500) for k in range(500))
    assert abs(float(found) - highest) < 1e-5
    assert infimum(f, "(0, inf)").lower == -mpmath.inf


def test_values_that_differ_by_less_than_can_be_written() -> None:
    """(ε − c)·e^{−ε} has its largest value e^{−c−1} > 0 at c + 1; its limit at ∞ is 0."""
    c = 10**30
    found = supremum((eps - c) * exp(-eps))
    assert found.attained
    assert isinstance(found.at, Root)
    assert found.at.lower == found.at.upper == c + 1
    assert 0 <= found.lower <= found.upper <= Fraction(1, 10**12)
    assert supremum(-exp(-c * eps), "[1, 2]").at == 2
    with pytest.raises(ValueError, match="too many digits to be enclosed"):
        supremum(exp(eps), "[1, 10000000]")


RING = fmpq_mpoly_ctx.get(("eps", "y"), Ordering.lex)


def test_long_computations_in_their_own_process() -> None:
    """(y^n + 2)·(y − 1)² and (y^m + 3)·(y − 1)² have (y − 1)² in common: y^n + 2 has no zero 1."""
    y = RING.gens()[1]
    common = (y - 1) ** 2
    one, two = (y**150_001 + 2) * common, (y**150_000 + 3) * common
    assert gcd(one, two) == common
    constant, factors = squarefree(one * fmpq(2, 3))
    assert constant == fmpq(2, 3)
    assert sorted((len(factor), power) for factor, power in factors) == [(2, 1), (2, 2)]


def test_long_products_are_cut() -> None:
    y = RING.gens()[1]
    sparse = sum((y ** (k * k) * (k + 1) for k in range(1200)), RING.constant(0))
    assert product(sparse, sparse + 1) == sparse * (sparse + 1)


def test_ctrl_c_stops_a_long_gcd() -> None:
    program = """
from flint import Ordering, fmpq_mpoly_ctx
from exactdp.reals.native import gcd
y = fmpq_mpoly_ctx.get(("eps", "y"), Ordering.lex).gens()[1]
print("begin", flush=True)
gcd((y**24000001 + y**7 + 2) * (y**31 - 1), (y**23999999 + y**2 + 3) * (y**31 - 1))
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begin\n"
        time.sleep(0.5)  # the computation takes two seconds on a fast machine
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=10)
    assert "KeyboardInterrupt" in errors


def test_powers_that_are_too_long_are_refused() -> None:
    for base, power in ((1 + exp(eps), 10**5), (eps, 10**6), (1 + eps + exp(eps), 5000)):
        with pytest.raises(ValueError, match="too many terms"):
            _ = base**power
    assert len(((1 + exp(eps)) ** 1000).terms) == 1001
    assert (exp(eps) ** (10**9)).terms[0].rate == 10**9

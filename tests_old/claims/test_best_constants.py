"""Best constants where it is close: several inputs, `minimum` in β, all reals, intervals of ε.

The error of `1 if lap(aε, q₀) < lap(bε, q₁) else 0` at q₁ − q₀ = g > 0 is the chance that the
difference of the noises is above g. By hand, with x = εg,

    (a²·e^(−bx) − b²·e^(−ax)) / (2(a² − b²)) for a ≠ b,   e^(−ax)·(1/2 + ax/4) for a = b,

and the distance to disagreement is g/2. mpmath minimises β/error over ε, which is κ.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import FunctionType
from typing import Any

import mpmath
import pytest

from claims.formulas import exp
from exactdp import (
    Accuracy,
    AllReals,
    Box,
    Grid,
    Interval,
    Mechanism,
    Root,
    alpha,
    eps,
    inf,
    minimum,
)
from exactdp.claims.constants.kappa import Kappa
from exactdp.errors import ValueRefusedError
from support.examples import TIMES

WIDTHS = ("10", "5", "2", "1/10", "1e-3", "1e-6", "1e-9")

# From outside -------------------------------------------------------------------------


def error(a: Fraction, b: Fraction, gap: Fraction, budget: Any) -> Any:
    """Return the chance that the smaller of two numbers is taken for the larger one."""
    x = budget * mpmath.mpf(gap.numerator) / gap.denominator
    a, b = (mpmath.mpf(q.numerator) / q.denominator for q in (a, b))
    if a == b:
        return mpmath.exp(-a * x) * (mpmath.mpf(1) / 2 + a * x / 4)
    return (a**2 * mpmath.exp(-b * x) - b**2 * mpmath.exp(-a * x)) / (2 * (a**2 - b**2))


def least(f: Callable[[Any], Any], low: float, high: float) -> Any:
    """Return the least value of f on an interval to 20 digits: a grid, then golden sections."""
    with mpmath.workdps(40):
        step = (mpmath.mpf(high) / low) ** (mpmath.mpf(1) / 400)
        points = [low * step**k for k in range(401)]
        values = [f(x) for x in points]
        k = min(range(401), key=values.__getitem__)
        left, right = points[max(k - 1, 0)], points[min(k + 1, 400)]
        golden = (mpmath.sqrt(5) - 1) / 2
        for _ in range(100):
            one, two = right - golden * (right - left), left + golden * (right - left)
            if f(one) < f(two):
                right = two
            else:
                left = one
        return min(f((left + right) / 2), *values)


def contains(found: Kappa, expected: Any) -> bool:
    """Whether a number of mpmath is in an enclosure."""
    value, room = Fraction(mpmath.nstr(expected, 25)), Fraction(1, 10**18)
    return found.lower - room <= value <= found.upper + room


@cache
def larger(a: Fraction, b: Fraction) -> Mechanism:
    return Mechanism.from_source(
        "def larger(q: Real[2]):\n"
        f"    return 1 if lap({a} * eps, q[0]) < lap({b} * eps, q[1]) else 0\n"
    )


HALF = Fraction(1, 2)

# What issue 14 names ------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_the_best_constant_of_two_inputs(width: str) -> None:
    """It is that of the second input, 0.98390…; once an enclosure around 2.17 was returned."""
    beta = exp(-alpha * eps / 2) * 2 / (1 + eps) + exp(-3 * eps) / 3 + Fraction(1, 5)

    def ratio(gap: Fraction) -> Callable[[Any], Any]:
        def at(x: Any) -> Any:
            level = mpmath.mpf(gap.numerator) / gap.denominator / 2
            claimed = mpmath.exp(-level * x / 2) * 2 / (1 + x) + mpmath.exp(-3 * x) / 3
            return (claimed + mpmath.mpf(1) / 5) / error(HALF, HALF, gap, x)

        return at

    expected = min(least(ratio(gap), 0.01, 60) for gap in (Fraction(1), Fraction(1, 7)))
    assert float(expected) == pytest.approx(0.98390238902, rel=1e-10)
    claim = Accuracy(larger(HALF, HALF), beta, inputs=[[0, 1], [0, Fraction(1, 7)]])
    best = holds_up_to(claim, width)
    assert contains(best.kappa, expected)
    assert (best.integer, best.input) == (0, [0, Fraction(1, 7)])


@pytest.mark.parametrize("width", WIDTHS)
def test_the_best_constant_of_a_minimum(width: str) -> None:
    """It is 5.452948 by the first alternative; once an enclosure around 5.77 was returned."""
    beta = minimum(3 * exp(-alpha * eps * 3 / 5) + Fraction(1, 10), 3 * exp(-alpha * eps / 2))
    third = Fraction(1, 3)

    def ratio(x: Any) -> Any:
        claimed = min(3 * mpmath.exp(-x * 3 / 10) + mpmath.mpf(1) / 10, 3 * mpmath.exp(-x / 4))
        return claimed / error(third, HALF, Fraction(1), x)

    expected = least(ratio, 0.01, 60)
    assert float(expected) == pytest.approx(5.452948, abs=5e-7)
    claim = Accuracy(larger(third, HALF), beta, inputs=[[0, 1]])
    best = holds_up_to(claim, width)
    assert contains(best.kappa, expected)
    assert best.integer == 5
    (row,) = claim.tightest(width=width, at_each=True)
    assert contains(row.kappa, expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_two_alternatives_with_the_same_best_constant(width: str) -> None:
    """β/error is 3 + (ε² − 2)² or 3 + (ε − 2)²: κ = 3 exactly, attained at √2 and at 2."""
    one = exp(-eps / 2) * (Fraction(1, 2) + eps / 8)
    beta = minimum(one * (3 + (eps**2 - 2) ** 2), one * (3 + (eps - 2) ** 2))
    best = Accuracy(larger(HALF, HALF), beta, alpha=0, inputs=[[0, 1]]).tightest(width=width)
    assert (best.kappa.lower, best.kappa.upper, best.integer, best.attained) == (3, 3, 3, True)


def test_a_negative_bound_has_no_best_constant_for_all_reals() -> None:
    """e^(−αε/2) − 9/10 at α = ε = 1 is −0.29…; once κ was between 0 and −43/11."""
    claim = Accuracy(
        larger(HALF, HALF),
        exp(-alpha * eps / 2) - Fraction(9, 10),
        inputs=Box(-1, 1),
        epsilon=Interval(1, 2),
    )
    with pytest.raises(ValueRefusedError, match="is negative at the input"):
        claim.tightest()


# The property -------------------------------------------------------------------------


def holds_up_to(claim: Accuracy, width: str) -> Any:
    """Return the best constant, after a check that it is: by verdicts on β/κ."""
    best = claim.tightest(width=width)
    lower, upper = best.kappa.lower, best.kappa.upper
    if lower == inf:
        assert best.input is None
        assert divided(claim, Fraction(10**9)).check().holds
        return best
    everywhere = isinstance(claim.inputs, AllReals | Box)
    assert lower <= upper
    assert everywhere or upper - lower <= Fraction(width)
    if lower > 0:
        assert divided(claim, lower).check().holds
    else:
        assert everywhere or upper == 0  # at inputs a κ above 0 is seen to be
    named = replace(claim, inputs=[best.input])
    if lower == upper:
        above = upper * Fraction(1001, 1000) or Fraction(1, 1000)
        assert divided(claim, above).check().holds is False
    else:
        # For all reals a verdict may stay open this close to κ; at the input it is a decision.
        assert divided(claim, upper).check().holds in ((False, None) if everywhere else (False,))
        assert divided(named, upper).check().holds is False
    whole(claim, best, everywhere)
    if not everywhere or lower < upper:
        place(named, best)
    return best


def divided(claim: Accuracy, kappa: Fraction) -> Accuracy:
    beta: Any = claim.beta
    if isinstance(beta, FunctionType):
        return replace(claim, beta=lambda q: beta(q) / kappa)
    return replace(claim, beta=beta / kappa)


def whole(claim: Accuracy, best: Any, everywhere: bool) -> None:
    """Check the largest whole κ."""
    if everywhere and best.integer is None:
        return
    assert math.floor(best.kappa.lower) <= best.integer <= best.kappa.upper
    if best.integer:
        assert divided(claim, Fraction(best.integer)).check().holds
    assert not divided(claim, Fraction(best.integer + 1)).check().holds


def place(named: Accuracy, best: Any) -> None:
    """Check that β/error at the named input and ε is κ, or close to it if ε is only enclosed."""
    at = best.eps
    if at in (0, inf):
        assert best.attained is not True
        return
    point = at.lower if isinstance(at, Root) else at
    curve = named.error_probability(best.input)
    below = curve.at(point, 60)
    claimed = [form.at(point, 60) for form in curve.claimed]
    tiny = Fraction(1, 10**15)
    assert all(one.upper >= best.kappa.lower * below.lower * (1 - tiny) for one in claimed)
    assert any(one.lower <= best.kappa.upper * below.upper * (1 + tiny) for one in claimed)


# Claims nobody chose ------------------------------------------------------------------


class Chosen:
    """Random parts of claims."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def fraction(self, low: int, high: int, parts: int = 12) -> Fraction:
        """Return a number between two with a small denominator."""
        return Fraction(self.random.randint(low * parts, high * parts), parts)

    def rates(self) -> tuple[Fraction, Fraction]:
        """Return the rates of two noises."""
        few = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 4))
        return self.random.choice(few), self.random.choice(few)

    def beta(self, rates: tuple[Fraction, Fraction]) -> Any:
        """Return a bound that falls about as fast as the error."""
        slow = min(rates) * self.random.choice((HALF, 1, 1, Fraction(5, 4), 2, Fraction(9, 4)))
        found = self.fraction(1, 4) * exp(-alpha * eps * slow)
        kind = self.random.random()
        if kind < 0.25:
            found = found + self.fraction(1, 3) / 15
        elif kind < 0.4:
            found = found * 2 / (1 + eps) + Fraction(1, 7)
        elif kind < 0.5:
            found = found + exp(-3 * eps) / 3
        return found

    def budgets(self) -> Interval:
        """Return an interval of ε: mostly all, else cut at one end or both."""
        kind, low = self.random.random(), self.fraction(1, 30) / 10
        if kind < 0.5:
            return Interval(0, inf, lower_open=True)
        if kind < 0.7:
            return Interval(low, low + self.fraction(1, 5), upper_open=self.random.random() < 0.3)
        if kind < 0.8:
            return Interval(low, inf, lower_open=self.random.random() < 0.3)
        if kind < 0.95:
            return Interval(0, low, lower_open=True)
        return Interval(low, low)

    def step(self) -> Fraction:
        """Return a small number."""
        return Fraction(self.random.choice((-1, 1)), 10 ** self.random.randint(3, 8))

    def factor(self, one: Accuracy, two: Accuracy) -> Fraction:
        """Return by what to multiply β of a claim to make its κ nearly that of another."""
        kappas = [float(claim.tightest(width="1e-12").kappa) for claim in (one, two)]
        if 0 in kappas:
            return Fraction(1)
        return Fraction(kappas[0] / kappas[1]).limit_denominator(10**12) * (1 + self.step())

    def width(self) -> str:
        """Return how closely κ is asked for."""
        return self.random.choice(WIDTHS)


def close_inputs(chosen: Chosen) -> Accuracy:
    """Return a claim at inputs with nearly the same κ.

    Some are close to each other; at the others β has a factor that depends on the input.
    """
    rates, beta, on = chosen.rates(), chosen.beta(chosen.rates()), chosen.budgets()
    gap = chosen.fraction(1, 5)
    factors = {gap: Fraction(1), gap + chosen.step(): Fraction(1)}
    for other in (chosen.fraction(1, 5), chosen.fraction(1, 5)):
        claims = [Accuracy(larger(*rates), beta, inputs=[[0, g]], epsilon=on) for g in (gap, other)]
        factors.setdefault(other, chosen.factor(*claims))
    inputs = [[0, g] for g in factors]
    chosen.random.shuffle(inputs)
    return Accuracy(
        larger(*rates), lambda q: beta * factors[q[1] - q[0]], inputs=inputs, epsilon=on
    )


def close_alternatives(chosen: Chosen) -> Accuracy:
    """Return a claim with a minimum whose alternatives have nearly the same κ."""
    rates, on = chosen.rates(), chosen.budgets()
    inputs = [[0, chosen.fraction(1, 5)]]
    one, two = (
        Accuracy(larger(*rates), chosen.beta(rates), inputs=inputs, epsilon=on) for _ in range(2)
    )
    return replace(one, beta=minimum(one.beta, two.beta * chosen.factor(one, two)))


def grids(chosen: Chosen) -> Accuracy:
    """Return a claim on a grid; β of αε alone makes κ the same at different inputs."""
    rates = chosen.rates()
    grid = Grid(-1, 1, step=HALF) if chosen.random.random() < 0.5 else Grid(0, 2)
    return Accuracy(larger(*rates), chosen.beta(rates), inputs=grid, epsilon=chosen.budgets())


def all_reals(chosen: Chosen) -> Accuracy:
    rates = chosen.rates()
    beta = chosen.beta(rates)
    if chosen.random.random() < 0.3:
        beta = minimum(beta, chosen.beta(rates))
    return Accuracy(larger(*rates), beta, inputs=AllReals(), epsilon=chosen.budgets())


def boxes(chosen: Chosen) -> Accuracy:
    low = chosen.fraction(-3, 1)
    return replace(all_reals(chosen), inputs=Box(low, low + chosen.fraction(1, 4)))


ROUTES = (close_inputs, close_alternatives, grids, all_reals, boxes)


@pytest.mark.parametrize("number", range(2 * TIMES))
@pytest.mark.parametrize("route", ROUTES)
def test_true_up_to_the_best_constant_and_not_above(
    route: Callable[[Chosen], Accuracy], number: int
) -> None:
    chosen = Chosen(f"{route.__name__} {number}")
    claim = route(chosen)
    holds_up_to(claim, chosen.width())


@pytest.mark.parametrize("number", range(5 * TIMES))
@pytest.mark.parametrize("route", [close_inputs, close_alternatives])
def test_all_widths_agree(route: Callable[[Chosen], Accuracy], number: int) -> None:
    """Enclosures of one number have it in common, and the largest whole κ is one number."""
    claim = route(Chosen(f"{route.__name__} {number}"))
    fine = claim.tightest(width="1e-25")
    for width in WIDTHS[:6]:
        found = claim.tightest(width=width)
        assert found.kappa.lower <= fine.kappa.upper
        assert fine.kappa.lower <= found.kappa.upper
        assert found.integer == fine.integer
    for row in claim.tightest(width=1, at_each=True):
        alone = replace(claim, inputs=[row.input]).tightest(width="1e-25").kappa
        assert row.kappa.lower <= alone.upper
        assert alone.lower <= row.kappa.upper

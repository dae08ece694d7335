"""The same questions asked of other tools: SymPy, numerical quadrature, simulation.

The common task is the best κ of NoisyMax with three queries at the input (1, 0, 0): for which κ is
3·e^{−αε/2}/κ a bound on the error for every ε? exactdp finds it to within 1e-6, with proof. The
critical ε lies inside (0, ∞), so that the other tools can find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import exp, log
from typing import Any

import numpy as np
import sympy
from flint import acb, arb, ctx
from scipy.integrate import quad
from sympy.core.cache import clear_cache

from bench.clock import measure, seconds
from bench.probabilities import answer
from bench.programs import noisy_max, sparse
from bench.table import Row
from exactdp import Accuracy, AllReals, alpha, eps
from exactdp import exp as exp_form

INPUT = [1, 0, 0]
RESOLUTION = 1e-6
"""κ is distinguished from (1 ± RESOLUTION)·κ."""
RISK = 1e-6
"""The probability that a simulation may mislead."""
FARTHEST = 60.0
"""The largest ε at which quadrature is used."""
DAY = 86400


def task(inputs: Any) -> Accuracy:
    """Return the claim whose best κ is computed."""
    return Accuracy(noisy_max(3), beta=3 * exp_form(-alpha * eps / 2), inputs=inputs)


# SymPy ----------------------------------------------------------------------------------


def by_sympy(name: str, u: list[int]) -> Any:
    """Return one probability by SymPy's integrate.

    One variable is left after the others were integrated by hand, and the pieces between the
    means are given. "NoisyMax" is Pr(0): the top has the density of the first answer, all others
    lie below it. "Sparse" is Pr(⊥…⊥⊤) for c = 1: the threshold has a density, the last answer
    lies above it and the others below.
    """
    x, e = sympy.Symbol("x", real=True), sympy.Symbol("eps", positive=True)

    def density(mean: int, left: bool) -> Any:
        return e / 4 * sympy.exp((e / 2 if left else -e / 2) * (x - mean))

    def below(mean: int, left: bool) -> Any:
        rate = e / 2 if name == "NoisyMax" else e / 4
        tail = sympy.exp((rate if left else -rate) * (x - mean)) / 2
        return tail if left else 1 - tail

    means = sorted({*u, *([] if name == "NoisyMax" else [0])})
    total = 0
    for a, b in pairwise([-sympy.oo, *means, sympy.oo]):
        left = {mean: b <= mean for mean in means}
        first, *rest = u
        if name == "NoisyMax":
            f = density(first, left[first])
        else:
            first, rest = 0, u[:-1]
            f = density(0, left[0]) * (1 - below(u[-1], left[u[-1]]))
        for mean in rest:
            f *= below(mean, left[mean])
        for term in sympy.Add.make_args(sympy.expand(f)):  # faster than the sum as a whole
            total += sympy.integrate(sympy.powsimp(term, combine="exp"), (x, a, b))
    return sympy.expand(total)


def sympy_rows() -> Iterator[Row]:
    """Yield the time of SymPy over ours for a probability, after both gave the same form."""
    for name, make, u, wanted in (
        ("NoisyMax", partial(noisy_max, 2), [1, 0], 0),
        ("NoisyMax", partial(noisy_max, 4), [2, 1, 0, -1], 0),
        ("Sparse", partial(sparse, 2, 1), [-1, 1], [False, True]),
        ("Sparse", partial(sparse, 4, 1), [-1, -2, -1, 1], [False, False, False, True]),
    ):
        found = make().probability(u, wanted).to_sympy()
        assert sympy.expand(by_sympy(name, u) - found) == 0
        plain = seconds(lambda name=name, u=u: (clear_cache(), by_sympy(name, u)), 1)  # type: ignore[misc]
        ours = answer(make, u, wanted)
        label = f"SymPy / exactdp, one probability of {name} m = {len(u)}"
        yield Row(label, plain / ours.seconds, "×", 20, True, ours.yardsticks)
    error = task([INPUT]).error_probability(INPUT).exact.to_sympy()
    symbol = next(iter(error.free_symbols))
    yield Row(
        "signs for all ε that SymPy decides, of 2 asked",
        sum(decided_by_sympy(kappa, error, symbol) for kappa in (4, 5)),
        "claims",
        note="`solve_univariate_inequality`; exactdp decides both",
    )


def decided_by_sympy(kappa: int, error: Any, symbol: Any) -> bool:
    """Whether SymPy can say for which ε the bound with some κ is true."""
    gap = 3 * sympy.exp(-symbol / 4) / kappa - error
    positive = sympy.Symbol("x", real=True)
    try:
        sympy.solve_univariate_inequality(
            gap.subs(symbol, positive) >= 0,
            positive,
            relational=False,
            domain=sympy.Interval.open(0, sympy.oo),
        )
    except NotImplementedError:
        return False
    return True


# Quadrature -----------------------------------------------------------------------------


def by_scipy(budget: float) -> float:
    """Return the probability of an error at the input (1, 0, 0) by adaptive quadrature."""
    rate = budget / 2

    def f(x: float) -> float:
        below = exp(rate * x) / 2 if x < 0 else 1 - exp(-rate * x) / 2
        return rate / 2 * exp(-rate * abs(x - 1)) * below**2

    pieces = ((-np.inf, 0), (0, 1), (1, np.inf))
    return 1.0 - sum(float(quad(f, a, b, epsabs=1e-13, epsrel=1e-13)[0]) for a, b in pieces)


def by_arb(budget: float) -> Any:
    """Return an enclosure of the same by certified quadrature.

    The integrand is analytic between 0 and 1 and beyond. Both tails are cut where less than
    e^{−45} remains, which is added.
    """
    ctx.prec = 64
    rate = acb(budget) / 2
    far = acb(90 / budget + 1)

    def piece(x: Any, _: bool) -> Any:
        return rate / 2 * (rate * (x - 1)).exp() * (1 - (-rate * x).exp() / 2) ** 2

    def left(x: Any, _: bool) -> Any:
        return rate / 2 * (rate * (x - 1)).exp() * ((rate * x).exp() / 2) ** 2

    def right(x: Any, _: bool) -> Any:
        return rate / 2 * (rate * (1 - x)).exp() * (1 - (-rate * x).exp() / 2) ** 2

    total = acb(0)
    for f, a, b in ((left, -far, acb(0)), (piece, acb(0), acb(1)), (right, acb(1), far)):
        total += acb.integral(f, a, b, rel_tol=arb(1e-13), abs_tol=arb(1e-13))
    return 1 - total.real + arb(0, 1e-19)


def steps(error: Callable[[Any], Any], kappa: float) -> float:
    """Return the number of ε at which the error must be known to prove κ·(1 − RESOLUTION).

    A gap g(ε) = β/κ − error that is positive at ε is so for another g(ε)/L, where L bounds the
    slope of g from there on. So the number is the integral of L/g. The bound L is given for free,
    and so is the absence of errors in the quadrature.
    """
    near, far = np.geomspace(1e-6, 1, 400_001), np.linspace(1, FARTHEST, 2_000_001)
    points = np.concatenate([near, far[1:]])
    gap = 3 * np.exp(-points / 4) / (kappa * (1 - RESOLUTION)) - error(points)
    slope = np.abs(np.gradient(gap, points))
    bound = np.maximum.accumulate(slope[::-1])[::-1]
    return float(np.trapezoid(bound / gap, points))


def quadrature_rows(kappa: float, budget: float, ours: float) -> Iterator[Row]:
    """Yield the cost of quadrature at one ε, the number of ε needed, and the ratio for all."""
    curve = task([INPUT]).error_probability(INPUT)
    exact = float(curve.exact.at(str(budget), digits=20).lower)
    assert abs(by_scipy(budget) - exact) < 1e-12
    enclosure = by_arb(budget)
    assert enclosure.overlaps(arb(exact, 1e-15))
    assert float(enclosure.rad()) < 1e-11
    needed = steps(curve.values, kappa)
    yield Row("ε at which quadrature must be done for κ to 1e-6", needed, "values of ε")
    for name, one in (
        ("SciPy (estimated error)", seconds(lambda: by_scipy(budget))),
        ("arb (certified)", seconds(lambda: by_arb(budget))),
    ):
        yield Row(f"one error probability at one ε by {name}", one, "s")
        label = f"κ to 1e-6 at one input for every ε: {name} / exactdp"
        yield Row(label, needed * one / ours, "×", 1, True, note="time × values of ε")


# Simulation -----------------------------------------------------------------------------


def runs(chance: float, resolution: float) -> float:
    """Return the number of runs that distinguish p from (1 ± resolution)·p, by Chernoff.

    Pr(estimate off by more) ≤ 2·e^{−n·D} with D = p·r²/(2·(1 − p)), the relative entropy to
    leading order in r: no union over inputs or ε, and D is not made smaller than it is.
    """
    return log(2 / RISK) * 2 * (1 - chance) / (chance * resolution**2)


def simulation_rows(chance: float, budget: float, ours: float) -> Iterator[Row]:
    """Yield the number of runs needed, and their time at the measured speed."""
    mechanism, size = noisy_max(3), 200_000
    one = seconds(lambda: mechanism.sample(INPUT, eps=budget, size=size, seed=1), 2) / size
    yield Row("simulation by `mechanism.sample`", 1 / one, "runs/s")
    for resolution in (1e-2, RESOLUTION):
        needed = runs(chance, resolution)
        at = f"κ to {resolution:g} at one input and one ε by simulation"
        yield Row(at, needed, "runs", note=f"Chernoff, risk {RISK:g}")
        long = needed * one
        value, unit = (long / DAY, "days") if long > DAY else (long, "s")
        yield Row(f"{at}, time", value, unit, note="runs needed × measured time of a run")
    label = "κ to 1e-6: simulation at one ε / exactdp for every ε"
    yield Row(label, long / ours, "×", 1e6, at_least=True)


def measured() -> Iterator[Row]:
    """Yield the measurements of other tools."""
    yield from sympy_rows()
    found = task([INPUT]).tightest(width="1e-6")
    kappa, budget = float(found.kappa), round(float(found.eps), 6)
    ours = measure(lambda: task([INPUT]).tightest(width="1e-6"))
    label = "exactdp: best κ to 1e-6 at one input for every ε"
    yield Row(label, ours.seconds, "s", 1, cost=ours.yardsticks)
    everywhere = measure(lambda: task(AllReals()).tightest(width="1e-6"), 1)
    label = "exactdp: best κ to 1e-6 for all real inputs and every ε"
    yield Row(label, everywhere.seconds, "s", 10, cost=everywhere.yardsticks)
    yield from quadrature_rows(kappa, budget, ours.seconds)
    yield from simulation_rows(3 * exp(-budget / 4) / kappa, budget, ours.seconds)

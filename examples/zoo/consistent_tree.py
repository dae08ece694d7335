"""A noisy total and two noisy parts, made consistent.

Source: Hay, Rastogi, Miklau and Suciu, "Boosting the accuracy of differentially private histograms
through consistency", VLDB 2010.
Bound: the least squares estimate of the total is no worse than the noisy total, 8/eps^2 with two
levels (recomputed by us: it is 2/3 of that).
"""

from exactdp import AllReals, Expected, Ideal, Real, eps, lap, mechanism


@mechanism
def total(a: Real, b: Real):
    """Return the least squares estimate of the total from three noisy numbers."""
    whole, first, second = lap(eps / 2, a + b), lap(eps / 2, a), lap(eps / 2, b)
    return 2 * whole / 3 + (first + second) / 3


both = Ideal.from_source("def both(a: Real, b: Real): return a + b")
claim = Expected(total, "squared", at_most=8 / eps**2, ideal=both, inputs=AllReals())

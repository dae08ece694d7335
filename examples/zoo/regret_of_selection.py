"""The exponential mechanism: the expected regret of a choice.

Source: McKenna and Sheldon, "Permute-and-flip", NeurIPS 2020, for the bound 2 ln(m) / eps on the
expected error.
Bound: with two candidates 2 ln(2) / eps = 1.3862.../eps.
"""

from exactdp import Expected, Real, eps, expmech, mechanism


@mechanism
def picked(q: Real[2]):
    """Return a candidate by the exponential mechanism."""
    return expmech(eps / 2, lambda i: q[i], range(2))


claim = Expected(picked, "regret", at_most=13863 / (10000 * eps))

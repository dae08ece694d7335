"""The comparison of the sparse vector technique, with the budget split 1 : (2c)^(2/3).

Source: Lyu, Su and Li, "Understanding the sparse vector technique for differential privacy", VLDB
10(6) (2017), section 4.2.
Bound: the variance of the comparison is 2/eps_1^2 + 2 (2c/eps_2)^2, least for this split; with an
equal split and c = 1 it is 40/eps^2 (with this split 2 (1 + 4^(1/3))^3/eps^2, recomputed by us).
"""

from exactdp import Expected, Real, eps, lap, mechanism


@mechanism
def compared(query: Real, threshold: Real):
    """Return by how much the noisy query is above the noisy threshold."""
    first = eps / (1 + 2 ** (2 / 3))
    second = eps - first
    return lap(second / 2, query) - lap(first, threshold)


claim = Expected(compared, "squared", at_most=40 / eps**2, inputs=[(0, 0)])

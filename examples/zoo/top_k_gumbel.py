"""The two best of four, in order, with one round of Gumbel noise.

Source: Durfee and Rogers, NeurIPS 2019: one round of Gumbel noise is equivalent to k rounds of
the exponential mechanism without replacement.
Bound: the two picks are those of the exponential mechanism with at most 3 and 2 rivals, so by a
union bound the order is wrong with probability at most 3 x + 2 x^3 at scores 9, 6, 0, 0 and rate
eps/2, x = exp(-3 eps/2) (recomputed by us).
"""

from exactdp import Accuracy, Ideal, Real, eps, exp, gumbel, mechanism


@mechanism
def two(q: Real[4]):
    """Return the two positions with the largest noisy scores, the better one first."""
    noisy = [gumbel(eps / 2, q[i]) for i in range(4)]
    order = sorted(range(4), key=lambda i: -noisy[i])
    return [order[0], order[1]]


best = Ideal.from_source("def best(q: Real[4]): return [0, 1]")
bound = 3 * exp(-3 * eps / 2) + 2 * exp(-3 * eps)
claim = Accuracy(two, bound, ideal=best, inputs=[[9, 6, 0, 0]], alpha=0)

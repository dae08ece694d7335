"""Randomized rounding of a number in [0, 1] to a bit.

Source: Raghavan and Thompson, "Randomized rounding", Combinatorica 7 (1987).
Bound: the bit is 1 with probability q, so at distance 1/4 from 1/2 it is wrong with probability
1/4.
"""

from exactdp import Accuracy, Box, Ideal, Real, mechanism, unif


@mechanism
def rounded(q: Real):
    """Return 1 with probability q, else 0."""
    return 1 if unif(0, 1) < q else 0


nearest = Ideal.from_source("def nearest(q: Real): return 1 if 2 * q > 1 else 0")
claim = Accuracy(rounded, 0.25, ideal=nearest, alpha=0.25, inputs=Box(0, 1))

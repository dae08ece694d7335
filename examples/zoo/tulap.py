"""A count with Tulap noise: discrete Laplace noise, smoothed by uniform noise.

Source: Awan and Slavkovic, "Differentially private uniformly most powerful tests for binomial
data", NeurIPS 2018; OpenDP samples it for its tests.
Bound: the variance is that of discrete Laplace noise plus 1/12 for the uniform noise, 2 b/(1 - b)^2
+ 1/12 with b = e^(-eps) (recomputed by us).
"""

from fractions import Fraction

from exactdp import AllReals, Expected, Real, dlap, eps, exp, mechanism, unif


@mechanism
def tulap(count: Real):
    """Return the count with noise of both kinds."""
    return count + dlap(eps, 0) + unif(-1 / 2, 1 / 2)


b = exp(-eps)
bound = 2 * b / (1 - b) ** 2 + Fraction(1, 12)
claim = Expected(tulap, "squared", at_most=bound, inputs=AllReals())

"""Two counts by their Haar wavelet coefficients.

Source: Xiao, Wang and Gehrke, "Differential privacy via wavelet transforms" (Privelet), IEEE TKDE
23(8) (2011), for the idea.
Bound: the mean and half of the difference have sensitivity 1/2 each; with noise of scale 1/eps
both cost eps, and a count is off by a sum of two noises: variance 4/eps^2 (recomputed by us).
"""

from exactdp import AllReals, Expected, Ideal, Real, eps, lap, mechanism


@mechanism
def count(a: Real, b: Real):
    """Return the first count from noisy coefficients."""
    return lap(eps, (a + b) / 2) + lap(eps, (a - b) / 2)


first = Ideal.from_source("def first(a: Real, b: Real): return a")
claim = Expected(count, "squared", at_most=4 / eps**2, ideal=first, inputs=AllReals())

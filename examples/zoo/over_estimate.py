"""A count that is never too small: exponential noise on one side.

Source: one-sided noise as in Kotsogiannis, Doudalis, Haney, Machanavajjhala and Mehrotra,
"One-sided differential privacy", ICDE 2020.
Bound: the mean error of noise of scale 1/eps is 1/eps (recomputed by us).
"""

from exactdp import AllReals, Expected, Real, eps, expo, mechanism


@mechanism
def enough(count: Real):
    """Return a number that is not below the count."""
    return expo(eps, count)


claim = Expected(enough, "absolute", at_most=1 / eps, inputs=AllReals())

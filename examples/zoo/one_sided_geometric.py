"""A count with one-sided geometric noise, which is never too small.

Source: the one-sided variant of Ghosh, Roughgarden and Sundararajan, "Universally
utility-maximizing privacy mechanisms", SIAM Journal on Computing 41(6) (2012).
Bound: the noise exceeds 2 with probability e^(-3 eps), a geometric tail.
"""

from exactdp import Accuracy, Dom, eps, exp, geometric, mechanism


@mechanism
def counted(count: Dom(0, 3)):
    """Return a count with one-sided geometric noise."""
    return geometric(eps, count)


claim = Accuracy(counted, exp(-3 * eps), gamma=2, alpha=0)

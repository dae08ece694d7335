"""Summation with histogram encoding.

Source: Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency
estimation", USENIX Security 2017, section 4.1.
Bound: the variance is 8/eps^2 for each user.
"""

from exactdp import Dom, Expected, eps, lap, mechanism


@mechanism
def noisy(bit: Dom(0, 1)):
    """Return a bit with noise."""
    return lap(eps / 2, bit)


claim = Expected(noisy, "squared", at_most=8 / eps**2)

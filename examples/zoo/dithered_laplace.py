"""Laplace noise on a value dithered by half a step, as before a quantizer.

Source: Roberts, "Picture coding using pseudo-random noise", IRE Transactions on Information
Theory 8 (1962), for the dither; Dwork and Roth 2014, theorem 3.8, for the noise.
Bound: the dither is at most 1/2, so an error above 2 has probability at most exp(-1.5 eps).
"""

from exactdp import Accuracy, AllReals, Real, eps, exp, lap, mechanism, unif


@mechanism
def dithered(q: Real):
    """Return Laplace noise on a value dithered by half a step."""
    return lap(eps, q) + unif(-1 / 2, 1 / 2)


claim = Accuracy(dithered, exp(-3 * eps / 2), gamma=2, alpha=0, inputs=AllReals())

"""Laplace noise, clamped to the domain of the answer.

Source: post-processing of Dwork and Roth 2014, theorem 3.8, available in every library.
Bound: clamping moves no answer away from the true one, so the error is above 2 with probability at
most exp(-2 eps).
"""

from exactdp import Accuracy, Box, Real, eps, exp, lap, mechanism


@mechanism
def clamped(q: Real):
    """Return a noisy number in [0, 10]."""
    return min(max(lap(eps, q), 0), 10)


claim = Accuracy(clamped, exp(-2 * eps), gamma=2, alpha=0, inputs=Box(0, 10))

"""Optimized unary encoding: the variance of the estimate.

Source: Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency
estimation", USENIX Security 2017.
Bound: 4 e^eps/(e^eps - 1)^2 for each user, derived for rare values; here for a user who has the
value.
"""

from fractions import Fraction

from exactdp import Dom, Expected, bernoulli, eps, exp, mechanism

w = 1 / (exp(eps) + 1)


@mechanism
def own_bit(bit: Dom(0, 1)):
    """Return the reported bit."""
    return bernoulli(1 / 2) if bit else bernoulli(1 / (exp(eps) + 1))


def squared(bit, y):
    """Return the squared error of the unbiased estimate."""
    return ((y - w) / (Fraction(1, 2) - w) - bit) ** 2


claim = Expected(own_bit, squared, at_most=4 * exp(eps) / (exp(eps) - 1) ** 2, inputs=[1])

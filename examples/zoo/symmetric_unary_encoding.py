"""Symmetric unary encoding, the basic one-time RAPPOR.

Source: Erlingsson, Pihur and Korolova, "RAPPOR", CCS 2014; Wang, Blocki, Li and Jha, USENIX
Security 2017, for the variance.
Bound: e^(eps/2)/(e^(eps/2) - 1)^2 for each user, whatever the bit.
"""

from exactdp import Dom, Expected, bernoulli, eps, exp, mechanism

half = exp(eps / 2)
p, q = half / (half + 1), 1 / (half + 1)


@mechanism
def flipped(bit: Dom(0, 1)):
    """Return a bit, flipped with probability 1/(e^(eps/2) + 1)."""
    keep = exp(eps / 2) / (exp(eps / 2) + 1)
    return bernoulli(keep) if bit else bernoulli(1 - keep)


def squared(bit, y):
    """Return the squared error of the unbiased estimate."""
    return ((y - q) / (p - q) - bit) ** 2


claim = Expected(flipped, squared, at_most=half / (half - 1) ** 2)

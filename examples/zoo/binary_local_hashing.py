"""Binary local hashing.

Source: Bassily and Smith, "Local, private, efficient protocols for succinct histograms", STOC
2015; Wang, Blocki, Li and Jha, USENIX Security 2017, for the variance.
Bound: (e^eps + 1)^2/(e^eps - 1)^2 for each user who does not have the value: the hash agrees with
probability 1/2.
"""

from exactdp import Dom, Expected, bernoulli, eps, exp, mechanism

p = exp(eps) / (exp(eps) + 1)


@mechanism
def supports(own: Dom(0, 1)):
    """Return whether the report of a user agrees with the hash of a value."""
    agrees = 1 if own else bernoulli(1 / 2)
    keep = exp(eps) / (exp(eps) + 1)
    return bernoulli(keep) if agrees else bernoulli(1 - keep)


def squared(own, y):
    """Return the squared error of the unbiased estimate."""
    return ((2 * y - 1) / (2 * p - 1) - own) ** 2


claim = Expected(supports, squared, at_most=(exp(eps) + 1) ** 2 / (exp(eps) - 1) ** 2, inputs=[0])

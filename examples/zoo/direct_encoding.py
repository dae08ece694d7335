"""Direct encoding (k-ary randomized response) of one of four values.

Source: Kairouz, Oh and Viswanath, "Extremal mechanisms for local differential privacy", NeurIPS
2014; Wang, Blocki, Li and Jha, USENIX Security 2017, for the variance.
Bound: for a value that nobody has, the variance of the estimate is (d - 2 + e^eps)/(e^eps - 1)^2
for each user, here d = 4.
"""

from exactdp import Dom, Expected, bernoulli, eps, exp, mechanism

p, q = exp(eps) / (exp(eps) + 3), 1 / (exp(eps) + 3)


@mechanism
def reported(bit: Dom(0, 1)):
    """Return whether a user, who has one of the four values or not, reports it."""
    return bernoulli(exp(eps) / (exp(eps) + 3)) if bit else bernoulli(1 / (exp(eps) + 3))


def squared(bit, y):
    """Return the squared error of the unbiased estimate."""
    return ((y - q) / (p - q) - bit) ** 2


claim = Expected(reported, squared, at_most=(2 + exp(eps)) / (exp(eps) - 1) ** 2, inputs=[0])

"""One bit for a mean: a number in [-1, 1] becomes a sign.

Source: Duchi, Jordan and Wainwright, "Minimax optimal procedures for locally private estimation",
JASA 113 (2018).
Bound: the variance is largest at 0, ((e^eps + 1)/(e^eps - 1))^2 (as given for this mechanism by
Wang et al., ICDE 2019, section III).
"""

from exactdp import Expected, Real, bernoulli, eps, exp, mechanism, unif

size = (exp(eps) + 1) / (exp(eps) - 1)


@mechanism
def sign(x: Real):
    """Return 1 or -1: the number rounded randomly, and flipped with some probability."""
    rounded = 1 if unif(-1, 1) < x else -1
    return rounded if bernoulli(exp(eps) / (exp(eps) + 1)) else -rounded


def squared(x, y):
    """Return the squared error of the unbiased estimate."""
    return (y * size - x) ** 2


claim = Expected(sign, squared, at_most=size**2, inputs=[0, "1/2", 1])

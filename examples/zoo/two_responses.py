"""Two randomized responses to one question: optimal composition.

Source: Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", ICML 2015,
theorem 3.3.
Bound: two releases together are (0, delta)-private for delta = (e^(2 eps) - 1)/(1 + e^eps)^2.
"""

from exactdp import Dom, Privacy, choose, eps, exp, mechanism


@mechanism
def twice(x: Dom(0, 1)):
    """Return two independent responses."""
    flip = 1 / (1 + exp(eps))
    return [choose({x: 1 - flip, 1 - x: flip}) for _ in range(2)]


claim = Privacy(twice, budget=0, delta=(exp(2 * eps) - 1) / (1 + exp(eps)) ** 2)

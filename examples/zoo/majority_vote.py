"""The majority of five randomized responses.

Source: Hoeffding, "Probability inequalities for sums of bounded random variables", JASA 58 (1963),
theorem 1.
Bound: each response is true with p = e^eps/(1 + e^eps), so the majority of n is wrong with
probability at most exp(-2 n (p - 1/2)^2).
"""

from exactdp import Accuracy, Dom, Ideal, choose, eps, exp, mechanism


@mechanism
def majority(x: Dom(0, 1)):
    """Return the majority of five responses."""
    ones = 0
    for _ in range(5):
        ones = ones + choose({x: exp(eps) / (1 + exp(eps)), 1 - x: 1 / (1 + exp(eps))})
    return 1 if ones >= 3 else 0


same = Ideal.from_source("def same(x: Dom(0, 1)): return x")
better = (exp(eps) - 1) / (2 * (exp(eps) + 1))
claim = Accuracy(majority, exp(-10 * better**2), ideal=same)

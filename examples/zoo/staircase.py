"""The staircase mechanism: a geometric number of steps plus uniform noise inside one.

Source: Geng and Viswanath, "The optimal noise-adding mechanism in differential privacy", IEEE
Transactions on Information Theory 62(2) (2016).
Bound: with steps cut at g the mean error is b/(1 - b) + (b + (1 - b) g^2)/(2 (b + (1 - b) g)), b =
e^(-eps) (recomputed by us); the least, e^(eps/2)/(e^eps - 1), at g = 1/(1 + e^(eps/2)); here g is
1/3.
"""

from exactdp import AllReals, Expected, Ideal, Real, bernoulli, eps, exp, geometric, mechanism, unif

g = "1/3"


@mechanism
def staircase(q: Real):
    """Return the answer plus or minus a number of steps and a part of one."""
    steps = geometric(eps, 0)
    near = bernoulli(g / (g + (1 - g) * exp(-eps)))
    size = steps + (unif(0, g) if near else unif(g, 1))
    return q + size if bernoulli(1 / 2) else q - size


b = exp(-eps)
bound = b / (1 - b) + (b + (1 - b) / 9) / (2 * (b + (1 - b) / 3))
truth = Ideal.from_source("def truth(q: Real): return q")
claim = Expected(staircase, "absolute", at_most=bound, ideal=truth, inputs=AllReals())

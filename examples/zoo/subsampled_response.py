"""Randomized response of a user who is asked with probability 1/2.

Source: Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", NeurIPS 2018.
Bound: sampling with probability g turns (eps, delta) into (ln(1 + g (e^eps - 1)), g delta); for
the total variation, budget 0 stays 0 and delta = (e^eps - 1)/(e^eps + 1) is halved.
"""

from exactdp import Dom, Privacy, bernoulli, choose, eps, exp, mechanism


@mechanism
def sampled(x: Dom(0, 1)):
    """Return the response of a user with x, or of one with 0 if the user is not sampled."""
    bit = x if bernoulli(1 / 2) else 0
    flip = 1 / (1 + exp(eps))
    return choose({bit: 1 - flip, 1 - bit: flip})


claim = Privacy(sampled, budget=0, delta=(exp(eps) - 1) / (2 * (exp(eps) + 1)))

"""A noisy count of a sample: half of the records are in it.

Source: Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", NeurIPS 2018, theorem
8.
Bound: an eps-private release of a sample with probability 1/2 is ln(1 + (e^eps - 1)/2)-private.
"""

from exactdp import Dom, Privacy, bernoulli, dlap, eps, exp, log, mechanism


@mechanism
def sampled(x: Dom(0, 1)):
    """Return a record, if it is sampled, with noise."""
    return dlap(eps, x if bernoulli(1 / 2) else 0)


claim = Privacy(sampled, budget=log((1 + exp(eps)) / 2))

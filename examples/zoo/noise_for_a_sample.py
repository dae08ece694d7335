"""A noisy count of a sample, with less noise for the same budget.

Source: Li, Qardaji and Su, "On sampling, anonymization, and differential privacy", ASIACCS 2012,
theorem 1, solved for the budget of the noise.
Bound: with noise for ln(1 + 2 (e^eps - 1)) and a sample with probability 1/2 the count is
eps-private.
"""

from exactdp import Dom, Privacy, bernoulli, dlap, eps, exp, log, mechanism


@mechanism
def sampled(x: Dom(0, 1)):
    """Return a record, if it is sampled, with noise."""
    return dlap(log(1 + 2 * (exp(eps) - 1)), x if bernoulli(1 / 2) else 0)


claim = Privacy(sampled, budget=eps)

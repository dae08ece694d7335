"""Report noisy max with Gumbel noise, which is the exponential mechanism.

Source: Durfee and Rogers, "Practical differentially private top-k selection with pay-what-you-get
composition", NeurIPS 2019, lemma 4.2; the identity is due to Luce and Suppes (1965) and Yellott
(1977).
Bound: that of the exponential mechanism (Dwork and Roth 2014, theorem 3.11): three candidates, 3
exp(-alpha eps).
"""

from exactdp import Accuracy, AllReals, Real, alpha, eps, exp, gumbel, mechanism


@mechanism
def largest(q: Real[3]):
    """Return the index of the largest score with Gumbel noise."""
    noisy = [gumbel(eps / 2, q[i]) for i in range(3)]
    return noisy.index(max(noisy))


claim = Accuracy(largest, 3 * exp(-alpha * eps), inputs=AllReals())

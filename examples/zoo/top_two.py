"""The two largest of three values, with one round of Laplace noise.

Source: Qiao, Su and Zhang, "Oneshot differentially private top-k selection", ICML 2021, for the
mechanism.
Bound: the third is 2 alpha behind, so with noise of rate eps/4 it comes before one of the others
with probability at most 2 (2 + t)/4 exp(-t), t = alpha eps/2 (recomputed by us: a union bound).
"""

from exactdp import Accuracy, Ideal, Real, eps, exp, lap, mechanism


@mechanism
def last(q: Real[3]):
    """Return the index that is not among the first two."""
    noisy = [lap(eps / 4, q[i]) for i in range(3)]
    return noisy.index(min(noisy))


third = Ideal.from_source("def third(q: Real[3]): return 2")
claim = Accuracy(last, (2 + eps) * exp(-eps) / 2, ideal=third, inputs=[[4, 4, 0]])

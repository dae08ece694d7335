"""The noisy vote of PATE.

Source: Papernot, Abadi, Erlingsson, Goodfellow and Talwar, "Semi-supervised knowledge transfer for
deep learning from private training data", ICLR 2017, lemma 4.
Bound: with votes n the label j* is missed with probability at most the sum over the others of (2 +
g (n* - n)) / (4 exp(g (n* - n))) for noise of scale 1/g.
"""

from exactdp import Accuracy, Dom, Ideal, eps, exp, lap, mechanism


@mechanism
def vote(n: Dom(0, 10)[3]):
    """Return the label with the most votes, counted with Laplace noise."""
    noisy = [lap(eps, n[i]) for i in range(3)]
    return noisy.index(max(noisy))


bound = (2 + 3 * eps) * exp(-3 * eps) / 4 + (2 + 4 * eps) * exp(-4 * eps) / 4
first = Ideal.from_source("def first(n: Dom(0, 10)[3]): return 0")
claim = Accuracy(vote, bound, ideal=first, inputs=[[7, 4, 3]])

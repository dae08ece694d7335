"""Optimized unary encoding: the bit of the user's own value.

Source: Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency
estimation", USENIX Security 2017, OUE (p = 1/2, q = 1/(e^eps + 1)).
Bound: the bit of the value is kept with probability 1/2.
"""

from exactdp import Accuracy, Dom, Ideal, bernoulli, eps, exp, mechanism


@mechanism
def own_bit(bit: Dom(0, 1)):
    """Return the reported bit."""
    return bernoulli(0.5) if bit == 1 else bernoulli(1 / (exp(eps) + 1))


same = Ideal.from_source("def same(bit: Dom(0, 1)): return bit")
claim = Accuracy(own_bit, 0.5, ideal=same)

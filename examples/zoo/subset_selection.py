"""Subset selection: two of four values are reported.

Source: Ye and Barg, "Optimal schemes for discrete distribution estimation under locally
differential privacy", IEEE Transactions on Information Theory 64(8) (2018).
Bound: the user's value is among the reported ones with probability e^eps/(e^eps + 1) (recomputed
by us: half of the subsets contain it, and these have weight e^eps).
"""

from itertools import combinations

from exactdp import Accuracy, Dom, Ideal, choose, eps, exp, mechanism

PAIRS = tuple(combinations(range(4), 2))


@mechanism
def covered(x: Dom(0, 3)):
    """Return whether the user's value is in the reported pair."""
    total = 3 * exp(eps) + 3
    found = choose({pair: (exp(eps) if x in pair else 1) / total for pair in PAIRS})
    return x in found


always = Ideal.from_source("def always(x: Dom(0, 3)): return True")
claim = Accuracy(covered, 1 / (exp(eps) + 1), ideal=always)

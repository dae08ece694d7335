"""A bin of a stability-based histogram: released if its noisy count is large.

Source: Bun, Nissim and Stemmer, "Simultaneous private learning of multiple concepts", ITCS 2016,
for the mechanism with a threshold 1 + 2 ln(2/delta)/eps and noise of scale 2/eps.
Bound: a bin with count 0 or 1 is released with probability at most delta/4 (recomputed by us);
here delta = 1/10.
"""

from exactdp import Accuracy, Ideal, Real, eps, lap, log, mechanism


@mechanism
def released(count: Real):
    """Return whether the bin is released."""
    return lap(eps / 2, count) > 1 + 2 * log(20) / eps


never = Ideal.from_source("def never(count: Real): return False")
claim = Accuracy(released, 0.025, ideal=never, inputs=[1], alpha=0, input_distance="discrete")

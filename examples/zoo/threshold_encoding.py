"""Thresholding with histogram encoding.

Source: Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency
estimation", USENIX Security 2017, section 4.2.
Bound: with noise Lap(2/eps) a bit 0 is reported above theta with probability exp(-eps theta/2)/2,
a bit 1 below it with exp(-eps (1 - theta)/2)/2; with theta = 3/4 the larger is exp(-eps/8)/2.
"""

from exactdp import Accuracy, Dom, Ideal, eps, exp, lap, mechanism


@mechanism
def above(bit: Dom(0, 1)):
    """Return whether the noisy bit is above 3/4."""
    return 1 if lap(eps / 2, bit) > 3 / 4 else 0


same = Ideal.from_source("def same(bit: Dom(0, 1)): return bit")
claim = Accuracy(above, exp(-eps / 8) / 2, ideal=same)

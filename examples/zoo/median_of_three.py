"""The median of three Laplace releases of one value.

Source: the median trick (Jerrum, Valiant and Vazirani, TCS 43 (1986), lemma 6.1).
Bound: both tails of two of three, 3 p^2 on either side with p = exp(-2 eps/3)/2: together 1.5
exp(-4 eps/3).
"""

from exactdp import Accuracy, Real, eps, exp, lap, mechanism


@mechanism
def median(q: Real):
    """Return the median of three Laplace releases of one value."""
    x = sorted([lap(eps / 3, q) for _ in range(3)])
    return x[1]


claim = Accuracy(median, 3 * exp(-4 * eps / 3) / 2, gamma=2, alpha=0, inputs=[0])

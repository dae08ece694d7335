"""The Laplace mechanism at half of its budget, with a delta.

Source: Balle, Barthe and Gaboardi, "Privacy profiles and amplification by subsampling", Journal of
Privacy and Confidentiality 10(1) (2020).
Bound: for a budget b < eps, delta is 1 - exp((b - eps)/2); here b = eps/2.
"""

from exactdp import Privacy, Real, eps, exp, lap, linf, mechanism


@mechanism
def noisy(q: Real):
    """Return a number with noise."""
    return lap(eps, q)


claim = Privacy(noisy, budget=eps / 2, delta=1 - exp(-eps / 4), adjacent=linf(1), inputs=[0, 1])

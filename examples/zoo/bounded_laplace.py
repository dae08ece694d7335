"""Laplace noise resampled until the answer lies in its domain.

Source: Holohan, Antonatos, Braghin and Mac Aonghusa, "The bounded Laplace mechanism in
differential privacy", Journal of Privacy and Confidentiality 10(1) (2020).
Bound: that of the Laplace mechanism (Dwork and Roth 2014, theorem 3.8), which conditioning
preserves here.
"""

from exactdp import Accuracy, Real, eps, exp, lap, mechanism, observe


@mechanism
def bounded(q: Real):
    """Return an answer with Laplace noise, resampled until it lies in its domain."""
    x = lap(eps, q)
    observe(0 <= x <= 10)
    return x


claim = Accuracy(bounded, exp(-2 * eps), gamma=2, alpha=0, inputs=[0, 1, 2, 3, 5])

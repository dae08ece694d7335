"""Report noisy max with integer noise, ties to the first.

Source: Dwork and Roth 2014, claim 3.9, for Laplace noise.
Bound: eps-private with noise of rate eps/2 for counts that all change by at most 1; with integer
noise the proof must handle ties.
"""

from exactdp import Dom, Privacy, dlap, eps, linf, mechanism


@mechanism
def fullest(n: Dom(0, 2)[2]):
    """Return the index of the larger noisy count."""
    first, second = dlap(eps / 2, n[0]), dlap(eps / 2, n[1])
    return 0 if first >= second else 1


claim = Privacy(fullest, budget=eps, adjacent=linf(1))

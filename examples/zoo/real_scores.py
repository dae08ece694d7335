"""The exponential mechanism with real scores.

Source: McSherry and Talwar, "Mechanism design via differential privacy", FOCS 2007; Dwork and Roth
2014, theorem 3.11.
Bound: a score t below the best has probability at most |R| exp(-eps t / 2) with sensitivity 1;
scores that differ by 2 alpha: 3 exp(-alpha eps).
"""

from exactdp import Accuracy, AllReals, Real, alpha, eps, exp, expmech, mechanism


@mechanism
def picked(q: Real[3]):
    """Return a candidate by the exponential mechanism."""
    return expmech(eps / 2, lambda i: q[i], range(3))


claim = Accuracy(picked, 3 * exp(-alpha * eps), inputs=AllReals())

"""AboveThreshold that also releases by how much the query is above.

Source: Ding, Wang, Zhang and Kifer, VLDB 2019; Dwork and Roth 2014, theorem 3.24, for the error.
Bound: with 2 queries that are both alpha below the threshold, one is reported above it with
probability at most 4 exp(-alpha eps/8); here alpha = 8.
"""

from exactdp import Expected, Real, eps, exp, lap, mechanism


@mechanism
def with_gap(q: Real[2]):
    """Return the first query above the threshold, and by how much, or nothing."""
    threshold = lap(eps / 2, 0)
    for i in range(2):
        noisy = lap(eps / 4, q[i])
        if noisy >= threshold:
            return [True, noisy - threshold]
    return [False, 0]


claim = Expected(with_gap, lambda y: 1 if y[0] else 0, at_most=4 * exp(-eps), inputs=[[-8, -8]])

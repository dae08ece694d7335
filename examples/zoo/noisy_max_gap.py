"""Report noisy max with the gap to the runner-up, which costs no additional privacy.

Source: Ding, Wang, Zhang and Kifer, "Free gap information from the differentially private sparse
vector and noisy max mechanisms", VLDB 2019.
Bound: the gap of the winner is positive, and the winner is wrong as often as without the gap: the
pair bound, (2 + t)/4 exp(-t) with t = eps, for one rival 2 behind (recomputed by us).
"""

from exactdp import Expected, Real, eps, exp, lap, mechanism


@mechanism
def with_gap(q: Real[2]):
    """Return the index of the larger noisy value, and by how much it is larger."""
    first, second = lap(eps / 2, q[0]), lap(eps / 2, q[1])
    return [0, first - second] if first >= second else [1, second - first]


claim = Expected(with_gap, lambda y: y[0], at_most=(2 + eps) * exp(-eps) / 4, inputs=[[2, 0]])

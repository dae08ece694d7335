"""The exponential mechanism on a line: a point close to a private number.

Source: McSherry and Talwar 2007; Dwork and Roth 2014, corollary 3.12, with the distance as the
score.
Bound: a point more than t further away than the nearest one has probability at most |R| exp(-eps
t); here t = 1 and |R| = 3.
"""

from exactdp import Accuracy, Box, Real, eps, exp, expmech, mechanism, score_gap


@mechanism
def nearest(q: Real):
    """Return one of three points; a nearer point is more likely."""
    return expmech(eps, lambda c: -abs(c - q), [0, 1, 2])


claim = Accuracy(
    nearest,
    3 * exp(-eps),
    gamma=1,
    alpha=0,
    input_distance="discrete",
    output_distance=score_gap,
    inputs=Box(0, 2),
)

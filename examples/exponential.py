"""The exponential mechanism: privately choose a candidate with a high score (paper, section 3.2).

For: choosing from a finite set where noise on the answer makes no sense, here a median.

Known bound: McSherry and Talwar 2007; as in Dwork and Roth 2014, Corollary 3.12: the score is
(2Δ/ε)(ln |R| + t) or more below the best with probability at most e^{−t}. Solved for the
probability, a score γ or more below the best has at most |R|·e^{−εγ/(2Δ)}. For the median Δ = 2;
below, |R| = 4. (The weights there are e^{ε·score/(2Δ)}, as here. The paper prints e^{ε·score/Δ},
for which the bound is also true, but looser.) The bound sums over all |R| candidates, including
the best, which is never wrong. Omitting it gives (|R| − 1)·e^{−εγ/(2Δ)}, which is tight.
"""

from dataclasses import replace
from math import log

from exactdp import (
    ANY,
    Accuracy,
    Dom,
    Mechanism,
    discrete,
    eps,
    exp,
    expmech,
    gamma,
    mechanism,
    score_gap,
)


def median(values: int = 5, people: int = 3) -> Mechanism:
    """Return a value in 0 … values − 1 that splits the people's values most evenly.

    The score of a candidate is minus the difference between the numbers of people below
    and above it; one person changes it by at most 2.
    """

    def score(data: list[int], candidate: int) -> int:
        below = sum(1 for value in data if value < candidate)
        above = sum(1 for value in data if value > candidate)
        return -abs(below - above)

    @mechanism
    def median(data: Dom(0, values - 1)[people]):
        return expmech(eps / 4, lambda candidate: score(data, candidate), range(values))

    return median


def exponential(scores: int = 3, top: int = 3) -> Mechanism:
    """Return the index of a large input: each input is the score of its index."""

    @mechanism
    def exponential(u: Dom(0, top)[scores]):
        return expmech(eps, lambda v: u[v], range(scores))

    return exponential


# The distance of two outputs is the difference of their scores; γ is any such distance.
_known = Accuracy(
    median(4),
    beta=4 * exp(-gamma * eps / 4),
    alpha=0,
    gamma=ANY,
    input_distance=discrete,
    output_distance=score_gap,
)
claims = {
    "known bound": _known,  # holds for all 64 inputs
    "without the best": replace(_known, beta=3 * exp(-gamma * eps / 4)),  # holds; tight
    "without the union": replace(_known, beta=exp(-gamma * eps / 4)),  # refuted
    "5 % errors": replace(_known, beta="1/20", gamma=1, inputs=[[0, 1, 2]]),  # for some ε only
}
known_epsilon = 2 * log(4 / 0.05)  # the scores next to the best are 2 below it

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    kappa = float(claims["known bound"].tightest().kappa)
    print(f"The known bound may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"The median of 0, 1, 2 in 95 % of runs: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

"""A histogram: the count of each bin with integer noise, and the fullest bin.

For: tables of counts. One person is in one bin, so all bins are released for ε together.

Known bound: Dwork and Roth 2014, Theorem 3.8, for k counts of joint sensitivity 1: some count is
off by more than γ with probability at most k·e^{−γε}. The noise there is Laplace; with integer
noise the union bound over exact tails is k·2e^{−(γ+1)ε}/(1 + e^{−ε}) for integer γ (see
`geometric.py`), and the exact probability is 1 − (1 − 2e^{−(γ+1)ε}/(1 + e^{−ε}))^k.
The fullest noisy bin is the fullest bin unless some noise is half the lead or more. Where
the lead is at least 2, this gives the same bound at γ = 0, k·2e^{−ε}/(1 + e^{−ε}).
"""

from dataclasses import replace
from math import log

from exactdp import Accuracy, Dom, Mechanism, discrete, dlap, eps, exp, mechanism, sup


@mechanism
def histogram(counts: Dom(0, 2)[3]):
    """Release the count of each of three bins with discrete Laplace noise."""
    return [dlap(eps, count) for count in counts]


def fullest(bins: int = 3, most: int = 2) -> Mechanism:
    """Return the first of the bins whose noisy count is the largest."""

    @mechanism
    def fullest(counts: Dom(0, most)[bins]):
        best, top = 0, dlap(eps, counts[0])
        for i in range(1, bins):
            noisy = dlap(eps, counts[i])
            if noisy > top:
                best, top = i, noisy
        return best

    return fullest


_tail = 2 * exp(-3 * eps) / (1 + exp(-eps))  # of one count, above 2
_known = Accuracy(
    histogram,
    beta=3 * exp(-2 * eps),
    alpha=0,
    gamma=2,
    input_distance=discrete,
    output_distance=sup,
)
claims = {
    "known bound": _known,  # holds
    "union of exact tails": replace(_known, beta=3 * _tail),  # holds; tight as ε → ∞
    "exact error": replace(_known, beta=1 - (1 - _tail) ** 3),  # holds; tight everywhere
    "one bin's tail for all": replace(_known, beta=_tail),  # refuted
    "fullest bin, a lead of 2": replace(  # holds
        _known,
        mechanism=fullest(),
        beta=6 * exp(-eps) / (1 + exp(-eps)),
        gamma=0,
        output_distance=discrete,
        inputs=[[0, 0, 2], [0, 2, 0], [2, 0, 0]],
    ),
    "5 % errors": replace(_known, beta="1/20"),  # for some ε only
}
known_epsilon = log(3 / 0.05) / 2

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "union of exact tails", "fullest bin, a lead of 2"):
        kappa = float(claims[name].tightest().kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"5 % errors above 2: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

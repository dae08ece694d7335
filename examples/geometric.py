"""Integer noise: the geometric mechanism, its truncation, the sum of two, a noisy majority.

For: releasing counts as integers, without the pitfalls of floating point.

Known bound: Ghosh, Roughgarden and Sundararajan 2009 (Universally utility-maximizing privacy
mechanisms) introduced this noise: with p = e^{−ε}, Pr(noise = z) = (1 − p)/(1 + p)·p^|z|.
Summing both tails gives Pr(|noise| > γ) = 2p^(γ+1)/(1 + p) for integer γ: an equality. Often
the Laplace tail e^{−γε} is used instead (Dwork and Roth 2014, Theorem 3.8). It is true for an
error *above* γ, but false for an error of γ *or more*: with atoms the difference matters.

Truncation to 0 … most moves no output away from the count, and halves the error at both ends.
The sum of two noises is above 2 only if one of them is above 1: union bound, 4p²/(1 + p).
"""

from dataclasses import replace
from math import log

from exactdp import Accuracy, Dom, Mechanism, discrete, dlap, eps, exp, mechanism, sup


def counting(most: int = 5) -> Mechanism:
    """Release a count with discrete Laplace noise, kept within 0 … most."""

    @mechanism
    def counting(count: Dom(0, most)):
        return min(max(dlap(eps, count), 0), most)

    return counting


def majority(n: int = 3) -> Mechanism:
    """Return whether more than half of n bits are set, according to noisy counts of both values."""

    @mechanism
    def majority(bits: Dom(0, 1)[n]):
        ones = dlap(eps / 2, sum(bits))
        zeros = dlap(eps / 2, n - sum(bits))
        return ones > zeros

    return majority


@mechanism
def geometric(count: Dom(0, 5)):
    """Release a count with discrete Laplace noise, without truncation."""
    return dlap(eps, count)


@mechanism
def two_counts(counts: Dom(0, 2)[2]):
    """Release the sum of two counts with separate noise, for example from two hospitals."""
    return dlap(eps, counts[0]) + dlap(eps, counts[1])


_known = Accuracy(
    geometric,
    beta=exp(-3 * eps),
    alpha=0,
    gamma=3,
    input_distance=discrete,
    output_distance=sup,
)
claims = {
    "known bound": _known,  # holds; tight as ε → 0
    "exact tail": replace(_known, beta=2 * exp(-4 * eps) / (1 + exp(-eps))),  # holds; tight
    "3 or more": replace(_known, gamma=2),  # refuted: e^{−3ε} does not bound an error of 3 or more
    "half at the ends, truncated": replace(  # holds; tight
        _known, mechanism=counting(), beta=exp(-4 * eps) / (1 + exp(-eps)), inputs=[0, 5]
    ),
    "sum of two": replace(  # holds; loose
        _known, mechanism=two_counts, beta=4 * exp(-2 * eps) / (1 + exp(-eps)), gamma=2
    ),
    "5 % errors": replace(_known, beta="1/20"),  # for some ε only
}
known_epsilon = log(1 / 0.05) / 3

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "sum of two"):
        kappa = float(claims[name].tightest().kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"Errors above 3 in 5 % of runs: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")
    print("The sum of two noises is z with probability")
    for z in range(3):
        print(f"  z = {z}:", two_counts.probability([0, 0], z).pretty())

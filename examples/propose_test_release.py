"""Propose-Test-Release: release the exact answer if a private test finds it stable.

For: answers that are usually the same for all similar data, such as the winner of a vote. Test
how many votes must change before the winner can; if a noisy copy of that number is above T,
release the winner *without noise*, else release nothing.

Known bound: Dwork and Lei 2009; Dwork and Roth 2014, section 7: if the answer is
(ln(1/δ) + ln(1/β))/ε-stable, then it is released with probability 1 − β. The test there
is against T = ln(1/δ)/ε. So with stability d, the answer is missing with probability
at most β = e^{−(d − T)ε}. Only one tail of the noise causes an error, so half of this suffices.
(T is a constant here, so δ = e^{−Tε} shrinks as ε grows.)
"""

from dataclasses import replace
from math import log

from exactdp import Accuracy, Dom, Mechanism, discrete, eps, exp, lap, mechanism


def propose_test_release(voters: int = 5, threshold: int = 1) -> Mechanism:
    """Return the winner of a vote between 0 and 1, or None if the lead is not clearly large.

    With a lead of g votes, ⌈g/2⌉ − 1 voters may change their vote without changing the winner.
    """

    @mechanism
    def propose_test_release(votes: Dom(0, 1)[voters]):
        ones = sum(votes)
        lead = abs(2 * ones - voters)
        stable = (lead + 1) // 2 - 1
        if lap(eps, stable) > threshold:
            return int(2 * ones > voters)
        return None

    return propose_test_release


# A lead of 5 votes of 5 is 2-stable, 1 above the threshold.
_known = Accuracy(
    propose_test_release(),
    beta=exp(-eps),
    alpha=0,
    ideal=lambda votes: int(2 * sum(votes) > 5),
    input_distance=discrete,
    inputs=[[0] * 5, [1] * 5],
)
claims = {
    "known bound": _known,  # holds
    "one tail": replace(_known, beta=exp(-eps) / 2),  # holds; tight everywhere
    "for a lead of 3 too": replace(_known, inputs=[[0, 0, 0, 0, 1]]),  # refuted: not stable enough
    "5 % errors": replace(_known, beta="1/20"),  # for some ε only
}
known_epsilon = log(1 / 0.05)

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "one tail"):
        kappa = float(claims[name].tightest().kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"A unanimous winner in 95 % of runs: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

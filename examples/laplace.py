"""The Laplace mechanism: k numbers, each released with Laplace noise (paper, section 3.1).

For: answering k numeric queries at once, so that all k errors are small simultaneously.

Known bound: Dwork and Roth 2014 (The Algorithmic Foundations of Differential Privacy), Theorem
3.8: some error is above γ with probability at most k·e^{−γε/Δ}, where Δ is the sensitivity. It
is a union bound over k tails of e^{−γε/Δ} each. The errors are independent, so the exact
probability is 1 − (1 − e^{−γε/Δ})^k, and the bound is tight as γε grows.
"""

from dataclasses import replace
from math import log

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Mechanism,
    Real,
    discrete,
    eps,
    exp,
    gamma,
    lap,
    mechanism,
    sup,
)


def laplace(k: int = 1, sensitivity: int = 1) -> Mechanism:
    """Release k answers to queries of the given joint sensitivity."""

    @mechanism
    def laplace(q: Real[k]):
        return [lap(eps / sensitivity, q[i]) for i in range(k)]

    return laplace


# `discrete` on inputs: with another distance the claim would be vacuous, because each input has
# arbitrarily close inputs with a different ideal output.
_known = Accuracy(
    laplace(3),
    beta=3 * exp(-gamma * eps),
    alpha=0,
    gamma=ANY,
    input_distance=discrete,
    output_distance=sup,
    inputs=AllReals(),
)
claims = {
    "known bound": _known,  # holds; tight as γε → ∞
    "exact error": replace(  # holds; tight everywhere
        _known, beta=3 * exp(-gamma * eps) - 3 * exp(-2 * gamma * eps) + exp(-3 * gamma * eps)
    ),
    "one number's bound for all three": replace(_known, beta=exp(-gamma * eps)),  # refuted
    "5 % errors": replace(_known, beta="1/20", gamma=2, inputs=[[0, 0, 0]]),  # for some ε only
}
known_epsilon = log(3 / 0.05) / 2  # the ε that the known bound requires for 5 % errors

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    kappa = float(claims["known bound"].tightest().kappa)
    print(f"The known bound may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"Errors above 2 in 5 % of runs: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

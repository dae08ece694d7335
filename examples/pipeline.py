"""A pipeline: test privately whether a count is large enough, then release it.

For: the usual rule "publish no table cell below 5". The test takes half of the budget, the
release the other half.

Known bound: a union bound over the two stages, with the tails of Laplace noise (Dwork and Roth
2014, Fact 3.7). The test is wrong with probability at most
e^{−αε/2}/2 where the count is more than α away from the threshold, and the number is off by more
than γ with probability e^{−γε/2}. The stages are independent, so the exact probability is
1 − (1 − e^{−αε/2}/2)(1 − e^{−γε/2}) above the threshold.
"""

from dataclasses import replace

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Mechanism,
    Real,
    alpha,
    eps,
    exp,
    gamma,
    lap,
    mechanism,
    numeric,
    roots,
    sup,
)


def release_if_large(threshold: int = 5) -> Mechanism:
    """Return a noisy count if the count appears to be at or above the threshold, else None."""

    @mechanism
    def release_if_large(count: Real):
        if lap(eps / 2, count) >= threshold:
            return [lap(eps / 2, count)]
        return [None]

    return release_if_large


_test = exp(-alpha * eps / 2) / 2
_release = exp(-gamma * eps / 2)
_known = Accuracy(
    release_if_large(),
    beta=_test + _release,
    gamma=ANY,
    input_distance=numeric(5),
    output_distance=sup,
    inputs=AllReals(),
)
claims = {
    "known bound": _known,  # holds
    "exact error": replace(  # holds; tight everywhere above the threshold
        _known,
        beta=_test + _release - exp(-alpha * eps / 2 - gamma * eps / 2) / 2,
    ),
    "the release alone": replace(_known, beta=_release),  # refuted: the test errs too
    "5 % errors": replace(_known, beta="1/20", gamma=2, inputs=[7]),  # for some ε only
}
known_epsilon = float(roots(30 * exp(-eps) - 1)[0])  # α = γ = 2

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    kappa = float(claims["known bound"].tightest(width="1e-4").kappa)
    print(f"known bound: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"5 % errors above 2 at a count of 7: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

"""AboveThreshold: is there an answer at or above the threshold? (paper, section 3.4).

For: watching a stream of queries and paying only for the one that matters.

Known bound: Dwork and Roth 2014, Theorem 3.24 (the paper's Lemma 4): where all answers
that count are more than α away from the threshold, the output is wrong with probability at
most 2m·e^{−αε/8}. It is a union bound: the threshold's noise and each answer's are at most
α/2 except with probability e^{−αε/4} and e^{−αε/8}; the first is rounded up to m·e^{−αε/8}.

Two samples whose sum reaches α need not reach α/2 each, so the rate 1/8 is half of the true
rate: noise of rate ε/4 exceeds independent noise of rate ε/2 by α with probability
(4·e^{−αε/4} − e^{−αε/2})/6, and the union bound over m answers gives 2m/3·e^{−αε/4}.
"""

from exactdp import Accuracy, AllReals, Mechanism, Real, alpha, eps, exp, lap, mechanism, roots


def above_threshold(m: int = 3, threshold: int = 0) -> Mechanism:
    """Return False for each answer below the threshold, then True for the first that is not."""

    @mechanism
    def above_threshold(q: Real[m]):
        noisy_threshold = lap(eps / 2, threshold)
        out = []
        for i in range(m):
            r = lap(eps / 4, q[i])
            if r >= noisy_threshold:
                out.append(True)
                return out
            out.append(False)
        return out

    return above_threshold


claims = {
    "known bound": Accuracy(  # holds
        above_threshold(), beta=6 * exp(-alpha * eps / 8), inputs=AllReals()
    ),
    "a sixth of it": Accuracy(  # holds
        above_threshold(), beta=exp(-alpha * eps / 8), inputs=AllReals()
    ),
    "a seventh of it": Accuracy(  # refuted
        above_threshold(), beta=6 * exp(-alpha * eps / 8) / 7, inputs=AllReals()
    ),
    "twice the rate": Accuracy(  # holds; tight as αε → ∞
        above_threshold(), beta=2 * exp(-alpha * eps / 4), inputs=AllReals()
    ),
    "5 % errors": Accuracy(  # for some ε only
        above_threshold(), beta="1/20", inputs=[[-1, -1, 1]]
    ),
}
known_epsilon = float(roots(20 * 6 * exp(-eps / 8) - 1)[0])

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "twice the rate"):
        kappa = float(claims[name].tightest(width="1e-4").kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"5 % errors at [-1, -1, 1]: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

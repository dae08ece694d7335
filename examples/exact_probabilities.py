"""Exact probabilities: the error of AboveThreshold at an input, for every ε, and by simulation.

The paper's Lemma 4 bounds the probability of a wrong answer by 2m·e^{−αε/8} where every
query is at least α away from the threshold. Here m = 2 and α = 1, so the bound is 4·e^{−ε/8}.
"""

from exactdp import Mechanism, certify, nonnegative, parse, supremum

SOURCE = """
def above_threshold(q: Real[2]):
    noisy_threshold = lap(eps / 2, 0)
    out = []
    for i in range(2):
        if lap(eps / 4, q[i]) >= noisy_threshold:
            out.append(True)
            return out
        out.append(False)
    return out
"""


def main() -> None:
    """Print the answers."""
    mechanism = Mechanism.from_source(SOURCE)
    u = [-1, 1]
    print(mechanism.explain())
    print()

    print("The exact distribution of the output at", u)
    found = mechanism.distribution(u)
    runs = 100_000
    sampled = mechanism.sample(u, 2, runs, seed=1)
    for output, chance in found.items():
        share = sampled.count(output) / runs
        exact = chance.at(2).text(6)
        print(f"  {output!s:15} {chance.pretty()}")
        print(f"  {'':15} at ε = 2: exactly {exact}, simulated {share:.4f}")
    print()

    error = 1 - mechanism.within(u, 0)
    decision = nonnegative(parse("4*exp(-1/8*eps)") - error)
    print("The lemma's bound at this input, for every ε > 0.", decision)
    print("Checked again by the independent checker:", certify.check(decision.certificate).reason)
    print("The best factor before e^(−ε/8) here is", supremum(error / parse("exp(-1/8*eps)")))


if __name__ == "__main__":
    main()

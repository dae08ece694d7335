"""All real inputs at once: Lemma 3 proved and made tight, and a stronger bound refuted."""

from exactdp import Accuracy, AllReals, Mechanism, alpha, eps, exp

SOURCE = """
def noisy_max(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""


def main() -> None:
    """Print the answers."""
    noisy_max = Mechanism.from_source(SOURCE)
    lemma = Accuracy(noisy_max, beta=3 * exp(-alpha * eps / 2), inputs=AllReals())
    print(lemma.check())
    print(lemma.tightest(width="1e-4"))
    print()
    stronger = Accuracy(noisy_max, beta=3 * exp(-alpha * eps), inputs=AllReals())
    print("With twice the rate:", stronger.check().counterexample)
    print()
    print("Pr(0), where an input x stands for ε·x:")
    print(noisy_max.probability(AllReals(), 0))


if __name__ == "__main__":
    main()

"""Accuracy claims: decide a lemma of the paper, refute a stronger claim, and find the tight bound.

The paper's Lemma 4 states that AboveThreshold with m queries is wrong with probability at most
2m·e^{−αε/8} at inputs whose distance to disagreement is above α.
"""

from exactdp import Accuracy, Grid, Mechanism, alpha, eps, exp

SOURCE = """
def above_threshold(q: Real[3]):
    noisy_threshold = lap(eps / 2, 0)
    out = []
    for i in range(3):
        if lap(eps / 4, q[i]) >= noisy_threshold:
            out.append(True)
            return out
        out.append(False)
    return out
"""


def main() -> None:
    """Print the answers."""
    mechanism = Mechanism.from_source(SOURCE)
    lemma = Accuracy(mechanism, beta=6 * exp(-alpha * eps / 8), inputs=Grid(-2, 2))
    print(lemma.check())
    print()

    u = [-2, -1, 2]
    print(f"At {u}:", lemma.disagreement(u))
    print(lemma.tightest())
    print()

    twice = Accuracy(mechanism, beta=6 * exp(-alpha * eps / 4), inputs=Grid(-2, 2))
    print("With twice the rate:", twice.check().sentence)
    too_much = Accuracy(mechanism, beta=6 * exp(-alpha * eps / 3), inputs=Grid(-2, 2))
    print(too_much.check().sentence)
    print("It holds exactly for ε in", too_much.epsilons())
    print()

    curve = lemma.error_probability(u)
    points = [1, 4, 16, 64]
    for budget, exact, claimed in zip(
        points, curve.values(points), curve.claimed_values(points), strict=True
    ):
        print(f"ε = {budget:2}: the error is {exact:.6f}, claimed is at most {claimed:.6f}")
    print("An error of at most 5 % at this input:")
    at_u = Accuracy(mechanism, beta="1/20", inputs=[u])
    print(at_u.smallest_epsilon())


if __name__ == "__main__":
    main()

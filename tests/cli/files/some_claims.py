# mypy: ignore-errors
"""Claims of every kind: in variables, a list and a dictionary; true, false, empty."""

from exactdp import Accuracy, AllReals, Grid, Mechanism, Real, alpha, eps, exp, lap, mechanism


def noisy_max(m: int = 2) -> Mechanism:
    """Return the index of the largest answer."""

    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max


@mechanism
def positive(q: Real):
    """Say whether the answer is positive."""
    return lap(eps, q) > 0


def fails(m: int) -> Accuracy:
    """Claim too much."""
    return Accuracy(noisy_max(m), beta=exp(-alpha * eps) / 2, inputs=Grid(-1, 1))


lemma = Accuracy(noisy_max(), beta=2 * exp(-alpha * eps / 2), inputs=Grid(-1, 1))
claims = [Accuracy(positive, beta=exp(-alpha * eps) / 2, inputs=AllReals()), fails(2)]
table = {
    "a number": Accuracy(positive, beta="1/4", inputs=[2], epsilon="[1, inf)"),
    "silent": Accuracy(positive, beta="1/4", inputs=[0]),
}
again = lemma  # the same claim, which has a name already
_draft = fails(3)  # not for others

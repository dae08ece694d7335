"""NoisyMax: the index of the largest answer (paper, section 3.3).

For: finding the most common disease, the best model or the largest group, without its size.

Known bounds. Laplace noise: Barthe, Gaboardi, Grégoire, Hsu and Strub 2016 (A program logic for
union bounds), Theorem 6: the answer found is more than γ below the largest with probability at
most m·e^{−γε/4}. The paper's Lemma 3 states the same for the index: m·e^{−αε/2} where the
largest answer is more than 2α above the others (a union bound over m noises of at most α each).
Exponential noise: a smaller answer wins only if its noise is above that of the largest by the
gap 2α, which has probability e^{−αε}/2; union bound over the others: (m − 1)/2·e^{−αε}.
Permute-and-flip (McKenna and Sheldon 2020) is equivalent to exponential noise (Ding, Kifer, et
al. 2021) and never worse than the exponential mechanism: for each t, an answer t or more below
the largest is no more probable. Both are decided here, for every ε.
NoisyMax with gap (Ding, Wang, Zhang, Kifer 2019) also releases by how much the winner leads:
index and gap are correct within γ if no noise is above γ/2 and the true gap is at least γ: union
bound, m·e^{−γε/4}.
"""

from dataclasses import replace
from fractions import Fraction
from math import log

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Dom,
    Mechanism,
    Real,
    alpha,
    choose,
    discrete,
    eps,
    exp,
    expmech,
    expo,
    gamma,
    lap,
    mechanism,
    sup,
    value_gap,
)


def noisy_max(m: int = 3) -> Mechanism:
    """Add Laplace noise to each answer and return the index of the largest."""

    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max


def noisy_max_exponential(m: int = 3) -> Mechanism:
    """Return the index of the largest answer after adding one-sided exponential noise."""

    @mechanism
    def noisy_max_exponential(q: Real[m]):
        best, top = 0, expo(eps / 2, q[0])
        for i in range(1, m):
            r = expo(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max_exponential


def noisy_max_figure(m: int = 3) -> Mechanism:
    """Return the index of the largest answer as in the paper's figure: add all noise first."""

    @mechanism
    def noisy_max_figure(q: Real[m]):
        noisy = []
        for i in range(m):
            noisy.append(lap(eps / 2, q[i]))
        return max(range(m), key=lambda i: noisy[i])

    return noisy_max_figure


def permute_and_flip(m: int = 3, most: int = 2) -> Mechanism:
    """Flip coins for the indices in random order; return the first index that gets heads.

    An index gets heads with probability e^{−ε·(how far it is below the best)/2}; the best
    always does, so the loop ends.
    """

    @mechanism
    def permute_and_flip(q: Dom(0, most)[m]):
        left = list(range(m))
        while True:
            i = choose({j: Fraction(1, len(left)) for j in left})
            heads = exp(eps * (q[i] - max(q)) / 2)
            if choose({True: heads, False: 1 - heads}):
                return i
            left = [j for j in left if j != i]

    return permute_and_flip


def exponential_max(m: int = 3, most: int = 2) -> Mechanism:
    """Return an index with weight e^{ε·answer/2}: the exponential mechanism."""

    @mechanism
    def exponential_max(q: Dom(0, most)[m]):
        return expmech(eps / 2, lambda i: q[i], range(m))

    return exponential_max


def noisy_max_with_gap(m: int = 3) -> Mechanism:
    """Return how far the largest answer is above the second, in its place; None elsewhere."""

    @mechanism
    def noisy_max_with_gap(q: Real[m]):
        best, top, second = 0, lap(eps / 2, q[0]), lap(eps / 2, q[1])
        if second > top:
            best, top, second = 1, second, top
        for i in range(2, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top, second = i, r, top
            elif r > second:
                second = r
        return [top - second if i == best else None for i in range(m)]

    return noisy_max_with_gap


_known = Accuracy(noisy_max(), beta=3 * exp(-alpha * eps / 2), inputs=AllReals())
# An error is an index whose answer is not the largest; in a tie, either index is correct.
_exponential = Accuracy(
    exponential_max(), beta="1/2", alpha=0, input_distance=discrete, output_distance=value_gap
)
_above_1 = replace(_exponential, gamma=1)
_flip = replace(
    _exponential,
    mechanism=permute_and_flip(),
    ideal=_exponential.mechanism.noiseless(),
    beta=lambda q: _exponential.error_probability(q).exact,
)
claims = {
    "known bound": _known,  # holds
    "known bound, value": Accuracy(  # holds; the same κ
        noisy_max(),
        beta=3 * exp(-gamma * eps / 4),
        alpha=0,
        gamma=ANY,
        input_distance=discrete,
        output_distance=value_gap,
        inputs=AllReals(),
    ),
    "twice the rate": replace(_known, beta=3 * exp(-alpha * eps)),  # refuted
    "exponential noise": replace(  # holds; tight
        _known, mechanism=noisy_max_exponential(), beta=exp(-alpha * eps)
    ),
    "permute-and-flip is never worse": _flip,  # holds; tight as ε → 0
    "permute-and-flip, errors above 1": replace(  # holds; tight as ε → 0
        _flip, gamma=1, beta=lambda q: _above_1.error_probability(q).exact
    ),
    "permute-and-flip halves the error": replace(  # refuted: only as ε → ∞
        _flip, beta=lambda q: _exponential.error_probability(q).exact / 2
    ),
    "index and gap": Accuracy(  # holds
        noisy_max_with_gap(),
        beta=3 * exp(-gamma * eps / 4),
        alpha=0,
        gamma=1,
        input_distance=discrete,
        output_distance=sup,
        inputs=[[0, 0, 1], [0, 0, 2], [0, 1, 3]],
    ),
    "5 % errors": replace(_known, beta="1/20", inputs=[[0, 0, 2]]),  # for some ε only
}
known_epsilon = 2 * log(3 / 0.05)

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "index and gap"):
        kappa = float(claims[name].tightest(width="1e-4").kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"5 % errors at [0, 0, 2]: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")
    same = all(
        permute_and_flip().probability(u, i) == noisy_max_exponential().probability(u, i)
        for u in ([0, 1, 2], [2, 2, 0], [1, 0, 0])
        for i in range(3)
    )
    print("Permute-and-flip and exponential noise have the same closed forms:", same)

"""Randomized response: each person tells the truth a little more often than not.

For: surveys in which nobody has to be trusted (Warner 1965).

Known bounds. A bit is reported falsely with probability 1/(1 + e^ε) (Dwork and Roth 2014, section
3.2, for ε = ln 3), so some of n are with probability at most n/(1 + e^ε), by a union bound.
k answers (Kairouz, Oh and Viswanath 2014): truth with weight e^ε, each other answer with weight
1, so a lie has probability (k − 1)/(e^ε + k − 1): an equality.
The majority of n reports, where all n bits agree: with p = 1/(1 + e^ε) it is wrong with
probability at most (4p(1 − p))^{n/2}, the Chernoff bound. Where the bits do not agree, no such
bound can hold.
"""

from dataclasses import replace
from math import log

from exactdp import (
    Accuracy,
    Dom,
    Ideal,
    Mechanism,
    choose,
    discrete,
    eps,
    exp,
    ideal,
    mechanism,
)


def randomized_response(n: int = 2) -> Mechanism:
    """Report n bits, each true with probability e^ε / (1 + e^ε)."""

    @mechanism
    def randomized_response(bits: Dom(0, 1)[n]):
        truth = exp(eps) / (1 + exp(eps))
        return [choose({b: truth, 1 - b: 1 - truth}) for b in bits]

    return randomized_response


def truthful(n: int = 2) -> Ideal:
    """Report the bits as they are: the ideal that randomized response approximates."""

    @ideal
    def truthful(bits: Dom(0, 1)[n]):
        return bits

    return truthful


def coin_response() -> Mechanism:
    """Answer one yes/no question: truthfully on heads, by a second coin on tails.

    The first coin lands heads with probability (e^ε − 1)/(e^ε + 1).
    """

    @mechanism
    def coin_response(answer: bool):
        heads = (exp(eps) - 1) / (exp(eps) + 1)
        if choose({True: heads, False: 1 - heads}):
            return answer
        return choose({True: 0.5, False: 0.5})

    return coin_response


def one_of(k: int = 4) -> Mechanism:
    """Report one of k answers: the true one with weight e^ε, each other with weight 1."""

    @mechanism
    def one_of(answer: Dom(0, k - 1)):
        truth = exp(eps) / (exp(eps) + k - 1)
        lie = 1 / (exp(eps) + k - 1)
        return choose({v: truth if v == answer else lie for v in range(k)})

    return one_of


def majority_of_reports(n: int = 3) -> Mechanism:
    """Return whether more than half of n people report 1."""

    @mechanism
    def majority_of_reports(bits: Dom(0, 1)[n]):
        truth = exp(eps) / (1 + exp(eps))
        return 2 * sum(choose({b: truth, 1 - b: 1 - truth}) for b in bits) > n

    return majority_of_reports


_known = Accuracy(
    randomized_response(),
    beta=2 / (1 + exp(eps)),
    alpha=0,
    ideal=truthful(),
    input_distance=discrete,
)
_majority = Accuracy(
    majority_of_reports(),
    beta=8 * exp(3 * eps / 2) / (1 + exp(eps)) ** 3,
    alpha=0,
    ideal=lambda bits: 2 * sum(bits) > 3,
    input_distance=discrete,
)
claims = {
    "known bound": _known,  # holds; tight as ε → ∞
    "one bit's bound for both": replace(_known, beta=1 / (1 + exp(eps))),  # refuted
    "one of four": Accuracy(  # holds; tight everywhere
        one_of(), beta=3 / (exp(eps) + 3), alpha=0, ideal=lambda v: v, input_distance=discrete
    ),
    "majority of three, unanimous": replace(_majority, inputs=[[0, 0, 0], [1, 1, 1]]),  # holds
    "majority of three": _majority,  # refuted
    "5 % errors": replace(_known, beta="1/20"),  # for some ε only
}
known_epsilon = log(2 / 0.05 - 1)

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "one of four", "majority of three, unanimous"):
        kappa = float(claims[name].tightest().kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"Both bits true in 95 % of runs: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

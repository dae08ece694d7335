"""Randomized response: each person tells the truth a little more often than not."""

from exactdp import Dom, Ideal, Mechanism, choose, eps, exp, ideal, mechanism


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

    The first coin falls heads with probability (e^ε − 1)/(e^ε + 1).
    """

    @mechanism
    def coin_response(answer: bool):
        heads = (exp(eps) - 1) / (exp(eps) + 1)
        if choose({True: heads, False: 1 - heads}):
            return answer
        return choose({True: 0.5, False: 0.5})

    return coin_response


if __name__ == "__main__":
    print(randomized_response().explain())

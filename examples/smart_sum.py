"""Private smart sum: all prefix sums from noisy blocks (paper, section 5.2; Chan, Shi, Song).

For: counting a stream, with an answer after every step, where no sum may be far off.

A number affects its own sample and its block's, so this program is 2ε-private.

Known bound: Chan, Shi and Song 2011 (Private and continual release of statistics) bound the error
of one sum of k Laplace noises: by their Lemma 2.8 it is above γ with probability at most
2·e^{−γε/(2√2)} where γε ≥ 2√2·k. For a few steps and all times together the union bound is better:
with two full blocks a sum contains at most two of the four samples, so all sums are
within γ if all samples are within γ/2, and the probability of an error is at most 4·e^{−γε/2}.
With three blocks a sum contains up to three of six samples: 6·e^{−γε/3}.
"""

from dataclasses import replace
from math import log

from exactdp import (
    Accuracy,
    Mechanism,
    Real,
    discrete,
    eps,
    exp,
    gamma,
    ideal,
    lap,
    mechanism,
    sup,
)


def smart_sum(m: int = 4, block: int = 2) -> Mechanism:
    """Release every prefix sum of m numbers; a full block is released with one sample."""

    @mechanism
    def smart_sum(q: Real[m]):
        done = 0  # the noisy sum of the full blocks
        part = 0  # the exact sum of the current block
        running = 0  # the noisy sum of the current block
        out = []
        for i in range(m):
            part = part + q[i]
            if (i + 1) % block == 0:
                done = done + lap(eps, part)
                part = 0
                running = 0
                out.append(done)
            else:
                running = running + lap(eps, q[i])
                out.append(done + running)
        return out

    return smart_sum


@ideal
def last(q: Real[4], one: Real[4], two: Real[4]):  # noqa: ARG001
    """Return the distance between the last sums."""
    return abs(one[3] - two[3])


# The error does not depend on the input, so one input represents all.
_known = Accuracy(
    smart_sum(),
    beta=4 * exp(-gamma * eps / 2),
    alpha=0,
    gamma=1,
    input_distance=discrete,
    output_distance=sup,
    inputs=[[0, 0, 0, 0]],
)
claims = {
    "known bound": _known,  # holds
    "a third of it": replace(_known, beta=4 * exp(-gamma * eps / 2) / 3),  # refuted
    "six steps": replace(  # holds
        _known, mechanism=smart_sum(6), beta=6 * exp(-gamma * eps / 3), inputs=[[0] * 6]
    ),
    "the last sum alone": replace(  # holds; tight: the tail of a sum of two Laplace noises
        _known, beta=(1 + gamma * eps / 2) * exp(-gamma * eps), output_distance=last
    ),
    "5 % errors": replace(_known, beta="1/20"),  # for some ε only
}
known_epsilon = 2 * log(4 / 0.05)

if __name__ == "__main__":
    for name, claim in claims.items():
        print(f"{name}: {claim.check().sentence}")
    for name in ("known bound", "six steps", "the last sum alone"):
        kappa = float(claims[name].tightest().kappa)
        print(f"{name}: it may be divided by {kappa:.4f} and no more.")
    needed = float(claims["5 % errors"].smallest_epsilon())
    print(f"5 % errors above 1: ε = {known_epsilon:.4f} by the known bound;")
    print(f"ε = {needed:.4f} is enough.")

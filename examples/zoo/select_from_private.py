"""The best of a random number of runs of a private mechanism.

Source: Liu and Talwar, "Private selection from private candidates", STOC 2019, theorem 3.1 for
random stopping.
Bound: if each run is eps-private, the best of them is 3 eps-private.
"""

from exactdp import Dom, Privacy, bernoulli, choose, eps, exp, mechanism


@mechanism
def best(x: Dom(0, 1)):
    """Return the best of some responses; after each one, a coin decides whether to stop."""
    found = 0
    going = True
    while going:
        flip = 1 / (1 + exp(eps))
        found = max(found, choose({x: 1 - flip, 1 - x: flip}))
        going = bernoulli(1 / 2) == 1
    return found


claim = Privacy(best, budget=3 * eps)

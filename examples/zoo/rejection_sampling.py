"""A uniform number from {0, 1, 2}, by rejection sampling with fair coins.

Source: von Neumann, "Various techniques used in connection with random digits" (1951).
Bound: each number has probability 1/3, so a guess is wrong with probability 2/3.
"""

from exactdp import Accuracy, Ideal, bernoulli, mechanism, observe


@mechanism
def three():
    """Return one of three numbers with the same probability."""
    found = 2 * bernoulli(0.5) + bernoulli(0.5)
    observe(found < 3)
    return found


zero = Ideal.from_source("def zero(): return 0")
claim = Accuracy(three, "2/3", ideal=zero)

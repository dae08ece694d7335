"""A sum of four Laplace noises, as released by a tree or a stream.

Source: Chan, Shi and Song, "Private and continual release of statistics", TISSEC 14(3) (2011),
lemma 2.8.
Bound: the sum exceeds lam in one direction with probability at most exp(-lam^2/(8 nu^2)) for lam
< 2 sqrt(2) nu^2/b, where b = 1/eps and nu^2 >= 4 b^2; at lam = 8/eps, nu^2 = 4/eps^2: exp(-2).
"""

from exactdp import Accuracy, Ideal, eps, lap, mechanism


@mechanism
def above():
    """Return whether the sum exceeds 8 / eps."""
    return sum([lap(eps, 0) for _ in range(4)]) > 8 / eps


never = Ideal.from_source("def never(): return False")
claim = Accuracy(above, 0.13533, ideal=never, epsilon=1)  # slightly less than exp(-2)

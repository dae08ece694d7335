"""Three shuffled randomized responses: only the number of ones is seen.

Source: Cheu, Smith, Ullman, Zeber and Zhilyaev, "Distributed differential privacy via shuffling",
EUROCRYPT 2019, for the model.
Bound: shuffling never costs privacy: eps-private, like each response; the exact factor shows how
much three users gain.
"""

from exactdp import Dom, Privacy, choose, eps, exp, mechanism, one_entry


@mechanism
def ones(x: Dom(0, 1)[3]):
    """Return how many of three responses are 1."""
    flip = 1 / (1 + exp(eps))
    return sum([choose({x[i]: 1 - flip, 1 - x[i]: flip}) for i in range(3)])


claim = Privacy(ones, budget=eps, adjacent=one_entry)

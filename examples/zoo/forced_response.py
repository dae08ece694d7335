"""Forced response: a die determines whether to answer yes, no, or the truth.

Source: Boruch, "Assuring confidentiality of responses in social research", The American
Sociologist 6 (1971).
Bound: with yes forced in one of six cases and no in another, no set of answers is more than 2/3
more likely for one person than for another (recomputed by us).
"""

from exactdp import Dom, Privacy, choose, mechanism


@mechanism
def forced(x: Dom(0, 1)):
    """Return the truth with probability 2/3, else a forced answer."""
    return choose({x: 5 / 6, 1 - x: 1 / 6})


claim = Privacy(forced, budget=0, delta="2/3")

"""Cauchy noise for a smooth bound on the sensitivity.

Source: Nissim, Raskhodnikova and Smith, STOC 2007, lemma 2.7.
Bound: the density decays like a power, so probabilities have no closed form in e^eps.
"""

PROGRAM = """
def noisy(q: Real):
    return cauchy(eps, q)
"""

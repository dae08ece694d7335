"""Cauchy noise for a smooth bound on the sensitivity.

Source: Nissim, Raskhodnikova and Smith, STOC 2007, lemma 2.7.
Bound: the density falls like a power, so probabilities are no closed forms in e^eps.
"""

PROGRAM = """
def noisy(q: Real):
    return cauchy(eps, q)
"""

"""Noise scaled to a smooth bound on the local sensitivity.

Source: Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data
analysis", STOC 2007.
Bound: the scale is S(x)/alpha with S a maximum of e^(-k beta) times local sensitivities.
"""

PROGRAM = """
def noisy(q: Real):
    return lap(eps * exp(-eps / 2), q)
"""

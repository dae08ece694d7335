"""The Gaussian mechanism.

Source: Dwork and Roth 2014, theorem A.1.
Bound: an error above 2 sigma has probability about 4.6 %.
"""

PROGRAM = """
def noisy(q: Real):
    return gauss(q, 1)
"""

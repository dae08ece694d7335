"""The staircase mechanism: a geometric number of steps plus uniform noise inside one.

Source: Geng, Kairouz, Oh and Viswanath, "The staircase mechanism in differential privacy", IEEE
Journal of Selected Topics in Signal Processing 9(7) (2015).
Bound: the least expected error of all noise that is added to the answer, for a given eps.
"""

PROGRAM = """
def noisy(q: Real):
    return q + geometric(eps) + unif(0, 1)
"""

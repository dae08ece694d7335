"""Multiplicative noise: one noisy number times another.

Source: multiplicative masking of microdata, as used by statistical offices.
Bound: none is stated for Laplace noise.
"""

PROGRAM = """
def noisy(q: Real):
    return lap(eps, q) * lap(eps, 1)
"""

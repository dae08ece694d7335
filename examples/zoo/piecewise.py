"""The piecewise mechanism: uniform noise near the value, or anywhere.

Source: Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu, "Collecting and analyzing multidimensional
data with local differential privacy", ICDE 2019.
Bound: the output lies in [-C, C] with C = (e^(eps/2) + 1)/(e^(eps/2) - 1), and the variance is at
most 4 e^(eps/2)/(3 (e^(eps/2) - 1)^2).
"""

PROGRAM = """
def perturbed(x: Real):
    size = (exp(eps / 2) + 1) / (exp(eps / 2) - 1)
    return unif(-size, size)
"""

INPUT = 0

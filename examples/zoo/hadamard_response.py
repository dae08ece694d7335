"""Hadamard response for three values.

Source: Acharya, Sun and Zhang, "Hadamard response: estimating distributions privately,
efficiently, and with little communication", AISTATS 2019.
Bound: the report lies in the half that belongs to the value with probability e^eps/(1 + e^eps).
"""

from exactdp import Accuracy, Dom, Ideal, choose, eps, exp, mechanism


def entry(row, column):
    """Return whether this entry of the Hadamard matrix is 1, and not -1."""
    return (row & column).bit_count() % 2 == 0


@mechanism
def inside(x: Dom(1, 3)):
    """Return whether the report lies in the half of the value."""
    total = 2 * exp(eps) + 2
    report = choose({y: (exp(eps) if entry(x, y) else 1) / total for y in range(4)})
    return entry(x, report)


always = Ideal.from_source("def always(x: Dom(1, 3)): return True")
claim = Accuracy(inside, 1 / (exp(eps) + 1), ideal=always)

# mypy: ignore-errors
"""A claim that stays undecided, for γ grows with the square of α, which no theorem covers."""

from exactdp import Accuracy, Dom, alpha, dlap, eps, exp, mechanism, sup


@mechanism
def count(x: Dom(0, 9)):
    """Release a number."""
    return dlap(eps, x)


hard = Accuracy(count, beta=exp(-alpha * eps), gamma=alpha * alpha, output_distance=sup, inputs=[4])

"""The mean of numbers in [0, 1], with Laplace noise.

Source: Dwork and Roth 2014, example 3.1 and theorem 3.8, for a mean of 4 numbers, of sensitivity
1/4.
Bound: the error exceeds t with probability exp(-4 t eps); here t = 1/2.
"""

from exactdp import Accuracy, Box, Real, eps, exp, lap, mechanism


@mechanism
def mean(x: Real[4]):
    """Return the noisy mean."""
    return lap(4 * eps, (x[0] + x[1] + x[2] + x[3]) / 4)


claim = Accuracy(
    mean, exp(-2 * eps), gamma=1 / 2, alpha=0, input_distance="discrete", inputs=Box(0, 1)
)

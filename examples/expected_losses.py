"""Expected losses: the exact mean of errors, regrets and estimators.

For: a designer who knows a bound on a mean from the literature, and wants the exact value.

1. A noisy count has the mean absolute error 1/ε, at every input.
2. The expected regret of report noisy max with two queries is at most 0.587/ε, for all real inputs.
3. Randomized response: the usual estimator has no bias and the variance e^ε/(e^ε − 1)².
4. Duchi's bit for numbers in [−1, 1]: the estimator ±(e^ε + 1)/(e^ε − 1) has no bias, and its mean
   squared error is largest at 0.
"""

from fractions import Fraction

from exactdp import Dom, Expected, Mechanism, Real, choose, eps, exp, lap, mechanism


@mechanism
def count(x: Real):
    """Return a number with Laplace noise."""
    return lap(eps, x)


@mechanism
def larger(q: Real[2]):
    """Return which of two numbers is larger."""
    return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0


@mechanism
def response(bit: Dom(0, 1)):
    """Return a bit, possibly flipped."""
    return choose({bit: exp(eps) / (exp(eps) + 1), 1 - bit: 1 / (exp(eps) + 1)})


@mechanism
def duchi(x: Dom([-1, Fraction(-1, 2), 0, Fraction(1, 2), 1])):
    """Return a random sign whose mean is proportional to a number."""
    p = (1 + x * (exp(eps) - 1) / (exp(eps) + 1)) / 2
    return choose({1: p, -1: 1 - p})


def _bit_estimate(answer):
    """Return the estimate of a bit from an answer of randomized response."""
    return (answer * (exp(eps) + 1) - 1) / (exp(eps) - 1)


def _duchi_estimate(answer):
    """Return the estimate of a number from Duchi's bit."""
    return answer * (exp(eps) + 1) / (exp(eps) - 1)


error = Expected(count, "absolute", at_most=1 / eps)
regret = Expected(larger, "regret", at_most=Fraction(587, 1000) / eps)
too_little = Expected(larger, "regret", at_most=Fraction(58, 100) / eps)
unbiased = [
    Expected(duchi, lambda x, y: _duchi_estimate(y) - x, at_most=0),
    Expected(duchi, lambda x, y: x - _duchi_estimate(y), at_most=0),
]
squared = Expected(
    duchi,
    lambda x, y: (_duchi_estimate(y) - x) ** 2,
    at_most=((exp(eps) + 1) / (exp(eps) - 1)) ** 2,
)


def _moments(given: Mechanism, u: object, estimate) -> str:
    """Return the bias and the variance of an estimator."""
    bias = given.expectation(u, lambda u, y: estimate(y) - u)
    return f"bias {bias}, variance {given.variance(u, estimate)}"


if __name__ == "__main__":
    for claim in (error, regret, too_little, *unbiased, squared):
        print(claim.check().sentence)
    print(regret.tightest())
    print(f"Randomized response at 1: {_moments(response, 1, _bit_estimate)}")
    print(f"Duchi's bit at 1/2: {_moments(duchi, Fraction(1, 2), _duchi_estimate)}")

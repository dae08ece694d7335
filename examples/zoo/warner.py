"""Warner's survey: a question or its negation is answered.

Source: Warner, "Randomized response: a survey technique for eliminating evasive answer bias", JASA
60 (1965).
Bound: the variance of the estimate is f(1 - f)/n + p(1 - p)/(n (2p - 1)^2); for one person, who has
the property or not, it is the second term, with p = e^eps/(1 + e^eps).
"""

from exactdp import Dom, Expected, bernoulli, eps, exp, mechanism

p = exp(eps) / (1 + exp(eps))


@mechanism
def answer(x: Dom(0, 1)):
    """Return yes or no to the question, or to its negation."""
    asked = bernoulli(exp(eps) / (1 + exp(eps)))
    return x if asked else 1 - x


def squared(x, y):
    """Return the squared error of the unbiased estimate."""
    return ((y - 1 + p) / (2 * p - 1) - x) ** 2


claim = Expected(answer, squared, at_most=p * (1 - p) / (2 * p - 1) ** 2)

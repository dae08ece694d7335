# mypy: ignore-errors
"""Error bounds, as a user would write them."""

from exactdp import ErrorBound, Real, eps, lap, mechanism


@mechanism
def count(x: Real):
    """Return a number with noise."""
    return lap(eps, x)


@mechanism
def largest(q: Real[2]):
    """Return the position of the larger number."""
    return 0 if lap(eps / 2, q[0]) > lap(eps / 2, q[1]) else 1


@mechanism
def pair(q: Real[2]):
    """Return two numbers with noise."""
    return [lap(eps, x) for x in q]


goal = ErrorBound(count, within=10, risk="5%", epsilon="[1/2, 2]")
clear = ErrorBound(largest, within=0, risk="10%", inputs=[[1, 0], [3, 0]], epsilon=1)
each = ErrorBound(pair, within=10, risk="5%", epsilon=1, simultaneous=False)
question = ErrorBound(count, risk="5%")  # no claim: within is asked for

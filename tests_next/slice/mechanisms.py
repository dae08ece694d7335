"""Mechanisms of the tests: they are read, not run, so their annotations are no types."""

# mypy: ignore-errors

from exactdp_next.language.samplers import lap
from exactdp_next.language.types import Real
from exactdp_next.public.mechanism import Mechanism, mechanism
from exactdp_next.ring.expr import eps


def noisy_max(m: int) -> Mechanism:
    """Return the index of the largest of m noisy numbers."""

    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max


@mechanism
def answer_or_none(q: Real):
    """Return the input itself where a noisy copy of it is positive."""
    if lap(eps, q) > 0:
        return q
    return None


@mechanism
def between(q: Real[2]):
    """Compare two noisy numbers twice."""
    first, second = lap(eps, q[0]), lap(eps, q[1])
    if first <= second:
        return 0
    if first > second + 1:
        return 1
    return 0


def one_or(value: object) -> Mechanism:
    """Return 1 if a noisy number is positive, else a value."""

    @mechanism
    def one_or(q: Real):
        if lap(eps, q) > 0:
            return 1
        return value

    return one_or

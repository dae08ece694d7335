# mypy: ignore-errors
# A mechanism is read, not run: `q: Real[m]` is no type to mypy.
"""Programs whose cost is measured, in addition to those of the paper."""

from __future__ import annotations

from exactdp import Dom, Mechanism, Real, choose, eps, exp, expo, lap, mechanism
from exactdp.reproduce.programs import noisy_max, sparse, sparse_variant

__all__ = [
    "above_threshold",
    "all_noise_first",
    "exponential_max",
    "noisy_max",
    "random_walk",
    "randomized_response",
    "range_of_noise",
    "sparse",
    "sparse_variant",
    "sum_of_noise",
]


def above_threshold(m: int) -> Mechanism:
    """Return which of m answers is the first above a noisy threshold; ε-private."""

    @mechanism
    def above_threshold(q: Real[m]):
        threshold = lap(eps / 2, 0)
        out = []
        for i in range(m):
            out.append(lap(eps / 4, q[i]) >= threshold)
            if sum(out) == 1:
                break
        return out

    return above_threshold


def exponential_max(m: int) -> Mechanism:
    """Return the index of the largest query with one-sided exponential noise."""

    @mechanism
    def exponential_max(q: Real[m]):
        best, top = 0, expo(eps / 2, q[0])
        for i in range(1, m):
            r = expo(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return exponential_max


def randomized_response(n: int) -> Mechanism:
    """Report n bits, each true with probability e^ε / (1 + e^ε)."""

    @mechanism
    def randomized_response(bits: Dom(0, 1)[n]):
        truth = exp(eps) / (1 + exp(eps))
        return [choose({b: truth, 1 - b: 1 - truth}) for b in bits]

    return randomized_response


def sum_of_noise(n: int) -> Mechanism:
    """Return whether the sum of n noises is at least 1."""

    @mechanism
    def sum_of_noise():
        total = lap(eps, 0)
        for _ in range(n - 1):
            total = total + lap(eps, 0)
        return total >= 1

    return sum_of_noise


def random_walk(n: int) -> Mechanism:
    """Return whether a sum of n noises that was never below −1 is at least 1."""

    @mechanism
    def random_walk():
        total = lap(eps, 0)
        for _ in range(n - 1):
            if total < -1:
                return False
            total = total + lap(eps, 0)
        return total >= 1

    return random_walk


def all_noise_first(n: int) -> Mechanism:
    """Return the index of the largest of n noisy queries, with all noise drawn first."""

    @mechanism
    def all_noise_first(q: Real[n]):
        noisy = [lap(eps / 2, q[i]) for i in range(n)]
        return max(range(n), key=lambda i: noisy[i])

    return all_noise_first


def range_of_noise(n: int) -> Mechanism:
    """Return whether the largest and the least of n noises are at least 1 apart."""

    @mechanism
    def range_of_noise():
        noisy = [lap(eps, 0) for i in range(n)]
        return max(noisy) - min(noisy) >= 1

    return range_of_noise

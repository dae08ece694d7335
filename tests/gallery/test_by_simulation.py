"""The errors of the gallery, met from outside: many runs of each, written again in numpy.

Nothing of exactdp runs in the simulations. They are written from the sources that the files name,
for all runs at once; the seed is fixed, so a test gives the same answer each time.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest

from gallery.test_gallery import claims_of, module

SIZE = 250_000  # a million were run once, with the same result
ANSWERS, COUNTS = np.array([0, 1, 2]), np.array([0, 0, 2])
Runs = Any
"""An array with one entry, or one row, for each run."""


class Noise:
    """Independent noise for all runs."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(8)

    def laplace(self, rate: float, columns: int = 1) -> Runs:
        """Return noise with density rate/2·e^{−rate·|x|}."""
        found = self.random.laplace(scale=1 / rate, size=(SIZE, columns))
        return found[:, 0] if columns == 1 else found

    def exponential(self, rate: float, columns: int) -> Runs:
        """Return noise with density rate·e^{−rate·x}."""
        return self.random.exponential(1 / rate, (SIZE, columns))

    def geometric(self, rate: float, columns: int) -> Runs:
        """Return integer noise: the difference of two geometric numbers."""
        p, shape = 1 - exp(-rate), (SIZE, columns)
        return self.random.geometric(p, shape) - self.random.geometric(p, shape)

    def weighted(self, weights: list[float]) -> Runs:
        """Return indices with these weights."""
        return self.random.choice(len(weights), SIZE, p=np.array(weights) / sum(weights))


def svt(threshold: float, query: float, *, again: bool = False) -> Callable[[Noise], Runs]:
    """Return which runs of a sparse vector technique err at [1, −1, 1], for c = 2."""

    def errs(noise: Noise) -> Runs:
        bar, said = noise.laplace(threshold), []
        for answer in (1, -1, 1):
            said.append(answer + (noise.laplace(query) if query else 0) >= bar)
            if again:
                bar = np.where(said[-1], noise.laplace(threshold), bar)
        return ~(said[0] & ~said[1] & said[2])

    return errs


def first_above(noise: Noise) -> Runs:
    """Return which runs of AboveThreshold do not stop at the third of −1, −1, 1, at ε = 8."""
    bar, noisy = noise.laplace(4), np.array([-1, -1, 1]) + noise.laplace(2, 3)
    return ((noisy >= bar[:, None]) != np.array([False, False, True])).any(axis=1)


def gap(noise: Noise) -> Runs:
    noisy = np.array([0, 1, 3]) + noise.laplace(2, 3)
    ordered = np.sort(noisy, axis=1)
    far = np.abs(ordered[:, 2] - ordered[:, 1] - 2) > 1
    return (noisy.argmax(axis=1) != 2) | far


def permute_and_flip(noise: Noise) -> Runs:
    """Return which runs at [0, 1, 2], ε = 4, do not end with the last index."""
    order = noise.random.permuted(np.tile(np.arange(3), (SIZE, 1)), axis=1)
    heads = noise.random.random((SIZE, 3)) < np.exp(4 / 2 * (order - 2))
    return np.take_along_axis(order, heads.argmax(axis=1)[:, None], axis=1)[:, 0] != 2


def smart_sum(noise: Noise) -> Runs:
    one, block, other, second = noise.laplace(4, 4).T
    sums = np.stack([one, block, block + other, block + second])
    return np.abs(sums).max(axis=0) > 1


def six_sums(noise: Noise) -> Runs:
    a, one, b, two, c, three = noise.laplace(4, 6).T
    sums = np.stack([a, one, one + b, one + two, one + two + c, one + two + three])
    return np.abs(sums).max(axis=0) > 1


def tree(noise: Noise) -> Runs:
    first, pair, third, whole = noise.laplace(4, 4).T
    return np.abs(np.stack([first, pair, pair + third, whole])).max(axis=0) > 1


def cover(weight: Callable[[int, int], float]) -> Callable[[Noise], Runs]:
    """Return which runs at the path 0 – 2 – 1 pick vertex 2 too late, by the weight of a degree."""

    def errs(noise: Noise) -> Runs:
        edges, orders, chances = [{0, 2}, {1, 2}], list(permutations(range(3))), []
        for order in orders:
            chance, left = 1.0, set(range(3))
            for pick, v in enumerate(order):
                weights = {
                    w: weight(sum(w in edge and edge <= left for edge in edges), pick) for w in left
                }
                chance *= weights[v] / sum(weights.values())
                left.remove(v)
            chances.append(chance)
        assert sum(chances) == pytest.approx(1)
        late = np.array([order[0] != 2 for order in orders])
        return late[noise.weighted(chances)]

    return errs


def numeric(*, fresh: bool) -> Callable[[Noise], Runs]:
    """Return which runs of NumericSparse at [−1, 1], ε = 18, have a wrong place or number."""

    def errs(noise: Noise) -> Runs:
        bar, rate = noise.laplace(8), 4 if fresh else 2
        low, high = -1 + noise.laplace(rate), 1 + noise.laplace(rate)
        released = 1 + noise.laplace(2) if fresh else high
        return (low >= bar) | (high < bar) | (np.abs(released - 1) > 1)

    return errs


def lies(noise: Noise, columns: int, eps: float) -> Runs:
    return noise.random.random((SIZE, columns)) < 1 / (1 + exp(eps))


ERRORS: list[tuple[str, str, object, int, Callable[[Noise], Runs]]] = [
    ("laplace", "5 % errors", [0, 0, 0], 1, lambda n: (np.abs(n.laplace(1, 3)) > 2).any(1)),
    ("geometric", "known bound", 2, 1, lambda n: np.abs(n.geometric(1, 1)[:, 0]) > 3),
    (
        "geometric",
        "half at the ends, truncated",
        0,
        1,
        lambda n: np.clip(n.geometric(1, 1)[:, 0], 0, 5) > 3,
    ),
    ("geometric", "sum of two", [1, 2], 1, lambda n: np.abs(n.geometric(1, 2).sum(1)) > 2),
    (
        "exponential",
        "5 % errors",
        [0, 1, 2],
        4,
        lambda n: n.weighted([exp(-2), 1, exp(-2), exp(-3)]) != 1,
    ),
    (
        "noisy_max",
        "known bound",
        [0, 1, 2],
        4,
        lambda n: (n.laplace(2, 3) + ANSWERS).argmax(1) < 2,
    ),
    (
        "noisy_max",
        "exponential noise",
        [0, 1, 2],
        4,
        lambda n: (n.exponential(2, 3) + ANSWERS).argmax(1) < 2,
    ),
    ("noisy_max", "permute-and-flip is never worse", [0, 1, 2], 4, permute_and_flip),
    ("noisy_max", "index and gap", [0, 1, 3], 4, gap),
    ("above_threshold", "known bound", [-1, -1, 1], 8, first_above),
    ("svt_variants", "known bound", [1, -1, 1], 8, svt(4, 1)),
    ("svt_variants", "known bound, Algorithm 2", [1, -1, 1], 8, svt(2, 1, again=True)),
    ("svt_variants", "known bound, Algorithm 3", [1, -1, 1], 8, svt(4, 2)),
    ("svt_variants", "known bound, Algorithm 4", [1, -1, 1], 8, svt(2, 6)),
    ("svt_variants", "known bound, Algorithm 5", [1, -1, 1], 8, svt(4, 0)),
    ("svt_variants", "known bound, Algorithm 6", [1, -1, 1], 8, svt(4, 4)),
    ("sparse", "known bound", [1, -1, 1], 8, svt(2, 1, again=True)),
    ("sparse", "variant, as run", [1, -1, 1], 8, svt(4, 1)),
    ("sparse", "variant, as printed", [1, -1, 1], 8, svt(2, 1)),
    ("numeric_sparse", "5 % errors", [-1, 1], 18, numeric(fresh=True)),
    ("numeric_sparse", "5 % errors, artifact", [-1, 1], 18, numeric(fresh=False)),
    ("smart_sum", "known bound", [0] * 4, 4, smart_sum),
    ("smart_sum", "six steps", [0] * 6, 4, six_sums),
    ("binary_tree", "known bound", [0] * 4, 12, tree),
    ("vertex_cover", "known bound", [0, 1, 1], 6, cover(lambda degree, _: exp(degree))),
    (
        "vertex_cover",
        "known bound, gupta",
        [0, 1, 1],
        6,
        cover(lambda degree, pick: degree + 4 / 6 * (1, 1.23, 1.74)[pick]),
    ),
    ("randomized_response", "known bound", [0, 1], 2, lambda n: lies(n, 2, 2).any(1)),
    (
        "randomized_response",
        "majority of three",
        [0, 1, 1],
        2,
        lambda n: (lies(n, 3, 2) ^ np.array([False, True, True])).sum(1) < 2,
    ),
    ("randomized_response", "one of four", 1, 2, lambda n: n.weighted([exp(2), 1, 1, 1]) > 0),
    ("histogram", "known bound", [0, 1, 2], 1, lambda n: (np.abs(n.geometric(1, 3)) > 2).any(1)),
    (
        "histogram",
        "fullest bin, a lead of 2",
        [0, 0, 2],
        2,
        lambda n: (n.geometric(2, 3) + COUNTS).argmax(1) < 2,
    ),
    ("propose_test_release", "known bound", [1] * 5, 2, lambda n: 2 + n.laplace(2) <= 1),
    ("small_db", "5 % errors", [1, 1], 4, lambda n: n.weighted([exp(-1), 1, exp(-1)]) != 1),
    (
        "pipeline",
        "5 % errors",
        7,
        2,
        lambda n: (7 + n.laplace(1) < 5) | (np.abs(n.laplace(1)) > 2),
    ),
]


@pytest.mark.parametrize(
    ("file", "name", "u", "eps", "errs"), ERRORS, ids=[f"{one[0]}: {one[1]}" for one in ERRORS]
)
def test_many_runs(
    file: str, name: str, u: object, eps: int, errs: Callable[[Noise], Runs]
) -> None:
    claim = claims_of(file)[name]
    expected = float(claim.error_probability(u).at(eps))
    share = float(errs(Noise()).mean())
    assert abs(share - expected) < 4.5 * sqrt(expected * (1 - expected) / SIZE)


def test_the_sum_of_two_noises_by_hand() -> None:
    """((1 − p)/(1 + p))²·p^|z|·((1 + p²)/(1 − p²) + |z|) with p = e^{−ε}."""
    noise, p = module("geometric").two_counts, exp(-0.5)
    for z in range(-4, 5):
        chance = ((1 - p) / (1 + p)) ** 2 * p ** abs(z) * ((1 + p * p) / (1 - p * p) + abs(z))
        assert float(noise.probability([0, 0], z).at("1/2")) == pytest.approx(chance, rel=1e-12)

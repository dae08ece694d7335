"""Verdicts of real claims, whose certificates the tests look at."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from claims.formulas import exp
from exactdp import (
    ANY,
    Accuracy,
    Grid,
    Ideal,
    Verdict,
    alpha,
    discrete,
    eps,
    gamma,
    minimum,
    numeric,
    score_gap,
    sup,
    value_gap,
)
from language.corpus import FACTORIES

from .specimens import seal

Json = Any


def make(name: str, *numbers: int) -> Any:
    return FACTORIES[name](*numbers)


always_nothing = Ideal.from_source("def always_nothing(q: Real[2]):\n    return 0")
half_gap = Ideal.from_source("def half_gap(q, i, j):\n    return abs(q[i] - q[j]) / 2")

CLAIMS: dict[str, Callable[[], Accuracy]] = {
    "NoisyMax m=2": lambda: Accuracy(
        make("noisy_max", 2), beta=2 * exp(-alpha * eps / 2), inputs=Grid(-1, 1)
    ),
    "NoisyMax m=3": lambda: Accuracy(
        make("noisy_max", 3), beta=3 * exp(-alpha * eps / 2), inputs=Grid(-1, 1)
    ),
    "NoisyMax as an argmax": lambda: Accuracy(
        make("noisy_max_figure", 3), beta=3 * exp(-alpha * eps / 2), inputs=[[0, 1, "1/3"]]
    ),
    "NoisyMax with exponential noise": lambda: Accuracy(
        make("noisy_max_exponential", 3), beta=3 * exp(-alpha * eps / 2), inputs=Grid(0, 1)
    ),
    "NoisyMax, one of one": lambda: Accuracy(
        make("noisy_max", 1), beta=exp(-alpha * eps), inputs=[[0], [7]]
    ),
    "NoisyMax, all γ": lambda: Accuracy(
        make("noisy_max", 3),
        beta=3 * exp(-gamma * eps / 4),
        gamma=ANY,
        output_distance=value_gap,
        agreement="output_distance",
        inputs=Grid(-1, 1),
    ),
    "NoisyMax, γ = α": lambda: Accuracy(
        make("noisy_max", 3),
        beta=3 * exp(-gamma * eps / 4),
        gamma=alpha,
        output_distance=value_gap,
        inputs=Grid(0, 1),
    ),
    "NoisyMax, own distance on outputs": lambda: Accuracy(
        make("noisy_max", 2),
        beta=2 * exp(-gamma * eps / 2),
        alpha=0,
        gamma=ANY,
        output_distance=half_gap,
        inputs=[[0, 1], [2, 0]],
    ),
    "AboveThreshold m=2": lambda: Accuracy(
        make("above_threshold", 2), beta=4 * exp(-alpha * eps / 8), inputs=Grid(-1, 1)
    ),
    "AboveThreshold m=3, boundary": lambda: Accuracy(
        make("above_threshold", 3),
        beta=6 * exp(-alpha * eps / 8),
        inputs=Grid(-1, 1),
        boundary="check",
    ),
    "Sparse m=3 c=2": lambda: Accuracy(
        make("sparse", 3, 2), beta=12 * exp(-alpha * eps / 16), alpha=1, inputs=Grid(-2, 2, 2)
    ),
    "NumericSparse": lambda: Accuracy(
        make("numeric_sparse", 2),
        beta=4 * exp(-alpha * eps * Fraction(2, 27)) + exp(-gamma * eps / 9),
        alpha=1,
        gamma=alpha,
        input_distance=numeric,
        output_distance=sup,
        inputs=Grid(-2, 2),
    ),
    "Laplace": lambda: Accuracy(
        make("laplace", 2),
        beta=2 * exp(-gamma * eps),
        alpha=0,
        gamma="3/2",
        input_distance=discrete,
        output_distance=sup,
        inputs=Grid(-1, 1),
    ),
    "a minimum": lambda: Accuracy(
        make("noisy_max", 2), beta=minimum(1, 2 * exp(-alpha * eps / 2)), inputs=Grid(0, 1)
    ),
    "an interval of budgets": lambda: Accuracy(
        make("laplace", 1),
        beta=exp(-gamma * eps) * (1 + eps / 2),
        alpha=0,
        gamma=1,
        input_distance=discrete,
        output_distance=sup,
        inputs=[[0]],
        epsilon="[1/10, 5)",
    ),
    "the exponential mechanism": lambda: Accuracy(
        make("exponential", 2, 2),
        beta=2 * exp(-gamma * eps),
        alpha=0,
        gamma=ANY,
        output_distance=score_gap,
        agreement="output_distance",
    ),
    "an ideal as a table": lambda: Accuracy(
        make("exponential", 2, 1),
        beta="1/2",
        ideal={(0, 0): 0, (0, 1): 1, (1, 0): 0, (1, 1): 0},
    ),
    "a constant ideal": lambda: Accuracy(
        make("noisy_max", 2), beta=1 + eps, ideal=always_nothing, inputs=Grid(0, 1)
    ),
}

FAILING: dict[str, Callable[[], Accuracy]] = {
    "NoisyMax": lambda: Accuracy(make("noisy_max", 2), beta=exp(-alpha * eps), inputs=Grid(-1, 1)),
    "NoisyMax, all γ": lambda: Accuracy(
        make("noisy_max", 3),
        beta=exp(-gamma * eps / 2),
        alpha=0,
        gamma=ANY,
        output_distance=value_gap,
        inputs=Grid(0, 2),
    ),
    "AboveThreshold": lambda: Accuracy(
        make("above_threshold", 3), beta=exp(-alpha * eps / 3), inputs=Grid(-1, 1)
    ),
    "at the boundary": lambda: Accuracy(
        make("above_threshold", 2),
        beta=exp(-alpha * eps) / 2,
        alpha=1,
        inputs=Grid(-1, 1),
        boundary="check",
    ),
    "NumericSparse": lambda: Accuracy(
        make("numeric_sparse", 2),
        beta=exp(-alpha * eps / 9),
        alpha=1,
        gamma=1,
        input_distance=numeric,
        output_distance=sup,
        inputs=Grid(-2, 2),
    ),
    "Laplace": lambda: Accuracy(
        make("laplace", 1),
        beta=exp(-2 * gamma * eps),
        alpha=0,
        gamma=1,
        input_distance=discrete,
        output_distance=sup,
        inputs=[[0]],
    ),
    "the exponential mechanism": lambda: Accuracy(
        make("exponential", 3, 2), beta=2 * exp(-alpha * eps)
    ),
    "a constant ideal": lambda: Accuracy(
        make("noisy_max", 2), beta=exp(-alpha * eps), ideal=always_nothing, inputs=[[0, 0]]
    ),
}


@cache
def verdict(name: str, *, fails: bool = False) -> Verdict:
    """Return the verdict of a claim, decided once."""
    return (FAILING if fails else CLAIMS)[name]().check()


def certificate(name: str, *, fails: bool = False) -> Json:
    """Return a copy of the certificate."""
    return copy.deepcopy(verdict(name, fails=fails).certificate)


def changed(certificate: Json, *path: str | int, to: Json) -> Json:
    """Return the certificate with another value at a place, sealed again."""
    place = certificate
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return seal(certificate)

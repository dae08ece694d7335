"""Running and simulating: against distributions known in closed form."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest

from exactdp import ExactdpError, Mechanism

from .corpus import load

SIZE = 40_000


def read(text: str) -> Mechanism:
    return Mechanism.from_source(text)


def near(count: float, p: float, size: int = SIZE) -> bool:
    """Whether a count is within 5 sigma of a binomial with probability p."""
    return abs(count - size * p) <= 5 * sqrt(size * p * (1 - p)) + 1


@pytest.mark.parametrize("eps", [0.5, 2])
def test_laplace_tail(eps: float) -> None:
    """Pr[lap(ε, 0) > t] = e^(-εt)/2 for t ≥ 0."""
    outputs = read("def f():\n    return lap(eps, 0) > 1\n").sample((), eps, SIZE, seed=1)
    assert near(sum(outputs), exp(-eps) / 2)


def test_exponential_tail() -> None:
    """Pr[expo(ε, s) > s + t] = e^(-εt)."""
    outputs = read("def f():\n    return expo(eps, 3) > 4\n").sample((), 1, SIZE, seed=1)
    assert near(sum(outputs), exp(-1))


def test_discrete_laplace_mass() -> None:
    """Pr[dlap(ε, m) = m + k] = (1-e^(-ε))/(1+e^(-ε)) e^(-ε|k|), by both simulators."""
    mechanism = read("def f():\n    return dlap(eps, 3)\n")
    rng = random.Random(3)
    for outputs in (
        mechanism.sample((), 1, SIZE, seed=1),
        [mechanism.run((), 1, rng) for _ in range(SIZE)],
    ):
        counts = Counter(outputs)
        assert all(type(value) is int for value in counts)
        for value in range(6):
            p = (1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(value - 3))
            assert near(counts[value], p)


def test_exponential_mechanism() -> None:
    """Weights e^(ε·score)."""
    mechanism = read("def f():\n    return expmech(eps, lambda v: v, [0, 1, 2])\n")
    counts = Counter(mechanism.sample((), Fraction(1, 2), SIZE, seed=4))
    total = sum(exp(k / 2) for k in range(3))
    assert all(near(counts[k], exp(k / 2) / total) for k in range(3))


def test_choose_and_while() -> None:
    """A coin with Pr[go on] = e^(-ε), thrown until it stops: the count is geometric."""
    text = (
        "def f():\n    n = 0\n    while choose({True: exp(-eps), False: 1 - exp(-eps)}):\n"
        "        n = min(n + 1, 5)\n    return n\n"
    )
    counts = Counter(read(text).sample((), 1, SIZE, seed=5))
    for n in range(5):
        assert near(counts[n], (1 - exp(-1)) * exp(-n))
    assert near(counts[5], exp(-5))


def test_noisy_max_of_two() -> None:
    """Pr[lap(ε/2, 0) < lap(ε/2, d)] = 1 - e^(-x)(1/2 + x/4) with x = εd/2, for d ≥ 0."""
    outputs = load("noisy_max").noisy_max(2).sample([0, 1], 2, SIZE, seed=6)
    assert near(sum(outputs), 1 - exp(-1) * (1 / 2 + 1 / 4))


def test_seed_and_rng() -> None:
    mechanism = load("noisy_max").noisy_max(3)
    assert mechanism.sample([0, 1, 2], 1, 20, seed=1) == mechanism.sample([0, 1, 2], 1, 20, seed=1)
    one = mechanism.run([0, 1, 2], 1, random.Random(1))
    assert one == mechanism.run([0, 1, 2], 1, random.Random(1))
    assert mechanism.run([0, 1, 2], 1, np.random.default_rng(1)) in (0, 1, 2)
    assert mechanism.run([0, 1, 2], 1) in (0, 1, 2)
    assert mechanism.sample([0, 1, 2], 1, 0) == []


@pytest.mark.parametrize("eps", [0, -1, None, float("nan"), "x"])
def test_eps_must_be_positive(eps: object) -> None:
    mechanism = load("noisy_max").noisy_max(2)
    with pytest.raises(ExactdpError):
        mechanism.run([0, 1], eps)
    with pytest.raises(ExactdpError):
        mechanism.sample([0, 1], eps, 3)


def test_deterministic_runs_are_exact() -> None:
    text = "def f(q: Real):\n    t = q / 3\n    return t + t + t == q, t\n"
    assert read(text).run("0.1") == (True, Fraction(1, 30))
    assert read(text).sample("0.1", 1, 2) == [(True, Fraction(1, 30))] * 2


def test_a_million_runs_take_less_than_a_minute() -> None:
    """The stated speed for NoisyMax with m = 3, with a wide margin."""
    mechanism = load("noisy_max").noisy_max(3)
    start = time.process_time()
    outputs = mechanism.sample([0, 1, 2], 1, 250_000, seed=0)
    assert len(outputs) == 250_000
    assert time.process_time() - start < 15


def test_paths_are_joined_in_simulation() -> None:
    """A program with 2^40 paths but few finite values is simulated at once."""
    text = (
        "def f(q: Real[40]):\n    n = 0\n    for i in range(40):\n"
        "        if lap(eps, q[i]) > 0:\n            n += 1\n    return n\n"
    )
    outputs = read(text).sample([0] * 40, 1, 20_000, seed=1)
    assert abs(sum(outputs) / 20_000 - 20) < 5 * sqrt(10 / 20_000)


def test_numpy_is_loaded_only_when_used() -> None:
    code = (
        "import sys\nfrom exactdp import Mechanism\n"
        "m = Mechanism.from_source('def f():\\n    return lap(eps, 0) > 0\\n')\n"
        "m.run((), 1)\nprint('numpy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"

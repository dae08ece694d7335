"""What a program costs does not depend on how a sum or a search is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactdp import Mechanism


def read(body: str, head: str = "q: Real") -> Mechanism:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Mechanism.from_source(f"def f({head}):\n{lines}")


def timed(ask: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return ask(), time.process_time() - start


RUNNING = "s = 0\nfor i in range({n}):\n    s = s + {noise}\nreturn s + q > 1"
LISTED = "return sum([{noise} for i in range({n})]) + q > 1"
AT_LAST = "xs = [{noise} for i in range({n})]\ns = q\nfor x in xs:\n    s += x\nreturn 1 < s"


@pytest.mark.parametrize(
    ("noise", "head", "n", "u"),
    [
        ("lap(eps / 2, 0)", "q: Real", 7, Fraction(1, 3)),
        ("expo(eps, i) + unif(-i, 1)", "q: Real", 3, Fraction(1, 3)),
        ("dlap(eps, i)", "q: Dom(0, 3)", 3, 2),
    ],
)
def test_sums(noise: str, head: str, n: int, u: object) -> None:
    """All spellings give the same closed form; a list costs no more than thrice a running sum."""
    (one, base), *others = (
        timed(lambda text=text: read(text.format(n=n, noise=noise), head).probability(u, True))  # type: ignore[misc]
        for text in (RUNNING, LISTED, AT_LAST)
    )
    for form, seconds in others:
        assert form == one
        assert seconds < 3 * base + 0.2


@pytest.mark.parametrize("noise", ["lap(eps, 0)", "expo(eps / 2, 1)"])
def test_the_variance_of_a_list(noise: str) -> None:
    """Fifteen noises in a list, of which only the sum is read; it took minutes once."""
    whole = read(f"return sum([{noise} for i in range(15)])", "")
    found, seconds = timed(lambda: whole.variance(()))
    assert found == 15 * read(f"return {noise}", "").variance(())
    assert seconds < 3


def test_a_sum_of_six_discrete_noises() -> None:
    """Against a convolution of tables; ten took 50 seconds once, when cells overlapped."""
    found, seconds = timed(lambda: read(RUNNING.format(n=6, noise="dlap(eps, 0)"), "q: Dom(0, 1)")
                           .probability(0, True))  # fmt: skip
    assert seconds < 3
    reach = np.arange(-60, 61)
    mass = np.exp(-0.7 * abs(reach)) * np.tanh(0.35)
    table = mass
    for _ in range(5):
        table = np.convolve(table, mass)
    expected = table[len(table) // 2 + 2 :].sum()
    assert float(found.at(Fraction(7, 10))) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [4])
def test_two_integers_compared_in_nested_loops(n: int) -> None:
    """Bounds that exclude each other are dropped: the number of parts is no power of 2."""
    text = (
        f"a = dlap(eps, 0)\nb = dlap(eps / 2, 1)\nk = 0\nfor i in range({n}):\n"
        f"    for j in range({n}):\n        if a - b > i - j and a + 2 * b > i + j:\n"
        "            k = k + 1\nreturn k"
    )
    program = read(text, "")
    reach = np.arange(-80, 81)
    first = np.exp(-1.0 * abs(reach))
    second = np.exp(-0.5 * abs(reach - 1))
    a, b = np.meshgrid(reach, reach, indexing="ij")
    counts = sum(
        ((a - b > i - j) & (a + 2 * b > i + j)).astype(int) for i in range(n) for j in range(n)
    )
    weights = np.outer(first, second)
    for k in (0, 2, n):
        expected = weights[counts == k].sum() / (first.sum() * second.sum())
        found, seconds = timed(lambda k=k: program.probability((), k))  # type: ignore[misc]
        assert seconds < 10
        assert float(found.at(1)) == pytest.approx(expected, rel=1e-9)

"""Conditional distributions: observed conditions, and loops that draw again."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest

from exactdp import Accuracy, Ideal, Interval, Mechanism, ProgramError, certify, eps, exp


def read(body: str, head: str = "q: Real") -> Mechanism:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Mechanism.from_source(f"def f({head}):\n{lines}")


SPELLINGS = (
    "x = lap(eps, q)\nobserve(0 <= x <= 10)\nreturn x",
    "x = lap(eps, q)\nwhile x < 0 or x > 10:\n    x = lap(eps, q)\nreturn x",
    "while True:\n    x = lap(eps, q)\n    if 0 <= x and x <= 10:\n        return x",
)


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_bounded_laplace_mechanism(text: str) -> None:
    """At q = 3: Pr(2 ≤ x ≤ 4) is (1 − s)/(1 − s³/2 − s⁷/2) with s = e^{−ε}."""
    s = exp(-eps)
    found = read(text).probability(3, Interval(2, 4))
    assert found == (1 - s) / (1 - s**3 / 2 - s**7 / 2)


def test_state_between_rounds_and_noise_beside_the_loop() -> None:
    """At most two tries; each succeeds with p = Pr(a > b + 1); noise before the loop stays."""
    text = (
        "t = lap(eps, 0)\nk = 0\nwhile True:\n    a = lap(eps, q)\n    b = lap(eps, 0)\n"
        "    if a > b + 1:\n        return [k, t > 1]\n    k = k + 1\n    if k == 2:\n"
        "        return [9, t > 1]\n"
    )
    program = read(text)
    once = read("return lap(eps, q) > lap(eps, 0) + 1").probability(2, True)
    low = exp(-eps) / 2
    expected = {0: once, 1: once * (1 - once), 9: (1 - once) ** 2}
    for k, chance in expected.items():
        assert program.probability(2, [k, True]) == chance * low
    runs = Counter(map(tuple, program.sample(2, eps=1, size=4000, seed=1)))
    for k, chance in expected.items():
        p = float((chance * (1 - low)).at(1))
        assert abs(runs[k, False] - 4000 * p) < 5 * math.sqrt(4000 * p * (1 - p))


def test_a_loop_inside_a_loop() -> None:
    """Noise of the outer loop is live while the inner one draws again.

    After `observe`, x is exponential, and so is y − 1: the chance of both being above 2 is s²·s. In
    the second program b is exponential below 1, and a > b in a round with chance E(e^{−εb})/2, with
    E(e^{−εb}) = (1 + s)/2; a > 1 follows from none but these rounds.
    """
    s = exp(-eps)
    text = "x = lap(eps, 0)\nobserve(x > 0)\ny = lap(eps, 0)\nwhile y < 1:\n    y = lap(eps, 0)\n"
    assert read(text + "return x > 2 and y > 2", "").probability((), True) == s**3
    text = (
        "while True:\n    a = lap(eps, 0)\n    b = expo(eps, 0)\n    while b > 1:\n"
        "        b = expo(eps, 0)\n    if a > b:\n        return a > 1"
    )
    assert read(text, "").probability((), True) == 2 * s / (1 + s)


def test_integers_and_two_conditions() -> None:
    """Two geometric noises whose sum is 2: all three ways are as likely."""
    text = "a = geometric(eps)\nb = geometric(eps)\nobserve(a + b == 2)\nobserve(a != 1)\n"
    text += "return a == 0"
    assert read(text, "").probability((), True) == Fraction(1, 2)


def test_claims_and_certificates() -> None:
    nearest = Ideal.from_source("def same(q: Real):\n    return q")
    for text in SPELLINGS[:2]:
        ideal = None if "observe" in text else nearest
        claim = Accuracy(read(text), 2 * exp(-2 * eps), gamma=2, alpha=0, ideal=ideal, inputs=[3])
        verdict = claim.check()
        assert verdict.outcome == "holds"
        report = certify.check(verdict.certificate)
        assert report.outcome == "conditional"
        assert all("not re-derived" in one for one in report.taken)
        assert report.taken


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t = lap(eps, 0)\nx = lap(eps, q)\nwhile x < t:\n    x = lap(eps, q)\nreturn 1", "before"),
        ("x = lap(eps, q)\nobserve(x == 3)\nreturn x > 4", "never ends"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        read(text).distribution(0)


def test_noise_is_not_carried() -> None:
    with pytest.raises(ProgramError, match="cannot be assigned inside a while loop"):
        read("x = lap(eps, q)\nwhile x < 3:\n    x = x + lap(eps, 0)\nreturn x > 4")
    with pytest.raises(ProgramError, match="no noiseless form"):
        read(SPELLINGS[1]).noiseless()

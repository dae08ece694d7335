"""Integer noise between two numbers is one of finitely many values: an index, an argument."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest

from exactdp import Accuracy, ExactdpError, Ideal, Mechanism, certify, eps, exp

RATIO = math.exp(-1)


def mass(k: int) -> float:
    """Return Pr(discrete Laplace noise of rate 1 is k)."""
    return (1 - RATIO) / (1 + RATIO) * RATIO ** abs(k)


def same(mechanism: Mechanism, u: object, want: Counter[object]) -> None:
    found = mechanism.distribution(u)
    assert set(found) == set(want)
    for output, chance in found.items():
        assert float(chance.at(1)) == pytest.approx(want[output], abs=1e-9)
    runs = 10_000
    seen = Counter(mechanism.sample(u, eps=1, size=runs, seed=5))
    for output, share in want.items():
        assert abs(seen[output] / runs - share) < 4 * math.sqrt(share / runs)
    assert mechanism.run(u, eps=1) in want


WAYS = {
    "min and max": "z = min(max(dlap(eps, x), 0), 3)",
    "if": "z = dlap(eps, x)\n    if z > 3: z = 3\n    if z < 0: z = 0",
    "two": "z = dlap(eps, x)\n    z = 0 if z <= 0 else z if z < 3 else 3",
}


@pytest.mark.parametrize("way", WAYS)
def test_an_index_and_an_argument(way: str) -> None:
    want: Counter[object] = Counter()
    for k in range(-60, 60):
        want[(10, 20, 30, 40)[min(max(2 + k, 0), 3)]] += mass(k)  # type: ignore[assignment]
    text = f"def f(x: Dom(0, 4)):\n    {WAYS[way]}\n    return "
    same(Mechanism.from_source(text + "[10, 20, 30, 40][z]"), 2, want)
    constants = {"tens": lambda z: 10 * (z + 1)}
    same(Mechanism.from_source(text + "tens(z)", constants=constants), 2, want)
    same(Mechanism.from_source(text + "10 + sum([10 for _ in range(z)])"), 2, want)


def test_mcnemar() -> None:
    """Noisy counts of discordant pairs, clamped, and the test with continuity correction."""

    def significant(b: int, c: int) -> bool:
        return b + c > 0 and (abs(b - c) - 1) ** 2 > 4 * (b + c)

    mechanism = Mechanism.from_source(
        """
def mcnemar(b: Dom(0, 6), c: Dom(0, 6)):
    return significant(min(max(dlap(eps, b), 0), 6), min(max(dlap(eps, c), 0), 6))
""",
        constants={"significant": significant},
    )
    want: Counter[object] = Counter()
    for j in range(-50, 50):
        for k in range(-50, 50):
            both = min(max(2 + j, 0), 6), min(max(5 + k, 0), 6)
            want[significant(*both)] += mass(j) * mass(k)  # type: ignore[assignment]
    same(mechanism, (2, 5), want)
    written = """
def mcnemar(b: Dom(0, 6), c: Dom(0, 6)):
    b, c = min(max(dlap(eps, b), 0), 6), min(max(dlap(eps, c), 0), 6)
    if b + c == 0:
        return False
    return (abs(b - c) - 1) ** 2 > 4 * (b + c)
"""
    same(Mechanism.from_source(written), (2, 5), want)
    test = Ideal.from_source("def none(b: Dom(0, 6), c: Dom(0, 6)): return False")
    verdict = Accuracy(
        Mechanism.from_source(written),
        beta=Fraction(1, 2),
        ideal=test,
        input_distance="discrete",
        inputs=[(2, 3)],
    ).check()
    assert verdict.outcome == "holds"
    assert certify.check(verdict.certificate).outcome == "conditional"


def test_products_and_powers() -> None:
    text = (
        "def f(x: Dom(0, 3)):\n    z = min(max(dlap(eps, x), 0), 3)\n    return z * z + 2**z - z**2"
    )
    want: Counter[object] = Counter()
    for k in range(-60, 60):
        want[2 ** min(max(1 + k, 0), 3)] += mass(k)  # type: ignore[assignment]
    same(Mechanism.from_source(text), 1, want)


def test_sums_and_rounded_reals_are_settled_too() -> None:
    total = Mechanism.from_source("""
def f(x: Dom(0, 4)):
    z = dlap(eps, x) + dlap(eps, 0)
    z = min(max(z, 0), 2)
    return "abc"[z]
""")
    want: Counter[object] = Counter()
    for j in range(-50, 50):
        for k in range(-50, 50):
            want["abc"[min(max(1 + j + k, 0), 2)]] += mass(j) * mass(k)  # type: ignore[assignment]
    same(total, 1, want)
    binned = Mechanism.from_source("""
def f(q: Real):
    k = min(max(round(lap(eps, q)), 0), 3)
    return ("none", "few", "some", "many")[k]
""")
    assert binned.noiseless().run("5/2") == "some"
    tail = math.exp(-(2.5 - 1.25)) / 2
    assert float(binned.probability("5/4", "many").at(1)) == pytest.approx(tail, abs=1e-12)
    claim = Accuracy(binned, beta=2 * exp(-eps / 4), inputs=["5/4", "7/4"], alpha=0)
    assert claim.check().outcome == "holds"


def test_noise_without_bounds_is_refused() -> None:
    with pytest.raises(ExactdpError, match="range is not known"):
        Mechanism.from_source("""
def f(x: Dom(0, 4)):
    z = dlap(eps, x)
    return (1, 2, 3)[z] if z >= 0 else 0
""").distribution(1)
    with pytest.raises(ExactdpError, match="cannot be an index"):
        Mechanism.from_source("def f(x: Dom(0, 4)): return (1, 2, 3)[dlap(eps, x)]")

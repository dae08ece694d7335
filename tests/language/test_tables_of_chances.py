"""`choose` from tables that are computed: entries, comprehensions, functions, min and max."""

from __future__ import annotations

from fractions import Fraction
from math import exp as e_to

import pytest

from exactdp import Accuracy, Expected, Mechanism, ProgramError, eps, exp, maximum, minimum


def table(x: int, k: int) -> dict[int, object]:
    """Return k-ary randomized response, as a Python function."""
    total = k - 1 + exp(eps)
    return {y: (exp(eps) if y == x else 1) / total for y in range(k)}


ROWS = {x: table(x, 3) for x in range(3)}
LISTED = [[(y, chance) for y, chance in ROWS[x].items()] for x in range(3)]
ROW = "{y: (exp(eps) if y == x else 1) / (2 + exp(eps)) for y in range(3)}"
SUBROUTINE = f"def row(x):\n    return {ROW}\n\n"
TABLES = {
    "an entry": "choose(ROWS[x])",
    "a function": "choose(table(x, 3))",
    "a comprehension": f"choose({ROW})",
    "a conditional": "choose(ROWS[0] if x == 0 else ROWS[x])",
    "pairs": "choose(dict(LISTED[x]))",
    "a subroutine": "choose(row(x))",
    "weights, normalised": "choose({y: w / sum(weights.values()) for y, w in weights.items()})",
    "weights by key": "choose({y: weights[y] / sum(weights.values()) for y in weights.keys()})",
}
WEIGHTS = "weights = {y: exp(eps) if y == x else 1 for y in range(3)}"


@pytest.mark.parametrize("name", TABLES)
def test_one_distribution_written_in_many_ways(name: str) -> None:
    """Pr(y) = e^ε/(2 + e^ε) for y = x, else 1/(2 + e^ε); simulated at ε = 1."""
    text = f"{SUBROUTINE}def f(x: Dom(0, 2)):\n    {WEIGHTS}\n    return {TABLES[name]}\n"
    found = Mechanism.from_source(text, {"ROWS": ROWS, "table": table, "LISTED": LISTED})
    for x in range(3):
        chances = found.distribution(x)
        assert set(chances) == {0, 1, 2}
        for y in range(3):
            assert chances[y] == (exp(eps) if y == x else 1) / (2 + exp(eps))
    share = found.sample(1, 1, 2000, seed=1).count(1) / 2000
    right = e_to(1) / (2 + e_to(1))
    assert abs(share - right) < 5 * (right * (1 - right) / 2000) ** 0.5


CLIPPED = """
def f(x: Dom(0, 1)):
    p = minimum(eps, 1 / 2)
    return choose({x: maximum(1 - p, 0), 1 - x: p})
"""


def test_pieces_of_eps() -> None:
    """The error is min(ε, 1/2): on each side of ε = 1/2 it is a closed form."""
    found = Mechanism.from_source(CLIPPED, {"minimum": minimum, "maximum": maximum})
    for interval, error in (("(0, 1/2]", eps), ("[1/2, inf)", Fraction(1, 2) + 0 * eps)):
        claim = Accuracy(found, beta=error, ideal=lambda x: x, epsilon=interval)
        assert claim.check().outcome == "holds"
        less = Accuracy(found, beta=error * Fraction(99, 100), ideal=lambda x: x, epsilon=interval)
        assert less.check().outcome == "fails"
    across = found.distribution(0)
    assert [float(across.at(at)[1]) for at in ("1/4", "1/2", 3)] == [0.25, 0.5, 0.5]  # type: ignore[attr-defined]
    assert len(found.chain(0)) == 2  # type: ignore[arg-type]
    with pytest.raises(ProgramError, match=r"changes at eps = 1/2, inside \(0, ∞\)"):
        Expected(found, "wrong", at_most="1/2", ideal=lambda x: x).exact(0)
    share = found.sample(0, 4, 2000, seed=2).count(1) / 2000
    assert abs(share - 0.5) < 0.06


def test_ends_of_pieces_that_are_no_rationals() -> None:
    """min(e^(−ε), 1/2) changes at ln 2: intervals beside it are decided, and across it."""
    text = (
        "def f(x: Dom([1])):\n    p = min(exp(-eps), 1 / 2)\n    return choose({0: p, 1: 1 - p})\n"
    )
    found = Mechanism.from_source(text)
    claim = Accuracy(found, beta=0.5, ideal=lambda x: x, epsilon="(0, 0.69]")
    assert claim.check().outcome == "holds"
    sharp = Accuracy(found, beta=exp(-eps), ideal=lambda x: x, epsilon="[0.7, inf)")
    assert sharp.check().outcome == "holds"
    assert Accuracy(found, beta=0.5, ideal=lambda x: x).check().outcome == "holds"
    assert Accuracy(found, beta=exp(-eps), ideal=lambda x: x).check().outcome == "holds"
    assert [str(one.on) for one in found.chain(1)] == [  # type: ignore[attr-defined]
        "(0, 0.69314718056…]",
        "[0.69314718056…, ∞)",
    ]


@pytest.mark.parametrize("expression", ["[0.5, 0.5]", "1", "[p for p in (0.5, 0.5)]"])
def test_what_is_no_table_is_refused(expression: str) -> None:
    with pytest.raises(ProgramError, match="choose takes the values with their probabilities"):
        Mechanism.from_source(f"def f():\n    return choose({expression})\n")

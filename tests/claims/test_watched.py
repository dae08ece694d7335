"""The distance to disagreement along a long domain, compared with trying every number."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from time import process_time
from typing import Any

import pytest

from exactdp import Accuracy, Mechanism, alpha, eps, exp, inf

MOST = 120
ATOMS = ["x", "2 * x - 7", "-x / 3", "abs(x - 90)", "min(x, 60)", "max(x, 3 * x - 100)", "x - x"]
OTHERS = [
    "x % 7",
    "x // 5",
    "odd(x)",
    "len(str(x))",
    "({90: 1}[x] if x in {90: 1} else 0)",
    "[4, 5][x > 3]",
    "x * x",
]


def odd(x: Any) -> int:
    """Depend on the type of the argument."""
    return x % 2 if isinstance(x, int) else 2


def condition(pick: Random) -> str:
    atoms = ATOMS if pick.random() < 0.7 else ATOMS + OTHERS
    op = pick.choice(["<", "<=", ">", ">=", "==", "!="])
    number = Fraction(pick.randint(-40, 400), pick.choice([1, 1, 2, 3]))
    found = f"{pick.choice(atoms)} {op} {number}"
    return (
        found if pick.random() < 0.6 else f"{found} and {pick.choice(ATOMS)} > {pick.choice(ATOMS)}"
    )


@pytest.mark.parametrize("seed", range(24))
def test_every_number_tried(seed: int) -> None:
    pick = Random(seed)
    first, second = condition(pick), condition(pick)
    results = pick.sample(["0", "1", "x > 5", "min(x, 70)", "None"], 3)
    text = f"""
def f(x: Dom(0, {MOST})):
    if {first}:
        return {results[0]}
    return {results[1]} if {second} else {results[2]}
"""
    program = Mechanism.from_source(text, constants={"odd": odd})
    own = pick.randrange(MOST + 1)
    ideal = program.noiseless()
    outputs = [ideal(x) for x in range(MOST + 1)]
    wanted = min((abs(x - own) for x in range(MOST + 1) if outputs[x] != outputs[own]), default=inf)
    claim = Accuracy(program, exp(-alpha * eps), inputs=[own])
    assert claim.disagreement(own).distance == wanted, text


def test_a_million_numbers() -> None:
    text = "def f(x: Dom(0, 1000000)): return dlap(eps, x) >= 500001"
    claim = Accuracy(Mechanism.from_source(text), exp(-alpha * eps), inputs=[250000])
    begin = process_time()
    found = claim.disagreement(250000)
    assert (found.distance, found.input) == (250001, 500001)
    assert process_time() - begin < 2  # trying all of them takes 8 s

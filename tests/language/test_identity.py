"""`is`, True beside 1, and the order of tables: as Python has them, or refused."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Mechanism, ProgramError
from support.examples import examples

PROGRAM = """def f(x: Dom(0, 1), b: bool, n: Dom([None, True])):
    y = choose({{True: 1/2, False: 1/2}})
    z = True if y else 1
    w = None if y else b
    t = {{0: 1, 1: z}} if b else {{1: z, 0: 1}}
    c = choose({{{0}: 1/2, "other": 1/2}})
    v = z if c == "other" else {1}
    d = choose({{0: 1/3, 1: 2/3}})
    return str(v), str(z), [k for k in t], {2} {3} {4}, d
"""
ATOMS = [
    "True",
    "1",
    "None",
    "x",
    "b",
    "n",
    "y",
    "z",
    "w",
    "v",
    "c",
    "(x == 1)",
    "(not z)",
    "[b][0]",
]
INPUTS = list(product((0, 1), (False, True), (None, True)))


class Picks:
    """`choose` for Python: follows a script, and notes how else it could have gone on."""

    def __init__(self, script: list[int]) -> None:
        self.script, self.depth, self.weight = script, 0, Fraction(1)
        self.others: list[list[int]] = []

    def choose(self, chances: dict[Any, float]) -> Any:
        """Return the value that the script names, else the first."""
        if self.depth == len(self.script):
            self.others += [[*self.script, k] for k in range(1, len(chances))]
            self.script.append(0)
        value = list(chances)[self.script[self.depth]]
        self.weight *= Fraction(chances[value]).limit_denominator(100)
        self.depth += 1
        return value


def by_python(text: str, u: tuple[Any, ...]) -> dict[Any, Fraction]:
    """Return the distribution: the text run as Python, once for each sequence of picks."""
    found: dict[Any, Fraction] = {}
    waiting: list[list[int]] = [[]]
    while waiting:
        picks = Picks(waiting.pop())
        names: dict[str, Any] = {"choose": picks.choose, "Dom": lambda *_: None}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(text, names)
        output = names["f"](*u)
        key = tuple(tuple(one) if isinstance(one, list) else one for one in output)
        found[key] = found.get(key, Fraction(0)) + picks.weight
        waiting += picks.others
    return found


PARTS = st.tuples(
    *(st.sampled_from(ATOMS[:6]) for _ in range(2)),
    st.sampled_from(ATOMS),
    st.sampled_from(["is", "is not", "=="]),
    st.sampled_from(ATOMS),
)


@given(PARTS)
@examples(30)
def test_programs_that_are_accepted_do_as_python_does(parts: tuple[str, ...]) -> None:
    """The expected distribution is a brute force over all picks by Python itself."""
    text = PROGRAM.format(*parts)
    allowed = parts[3] == "==" or "None" in (parts[2], parts[4])
    try:
        mechanism = Mechanism.from_source(text)
    except ProgramError:
        assert not allowed
        return
    for u in INPUTS:
        found = {key: Fraction(str(chance)) for key, chance in mechanism.distribution(u).items()}
        assert found == by_python(text, u)
        assert set(mechanism.sample(u, 1, 40, seed=1)) <= set(found)


@pytest.mark.parametrize(
    "wrong",
    [
        "x is True",
        "x is 1",
        "[1] is [1]",
        "b is 1",
        "q[0] is q[1]",
        "(q[0] > 0) is x",
        "[y for y in (0, 1) if y is b]",
        "max((b, x), key=lambda y: y is x)",
        "choose({y: 1/2 for y in (0, 1 if x is True else 2)})",
        "lap(eps, q[0]) is not q[0]",
    ],
)
def test_is_is_refused(wrong: str) -> None:
    text = f"def f(x: Dom(0, 1), b: bool, q: Real[2]):\n    return {wrong}\n"
    with pytest.raises(ProgramError, match="`is` compares with None") as caught:
        Mechanism.from_source(text)
    assert caught.value.line == 2
    assert "==" in caught.value.way_out


def test_is_in_constants_and_types_is_refused() -> None:
    for text in ("a = (1 is 1)\ndef f(): return a", "def f(x: Dom([1 is 1, 2])): return x"):
        with pytest.raises(ProgramError, match="`is` compares with None"):
            Mechanism.from_source(text)

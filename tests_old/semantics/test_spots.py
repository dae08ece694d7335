"""Spots are numbers: equal ones, rationals among them, have equal hashes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import Mechanism
from exactdp.language.values import List
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Trace


@pytest.mark.parametrize("number", [0, 3, Fraction(-1, 2)])
def test_a_multiple_of_epsilon_is_the_rational(number: Fraction) -> None:
    trace = Trace(("eps", "x"), (1, 2))
    spot = trace.spot("x") - trace.spot("x") + number
    assert spot == number
    assert hash(spot) == hash(number)
    assert len({spot, number}) == 1


@pytest.mark.parametrize("noise", ["lap", "expo"])
def test_equal_inputs_with_common_noise(noise: str) -> None:
    """Both numbers have the same distribution, so each is larger with probability 1/2."""
    program = Mechanism.from_source(f"""
def larger(q: Real[2]):
    common = {noise}(eps, 0)
    noisy = [{noise}(2 * eps, x) + common for x in q]
    return 1 if noisy[1] > noisy[0] else 0
""")
    x = Trace(("eps", "x"), (1, 2)).spot("x")
    found = program.kept(Engine).distribution_at_spots((List([x, x]),))
    assert {key: str(value) for key, value in found.items()} == {0: "1/2", 1: "1/2"}

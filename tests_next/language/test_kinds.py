"""The kinds of the checks are true: each value of a run has the kind that was found before it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests_next.outside import programs
from tests_next.outside.runs import fits, followed

from exactdp_next.errors import ExactdpError, NotYet
from exactdp_next.language.check import check
from exactdp_next.language.kinds import join, of, of_input
from exactdp_next.language.read import read
from exactdp_next.language.source import Source
from exactdp_next.language.types import Dom, Real
from exactdp_next.language.values import List, Value


def compared_kinds(first: int, size: int) -> int:
    """Run programs, compare the kinds of their values, and return how many were compared."""
    count = 0
    for seed in range(first, first + size):
        text, _ = programs.drawn(seed)
        try:
            reading = read(Source.of_text(text))
            checked = check(reading)
        except (ExactdpError, NotYet):
            continue
        inputs = {"x": seed % 6 - 2, "b": seed % 2 == 0, "q": Fraction(seed % 7, 3)}
        count += followed(reading, checked, inputs, seed)
    return count


def test_values_have_their_kinds() -> None:
    assert compared_kinds(5_000, 100) > 3_000


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 2), (1, True), ("a", 1), ((1, 2), (3, "a")), (List((1,)), List((1, 2))), (None, 1)],
)
def test_a_join_holds_both(one: Value, other: Value) -> None:
    found = join(of(one), of(other))
    assert fits(one, found)
    assert fits(other, found)
    assert join(found, of(one)) == found


def test_kinds_of_inputs() -> None:
    assert of_input(Real).types == {"real"}
    assert of_input(Dom([0, "none"])).types == {"int", "text"}
    assert of_input(Dom(2, 2)).known == (2,)
    assert of_input(Real[3]).entries == (of_input(Real),) * 3

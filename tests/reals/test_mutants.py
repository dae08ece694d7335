"""Closed forms that no other test noticed when the procedures were changed: see `tests/mutants`."""

from __future__ import annotations

from math import log

import pytest

from exactdp.reals import Interval, parse, roots, solution_set

SETS = {
    "[1, ∞)": solution_set(parse("eps - 1")),
    "(1, ∞)": solution_set(parse("1/(eps - 1)")),
    "(0, 1]": solution_set(parse("1 - eps")),
    "(0, 1)": solution_set(parse("1/(1 - eps)")),
    "[1, 2]": solution_set(parse("1"), Interval.parse("[1, 2]")),
    "(1/2, 1]": solution_set(parse("1"), Interval.parse("(1/2, 1]")),
    "(1, 2]": solution_set(parse("1"), Interval.parse("(1, 2]")),
}


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        ("[1, ∞)", "(1, ∞)", "(1, ∞)"),
        ("[1, ∞)", "(0, 1]", "{1}"),
        ("[1, ∞)", "(0, 1)", "∅"),
        ("(1, ∞)", "(0, 1]", "∅"),
        ("(0, 1]", "(0, 1)", "(0, 1)"),
        ("[1, 2]", "(1/2, 1]", "{1}"),
        ("[1, ∞)", "(1/2, 1]", "{1}"),
        ("[1, 2]", "(0, 1]", "{1}"),
        ("(1, ∞)", "(1/2, 1]", "∅"),
        ("[1, 2]", "(0, 1)", "∅"),
        ("[1, 2]", "(1, ∞)", "(1, 2]"),
        ("[1, ∞)", "(1, 2]", "(1, 2]"),
        ("(1, 2]", "[1, 2]", "(1, 2]"),
    ],
)
def test_sets_that_meet_in_an_end(one: str, two: str, both: str) -> None:
    """Ends that are zeros, poles or numbers are the same if they are equal, in either order."""
    assert {name: str(found) for name, found in SETS.items()} == {name: name for name in SETS}
    assert str(SETS[one] & SETS[two]) == both
    assert str(SETS[two] & SETS[one]) == both


def test_zeros_of_negative_arguments() -> None:
    """e^t = 1/2 and e^t = 1/3 at −ln 2 and −ln 3; t = −1 is exact."""
    found = roots(parse("(exp(eps) - 1/2)*(exp(eps) - 1/3)*(eps + 1)"), Interval.parse("[-3, 0]"))
    for one, value in zip(found, (-log(3), -1, -log(2)), strict=True):
        near = one.refined("1e-12")
        assert near.upper - near.lower <= 1e-12
        assert near.lower - 1e-12 <= value <= near.upper + 1e-12

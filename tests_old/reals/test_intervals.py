"""Intervals: what they contain, how they are written, what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reals import Interval, inf
from exactdp.reals.numbers import simplest_inside


def test_membership() -> None:
    half_open = Interval.parse("(0, 1/2]")
    assert Fraction(1, 2) in half_open
    assert 0 not in half_open
    assert 10**30 in Interval(1)
    assert 3 in Interval(3, 3)
    assert -5 in Interval.parse("(-inf, ∞)")


@pytest.mark.parametrize("text", ["(0, ∞)", "[1/2, 3)", "(−∞, 2]", "(-1, 1)", "{4}"])
def test_printing(text: str) -> None:
    interval = Interval(4, 4) if text == "{4}" else Interval.parse(text)
    assert str(interval) == text


@pytest.mark.parametrize(
    ("lower", "upper", "options"),
    [
        (1, 0, {}),
        (1, 1, {"lower_open": True}),
        (1, 1, {"upper_open": True}),
        (inf, inf, {}),
        (-inf, -inf, {}),
        (inf, 0, {}),
        (float("nan"), 1, {}),
        ("x", 1, {}),
        (None, 1, {}),
        (True, 2, {}),
    ],
)
def test_wrong_intervals(lower: object, upper: object, options: dict[str, bool]) -> None:
    with pytest.raises(ValueError, match=r"is (empty|reversed|not )"):
        Interval(lower, upper, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "0, 1", "(0 1)", "(0, 1, 2)", "]0, 1[", "(0, )", "(1, 0)"])
def test_wrong_texts(text: str) -> None:
    with pytest.raises(ValueError, match=r"is (empty|reversed|not )"):
        Interval.parse(text)
    with pytest.raises(ValueError, match="is not an interval"):
        Interval.of([3])  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [3, Fraction(3), 3.0, "3", " 3", "6/2"])
def test_a_number_is_an_interval(given: int | Fraction | float | str) -> None:
    """Wherever an interval is asked for, a number means the single point."""
    assert Interval.of(given) == Interval(3, 3)


@given(st.fractions(), st.fractions())
def test_the_simplest_rational_inside(one: Fraction, two: Fraction) -> None:
    """No rational strictly between the ends has a smaller denominator."""
    lower, upper = min(one, two), max(one, two)
    if lower == upper:
        return
    found = simplest_inside(lower, upper)
    assert lower < found < upper
    for denominator in range(1, min(found.denominator, 300)):
        below = (lower * denominator).__floor__()
        assert Fraction(below + 1, denominator) >= upper

"""How an error prints, what it has, and that it survives the way to another process."""

from __future__ import annotations

import copy
import pickle

import pytest

from exactdp_next import errors, messages
from exactdp_next.errors import ExactdpError, GivenUp, NotYet, ParseError, Place, ValueRefusedError
from exactdp_next.ring.text import parse


def caught(text: str) -> ExactdpError:
    with pytest.raises(ExactdpError) as found:
        parse(text)
    return found.value


def test_it_prints_place_line_carets_rule_and_way_out() -> None:
    assert str(caught("1 +\n2 * x")).splitlines() == [
        "<text>:2:5: the name x is not known",
        "    2 | 2 * x",
        "      |     ^",
        "A formula consists of numbers, eps, alpha, gamma, + - * / **, exp, log, sqrt, abs, min, "
        "max, comparisons and `a if condition else b`.",
        "Known here: alpha, eps, gamma.",
    ]


def test_carets_stay_below_their_text_after_tabs() -> None:
    place = Place("f.py", 12, 4, 7, "\tx\tabc")
    assert place.show() == "   12 | \tx\tabc\n      | \t \t^^^"


def test_a_code_with_a_page_names_the_example() -> None:
    told = messages.Told("m", "r", "w", "ProgramError", "names")
    assert str(ExactdpError("N01", told, None, {})) == "m\nr\nw\nExample: exactdp help N01"


def test_attributes() -> None:
    error = caught("1/0")
    assert isinstance(error, ParseError)
    assert (error.line, error.column, error.code) == (1, 1, "E31")
    assert error.message == "0 is zero, and nothing can be divided by it"
    with pytest.raises(ValueRefusedError) as found:
        errors.fail("E31", what="x")
    assert (found.value.place, found.value.line, found.value.column) == (None, None, None)
    assert isinstance(found.value, ValueError)
    assert isinstance(GivenUp("unif"), ExactdpError)
    assert not isinstance(NotYet("ring"), ExactdpError)


@pytest.mark.parametrize(
    "error", [caught("1/0"), GivenUp("unif", Place("f.py", 1, 1, 2, "x")), NotYet("ring")]
)
def test_it_survives_pickling(error: Exception) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        for name in ("code", "place", "rule", "way_out", "message", "family"):
            assert getattr(again, name, None) == getattr(error, name, None)

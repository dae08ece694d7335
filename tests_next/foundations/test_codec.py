"""What is written as JSON is read back, and each value has one text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp_next import codec
from exactdp_next.ring.enclose import Enclosure
from exactdp_next.ring.epsilon import Interval
from exactdp_next.ring.expr import Condition, Expr, eps
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.linear import Linear, Rational, form
from exactdp_next.ring.text import parse


class Side(Enum):
    """A member is its value."""

    LEFT = "left"
    RIGHT = "right"


class Formula:
    """A class that says itself how it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def to_json(self) -> str:
        """Return the text."""
        return f"formula {self.text}"

    @classmethod
    def from_json(cls, data: str) -> Formula:
        """Return the formula with this text."""
        return cls(data.removeprefix("formula "))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One kind of node."""

    value: Rational
    side: Side = Side.LEFT


@dataclass(frozen=True)
class Fork:
    """Another kind of node."""

    parts: tuple[Leaf | Fork, ...]
    bound: Rational | Formula | None
    names: frozenset[str]
    table: Mapping[str, tuple[int, bool]]
    other: Mapping[Rational, Side]
    known: int = field(init=False, default=0)


numbers = st.one_of(st.integers(), st.fractions()).map(
    lambda x: int(x) if x == int(x) else Fraction(x)
)
leaves = st.builds(Leaf, numbers, st.sampled_from(Side))
nodes = st.recursive(
    leaves,
    lambda inside: st.builds(
        Fork,
        st.lists(inside, max_size=3).map(tuple),
        st.one_of(numbers, st.none(), st.text().map(Formula)),
        st.frozensets(st.text(max_size=2)),
        st.dictionaries(st.text(max_size=2), st.tuples(st.integers(), st.booleans())),
        st.dictionaries(numbers, st.sampled_from(Side)),
    ),
    max_leaves=6,
)


@given(nodes)
def test_what_is_written_is_read_back(node: Leaf | Fork) -> None:
    data = codec.written(node)
    text = codec.text(data)
    again = codec.read(Leaf | Fork, json.loads(text))
    assert again == node
    assert codec.text(codec.written(again)) == text
    assert codec.digest(again) == codec.digest(node)


def test_the_form() -> None:
    node = Fork(
        (Leaf(Fraction(-2, 4)),), None, frozenset("ba"), {"y": (1, True), "x": (2, False)}, {}
    )
    assert codec.written(node) == {
        "kind": "Fork",
        "parts": [{"kind": "Leaf", "value": "-1/2", "side": "left"}],
        "bound": None,
        "names": ["a", "b"],
        "table": {"x": [2, False], "y": [1, True]},
        "other": {},
    }
    assert codec.written(Fraction(4, 2)) == 2
    assert codec.written({2: "b", 1: "a"}) == [[1, "a"], [2, "b"]]


def test_equal_sets_and_maps_have_one_text() -> None:
    one, two = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert codec.text(codec.written(one)) == codec.text(codec.written(two))
    assert codec.digest(frozenset(range(100))) == codec.digest(frozenset(range(99, -1, -1)))
    assert codec.digest(True) != codec.digest(1)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (int, True),
        (bool, 1),
        (int, "1"),
        (Fraction, "2/4"),
        (Fraction, "1/0"),
        (Fraction, "1/-2"),
        (Fraction, "٣/٤"),
        (Rational, 0.5),
        (str, 1),
        (tuple[int, ...], [1, "2"]),
        (tuple[int, int], [1]),
        (Side, "up"),
        (Leaf, {"kind": "Leaf", "value": 1}),
        (Leaf, {"kind": "Fork", "value": 1, "side": "left"}),
        (Leaf, {"kind": "Leaf", "value": 1, "side": "left", "more": 0}),
        (Leaf | Fork, {"kind": "Tree"}),
        (int | None, "x"),
    ],
)
def test_other_json_is_refused(kind: Any, data: object) -> None:
    with pytest.raises(ValueError, match=r"\bis (no|not)\b"):
        codec.read(kind, data)


@dataclass(frozen=True)
class Gap:
    """What goals consist of."""

    gap: Expr | Rational
    form: Linear | Rational
    sum: ExpSum | None
    where: Interval
    value: Enclosure
    test: Condition


@given(numbers, st.dictionaries(st.one_of(st.sampled_from("xy"), st.integers(0, 3)), numbers))
def test_values_of_the_ring(q: Rational, parts: dict[str | int, Rational]) -> None:
    gap = Gap(
        parse("1 - eps*exp(-alpha*eps/2)") + q,
        form({name: c for name, c in parts.items() if c}, q),
        ExpSum.of(q) + ExpSum.name("eps"),
        Interval(0, abs(Fraction(q)) + 1),
        Enclosure(Fraction(q), Fraction(q) + 1),
        eps < q,
    )
    data = codec.written(gap)
    assert data["gap"] == str(gap.gap)
    again = codec.read(Gap, json.loads(codec.text(data)))
    assert again == gap
    assert codec.text(codec.written(again)) == codec.text(data)


def test_the_form_of_a_linear_form() -> None:
    data = codec.written(Linear({"x": Fraction(1, 2), 3: -1}, 2))
    assert data == {"": 2, "#3": -1, "x": "1/2"}


@pytest.mark.parametrize("value", [0.5, object(), {"x": 1.5}, Leaf])
def test_what_has_no_json_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="has no JSON"):
        codec.written(value)

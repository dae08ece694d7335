"""Linear forms beside dictionaries of Fractions and Python's own reading of their text."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pytest

from exactdp_next.ring.linear import Linear, Name, Rational, Value, form, quotient, whole
from support.examples import cases
from support.random_sums import small


@dataclass(frozen=True)
class Largest:
    """The largest of two inputs: an atom."""

    one: str
    two: str

    def at(self, values: Mapping[Name, Value]) -> Value:
        """Return the largest of two numbers, or itself."""
        one, two = values.get(self.one), values.get(self.two)
        if isinstance(one, (int, Fraction)) and isinstance(two, (int, Fraction)):
            return max(one, two)
        return Linear.name(self)

    def __str__(self) -> str:
        return f"max({self.one}, {self.two})"


NAMES: list[Name] = ["x", "y", "gamma", 0, 1, Largest("x", "y")]


def drawn(r: random.Random) -> tuple[dict[Name, Fraction], Fraction]:
    return {x: small(r) for x in NAMES if r.random() < 0.6}, small(r)


def checked(v: Value, parts: Mapping[Name, Fraction], constant: Fraction) -> None:
    """Check that a form has these coefficients, in its one spelling."""
    left = {x: c for x, c in parts.items() if c}
    if not left:
        assert not isinstance(v, Linear)
        assert v == constant
        return
    assert isinstance(v, Linear)
    assert v.parts == left
    assert v.constant == constant
    assert all(
        type(c) is (int if c == int(c) else Fraction) for c in (*v.parts.values(), v.constant)
    )
    again = form(dict(reversed(list(left.items()))), constant)
    assert v == again
    assert hash(v) == hash(again)


def test_arithmetic_is_that_of_dictionaries() -> None:
    r = random.Random("linear")
    for _ in range(cases(10_000)):
        (a, c), (b, d), q = drawn(r), drawn(r), small(r)
        f, g = form(a, c), form(b, d)
        union = {x: (a.get(x, Fraction(0)), b.get(x, Fraction(0))) for x in NAMES}
        checked(f + g, {x: u + v for x, (u, v) in union.items()}, c + d)
        checked(f - g, {x: u - v for x, (u, v) in union.items()}, c - d)
        checked(f * q, {x: u * q for x, (u, _) in union.items()}, c * q)
        checked(q * f + q, {x: u * q for x, (u, _) in union.items()}, c * q + q)
        checked(
            Linear.sum([f, g, q, f]), {x: 2 * u + v for x, (u, v) in union.items()}, 2 * c + d + q
        )
        if q:
            over = f / q if isinstance(f, Linear) else quotient(f, q)
            checked(over, {x: u / q for x, (u, _) in union.items()}, c / q)
        place: dict[Name, Value] = {x: small(r) for x in NAMES if isinstance(x, (str, int))}
        if isinstance(f, Linear):
            values = {**place, NAMES[5]: max(place["x"], place["y"])}  # type: ignore[type-var]
            assert f.at(place) == c + sum(values[x] * u for x, u in a.items())
            assert pickle.loads(pickle.dumps(f)) == f
            assert text_value(str(f), values) == f.at(place)


def text_value(text: str, values: Mapping[Name, Value]) -> object:
    """Read the text of a form as Python."""
    exact = re.sub(r"(?<![\w.])(\d+)", r"Fraction(\1)", text)
    noise = {f"r{x}": v for x, v in values.items() if isinstance(x, int)}
    names = {x: v for x, v in values.items() if isinstance(x, str)}
    return eval(exact, {"Fraction": Fraction, "max": max, **noise, **names})


def test_names_are_put_in_place_and_others_stay() -> None:
    x, y, atom = Linear.name("x"), Linear.name("y"), Linear.name(Largest("x", "y"))
    f = 2 * x + y - atom + Linear.name(3) / 2 + 1
    assert isinstance(f, Linear)
    assert f.noises() == [3]
    assert f.renamed({3: 7}) == 2 * x + y - atom + Linear.name(7) / 2 + 1
    assert f.at({"x": 2}) == y - atom + Linear.name(3) / 2 + 5
    assert f.at({"x": 2, "y": Fraction(5, 2)}) == Linear.name(3) / 2 + 5
    assert f.at({"x": y, 3: 0}) == 3 * y - atom + 1
    assert str(f) == "2*x + y - max(x, y) + r3/2 + 1"


def test_no_division_gives_a_float() -> None:
    assert type(quotient(1, 3)) is Fraction
    assert type(quotient(6, 3)) is int
    assert type(whole(Fraction(4, 2))) is int
    half = Linear.name("x") / 2
    assert isinstance(half, Linear)
    assert half.parts == {"x": Fraction(1, 2)}
    assert (half + half) == Linear.name("x")
    with pytest.raises(TypeError):
        half * 0.5  # type: ignore[operator]


def test_a_form_without_names_is_a_number() -> None:
    x = Linear.name("x")
    numbers: list[Rational | Linear] = [x - x, 0 * x, form({}, Fraction(4, 2)), Linear.sum([])]
    assert numbers == [0, 0, 2, 0]
    assert all(type(n) is int for n in numbers)

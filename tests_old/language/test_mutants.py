"""Programs that no other test noticed when the reader was changed: see `mutants`."""

from __future__ import annotations

from typing import Any

import pytest

from exactdp import Mechanism, ProgramError, ValueRefusedError
from exactdp.reals import parameter


def test_a_plus_sign_changes_nothing() -> None:
    """Noise with mean 1 is positive with probability 1 − e^{−ε}/2."""
    found = Mechanism.from_source("def f(q: Real):\n    return +lap(eps, q) > 0").distribution(1)
    assert str(found[False]) == "1/2*exp(-eps)"


def test_noise_in_lists_of_any_depth() -> None:
    deep = "def f(q: Real):\n    x = {0}lap(eps, q){1}\n    return x{2} > 0"
    for depth in (1, 5, 6, 7, 9):
        text = deep.format("[" * depth, "]" * depth, "[0]" * depth)
        assert str(Mechanism.from_source(text).distribution(1)[False]) == "1/2*exp(-eps)"


@pytest.mark.parametrize("name", ["Real", "Dom", "lap", "choose", "exp"])
def test_names_that_are_no_values(name: str) -> None:
    with pytest.raises(ProgramError, match=rf":2:12: {name} is not a value"):
        Mechanism.from_source(f"def f(q: Real):\n    return {name}")


def test_a_closed_form_of_another_parameter_is_no_constant() -> None:
    source = "def f(x: Dom(0, 1)):\n    return choose({0: c, 1: 1 - c})"
    with pytest.raises(ProgramError, match="is not an expression in eps alone"):
        Mechanism.from_source(source, {"c": parameter("x")})


def test_break_and_continue_after_an_inner_loop() -> None:
    """They belong to the loop around them, not to the one that has ended."""
    source = (
        "def f(x: Dom(0, 5)):\n"
        "    seen = []\n"
        "    i = 0\n"
        "    while i < 5:\n"
        "        i += 1\n"
        "        j = 0\n"
        "        while j < i:\n"
        "            j += 1\n"
        "        if i == 2:\n"
        "            continue\n"
        "        if i == x:\n"
        "            break\n"
        "        seen = seen + [i + j]\n"
        "    else:\n"
        "        seen = seen + [0]\n"
        "    for k in range(4):\n"
        "        while False:\n"
        "            pass\n"
        "        if k == x:\n"
        "            break\n"
        "        seen = seen + [k]\n"
        "    return seen\n"
    )
    space: dict[str, Any] = {"Dom": lambda *_: int}
    exec(source, space)
    mechanism = Mechanism.from_source(source)
    for x in range(6):
        (output,) = mechanism.distribution(x)
        assert list(output) == space["f"](x)


def test_mechanisms_without_inputs() -> None:
    mechanism = Mechanism.from_source("def f():\n    return lap(eps, 0) > 1")
    for u in (None, ()):
        assert str(mechanism.distribution(u)[True]) == "1/2*exp(-eps)"
    with pytest.raises(ValueRefusedError, match="f has 0 inputs, given is 5"):
        mechanism.distribution(5)
    empty = Mechanism.from_source("def f(q: Real[0]):\n    return len(q)")
    assert list(empty.distribution([])) == [0]
    with pytest.raises(ProgramError, match="-1 is not a length"):
        Mechanism.from_source("def f(q: Real[-1]):\n    return len(q)")


def test_zip_with_lists_of_different_lengths() -> None:
    source = "def f(x: Dom(0, 1)):\n    return list(zip([1, 2], [3] * (x + 1){}))"
    found = Mechanism.from_source(source.format(""))
    assert list(found.distribution(0)) == [((1, 3),)]
    assert list(found.distribution(1)) == [((1, 3), (2, 3))]
    strict = Mechanism.from_source(source.format(", strict=True"))
    assert list(strict.distribution(1)) == [((1, 3), (2, 3))]
    with pytest.raises(ProgramError, match="zip"):
        strict.distribution(0)


def test_the_text_of_a_mechanism_is_its_documentation() -> None:
    found = Mechanism.from_source('def f(q: Real):\n    """Say so."""\n    return lap(eps, q) > 0')
    assert found.__doc__ == "Say so."


@pytest.mark.parametrize("expression", ["abs + 1", "[1, 2] + len", "2 * len"])
def test_a_function_is_no_number(expression: str) -> None:
    with pytest.raises(ProgramError, match=":2:12: a function is not a number"):
        Mechanism.from_source(f"def f(x: Dom(0, 1)):\n    return {expression}")


@pytest.mark.parametrize(
    ("body", "chance"),
    [
        ("a = noisy(0)\n    return abs(a) > 1", "exp(-eps)"),
        ("a = noisy(0)\n    return a > 0 and a < 2", "1/2 - 1/2*exp(-2*eps)"),
        ("return max(noisy(0), 1) > 2", "1/2*exp(-2*eps)"),
        ("a = [noisy(0), noisy(0)]\n    return a.index(max(a)) == 0", "1/2"),
    ],
)
def test_what_a_subroutine_returns_is_noise(body: str, chance: str) -> None:
    """Also where no real number is handed to it."""
    source = f"def noisy(x):\n    return lap(eps, x)\ndef f(q: Real):\n    {body}"
    assert str(Mechanism.from_source(source).probability(0, True)) == chance

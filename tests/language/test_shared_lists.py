"""Inner lists are shared as in Python, or the program is refused.

Lists are values in the language. A program in which a change of one list would show in another is
refused; of a program that is accepted, plain Python is the oracle.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Dom, Mechanism, ProgramError
from support.examples import examples

STEPS = [
    *("t = helper(x)", "t = sorted(t)", "t = list(t)", "t = t[1:] + t[:1]", "t = t + [r]"),
    *("t = [list(e) for e in t]", "t = [e for e in t]", "t.append(r)", "t[0] = list(r)"),
    *("r = t[0]", "r = t[-1]", "r = min(t)", "r = list(t[0])", "r = table(x)[1]", "r = [x]"),
    *("r.append(5)", "r += [6]", "r *= 2", "r[0] = 7", "r = r + [8]"),
    *("s, r = helper(x)", "s = [r, r]", "s = r", "s = t", "s = sorted(t)[0]"),
    "for e in t:\n        e.append(9)",
    "for i, e in enumerate(t):\n        r = e",
]


def helper(x: int) -> list[list[int]]:
    return [[x + 1], [x, 2]]


def table(x: int) -> dict[int, list[int]]:
    return {0: [x], 1: [x + 3]}


def text(steps: list[str]) -> str:
    """Return a program with these steps."""
    lines = "\n".join(f"    {step}" for step in steps)
    start = "    t = helper(x)\n    r = [0]\n    s = [0]\n"
    return f"def f(x: Dom(0, 2)):\n{start}{lines}\n    return [t, r, s]\n"


def program(source: str) -> Mechanism:
    return Mechanism.from_source(source, {"helper": helper, "table": table})


def by_python(source: str, x: int) -> Any:
    names: dict[str, Any] = {"helper": helper, "table": table, "Dom": Dom}
    exec(source, names)
    return names["f"](x)


def as_lists(value: Any) -> Any:
    return [as_lists(one) for one in value] if isinstance(value, tuple) else value


@examples(150)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=6))
def test_accepted_programs_do_what_python_does(steps: list[str]) -> None:
    source = text(steps)
    try:
        (output,) = program(source).distribution(1)
    except ProgramError:
        return
    assert as_lists(output) == by_python(source, 1)


SHARED = [
    ["r = t[0]", "r.append(5)"],
    ["for e in t:\n        e.append(9)"],
    ["s, r = helper(x)", "t = [s, r]", "r.append(5)"],
    ["s, r = t", "r.append(5)"],
    ["s = sorted(t)", "r = s[0]", "r.append(5)"],
    ["r = t[0]", "r += [6]"],
    ["r = t[0]", "r *= 2"],
    ["r = min(t)", "r.append(5)"],
    ["t = t[1:]", "r = t[0]", "r[0] = 7"],
]


@pytest.mark.parametrize("steps", SHARED, ids=str)
def test_a_change_that_would_show_elsewhere_is_refused(steps: list[str]) -> None:
    with pytest.raises(ProgramError, match=r"may be the same list as|cannot be changed in place"):
        program(text(steps))


FINE = [
    ["r = list(t[0])", "r.append(5)"],
    ["t = [list(e) for e in t]", "t.append([1])"],
    ["t.append(r)", "t = sorted(t)"],
    ["r = t[0]", "r = r + [8]", "r += [6]"],
]


@pytest.mark.parametrize("steps", FINE, ids=str)
def test_copies_may_be_changed(steps: list[str]) -> None:
    source = text(steps)
    (output,) = program(source).distribution(1)
    assert as_lists(output) == by_python(source, 1)

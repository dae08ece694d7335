"""Random programs that change lists: refused, or the same as in Python.

Lists are values in the language and objects in Python. Whatever program would show the
difference must be refused.
"""

from __future__ import annotations

from typing import Any

from hypothesis import event, example, given
from hypothesis import strategies as st

from exactdp import Mechanism
from exactdp.errors import ProgramError
from support.examples import examples

from .python_run import by_numbers, by_python

HEADER = """def keep(v, n):
    own = list(v)
    own.append(n)
    return own

def same(v):
    return v

def f(x: Dom(0, 2)):
    a = [x]
    b = [1, 2]
    t = (a, b)
    rows = [[0], [1]]
"""
FOOTER = "    return a, b, t, rows\n"
LINES = (
    "a = b",
    "b = a",
    "a = list(b)",
    "b = a[:]",
    "a = a + b",
    "a.append(x)",
    "b.append(3)",
    "a[0] = 5",
    "b[-1] = x",
    "a += [7]",
    "b *= 2",
    "t = (a, b)",
    "t = (list(a), 1)",
    "t = 0",
    "rows.append(a)",
    "rows.append([x])",
    "rows[0] = b",
    "a = rows[0]",
    "a = list(rows[-1])",
    "rows = [a, b]",
    "rows = [[0]] * 2",
    "rows = []",
    "a = [y for y in b]",
    "a, b = b, a",
    "a = keep(b, x)",
    "a = same(b)",
    "a = b if x > 0 else [x]",
    "rows = [a for y in b]",
    "a = []",
    "b = [1]",
)
HEADS = ("if x > 0:", "if len(a) < 3:", "for y in range(2):", "for y in b:", "for a in rows:")


@st.composite
def programs(draw: Any) -> str:
    """Return the source of a random program with lists."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.integers(0, 2)) == 0:
            lines.append("    " + draw(st.sampled_from(HEADS)))
            body = draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=3))
            lines += ["        " + line for line in body]
        else:
            lines.append("    " + draw(st.sampled_from(LINES)))
    return HEADER + "\n".join(lines) + "\n" + FOOTER


@examples(300)
@given(programs(), st.integers(0, 2))
@example(HEADER + "    t = 0\n    b = a\n    b.append(1)\n" + FOOTER, 0)
@example(HEADER + "    t = 0\n    rows = [[0]] * 2\n    a = rows[0]\n    a.append(1)\n" + FOOTER, 0)
def test_refused_or_the_same_as_python(text: str, x: int) -> None:
    try:
        mechanism = Mechanism.from_source(text)
    except ProgramError as error:
        event(error.message[:20])
        return
    try:
        expected = by_python(text, "f", (x,), [])
    except (IndexError, TypeError):
        event("fails in Python")
        return
    event("runs")
    assert by_numbers(mechanism, x, []) == expected

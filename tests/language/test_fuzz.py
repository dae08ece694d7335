"""Whatever the text, the answer is a program or a located error: no traceback, no hang."""

from __future__ import annotations

import ast
import random
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactdp import ExactdpError, Mechanism
from support.examples import examples

LIBRARY = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))


def survives(text: str) -> bool:
    """Read a text; return whether it is a program. All that a program can be asked is asked."""
    try:
        mechanism = Mechanism.from_source(text)
    except ExactdpError as error:
        if error.line is None or not str(error):
            pytest.fail(f"an error without a place for {text!r}: {error}")
        return False
    assert mechanism.explain()
    assert mechanism.labelled()
    functions = {k: v for k, v in mechanism.definition.constants.items() if callable(v)}
    assert Mechanism.from_source(str(mechanism), constants=functions) == mechanism
    return True


@examples(200)
@given(st.text())
@example("\x00")
@example("def f():\n\treturn 1\n    return 2")
@example("def f(x: Real[10**10**10]):\n    return 1")
@example("(" * 500)
@example("def f():\n    return " + "(" * 90 + "1" + ")" * 90)
@example("def f():\n    return " + "+".join("1" * 1000))
@example("def f():\n    return 1e999999999")
@example("def f():\n    return Fraction('1e999999999')")
@example("def f():\n    return '\\N{DIGIT ONE}'")
@example("def f():\n    return '\ud800'")
def test_arbitrary_text(text: str) -> None:
    survives(text)


WORDS = [
    "    ",
    "        ",
    "return ",
    "lap(eps, ",
    "dlap(eps, ",
    "q[0]",
    "q",
    "x",
    "r",
    "b",
    ")",
    "(",
    "[",
    "]",
    " for i in range(3)",
    " if ",
    " else ",
    ":\n",
    "\n",
    "while ",
    "for i in ",
    "range(",
    "xs",
    "xs.append(",
    "choose({0: 1}",
    "expmech(eps, ",
    "lambda v: ",
    "v",
    " = ",
    " += ",
    ", ",
    " + ",
    " - ",
    " * ",
    " / ",
    " < ",
    " >= ",
    " == ",
    " and ",
    " or ",
    " not ",
    "0",
    "1",
    "2",
    "0.5",
    "None",
    "True",
    "eps",
    "exp(",
    "max(",
    "min(",
    "abs(",
    "sum(",
    "len(",
    "sorted(",
    "any(",
    "break\n",
    "continue\n",
    "assert ",
    "pass\n",
]
START = "def f(q: Real[2], x: Dom(0, 2)):\n    xs = []\n    r = lap(eps, 0)\n"


@examples(400)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_pieces_of_programs(pieces: list[str]) -> None:
    """Texts made of the language's own words come closer to programs."""
    survives(
        "def f(q: Real[2], x: Dom(0, 2)):\n    xs = []\n    r = lap(eps, 0)\n" + "".join(pieces)
    )


@examples(300)
@given(st.data())
def test_changed_programs(data: st.DataObject) -> None:
    """A mechanism of the corpus with a few characters or lines changed."""
    paths = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
    text = data.draw(st.sampled_from(paths)).read_text(encoding="utf-8")
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    lines = ast.unparse(data.draw(st.sampled_from(functions))).splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        kind = data.draw(st.sampled_from(("drop", "double", "swap", "cut", "word")))
        if kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "double":
            lines.insert(at, lines[at])
        elif kind == "swap":
            lines[0], lines[at] = lines[at], lines[0]
        elif kind == "cut":
            lines[at] = lines[at][: data.draw(st.integers(0, len(lines[at])))]
        else:
            lines[at] += data.draw(st.sampled_from(WORDS)).rstrip("\n")
    survives("m = 2\nc = 1\nk = 2\nthreshold = 0\n" + "\n".join(lines))


@pytest.mark.skipif(not LIBRARY, reason="the standard library has no sources here")
def test_the_standard_library() -> None:
    """Every function of a sample of the standard library's files, and the files themselves."""
    programs = 0
    for path in random.Random(0).sample(LIBRARY, min(15, len(LIBRARY))):
        text = path.read_text(encoding="utf-8", errors="replace")
        survives(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                programs += survives(ast.unparse(node))
    assert programs > 0 or sys.version_info < (3, 11)

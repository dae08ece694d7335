"""Each code that is raised has a row; each row is raised somewhere, and makes a message."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactdp_next import errors, messages
from exactdp_next.errors import ExactdpError, GivenUp, Shown
from exactdp_next.messages import Reason

ROOT = Path(__file__).parents[2]
TREE = ROOT / "src" / "exactdp_next"
ROWS = messages.table()

RAISED_LATER = {"missing-argument", "too-many-arguments", "unknown-argument"}
"""Rows for public/calls.py. Once they are raised, this fails: shorten it."""


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts that an expression may stand for: "E01" if x else "E02" for both."""
    if isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def raised() -> Iterator[tuple[str, str]]:
    """Yield (function, code) for fail("code"), self.refuse("code") and GivenUp("family")."""
    for path in TREE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in ("fail", "refuse", "GivenUp"):
                    yield from ((name, code) for code in texts(node.args[0]))


RAISED = set(raised())
CODES = {code for name, code in RAISED if name != "GivenUp"}


def test_each_code_that_is_raised_has_a_row() -> None:
    assert ROWS.keys() >= CODES
    assert not {code for code in CODES if ROWS[code].kind in ("GivenUp", "")}
    assert {code for name, code in RAISED if name == "GivenUp"} <= families()


def test_each_row_is_raised() -> None:
    errors_of_users = {code for code, row in ROWS.items() if row.kind not in ("GivenUp", "")}
    assert errors_of_users - CODES == RAISED_LATER


def families() -> set[str]:
    return {code for code, row in ROWS.items() if row.kind == "GivenUp"}


def test_families_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "given-up.md").read_text(encoding="utf-8")
    table = page.partition("## Public names")[0]
    assert families() == set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE))


def test_reasons_are_rows_without_a_class() -> None:
    assert {reason.value for reason in Reason} == {c for c, row in ROWS.items() if not row.kind}


@pytest.mark.parametrize("reason", Reason)
def test_a_reason_is_told(reason: Reason) -> None:
    assert messages.told(reason).message


def fields(row: messages.Told) -> dict[str, str]:
    """Return the names of the data of a row, with what their formats ask for."""
    found: dict[str, str] = {}
    for text in (row.message, row.rule, row.way_out):
        for _, name, wish, _ in string.Formatter().parse(text):
            if name is not None:
                found[name] = found.get(name) or str(wish)
    return found


def sample(wish: str) -> Any:
    """Return data that a format takes."""
    if wish == "list":
        return ["one", "two"]
    return "anything" if wish in ("", "type", "kind") else 2


@pytest.mark.parametrize("code", ROWS)
def test_a_row_is_complete_and_makes_a_message(code: str) -> None:
    row = ROWS[code]
    assert row.kind in {*errors._KINDS, "GivenUp", ""}
    assert row.way_out.endswith((".", '"', "sympy"))
    assert row.rule.endswith(".") or row.kind in ("ProgramError", "ArgumentRefusedError", "")
    assert not row.message.endswith(".")
    if row.page:
        page = ROOT / "docs" / "errors" / f"{row.page}.md"
        assert f"## {code}: " in page.read_text(encoding="utf-8")
    data = {name: sample(wish) for name, wish in fields(row).items()}
    if row.kind == "GivenUp":
        shown = str(GivenUp(code))
    elif row.kind:
        with pytest.raises(ExactdpError) as caught:
            errors.fail(code, **data)
        assert type(caught.value).__name__ == row.kind
        assert caught.value.code == code
        shown = str(caught.value)
    else:
        shown = messages.told(code, data).message
    literal = "{{" in row.message + row.rule + row.way_out
    assert ("{" in shown) == literal
    assert shown.splitlines()[0] == shown.splitlines()[0].strip()


@pytest.mark.parametrize(
    ("value", "wish", "text"),
    [
        ("as it is", "", "as it is"),
        (Fraction(1, 3), "", "1/3"),
        ([Fraction(1, 2), (1,)], "", "[1/2, (1,)]"),
        ({"a": Fraction(1, 2)}, "", "{'a': 1/2}"),
        ("3", "type", "'3' (str)"),
        (3, "type", "3 (int)"),
        (None, "type", "None"),
        (0.5, "kind", "a float"),
        (1, "kind", "an int"),
        (["a", "b"], "list", "a, b"),
        (1, "argument", "1 argument"),
        (1_000, "basic statement", "1,000 basic statements"),
        (1_000, ",", "1,000"),
        (lambda: 0, "", "a lambda"),
        (families, "", "the function families"),
        (len, "", "the function len"),
        (object(), "", "an object"),
        (Fraction, "", "Fraction"),
    ],
)
def test_data_in_a_message(value: object, wish: str, text: str) -> None:
    assert format(Shown(value), wish) == text


def test_a_number_that_python_does_not_print() -> None:
    assert errors.shown(10**5_000) == "a very long number"


def test_a_long_value_is_cut_in_the_middle() -> None:
    text = errors.shown(list(range(1_000)))
    assert len(text) == errors.LONGEST_SHOWN + 1
    assert text.startswith("[0, 1, 2")
    assert text.endswith("998, 999]")

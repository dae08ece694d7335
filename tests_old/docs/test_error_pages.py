"""Every message of the language has a page, and every page a message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import exactdp
from docs.test_errors import CASES
from exactdp.pages import code_of, explanations

#: Limits, whose wrong programs are too long to print; `docs/language.md` states them.
LIMITS = {
    "the program has more than {} basic statements",
    "this number has more than {} bits",
    "statements are nested too deeply",
    "the source has more than {} characters",
}
#: A second line of defence: for every program we know an earlier check speaks first.
BEHIND = {
    "a program cannot branch on the value of eps",
    "noise is not a condition",
    "noise cannot be compared with {}",
    "noise and {} cannot be combined",
    "{} is not a function that the language knows",
    "the source of {} is not a `def`",
    "this is not Python that can be read: {}",
    "{} is not an expression in eps alone",
    "the program samples, so it has no exact output",
    "{} ended without `return`",
}
#: Parts of messages; what they are put together to has a code.
FRAMES = {
    "a value of type {} is not a finite value",
    "nan is not a number",
    "the float {} is not exact",
    "the input {} of {}: {}",
    "the {} {} is {}",
    "{} is not a {}",
    "{} is not a {}number",
    "{} is {}: {}",
    "{} changes at eps = {}, inside {}",
}


def test_every_message_leads_to_its_page() -> None:
    """`exactdp help CODE` shows the very message whose last line names the code."""
    codes = {one.code: one.title for one in explanations()}
    assert len(codes) > 200
    for one in explanations():
        assert codes[one.code] == one.title, "one code, one message"
        if shown := re.search(r"^```text\n(?:\S+:\d+:\d+: )?(.*)$", one.text, re.MULTILINE):
            assert code_of(shown[1], of_a_program=True) == one.code
    filled = {message: re.sub(r"\{\w*\}", "7", message) for message in messages()}
    without = {one for one in filled if not code_of(filled[one], of_a_program=True)}
    assert without - BEHIND == FRAMES


def text_of(node: ast.expr) -> str | None:
    """Return a message with {} for what is filled in, None if it is not written here."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.JoinedStr(values):
            parts = (text_of(part) if isinstance(part, ast.Constant) else "{}" for part in values)
            return "".join(part or "" for part in parts)
        case ast.BinOp(left):
            return text_of(left)
    return None


def messages() -> Iterator[str]:
    """Yield every message that the language, or a run of a program, can refuse with."""
    rooms = Path(exactdp.__file__).parent
    files = [*(rooms / "language").glob("*.py")]
    files += [
        rooms / "semantics" / name
        for name in ("concrete.py", "columns.py", "states.py", "loops.py")
    ]
    files.append(rooms / "public" / "mechanism.py")
    for node in (one for file in files for one in ast.walk(ast.parse(file.read_text()))):
        match node:
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name), arguments):
                if name in {"refuse", "fail", "finite"} or name.endswith("Error"):
                    found = [text for one in arguments[:2] if (text := text_of(one))]
                    if found and name != "AssertionError":
                        yield found[0]
            case ast.Assign([ast.Name("message")], value) if text := text_of(value):
                yield text


def test_every_error_is_explained() -> None:
    shown = [re.sub(r"^\S+:\d+:\d+: ", "", case[2].split("\n")[0]) for case in CASES]
    found = set(messages())
    assert len(found) > 150
    missing = {
        message
        for message in found
        if not any(
            re.search(".*".join(map(re.escape, re.split(r"\{\w*\}", message))), one)
            for one in shown
        )
    }
    assert missing == LIMITS | BEHIND

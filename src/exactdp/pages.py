"""Documentation installed with exactdp: pages about the language, formats and errors; examples.

In a checkout, the pages are in the folder `docs` and the examples in `examples`; a wheel contains
copies of both beside this file (`pyproject.toml`). A heading `## R06: … has no //` in `errors/`
assigns a code to a message; … matches any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HEADING = re.compile(r"^## (?P<code>[A-Z]\d\d): (?P<title>.*)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)")
_VALUES = "I"
"""First letter of the codes for values passed to a program; all others are about its text."""


@dataclass(frozen=True)
class Explanation:
    """A section about an error: its code, the message (… matches any text), and the text."""

    code: str
    title: str
    text: str

    @property
    def letters(self) -> int:
        """The number of characters of the title that a message must match literally."""
        return len(self.title.replace("…", ""))

    def matches(self, message: str) -> bool:
        """Whether this section explains a message."""
        parts = map(re.escape, self.title.split("…"))
        return re.fullmatch(".*".join(parts), message, re.DOTALL) is not None


def folder() -> Path:
    """Return the folder of the pages."""
    here = Path(__file__).parent
    inside = here / "documents"
    return inside if inside.is_dir() else here.parents[1] / "docs"


@cache
def explanations() -> tuple[Explanation, ...]:
    """Return all sections about errors, page by page."""
    found = []
    for page in sorted((folder() / "errors").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        headings = [*_HEADING.finditer(text)]
        ends = [one.start() for one in headings[1:]] + [len(text)]
        for one, end in zip(headings, ends, strict=True):
            title = _ESCAPED.sub(r"\1", one["title"])
            found.append(Explanation(one["code"], title, text[one.end() : end].strip()))
    return tuple(found)


def code_of(message: str, *, of_a_program: bool) -> str:
    """Return the code of the most specific section that matches a message, or "" if none does."""
    found = [
        one
        for one in explanations()
        if (of_a_program or one.code.startswith(_VALUES)) and one.matches(message)
    ]
    return max(found, key=lambda one: one.letters).code if found else ""


def explained(code: str) -> tuple[Explanation, ...]:
    """Return the sections with a code; the same message may have several causes."""
    return tuple(one for one in explanations() if one.code == code)


def topics() -> dict[str, Path]:
    """Return the pages about the language and the formats, by name."""
    pages = [folder() / "language.md", folder() / "command-line.md"]
    pages += sorted((folder() / "schema").glob("*.json"))
    return {page.name.removesuffix(".md"): page for page in pages if page.is_file()}


def examples() -> dict[str, Path]:
    """Return the example files by name; those in a subfolder are named folder/name."""
    here = folder() / "examples"
    where = here if here.is_dir() else folder().parent / "examples"
    found = sorted(where.rglob("*.py"), key=lambda path: (len(path.parts), path))
    return {path.relative_to(where).with_suffix("").as_posix(): path for path in found}

"""Messages: the table from codes to sentences, and the reasons why there is no answer.

The table is `messages.toml`, read when the first message is needed. It consists of groups of rows:

    [names]                                  a group; texts in it hold for all of its rows
    kind = "ProgramError"                    the class of the error
    page = "names"                           docs/errors/names.md has a section for each code

    [names.N01]                              a code
    message = "{what} is not known"          the sentence: no capital, no full stop
    rule = "A name is a variable or a …"     what holds in general
    way_out = "Assign it before the …"       what to write instead

Texts are format strings. What stands for the data of an error is explained in `errors.Shown`. To
add a row, write it and raise it: a test (`tests_next/foundations`) finds codes without a row, rows
without a use, and what a row lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path


class Reason(Enum):
    """Why ring, geometry, graph, measure or decide has no answer; a row of the table."""

    NO_EXACT_FORM = "no-exact-form"
    TOO_MANY_TERMS = "too-many-terms"
    TOO_MANY_STATES = "too-many-states"
    TOO_MANY_CELLS = "too-many-cells"
    TOO_TIGHT = "too-tight"
    NO_RULE = "no-rule"


@dataclass(frozen=True, slots=True)
class Told:
    """The texts of a row, and the class of its error ("" for a reason)."""

    message: str
    rule: str = ""
    way_out: str = ""
    kind: str = ""
    page: str = ""


def told(code: str | Reason, data: Mapping[str, object] | None = None) -> Told:
    """Return the row of a code or reason with its data in the texts."""
    row = table()[code.value if isinstance(code, Reason) else code]
    text = [one.format_map(data or {}) for one in (row.message, row.rule, row.way_out)]
    return Told(text[0], text[1], text[2], row.kind, row.page)


@cache
def table() -> Mapping[str, Told]:
    """Return all rows by code, with their format strings."""
    import tomllib  # noqa: PLC0415 few processes make a mistake

    path = Path(__file__).with_name("messages.toml")
    rows: dict[str, Told] = {}
    for group in tomllib.loads(path.read_text(encoding="utf-8")).values():
        common = {name: text for name, text in group.items() if isinstance(text, str)}
        for code, row in group.items():
            if isinstance(row, dict):
                assert code not in rows, code
                rows[code] = Told(**common | row)
    return rows

"""The table of docs/theory.md has every numbered statement of the paper."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "theory.md"
STATEMENTS = {
    "Theorem": {1, 2, 6, 8, 9, 10, 12, 14, 15, 16},
    "Lemma": {3, 4, 5, 11, 18},
    "Corollary": {7, 13, 17},
    "Proposition": {19, 20},
    "Definition": {1, 2},
}
"""In the order of the LaTeX source, where all but definitions share one counter."""


def test_every_statement_has_a_row() -> None:
    """Each row says in its third cell what is decided."""
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    found: dict[str, set[int]] = {kind: set() for kind in STATEMENTS}
    for row in rows:
        if len(row) != 6 or not row[1].strip().startswith(tuple(STATEMENTS)):
            continue
        assert row[3].strip(), row[1]
        for kind, numbers in re.findall(r"([A-Z][a-z]+?)s? (\d+(?:, \d+)*)", row[1]):
            name = "Corollary" if kind == "Corollar" else kind
            found[name] |= set(map(int, numbers.split(", ")))
    assert found == STATEMENTS

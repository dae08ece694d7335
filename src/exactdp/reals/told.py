"""The display of answers: short in the REPL, a sentence in print, HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

FEW = ("1/10", "1", "10")
"""Some ε at which probabilities are shown."""


class Told:
    """An answer that prints as a sentence; its `repr` contains the same text."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


def distinct_texts(eps: Any, *forms: Any) -> tuple[str, ...]:
    """Return closed forms at an ε, with enough digits to tell the first from the last."""
    for digits in (4, 8, 16, 32):
        found = tuple(form.at(eps, digits).text(digits) for form in forms)
        if found[0] != found[-1]:
            break
    return found


def table(head: Iterable[str], rows: Iterable[Iterable[str]], *, numbers_from: int) -> str:
    """Return a table in HTML; columns from some position on hold numbers and are aligned."""

    def cells(tag: str, row: Iterable[str]) -> str:
        return "".join(
            f'<{tag} style="text-align:{"left" if k < numbers_from else "right"}">{cell}</{tag}>'
            for k, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"

"""The checker: it follows a certificate, and imports nothing of the solver.

A certificate is told choices (nodes of states, radius and direction of a neighbour, steps of a
sign), and everything that is a function of the statement is computed here: the states of the
program, its graphs, probabilities, the goals.
"""

from __future__ import annotations

from dataclasses import dataclass

from .document import Rejected, document, fields, need
from .statement import check_parts, read_statement

__all__ = ["Accepted", "Rejected", "accepted"]

FORMAT, VERSION = "exactdp certificate", 3


@dataclass(frozen=True)
class Accepted:
    """The statement that is proved, and what was taken on trust."""

    text: str
    trusted: tuple[str, ...] = ()


def accepted(certificate: object) -> Accepted:
    """Return what a certificate proves, or raise Rejected.

    It is a text, or what `json.loads` makes of it.
    """
    try:
        return _accepted(certificate)
    except (RecursionError, MemoryError, OverflowError) as error:
        raise Rejected(f"too large: {type(error).__name__}") from None


def _accepted(certificate: object) -> Accepted:
    names = ("format", "version", "outcome", "statement", "graphs", "parts", "proofs")
    found, work = document(certificate)
    values = dict(zip(names, fields(found, names, "a certificate"), strict=True))
    need(values["format"] == FORMAT and values["version"] == VERSION, "another format")
    need(values["outcome"] == "holds", "an outcome that is not covered")
    statement = read_statement(values["statement"])
    check_parts(statement, values, work)
    return Accepted(str(statement))

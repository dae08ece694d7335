"""Pieces of a function with the same output, made one where together they are one polyhedron.

A program that looks for the largest of its inputs has a piece for each way that the search can
go, and an ideal one for each answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from exactdp.claims.pieces import Piece
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron


def united(listed: Iterable[Piece]) -> list[Piece]:
    """Return pieces in the order of a program's ways, with neighbours of one output united.

    Ways that part late come after each other, so each is tried with the latest of its output.
    """
    found: dict[tuple[Value, str], list[Piece]] = {}
    for piece in listed:
        known = found.setdefault((piece.output, repr(piece.output)), [])  # True == 1 is no number
        known.append(piece)
        while len(known) > 1 and (whole := _union(*known[-2:])) is not None:
            known[-2:] = [whole]
    return [piece for known in found.values() for piece in known]


def _union(one: Piece, two: Piece) -> Piece | None:
    """Return two pieces as one, if a row parts them and what else they say agrees."""
    other_side = {row.negated() for row in two.rows}
    for row in one.rows:
        if row not in other_side:
            continue
        rest = dict.fromkeys(
            [
                *(other for other in one.rows if other != row and _implies(two.rows, other)),
                *(
                    other
                    for other in two.rows
                    if other != row.negated() and _implies(one.rows, other)
                ),
            ]
        )
        if all(_implies((*rest, row), other) for other in one.rows) and all(
            _implies((*rest, row.negated()), other) for other in two.rows
        ):
            return Piece(tuple(rest), one.output)
    return None


def _implies(rows: Polyhedron, row: Halfspace) -> bool:
    return row in rows or not feasible((*rows, row.negated()))

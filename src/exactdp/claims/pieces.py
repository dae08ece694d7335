"""A deterministic function of reals as pieces: linear conditions, and the output under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from exactdp.claims.elimination import Row, feasible
from exactdp.errors import ProgramError, ValueRefusedError
from exactdp.language.values import Value
from exactdp.semantics.linear import Form, Linear
from exactdp.semantics.machine import Compare, Done, Machine

_MOST = 20_000  # pieces of one function

_NEGATED = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}

Rows: TypeAlias = tuple[Row, ...]


@dataclass(frozen=True)
class Piece:
    """Where all rows hold the function is `output`, whose numbers are linear forms."""

    rows: Rows
    output: Value


def condition(form: Form, op: str) -> list[Rows]:
    """Return form op 0 as alternatives, each a conjunction of rows."""
    if op == "!=":
        return [*condition(form, "<"), *condition(form, ">")]
    if op == "==":
        return [(_row(form, 1, strict=False), _row(form, -1, strict=False))]
    sign = 1 if op in (">", ">=") else -1
    return [(_row(form, sign, strict=op in ("<", ">")),)]


def _row(form: Form, sign: int, *, strict: bool) -> Row:
    if isinstance(form, Linear):
        return Row.of(
            {name: sign * q for name, q in form.coefficients.items()},
            sign * form.constant,
            strict=strict,
        )
    return Row.of({}, sign * form, strict=strict)


def pieces(machine: Machine, values: tuple[Value, ...]) -> Iterator[Piece]:
    """Return the pieces of a deterministic program at symbolic inputs; empty ones are left out."""
    waiting: list[tuple[object, Rows]] = [(machine.start(values), ())]
    count = 0
    while waiting:
        state, rows = waiting.pop()
        event = machine.advance(state)  # type: ignore[arg-type]
        if isinstance(event, Done):
            count += 1
            if count > _MOST:
                raise ValueRefusedError(
                    f"the function has more than {_MOST:,} pieces",
                    rule="The pieces of an ideal or a distance are listed one by one.",
                    way_out="Write it with fewer comparisons.",
                )
            yield Piece(rows, event.output)
            continue
        if not isinstance(event, Compare):
            raise ProgramError(
                "a function that must be deterministic samples",
                place=machine.code.instructions[event.state.pc].place,
                rule="Ideals and distances use no noise.",
            )
        for truth in (False, True):
            op = event.op if truth else _NEGATED[event.op]
            for more in condition(event.difference, op):  # type: ignore[arg-type]
                both = (*rows, *more)
                if feasible(both):
                    waiting.append((machine.resume(event, truth), both))

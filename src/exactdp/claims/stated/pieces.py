"""The pieces of a deterministic function of reals: linear conditions, and the output there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from exactdp.errors import ProgramError, UndefinedError, ValueRefusedError
from exactdp.language.events import Compare, Done
from exactdp.language.linear import Linear, Scalar
from exactdp.language.machine import Machine
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.operators import NEGATED
from exactdp.semantics.states import Visited

_MOST = 20_000  # pieces of one function

_COST = 50  # of a state of a loop, since its path has many conditions


@dataclass(frozen=True)
class LinearPiece:
    """Where all rows hold the function is `output`, whose numbers are linear forms."""

    rows: Polyhedron
    output: Value


def condition(form: Scalar, op: str) -> list[Polyhedron]:
    """Return form op 0 as alternatives, each a polyhedron."""
    if op == "!=":
        return [*condition(form, "<"), *condition(form, ">")]
    if op == "==":
        return [(_halfspace(form, strict=False), _halfspace(-form, strict=False))]
    signed = form if op in (">", ">=") else -form
    return [(_halfspace(signed, strict=op in ("<", ">")),)]


def _halfspace(form: Scalar, *, strict: bool) -> Halfspace:
    if isinstance(form, Linear):
        return Halfspace.of(form.coefficients, form.constant, strict=strict)
    return Halfspace.of({}, form, strict=strict)


def pieces(
    machine: Machine, values: tuple[Value, ...], *, is_partial: bool = False
) -> Iterator[LinearPiece]:
    """Yield the nonempty pieces of a deterministic program at symbolic inputs.

    Those of a partial one are where it is defined.
    """
    waiting: list[tuple[object, Polyhedron]] = [(machine.start(values), ())]
    count, visited = 0, Visited(machine, cost=_COST)
    while waiting:
        state, rows = waiting.pop()
        try:
            event = machine.advance(state)  # type: ignore[arg-type]
        except UndefinedError:
            if is_partial:
                continue
            raise
        if isinstance(event, Done):
            count += 1
            if count > _MOST:
                raise ValueRefusedError(
                    f"the function has more than {_MOST:,} pieces",
                    rule="The pieces of a distance are listed one by one.",
                    way_out="Write it with fewer comparisons.",
                )
            yield LinearPiece(rows, event.output)
            continue
        if not isinstance(event, Compare):
            raise ProgramError(
                "a function that must be deterministic samples",
                place=machine.code.instructions[event.state.pc].place,
                rule="Ideals and distances use no noise.",
            )
        visited.add(event.state)
        for truth in (False, True):
            op = event.op if truth else NEGATED[event.op]
            for more in condition(event.difference, op):  # type: ignore[arg-type]
                both = (*rows, *more)
                if feasible(both):
                    waiting.append((machine.resume(event, truth), both))

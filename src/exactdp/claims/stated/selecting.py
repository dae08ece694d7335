"""Programs that select a position of the largest or the smallest entry of their input."""

from __future__ import annotations

from collections.abc import Sequence

from exactdp.claims.stated.enclosing import EnclosingSides, enclosed
from exactdp.language.events import Done
from exactdp.language.layout import entry_names
from exactdp.language.program import Program
from exactdp.language.types import ListType, RealType
from exactdp.semantics.engine import Engine
from exactdp.semantics.nodes import Failure
from exactdp.semantics.patterns import ANYTHING


def selected_end(ideal: Program) -> int:
    """Return 1 if the ideal output is always a position of the maximum, −1 if of the minimum.

    Each position must be the ideal output at some input. 0 if neither is seen, without listing the
    ways to compare the entries.
    """
    size = selection_size(ideal)
    if not size:
        return 0
    names = entry_names(ideal.inputs)
    engine = ideal.kept(Engine)
    around = [enclosed(engine.graph(((0,) * size,), o)) for o in range(size)]
    for sign in (1, -1):
        if all(one is not None and _is_end(one, names, o, sign) for o, one in enumerate(around)):
            return sign
    return 0


def selection_size(program: Program) -> int:
    """Return m if the input is a list of m ≥ 2 reals, and the outputs are its positions, else 0."""
    kind = program.inputs[0].type if len(program.inputs) == 1 else None
    if not isinstance(kind, ListType) or not isinstance(kind.item, RealType) or kind.length < 2:
        return 0
    graph = program.kept(Engine).graph(((0,) * kind.length,), ANYTHING)
    if any(isinstance(node.event, Failure) for node in graph.nodes):
        return 0
    outputs = [node.event.output for node in graph.nodes if isinstance(node.event, Done)]
    are_positions = all(type(one) is int for one in outputs)
    return kind.length if are_positions and {*outputs} == {*range(kind.length)} else 0


def _is_end(around: EnclosingSides, names: Sequence[str], own: int, sign: int) -> bool:
    """Whether entry `own` is the largest, or the smallest, of all in an enclosure."""
    beaten = {
        name
        for side in around.sides
        for name in names
        if side.form.constant <= 0
        and len(side.form.coefficients) == 2
        and sign * side.coefficient(names[own]) > 0
        and side.coefficient(name) == -side.coefficient(names[own])
    }
    return beaten == {name for k, name in enumerate(names) if k != own}

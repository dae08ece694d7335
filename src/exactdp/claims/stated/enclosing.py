"""Halfspaces that contain every input with one ideal output, found without listing paths.

The graph of the ideal for that output is traversed backwards once. Each node has halfspaces, in its
variables and the inputs, that hold whenever a run from there ends in the output. At a comparison
with one outgoing path, the condition of that path is added. With two, only what follows on both
sides is kept: a halfspace of one side, or its sum with the condition that leads there in which a
variable cancels. So the running maximum of NoisyMax has as many halfspaces as rivals, although it
has 2^(m−1) paths. The polyhedron may be larger than the set of inputs, but never smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.stated.pieces import condition
from exactdp.language.events import Compare, Done, Draw, Selection, State
from exactdp.language.linear import Linear, Scalar
from exactdp.language.values import Value
from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.operators import NEGATED
from exactdp.semantics.engine import Engine
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Edge, Node, has_noise
from exactdp.semantics.order import numbers_in

if TYPE_CHECKING:
    from exactdp.language.program import Program

_MOST = 1_000  # outputs of which they are kept

Sides: TypeAlias = dict[frozenset[Any], Halfspace]
"""Halfspaces by direction; of parallel ones, the strongest."""


@dataclass(frozen=True)
class Ending:
    """What holds at a node if a run from there ends in the output."""

    own: Sides
    """Halfspaces with variables of the node."""
    of_inputs: Sides
    numbers: tuple[Scalar, ...]
    """The numbers of the output, as forms in variables and inputs."""


@dataclass(frozen=True)
class EnclosingSides:
    """Inputs with one ideal output are in all halfspaces, and its numbers are these forms."""

    sides: Polyhedron
    numbers: tuple[Scalar, ...]


def enclosed(graph: Graph) -> EnclosingSides | None:
    """Return halfspaces that contain all inputs with the ideal output of a graph.

    None if its numbers are different forms on different paths, for graphs with loops or random
    choices, and if no input has the output.
    """
    if any(graph.cyclic) or any(map(_is_chance, graph.nodes)):
        return None
    found: dict[int, Ending | None] = {}
    for (number,) in reversed(graph.components):
        node = graph.nodes[number]
        endings = [
            (truth, ending)
            for truth, edge in _ways(node)
            if (ending := _before(node, edge, found[edge.target])) is not None
        ]
        try:
            found[number] = _at(node, endings)
        except _DifferentError:
            return None
    start = found[0]
    if start is None:
        return None
    return EnclosingSides((*start.own.values(), *start.of_inputs.values()), start.numbers)


def _is_chance(node: Node) -> bool:
    """Whether a node makes a random choice that has no noiseless counterpart."""
    return isinstance(node.event, Selection) and node.event.exponents is None


class _DifferentError(Exception):
    """Raised when the numbers of an output are different forms on different paths."""


def _ways(node: Node) -> Iterator[tuple[Any, Edge]]:
    """Yield the outgoing edges that a noiseless run can take."""
    event = node.event
    for edge in node.edges:
        if not isinstance(event, Selection) or edge.case == picked(event):
            yield edge.case, edge


def picked(event: Selection) -> int:
    """Return the index that a noiseless choice takes: the first one with the largest score."""
    assert event.exponents is not None
    scores = [q for q in event.exponents if not isinstance(q, Linear)]
    assert len(scores) == len(event.exponents)  # an ideal with real scores is told in comparisons
    return scores.index(max(scores))


def _before(node: Node, edge: Edge, after: Ending | None) -> Ending | None:
    """Return what holds before an edge, in the variables of its source."""
    if after is None:
        return None
    event = node.event
    forms: dict[Any, Any] = dict(enumerate(edge.variables))
    if isinstance(event, Draw):
        mean = 0 if has_noise(event.mean) else event.mean
        value = {node.variables: as_form(mean)}
        forms = {k: as_form(_inserted(form, value)) for k, form in forms.items()}
    forms = {k: form for k, form in forms.items() if form != Form({k: 1})}
    if not forms:
        return after
    own: Sides = {}
    pure = after.of_inputs
    for side in after.own.values():
        moved = side.substituted(forms)
        if not moved.variables:
            if not moved.holds({}):
                return None
        elif any(isinstance(name, int) for name in moved.variables):
            _add(own, moved)
        else:
            pure = dict(pure) if pure is after.of_inputs else pure
            _add(pure, moved)
    numbers = tuple(_inserted(one, forms) for one in after.numbers)
    return Ending(own, pure, numbers)


def _inserted(form: Any, forms: Mapping[Any, Any]) -> Any:
    """Return a form with other forms substituted for some of its symbols."""
    return form.substituted(forms) if isinstance(form, Linear) else form


def as_form(value: Any) -> Form:
    """Return a number or a form as a form."""
    return value if isinstance(value, Form) else Form({}, value)


def _at(node: Node, endings: list[tuple[Any, Ending]]) -> Ending | None:
    """Return what holds at a node, given what holds on each of its outgoing edges."""
    event = node.event
    if isinstance(event, Done):
        return Ending({}, {}, tuple(numbers_in(event.output)))
    if not endings:
        return None
    if not isinstance(event, Compare):
        ((_, ending),) = endings
        return ending
    sided = []
    for truth, ending in endings:
        guards: Polyhedron = ()
        op = event.op if truth else NEGATED[event.op]
        if op != "!=":
            guards = condition(event.difference, op)[0]  # type: ignore[arg-type]
        sided.append((guards, ending))
    if len(sided) == 1:
        ((guards, ending),) = sided
        return _with(ending, guards)
    (_, one), (_, two) = sided
    if one.numbers != two.numbers:
        raise _DifferentError
    return _joined(*(_closed(guards, ending) for guards, ending in sided))


def _with(ending: Ending, guards: Polyhedron) -> Ending:
    """Return an ending with more halfspaces."""
    own, pure = dict(ending.own), dict(ending.of_inputs)
    for one in guards:
        _add(own if any(isinstance(name, int) for name in one.variables) else pure, one)
    return Ending(own, pure, ending.numbers)


def _closed(guards: Polyhedron, ending: Ending) -> Ending:
    """Return an ending with its conditions, and with what follows from these and one of its own."""
    found: list[Halfspace] = [*guards]
    for guard in guards:
        for side in (*ending.own.values(), *ending.of_inputs.values()):
            if guard.variables.isdisjoint(side.variables):
                continue
            for name in guard.variables & side.variables:
                a, b = guard.coefficient(name), side.coefficient(name)
                if a * b < 0:
                    total = guard.form * abs(b) + side.form * abs(a)
                    strict = guard.strict or side.strict
                    found.append(Halfspace.of(total.coefficients, total.constant, strict=strict))
    return _with(ending, tuple(one for one in found if one.form.coefficients))


def _joined(one: Ending, two: Ending) -> Ending:
    """Return what holds on both of two paths."""
    return Ending(_common(one.own, two.own), _common(one.of_inputs, two.of_inputs), one.numbers)


def _common(one: Sides, two: Sides) -> Sides:
    """Return the halfspaces that contain both of two polyhedra, among their sides."""
    if one is two:
        return one
    return {
        direction: max(side, two[direction], key=lambda one: one.weakness)
        for direction, side in one.items()
        if direction in two
    }


def _add(sides: Sides, new: Halfspace) -> None:
    """Add a halfspace; of two parallel ones, keep the stronger."""
    known = sides.get(new.direction)
    if known is None or new.weakness < known.weakness:
        sides[new.direction] = new


class Enclosures:
    """The halfspaces around the inputs of each output of a program, found once for all claims."""

    def __init__(self, program: Program) -> None:
        self._engine = program.kept(Engine)
        self._found: dict[object, EnclosingSides | None] = {}

    def of(self, given: tuple[Value, ...], pattern: Value) -> EnclosingSides | None:
        """Return the halfspaces around the inputs with an ideal output and given finite values."""
        graph = self._engine.graph(given, pattern)
        key = given, State(-1, (pattern,))
        if key not in self._found:
            if len(self._found) >= _MOST:
                self._found.clear()
            self._found[key] = enclosed(graph)
        return self._found[key]

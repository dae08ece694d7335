"""What can be decided about sampling statements before any run: rates, scores, chances.

A part that depends on constants only is computed now, so that its error is found when
the mechanism is defined; the rest is checked where it is run. So is an index out of range or
a division by zero that every run comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from exactdp.language.code import Pick, PureExpr, Require, Sample
from exactdp.language.definition import bound_names, nodes
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.operations import python_fail
from exactdp.language.printer import show
from exactdp.language.sampling import chances_of, mean_of, rate_of, scores_of, table_of
from exactdp.language.syntax import (
    Binary,
    Boolean,
    Call,
    Choose,
    Comparison,
    Comprehension,
    Conditional,
    Index,
    Lambda,
    Name,
    Node,
)

if TYPE_CHECKING:
    from exactdp.language.abstract import Kinds
    from exactdp.language.code import Code
    from exactdp.language.flow import Flow
    from exactdp.language.values import Value


class _Written(str):
    """A value that is not known yet, as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def check_constants(code: Code, flow: Flow, before: Sequence[Kinds | None]) -> None:
    """Refuse statements that are wrong whatever the inputs are; `before` are the kinds there."""
    slots, functions = frozenset(code.slots), code.functions

    def closed(*parts: PureExpr) -> bool:
        return not any(
            isinstance(node, Name) and node.id in slots and node.id not in bound_names(part)
            for part in parts
            for node in nodes(part)
        )

    def plain(part: PureExpr) -> bool:
        calls = (node for node in nodes(part) if isinstance(node, Call))
        return closed(part) and not any(call.function.id in functions for call in calls)

    for pc in _every_run(code):
        for part in _surely(code.instructions[pc]):
            if plain(part):
                evaluate_closed(part, functions)
            elif isinstance(part, Index) and plain(part.index):
                _check_index(part, evaluate_closed(part.index, functions), before[pc] or {})
    for pc in sorted(flow.reachable):
        one = code.instructions[pc]
        if isinstance(one, Sample):
            draw = one.draw
            if closed(draw.rate):
                rate_of(evaluate_closed(draw.rate, functions), draw.by_scale, draw.rate.place)
            if closed(draw.mean):
                mean_of(evaluate_closed(draw.mean, functions), draw.noise, draw.mean.place)
        elif isinstance(one, Pick):
            choice = one.choice
            if isinstance(choice, Choose):
                values = [value for value, _ in choice.outcomes]
                chances = [chance for _, chance in choice.outcomes]
                if choice.table is not None:
                    if closed(choice.table):
                        found = evaluate_closed(choice.table, functions)
                        chances_of(*table_of(found, choice.place), choice.place)
                elif closed(*chances):
                    chances_of(
                        [
                            evaluate_closed(value, functions)
                            if closed(value)
                            else _Written(show(value))
                            for value in values
                        ],
                        [evaluate_closed(chance, functions) for chance in chances],
                        choice.place,
                    )
                continue
            if closed(choice.rate):
                rate_of(evaluate_closed(choice.rate, functions), False, choice.rate.place)
            if closed(choice.candidates):
                candidates = evaluate_closed(choice.candidates, functions)
                count = [0] * len(candidates) if hasattr(candidates, "__len__") else ()
                scores_of(tuple(count), candidates, choice.candidates.place)


def _every_run(code: Code) -> Iterator[int]:
    """Return the statements that every run comes to, up to the first branch."""
    pc, seen = 0, set[int]()
    while pc not in seen:
        seen.add(pc)
        yield pc
        after = code.successors(pc)
        if len(after) != 1:
            return
        pc = after[0]


def _surely(tree: object) -> Iterator[Index | Binary]:
    """Return the entries that are read and the quotients in a tree that are always evaluated."""
    match tree:
        case Comprehension(_, clauses):
            yield from _surely(clauses[0].items)
        case Lambda():
            return
        case Boolean(_, operands):
            yield from _surely(operands[0])
        case Conditional(test) | Require(test):
            yield from _surely(test)
        case Comparison(first, rest):
            yield from _surely((first, rest[0][1]))
        case Node():
            if isinstance(tree, Index) or (
                isinstance(tree, Binary) and tree.op in ("/", "//", "%")
            ):
                yield tree
            for name in tree.__dataclass_fields__:
                yield from _surely(getattr(tree, name))
        case tuple() if type(tree) is tuple:
            for part in tree:
                yield from _surely(part)


def _check_index(node: Index, position: Value, kinds: Kinds) -> None:
    """Refuse a constant index beyond a list of known length."""
    kind = kinds.get(node.base.id) if isinstance(node.base, Name) else None
    if kind is None or kind.finite or not isinstance(kind.items, tuple):
        return
    size = len(kind.items)
    if isinstance(position, int) and not -size <= position < size:
        raise python_fail(node.place, IndexError("list index out of range"))

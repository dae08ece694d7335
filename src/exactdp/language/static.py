"""Check sampling statements before any run: rates, scores, probabilities.

A part that depends on constants only is computed now, so that its errors are reported when
the mechanism is defined; the rest is checked at run time. An index out of range or a
division by zero that every run reaches is reported now, too.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exactdp.errors import ProgramError
from exactdp.language.code import Code, Pick, Require, Sample, expressions
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.printer import show
from exactdp.language.rules import fail
from exactdp.language.sampling import (
    OrderChangesError,
    base_of_rate,
    chances_of,
    ends_of,
    mean_of,
    rate_of,
    scores_of,
    table_of,
)
from exactdp.language.tree import (
    Choose,
    ExpMech,
    NoiseCall,
    called,
    free_names,
    nodes,
    source_text,
    where,
)
from exactdp.language.words import NOISES
from exactdp.reals.interval import POSITIVE

if TYPE_CHECKING:
    from exactdp.language.abstract import Kinds
    from exactdp.language.flow import Flow
    from exactdp.language.values import Value


@dataclass(frozen=True)
class _Written:
    """A value that is not known yet, shown as written; equal to values that print the same."""

    printed: str
    source: str = field(compare=False)

    def __str__(self) -> str:
        return self.source


def check_constants(code: Code, flow: Flow, before: Sequence[Kinds | None]) -> None:
    """Refuse statements that are wrong for all inputs; `before` has the kinds before each one."""
    functions = code.functions

    def plain(part: ast.expr) -> bool:
        return _is_closed(code, part) and not any(called(node) in functions for node in nodes(part))

    for pc in _every_run(code):
        one = code.instructions[pc]
        for part in _surely([one.test] if isinstance(one, Require) else [*expressions(one)]):
            if plain(part):
                evaluate_closed(part, functions)
            elif isinstance(part, ast.Subscript) and plain(part.slice):
                _check_index(part, evaluate_closed(part.slice, functions), before[pc] or {})

    def known(part: ast.expr) -> list[Value]:
        return [evaluate_closed(part, functions)] if _is_closed(code, part) else []

    for pc in sorted(flow.reachable):
        match code.instructions[pc]:
            case Sample(_, NoiseCall(noise, lower, upper)) if NOISES[noise].has_ends:
                for low in known(lower):
                    for high in known(upper):
                        ends_of(low, high, where(lower), where(upper))
            case Sample(_, NoiseCall(noise, rate, mean, by_scale)):
                for value in known(rate):
                    whole = NOISES[noise].is_whole and not by_scale
                    on = code.epsilon
                    if (
                        not whole
                        or base_of_rate(value, where(rate), on, somewhere=on == POSITIVE) is None
                    ):
                        rate_of(value, by_scale, where(rate))
                for value in known(mean):
                    mean_of(value, noise, where(mean))
            case Pick(_, ExpMech(rate, _, candidates)):
                for value in known(rate):
                    rate_of(value, False, where(rate))
                for value in known(candidates):
                    count = len(value) if hasattr(value, "__len__") else 0
                    scores_of((0,) * count, value, where(candidates))
            case Pick(_, Choose() as choice):
                found = _closed_chances(code, choice)
                if found is not None:
                    span = code.span
                    with contextlib.suppress(OrderChangesError):  # asked in parts
                        chances_of(*found, where(choice), span, somewhere=span == POSITIVE)


def _written(node: ast.expr) -> _Written:
    return _Written(show(node), source_text(where(node)))


def surely_total(code: Code, flow: Flow) -> bool:
    """Whether all probabilities of `choose` are known now, and are valid for every ε > 0.

    In a loop they are not: whether it ends may depend on ε.
    """
    for pc in sorted(flow.reachable):
        one = code.instructions[pc]
        if isinstance(one, Pick) and isinstance(one.choice, Choose):
            if code.loops_at(pc):
                return False
            found = _closed_chances(code, one.choice)
            if found is None:
                return False
            try:
                chances_of(*found, where(one.choice), POSITIVE)
            except ProgramError:
                return False
    return True


def _closed_chances(code: Code, choice: Choose) -> tuple[Sequence[Value], Sequence[Value]] | None:
    """Return the values of `choose` and their probabilities if these are constants, else None."""
    functions = code.functions
    if choice.table is not None:
        if not _is_closed(code, choice.table):
            return None
        return table_of(evaluate_closed(choice.table, functions), where(choice))
    chances = [pair.elts[1] for pair in choice.outcomes]
    if not _is_closed(code, *chances):
        return None
    values = [
        evaluate_closed(value, functions) if _is_closed(code, value) else _written(value)
        for value in (pair.elts[0] for pair in choice.outcomes)
    ]
    return values, [evaluate_closed(chance, functions) for chance in chances]


def _is_closed(code: Code, *parts: ast.expr) -> bool:
    """Whether expressions depend on constants only."""
    return all(free_names(part).isdisjoint(code.slots) for part in parts)


def _every_run(code: Code) -> Iterator[int]:
    """Return the statements that every run reaches, up to the first branch."""
    pc, seen = 0, set[int]()
    while pc not in seen:
        seen.add(pc)
        yield pc
        after = code.successors[pc]
        if len(after) != 1:
            return
        pc = after[0]


def _surely(tree: object) -> Iterator[ast.Subscript | ast.BinOp]:
    """Return the subscripts and quotients in a tree that are always evaluated."""
    match tree:
        case ast.Name() | ast.Constant():
            return
        case ast.ListComp(_, [first, *_]) | ast.GeneratorExp(_, [first, *_]):
            yield from _surely(first.iter)
        case ast.Lambda():
            return
        case ast.BoolOp(_, [first, *_]) | ast.IfExp(first):
            yield from _surely(first)
        case ast.Compare(left, _, [right, *_]):
            yield from _surely([left, right])
        case ast.AST():
            match tree:
                case ast.Subscript(_, ast.Slice()):
                    pass
                case ast.Subscript() | ast.BinOp(_, ast.Div() | ast.FloorDiv() | ast.Mod()):
                    yield tree
            yield from _surely([getattr(tree, name, None) for name in tree._fields])
        case list():
            for part in tree:
                yield from _surely(part)


def _check_index(node: ast.Subscript, position: Value, kinds: Kinds) -> None:
    """Refuse a constant index beyond a list of known length."""
    kind = kinds.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if kind is None or kind.finite or not isinstance(kind.items, tuple):
        return
    size = len(kind.items)
    if isinstance(position, int) and not -size <= position < size:
        name = ast.unparse(node.value)
        raise fail(
            where(node),
            "list index out of range",
            f"{name} has {size} {'entry' if size == 1 else 'entries'}.",
            f"The first is {name}[0], the last {name}[{size - 1}]." if size else "Leave it out.",
        )

"""Lists of which a program reads only a summary: its sum, its length, one of its ends.

A list such as `found = [i for i in range(m) if x[i] >= t]` has 2^m values, and so many states. If
the program reads only `found[0]`, or only `sum(found)`, two lists that agree in this have the same
future. So a state contains one list for each value of what is read.

What is read of a list is determined from all expressions of the flat code. Every summary of
`a + b` depends only on that of `a` and on that of `b`, so it is also preserved when the lists are
extended. Reading a copy, or a list that extends this one, counts as reading the list itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.language.code import Appended, Augmented, Branch, Code, Next, Set, expressions
from exactdp.language.events import State
from exactdp.language.machine import Machine
from exactdp.language.stored import StoredAnswer
from exactdp.language.tree import literal
from exactdp.language.values import List, Value

_WORDS = {"sum": sum, "any": any, "all": all, "len": len, "max": max, "min": min}


@dataclass(frozen=True)
class _ListRead:
    """One way to read a list; `argument` is an index, or the value that is looked for."""

    word: str
    argument: Any = None


_TRUTH = _ListRead("bool")

Reads = frozenset[_ListRead] | None
"""The ways in which a list is read; None if it is read as a whole."""


class Summaries:
    """Reduces the lists in the states of a program to what is read of them."""

    def __init__(self, machine: Machine) -> None:
        code, slots = machine.code, machine.slots
        self._lists = [
            (slots[name], sorted(reads, key=repr)) for name, reads in _summarised(code).items()
        ]

    def look(self) -> Callable[[State], State]:
        """Return a function that replaces lists in states by others with the same summaries."""
        known: dict[object, List] = {}
        if not self._lists:
            return lambda state: state

        def look(state: State) -> State:
            env = list(state.env)
            for slot, reads in self._lists:
                whole = env[slot]
                found = _answered_part(whole) if isinstance(whole, List) else whole
                if isinstance(found, List) and len(found) > 1 and _is_finite(found):
                    key = slot, tuple(_summary(found, read) for read in reads)
                    env[slot] = known.setdefault(key, found) + whole[len(found) :]
            return State(state.pc, tuple(env))

        return look


def _answered_part(items: List) -> List:
    """Return the entries before the first comparison that is still to be made."""
    return next((items[:k] for k, one in enumerate(items) if isinstance(one, StoredAnswer)), items)


def _is_finite(items: tuple[Value, ...]) -> bool:
    """Whether all entries are numbers, truth values, strings or None."""
    return all(isinstance(one, int | Fraction | str | None) for one in items)


def _exact(value: Value) -> object:
    """Return a key that distinguishes True from 1."""
    if isinstance(value, tuple):
        return tuple(map(_exact, value))
    return isinstance(value, bool), value


def _summary(items: List, read: _ListRead) -> object:
    """Return a value that determines what a way of reading a list yields, and later ones too."""
    match read:
        case _ListRead("item", index):
            return _exact(items[: index + 1] if index >= 0 else items[index:])
        case _ListRead("in", value):
            return value in items
        case _ListRead("count", value):
            return items.count(value)
        case _ListRead("index", value):
            return items.index(value) if value in items else ~len(items)
        case _ListRead("bool"):
            return bool(items)
    try:
        return _exact(_WORDS[read.word](items))  # type: ignore[operator]
    except TypeError:  # for example, a sum of strings: the error depends on the entries
        return _exact(items)


def _summarised(code: Code) -> dict[str, frozenset[_ListRead]]:
    """Return the slots of lists that are not read as a whole, with the ways they are read."""
    inputs = {name for name, _ in code.inputs}
    slots = frozenset(code.slots) - inputs
    reads: dict[str, Reads] = dict.fromkeys(slots, frozenset())
    parts: dict[str, set[str]] = {name: set() for name in slots}
    """For each slot, those whose lists become part of its list."""

    def add(name: str, found: Reads) -> None:
        old = reads[name]
        reads[name] = None if old is None or found is None else old | found

    def read(node: ast.AST, target: str | None, context: _ListRead | None) -> None:
        """Record the reads in an expression that is assigned to a slot, or read in a context."""
        match node:
            case ast.Name(word) if word in slots:
                if target is not None:
                    parts[target].add(word)
                else:
                    add(word, None if context is None else frozenset({context}))
            case ast.BinOp(left, ast.Add(), right) | Augmented(left, ast.Add(), right) if (
                target is not None or context is not None
            ):
                for side in (left, right):
                    read(side, target, context)
            case Appended(base, item):
                read(base, target, context)
                read(item, None, None)
            case ast.IfExp(test, then, otherwise):
                read(test, None, _TRUTH)
                for side in (then, otherwise):
                    read(side, target, context)
            case ast.UnaryOp(ast.Not(), operand):
                read(operand, None, _TRUTH)
            case _:
                found = _reading(node, code)
                if found is None:
                    for child in ast.iter_child_nodes(node):
                        read(child, None, None)
                else:
                    read(found[0], None, found[1])

    for one in code.instructions:
        match one:
            case Set(slot, value) if slot in slots:
                read(value, slot, None)
            case Branch(test):
                read(test, None, _TRUTH)
            case _:
                for value in expressions(one):
                    read(value, None, None)
                if isinstance(one, Next) and one.items in slots:
                    add(one.items, None)
    changed = True
    while changed:
        changed = False
        for whole, some in parts.items():
            for name in some:
                before = reads[name]
                add(name, reads[whole])
                changed |= reads[name] != before
    return {
        name: found
        for name, found in reads.items()
        if found is not None and found and _is_extended(code, name)
    }


def _reading(node: ast.AST, code: Code) -> tuple[ast.expr, _ListRead] | None:
    """Return the list and the way in which an expression reads it; None for other expressions."""
    match node:
        case ast.Call(ast.Name(word), [items], []) if word in _WORDS and word not in code.functions:
            return items, _ListRead(word)
        case ast.Subscript(items, index):
            number = literal(index)
            if isinstance(number, int) and not isinstance(number, bool):
                return items, _ListRead("item", number)
        case ast.Compare(ast.Constant(value), [ast.In() | ast.NotIn()], [items]):
            return items, _ListRead("in", value)
        case ast.Call(ast.Attribute(items, ("count" | "index") as word), [ast.Constant(value)], []):
            return items, _ListRead(word, value)
    return None


def _is_extended(code: Code, name: str) -> bool:
    """Whether a slot holds a list that is extended, or a copy of another."""
    values = (one.value for one in code.instructions if isinstance(one, Set) and one.slot == name)
    return any(isinstance(one, Appended | Augmented | ast.BinOp | ast.Name) for one in values)

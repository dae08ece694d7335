"""Entries of lists that no later statement reads.

In `for i in range(1, m): if x[i] > x[best]: best = i`, an entry that was passed is read again only
if it is the best one. All other passed entries are forgotten: then states with different losers are
equal. An index that is only used to read one list, or to be returned, may be exchanged for another
one that is not the output in question, together with its entry: which entry is the best so far
does not matter, but its value does.

A list qualifies if every statement reads single entries of it, or its length; one that is also
returned does not. An index is a constant, a sum of constants and the variable of a `for` loop over
constants, or a variable that is assigned nothing but these.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from exactdp.language.code import (
    Appended,
    Enter,
    Instruction,
    Next,
    Release,
    Set,
    Updated,
    expressions,
    written,
)
from exactdp.language.evaluate import UNSET
from exactdp.language.events import State
from exactdp.language.machine import Machine
from exactdp.language.tree import free_names
from exactdp.language.values import List, Value
from exactdp.semantics.patterns import match
from exactdp.semantics.relevance import only_returned

_MOST = 3_000  # basic statements, so that reachability is cheap

Positions = frozenset[int] | None
"""Positions in a list; None if they are not known."""
_NOWHERE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _EntryRead:
    """A statement that reads an entry of a list."""

    pc: int
    index: ast.expr


@dataclass
class _Uses:
    """How a slot is read: as a list, by entries; as an index, of which lists."""

    entries: list[_EntryRead] = field(default_factory=list)
    otherwise: bool = False
    lists: set[str] = field(default_factory=set)
    is_list: bool = False
    returned: bool = False
    """Whether it is returned, or copied to a slot that is only returned."""


class LiveEntries:
    """Determines which entries of lists are read later, from the code and a state."""

    def __init__(self, machine: Machine) -> None:
        self._code, self._slots = machine.code, machine.slots
        self._inputs = {name for name, _ in machine.code.inputs}
        few = len(machine.code.instructions) <= _MOST and "len" not in machine.code.functions
        self._lists = [name for name in (self._uses if few else ()) if self._qualifies(name)]
        self._indices = [
            (name, next(iter(uses.lists)))
            for name, uses in self._uses.items()
            if len(uses.lists) == 1 and not uses.otherwise and not uses.is_list
            if uses.lists <= set(self._lists) and self._sources.get(name) is not None
        ]

    @property
    def changed(self) -> tuple[int, ...]:
        """The slots of a state that are changed."""
        names = dict.fromkeys((*self._lists, *(index for index, _ in self._indices)))
        return tuple(self._slots[name] for name in names)

    def look_for(self, pattern: Value) -> Callable[[State], State]:
        """Return a function that reduces states if only outputs of a pattern count."""
        if not self._lists:
            return lambda state: state

        def look(state: State) -> State:
            env = list(state.env)
            for name in self._lists:
                slot = self._slots[name]
                items = env[slot]
                if not isinstance(items, List):
                    continue
                live = self._live(name, state.pc, env)
                if live is None:
                    continue
                env[slot] = items = List(
                    one if place in live else UNSET for place, one in enumerate(items)
                )
                for index, read in self._indices:
                    if read == name:
                        self._exchange(index, name, state.pc, env, pattern)
            return State(state.pc, tuple(env))

        return look

    def _exchange(self, index: str, name: str, pc: int, env: list[Value], pattern: Value) -> None:
        """Move the entry at an index to the first free position, and the index with it."""
        slot, place = self._slots[index], self._slots[name]
        old, items = env[slot], env[place]
        if type(old) is not int or not 0 <= old < len(items) or match(old, pattern, []):
            return
        if self._after[pc] & self._written[name]:
            return
        others = self._live(name, pc, [UNSET if n == slot else v for n, v in enumerate(env)])
        if others is None or old in others:
            return
        for new in range(old):
            if new not in others and not match(new, pattern, []):
                moved = list(items)
                moved[new], moved[old] = items[old], UNSET
                env[slot], env[place] = new, List(moved)
                return

    # What is read ---------------------------------------------------------------------------

    def _live(self, name: str, pc: int, env: list[Value]) -> Positions:
        """Return the positions of a list that are read later."""
        found: set[int] = set()
        size = len(env[self._slots[name]])
        after = self._after[pc]
        for read in self._uses[name].entries:
            if after >> read.pc & 1:
                places = self._values(read.index, pc, env, ())
                if places is None or (min(places, default=0) < 0 and after & self._grown[name]):
                    return None  # positions from the end change as the list grows
                found.update(place + size if place < 0 else place for place in places)
        return frozenset(found)

    def _values(
        self,
        index: ast.expr,
        pc: int,
        env: list[Value],
        seen: tuple[str, ...],
        *,
        sums: bool = False,
    ) -> Positions:
        """Return the values that an index may have when it is read, now or later.

        `seen` are the variables that it is assigned to, `sums` whether as a part of a sum.
        """
        match index:
            case ast.Constant(int(value)):
                return frozenset({int(value)})
            case ast.Constant(None):
                return _NOWHERE
            case ast.Name(word):
                return self._values_of(word, pc, env, seen, sums=sums)
            case ast.UnaryOp(ast.USub(), operand):
                some = self._values(operand, pc, env, seen, sums=True)
                return None if some is None else frozenset(-one for one in some)
            case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
                one, two = (self._values(side, pc, env, seen, sums=True) for side in (left, right))
                if one is None or two is None:
                    return None
                sign = 1 if isinstance(op, ast.Add) else -1
                return frozenset(a + sign * b for a in one for b in two)
        return None

    def _values_of(
        self, word: str, pc: int, env: list[Value], seen: tuple[str, ...], *, sums: bool
    ) -> Positions:
        """Return the values that a variable has or may get; None if it may count up."""
        sources = self._sources.get(word)
        if sources is None or (sums and word in seen):
            return None
        if word in seen:
            return _NOWHERE
        now = env[self._slots[word]]
        if now is not UNSET and now is not None and type(now) is not int:
            return None
        found = {now} if type(now) is int else set()
        after = self._after[pc]
        for place, source in sources:
            more: Positions = _NOWHERE
            if not isinstance(source, ast.expr):
                more = self._items_left(source, pc, env)
            elif after >> place & 1:
                more = self._values(source, pc, env, (*seen, word), sums=sums)
            if more is None:
                return None
            found |= more
        return frozenset(found)

    def _items_left(self, loop: Next, pc: int, env: list[Value]) -> Positions:
        """Return the items that a loop still takes."""
        entered = [
            place
            for place, one in enumerate(self._code.instructions)
            if isinstance(one, Enter) and one.items == loop.items
        ]
        if any(self._after[pc] >> place & 1 for place in entered):
            return None
        items, count = env[self._slots[loop.items]], env[self._slots[loop.counter]]
        if items is UNSET or count is UNSET:
            return _NOWHERE
        left = items[count:]
        return frozenset(left) if all(type(one) is int for one in left) else None

    # What the code says ---------------------------------------------------------------------

    @cached_property
    def _after(self) -> list[int]:
        """For each statement, those that may run from there on, as a bit mask."""
        found = [1 << pc for pc in range(len(self._code.instructions))]
        changed = True
        while changed:
            changed = False
            for pc in reversed(range(len(found))):
                mask = found[pc]
                for there in self._code.successors[pc]:
                    mask |= found[there]
                if mask != found[pc]:
                    found[pc] = mask
                    changed = True
        return found

    @cached_property
    def _sources(self) -> dict[str, list[tuple[int, ast.expr | Next]] | None]:
        """For each slot, what it is assigned; None if it may be anything."""
        found: dict[str, list[tuple[int, ast.expr | Next]] | None] = {}
        for pc, one in enumerate(self._code.instructions):
            for name in written(one):
                some = found.setdefault(name, [])
                if isinstance(one, Set) and some is not None:
                    some.append((pc, one.value))
                elif isinstance(one, Next) and name == one.slot and some is not None:
                    some.append((pc, one))
                else:
                    found[name] = None
        return {name: None if name in self._inputs else some for name, some in found.items()}

    @cached_property
    def _written(self) -> dict[str, int]:
        """For each slot, the statements that assign it, as a bit mask."""
        found = dict.fromkeys(self._code.slots, 0)
        for pc, one in enumerate(self._code.instructions):
            for name in written(one):
                found[name] |= 1 << pc
        return found

    @cached_property
    def _grown(self) -> dict[str, int]:
        """For each slot, the statements that may change the length of its list, as a bit mask."""
        found = dict(self._written)
        for pc, one in enumerate(self._code.instructions):
            match one:
                case Set(slot, Updated(base)) if base.id == slot:
                    found[slot] &= ~(1 << pc)
        return found

    @cached_property
    def _uses(self) -> dict[str, _Uses]:
        """For each slot, how it is read."""
        found = {name: _Uses() for name in self._code.slots}
        copies = only_returned(self._code)
        for pc, one in enumerate(self._code.instructions):
            if isinstance(one, Next):
                found[one.items].otherwise = found[one.counter].otherwise = True
            returned = _returned(one, copies)
            if returned in found:
                found[returned].returned = True
                continue
            for tree in _read_trees(one):
                for node in _parts(tree):
                    self._note(node, pc, found)
        return found

    def _note(self, node: ast.expr, pc: int, found: dict[str, _Uses]) -> None:
        match node:
            case ast.Subscript(ast.Name(word), index) if word in found:
                found[word].entries.append(_EntryRead(pc, index))
                found[word].is_list = True
                if isinstance(index, ast.Name) and index.id in found:
                    found[index.id].lists.add(word)
                    return
                for part in ast.walk(index):
                    if isinstance(part, ast.Name) and part.id in found:
                        found[part.id].otherwise = True
            case ast.Name(word) if word in found:
                found[word].otherwise = True

    def _qualifies(self, name: str) -> bool:
        """Whether a slot is a list of which only entries are read, not all at constant indices.

        Those are summaries.
        """
        uses = self._uses[name]
        varies = any(free_names(one.index) for one in uses.entries)
        is_whole = uses.otherwise or uses.returned
        return varies and not is_whole and name not in self._inputs


def _returned(one: Instruction, copies: frozenset[str]) -> str | None:
    """Return the slot that a statement returns, or copies to one that is only returned."""
    match one:
        case Release(ast.Name(word)):
            return word
        case Set(slot, ast.Name(word)) if slot in copies:
            return word
    return None


def _read_trees(one: Instruction) -> Iterator[ast.expr]:
    """Yield what a statement reads, except the list that it changes."""
    match one:
        case Set(slot, Appended(base, item)) if base.id == slot:
            yield item
        case Set(slot, Updated(base, index, value)) if base.id == slot:
            yield from (index, value)
        case _:
            yield from expressions(one)


def _parts(tree: ast.expr) -> Iterator[ast.expr]:
    """Yield entries of lists, and names that are read otherwise, in an expression."""
    match tree:
        case ast.Name():
            yield tree
        case ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.DictComp() | ast.SetComp():
            yield from (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        case ast.Subscript(ast.Name(), index) if not isinstance(index, ast.Slice):
            yield tree
        case ast.Call(ast.Name("len"), [ast.Name()], []):
            return
        case ast.Compare(ast.Name(), [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
            return
        case _:
            for child in ast.iter_child_nodes(tree):
                yield from _parts(child)  # type: ignore[arg-type]

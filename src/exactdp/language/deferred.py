"""Defer comparisons that a program stores in a list to the places where it reads them.

A list such as `wins = [[x[i] >= x[j] for j in range(m)] for i in range(m)]` holds the result of
every comparison, and so does every state that contains it. If every use of the list reads one
entry (`wins[i][j]`, `all(wins[i])`, `for won in wins: …`), the list stores the compared values
instead, computed where it was created, and an entry is compared where it is read. If these values
do not change, they are computed again there, and the list is not needed. The same applies to lists
to which one statement appends comparisons, to `sorted(x)` if only its ends are read, and to
`max(x)` in `x.index(…)`. All other variables stay the same.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from exactdp.errors import Place
from exactdp.language.selections import entries_read
from exactdp.language.tree import (
    Choose,
    Definition,
    ExpMech,
    NoiseCall,
    bound_names,
    call,
    called,
    constant,
    free_names,
    list_of,
    literal,
    name,
    nodes,
    pair,
    put,
    rebuilt,
    targets,
    where,
)

_BUILTIN = frozenset(
    {"all", "any", "enumerate", "len", "list", "max", "min", "range", "sorted", "sum"}
)
_OPS = (ast.Lt, ast.LtE, ast.Eq, ast.NotEq, ast.GtE, ast.Gt)
_ENDS = ("max", "min", "sorted")
_LOAD = ast.Load()


class _OtherUseError(Exception):
    """A list is used as a whole."""


@dataclass(frozen=True)
class _Clause:
    """`for variable in items`."""

    variable: str
    items: ast.expr


@dataclass(frozen=True)
class _Stored:
    """A list of comparisons: each is left op right, for the values of its clauses.

    With `word` the entries are all(…) or any(…) over the last clause. A list that is appended to
    has one clause without a variable.
    """

    slot: str
    clauses: tuple[_Clause, ...]
    compare: ast.Compare
    word: str
    is_fixed: bool = False
    """Whether what is compared is the same at every later statement, so that it is not stored."""

    @property
    def depth(self) -> int:
        """How many indices an entry has."""
        return len(self.clauses) - bool(self.word)


def deferred(definition: Definition) -> Definition:
    """Return a definition with stored comparisons made where they are read."""
    body, serial = list(definition.body), count(1)
    for position in range(len(body)):
        match body[position]:
            case ast.Assign([ast.Name(slot)], value) if _is_kept(definition, body, position):
                pass
            case _:
                continue
        try:
            if called(value) in _ENDS:
                later = body[position + 1 :]
                try:
                    body[position + 1 :] = _Ends(slot, value, _changed(later)).statements(later)
                    body[position] = _list_only(body[position])
                except _OtherUseError:
                    body[position] = _part_only(body[position], slot, later)
                continue
            is_empty = isinstance(value, ast.List) and not value.elts
            found = _appended(slot, value, body) if is_empty else _stored(slot, value)
            if found is not None:
                changed = _changed(body[position + 1 :])
                found = replace(found, is_fixed=not is_empty and _is_fixed(found, changed))
                later = _Use(found, serial).statements(body[position + 1 :])
                if not is_empty:
                    body[position] = _operands(body[position], found)
                body[position + 1 :] = later
        except _OtherUseError:
            continue
    return definition if body == definition.body else replace(definition, body=body)


def _is_kept(definition: Definition, body: list[ast.stmt], position: int) -> bool:
    """Whether a variable is assigned once, and is made by built-in functions.

    A list that starts empty may be appended to by one statement.
    """
    one = body[position]
    assert isinstance(one, ast.Assign)
    assigned = [root for target in targets(body) for root in _roots(target)]
    (slot,) = _roots(one.targets[0])
    own = {param.name for param in definition.params}
    times = 2 if isinstance(one.value, ast.List) and not one.value.elts else 1
    if assigned.count(slot) != times or slot in own or slot in bound_names(body):
        return False
    words = {called(node) for node in nodes(one.value)} - {""}
    return words <= _BUILTIN and _BUILTIN.isdisjoint(definition.constants)


def _changed(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements assign, change or bind."""
    return {root for target in targets(body) for root in _roots(target)} | bound_names(body)


def _roots(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(word) | ast.Subscript(ast.Name(word)):
            return [word]
        case ast.Tuple(items):
            return [word for item in items for word in _roots(item)]
        case ast.Subscript(inner):
            return _roots(inner)
    return []


def _stored(slot: str, value: ast.expr) -> _Stored | None:
    """Return a list of comparisons, None if it is something else."""
    clauses, word = [], ""
    inside: ast.expr = value
    while True:
        match inside:
            case ast.ListComp(inside, [one]) if not word:
                pass
            case ast.Call(ast.Name("all" | "any" as word), [ast.GeneratorExp(inside, [one])], []):
                pass
            case _:
                break
        if one.ifs or not isinstance(one.target, ast.Name):
            return None
        clauses.append(_Clause(one.target.id, one.iter))
    if not isinstance(inside, ast.Compare) or len(inside.ops) != 1:
        return None
    if not isinstance(inside.ops[0], _OPS) or len(clauses) == bool(word):
        return None
    if len(clauses) > 1 and _draws(value):
        return None
    return _Stored(slot, tuple(clauses), inside, word)


def _is_fixed(stored: _Stored, changed: set[str]) -> bool:
    """Whether the entries may be computed later: what they depend on does not change."""
    variables = {one.variable for one in stored.clauses}
    outer: set[str] = set()
    bound: set[str] = set()
    for one in stored.clauses:
        outer |= free_names(one.items) - bound
        bound.add(one.variable)
    outer |= free_names(stored.compare) - bound
    parts = [stored.compare, *(one.items for one in stored.clauses)]
    return (
        len(variables) == len(stored.clauses)
        and variables <= free_names(stored.compare)  # so that every index is looked at
        and not any(map(bound_names, parts))
        and not any(map(_draws, parts))
        and outer.isdisjoint(changed | variables)
    )


def _appended(slot: str, value: ast.expr, body: list[ast.stmt]) -> _Stored | None:
    """Return a list that starts empty, and to which one statement appends comparisons.

    A variable in them that is assigned in several places, such as a maximum so far, would have to
    be kept with each of its values: there are more of these than answers.
    """
    loops = [one.target for one in nodes(body) if isinstance(one, ast.For)]
    assigned = Counter(root for target in targets(body) for root in _roots(target))
    assigned.subtract(root for target in loops for root in _roots(target))
    for one in nodes(body):
        compare = _comparison_for(slot, one)
        if compare is not None and all(assigned[name] <= 1 for name in free_names(compare)):
            return _Stored(slot, (_Clause("", value),), compare, "")
    return None


def _comparison_for(slot: str, node: object) -> ast.Compare | None:
    """Return the comparison that a statement appends to a list, None for other statements."""
    match node:
        case ast.Expr(
            ast.Call(ast.Attribute(ast.Name(word), "append"), [ast.Compare(_, [op]) as found], [])
        ) if word == slot and isinstance(op, _OPS):
            return found
    return None


def _draws(tree: ast.expr) -> bool:
    return any(isinstance(node, NoiseCall | ExpMech | Choose) for node in nodes(tree))


def _comprehension(elt: ast.expr, clauses: tuple[_Clause, ...], place: Place) -> ast.expr:
    for one in reversed(clauses):
        target = name(one.variable, place)
        each = put(ast.comprehension(target, one.items, [], 0), place)
        elt = put(ast.ListComp(elt, [each]), place)
    return elt


def _operands(statement: ast.stmt, stored: _Stored) -> ast.stmt:
    """Return the statement that computes what is compared, and no more."""
    place = where(statement)
    both = pair(stored.compare.left, stored.compare.comparators[0], place)
    value = _comprehension(both, stored.clauses, place)
    return put(ast.Assign([name(stored.slot, place)], value), place)


def _list_only(statement: ast.stmt) -> ast.stmt:
    """Return the statement that stores the list whose end is read later."""
    match statement:
        case ast.Assign(several, ast.Call(_, [items])):
            place = where(statement)
            return put(ast.Assign(several, call(name("list", place), [items], place)), place)
    raise AssertionError("not an assignment of an end")


def _part_only(statement: ast.stmt, slot: str, later: list[ast.stmt]) -> ast.stmt:
    """Return `slot = sorted(…)[:k]` or `[-k:]` if no other entries are read."""
    match statement:
        case ast.Assign(several, ast.Call(ast.Name("sorted")) as value):
            pass
        case _:
            raise _OtherUseError
    reads = [
        entries_read(node.slice)
        for node in nodes(later)
        if isinstance(node, ast.Subscript) and _is_name(node.value, slot)
    ]
    numbers = [one for one in reads if one is not None]
    uses = sum(_is_name(node, slot) for node in nodes(later))
    if not numbers or len(numbers) != uses or min(numbers) < 0 < max(numbers):
        raise _OtherUseError
    place = where(statement)
    most = constant(max(numbers, key=abs), place)
    bounds = put(ast.Slice(None, most) if numbers[0] > 0 else ast.Slice(most), place)
    part = put(ast.Subscript(value, bounds, _LOAD), place)
    return put(ast.Assign(several, part), place)


def _is_name(node: object, word: str) -> bool:
    return isinstance(node, ast.Name) and node.id == word


class _Ends:
    """Uses of the ends of `sorted(…)`, and of `max(x)` and `min(x)` in `x.index(…)`."""

    def __init__(self, slot: str, value: ast.expr, changed: set[str]) -> None:
        assert isinstance(value, ast.Call)
        if len(value.args) != 1 or _draws(value):
            raise _OtherUseError
        options = [one.value for one in value.keywords]
        inside = [one.body if isinstance(one, ast.Lambda) else one for one in options]
        if bound_names(inside) or not changed.isdisjoint(free_names(options)):
            raise _OtherUseError
        self.slot, self.value = slot, value
        self._changed = changed

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements with the value for its name; only such as are always run have it."""
        for one in body:
            inner = isinstance(one, ast.If | ast.For | ast.While)
            if inner and self.slot in free_names(one):
                raise _OtherUseError
        return [self.changed(one) for one in body]

    def changed(self, node: Any) -> Any:
        """Return a node with the name replaced by the value."""
        match node:
            case ast.Name(word) if word == self.slot:
                raise _OtherUseError
            case ast.Subscript(ast.Name(word), index) if word == self.slot:
                if self.value.func.id != "sorted" or literal(index) not in (0, -1):  # type: ignore[attr-defined]
                    raise _OtherUseError
                place = where(self.value)
                kept = put(ast.Call(self.value.func, [node.value], self.value.keywords), place)
                return put(ast.Subscript(kept, index, _LOAD), where(node))
            case ast.Call(ast.Attribute(ast.Name(base)), [ast.Name(word)]) if word == self.slot:
                match self.value:
                    case ast.Call(ast.Name("max" | "min"), [ast.Name(other)], []) if (
                        other == base and other not in self._changed
                    ):
                        return put(ast.Call(node.func, [self.value], []), where(node))
                raise _OtherUseError
        return rebuilt(node, self.changed)


class _Use:
    """The uses of a list of comparisons, which must all be one entry, and stand in one place."""

    def __init__(self, stored: _Stored, serial: Iterator[int]) -> None:
        self.stored, self._serial = stored, serial
        self._used = 0
        self._names: Counter[str] = Counter()
        """The number of occurrences of each name after the list."""

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements after the list, with its entries replaced by comparisons."""
        self._names = Counter(node.id for node in nodes(body) if isinstance(node, ast.Name))
        found = [self.changed(one) for one in self.block(body)]
        if self._used != 1:
            raise _OtherUseError
        return found

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements in which the list is read by position."""
        return [new for one in body for new in self.statement(one)]

    def statement(self, one: ast.stmt) -> list[ast.stmt]:
        """Return a statement in which loops over the list, and index(True), use positions."""
        slot, place = self.stored.slot, where(one)
        match one:
            case ast.Return(ast.Call(ast.Attribute(ast.Name(word), "index"), [found], [])) if (
                word == slot and literal(found) is True
            ):
                variable = self.fresh()
                at = put(ast.Return(name(variable, place)), place)
                method = put(ast.Attribute(list_of([], place), "index", _LOAD), place)
                error = call(method, [found], place)
                return [self.search(variable, at, place), put(ast.Return(error), place)]
            case ast.For(ast.Name(entry), ast.Name(word), body, orelse) if word == slot:
                variable = self.fresh()
                return [self.loop(variable, entry, body, orelse, one)]
            case ast.For(
                ast.Tuple([ast.Name(variable), ast.Name(entry)]),
                ast.Call(ast.Name("enumerate"), [ast.Name(word)], []),
                body,
                orelse,
            ) if word == slot:
                return [self.loop(variable, entry, body, orelse, one)]
            case ast.For(target, items, body, orelse):
                inside = self.block(body), self.block(orelse)
                return [put(ast.For(target, items, *inside), place)]
            case ast.If(test, body, orelse):
                return [put(ast.If(test, self.block(body), self.block(orelse)), place)]
            case ast.While() if slot in free_names(one):  # where noise is not compared
                raise _OtherUseError
        return [one]

    def search(self, variable: str, found: ast.stmt, place: Place) -> ast.stmt:
        """Return the loop that runs `found` at the first entry that is true."""
        test = put(ast.If(self.at(variable, place), [found], []), place)
        return put(ast.For(name(variable, place), self.positions(place), [test], []), place)

    def at(self, variable: str, place: Place) -> ast.expr:
        """Return slot[variable]."""
        return put(
            ast.Subscript(name(self.stored.slot, place), name(variable, place), _LOAD), place
        )

    def positions(self, place: Place) -> ast.expr:
        """Return the positions of the list."""
        size = call(name("len", place), [name(self.stored.slot, place)], place)
        return call(name("range", place), [size], place)

    def loop(
        self,
        variable: str,
        entry: str,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        one: ast.For,
    ) -> ast.stmt:
        """Return a loop over the entries as one over the positions."""
        place = where(one)
        changed = {root for target in targets(body) for root in _roots(target)}
        here = sum(isinstance(node, ast.Name) and node.id == entry for node in nodes(body))
        if not changed.isdisjoint((entry, variable)) or entry in bound_names(body):
            raise _OtherUseError
        if self._names[entry] != here + 1:  # the entry is known behind the loop
            raise _OtherUseError
        inside = [_with(part, {entry: lambda: self.at(variable, place)}) for part in body]
        return put(ast.For(name(variable, place), self.positions(place), inside, orelse), place)

    def fresh(self) -> str:
        """Return a name that no program can use."""
        return f"%at{next(self._serial)}"

    def changed(self, node: Any) -> Any:
        """Return a node with entries replaced by comparisons."""
        stored = self.stored
        appended = _comparison_for(stored.slot, node)
        if appended is not None:
            place = where(node)
            both = pair(self.changed(appended.left), self.changed(appended.comparators[0]), place)
            return put(ast.Expr(call(node.value.func, [both], where(node.value))), place)
        match node:
            case ast.Name(word) if word == stored.slot:
                raise _OtherUseError
            case ast.Call(ast.Name("len"), [ast.Name(word)], []) if word == stored.slot:
                if not stored.is_fixed:
                    return node
                return call(node.func, [self.items(stored.clauses[0], {})], where(node))
            case ast.Call(ast.Name("all" | "any" | "sum" as word), [argument], []) if (
                not stored.word
            ):
                indices = self.indices(argument)
                if indices is not None and len(indices) == stored.depth - 1:
                    return self.entry([self.changed(one) for one in indices], word, where(node))
            case ast.Subscript():
                indices = self.indices(node)
                if indices is not None and len(indices) == stored.depth:
                    return self.entry([self.changed(one) for one in indices], "", where(node))
        return rebuilt(node, self.changed)

    def indices(self, node: ast.expr) -> list[ast.expr] | None:
        """Return i, j, … if a node is slot[i][j]…, else None."""
        match node:
            case ast.Name(word) if word == self.stored.slot:
                return []
            case ast.Subscript(base, index) if not isinstance(index, ast.Slice):
                found = self.indices(base)
                return None if found is None else [*found, index]
        return None

    def entry(self, indices: list[ast.expr], word: str, place: Place) -> ast.expr:
        """Return the comparison at some indices; with a word, over all entries below them."""
        if any(_draws(one) or not _is_plain(one) for one in indices):  # they are looked at twice
            raise _OtherUseError
        self._used += 1
        stored = self.stored
        if stored.is_fixed:
            return self.again(indices, word or stored.word, place)
        kept: ast.expr = name(stored.slot, place)
        for index in indices:
            kept = put(ast.Subscript(kept, index, _LOAD), place)
        if len(indices) == len(stored.clauses):
            return self.compared(kept, place)
        variable = name(f"%of{next(self._serial)}", place)
        each = put(ast.comprehension(variable, kept, [], 0), place)
        every = put(ast.GeneratorExp(self.compared(variable, place), [each]), place)
        return call(name(word or stored.word, place), [every], place)

    def again(self, indices: list[ast.expr], word: str, place: Place) -> ast.expr:
        """Return the same comparison, with what is compared computed again."""
        values: dict[str, Callable[[], ast.expr]] = {}
        for clause, index in zip(self.stored.clauses, indices, strict=False):
            one = put(ast.Subscript(self.items(clause, values), index, _LOAD), place)
            values[clause.variable] = lambda one=one: one  # type: ignore[misc]
        compare = self.stored.compare
        if len(indices) == len(self.stored.clauses):
            return put(_with(compare, values), where(compare))  # type: ignore[no-any-return]
        last = self.stored.clauses[-1]
        variable = name(f"%of{next(self._serial)}", place)
        each = put(ast.comprehension(variable, _with(last.items, values), [], 0), place)
        values[last.variable] = lambda: variable
        every = put(ast.GeneratorExp(_with(compare, values), [each]), place)
        return call(name(word, place), [every], place)

    @staticmethod
    def items(clause: _Clause, values: Mapping[str, Callable[[], ast.expr]]) -> ast.expr:
        """Return the items of a clause as a sequence, with values of earlier variables."""
        found: ast.expr = _with(clause.items, values)
        place = where(clause.items)
        return found if called(found) == "range" else call(name("list", place), [found], place)

    def compared(self, both: ast.expr, place: Place) -> ast.expr:
        """Return the comparison of a pair that the list keeps."""
        left, right = (
            put(ast.Subscript(both, constant(side, place), _LOAD), place) for side in (0, 1)
        )
        compare = self.stored.compare
        return put(ast.Compare(left, compare.ops, [right]), where(compare))


def _is_plain(tree: ast.expr) -> bool:
    """Whether an expression calls only functions that are built in."""
    return {called(node) for node in nodes(tree) if isinstance(node, ast.Call)} <= _BUILTIN


def _with(node: Any, values: Mapping[str, Callable[[], ast.expr]]) -> Any:
    """Return a tree with names replaced by expressions."""
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]()
    return rebuilt(node, lambda part: _with(part, values))

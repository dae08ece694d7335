"""A function as flat code: simple statements and jumps, so that a run can stop and continue.

In code for a graph of runs, `max` and `min` of a list, and the ends of a sorted one, become loops:
then each comparison is an instruction of its own. So do comprehensions whose entries compare, if
they are returned or assigned to a variable. What stays nested (other calls and comprehensions) is
one instruction.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .allowed import changed_lists

RETURNED = -1
"""Stands for the next instruction where there is none, since the function is left."""

_EXTREMES = {"max": ast.Gt, "min": ast.Lt}


@dataclass(frozen=True)
class Instruction:
    """One step.

    `do` a statement, `test` or `jump`, `begin` a loop, take its `next` item, `return`; `while` is
    the test at the head of such a loop.
    """

    kind: str
    node: Any = None
    name: str = ""
    """The variable that holds the items of a loop that are left."""
    target: int = 0
    """Where to go on if a test fails, a loop is over, or always after a jump."""


class FlatCode:
    """The instructions of a function, and which variables each may still need.

    With the names of functions that are `known`, they are for a graph of runs.
    """

    def __init__(self, function: ast.FunctionDef, known: frozenset[str] | None = None) -> None:
        own = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and _is_set(one)}
        own |= {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
        self.changed_lists = changed_lists(function)
        """The variables whose lists are changed in place (see `allowed`)."""
        self.is_for_graph = known is not None
        self.known = (known or frozenset()) - own
        self.code: list[Instruction] = []
        self._loops: list[tuple[int, list[int]]] = []  # where `continue` goes; the `break`s
        self._names = 0
        self._block(function.body)
        self._emit(Instruction("return", ast.Constant(None)))

    def _emit(self, one: Instruction) -> int:
        self.code.append(one)
        return len(self.code) - 1

    def _land(self, *places: int) -> None:
        """Let jumps go to the next instruction."""
        for k in places:
            self.code[k] = replace(self.code[k], target=len(self.code))

    def _name(self) -> str:
        self._names += 1
        return f"%{self._names}"

    # Statements -----------------------------------------------------------------------

    def _block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.If(test, body, otherwise):
                self._if(self._hoisted(test), body, otherwise)
            case ast.For(target, items, body, otherwise):
                self._for(target, self._hoisted(items), body, otherwise)
            case ast.While(test, body, otherwise):
                start = len(self.code)
                head = Instruction("while", node)
                if self.is_for_graph:
                    head = Instruction("test", test)
                self._loop(start, self._emit(head), body, otherwise)
            case ast.Break() | ast.Continue() if self._loops:
                start, breaks = self._loops[-1]
                jump = self._emit(Instruction("jump", target=start))
                if isinstance(node, ast.Break):
                    breaks.append(jump)
            case ast.Return(ast.ListComp(item, [clause])) if self._is_split(item, clause):
                name = self._name()
                self._listed(name, item, clause)
                self._emit(Instruction("return", _load(name)))
            case ast.Assign([ast.Name(name)], ast.ListComp(item, [clause]) as made) if (
                name not in _read(made) and self._is_split(item, clause)
            ):
                self._listed(name, item, clause)
            case ast.Return(value):
                found = ast.Constant(None) if value is None else self._hoisted(value)
                self._emit(Instruction("return", found))
            case ast.Assign(targets, value):
                new = ast.Assign(targets, self._hoisted(value))
                self._emit(Instruction("do", new))
            case _:
                self._emit(Instruction("do", node))

    def _if(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        away = self._emit(Instruction("test", test))
        self._block(body)
        end = self._emit(Instruction("jump"))
        self._land(away)
        self._block(otherwise)
        self._land(end)

    def _for(
        self, target: ast.expr, items: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt]
    ) -> None:
        name = self._name()
        self._emit(Instruction("begin", items, name))
        start = len(self.code)
        self._loop(start, self._emit(Instruction("next", target, name)), body, otherwise)

    def _loop(self, start: int, head: int, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        self._loops.append((start, []))
        self._block(body)
        self._emit(Instruction("jump", target=start))
        _, breaks = self._loops.pop()
        self._land(head)
        self._block(otherwise)
        self._land(*breaks)

    def _is_split(self, item: ast.expr, clause: ast.comprehension) -> bool:
        """Whether the entries of a comprehension, with one loop and no condition, compare."""
        inside = [*ast.walk(item)]
        nested = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
        return (
            self.is_for_graph
            and isinstance(clause.target, ast.Name)
            and not clause.ifs
            and any(isinstance(one, ast.Compare) for one in inside)
            and not any(isinstance(one, nested) for one in inside)
        )

    def _listed(self, name: str, item: ast.expr, clause: ast.comprehension) -> None:
        """Write a loop that appends the entries of a comprehension to a new list."""
        own = self._name()
        assert isinstance(clause.target, ast.Name)
        entry = _Replaced(clause.target.id, own).visit(deepcopy(item))
        append = ast.Expr(ast.Call(ast.Attribute(_load(name), "append", ast.Load()), [entry], []))
        self._block([_assigned(name, ast.List([], ast.Load())), _each(own, clause.iter, [append])])

    # Largest and smallest items -------------------------------------------------------

    def _hoisted(self, node: ast.expr) -> ast.expr:
        """Return an expression with variables for the extremes of lists, found by loops before."""
        has_extremes = any(_extreme(one, self.known) is not None for one in ast.walk(node))
        return _Extremes(self).visit(deepcopy(node)) if has_extremes else node

    def extreme(self, items: ast.expr, key: ast.expr | None, op: ast.cmpop) -> ast.expr:
        """Write a loop that finds the extreme item, and return its variable."""
        given, item, best, value, top = (self._name() for _ in range(5))

        def keyed(name: str) -> ast.expr:
            if key is None:
                return _load(name)
            assert isinstance(key, ast.Lambda)
            found: ast.expr = _Replaced(key.args.args[0].arg, name).visit(deepcopy(key.body))
            return found

        self._emit(Instruction("begin", items, given))
        rest = ast.Subscript(_load(given), ast.Slice(ast.Constant(1)), ast.Load())
        # An empty list fails here as there: then nothing is derived in this way.
        first = ast.Subscript(_load(given), ast.Constant(0), ast.Load())
        compared = ast.Compare(_load(value), [op], [_load(top)])
        better = [_assigned(best, _load(item)), _assigned(top, _load(value))]
        each = [_assigned(value, keyed(item)), ast.If(compared, better, [])]
        self._block([_assigned(best, first), _assigned(top, keyed(best)), _each(item, rest, each)])
        return _load(best)

    # Liveness -------------------------------------------------------------------------

    @cached_property
    def live(self) -> list[frozenset[str]]:
        """The variables that may be read from an instruction on, before they are set."""
        live: list[frozenset[str]] = [frozenset()] * len(self.code)
        changed = True
        while changed:
            changed = False
            for k in reversed(range(len(self.code))):
                one = self.code[k]
                after: frozenset[str] = frozenset()
                if one.kind not in ("return", "jump"):
                    after |= live[k + 1]
                if one.kind in ("test", "while", "next", "jump"):
                    after |= live[one.target]
                used, defined = _effects(one)
                found = frozenset(used | (after - defined))
                if found != live[k]:
                    live[k], changed = found, True
        return live


def _effects(one: Instruction) -> tuple[set[str], set[str]]:
    """Return the variables that an instruction reads, and those that it surely sets."""
    if one.kind == "begin":
        return _read(one.node), {one.name}
    if one.kind == "while":
        return _read(one.node.test), set()
    if one.kind == "next":  # after the last item, the target keeps its value
        return {one.name} | (_read(one.node) - _stored(one.node)), set()
    if one.kind == "do" and isinstance(one.node, ast.Assign):
        stored = set[str]().union(*map(_stored, one.node.targets))
        inside = set[str]().union(*map(_read, one.node.targets))
        return _read(one.node.value) | inside, stored
    return (set() if one.node is None else _read(one.node)), set()


def _read(node: ast.AST) -> set[str]:
    """Return all names in a tree that are not only stored."""
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    } | {
        one.target.id
        for one in ast.walk(node)
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)
    }


def _is_set(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _stored(target: ast.AST) -> set[str]:
    """Return the names that an assignment to a target sets."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, ast.Tuple | ast.List):
        return set[str]().union(*map(_stored, target.elts))
    return set()


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _each(name: str, items: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return ast.For(ast.Name(name, ast.Store()), items, body, [])


class _Replaced(ast.NodeTransformer):
    """Replaces a name by another one."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace the name."""
        return _load(self.new) if node.id == self.old else node


_NESTED = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.BoolOp, ast.IfExp)


class _Extremes(ast.NodeTransformer):
    """Replaces extremes of lists by variables, where they are surely evaluated, and once."""

    def __init__(self, code: FlatCode) -> None:
        self.code = code

    def visit(self, node: ast.AST) -> Any:
        """Leave unchanged what may not be evaluated, or more than once."""
        if isinstance(node, _NESTED):
            return node
        found = _extreme(node, self.code.known)
        if found is None:
            return self.generic_visit(node)
        items, key, op = found
        return self.code.extreme(self.visit(items), key, op)


def _extreme(
    node: ast.AST, known: frozenset[str]
) -> tuple[ast.expr, ast.expr | None, ast.cmpop] | None:
    """Return the list, the key and the comparison of which a node is the extreme item."""
    match node:
        case ast.Call(ast.Name("max" | "min" as name), [items], keywords) if name in known:
            return _keyed(items, keywords, _EXTREMES[name]())
        case ast.Subscript(
            ast.Call(ast.Name("sorted"), [items], keywords),
            ast.Constant(0) | ast.UnaryOp(ast.USub(), ast.Constant(1)) as place,
        ) if "sorted" in known:
            turned = [one for one in keywords if one.arg == "reverse"]
            rest = [one for one in keywords if one.arg != "reverse"]
            if any(not isinstance(one.value, ast.Constant) for one in turned):
                return None
            is_turned = any(one.value.value for one in turned)  # type: ignore[attr-defined]
            is_first = isinstance(place, ast.Constant)
            # Sorting keeps the order of equal items: of these, the last one is at the end.
            ends = (ast.Gt, ast.Lt) if is_first else (ast.LtE, ast.GtE)
            return _keyed(items, rest, ends[0 if is_turned else 1]())
    return None


def _keyed(
    items: ast.expr, keywords: list[ast.keyword], op: ast.cmpop
) -> tuple[ast.expr, ast.expr | None, ast.cmpop] | None:
    if not keywords:
        return items, None, op
    key = keywords[0].value
    plain = len(keywords) == 1 and keywords[0].arg == "key" and isinstance(key, ast.Lambda)
    if not plain or len(key.args.args) != 1:  # type: ignore[attr-defined]
        return None
    inner = [one for one in ast.walk(key.body) if isinstance(one, _NESTED)]  # type: ignore[attr-defined]
    return None if inner else (items, key, op)

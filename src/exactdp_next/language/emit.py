"""Emitting code: labels and temporaries, and the scopes in which a source is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..errors import ExactdpError, Place, fail
from .code import (
    Apply,
    Choose,
    Code,
    Const,
    Expression,
    Instruction,
    Jump,
    Name,
    Sample,
    Select,
    Set,
    Test,
    renamed,
)
from .operations import applied
from .places import refused_at
from .source import Source
from .values import Table

LONGEST_CODE = 50_000
"""Instructions of a program; checking them takes seconds."""


class Label:
    """A place in the code that is not known yet."""


@dataclass
class Loop:
    """Where `continue` and `break` lead."""

    again: Label
    end: Label


@dataclass
class Scope:
    """The variables and functions that a part of a source sees, and where its `return` leads.

    `names` maps names of the source to variables of the code: a subroutine that is called twice has
    its variables twice.
    """

    source: Source
    names: dict[str, str]
    outer: Scope | None = None
    functions: dict[str, Subroutine] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    result: tuple[str, Label] | None = None
    block: bool = True
    """Whether it is that of a function, not of a comprehension in one."""

    def variable(self, name: str) -> str | None:
        """Return the variable that a name stands for, or None."""
        scope: Scope | None = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            if name in scope.functions:
                return None
            scope = scope.outer
        return None

    def subroutine(self, name: str) -> Subroutine | None:
        """Return the function of the source that a name stands for, or None."""
        scope: Scope | None = self
        while scope:
            if name in scope.functions:
                return scope.functions[name]
            if name in scope.names:
                return None
            scope = scope.outer
        return None

    @property
    def function(self) -> Scope:
        """The scope of the function around it."""
        scope = self
        while not scope.block:
            assert scope.outer
            scope = scope.outer
        return scope


@dataclass
class Subroutine:
    """A function that is put in place of its calls; `defaults` are the values of its arguments."""

    tree: ast.FunctionDef | ast.Lambda
    source: Source
    scope: Scope | None
    defaults: dict[str, Expression]

    @property
    def name(self) -> str:
        """The name in messages."""
        return getattr(self.tree, "name", "the lambda")


class Emitter:
    """Collects instructions; labels become numbers at the end."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.whole = scope, scope.source
        self.code: list[tuple[Instruction, Label | None, Place]] = []
        self.whiles: list[tuple[Label, Label]] = []
        self.calls: list[ast.AST] = []
        """The functions that are being put in place of their calls."""
        self.scoring: tuple[str, Place] | None = None
        """The code and place of what is refused if the function that is being read samples."""
        self._labels: dict[Label, int] = {}
        self._temporaries = 0

    def emit(self, one: Instruction, node: ast.AST, to: Label | None = None) -> None:
        """Append an instruction; `to` is where its jump leads."""
        if self.scoring and isinstance(one, Sample | Choose | Select):
            code, place = self.scoring
            fail("S16", place=place) if code == "S16" else fail("S17", place=place)
        if len(self.code) >= LONGEST_CODE:
            self.refuse("X01", node, most=LONGEST_CODE)
        self.code.append((one, to, self.scope.source.place(node)))

    def mark(self, label: Label) -> None:
        """Put a label at the next instruction."""
        self._labels[label] = len(self.code)

    def temporary(self) -> str:
        """Return a new variable; no name of Python looks like it."""
        self._temporaries += 1
        return f"#{self._temporaries}"

    def finished(self) -> tuple[Code, list[tuple[int, int]]]:
        """Return the code with numbers in place of labels, and where its `while` loops are."""
        found = tuple(renamed(one, self._labels[to]) if to else one for one, to, _ in self.code)
        whiles = [(self._labels[a], self._labels[b]) for a, b in self.whiles]
        return Code(found, tuple(place for *_, place in self.code)), whiles

    def refuse(self, code: str, node: ast.AST, **data: Any) -> NoReturn:
        """Raise the error of a code at a part of the source."""
        headline = isinstance(node, ast.stmt)
        fail(code, place=self.scope.source.place(node, headline=headline), **data)

    @contextmanager
    def placed(self, node: ast.AST) -> Iterator[None]:
        """Give the place of a part of the source to errors that have none."""
        try:
            yield
        except ExactdpError as error:
            if error.place is not None:
                raise
            refused_at(error, self.scope.source.place(node))

    def held(self, value: Expression, node: ast.AST) -> Expression:
        """Return an expression with the same value, whatever is assigned later."""
        if isinstance(value, Const) or (isinstance(value, Name) and value.name.startswith("#")):
            return value
        name = self.temporary()
        self.emit(Set(name, value), node)
        return Name(name)

    def apply(self, op: str, args: tuple[Expression, ...], node: ast.AST) -> Expression:
        """Return an operation, computed now if all is constant, so that formulas are constants.

        What would be refused is left to the run that gets there. A list stays an operation, because
        each run of a display makes a new one.
        """
        if op != "call" and all(isinstance(one, Const) for one in args):
            values = tuple(one.value for one in args if isinstance(one, Const))
            try:
                found = applied(op, values)
            except ExactdpError:
                pass
            else:
                if not isinstance(found, tuple | Table):
                    return Const(found)
        return Apply(op, args, self.scope.source.place(node))

    def goto(self, label: Label, node: ast.AST) -> None:
        """Emit a jump."""
        self.emit(Jump(0), node, label)

    def test(
        self, op: str, left: Expression, right: Expression, node: ast.AST, otherwise: Label
    ) -> None:
        """Emit a comparison that jumps if it is false."""
        self.emit(Test(op, left, right, 0), node, otherwise)

    def enter(self, names: Iterator[str] | set[str], block: bool = False) -> Scope:
        """Return a scope inside this one, with new variables."""
        self._temporaries += 1
        fresh = {x: f"{x}#{self._temporaries}" for x in names}
        return Scope(self.scope.source, fresh, self.scope, block=block)

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Read in another scope."""
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before

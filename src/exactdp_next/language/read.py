"""A source becomes a program of flat code: statements, names and loops."""

from __future__ import annotations

import ast

from ..errors import NotYet
from .code import Apply, Code, Const, Expression, Instruction, Jump, Name, Return, Set, Test
from .expressions import COMPARISONS, Reader
from .source import Source
from .types import InputType

Inputs = tuple[tuple[str, InputType], ...]


def read(source: Source) -> tuple[Inputs, Code]:
    """Return the inputs of a function and its code."""
    inputs = tuple((a.arg, _input_type(a, source)) for a in source.tree.args.args)
    lowering = _Lowering(source, {name for name, _ in inputs} | _assigned(source.tree))
    lowering.block(source.tree.body)
    lowering.emit(Return(Const(None)), source.tree)
    return inputs, lowering.finished()


def _input_type(argument: ast.arg, source: Source) -> InputType:
    """Return the value of an annotation: the name of a type, or a type with a length."""
    match argument.annotation:
        case ast.Subscript(value=ast.Name(id=kind), slice=size):
            base = source.constant(kind)
            length: object = None
            match size:
                case ast.Constant(value=written):
                    length = written
                case ast.Name(id=name):
                    length = source.constant(name)
            if isinstance(base, InputType) and type(length) is int:
                return base[length]
        case ast.Name(id=kind):
            base = source.constant(kind)
            if isinstance(base, InputType):
                return base
    raise NotYet("language")


def _assigned(tree: ast.AST) -> set[str]:
    """Return the names that a function assigns."""
    names = (n for n in ast.walk(tree) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store)}


class _Label:
    """A place in the code that is not known yet."""


class _Lowering(Reader):
    """Emits the code of statements; labels become numbers at the end."""

    def __init__(self, source: Source, variables: set[str]) -> None:
        super().__init__(source, frozenset(variables))
        self._code: list[tuple[Instruction, _Label | None, ast.AST]] = []
        self._labels: dict[_Label, int] = {}

    def emit(self, one: Instruction, node: ast.AST, to: _Label | None = None) -> None:
        """Append an instruction; `to` is where its jump leads."""
        self._code.append((one, to, node))

    def mark(self, label: _Label) -> None:
        """Put a label at the next instruction."""
        self._labels[label] = len(self._code)

    def finished(self) -> Code:
        """Return the code with numbers in place of labels."""
        found: list[Instruction] = []
        for one, label, _ in self._code:
            to = self._labels[label] if label else 0
            match one:
                case Jump():
                    found.append(Jump(to))
                case Test(op, a, b, _):
                    found.append(Test(op, a, b, to))
                case _:
                    found.append(one)
        return Code(tuple(found), tuple(self.source.place(node) for *_, node in self._code))

    def block(self, statements: list[ast.stmt]) -> None:
        """Emit statements one after another."""
        for one in statements:
            self._statement(one)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Return(value=None):
                self.emit(Return(Const(None)), node)
            case ast.Return(value=ast.expr() as value):
                self.emit(Return(self.expression(value)), node)
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                self.emit(Set(target, self.expression(value)), node)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values):
                self._assign_together(targets, values, node)
            case ast.If(test=test, body=body, orelse=orelse):
                other, end = _Label(), _Label()
                self._unless(test, other)
                self.block(body)
                if orelse:
                    self.emit(Jump(0), node, end)
                self.mark(other)
                self.block(orelse)
                self.mark(end)
            case ast.For(target=ast.Name(id=target), iter=over, body=body, orelse=[]):
                self._for(target, over, body, node)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise NotYet("language")

    def _assign_together(
        self, targets: list[ast.expr], values: list[ast.expr], node: ast.stmt
    ) -> None:
        """Assign a tuple: all values are taken before the first name changes."""
        held = [self._held(self.expression(v), node) for v in values]
        for target, value in zip(targets, held, strict=True):
            if not isinstance(target, ast.Name):
                raise NotYet("language")
            self.emit(Set(target.id, value), node)

    def _held(self, value: Expression, node: ast.AST) -> Expression:
        if isinstance(value, Const):
            return value
        name = self.temporary()
        self.emit(Set(name, value), node)
        return Name(name)

    def _for(self, target: str, over: ast.expr, body: list[ast.stmt], node: ast.stmt) -> None:
        """Emit a counter that is tested; the loop is kept."""
        first, last = self.range_of(over)
        counter, again, end = self.temporary(), _Label(), _Label()
        self.emit(Set(counter, first), node)
        self.mark(again)
        self.emit(Test("<", Name(counter), last, 0), node, end)
        self.emit(Set(target, Name(counter)), node)
        self.block(body)
        self.emit(Set(counter, Apply("+", (Name(counter), Const(1)))), node)
        self.emit(Jump(0), node, again)
        self.mark(end)

    def _unless(self, test: ast.expr, label: _Label) -> None:
        """Emit code that goes to the label where a condition is false."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                a, b = self.expression(left), self.expression(right)
                self.emit(Test(COMPARISONS[type(op)], a, b, 0), test, label)
            case _:
                raise NotYet("language")

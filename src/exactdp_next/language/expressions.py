"""Expressions of a source become expressions of the core program; what is not pure is emitted."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from math import isinf
from types import ModuleType
from typing import NoReturn

from ..errors import GivenUp
from .code import Append, Const, Expression, Name, Set
from .emit import Emitter, Label, Loop, Scope
from .foreign import Foreign
from .samplers import Sampler
from .source import KNOWN, WORDS, captured
from .types import InputType

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
ONCE = ("zip", "enumerate", "reversed")
"""Their results can be gone over once."""

GAUSSIAN = frozenset({"gauss", "gaussian", "normal", "normalvariate", "randn"})


class Expressions(Emitter, ABC):
    """Reads expressions."""

    @abstractmethod
    def constant_value(self, node: ast.expr) -> object:
        """Return the value of a constant, or a type."""

    @abstractmethod
    def call(self, node: ast.Call, passing: bool) -> Expression:
        """Return the value of a call."""

    def expression(self, node: ast.expr, passing: bool = False) -> Expression:
        """Return the expression of a node; if `passing`, its items are gone over at once."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.BinOp(left=left, op=op, right=right):
                if type(op) not in OPERATORS:
                    self.refuse("P26", node)
                one = self.expression(left)
                return self.apply(OPERATORS[type(op)], (one, self.expression(right)), node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                sign = "neg" if isinstance(op, ast.USub) else "pos"
                return self.apply(sign, (self.expression(operand),), node)
            case ast.UnaryOp(op=ast.Invert()):
                self.refuse("P27", node)
            case ast.Compare() | ast.UnaryOp():
                return self.branches(node, Const(True), Const(False))
            case ast.BoolOp(op=op, values=values):
                return self._last_of(values, isinstance(op, ast.And), node)
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self.branches(test, yes, no)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                kind = "list" if isinstance(node, ast.List) else "tuple"
                return self.apply(kind, tuple(self.expression(one) for one in parts), node)
            case ast.Dict(keys=keys, values=values):
                return self.table("table", keys, values, node)
            case ast.Subscript(value=base, slice=at):
                return self._subscript(base, at, node)
            case ast.ListComp(elt=elt, generators=generators):
                return self.gathered(elt, generators, node)
            case ast.GeneratorExp(elt=elt, generators=generators):
                if not passing:
                    self.refuse("L07", node, what="a generator", way_out="Write [… for …]")
                return self.gathered(elt, generators, node)
            case ast.DictComp(key=k, value=v, generators=generators):
                pair = ast.copy_location(ast.Tuple([k, v], ast.Load()), k)
                return self.apply("dict", (self.gathered(pair, generators, node),), node)
            case ast.Call():
                return self.call(node, passing)
            case ast.Attribute():
                return self._attribute(node)
        self._refused(node)

    def _refused(self, node: ast.expr) -> NoReturn:
        """Refuse Python that is not in the language."""
        match node:
            case ast.Await():
                self.refuse("P09", node)
            case ast.Yield():
                self.refuse("P15", node)
            case ast.YieldFrom():
                self.refuse("P16", node)
            case ast.NamedExpr():
                self.refuse("P19", node)
            case ast.Starred():
                self.refuse("P20", node)
            case ast.JoinedStr():
                self.refuse("P21", node)
            case ast.Set():
                self.refuse("P22", node)
            case ast.SetComp():
                self.refuse("P23", node)
            case ast.Lambda():
                self.refuse("N14", node)
        self.refuse("P36", node, what=type(node).__name__)

    # -- leaves

    def _constant(self, node: ast.Constant) -> Expression:
        match node.value:
            case float() as v:
                if isinf(v):
                    self.refuse("F32", node)
                text = self.scope.source.written(node).replace("_", "")
                try:
                    number = Fraction(text)  # exact, where the float is rounded
                except ValueError:
                    number = Fraction(repr(v))
                return Const(int(number) if number.denominator == 1 else number)
            case bool() | int() | str() | None as v:
                return Const(v)
            case complex():
                self.refuse("P24", node)
            case bytes():
                self.refuse("P25", node)
        self.refuse("P36", node, what="...")

    def _name(self, name: str, node: ast.expr) -> Expression:
        if variable := self.scope.variable(name):
            return Name(variable)
        if self.scope.subroutine(name):
            self.refuse("N25", node, what=name)
        return self._value(self.constant(name, node), name, node)

    def constant(self, name: str, node: ast.AST) -> object:
        """Return what a free name stands for; words mean the same everywhere."""
        constants = self.scope.source.constants
        if name == "gumbel":
            raise GivenUp("gumbel", self.scope.source.place(node))
        if name in WORDS:
            if (bound := constants.get(name, WORDS[name])) is not WORDS[name]:
                if name == "eps":
                    self.refuse("N06", node, value=bound)
                self.refuse("N07", node, what=name, value=bound)
            return WORDS[name]
        if name in self.scope.source.assigned:
            with self.inside(Scope(self.scope.source, {})):
                return captured(name, self.constant_value(self.scope.source.assigned[name]))
        if name not in constants and name not in KNOWN:
            if name in GAUSSIAN:
                self.refuse("S41", node, what=name)
            self.refuse("N01", node, what=name)
        with self.placed(node):
            return captured(name, constants[name] if name in constants else KNOWN[name])

    def _value(self, found: object, name: str, node: ast.AST) -> Expression:
        """Return a constant as an expression; a function is a value that can only be called."""
        if isinstance(found, Sampler):
            self.refuse("N26", node, what=name)
        if isinstance(found, InputType | ModuleType) or getattr(found, "program", None):
            self.refuse("N25", node, what=name)
        if callable(found):
            return Const(Foreign(found, name))
        return Const(found)  # type: ignore[arg-type]

    def _attribute(self, node: ast.Attribute) -> Expression:
        found = self.object_at(node)
        if found is None or isinstance(found, ModuleType):
            self.refuse("P28", node, what=node.attr)
        if not callable(found):
            with self.placed(node):
                found = captured(node.attr, found)
        return self._value(found, node.attr, node)

    def object_at(self, node: ast.expr) -> object:
        """Return what a dotted name of a module stands for, or None."""
        match node:
            case ast.Name(id=name):
                if not self.scope.variable(name) and not self.scope.subroutine(name):
                    found = self.scope.source.constants.get(name)
                    return found if isinstance(found, ModuleType) else None
            case ast.Attribute(value=base, attr=attr):
                inside = self.object_at(base)
                return getattr(inside, attr, None) if isinstance(inside, ModuleType) else None
        return None

    def _subscript(self, base: ast.expr, at: ast.expr, node: ast.expr) -> Expression:
        value = self.expression(base)
        if isinstance(at, ast.Slice):
            ends = (at.lower, at.upper, at.step)
            parts = tuple(self.expression(one) if one else Const(None) for one in ends)
            return self.apply("slice", (value, *parts), node)
        return self.apply("index", (value, self.expression(at)), node)

    def table(
        self, op: str, keys: list[ast.expr | None], values: list[ast.expr], node: ast.AST
    ) -> Expression:
        """Return a dictionary: an operation on keys and values in turn."""
        parts: list[Expression] = []
        for k, v in zip(keys, values, strict=True):
            if k is None:
                self.refuse("P31", node)
            parts += (self.expression(k), self.expression(v))
        return self.apply(op, tuple(parts), node)

    # -- branches

    def branches(
        self, test: ast.expr, yes: ast.expr | Expression, no: ast.expr | Expression
    ) -> Expression:
        """Return one of two values, by a condition."""
        result, other, end = self.temporary(), Label(), Label()
        self.unless(test, other)
        self.emit(Set(result, self._either(yes)), test)
        self.goto(end, test)
        self.mark(other)
        self.emit(Set(result, self._either(no)), test)
        self.mark(end)
        return Name(result)

    def _either(self, side: ast.expr | Expression) -> Expression:
        return self.expression(side) if isinstance(side, ast.expr) else side

    def _last_of(self, values: list[ast.expr], conjunction: bool, node: ast.AST) -> Expression:
        """Return the first value that decides `and` or `or`, otherwise the last one."""
        result, end = self.temporary(), Label()
        *first, last = values
        for one in first:
            self.emit(Set(result, self.expression(one)), one)
            op = "==" if conjunction else "!="
            self.test(op, self.apply("bool", (Name(result),), one), Const(True), one, end)
        self.emit(Set(result, self.expression(last)), node)
        self.mark(end)
        return Name(result)

    def unless(self, node: ast.expr, label: Label) -> None:
        """Emit code that goes to the label where a condition is false."""
        match node:
            case ast.BoolOp(op=ast.And(), values=values):
                for one in values:
                    self.unless(one, label)
            case ast.BoolOp(op=ast.Or(), values=[*first, last]):
                yes = Label()
                for one in first:
                    self.when(one, yes)
                self.unless(last, label)
                self.mark(yes)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.when(operand, label)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                self._compared(left, ops, comparators, label)
            case _:
                value = self.apply("bool", (self.expression(node),), node)
                if value != Const(True):
                    self.test("==", value, Const(True), node, label)

    def when(self, node: ast.expr, label: Label) -> None:
        """Emit code that goes to the label where a condition is true."""
        no = Label()
        self.unless(node, no)
        self.goto(label, node)
        self.mark(no)

    def _compared(
        self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], label: Label
    ) -> None:
        """Emit a chain of comparisons: each value is computed once, and only if it is needed."""
        one = self.expression(left)
        for i, (op, right) in enumerate(zip(ops, others, strict=True)):
            two = self.expression(right, passing=isinstance(op, ast.In | ast.NotIn))
            name = COMPARISONS[type(op)]
            if name in ("in", "not in"):
                # A temporary: where an entry is noise, what is left to compare is kept in it.
                two = self.held(two, right)
                if isinstance(two, Const):
                    two = self.fresh(two, right)
            elif i < len(others) - 1:
                two = self.held(two, right)
            self.test(name, one, two, left, label)
            one = two

    def fresh(self, value: Expression, node: ast.AST) -> Name:
        """Return a new temporary with a value."""
        name = self.temporary()
        self.emit(Set(name, value), node)
        return Name(name)

    # -- comprehensions and loops

    def gathered(
        self, elt: ast.expr, generators: list[ast.comprehension], node: ast.AST
    ) -> Expression:
        """Return the list of a comprehension."""
        result = self.temporary()
        self.emit(Set(result, self.apply("list", (), node)), node)

        def add() -> None:
            self.emit(Append(result, self.expression(elt)), elt)

        self.comprehended(generators, add)
        return Name(result)

    def comprehended(self, generators: list[ast.comprehension], body: Callable[[], None]) -> None:
        """Emit a body for all values of a comprehension, whose variables are its own."""
        first, *rest = generators
        if first.is_async:
            self.refuse("P08", first.target)
        over = self.expression(first.iter, passing=True)
        for part in ast.walk(first.target):
            if isinstance(part, ast.Subscript | ast.Attribute):
                self.refuse("P33", part)
        targets = {n.id for n in ast.walk(first.target) if isinstance(n, ast.Name)}
        with self.inside(self.enter(targets)):

            def inner() -> None:
                for condition in first.ifs:
                    self.unless(condition, self.scope.loops[-1].again)
                if rest:
                    self.comprehended(rest, body)
                else:
                    body()

            self.loop(over, first.target, "entries", inner, first.iter)

    def loop(
        self,
        over: Expression,
        target: ast.expr | str,
        op: str,
        body: Callable[[], None],
        node: ast.AST,
    ) -> Label:
        """Emit a body for each entry; the loop is kept. Return the end that `break` leads to."""
        listed = self.fresh(self.apply(op, (over,), node), node)
        size = self.apply("len", (listed,), node)
        counter, top, again, done, end = self.temporary(), Label(), Label(), Label(), Label()
        self.emit(Set(counter, Const(0)), node)
        self.mark(top)
        self.test("<", Name(counter), size, node, done)
        entry = self.apply("index", (listed, Name(counter)), node)
        self.assign(target, entry, node)
        self.scope.loops.append(Loop(again, end))
        body()
        self.scope.loops.pop()
        self.mark(again)
        self.emit(Set(counter, self.apply("+", (Name(counter), Const(1)), node)), node)
        self.goto(top, node)
        self.mark(done)
        return end

    @abstractmethod
    def assign(self, target: ast.expr | str, value: Expression, node: ast.AST) -> None:
        """Emit the assignment of a value to a name, an entry, or several of them."""

    def listed(self, parts: list[ast.expr]) -> Expression:
        """Return a list of values."""
        return self.apply("list", tuple(map(self.expression, parts)), parts[0])

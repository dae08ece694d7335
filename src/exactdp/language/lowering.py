"""Program form to flat code: expressions.

`value` returns a pure expression with the same meaning, after emitting a basic statement
for every sample, comparison of noise and subroutine in it, in Python's order.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from exactdp.errors import Place
from exactdp.language.code import Appended, Instruction, Pick, Sample, Set, Test
from exactdp.language.renaming import Renaming
from exactdp.language.tree import (
    SYMBOLS,
    Choose,
    Comprehension,
    Definition,
    ExpMech,
    NoiseCall,
    constant,
    list_of,
    name,
    put,
    rebuilt,
)

_ORDER = ("<", "<=", "==", "!=", ">=", ">")


class Lowering(Renaming):
    """Emits the basic statements of expressions."""

    @abstractmethod
    def emit(self, instruction: Instruction) -> None:
        """Add a basic statement."""

    @abstractmethod
    def label(self) -> int:
        """Return a new label."""

    @abstractmethod
    def mark(self, label: int) -> None:
        """Put a label here."""

    @abstractmethod
    def jump(self, label: int, place: Place) -> None:
        """Go to a label."""

    @abstractmethod
    def branch(self, test: ast.expr, yes: int, no: int, place: Place) -> None:
        """Go to one of two labels by a finite value."""

    @abstractmethod
    def condition(self, test: ast.expr, yes: int, no: int) -> None:
        """Emit a jump by the truth of a condition."""

    @abstractmethod
    def inline(
        self, definition: Definition, args: list[ast.expr], at: ast.AST, user: bool
    ) -> ast.Name:
        """Emit a subroutine's statements; return the slot that holds its result."""

    @abstractmethod
    def loop(
        self, target: ast.expr, items: ast.expr, inside: Callable[[], None], node: ast.AST
    ) -> None:
        """Emit a loop over items."""

    @abstractmethod
    def call(self, node: ast.Call) -> ast.expr:
        """Return the value of a call with effects."""

    @abstractmethod
    def choice(self, node: ExpMech | Choose) -> ExpMech | Choose:
        """Return a choice with pure parts."""

    @abstractmethod
    def prelude_call(self, word: str, args: list[ast.expr], node: ast.AST) -> ast.Name:
        """Inline a function of the prelude."""

    @abstractmethod
    def noisy_lambda(self, node: ast.Lambda) -> NoReturn:
        """Refuse a lambda with noise."""

    def keep(self, value: ast.expr, place: Place) -> ast.Name:
        """Return a slot that holds the value."""
        slot = self.temporary("t")
        if self.reads_noise(value):
            self.noisy_slots.add(slot)
        self.emit(Set(slot, value, place=place))
        return name(slot, place)

    def value(self, node: ast.expr) -> Any:
        """Return a pure expression for the value of any expression."""
        if not self.scope.noise.effectful(node):
            return self.rename(node)
        match node:
            case NoiseCall() | ExpMech() | Choose() | ast.Call(ast.Attribute()):
                return self.into_fresh(node)
            case ast.BoolOp() | ast.Compare() | ast.IfExp() | ast.UnaryOp(ast.Not()):
                return self.into_fresh(node)
            case ast.ListComp() | ast.GeneratorExp():
                return self.into_fresh(node)
            case ast.Lambda():
                self.noisy_lambda(node)
            case ast.Call():
                return self.call(node)
        return rebuilt(node, self.value, self.place(node))

    def into_fresh(self, node: ast.expr) -> ast.Name:
        """Return a new slot that holds the value."""
        truth = isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp)
        slot = self.temporary("b" if truth else "t")
        if self.scope.noise.noisy(node):
            self.noisy_slots.add(slot)
        self.into(node, slot)
        return name(slot, self.place(node))

    def into(self, node: ast.expr, slot: str, binds: str = "", place: Place | None = None) -> None:
        """Emit slot ← node."""
        at = place or self.place(node)
        user = binds if self.scope.user else ""
        if self.scope.noise.effectful(node):
            match node:
                case NoiseCall():
                    draw = rebuilt(node, self.value, self.place(node))
                    # Inside `total = total + lap(…)` it is total that is assigned.
                    self.emit(Sample(slot, draw, user, place=self.assigning or at))
                    return
                case ExpMech() | Choose():
                    self.emit(Pick(slot, self.choice(node), place=at))
                    return
                case ast.IfExp(test, then, otherwise):
                    yes, no, end = self.label(), self.label(), self.label()
                    self.condition(test, yes, no)
                    self.mark(yes)
                    self.into(then, slot, binds, at)
                    self.jump(end, at)
                    self.mark(no)
                    self.into(otherwise, slot, binds, at)
                    self.mark(end)
                    return
                case ast.Compare(first, [op], [second]) if SYMBOLS[type(op)] in _ORDER:
                    left, right = self.value(first), self.value(second)
                    self.emit(Test(slot, SYMBOLS[type(op)], left, right, place=self.place(node)))
                    return
                case ast.Compare() | ast.UnaryOp(ast.Not()):
                    self.truth(node, slot, at)
                    return
                case ast.BoolOp() if not slot.startswith("%"):
                    self.emit(Set(slot, self.into_fresh(node), user, place=at))
                    return
                case ast.BoolOp(op, operands):
                    self.boolean(op, operands, slot)
                    return
                case ast.ListComp() | ast.GeneratorExp():
                    self.comprehension(node, slot, binds, at)
                    return
                case ast.Call(ast.Attribute(base, method), args):
                    given = [self.value(base), *(self.value(arg) for arg in args)]
                    result = self.prelude_call(method, given, node)
                    self.emit(Set(slot, result, user, place=at))
                    return
        self.emit(Set(slot, self.value(node), user, place=at))

    def truth(self, node: ast.expr, slot: str, at: Place) -> None:
        """Emit slot ← the truth of a comparison of noise."""
        yes, no, end = self.label(), self.label(), self.label()
        self.condition(node, yes, no)
        for label, answer in ((yes, True), (no, False)):
            self.mark(label)
            self.emit(Set(slot, constant(answer, at), place=at))
            if answer:
                self.jump(end, at)
        self.mark(end)

    def boolean(self, op: ast.boolop, operands: list[ast.expr], slot: str) -> None:
        """Emit slot ← `a and b` or `a or b`, which stop early."""
        end = self.label()
        for operand in operands[:-1]:
            self.into(operand, slot)
            further, place = self.label(), self.place(operand)
            goals = (further, end) if isinstance(op, ast.And) else (end, further)
            self.branch(name(slot, place), *goals, place)
            self.mark(further)
        self.into(operands[-1], slot)
        self.mark(end)

    def comprehension(self, node: Comprehension, slot: str, binds: str, at: Place) -> None:
        """Emit a comprehension as loops that append."""
        element, place = node.elt, self.place(node)
        # A variable may be read while its new value is built, so the list has its own slot.
        own = slot if slot.startswith("%") else self.temporary("list")
        found = name(own, place)
        if self.scope.noise.noisy(element):
            self.noisy_slots.add(own)
        self.emit(Set(own, list_of([], place), place=place))

        def inside() -> None:
            self.emit(Set(own, put(Appended(found, self.value(element)), place), place=place))

        self.clauses(node.generators, inside)
        if own != slot:
            self.emit(Set(slot, found, binds if self.scope.user else "", place=at))

    def clauses(self, clauses: list[ast.comprehension], inside: Callable[[], None]) -> None:
        """Emit the loops of a comprehension around `inside`."""
        if not clauses:
            inside()
            return
        clause = clauses[0]
        items = self.value(clause.iter)
        outer = self.scope.names
        self.scope.names = dict(outer)
        self.bind_afresh(clause.target)

        def body() -> None:
            skip = self.label()
            for test in clause.ifs:
                further = self.label()
                self.condition(test, further, skip)
                self.mark(further)
            self.clauses(clauses[1:], inside)
            self.mark(skip)

        self.loop(clause.target, items, body, clause)
        self.scope.names = outer

"""Program form to flat code: expressions.

`value` returns a pure expression with the same meaning, after emitting a basic statement
for every sample, comparison of noise and subroutine in it, in Python's order.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from exactdp.errors import Place
from exactdp.language.code import Appended, Instruction, Pick, PureExpr, Sample, Set, Test
from exactdp.language.definition import Definition, nodes
from exactdp.language.renaming import Renaming
from exactdp.language.syntax import (
    Boolean,
    Call,
    Choose,
    Clause,
    Comparison,
    Comprehension,
    Conditional,
    Draw,
    ExpMech,
    Expr,
    Lambda,
    Literal,
    Method,
    Name,
    Node,
    Pattern,
    Sequence,
    Unary,
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
    def branch(self, test: PureExpr, yes: int, no: int, place: Place) -> None:
        """Go to one of two labels by a finite value."""

    @abstractmethod
    def condition(self, test: Expr, yes: int, no: int) -> None:
        """Emit a jump by the truth of a condition."""

    @abstractmethod
    def inline(self, definition: Definition, args: list[PureExpr], at: Node, user: bool) -> Name:
        """Emit a subroutine's statements; return the slot that holds its result."""

    @abstractmethod
    def loop(
        self, target: Pattern, items: PureExpr, inside: Callable[[], None], node: Node
    ) -> None:
        """Emit a loop over items."""

    @abstractmethod
    def call(self, node: Call) -> PureExpr:
        """Return the value of a call with effects."""

    @abstractmethod
    def choice(self, node: ExpMech | Choose) -> ExpMech | Choose:
        """Return a choice with pure parts."""

    @abstractmethod
    def prelude_call(self, name: str, args: list[PureExpr], node: Node) -> Name:
        """Inline a function of the prelude."""

    @abstractmethod
    def noisy_lambda(self, node: Lambda) -> NoReturn:
        """Refuse a lambda with noise."""

    def keep(self, value: PureExpr, place: Place) -> Name:
        """Return a slot that holds the value."""
        slot = self.temporary("t")
        if self.reads_noise(value):
            self.noisy_slots.add(slot)
        self.emit(Set(slot, value, place=place))
        return Name(slot, place=place)

    def value(self, node: Expr) -> Any:
        """Return a pure expression for the value of any expression."""
        if not self.scope.noise.effectful(node):
            return self.rename(node)
        match node:
            case Draw() | ExpMech() | Choose() | Boolean() | Comparison() | Conditional():
                return self.into_fresh(node)
            case Unary("not"):
                return self.into_fresh(node)
            case Comprehension() | Method():
                return self.into_fresh(node)
            case Lambda():
                self.noisy_lambda(node)
            case Call():
                return self.call(node)
        changes = {
            name: self.parts(getattr(node, name))
            for name in node.__dataclass_fields__
            if name != "place"
        }
        return dataclasses.replace(node, place=self.place(node), **changes)

    def parts(self, part: Any) -> Any:
        """Return the pure expressions of the parts of a node, in order."""
        if isinstance(part, Node):
            return self.value(part)  # type: ignore[arg-type]
        if type(part) is tuple:
            return tuple(self.parts(inner) for inner in part)
        return part

    def into_fresh(self, node: Expr) -> Name:
        """Return a new slot that holds the value."""
        slot = self.temporary("b" if isinstance(node, Comparison | Boolean | Unary) else "t")
        if self.scope.noise.noisy(node):
            self.noisy_slots.add(slot)
        self.into(node, slot)
        return Name(slot, place=self.place(node))

    def into(self, node: Expr, slot: str, binds: str = "", place: Place | None = None) -> None:
        """Emit slot ← node."""
        at = place or self.place(node)
        user = binds if self.scope.user else ""
        if self.scope.noise.effectful(node):
            match node:
                case Draw(noise, rate, mean, by_scale):
                    draw = Draw(
                        noise,
                        self.value(rate),
                        self.value(mean),
                        by_scale,
                        place=self.place(node),
                    )
                    # Inside `total = total + lap(…)` it is total that is assigned.
                    self.emit(Sample(slot, draw, user, place=self.assigning or at))
                    return
                case ExpMech() | Choose():
                    self.emit(Pick(slot, self.choice(node), place=at))
                    return
                case Conditional(test, then, otherwise):
                    yes, no, end = self.label(), self.label(), self.label()
                    self.condition(test, yes, no)
                    self.mark(yes)
                    self.into(then, slot, binds, at)
                    self.jump(end, at)
                    self.mark(no)
                    self.into(otherwise, slot, binds, at)
                    self.mark(end)
                    return
                case Comparison(first, ((op, second),)) if op in _ORDER:
                    left, right = self.value(first), self.value(second)
                    self.emit(Test(slot, op, left, right, place=self.place(node)))
                    return
                case Comparison() | Unary("not"):
                    self.truth(node, slot, at)
                    return
                case Boolean() if not slot.startswith("%"):
                    self.emit(Set(slot, self.into_fresh(node), user, place=at))
                    return
                case Boolean(op, operands):
                    self.boolean(op, operands, slot)
                    return
                case Comprehension():
                    self.comprehension(node, slot, binds, at)
                    return
                case Method(base, name, args):
                    given = [self.value(base), *(self.value(arg) for arg in args)]
                    result = self.prelude_call(name, given, node)
                    self.emit(Set(slot, result, user, place=at))
                    return
        self.emit(Set(slot, self.value(node), user, place=at))

    def truth(self, node: Expr, slot: str, at: Place) -> None:
        """Emit slot ← the truth of a comparison of noise."""
        yes, no, end = self.label(), self.label(), self.label()
        self.condition(node, yes, no)
        for label, answer in ((yes, True), (no, False)):
            self.mark(label)
            self.emit(Set(slot, Literal(answer, place=at), place=at))
            if answer:
                self.jump(end, at)
        self.mark(end)

    def boolean(self, op: str, operands: tuple[Expr, ...], slot: str) -> None:
        """Emit slot ← `a and b` or `a or b`, which stop early."""
        end = self.label()
        for position, operand in enumerate(operands):
            self.into(operand, slot)
            if position < len(operands) - 1:
                further = self.label()
                test, place = Name(slot, place=self.place(operand)), self.place(operand)
                self.branch(test, *((further, end) if op == "and" else (end, further)), place)
                self.mark(further)
        self.mark(end)

    def comprehension(self, node: Comprehension, slot: str, binds: str, at: Place) -> None:
        """Emit a comprehension as loops that append."""
        element, clauses, place = node.element, node.clauses, self.place(node)
        # A variable may be read while its new value is built, so the list has its own slot.
        own = slot if slot.startswith("%") else self.temporary("list")
        found = Name(own, place=place)
        if self.scope.noise.noisy(element):
            self.noisy_slots.add(own)
        self.emit(Set(own, Sequence((), True, place=place), place=place))

        def inside() -> None:
            item = self.value(element)
            self.emit(Set(own, Appended(found, item, place=place), place=place))

        self.clauses(clauses, inside, node)
        if own != slot:
            self.emit(Set(slot, found, binds if self.scope.user else "", place=at))

    def clauses(self, clauses: tuple[Clause, ...], inside: Callable[[], None], node: Node) -> None:
        """Emit the loops of a comprehension around `inside`."""
        if not clauses:
            inside()
            return
        clause = clauses[0]
        items = self.value(clause.items)
        outer = dict(self.scope.names)
        for leaf in nodes(clause.target):
            if isinstance(leaf, Name):
                self.fresh(leaf.id)

        def body() -> None:
            skip = self.label()
            for test in clause.tests:
                further = self.label()
                self.condition(test, further, skip)
                self.mark(further)
            self.clauses(clauses[1:], inside, node)
            self.mark(skip)

        self.loop(clause.target, items, body, clause)
        self.restore(outer)

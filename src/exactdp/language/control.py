"""Program form to flat code: conditions, loops and jumps."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import NoReturn

from exactdp.errors import Place, ProgramError
from exactdp.language.code import Branch, Enter, Instruction, Jump, Next, Set, Test
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.limits import CODE_LIMIT, UNROLL_LIMIT
from exactdp.language.lower_calls import CallLowering
from exactdp.language.operations import items_of
from exactdp.language.tree import SYMBOLS, call, called, constant, name, pair, put, where
from exactdp.language.values import List


class Control(CallLowering):
    """Emits control; jumps go to labels until the end, then to positions."""

    def __init__(self) -> None:
        super().__init__()
        self.code: list[Instruction] = []
        self.marks: dict[int, int] = {}
        self.labels = 0
        self.loops: list[tuple[int, int, str | None, int | None, Place]] = []
        self.targets: list[tuple[int, int]] = []  # (continue, break) of the loops around
        self.rounds = 1

    def emit(self, instruction: Instruction) -> None:
        """Add a basic statement."""
        if len(self.code) >= CODE_LIMIT:
            raise ProgramError(
                f"the program has more than {CODE_LIMIT:,} basic statements",
                place=instruction.place,
                rule="Every call of a subroutine is replaced by its statements.",
                way_out="Call it fewer times, or go round a `for` loop that calls it once.",
            )
        self.code.append(instruction)

    def label(self) -> int:
        """Return a new label."""
        self.labels += 1
        return self.labels

    def mark(self, label: int) -> None:
        """Put a label here."""
        self.marks[label] = len(self.code)

    def jump(self, label: int, place: Place) -> None:
        """Go to a label."""
        self.emit(Jump(label, place=place))

    def branch(self, test: ast.expr, yes: int, no: int, place: Place) -> None:
        """Go to one of two labels by a finite value."""
        truth = literal_truth(test)
        if truth is None:
            self.emit(Branch(test, yes, no, place=place))
        else:
            self.jump(yes if truth else no, place)

    def condition(self, test: ast.expr, yes: int, no: int) -> None:
        """Emit a jump to `yes` or `no` by the truth of a condition."""
        if not self.scope.noise.effectful(test):
            self.branch(self.value(test), yes, no, self.place(test))
            return
        match test:
            case ast.UnaryOp(ast.Not(), operand):
                self.condition(operand, no, yes)
            case ast.BoolOp(op, operands):
                for operand in operands[:-1]:
                    further = self.label()
                    if isinstance(op, ast.And):
                        self.condition(operand, further, no)
                    else:
                        self.condition(operand, yes, further)
                    self.mark(further)
                self.condition(operands[-1], yes, no)
            case ast.Compare():
                self.comparison(test, yes, no)
            case ast.IfExp(condition, then, otherwise):
                first_label, second_label = self.label(), self.label()
                self.condition(condition, first_label, second_label)
                self.mark(first_label)
                self.condition(then, yes, no)
                self.mark(second_label)
                self.condition(otherwise, yes, no)
            case _:
                self.branch(self.value(test), yes, no, self.place(test))

    def comparison(self, node: ast.Compare, yes: int, no: int) -> None:
        """Emit a chain of comparisons, each a basic statement of its own."""
        place, left = self.place(node), self.value(node.left)
        for position, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            right = self.value(part)
            last = position == len(node.ops)
            further = yes if last else self.label()
            goals = further, no
            if isinstance(op, ast.In | ast.NotIn):
                found: ast.expr = self.prelude_call("contains", [right, left], node)
                goals = goals if isinstance(op, ast.In) else (no, further)
            elif isinstance(op, ast.Is | ast.IsNot):
                found = put(ast.Compare(left, [op], [right]), place)
            else:
                found = name(self.temporary("b"), place)
                self.emit(Test(found.id, SYMBOLS[type(op)], left, right, place=place))
            self.branch(found, *goals, place)
            if not last:
                self.mark(further)
            left = right

    def for_(self, node: ast.For) -> None:
        """Emit a `for` loop."""
        again, leave, end = self.label(), self.label(), self.label()
        items = self.value(node.iter)

        def inside() -> None:
            self.targets.append((again, end))
            self.block(node.body)
            self.targets.pop()

        self.loop(node.target, items, inside, node, (again, leave))
        self.block(node.orelse)
        self.mark(end)

    def loop(
        self,
        target: ast.expr,
        items: ast.expr,
        inside: Callable[[], None],
        node: ast.AST,
        labels: tuple[int, int] | None = None,
    ) -> None:
        """Emit a loop over items; `labels` are where it goes on and where it ends."""
        if self.over_input(target, items, inside, node, labels):
            return
        again, leave = labels or (self.label(), self.label())
        place, times = self.place(node), self.times(items, node)
        kept, self.rounds = self.rounds, self.rounds * max(times or 1, 1)
        if self.rounds > UNROLL_LIMIT:
            self.too_long(place)
        names = self.temporary("items"), self.temporary("round")
        if self.reads_noise(items):
            self.noisy_slots.add(names[0])
        self.emit(Enter(*names, items, place=place))
        simple = isinstance(target, ast.Name)
        slot = self.local(target.id) if isinstance(target, ast.Name) else self.temporary("item")
        if self.reads_noise(items):
            self.noisy_slots.add(slot)
        start, body = self.label(), self.label()
        self.mark(start)
        self.loops.append((start, leave, names[1], times, where(node)))
        nonempty = times is not None and times > 0
        if nonempty:
            self.emit(Next(*names, slot, body, None, place=place))
        else:
            self.mark(again)
            self.emit(Next(*names, slot, body, leave, place=place))
        self.mark(body)
        if not simple:
            self.assign_value(target, name(slot, self.place(target)))
        elif isinstance(target, ast.Name):
            self.declared(target)
        inside()
        if nonempty:
            self.mark(again)
            self.emit(Next(*names, slot, body, leave, place=place))
        else:
            self.jump(again, place)
        self.mark(leave)
        self.rounds = kept

    def over_input(
        self,
        target: ast.expr,
        items: ast.expr,
        inside: Callable[[], None],
        node: ast.AST,
        labels: tuple[int, int] | None,
    ) -> bool:
        """Emit a loop over an input list by its positions, which are constants.

        Return False if the items are something else.
        """
        whole: ast.expr = items
        numbered = called(items) == "enumerate"
        if isinstance(items, ast.Call) and numbered and len(items.args) == 1 and not items.keywords:
            whole = items.args[0]
        if not isinstance(whole, ast.Name) or whole.id not in self.lengths:
            return False
        place = self.place(node)
        at = name(self.temporary("k"), place)
        self.scope.names[at.id] = at.id
        positions = call(name("range", place), [constant(self.lengths[whole.id], place)], place)

        def body() -> None:
            there = self.place(target)
            entry: ast.expr = put(ast.Subscript(whole, at, ast.Load()), there)
            match target:
                case ast.Tuple([first, second]) if numbered:
                    self.assign_value(first, at)
                    self.assign_value(second, entry)
                case ast.Name(word):
                    value = pair(at, entry, there) if numbered else entry
                    self.emit(Set(self.local(word), value, place=there))
                    self.declared(target)
                case _:
                    self.assign_value(target, pair(at, entry, there) if numbered else entry)
            inside()

        self.loop(at, positions, body, node, labels)
        return True

    def times(self, items: ast.expr, node: ast.AST) -> int | None:
        """Return how often a loop goes round, if that is a constant."""
        if self.reads(items, None):
            return None
        found = evaluate_closed(items, self.functions)
        try:
            return len(items_of(found))
        except TypeError as error:
            self.refuse(
                where(items),
                str(error),
                "A loop goes over a range, a list or a tuple.",
                "Write `range(n)` to go round n times.",
            )
        except ValueError:
            self.too_long(self.place(node))

    def too_long(self, place: Place) -> NoReturn:
        """Refuse a loop that is unrolled past the limit."""
        self.refuse(
            place,
            f"this loop goes round more than {UNROLL_LIMIT:,} times",
            f"A `for` loop is unrolled, and nested ones multiply; the limit is {UNROLL_LIMIT:,}.",
            "Make the range smaller, or compute the finite values in a Python function outside.",
        )

    def while_(self, node: ast.While) -> None:
        """Emit a `while` loop."""
        again, body, leave, end = (self.label() for _ in range(4))
        place = self.place(node)
        self.mark(again)
        self.loops.append((again, leave, None, None, where(node)))
        self.condition(node.test, body, leave)
        self.mark(body)
        self.targets.append((again, end))
        self.block(node.body)
        self.targets.pop()
        self.jump(again, place)
        self.mark(leave)
        self.block(node.orelse)
        self.mark(end)

    @abstractmethod
    def block(self, body: list[ast.stmt]) -> None:
        """Emit the statements of a block."""

    @abstractmethod
    def assign_value(self, target: ast.expr, value: ast.expr) -> None:
        """Emit an assignment of a pure expression."""

    @abstractmethod
    def declared(self, target: ast.Name) -> None:
        """Emit the check of a variable with a declared domain."""


def literal_truth(test: ast.expr) -> bool | None:
    """Return the truth of a condition that is a constant, if it is."""
    if isinstance(test, ast.Constant) and (
        isinstance(test.value, bool | int | str | List) or test.value is None
    ):
        return bool(test.value)
    return None

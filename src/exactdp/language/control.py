"""Program form to flat code: conditions, loops and jumps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NoReturn

from exactdp.errors import Place, ProgramError
from exactdp.language.code import Branch, Enter, Instruction, Jump, Next, PureExpr, Set, Test
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.limits import CODE_LIMIT, UNROLL_LIMIT
from exactdp.language.lower_calls import CallLowering
from exactdp.language.operations import items_of
from exactdp.language.syntax import (
    Boolean,
    Call,
    Comparison,
    Conditional,
    Expr,
    For,
    Index,
    Literal,
    Name,
    Node,
    Pattern,
    Sequence,
    Stmt,
    Targets,
    Unary,
    While,
)
from exactdp.language.values import List


class Control(CallLowering):
    """Emits control; jumps go to labels until the end, then to positions."""

    def __init__(self) -> None:
        super().__init__()
        self.code: list[Instruction] = []
        self.marks: dict[int, int] = {}
        self.labels = 0
        self.loops: list[tuple[int, int, str | None, int | None, Node]] = []
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

    def branch(self, test: PureExpr, yes: int, no: int, place: Place) -> None:
        """Go to one of two labels by a finite value."""
        truth = literal_truth(test)
        if truth is None:
            self.emit(Branch(test, yes, no, place=place))
        else:
            self.jump(yes if truth else no, place)

    def condition(self, test: Expr, yes: int, no: int) -> None:
        """Emit a jump to `yes` or `no` by the truth of a condition."""
        if not self.scope.noise.effectful(test):
            self.branch(self.value(test), yes, no, self.place(test))
            return
        match test:
            case Unary("not", operand):
                self.condition(operand, no, yes)
            case Boolean(op, operands):
                for operand in operands[:-1]:
                    further = self.label()
                    if op == "and":
                        self.condition(operand, further, no)
                    else:
                        self.condition(operand, yes, further)
                    self.mark(further)
                self.condition(operands[-1], yes, no)
            case Comparison(first, rest):
                self.comparison(first, rest, yes, no, test)
            case Conditional(condition, then, otherwise):
                first_label, second_label = self.label(), self.label()
                self.condition(condition, first_label, second_label)
                self.mark(first_label)
                self.condition(then, yes, no)
                self.mark(second_label)
                self.condition(otherwise, yes, no)
            case _:
                self.branch(self.value(test), yes, no, self.place(test))

    def comparison(
        self, first: Expr, rest: tuple[tuple[str, Expr], ...], yes: int, no: int, node: Node
    ) -> None:
        """Emit a chain of comparisons, each a basic statement of its own."""
        place = self.place(node)
        left = self.value(first)
        for position, (op, part) in enumerate(rest):
            right = self.value(part)
            if op in ("in", "not in"):
                found: PureExpr = self.prelude_call("contains", [right, left], node)
                goals = (yes, no) if op == "in" else (no, yes)
            elif op in ("is", "is not"):
                found = Comparison(left, ((op, right),), place=place)
                goals = (yes, no)
            else:
                slot = self.temporary("b")
                self.emit(Test(slot, op, left, right, place=place))
                found, goals = Name(slot, place=place), (yes, no)
            if position < len(rest) - 1:
                further = self.label()
                goals = tuple(further if goal == yes else goal for goal in goals)  # type: ignore[assignment]
                self.branch(found, *goals, place)
                self.mark(further)
            else:
                self.branch(found, *goals, place)
            left = right

    def for_(self, node: For) -> None:
        """Emit a `for` loop."""
        again, leave, end = self.label(), self.label(), self.label()
        items = self.value(node.items)

        def inside() -> None:
            self.targets.append((again, end))
            self.block(node.body)
            self.targets.pop()

        self.loop(node.target, items, inside, node, (again, leave))
        self.block(node.otherwise)
        self.mark(end)

    def loop(
        self,
        target: Pattern,
        items: PureExpr,
        inside: Callable[[], None],
        node: Node,
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
        simple = isinstance(target, Name)
        slot = self.local(target.id) if isinstance(target, Name) else self.temporary("item")
        if self.reads_noise(items):
            self.noisy_slots.add(slot)
        start, body = self.label(), self.label()
        self.mark(start)
        self.loops.append((start, leave, names[1], times, node))
        nonempty = times is not None and times > 0
        if nonempty:
            self.emit(Next(*names, slot, body, None, place=place))
        else:
            self.mark(again)
            self.emit(Next(*names, slot, body, leave, place=place))
        self.mark(body)
        if not simple:
            self.assign_value(target, Name(slot, place=self.place(target)))
        elif isinstance(target, Name):
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
        target: Pattern,
        items: PureExpr,
        inside: Callable[[], None],
        node: Node,
        labels: tuple[int, int] | None,
    ) -> bool:
        """Emit a loop over an input list by its positions, which are constants.

        Return False if the items are something else.
        """
        whole: PureExpr = items
        numbered = isinstance(items, Call) and items.function.id == "enumerate"
        if isinstance(items, Call) and numbered and len(items.args) == 1 and not items.keywords:
            whole = items.args[0]
        if not isinstance(whole, Name) or whole.id not in self.lengths:
            return False
        place = self.place(node)
        at = Name(self.temporary("k"), place=place)
        self.scope.names[at.id] = at.id
        end = Literal(self.lengths[whole.id], place=place)
        positions = Call(Name("range", place=place), (end,), place=place)

        def body() -> None:
            entry: Expr = Index(whole, at, place=self.place(target))
            if numbered:
                entry = Sequence((at, entry), False, place=self.place(target))
            if isinstance(target, Name):
                self.emit(Set(self.local(target.id), entry, place=self.place(target)))
                self.declared(target)
            elif (
                isinstance(target, Targets)
                and isinstance(entry, Sequence)
                and (len(target.items) == len(entry.items))
            ):
                for part, value in zip(target.items, entry.items, strict=True):
                    self.assign_value(part, value)
            else:
                self.assign_value(target, entry)
            inside()

        self.loop(at, positions, body, node, labels)
        return True

    def times(self, items: PureExpr, node: Node) -> int | None:
        """Return how often a loop goes round, if that is a constant."""
        if self.reads(items, None):
            return None
        found = evaluate_closed(items, self.functions)
        try:
            return len(items_of(found))
        except TypeError as error:
            self.refuse(
                items.place,
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

    def while_(self, node: While) -> None:
        """Emit a `while` loop."""
        again, body, leave, end = (self.label() for _ in range(4))
        place = self.place(node)
        self.mark(again)
        self.loops.append((again, leave, None, None, node))
        self.condition(node.test, body, leave)
        self.mark(body)
        self.targets.append((again, end))
        self.block(node.body)
        self.targets.pop()
        self.jump(again, place)
        self.mark(leave)
        self.block(node.otherwise)
        self.mark(end)

    @abstractmethod
    def block(self, body: tuple[Stmt, ...]) -> None:
        """Emit the statements of a block."""

    @abstractmethod
    def assign_value(self, target: Pattern, value: PureExpr) -> None:
        """Emit an assignment of a pure expression."""

    @abstractmethod
    def declared(self, target: Name) -> None:
        """Emit the check of a variable with a declared domain."""


def literal_truth(test: PureExpr) -> bool | None:
    """Return the truth of a condition that is a constant, if it is."""
    if isinstance(test, Literal) and (
        isinstance(test.value, bool | int | str | List) or test.value is None
    ):
        return bool(test.value)
    return None

"""Flat code under construction: basic statements, labels and jumps."""

from __future__ import annotations

import ast
from typing import NoReturn

from exactdp.errors import Place, ProgramError
from exactdp.language.code import Branch, Instruction, Jump
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.limits import CODE_LIMIT, UNROLL_LIMIT
from exactdp.language.operations import items_of
from exactdp.language.renaming import Renaming
from exactdp.language.rules import refuse
from exactdp.language.tree import where
from exactdp.language.values import List


class Control(Renaming):
    """Emits control flow; jumps refer to labels, which are resolved to positions at the end."""

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
                way_out="Call it fewer times, or use a `for` loop that calls it once.",
            )
        self.code.append(instruction)

    def label(self) -> int:
        """Return a new label."""
        self.labels += 1
        return self.labels

    def mark(self, label: int) -> None:
        """Place a label here."""
        self.marks[label] = len(self.code)

    def jump(self, label: int, place: Place) -> None:
        """Go to a label."""
        self.emit(Jump(label, place=place))

    def branch(self, test: ast.expr, yes: int, no: int, place: Place) -> None:
        """Go to one of two labels, depending on a finite value."""
        truth = literal_truth(test)
        if truth is None:
            self.emit(Branch(test, yes, no, place=place))
        else:
            self.jump(yes if truth else no, place)

    def times(self, items: ast.expr, node: ast.AST) -> int | None:
        """Return the number of iterations of a loop, if it is a constant."""
        if self.reads(items, None):
            return None
        found = evaluate_closed(items, self.functions)
        try:
            return len(items_of(found))
        except TypeError as error:
            refuse(
                where(items),
                str(error),
                "A loop goes over a range, a list or a tuple.",
                "Write `range(n)` to iterate n times.",
            )
        except ValueError:
            self.too_long(self.place(node))

    def too_long(self, place: Place) -> NoReturn:
        """Refuse a loop whose unrolling exceeds the limit."""
        refuse(
            place,
            f"this loop iterates more than {UNROLL_LIMIT:,} times",
            f"A `for` loop is unrolled, and nested ones multiply; the limit is {UNROLL_LIMIT:,}.",
            "Make the range smaller, or compute the finite values in a Python function outside.",
        )


def literal_truth(test: ast.expr) -> bool | None:
    """Return the truth of a condition if it is a constant, else None."""
    if isinstance(test, ast.Constant) and (
        isinstance(test.value, bool | int | str | List) or test.value is None
    ):
        return bool(test.value)
    return None

"""Flat code under construction: basic statements, labels and jumps; places, slots and names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from exactdp.errors import Place, ProgramError
from exactdp.language.code import Branch, Instruction, Jump
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.limits import CODE_LIMIT, UNROLL_LIMIT
from exactdp.language.noisy import NoisyNames
from exactdp.language.operations import FUNCTIONS, items_of
from exactdp.language.rules import CALL_IT, NOT_A_VALUE, refuse
from exactdp.language.tree import (
    Comprehension,
    Definition,
    constant,
    free_names,
    name,
    nodes,
    parameters,
    put,
    rebuilt,
    where,
)
from exactdp.language.types import InputType
from exactdp.language.values import List


@dataclass
class NameScope:
    """A function being emitted: the slots of its variables, its constants, its return label."""

    prefix: str
    names: dict[str, str]
    constants: Mapping[str, object]
    noise: NoisyNames
    declared: Mapping[str, InputType] = field(default_factory=dict)
    #: The place reported for its statements, if it is not that of their source.
    place: Place | None = None
    #: Whether its variables are the user's.
    user: bool = True
    #: Parameters that stand for the caller's own variable or for a constant.
    aliases: dict[str, ast.expr] = field(default_factory=dict)
    leave: int = 0
    result: str = ""


class Emitter:
    """Emits basic statements, with every variable as its slot and every other name as its meaning.

    Jumps refer to labels, which are resolved to positions at the end.
    """

    scope: NameScope

    def __init__(self) -> None:
        self.slots: list[str] = []
        self.known: set[str] = set()
        self.functions: dict[str, Callable[..., Any]] = {}
        self.noisy_slots: set[str] = set()
        self.temporaries = 0
        self.assigning: Place | None = None
        self.calls = 0
        self.lengths: dict[str, int] = {}  # of inputs that are lists and never changed
        self.code: list[Instruction] = []
        self.marks: dict[int, int] = {}
        self.labels = 0
        self.loops: list[tuple[int, int, str | None, int | None, Place]] = []
        self.targets: list[tuple[int, int]] = []  # (continue, break) of the loops around
        self.rounds = 1

    def place(self, node: ast.AST) -> Place:
        """Return the place of a node in the user's source."""
        return self.scope.place or where(node)

    def slot(self, name: str) -> str:
        """Return a new slot with a name like the one given."""
        fresh, count = name, 1
        while fresh in self.known:
            count += 1
            fresh = f"{name}'{count}"
        self.known.add(fresh)
        self.slots.append(fresh)
        return fresh

    def temporary(self, name: str) -> str:
        """Return a new slot for a value that has no name in the source."""
        self.temporaries += 1
        return self.slot(f"%{name}{self.temporaries}")

    def local(self, name: str) -> str:
        """Return the slot of a variable of the current function."""
        found = self.scope.names.get(name)
        if found is None:
            found = self.scope.names[name] = self.slot(self.scope.prefix + name)
            if name in self.scope.noise.names:
                self.noisy_slots.add(found)
        return found

    def variable(self, node: ast.Name) -> ast.Name:
        """Return a variable as a slot."""
        return name(self.local(node.id), self.place(node))

    def reads(self, value: ast.expr, slots: set[str] | None) -> bool:
        """Whether a pure expression reads one of the slots (any slot, if None)."""
        return not free_names(value).isdisjoint(self.known if slots is None else slots)

    def reads_noise(self, value: ast.expr) -> bool:
        """Whether a pure expression reads a slot that may hold noise."""
        return self.reads(value, self.noisy_slots)

    def rename(self, node: Any) -> Any:
        """Return an expression without effects, its names replaced by slots and constants."""
        place, outer = self.place(node), self.scope.names
        match node:
            case ast.Name():
                return self.renamed_name(node)
            case ast.ListComp(element, clauses) | ast.GeneratorExp(element, clauses):
                self.scope.names = dict(outer)
                renamed = [self.rename_clause(clause) for clause in clauses]
                inner: Comprehension = put(type(node)(self.rename(element), renamed), place)
                self.scope.names = outer
                return inner
            case ast.Lambda(_, body):
                self.scope.names = dict(outer)
                slots = [self.fresh(param) for param in parameters(node)]
                plain = ast.arguments([], [ast.arg(slot) for slot in slots], None, [], [], None, [])
                function = put(ast.Lambda(plain, self.rename(body)), place)
                self.scope.names = outer
                return function
            case ast.Call(ast.Name() as function, args, keywords):
                target, values = self.called(function), [self.rename(arg) for arg in args]
                if target.id == "len" and len(values) == 1 and isinstance(values[0], ast.Name):
                    length = self.lengths.get(values[0].id)
                    if length is not None:
                        return constant(length, place)
                named = [rebuilt(one, self.rename, place) for one in keywords]
                return put(ast.Call(target, values, named), place)
        return rebuilt(node, self.rename, place)

    def rename_clause(self, clause: ast.comprehension) -> ast.comprehension:
        """Return a clause of a comprehension; its variables get slots of their own."""
        items = self.rename(clause.iter)
        self.bind_afresh(clause.target)
        target, tests = self.rename(clause.target), [self.rename(test) for test in clause.ifs]
        return put(ast.comprehension(target, items, tests, 0), self.place(clause))

    def bind_afresh(self, target: ast.expr) -> None:
        """Give the variables of a comprehension's target slots of their own."""
        for node in nodes(target):
            if isinstance(node, ast.Name):
                self.fresh(node.id)

    def fresh(self, name: str) -> str:
        """Return a slot for a variable that hides any other of its name."""
        slot = self.scope.names[name] = self.slot(self.scope.prefix + name)
        if name in self.scope.noise.names:
            self.noisy_slots.add(slot)
        return slot

    def renamed_name(self, node: ast.Name) -> ast.expr:
        """Return what a name stands for: a slot, a literal, a function or a word."""
        place, word = self.place(node), node.id
        if word in self.scope.names:
            return name(self.scope.names[word], place)
        if word in self.scope.aliases:
            return rebuilt(self.scope.aliases[word], lambda part: part, place)
        if word in self.scope.constants:
            value = self.scope.constants[word]
            if isinstance(value, Definition):
                refuse(place, f"{word} is a subroutine, not a value", NOT_A_VALUE, CALL_IT)
            if callable(value):
                return name(self.function(word, value), place)
            return constant(value, place)
        if word in ("eps", "inf") or word in FUNCTIONS:
            return name(word, place)
        return name(self.local(word), place)

    def called(self, node: ast.Name) -> ast.Name:
        """Return the function of a call."""
        word, place = node.id, self.place(node)
        if word in self.scope.constants:
            value = self.scope.constants[word]
            if not callable(value):
                refuse(
                    place,
                    f"{word} is not a function",
                    "Only Python functions, mechanisms and ideals can be called.",
                    f"Leave the brackets after {word} out, or define a function of that name.",
                )
            return name(self.function(word, value), place)
        if word not in FUNCTIONS:
            refuse(
                place,
                f"{word} is not a function that the language knows",
                "Functions are those of the language and those from outside.",
                f"Define {word} before the mechanism.",
            )
        return name(word, place)

    def function(self, name: str, function: Callable[..., Any]) -> str:
        """Return the name under which a Python function is known in the code."""
        key, count = f"{name}()", 1
        while self.functions.get(key, function) is not function:
            count += 1
            key = f"{name}()'{count}"
        self.functions[key] = function
        return key

    # Control --------------------------------------------------------------------------

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

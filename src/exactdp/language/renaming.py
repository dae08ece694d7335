"""Places, slots and names while a function is turned into flat code."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from exactdp.errors import Place, ProgramError
from exactdp.language.code import PureExpr
from exactdp.language.definition import Definition, bound_names, nodes
from exactdp.language.noisy import NoisyNames
from exactdp.language.operations import FUNCTIONS
from exactdp.language.rules import CALL_IT, NOT_A_VALUE
from exactdp.language.syntax import (
    Call,
    Clause,
    Comprehension,
    Expr,
    Lambda,
    Literal,
    Name,
    Node,
)
from exactdp.language.types import InputType


@dataclass
class Scope:
    """One function being emitted: its variables' slots, its constants, where it returns to."""

    prefix: str
    names: dict[str, str]
    constants: Mapping[str, object]
    noise: NoisyNames
    declared: Mapping[str, InputType] = field(default_factory=dict)
    #: Where its statements stand, if not where they are written.
    place: Place | None = None
    #: Whether its variables are the user's.
    user: bool = True
    #: Parameters that stand for the caller's own variable or for a constant.
    aliases: dict[str, PureExpr] = field(default_factory=dict)
    leave: int = 0
    result: str = ""


class Renaming:
    """Knows the slot of every variable and what every other name stands for."""

    scope: Scope

    def __init__(self) -> None:
        self.slots: list[str] = []
        self.known: set[str] = set()
        self.functions: dict[str, Callable[..., Any]] = {}
        self.noisy_slots: set[str] = set()
        self.temporaries = 0
        self.assigning: Place | None = None
        self.calls = 0
        self.lengths: dict[str, int] = {}  # of inputs that are lists and stay as they are

    def place(self, node: Node) -> Place:
        """Return where a node stands in the user's source."""
        return self.scope.place or node.place

    def refuse(self, place: Place, message: str, rule: str, way_out: str) -> NoReturn:
        """Raise the located error."""
        raise ProgramError(message, place=place, rule=rule, way_out=way_out)

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
        """Return the slot of a variable of the function at hand."""
        found = self.scope.names.get(name)
        if found is None:
            found = self.scope.names[name] = self.slot(self.scope.prefix + name)
            if name in self.scope.noise.names:
                self.noisy_slots.add(found)
        return found

    def variable(self, node: Name) -> Name:
        """Return a variable as a slot."""
        return Name(self.local(node.id), place=self.place(node))

    def reads(self, value: Node, slots: set[str] | None) -> bool:
        """Whether a pure expression reads one of the slots (any slot, if None)."""
        bound = bound_names(value)
        return any(
            isinstance(node, Name)
            and node.id not in bound
            and (node.id in self.known if slots is None else node.id in slots)
            for node in nodes(value)
        )

    def reads_noise(self, value: Node) -> bool:
        """Whether a pure expression reads a slot that may hold noise."""
        return self.reads(value, self.noisy_slots)

    def rename(self, node: Any) -> Any:
        """Return an expression without effects, its names replaced by slots and constants."""
        match node:
            case Name(name):
                return self.renamed_name(node, name)
            case Comprehension(element, clauses, is_list):
                outer = dict(self.scope.names)
                renamed = tuple(self.rename_clause(clause) for clause in clauses)
                inner = Comprehension(
                    self.rename(element), renamed, is_list, place=self.place(node)
                )
                self.restore(outer)
                return inner
            case Lambda(params, body):
                outer = dict(self.scope.names)
                slots = tuple(self.fresh(param) for param in params)
                function = Lambda(slots, self.rename(body), place=self.place(node))
                self.restore(outer)
                return function
            case Call(function, args, keywords):
                called, values = self.called(function), tuple(self.rename(arg) for arg in args)
                if called.id == "len" and len(values) == 1 and isinstance(values[0], Name):
                    length = self.lengths.get(values[0].id)
                    if length is not None:
                        return Literal(length, place=self.place(node))
                named = tuple((name, self.rename(arg)) for name, arg in keywords)
                return Call(called, values, named, place=self.place(node))
            case Node():
                changes = {
                    name: self.rename(getattr(node, name))
                    for name in node.__dataclass_fields__
                    if name != "place"
                }
                return dataclasses.replace(node, place=self.place(node), **changes)
            case tuple() if type(node) is tuple:
                return tuple(self.rename(part) for part in node)
        return node

    def rename_clause(self, clause: Clause) -> Clause:
        """Return a clause of a comprehension; its variables get slots of their own."""
        items = self.rename(clause.items)
        for node in nodes(clause.target):
            if isinstance(node, Name):
                self.fresh(node.id)
        target = self.rename(clause.target)
        return Clause(target, items, self.rename(clause.tests), place=self.place(clause))

    def fresh(self, name: str) -> str:
        """Return a slot for a variable that hides any other of its name."""
        slot = self.scope.names[name] = self.slot(self.scope.prefix + name)
        if name in self.scope.noise.names:
            self.noisy_slots.add(slot)
        return slot

    def restore(self, names: dict[str, str]) -> None:
        """Forget the variables of a comprehension or lambda."""
        self.scope.names = names

    def renamed_name(self, node: Name, name: str) -> Expr:
        """Return what a name stands for: a slot, a literal, a function or a word."""
        place = self.place(node)
        if name in self.scope.names:
            return Name(self.scope.names[name], place=place)
        if name in self.scope.aliases:
            return dataclasses.replace(self.scope.aliases[name], place=place)  # type: ignore[return-value]
        if name in self.scope.constants:
            value = self.scope.constants[name]
            if isinstance(value, Definition):
                self.refuse(place, f"{name} is a subroutine, not a value", NOT_A_VALUE, CALL_IT)
            if callable(value):
                return Name(self.function(name, value), place=place)
            return Literal(value, place=place)
        if name in ("eps", "inf") or name in FUNCTIONS:
            return Name(name, place=place)
        return Name(self.local(name), place=place)

    def called(self, node: Name) -> Name:
        """Return the function of a call."""
        name, place = node.id, self.place(node)
        if name in self.scope.constants:
            value = self.scope.constants[name]
            if not callable(value):
                self.refuse(
                    place,
                    f"{name} is not a function",
                    "Only Python functions, mechanisms and ideals can be called.",
                    f"Leave the brackets after {name} out, or define a function of that name.",
                )
            return Name(self.function(name, value), place=place)
        if name not in FUNCTIONS:
            self.refuse(
                place,
                f"{name} is not a function that the language knows",
                "Functions are those of docs/language.md and those from outside.",
                f"Define {name} before the mechanism.",
            )
        return Name(name, place=place)

    def function(self, name: str, function: Callable[..., Any]) -> str:
        """Return the name under which a Python function is known in the code."""
        key, count = f"{name}()", 1
        while self.functions.get(key, function) is not function:
            count += 1
            key = f"{name}()'{count}"
        self.functions[key] = function
        return key

"""Program form to flat code: functions and statements.

Subroutines are inlined, loops become jumps, and every sample and comparison of noise
becomes a basic statement of its own.
"""

from __future__ import annotations

import dataclasses

from exactdp.errors import Place
from exactdp.language.code import (
    Appended,
    Augmented,
    Branch,
    Check,
    Code,
    FallOff,
    Instruction,
    Jump,
    Loop,
    Next,
    PureExpr,
    Release,
    Require,
    Set,
    Unpacked,
    Updated,
)
from exactdp.language.control import Control
from exactdp.language.definition import Definition, nodes
from exactdp.language.noisy import NoisyNames, noisy_inputs, samples_noise
from exactdp.language.renaming import Scope
from exactdp.language.syntax import (
    Append,
    Assert,
    Assign,
    Augment,
    Expr,
    For,
    Function,
    If,
    Index,
    Literal,
    Name,
    Node,
    Pattern,
    Return,
    Sequence,
    Simple,
    Stmt,
    Targets,
    While,
)
from exactdp.language.types import InputType, ListType, RecordType


def flatten(definition: Definition) -> Code:
    """Return a definition as flat code."""
    return Flattener().program(definition)


class Flattener(Control):
    """Emits the statements of a function and of the subroutines it calls."""

    def program(self, definition: Definition) -> Code:
        """Return the flat code of a definition."""
        function = definition.function
        noise = NoisyNames(function, definition.constants, noisy_inputs(function))
        scope = Scope("", {}, definition.constants, noise, declared=_declared(function.body))
        self.scope = scope
        inputs = tuple((self.local(param.name), param.type) for param in function.params)
        changed = _changed(function)
        self.lengths = {
            self.local(param.name): param.type.length
            for param in function.params
            if isinstance(param.type, ListType | RecordType) and param.name not in changed
        }
        self.declare(function)
        self.block(function.body)
        self.emit(FallOff(function.name, place=function.place))
        resolved = tuple(self._resolve(instruction) for instruction in self.code)
        loops = tuple(
            Loop(self.marks[start], self.marks[end], counter, times, node)
            for start, end, counter, times, node in self.loops
        )
        return Code(resolved, inputs, tuple(self.slots), self.functions, loops)

    def _resolve(self, instruction: Instruction) -> Instruction:
        match instruction:
            case Branch(_, then, otherwise):
                return dataclasses.replace(
                    instruction, then=self.marks[then], otherwise=self.marks[otherwise]
                )
            case Jump(target):
                return dataclasses.replace(instruction, target=self.marks[target])
            case Next(_, _, _, body, leave):
                there = None if leave is None else self.marks[leave]
                return dataclasses.replace(instruction, body=self.marks[body], leave=there)
        return instruction

    def inline(self, definition: Definition, args: list[PureExpr], at: Node, user: bool) -> Name:
        """Emit a subroutine's statements; return the slot that holds its result.

        The functions of the prelude are not the user's: their statements stand where
        they are called.
        """
        function, place = definition.function, self.place(at)
        outer, targets, assigning = self.scope, self.targets, self.assigning
        self.calls += 1
        noisy = [
            param.name
            for param, arg in zip(function.params, args, strict=True)
            if self.reads_noise(arg) or (param.type is not None and not param.type.finite)
        ]
        self.scope = Scope(
            f"{function.name}{self.calls}.",
            {},
            definition.constants,
            NoisyNames(function, definition.constants, noisy),
            declared=_declared(function.body),
            place=place if not user else outer.place,
            user=user and outer.user,
            leave=self.label(),
            result=self.temporary("result"),
        )
        inner = self.scope
        self.targets = []
        if samples_noise(definition) or inner.noise.names:
            self.noisy_slots.add(inner.result)
        changed = _changed(function)
        for param, arg in zip(function.params, args, strict=True):
            plain = isinstance(arg, Name) or (not self.reads(arg, None) and param.type is None)
            if plain and param.name not in changed:
                inner.aliases[param.name] = arg
                slot = arg.id if isinstance(arg, Name) else ""
            else:
                slot = self.local(param.name)
                self.emit(Set(slot, arg, place=place))
            if param.type is not None:
                self.emit(Check(slot, param.type, param.name, place=place))
        self.declare(function)
        self.block(function.body)
        self.emit(FallOff(function.name, place=self.place(function)))
        self.mark(inner.leave)
        self.scope, self.targets, self.assigning = outer, targets, assigning
        return Name(inner.result, place=place)

    def declare(self, function: Function) -> None:
        """Give every variable of a function its slot."""
        for name in variables(function):
            self.local(name)

    def block(self, body: tuple[Stmt, ...]) -> None:
        """Emit the statements of a block."""
        for statement in body:
            self.statement(statement)

    def statement(self, node: Stmt) -> None:
        """Emit one statement."""
        place = self.place(node)
        assigns = isinstance(node, Assign | Augment | Append)
        self.assigning = place if assigns and self.scope.user else None
        match node:
            case Assign(targets, value):
                self.assign_all(targets, value, node)
            case Augment(target, op, value):
                self.augment(target, op, self.value(value), node)
            case Append(target, value):
                base = self.variable(target)
                item = self.value(value)
                self.store(target, Appended(base, item, place=place))
            case If(test, then, otherwise):
                yes, no, end = self.label(), self.label(), self.label()
                self.condition(test, yes, no)
                self.mark(yes)
                self.block(then)
                if otherwise:
                    self.jump(end, place)
                self.mark(no)
                self.block(otherwise)
                self.mark(end)
            case For():
                self.for_(node)
            case While():
                self.while_(node)
            case Return(value):
                self.return_(value, place)
            case Assert(test, message):
                text = None if message is None else self.value(message)
                self.emit(Require(self.value(test), text, place=place))
            case Simple("pass"):
                pass
            case Simple(word):
                again, leave = self.targets[-1]
                self.jump(leave if word == "break" else again, place)

    def return_(self, value: Expr, place: Place) -> None:
        """Emit the end of the function with its result."""
        if self.scope.leave:
            self.into(value, self.scope.result)
            self.jump(self.scope.leave, place)
        else:
            self.emit(Release(self.value(value), place=place))

    def assign_all(self, targets: tuple[Pattern, ...], value: Expr, node: Node) -> None:
        """Emit `a = b = value`."""
        if len(targets) > 1:
            value = self.keep(self.value(value), self.place(node))
            for target in targets:
                self.assign_value(target, value)
        else:
            self.assign(targets[0], value)

    def assign(self, target: Pattern, value: Expr) -> None:
        """Emit an assignment of an expression that is not lowered yet."""
        match target, value:
            case Name(name), _:
                slot = self.local(name)
                self.into(value, slot, binds=name, place=self.place(target))
                self.declared(target)
            case Targets(parts), Sequence(items) if len(parts) == len(items):
                self.assign_parts(parts, items, self.place(target))
            case _:
                self.assign_value(target, self.value(value))

    def assign_parts(
        self, parts: tuple[Pattern, ...], items: tuple[Expr, ...], place: Place
    ) -> None:
        """Emit `a, b = x, y`: one after the other, if no value reads what is assigned before."""
        assigned: set[str] = set()
        ordered = True
        for part, item in zip(parts, items, strict=True):
            ordered = ordered and not _mentions(item, assigned)
            assigned.update(_roots(part))
        if ordered:
            for part, item in zip(parts, items, strict=True):
                self.assign(part, item)
            return
        values = [self.keep(self.value(item), place) for item in items]
        for part, value in zip(parts, values, strict=True):
            self.assign_value(part, value)

    def assign_value(self, target: Pattern, value: PureExpr) -> None:
        """Emit an assignment of a pure expression."""
        place = self.place(target)
        match target:
            case Name():
                self.store(target, value)
            case Index(base, index):
                assert isinstance(base, Name)
                position = self.value(index)
                left = self.variable(base)
                self.store(base, Updated(left, position, value, place=place))
            case Targets(parts):
                whole = self.keep(Unpacked(value, len(parts), place=place), place)
                for k, part in enumerate(parts):
                    entry = Index(whole, Literal(k, place=place), place=self.place(part))
                    self.assign_value(part, entry)

    def augment(self, target: Name | Index, op: str, value: PureExpr, node: Node) -> None:
        """Emit `target op= value`."""
        place = self.place(node)
        if isinstance(target, Name):
            self.store(target, Augmented(op, self.variable(target), value, place=place))
            return
        base, index = target.base, self.value(target.index)
        assert isinstance(base, Name)
        left = self.variable(base)
        entry = Index(left, index, place=self.place(target))
        changed = Augmented(op, entry, value, place=place)
        self.store(base, Updated(left, index, changed, place=place))

    def store(self, target: Name, value: PureExpr) -> None:
        """Emit slot ← value for a user's variable."""
        binds = target.id if self.scope.user else ""
        self.emit(Set(self.local(target.id), value, binds, place=self.place(target)))
        self.declared(target)

    def declared(self, target: Name) -> None:
        """Emit the check of a variable with a declared domain."""
        kind = self.scope.declared.get(target.id)
        if kind is not None:
            place = self.place(target)
            self.emit(Check(self.local(target.id), kind, target.id, place=place))


def _declared(body: tuple[Stmt, ...]) -> dict[str, InputType]:
    """Return the variables that a function declares, with their types."""
    found: dict[str, InputType] = {}
    for node in nodes(body):
        if isinstance(node, Assign) and node.declared is not None:
            target = node.targets[0]
            assert isinstance(target, Name)
            found[target.id] = node.declared
    return found


def variables(function: Function) -> list[str]:
    """Return the variables that the statements of a function assign, in order."""
    found: dict[str, None] = {}

    def collect(target: Pattern) -> None:
        if isinstance(target, Name):
            found[target.id] = None
        elif isinstance(target, Targets):
            for item in target.items:
                collect(item)

    for node in nodes(function.body):
        if isinstance(node, Assign):
            for target in node.targets:
                collect(target)
        elif isinstance(node, For):
            collect(node.target)
    return list(found)


def _roots(target: Pattern) -> list[str]:
    """Return the variables that an assignment to a target changes."""
    match target:
        case Name(name):
            return [name]
        case Index(Name(name)):
            return [name]
        case Targets(items):
            return [name for item in items for name in _roots(item)]
    return []


def _mentions(value: Node, names: set[str]) -> bool:
    return any(isinstance(node, Name) and node.id in names for node in nodes(value))


def _changed(function: Function) -> set[str]:
    """Return the variables that a function assigns or changes in place."""
    found = set(variables(function))
    for node in nodes(function.body):
        match node:
            case Assign(targets):
                for target in targets:
                    found.update(_roots(target))
            case Augment(target) | Append(target):
                found.update(_roots(target))
    return found

"""Program form to flat code: functions and statements.

Subroutines are inlined, loops become jumps, and every sample and comparison of noise
becomes a basic statement of its own.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from exactdp.errors import Place
from exactdp.language.budgets import defined_on
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
    Release,
    Require,
    Set,
    Unpacked,
    Updated,
)
from exactdp.language.emitter import NameScope
from exactdp.language.lowering import Lowering
from exactdp.language.noisy import NoisyNames, noisy_inputs, samples_noise
from exactdp.language.sorted_ends import with_fewer_comparisons
from exactdp.language.tree import (
    Definition,
    Observe,
    constant,
    name,
    nodes,
    put,
    roots,
    statements,
    targets,
    where,
)
from exactdp.language.types import InputType, ListType, RecordType


def flatten(definition: Definition) -> Code:
    """Return a definition as flat code."""
    return Flattener().program(definition)


class Flattener(Lowering):
    """Emits the statements of a function and of the subroutines it calls."""

    restart = 0
    """The label of the start, to which a run returns if an observed condition fails."""
    observed: Place | None = None
    """The place where a condition is observed, if there is one."""

    def program(self, definition: Definition) -> Code:
        """Return the flat code of a definition."""
        definition = with_fewer_comparisons(definition)
        noise = NoisyNames(definition, noisy_inputs(definition))
        self.scope = NameScope("", {}, definition.constants, noise, declared=_declared(definition))
        inputs = tuple((self.local(param.name), param.type) for param in definition.params)
        changed = variables(definition)
        self.lengths = {
            self.local(param.name): param.type.length
            for param in definition.params
            if isinstance(param.type, ListType | RecordType) and param.name not in changed
        }
        self.restart = self.label()
        self.mark(self.restart)
        self.statements(definition)
        if self.observed is not None:
            end = self.label()
            self.mark(end)
            self.loops.insert(0, (self.restart, end, None, None, self.observed))
        resolved = tuple(self._resolve(instruction) for instruction in self.code)
        loops = tuple(
            Loop(self.marks[start], self.marks[end], counter, times, place)
            for start, end, counter, times, place in self.loops
        )
        epsilon = definition.asked or defined_on(definition)
        slots = tuple(self.slots)
        return Code(resolved, inputs, slots, self.functions, loops, epsilon, definition.part)

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

    def inline(
        self, definition: Definition, args: list[ast.expr], at: ast.AST, user: bool
    ) -> ast.Name:
        """Emit a subroutine's statements; return the slot that holds its result.

        The functions of the prelude are not the user's: the place of their statements is
        that of the call.
        """
        place, params = self.place(at), definition.params
        outer, targets, assigning = self.scope, self.targets, self.assigning
        self.calls += 1
        noisy = [
            param.name
            for param, arg in zip(params, args, strict=True)
            if self.reads_noise(arg) or (param.type is not None and not param.type.finite)
        ]
        self.scope = NameScope(
            f"{definition.name}{self.calls}.",
            {},
            definition.constants,
            NoisyNames(definition, noisy),
            declared=_declared(definition),
            place=place if not user else outer.place,
            user=user and outer.user,
            leave=self.label(),
            result=self.temporary("result"),
        )
        inner = self.scope
        self.targets = []
        if samples_noise(definition) or inner.noise.names:
            self.noisy_slots.add(inner.result)
        changed = variables(definition)
        for param, arg in zip(params, args, strict=True):
            plain = isinstance(arg, ast.Name) or (not self.reads(arg, None) and param.type is None)
            if plain and param.name not in changed:
                inner.aliases[param.name] = arg
                slot = arg.id if isinstance(arg, ast.Name) else ""
            else:
                slot = self.local(param.name)
                self.emit(Set(slot, arg, place=place))
            if param.type is not None:
                self.emit(Check(slot, param.type, param.name, place=place))
        self.statements(definition)
        self.mark(inner.leave)
        self.scope, self.targets, self.assigning = outer, targets, assigning
        return name(inner.result, place)

    def statements(self, definition: Definition) -> None:
        """Emit the statements of a function, after its variables got their slots."""
        for variable in variables(definition):
            self.local(variable)
        self.block(definition.body)
        self.emit(FallOff(definition.name, place=self.scope.place or definition.place))

    def block(self, body: list[ast.stmt]) -> None:
        """Emit the statements of a block."""
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Emit one statement."""
        place = self.place(node)
        assigns = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr)
        self.assigning = place if assigns and self.scope.user else None
        match node:
            case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
                self.assign(target, value)
            case ast.Assign(targets, value):
                whole = self.keep(self.value(value), place)
                for target in targets:
                    self.assign_value(target, whole)
            case ast.AugAssign(target, op, value):
                self.augment(target, op, self.value(value), place)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name() as target), [value])):
                longer = Appended(self.variable(target), self.value(value))
                self.store(target, put(longer, place))
            case ast.If(test, then, otherwise):
                yes, no, end = self.label(), self.label(), self.label()
                self.condition(test, yes, no)
                self.mark(yes)
                self.block(then)
                if otherwise:
                    self.jump(end, place)
                self.mark(no)
                self.block(otherwise)
                self.mark(end)
            case ast.For():
                self.for_(node)
            case ast.While():
                self.while_(node)
            case ast.Return(ast.expr() as value):
                self.return_(value, place)
            case ast.Assert(test, message):
                text = None if message is None else self.value(message)
                self.emit(Require(self.value(test), text, self.scope.user, place=place))
            case ast.Expr(Observe(test)):
                counts, rejected = self.label(), self.label()
                self.condition(test, counts, rejected)
                self.mark(rejected)
                self.jump(self.restart, place)
                self.mark(counts)
                self.observed = self.observed or where(node)
            case ast.Break() | ast.Continue():
                again, leave = self.targets[-1]
                self.jump(leave if isinstance(node, ast.Break) else again, place)

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

    def return_(self, value: ast.expr, place: Place) -> None:
        """Emit the return of the function's result."""
        if self.scope.leave:
            self.into(value, self.scope.result)
            self.jump(self.scope.leave, place)
        else:
            self.emit(Release(self.value(value), place=place))

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """Emit an assignment of an expression that is not lowered yet."""
        match target, value:
            case ast.Name(variable), _:
                self.into(value, self.local(variable), binds=variable, place=self.place(target))
                self.declared(target)
            case ast.Tuple(parts), ast.Tuple(items) | ast.List(items) if len(parts) == len(items):
                self.assign_parts(parts, items, self.place(target))
            case _:
                self.assign_value(target, self.value(value))

    def assign_parts(self, parts: list[ast.expr], items: list[ast.expr], place: Place) -> None:
        """Emit `a, b = x, y`, one by one if no value reads a variable assigned before it."""
        assigned: set[str] = set()
        ordered = True
        for part, item in zip(parts, items, strict=True):
            read = {node.id for node in nodes(item) if isinstance(node, ast.Name)}
            ordered = ordered and assigned.isdisjoint(read)
            assigned.update(roots(part))
        if ordered:
            for part, item in zip(parts, items, strict=True):
                self.assign(part, item)
            return
        values = [self.keep(self.value(item), place) for item in items]
        for part, value in zip(parts, values, strict=True):
            self.assign_value(part, value)

    def assign_value(self, target: ast.expr, value: ast.expr) -> None:
        """Emit an assignment of a pure expression."""
        place = self.place(target)
        match target:
            case ast.Name():
                self.store(target, value)
            case ast.Subscript(ast.Name() as base, index):
                position = self.value(index)
                self.store(base, put(Updated(self.variable(base), position, value), place))
            case ast.Tuple(parts):
                whole = self.keep(put(Unpacked(value, len(parts)), place), place)
                for k, part in enumerate(parts):
                    self.assign_value(part, _entry(whole, constant(k, place), self.place(part)))

    def augment(self, target: ast.expr, op: ast.operator, value: ast.expr, place: Place) -> None:
        """Emit `target op= value`."""
        match target:
            case ast.Name():
                self.store(target, put(Augmented(self.variable(target), op, value), place))
            case ast.Subscript(ast.Name() as base, position):
                index, left = self.value(position), self.variable(base)
                entry = _entry(left, index, self.place(target))
                changed = put(Augmented(entry, op, value), place)
                self.store(base, put(Updated(left, index, changed), place))

    def store(self, target: ast.Name, value: ast.expr) -> None:
        """Emit slot ← value for a user's variable."""
        binds = target.id if self.scope.user else ""
        self.emit(Set(self.local(target.id), value, binds, place=self.place(target)))
        self.declared(target)

    def declared(self, target: ast.Name) -> None:
        """Emit the check of a variable with a declared domain."""
        kind = self.scope.declared.get(target.id)
        if kind is not None:
            place = self.place(target)
            self.emit(Check(self.local(target.id), kind, target.id, place=place))


def _entry(base: ast.expr, index: ast.expr, place: Place) -> ast.expr:
    return put(ast.Subscript(base, index, ast.Load()), place)


def _declared(definition: Definition) -> dict[str, InputType]:
    """Return the variables that a function declares, with their types."""
    found: dict[str, Any] = {}
    for node in statements(definition.body):
        match node:
            case ast.AnnAssign(ast.Name(variable), ast.Constant(kind)):
                found[variable] = kind
    return found


def variables(definition: Definition) -> list[str]:
    """Return the variables that the statements of a function assign, in order."""
    return list(dict.fromkeys(name for one in targets(definition.body) for name in roots(one)))

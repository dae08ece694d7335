"""A syntactic analysis of which expressions may be noise.

The analysis is conservative: what it classifies as finite is finite. It determines only how an
expression is split into basic statements, so classifying too much as noise is harmless; `kinds`
later decides what is allowed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from exactdp.language.tree import (
    Choose,
    Definition,
    ExpMech,
    NoiseCall,
    Observe,
    arguments,
    called,
    nodes,
    parameters,
)
from exactdp.language.words import NOISES

if TYPE_CHECKING:
    from exactdp.language.types import InputType

_ALWAYS_FINITE = frozenset(("len", "range", "any", "all", "bool", "str", "exp", "log", "sqrt"))
_CASE_SPLIT = frozenset(("abs", "int", "max", "min", "sorted", "trunc"))
_ROUNDING = frozenset(("ceil", "divmod", "floor", "round"))
_BINDING = (
    ast.AnnAssign,
    ast.Assign,
    ast.AugAssign,
    ast.Call,
    ast.Expr,
    ast.For,
    ast.comprehension,
)


class NoisyNames:
    """The variables of one function that may hold noise, given the inputs that may."""

    def __init__(self, definition: Definition, inputs: Iterable[str]) -> None:
        self.constants = definition.constants
        self.names = set(inputs)
        # By identity; the node is kept with the answer so that its identity stays its own.
        self._effects: dict[int, tuple[ast.AST, bool]] = {}
        assignments = [node for node in nodes(definition.body) if isinstance(node, _BINDING)]
        size = -1
        while len(self.names) != size:  # ends: the set only grows, within the function's names
            size = len(self.names)
            for node in assignments:
                self._assign(node)

    def _assign(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target, _, ast.expr() as value):
                self._bind(target, value)
            case (
                ast.AugAssign(target, _, source)
                | ast.For(target, source)
                | ast.comprehension(target, source)
                | ast.Expr(ast.Call(ast.Attribute(target), [source]))
            ):
                if self.noisy(source):
                    self._taint(target)
            case ast.Call():
                parts = arguments(node)
                if any(self.noisy(part) for part in parts):
                    for part in parts:
                        if isinstance(part, ast.Lambda):
                            self.names.update(parameters(part))

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(left), ast.Tuple(right) | ast.List(right) if len(left) == len(right):
                for one, part in zip(left, right, strict=True):
                    self._bind(one, part)
            case _ if self.noisy(value):
                self._taint(target)

    def _taint(self, target: ast.expr) -> None:
        match target:
            case ast.Name(name):
                self.names.add(name)
            case ast.Tuple(items):
                for item in items:
                    self._taint(item)
            case ast.Subscript(base):
                self._taint(base)

    def noisy(self, node: ast.AST) -> bool:
        """Whether the value of an expression may be noise, or a structure that contains noise."""
        match node:
            case ast.Constant() | ast.Compare() | ast.UnaryOp(ast.Not()) | ExpMech() | Choose():
                return False
            case ast.Call(ast.Attribute()):
                return False
            case NoiseCall():
                return True
            case ast.Name(name):
                return name in self.names
            case ast.IfExp(_, then, otherwise):
                return self.noisy(then) or self.noisy(otherwise)
            case (
                ast.Subscript(part)
                | ast.ListComp(part)
                | ast.GeneratorExp(part)
                | ast.Lambda(_, part)
            ):
                return self.noisy(part)
            case ast.Call(ast.Name(function)):
                if function in _ALWAYS_FINITE:
                    return False
                target = self.constants.get(function)
                if isinstance(target, Definition) and samples_noise(target):
                    return True
                return any(self.noisy(part) for part in arguments(node))
        return any(self.noisy(part) for part in ast.iter_child_nodes(node))

    def split(self, node: ast.expr) -> bool:
        """Whether abs, min, max or sorted of it must be expressed as comparisons."""
        if isinstance(node, ast.Name) and isinstance(self.constants.get(node.id), Definition):
            return True
        return self.noisy(node) or (isinstance(node, ast.Lambda) and self.effectful(node.body))

    def rounds(self, node: ast.AST) -> bool:
        """Whether an expression rounds noise or divides by it; the result is kept in a slot."""
        match node:
            case ast.BinOp(left, ast.FloorDiv() | ast.Mod()):
                return self.noisy(left)
            case ast.BinOp(_, ast.Div(), right):
                return self.noisy(right)
            case ast.Call(ast.Name(word), args):
                return word in _ROUNDING and any(map(self.noisy, args))
        return False

    def effectful(self, node: ast.AST) -> bool:
        """Whether an expression samples, compares or rounds noise, or calls a subroutine."""
        key = id(node)
        if key not in self._effects:
            self._effects[key] = (node, self._effectful(node))
        return self._effects[key][1]

    def _effectful(self, node: ast.AST) -> bool:
        match node:
            case NoiseCall() | ExpMech() | Choose():
                return True
            case ast.Compare(first, ops, rest):
                compared = any(not isinstance(op, ast.Is | ast.IsNot) for op in ops)
                if compared and any(self.noisy(part) for part in (first, *rest)):
                    return True
            case ast.Call(ast.Attribute(base), args):
                if any(self.noisy(part) for part in (base, *args)):
                    return True
            case ast.Call():
                if isinstance(self.constants.get(called(node)), Definition):
                    return True
                if called(node) in _CASE_SPLIT and any(map(self.split, arguments(node))):
                    return True
                if self.rounds(node):
                    return True
            case ast.BinOp() if self.rounds(node):
                return True
        return any(self.effectful(part) for part in ast.iter_child_nodes(node))


def _draws(definition: Definition) -> Iterator[NoiseCall | ExpMech | Choose]:
    """Return the sampling calls of a function, then those of its subroutines."""
    for one in definition.everything():
        for node in nodes(one.body):
            if isinstance(node, NoiseCall | ExpMech | Choose):
                yield node


def samples_noise(definition: Definition) -> bool:
    """Whether a function samples reals or integers, itself or in a subroutine."""
    return any(isinstance(node, NoiseCall) for node in _draws(definition))


def observes(definition: Definition) -> bool:
    """Whether a function observes a condition, itself or in a subroutine."""
    whole = definition.everything()
    return any(isinstance(node, Observe) for one in whole for node in nodes(one.body))


def samples_integers(definition: Definition) -> bool:
    """Whether a function samples integer noise, itself or in a subroutine."""
    return any(
        isinstance(node, NoiseCall) and NOISES[node.noise].is_whole for node in _draws(definition)
    )


def samples_both(definition: Definition) -> bool:
    """Whether a function samples integer noise and real noise, itself or in a subroutine."""
    draws = (one for one in _draws(definition) if isinstance(one, NoiseCall))
    return len({NOISES[one.noise].is_whole for one in draws}) > 1


def samples(definition: Definition) -> NoiseCall | ExpMech | Choose | None:
    """Return the first sampling call of a function or its subroutines, if there is one."""
    return next(_draws(definition), None)


def noisy_inputs(definition: Definition) -> list[str]:
    """Return the inputs that are real."""
    return [param.name for param in definition.params if _real(param.type)]


def _real(kind: InputType | None) -> bool:
    return kind is not None and not kind.finite

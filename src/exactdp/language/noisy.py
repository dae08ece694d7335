"""Which expressions may be noise, judged by how they are written.

The judgement is cautious: what it calls finite is finite. It decides only how an
expression is broken into basic statements, so calling too much noise is harmless;
what is allowed is decided later, by `kinds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from exactdp.language.definition import Definition, nodes
from exactdp.language.syntax import (
    Append,
    Assign,
    Augment,
    Call,
    Choose,
    Comparison,
    Comprehension,
    Conditional,
    Draw,
    ExpMech,
    For,
    Function,
    Index,
    Lambda,
    Literal,
    Method,
    Name,
    Node,
    Slice,
    Targets,
    Unary,
)

if TYPE_CHECKING:
    from exactdp.language.types import InputType

_ALWAYS_FINITE = frozenset(("len", "range", "any", "all", "bool", "int", "str", "exp"))
_CASE_SPLIT = frozenset(("abs", "min", "max", "sorted"))


class NoisyNames:
    """Knows which variables of one function may hold noise, given which inputs may."""

    def __init__(
        self, function: Function, constants: Mapping[str, object], inputs: Iterable[str]
    ) -> None:
        self.constants = constants
        self.names = set(inputs)
        # By identity; the node is kept with the answer so that its identity stays its own.
        self._effects: dict[int, tuple[Node, bool]] = {}
        assignments = [
            node
            for node in nodes(function.body)
            if isinstance(node, Assign | Augment | Append | For | Comprehension | Call)
        ]
        size = -1
        while len(self.names) != size:  # ends: the set only grows, within the function's names
            size = len(self.names)
            for node in assignments:
                self._assign(node)

    def _assign(self, node: Node) -> None:
        match node:
            case Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case Augment(target, _, value) | Append(target, value):
                if self.noisy(value):
                    self._taint(target)
            case For(target, items):
                if self.noisy(items):
                    self._taint(target)
            case Call(_, args, keywords):
                parts = (*args, *(value for _, value in keywords))
                if any(self.noisy(part) for part in parts):
                    for part in parts:
                        if isinstance(part, Lambda):
                            self.names.update(part.params)
            case Comprehension(_, clauses):
                for clause in clauses:
                    if self.noisy(clause.items):
                        self._taint(clause.target)

    def _bind(self, target: Node, value: Node) -> None:
        parts = getattr(value, "items", None)
        if (
            isinstance(target, Targets)
            and isinstance(parts, tuple)
            and len(parts) == len(target.items)
        ):
            for one, part in zip(target.items, parts, strict=True):
                self._bind(one, part)
            return
        if self.noisy(value):
            self._taint(target)

    def _taint(self, target: Node) -> None:
        match target:
            case Name(name):
                self.names.add(name)
            case Targets(items):
                for item in items:
                    self._taint(item)
            case Index(base):
                self._taint(base)

    def noisy(self, node: Node) -> bool:
        """Whether the value of an expression may be noise, or a structure that holds some."""
        match node:
            case Literal() | Comparison() | Unary("not") | Method() | ExpMech() | Choose():
                return False
            case Draw():
                return True
            case Name(name):
                return name in self.names
            case Conditional(_, then, otherwise):
                return self.noisy(then) or self.noisy(otherwise)
            case Index(base) | Slice(base):
                return self.noisy(base)
            case Comprehension(element):
                return self.noisy(element)
            case Lambda(_, body):
                return self.noisy(body)
            case Call(function, args, keywords):
                if function.id in _ALWAYS_FINITE:
                    return False
                parts = (*args, *(value for _, value in keywords))
                target = self.constants.get(function.id)
                if isinstance(target, Definition) and samples_noise(target):
                    return True
                return any(self.noisy(part) for part in parts)
        return any(self.noisy(part) for part in _children(node))

    def split(self, node: Node) -> bool:
        """Whether abs, min, max or sorted of it must be told in comparisons."""
        if isinstance(node, Name) and isinstance(self.constants.get(node.id), Definition):
            return True
        return self.noisy(node) or (isinstance(node, Lambda) and self.effectful(node.body))

    def effectful(self, node: Node) -> bool:
        """Whether an expression samples, compares noise or calls a subroutine."""
        key = id(node)
        if key not in self._effects:
            self._effects[key] = (node, self._effectful(node))
        return self._effects[key][1]

    def _effectful(self, node: Node) -> bool:
        match node:
            case Draw() | ExpMech() | Choose():
                return True
            case Comparison(first, rest):
                compared = any(op not in ("is", "is not") for op, _ in rest)
                if compared and any(self.noisy(part) for part in (first, *(p for _, p in rest))):
                    return True
            case Call(function, args, keywords):
                if isinstance(self.constants.get(function.id), Definition):
                    return True
                parts = (*args, *(value for _, value in keywords))
                if function.id in _CASE_SPLIT and any(self.split(part) for part in parts):
                    return True
            case Method(base, _, args):
                if any(self.noisy(part) for part in (base, *args)):
                    return True
        return any(self.effectful(part) for part in _children(node))


def _children(node: Node) -> Iterable[Node]:
    found: list[Node] = []

    def collect(part: object) -> None:
        if isinstance(part, Node):
            found.append(part)
        elif type(part) is tuple:
            for inner in part:
                collect(inner)

    for name in node.__dataclass_fields__:
        if name != "place":
            collect(getattr(node, name))
    return found


def samples_noise(definition: Definition) -> bool:
    """Whether a function samples reals or integers, itself or in a subroutine."""
    return any(isinstance(node, Draw) for node in nodes(definition.function.body)) or any(
        samples_noise(inner) for _, inner in definition.subroutines()
    )


def samples_integers(definition: Definition) -> bool:
    """Whether a function samples integer noise, itself or in a subroutine."""
    own = (node for node in nodes(definition.function.body) if isinstance(node, Draw))
    return any(draw.noise == "dlap" for draw in own) or any(
        samples_integers(inner) for _, inner in definition.subroutines()
    )


def samples(definition: Definition) -> Draw | ExpMech | Choose | None:
    """Return the first sampling call of a function or its subroutines, if there is one."""
    for node in nodes(definition.function.body):
        if isinstance(node, Draw | ExpMech | Choose):
            return node
    for _, inner in definition.subroutines():
        found = samples(inner)
        if found is not None:
            return found
    return None


def noisy_inputs(function: Function) -> list[str]:
    """Return the inputs that are real."""
    return [param.name for param in function.params if _real(param.type)]


def _real(kind: InputType | None) -> bool:
    return kind is not None and not kind.finite

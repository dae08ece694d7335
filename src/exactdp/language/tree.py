"""The program form: Python's own syntax tree, read and checked.

The reader keeps the part of Python's `ast` that the language has, and gives every node its place.
A name is a variable or the name of a constant (`math.floor` is one name), a decimal is a
`Fraction` (its `kind` is its spelling), `{a: b}` is `dict([(a, b)])`, a declared type is a
constant, and calls of samplers are the nodes below. Trees are immutable once read: passes create
new ones with `rebuilt`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from exactdp.errors import Place

if TYPE_CHECKING:
    from exactdp.language.types import InputType
    from exactdp.language.values import Value
    from exactdp.reals import Interval, Stretch

N = TypeVar("N", bound=ast.AST)

Comprehension = ast.ListComp | ast.GeneratorExp

SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
"""The operators of the language as they are written."""

_LEAVES = (ast.arguments, ast.boolop, ast.cmpop, ast.expr_context, ast.operator, ast.unaryop)
_MARKS = ("arg", "attr", "ctx", "id", "kind", "op", "ops", "type_comment")
_LOAD = ast.Load()


class OwnNode(ast.expr):
    """An expression for which Python's tree has no node."""

    def __init__(self, *parts: Any) -> None:
        ast.AST.__init__(self, *parts)


class NoiseCall(OwnNode):
    """`lap(rate, mean)` and the like, or with `scale=`; the parts of `unif` are its ends."""

    _fields = __match_args__ = ("noise", "rate", "mean", "by_scale")
    noise: str
    rate: ast.expr
    mean: ast.expr
    by_scale: bool


class ExpMech(OwnNode):
    """`expmech(rate, score, candidates)`."""

    _fields = __match_args__ = ("rate", "score", "candidates")
    rate: ast.expr
    score: ast.expr
    candidates: ast.expr


class Observe(OwnNode):
    """`observe(condition)`, a statement: only runs in which it holds count."""

    _fields = __match_args__ = ("test",)
    test: ast.expr


class Choose(OwnNode):
    """`choose({value: probability, …})` as pairs, or `choose(table)` of a dictionary."""

    _fields = __match_args__ = ("outcomes", "table")
    outcomes: list[ast.Tuple]
    table: ast.expr | None


# Creating and reading nodes ---------------------------------------------------------------


def where(node: ast.AST) -> Place:
    """Return the place of a node in the source."""
    found: Place = node.place  # type: ignore[attr-defined]
    return found


def source_text(place: Place) -> str:
    """Return the source text at a place."""
    return place.text[place.column - 1 : place.end_column - 1]


def put(node: N, place: Place) -> N:
    """Give a new node its place."""
    node.place = place  # type: ignore[attr-defined]
    return node


def name(word: str, place: Place) -> ast.Name:
    """Return a name as a node."""
    return put(ast.Name(word, _LOAD), place)


def constant(value: Value, place: Place) -> ast.Constant:
    """Return a value as a node."""
    return put(ast.Constant(value), place)


def literal(node: ast.expr) -> object:
    """Return the value of a constant, also of a negative whole number; None for anything else."""
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            return -value
    return None


def pair(left: ast.expr, right: ast.expr, place: Place) -> ast.Tuple:
    """Return a tuple of two parts."""
    return put(ast.Tuple([left, right], _LOAD), place)


def list_of(items: list[ast.expr], place: Place) -> ast.List:
    """Return `[…]` as a node."""
    return put(ast.List(items, _LOAD), place)


def call(function: ast.expr, args: list[ast.expr], place: Place) -> ast.Call:
    """Return a call as a node."""
    return put(ast.Call(function, args, []), place)


def called(node: ast.AST) -> str:
    """Return the name of the function that a node calls, "" if it calls none by name."""
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def arguments(node: ast.Call) -> list[ast.expr]:
    """Return all arguments of a call: positional ones, then keyword arguments."""
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def parameters(node: ast.Lambda) -> list[str]:
    """Return the names of a lambda's parameters."""
    return [arg.arg for arg in node.args.args]


def rebuilt(node: N, change: Callable[[Any], Any], place: Place | None = None) -> N:
    """Return a node with `change` applied to its parts, in order."""

    def each(part: Any) -> Any:
        if isinstance(part, ast.AST):
            return part if isinstance(part, _LEAVES) else change(part)
        return [each(inner) for inner in part] if type(part) is list else part

    new = type(node)(*[each(getattr(node, part, None)) for part in node._fields])
    return put(new, place or where(node))


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    """Return the fields of a type of node that hold expressions and statements, last first."""
    return tuple(part for part in reversed(kind._fields) if part not in _MARKS)


def nodes(tree: object) -> Iterator[ast.AST]:
    """Return every expression and statement below `tree` (itself included), in source order."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if type(node) is list:
            waiting += reversed(node)
        elif isinstance(node, ast.AST):
            yield node
            waiting += [getattr(node, part) for part in _parts(type(node))]  # type: ignore[arg-type]


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements of a block and of the blocks inside it, in source order."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.For | ast.While):
            yield from statements(node.body)
            yield from statements(node.orelse)


def targets(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """Return what the statements of a block assign or change, in source order."""
    for node in statements(body):
        match node:
            case ast.Assign(several):
                yield from several
            case (
                ast.AnnAssign(target)
                | ast.For(target)
                | ast.AugAssign(target)
                | ast.Expr(ast.Call(ast.Attribute(target)))
            ):
                yield target


def roots(target: ast.expr) -> list[str]:
    """Return the variables that an assignment to a target changes."""
    match target:
        case ast.Name(word):
            return [word]
        case ast.Subscript(base):
            return roots(base)
        case ast.Tuple(items):
            return [word for item in items for word in roots(item)]
    return []


def bound_names(tree: object) -> set[str]:
    """Return the variables that comprehensions and lambdas inside a tree bind themselves."""
    return _names(tree)[1]


def free_names(tree: object) -> set[str]:
    """Return the names in a tree that nothing inside it binds."""
    read, bound = _names(tree)
    return read - bound


def _names(tree: object) -> tuple[set[str], set[str]]:
    """Return all names in a tree, and those that comprehensions and lambdas in it bind."""
    read, bound = set(), set()
    for node in nodes(tree):
        if isinstance(node, ast.Name):
            read.add(node.id)
        elif isinstance(node, ast.comprehension):
            bound |= {part.id for part in nodes(node.target) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Lambda):
            bound.update(parameters(node))
    return read, bound


# Definitions ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Param:
    """An input: its name and type; a subroutine's parameter may omit the type."""

    name: str
    type: InputType | None
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """A mechanism or a deterministic function as written, with its constants.

    `constants` maps each outside name to a finite value, a Python function, or (for a
    subroutine) a `Definition`. `notes` describes how constants were read if that is not obvious.
    """

    name: str
    params: tuple[Param, ...]
    body: list[ast.stmt]
    doc: str
    place: Place
    constants: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    epsilon: Interval | None = None
    """The ε for which the program is declared; None if none are declared."""
    asked: Interval | None = None
    """The ε to which it is restricted, if any; not part of its identity."""
    part: Stretch | None = None
    """The part of them on which `min` and `max` are one fixed argument, if an end is irrational."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "constants", MappingProxyType(dict(self.constants)))

    @cached_property
    def key(self) -> tuple[object, ...]:
        """The identity of a definition: text and constants, not places."""
        named = sorted(self.constants.items(), key=lambda item: item[0])
        constants = tuple((name, _key(value)) for name, value in named)
        return self.name, self.params, _key(self.body), constants, self.epsilon

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[object, ...]:
        own = (self.name, self.params, self.body, self.doc, self.place)
        rest = (self.notes, self.epsilon, self.asked, self.part)
        return Definition, (*own, dict(self.constants), *rest)

    def everything(self) -> Iterator[Definition]:
        """Yield the function, then the subroutines that it calls, and theirs."""
        yield self
        for _, inner in self.subroutines():
            yield from inner.everything()

    def subroutines(self) -> Iterator[tuple[str, Definition]]:
        """Return the subroutines that the function calls, by name."""
        for name, value in self.constants.items():
            if isinstance(value, Definition):
                yield name, value


def _key(part: object) -> object:
    """Return the identity of a tree or value: no places, no spelling of numbers."""
    if isinstance(part, ast.AST):
        own = [getattr(part, one, None) for one in part._fields if one not in ("ctx", "kind")]
        return type(part).__name__, *map(_key, own)
    if type(part) is list:
        return tuple(map(_key, part))
    return part if isinstance(part, Definition) else (type(part).__name__, part)

"""Node: what formulas and conditions have in common; a directed acyclic graph, never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_
from typing import Any, ClassVar

from ..errors import ExactdpError
from . import exact, printing
from .constants import is_constant
from .dag import fold

TURNED = {">": "<", ">=": "<="}
"""Comparisons that say the same with their sides exchanged."""

LONGEST_REPR = 2_000
"""Characters of a formula in a traceback or a prompt: a screen."""


class Node:
    """An operation and what it is applied to; `data` is the content of a leaf.

    `form` is the exact form, kept by `exact`; `key` is the hash, once it was asked for.
    """

    __slots__ = ("args", "data", "form", "key", "names", "op")

    is_formula: ClassVar[bool] = False
    builders: ClassVar[Mapping[str, Callable[..., Node]]] = {}
    """For each operation the function that builds it, and folds what is a number."""

    op: str
    args: tuple[Node, ...]
    data: Any
    names: frozenset[str]
    form: Any
    key: int | None

    def __init__(self, op: str, args: tuple[Node, ...] = (), data: Any = None) -> None:
        names: frozenset[str] = frozenset()
        if op == "name":
            names = frozenset((data,))
        elif op == "exact":
            names = frozenset(x for x in data.names if not is_constant(x))
            names = names | {"eps"} if names else names  # "alpha" stands for ε·α
        elif op == "leaf":
            names = frozenset(data.names)
        for part in args:
            names = names if part.names <= names else names | part.names
        put = object.__setattr__
        put(self, "op", op)
        put(self, "args", args)
        put(self, "data", data)
        put(self, "names", names)
        put(self, "form", exact.first_guess(op, args))
        put(self, "key", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a formula never changes: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a formula never changes: {name} cannot be deleted")

    def rebuilt(self, args: Sequence[Any]) -> Any:
        """Return the same operation on other arguments, folded where they are numbers."""
        if len(args) == len(self.args) and all(map(is_, args, self.args)):
            return self
        build = self.builders.get(self.op)
        return build(*args) if build is not None else type(self)(self.op, tuple(args))

    def substituted(self, formulas: Mapping[str, Node]) -> Any:
        """Put formulas in place of names, all at once.

        What is refused then, as 1/0, is refused only if it counts: at x = 0 the value of
        piecewise((1/x, x > 0), (0, True)) is 0.
        """

        def step(node: Node, given: list[Any]) -> Any:
            if node.names.isdisjoint(formulas):
                return node
            parts = _counting(node.op, given)
            if isinstance(parts, ExactdpError):
                return parts
            if node.op == "name":
                return formulas[node.data]
            if node.op == "exact":
                return node.tree().substituted(formulas)
            if node.op == "leaf":
                raise ValueError("an evaluated function has no other values for its names")
            try:
                return node.rebuilt(parts)
            except ExactdpError as error:
                return error

        found = fold(self, step)
        if isinstance(found, ExactdpError):
            raise found
        return found

    def tree(self) -> Node:
        """Return an exact leaf as the sums, products and quotient that it prints as."""
        found: Node = read(str(self.data), True)
        if found.names != self.names:  # as where an input is called epsilon, which is read as eps
            raise ValueError(f"no text spells the names {sorted(self.names)}")
        return found

    def __hash__(self) -> int:
        if self.key is None:
            fold(self, _hashed, _inexact)
        return self.key  # type: ignore[return-value]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Node):
            return NotImplemented
        if self.is_formula is not other.is_formula or hash(self) != hash(other):
            return False
        table: dict[object, int] = {}
        return _shape(self, table) == _shape(other, table)

    def __str__(self) -> str:
        return printing.text(self)

    def pretty(self) -> str:
        """Return it in Unicode: 1 − 2/3·e^(−2ε/9)."""
        return printing.pretty(self)

    def latex(self) -> str:
        r"""Return it in LaTeX: 1 - \frac{2}{3} e^{-\frac{2 \varepsilon}{9}}."""
        return printing.latex(self)

    def to_sympy(self) -> Any:
        """Return it as a SymPy object; names are positive symbols."""
        return printing.sympy(self)

    def __repr__(self) -> str:
        text = str(self)
        shown = text if len(text) <= LONGEST_REPR else f"{text[:LONGEST_REPR]}…"
        return f"{type(self).__name__}({shown!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return read, (self.to_json(), self.is_formula)

    def to_json(self) -> str:
        """Return its text; one with an evaluated function, or too long, raises ValueError."""
        text = str(self)
        if printing.CUT[0] in text:
            raise ValueError(f"no text spells {self!r}")
        return text

    @classmethod
    def from_json(cls, text: str) -> Any:
        """Return the formula or condition whose `to_json` this is."""
        return read(text, cls.is_formula)


def read(text: str, is_formula: bool) -> Any:
    """Return the formula or condition that prints as this text."""
    from .text import parse, parse_condition  # noqa: PLC0415 it builds formulas

    return parse(text, names=None) if is_formula else parse_condition(text, names=None)


def _counting(op: str, parts: list[Any]) -> list[Any] | ExactdpError:
    """Return the arguments that count, from left to right, or the error of one that does."""
    kept: list[Any] = []
    pairs: Iterable[tuple[Any, ...]] = ((x,) for x in parts)
    if op == "cases":
        pairs = zip(parts[::2], parts[1::2], strict=True)
    for pair in pairs:
        test = pair[0]
        known = None
        if op in ("cases", "and", "or") and not isinstance(test, ExactdpError):
            known = test.truth()
        if op == "cases" and known is False:
            continue
        for part in pair:
            if isinstance(part, ExactdpError):
                return part
        kept += (type(test)("truth", data=True), pair[1]) if op == "cases" and known else pair
        if known is not None and known is (op != "and"):
            break
    return kept


def _outside(node: Node, parts: list[int]) -> tuple[object, ...]:
    """Return what tells a node without exact form apart, with numbers for its arguments.

    An evaluated function is equal to itself only; a > b is b < a.
    """
    if node.op in TURNED:
        return TURNED[node.op], None, *reversed(parts)
    return node.op, id(node.data) if node.op == "leaf" else node.data, *parts


def _inexact(node: Node) -> Sequence[Node]:
    """Return the arguments of a node without an exact form: they matter, not the form."""
    return node.args if not node.is_formula or exact.form(node) is None else ()


def _hashed(node: Node, parts: list[int]) -> int:
    """Return the hash of a node: of its exact form if it has one, otherwise of its shape."""
    if node.key is None:
        form = exact.form(node) if node.is_formula else None
        key = hash(_outside(node, parts)) if form is None else hash(form)
        object.__setattr__(node, "key", key)
    return node.key  # type: ignore[return-value]


def _shape(root: Node, table: dict[object, int]) -> int:
    """Return a number for the root, the same for equal nodes counted in one table."""

    def step(node: Node, parts: list[int]) -> int:
        form = exact.form(node) if node.is_formula else None
        key = _outside(node, parts) if form is None else form
        return table.setdefault(key, len(table))

    return fold(root, step, _inexact)

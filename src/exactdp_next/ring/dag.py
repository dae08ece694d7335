"""Passes over a formula: loops without recursion, so that no depth is too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .node import Node

T = TypeVar("T")

Children = Callable[["Node"], Sequence["Node"]]

CHAINS = {"+": ("+",), "*": ("*", "/"), "/": ("*", "/")}
"""Operations that are written in a row, such as a*b/c for (a*b)/c."""


def arguments(node: Node) -> Sequence[Node]:
    """Return the arguments of a node."""
    return node.args


def chain(node: Node) -> list[tuple[str, Node]]:
    """Return (a*b)/c as [("", a), ("*", b), ("/", c)]; a sum likewise, "-" for −x in a sum.

    A pass over chains keeps nothing of their partial sums, which together may be large.
    """
    ops, found = CHAINS[node.op], []
    while node.op in ops:
        op, (node, last) = node.op, node.args
        found.append(("-", last.args[0]) if op == "+" and last.op == "-" else (op, last))
    return [("", node), *reversed(found)]


def of_chains(node: Node) -> Sequence[Node]:
    """Return the members of a chain, or the arguments of another node."""
    return [part for _, part in chain(node)] if node.op in CHAINS else node.args


def postorder(root: Node, children: Children = arguments) -> Iterator[Node]:
    """Yield each node once, after its children.

    A node is entered once and left once, so the loop ends after as many steps as there are edges.
    """
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, is_ready = stack.pop()
        if is_ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(children(node)))


def fold(root: Node, step: Callable[[Node, list[T]], T], children: Children = arguments) -> T:
    """Return the value of the root, where step(node, values of its children) is that of a node.

    A value is forgotten after its last use: texts of all parts together may be large.
    """
    order = [(node, children(node)) for node in postorder(root, children)]
    uses: dict[int, int] = {}
    for _, parts in order:
        for part in parts:
            uses[id(part)] = uses.get(id(part), 0) + 1
    found: dict[int, T] = {}
    for node, parts in order:
        found[id(node)] = step(node, [found[id(part)] for part in parts])
        for part in parts:
            uses[id(part)] -= 1
            if not uses[id(part)]:
                del found[id(part)]
    return found[id(root)]

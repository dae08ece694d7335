"""The strongly connected components of a directed graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def components(starts: Iterable[int], after: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """Return the components of the nodes reachable from some nodes, sources first (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    work: list[tuple[int, Iterator[int]]] = []

    def open_node(node: int) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        work.append((node, iter(after(node))))

    for start in starts:
        if start not in index:
            open_node(start)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is not None:
                if target not in index:
                    open_node(target)
                elif target in on_stack:
                    low[node] = min(low[node], index[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.append(member)
                    if member == node:
                        break
                found.append(component)
    return found[::-1]

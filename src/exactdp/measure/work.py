"""Report the amount of work to a hook while a question is answered.

`hearing(hook)` reports all work counted inside to a hook, without passing it through other code.
The hook may raise an exception to stop the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Work:
    """The work so far: states of the program, cells of densities, terms in the cells.

    A cell is a stretch between two breakpoints, a polyhedron, or a set of integer points.

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> seen = []
    >>> _ = larger.distribution([0, 1], progress=seen.append)
    >>> seen[-1].cells > 0
    True
    """

    states: int = 0
    cells: int = 0
    terms: int = 0


Hook: TypeAlias = Callable[[Work], None]
"""Called repeatedly with the work so far, whose numbers never decrease."""


class _Listener:
    __slots__ = ("hook", "so_far")

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.so_far = Work()


_LISTENER: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def hearing(hook: Hook | None) -> Iterator[None]:
    """Report the work done inside to a hook, and to no other one."""
    token = _LISTENER.set(None if hook is None else _Listener(hook))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def heard() -> bool:
    """Whether a hook is active, so that counting is worthwhile."""
    return _LISTENER.get() is not None


def count(states: int = 0, cells: int = 0, terms: int = 0) -> None:
    """Report additional work to the hook, if there is one."""
    listener = _LISTENER.get()
    if listener is not None:
        old = listener.so_far
        listener.so_far = Work(old.states + states, old.cells + cells, old.terms + terms)
        listener.hook(listener.so_far)

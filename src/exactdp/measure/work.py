"""How much work there is: one hook hears of it while a question is answered.

`hearing(hook)` makes a hook hear all that is counted inside; nobody else needs to know of it. The
hook may raise an exception to stop the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Work:
    """How much there was so far: states of the program, cells of densities, terms in the cells.

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
"""Called again and again with the work so far, none of whose numbers ever falls."""


class _Listener:
    __slots__ = ("hook", "so_far")

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.so_far = Work()


_LISTENER: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def hearing(hook: Hook | None) -> Iterator[None]:
    """Let a hook hear of the work that is done inside, and nobody else."""
    token = _LISTENER.set(None if hook is None else _Listener(hook))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def heard() -> bool:
    """Whether a hook listens, so that counting is worth its time."""
    return _LISTENER.get() is not None


def count(states: int = 0, cells: int = 0, terms: int = 0) -> None:
    """Tell the hook, if there is one, of so much more work."""
    listener = _LISTENER.get()
    if listener is not None:
        old = listener.so_far
        listener.so_far = Work(old.states + states, old.cells + cells, old.terms + terms)
        listener.hook(listener.so_far)

"""Choices that a computation makes, given in advance: all are tried by computing it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator


class Choices:
    """The choices of one computation: those that are given, then any."""

    def __init__(self, given: tuple[int, ...] = ()) -> None:
        self.given = given
        self.made: list[int] = []
        self._open: list[int] = []  # how many options there were

    def pick(self, options: int) -> int:
        """Return the next choice."""
        k = len(self.made)
        # After the given choices, others vary, so that a loop that can end does.
        chosen = self.given[k] if k < len(self.given) else (k * 2654435761 >> 16) % options
        self.made.append(chosen)
        self._open.append(options)
        return chosen

    def others(self) -> Iterator[tuple[int, ...]]:
        """Yield the first choices of other computations, which together try all."""
        for k in range(len(self.given), len(self.made)):
            for other in range(self._open[k]):
                if other != self.made[k]:
                    yield *self.made[:k], other


def always(question: Callable[[Choices], bool], most: int) -> bool:
    """Whether a question is answered with True for all choices, of which there are at most some."""
    waiting: list[tuple[int, ...]] = [()]
    for _ in range(most):
        choices = Choices(waiting.pop())
        if not question(choices):
            return False
        waiting += choices.others()
        if not waiting:
            return True
    return False

"""Functions that are run once for each way through their open comparisons.

A comparison of number-like values may have several answers. A run takes one of them and leaves the
others to later runs, which begin with the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


class Replay:
    """One run: the ways that it takes, and those that it leaves to other runs."""

    def __init__(self, given: tuple[int, ...] = ()) -> None:
        self.taken: tuple[int, ...] = ()
        self.others: list[tuple[int, ...]] = []
        """The beginnings of other runs, those that leave this one last at the end."""
        self._given = given

    def choose(self, ways: Iterable[int]) -> int:
        """Return the next way of this run; if it is not given, the first of some."""
        place = len(self.taken)
        if place < len(self._given):
            chosen = self._given[place]
        else:
            chosen, *rest = ways
            self.others += [(*self.taken, k) for k in reversed(rest)]
        self.taken = (*self.taken, chosen)
        return chosen

    def guess(self) -> bool:
        """Return an answer to a comparison of which nothing is known."""
        return bool(self.choose((True, False)))


def runs(run: Callable[[Replay], T]) -> Iterator[T]:
    """Yield what a function returns on each way through it."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        replay = Replay(waiting.pop())
        yield run(replay)
        waiting += replay.others

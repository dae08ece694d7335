"""Listed inputs at which the same must be proved, because they differ only in unread numbers.

What must be proved at an input depends on its ideal output, on dd and on a probability. On one path
of the ideal, each of these depends on certain numbers of the input: those in the output, in the
linear forms of dd, and in the graph of the mechanism. Inputs on the path that agree in them have
the same obligations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

from exactdp.claims.stated.ideal_paths import IdealPath
from exactdp.language.values import Value

_MOST = 20_000  # results that are kept

T = TypeVar("T")


class Repeats(Generic[T]):
    """Results at inputs, by the path of the ideal and the numbers that were read for them.

    On a path, different results may depend on different numbers: without a claim, no probability is
    computed. The numbers read for one result suffice to know that it is the same.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._readers: dict[IdealPath, dict[tuple[int, ...], Callable[[Sequence[Value]], Any]]] = {}
        self._found: dict[object, T] = {}

    def get(self, path: IdealPath, given: Sequence[Value], default: T) -> T:
        """Return the known result at the input with these entries."""
        for places, read in self._readers.get(path, {}).items():
            key = path, places, read(given)
            if key in self._found:
                return self._found[key]
        return default

    def keep(self, path: IdealPath, given: Sequence[Value], read: Iterable[int], result: T) -> None:
        """Keep a result that depends on the entries at some places."""
        places = tuple(sorted(read))
        if len(places) == self._size:
            return  # no other input has the same entries
        if len(self._found) >= _MOST:
            self._found.clear()
        readers = self._readers.setdefault(path, {})
        if places not in readers:
            readers[places] = itemgetter(*places) if places else _nothing
        self._found[path, places, readers[places](given)] = result


def _nothing(given: Sequence[Value]) -> tuple[()]:
    del given
    return ()

"""Finds the nearest input of a finite domain with another ideal output, by increasing distance."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, product
from math import prod
from typing import TYPE_CHECKING, Any

from exactdp.claims.disagreement.watched import agreeing
from exactdp.claims.stated.distances import Distance, InputDistance
from exactdp.errors import UndefinedError, ValueRefusedError
from exactdp.language.layout import assembled, entries, kinds, told_size
from exactdp.language.values import Value
from exactdp.reals.numbers import inf
from exactdp.semantics.patterns import is_number

if TYPE_CHECKING:
    from exactdp.claims.stated.ideals import IdealFunction
    from exactdp.language.program import Program

_MOST = 1_000_000  # inputs that are tried
_MOST_STEPS = 10**9  # for each one, as many as the cube of the number of entries
_LONG = 100  # inputs of which not every one is tried
_UNDEFINED: Any = object()  # the output where a partial ideal is not defined


class FiniteSearch:
    """Searches the inputs of a mechanism with a finite domain."""

    def __init__(self, mechanism: Program, ideal: IdealFunction, distance: InputDistance) -> None:
        self._inputs = mechanism.inputs
        self._ideal = ideal
        self._distance = distance
        self._domains = [kind.members for kind in kinds(mechanism.inputs) if kind is not None]
        self._outputs: dict[tuple[Value, ...], Value] = {}

    def output(self, u: tuple[Value, ...]) -> Value:
        """Return the ideal output at an input."""
        if u not in self._outputs:
            if len(self._outputs) >= _MOST:
                self._outputs.clear()
            try:
                self._outputs[u] = self._ideal(u)
            except UndefinedError:
                if not self._ideal.is_partial:
                    raise
                self._outputs[u] = _UNDEFINED
        return self._outputs[u]

    def nearest(
        self, u: tuple[Value, ...], output: Value, differ: Callable[[Value], bool] | None
    ) -> tuple[Distance, tuple[Value, ...] | None]:
        """Return dd(u), and an input there if it is finite."""
        if not self._domains:  # there is no other input
            return inf, None
        if self._is_long and differ is None:
            return self._along(u, output)
        found = self._in_order(entries(u)) if self._distance.by_entry else self._all(entries(u))
        if self._distance.is_all_or_nothing:
            found = chain(self._simple(entries(u)), found)
        best: tuple[Distance, tuple[Value, ...] | None] = (inf, None)
        most = min(_MOST, _MOST_STEPS // max(1, len(self._domains)) ** 3)
        for tried, (distance, values) in enumerate(found):
            if distance >= best[0]:
                continue
            if tried >= most:
                raise ValueRefusedError(
                    f"the mechanism has {told_size(prod(map(len, self._domains)))} inputs",
                    rule="The distance to disagreement is searched among the nearest "
                    f"{most:,} inputs.",
                    way_out="Make the domain smaller, or declare Real for Dom if the claim is also "
                    "meant for real inputs.",
                )
            v = assembled(self._inputs, values)
            other = self.output(v)
            if other is _UNDEFINED:
                continue
            if (other != output) if differ is None else differ(other):
                best = distance, v
                if self._distance.by_entry:
                    break
        return best

    @cached_property
    def _is_long(self) -> bool:
        """Whether the only entry is one of many consecutive whole numbers, at finite distances."""
        if len(self._domains) != 1 or len(self._domains[0]) < _LONG or not self._distance.by_entry:
            return False
        rising, low = sorted(self._domains[0]), min(self._domains[0])
        return rising == [*range(low, low + len(rising))] and not self._distance.is_all_or_nothing

    def _along(
        self, u: tuple[Value, ...], output: Value
    ) -> tuple[Distance, tuple[Value, ...] | None]:
        """Return the same if inputs are consecutive whole numbers.

        Going up and down, the search continues beyond the numbers that take the same path.
        """
        (own,) = entries(u)
        ends = min(self._domains[0]), max(self._domains[0])

        def run(x: Value) -> Value:
            return self._ideal(assembled(self._inputs, (x,)))

        def gap(x: int) -> Distance:
            return self._distance.between([own], [x])

        down, up = own - 1, own + 1
        while waiting := [x for x in (down, up) if ends[0] <= x <= ends[1] and gap(x) != inf]:
            x = min(waiting, key=gap)
            same = agreeing(run, output, x, ends)
            if same is None:
                v = assembled(self._inputs, (x,))
                other = self.output(v)
                if other is not _UNDEFINED and other != output:
                    return gap(x), v
                same = x, x
            down, up = (same[0] - 1, up) if x < own else (down, same[1] + 1)
        return inf, None

    def _simple(self, own: list[Value]) -> Iterator[tuple[Distance, tuple[Value, ...]]]:
        """Yield other inputs at distance 1: with equal entries, or with one other entry."""
        for value in self._domains[0]:
            if all(value in domain for domain in self._domains) and [value] * len(own) != own:
                yield Fraction(1), (value,) * len(own)
        for place, domain in enumerate(self._domains):
            for value in domain:
                if value != own[place]:
                    yield Fraction(1), (*own[:place], value, *own[place + 1 :])

    def _all(self, own: list[Value]) -> Iterator[tuple[Distance, tuple[Value, ...]]]:
        for values in product(*self._domains):
            yield self._distance.between(own, values), values

    def _in_order(self, own: list[Value]) -> Iterator[tuple[Distance, tuple[Value, ...]]]:
        """Yield the inputs at a finite distance, the nearest first.

        Each input is generated from the one in which its last entry that is not nearest is nearer.
        """
        pairs = zip(own, self._domains, strict=True)
        sides = [_EntryOrder(x, domain, self._distance) for x, domain in pairs]

        def pushed(places: tuple[int, ...], last: int) -> None:
            found = [side.at(k) for side, k in zip(sides, places, strict=True)]
            listed = [one for one in found if one is not None]
            if len(listed) == len(found):
                distance = self._distance.total([gap for gap, _ in listed])
                values = tuple(value for _, value in listed)
                heapq.heappush(waiting, (distance, places, last, values))

        waiting: list[tuple[Distance, tuple[int, ...], int, tuple[Value, ...]]] = []
        pushed((0,) * len(sides), 0)
        while waiting:
            distance, places, last, values = heapq.heappop(waiting)
            yield distance, values
            for j in range(last, len(sides)):
                pushed((*places[:j], places[j] + 1, *places[j + 1 :]), j)


class _EntryOrder:
    """The values of an entry at a finite distance from one, the nearest first, as far as needed."""

    def __init__(self, own: Value, domain: Sequence[Value], distance: InputDistance) -> None:
        self._found: list[tuple[Distance, Value]] = []

        def gap(value: Value) -> Distance:
            return distance.between([own], [value])

        numbers = all(map(is_number, domain))
        values = _around(own, sorted(domain)) if numbers else iter(sorted(domain, key=gap))
        pairs = ((gap(value), value) for value in values)
        self._rest = (one for one in pairs if one[0] != inf)

    def at(self, place: int) -> tuple[Distance, Value] | None:
        """Return the value at a place and its distance; None if there are fewer values."""
        while len(self._found) <= place:
            one = next(self._rest, None)
            if one is None:
                return None
            self._found.append(one)
        return self._found[place]


def _around(own: Any, rising: Sequence[Any]) -> Iterator[Value]:
    """Yield increasing numbers in the order of their distances from one of them."""
    up = bisect_left(rising, own)
    down = up - 1
    while down >= 0 or up < len(rising):
        if down < 0 or (up < len(rising) and rising[up] - own <= own - rising[down]):
            yield rising[up]
            up += 1
        else:
            yield rising[down]
            down -= 1

"""The nearest input of a finite domain with another ideal output: the nearest are tried first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from exactdp.claims.distances import Distance, InputDistance
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.values import Value
from exactdp.reals.numbers import inf

if TYPE_CHECKING:
    from exactdp.claims.ideals import IdealFunction
    from exactdp.language.program import Program

_MOST = 1_000_000  # inputs that are tried


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
            self._outputs[u] = self._ideal(u)
        return self._outputs[u]

    def nearest(
        self, u: tuple[Value, ...], output: Value, differ: Callable[[Value], bool] | None
    ) -> tuple[Distance, tuple[Value, ...] | None]:
        """Return dd(u), and an input there if it is finite."""
        found = self._in_order(entries(u)) if self._distance.by_entry else self._all(entries(u))
        best: tuple[Distance, tuple[Value, ...] | None] = (inf, None)
        for tried, (distance, values) in enumerate(found):
            if distance >= best[0]:
                continue
            if tried >= _MOST:
                raise ValueRefusedError(
                    f"the mechanism has {prod(map(len, self._domains)):,} inputs",
                    rule="The distance to disagreement is searched among the nearest "
                    f"{_MOST:,} inputs.",
                    way_out="Make the domain smaller.",
                )
            v = assembled(self._inputs, values)
            other = self.output(v)
            if (other != output) if differ is None else differ(other):
                best = distance, v
                if self._distance.by_entry:
                    break
        return best

    def _all(self, own: list[Value]) -> Iterator[tuple[Distance, tuple[Value, ...]]]:
        for values in product(*self._domains):
            yield self._distance.between(own, values), values

    def _in_order(self, own: list[Value]) -> Iterator[tuple[Distance, tuple[Value, ...]]]:
        """Yield the inputs at a finite distance, the nearest first.

        An input is found from the one in which its last entry that is not the nearest is nearer.
        """
        sides = []
        for x, domain in zip(own, self._domains, strict=True):
            gaps = ((self._distance.between([x], [y]), k) for k, y in enumerate(domain))
            sides.append(sorted(gap for gap in gaps if gap[0] != inf))
        if not all(sides):
            return

        def distance(places: tuple[int, ...]) -> Distance:
            return self._distance.total([side[k][0] for side, k in zip(sides, places, strict=True)])

        start = (0,) * len(sides)
        waiting: list[tuple[Distance, tuple[int, ...], int]] = [(distance(start), start, 0)]
        while waiting:
            far, places, last = heapq.heappop(waiting)
            yield (
                far,
                tuple(
                    domain[side[k][1]]
                    for domain, side, k in zip(self._domains, sides, places, strict=True)
                ),
            )
            for j in range(last, len(sides)):
                if places[j] + 1 < len(sides[j]):
                    there = (*places[:j], places[j] + 1, *places[j + 1 :])
                    heapq.heappush(waiting, (distance(there), there, j))

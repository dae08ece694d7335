"""Adjacency of inputs: they differ by what one person may change.

An adjacency specifies, entry by entry, how much may still change after some entries have changed.
All are symmetric.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.values import Value
from exactdp.reals.numbers import inf, rational, spell

Left: TypeAlias = Any
"""What may still change; None if too much has changed."""


class DifferenceBound(NamedTuple):
    """A constraint Σ q·d + Σ r·u ≤ c on the differences d of entries, and on the first input u."""

    changes: tuple[int | Fraction, ...]
    most: Fraction
    inputs: tuple[Fraction, ...] = ()
    """Empty if the constraint is the same at every input."""


Ball: TypeAlias = tuple[tuple[int, ...], list[DifferenceBound]]
"""Entries that change, and constraints on their differences."""


class Adjacency(ABC):
    """Which inputs are adjacent; every input is adjacent to itself."""

    @property
    @abstractmethod
    def start(self) -> Left:
        """The total change that is allowed."""

    @abstractmethod
    def left(self, before: Left, one: Value, two: Value) -> Left:
        """Return what may still change after one entry has changed."""

    @abstractmethod
    def balls(self, left: Left, count: int) -> list[Ball]:
        """Return polytopes whose union is the set of allowed changes of `count` real entries."""

    @abstractmethod
    def corners(self, count: int) -> list[tuple[Fraction, ...]]:
        """Return changes whose convex hull contains all others; an empty list if unbounded."""

    def polytopes(self, first: Sequence[Value], second: Sequence[Value], count: int) -> list[Ball]:
        """Return polytopes of changes of `count` real entries, if finite entries change so."""
        left = self.start
        for one, two in zip(first, second, strict=True):
            left = None if left is None else self.left(left, one, two)
        return [] if left is None else self.balls(left, count)

    def __repr__(self) -> str:
        return str(self)

    def are(self, u: Sequence[Value], v: Sequence[Value]) -> bool:
        """Whether two inputs, given as flat sequences, are adjacent."""
        left = self.start
        for one, two in zip(u, v, strict=True):
            left = self.left(left, one, two)
            if left is None:
                return False
        return True

    def neighbours(
        self, u: Sequence[Value], domains: Sequence[Sequence[Value]]
    ) -> Iterator[tuple[Value, ...]]:
        """Yield the adjacent inputs with entries in given domains, except the input itself."""

        def more(k: int, left: Left, chosen: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
            if k == len(u):
                if chosen != tuple(u):
                    yield chosen
                return
            for value in domains[k]:
                rest = self.left(left, u[k], value)
                if rest is not None:
                    yield from more(k + 1, rest, (*chosen, value))

        return more(0, self.start, ())


@dataclass(frozen=True, repr=False)
class WithinRadius(Adjacency):
    """Inputs at a distance of at most a given number, under linf, l1 or l2."""

    norm: str
    radius: Fraction

    @property
    def start(self) -> Left:
        """The sum of all changes that is allowed; for l2, of their squares."""
        return self.radius**2 if self.norm == "l2" else self.radius

    def left(self, before: Left, one: Value, two: Value) -> Left:
        """Return the remaining sum; under linf, entries change regardless of others."""
        gap = self._gap(one, two)
        if self.norm == "linf":
            return before if gap <= self.radius else None
        rest = before - (gap**2 if self.norm == "l2" else gap)
        return rest if rest >= 0 else None

    def _gap(self, one: Value, two: Value) -> Fraction:
        for value in (one, two):
            if not isinstance(value, bool | int | Fraction):
                raise ValueRefusedError(
                    f"the adjacency {self} needs numbers, and an input is {shown(value)}",
                    way_out="Use adjacent=hamming(1), which lets one entry change by any amount.",
                )
        return abs(Fraction(one) - Fraction(two))

    def balls(self, left: Left, count: int) -> list[Ball]:
        """Return a cube or a cross-polytope; a Euclidean ball of several entries is refused."""
        if self.norm == "l2" and (count > 1 or left != self.start):
            raise ValueRefusedError(
                f"by {self} the changes of several entries are not a polytope",
                rule="For all real inputs adjacency is a set of linear conditions.",
                way_out="Write linf(d) or l1(d), or give inputs=Grid(lo, hi) or a list.",
            )
        sides = _cube(count, self.radius)
        if self.norm == "l1":
            sides = [DifferenceBound(signs, left) for signs in product((1, -1), repeat=count)]
        return [(tuple(range(count)), sides)]

    def corners(self, count: int) -> list[tuple[Fraction, ...]]:
        """Return the corners of a cube, or of a cross-polytope; for l2, of a cube around it."""
        if self.norm == "l1":
            return [
                tuple(s * self.radius * q for q in one) for one in _units(count) for s in _SIGNS
            ]
        return list(product((self.radius, -self.radius), repeat=count))

    def __str__(self) -> str:
        return f"{self.norm}({spell(self.radius)})"


@dataclass(frozen=True, repr=False)
class Entries(Adjacency):
    """At most a given number of entries change, each by a bounded or arbitrary amount.

    >>> from exactdp import one_entry
    >>> print(one_entry(2))
    one_entry(2)
    """

    count: int
    size: Fraction | None = None
    name: str = "hamming"

    @property
    def start(self) -> Left:
        """The number of entries that may change."""
        return self.count

    def left(self, before: Left, one: Value, two: Value) -> Left:
        """Return how many more entries may change."""
        if one == two:
            return before
        is_small = self.size is None or WithinRadius("linf", self.size).are([one], [two])
        return before - 1 if is_small and before else None

    def balls(self, left: Left, count: int) -> list[Ball]:
        """Return a segment or a line for each entry; for several entries, their cubes."""
        found: list[Ball] = []
        for moving in combinations(range(count), min(left, count)):
            found.append((moving, [] if self.size is None else _cube(len(moving), self.size)))
        return found

    def corners(self, count: int) -> list[tuple[Fraction, ...]]:
        """Return the endpoints of the segments, if these are bounded."""
        if self.size is None:
            return []
        found = []
        for moving, _ in self.balls(self.count, count):
            for values in product((self.size, -self.size), repeat=len(moving)):
                chosen = dict(zip(moving, values, strict=True))
                found.append(tuple(chosen.get(k, Fraction(0)) for k in range(count)))
        return found

    def __call__(self, size: object) -> Entries:
        """Return the adjacency in which an entry changes by at most `size`."""
        return Entries(self.count, _positive(size, "the change"), self.name)

    def __str__(self) -> str:
        told = f"hamming({self.count})" if self.name == "hamming" else self.name
        return told if self.size is None else f"{told}({spell(self.size)})"


one_entry = Entries(1, None, "one_entry")


def hamming(count: int = 1) -> Entries:
    """Return the adjacency in which at most `count` entries change arbitrarily.

    >>> from exactdp import hamming
    >>> print(hamming(1))
    hamming(1)
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueRefusedError(
            f"hamming({shown(count)})",
            rule="It counts the entries that may change: a whole number, 1 or more.",
            way_out="Write hamming(1).",
        )
    return Entries(count)


def within(norm: str, radius: object) -> Adjacency:
    """Return the adjacency of inputs at a distance of at most `radius`."""
    return WithinRadius(norm, _positive(radius, "the distance of adjacent inputs"))


def _positive(value: object, what: str) -> Fraction:
    if value == inf:
        raise ValueRefusedError(
            f"{what} has no bound",
            rule="Adjacent inputs are at most some number apart.",
            way_out="Give a number, or use hamming(1), which lets one entry change by any amount.",
        )
    found = rational(value, what)
    if found <= 0:
        raise ValueRefusedError(f"{what} is {spell(found)}", rule="It is positive.")
    return found


_SIGNS = (1, -1)


def _cube(count: int, radius: Fraction) -> list[DifferenceBound]:
    """Return the sides of a cube."""
    units = _units(count)
    return [DifferenceBound(tuple(s * q for q in one), radius) for one in units for s in _SIGNS]


def _units(count: int) -> list[tuple[int, ...]]:
    return [tuple(int(j == k) for j in range(count)) for k in range(count)]

"""Adjacencies that are functions of two inputs, in the language.

At two given inputs the function is called. For all reals, its pieces are listed: conditions on both
inputs, linear in their real entries, under which it returns True.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from exactdp.claims.stated.adjacency import Adjacency, Ball, DifferenceBound
from exactdp.claims.stated.distances import as_arguments, in_the_language, input_type, is_function
from exactdp.claims.stated.inputs import show
from exactdp.claims.stated.pieces import LinearPiece, pieces
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.layout import kinds
from exactdp.language.linear import Linear
from exactdp.language.program import DeterministicProgram, Program
from exactdp.language.values import Value, plain
from exactdp.polyhedra.cone import Cone
from exactdp.polyhedra.elimination import feasible, solution
from exactdp.polyhedra.halfspace import Halfspace

_FIRST, _SECOND = "u", "v"


@dataclass(frozen=True)
class Own:
    """An adjacency that is a function of two inputs in the language."""

    function: DeterministicProgram
    mechanism: Program

    def are(self, u: Sequence[Value], v: Sequence[Value]) -> bool:
        """Whether two inputs are adjacent, checked in both directions."""
        found = [self._read(self._called(*pair)) for pair in ((u, v), (v, u))]
        if found[0] != found[1]:
            raise self._one_sided(u, v)
        return found[0]

    def _called(self, u: Sequence[Value], v: Sequence[Value]) -> Value:
        return self.function.machine.run(as_arguments(self.mechanism, u, v))

    def _read(self, found: Value) -> bool:
        if not isinstance(found, bool):
            raise ValueRefusedError(
                f"{self} returns {shown(found)}",
                rule="An adjacency returns True or False.",
                way_out="Return a comparison, such as abs(u - v) <= 1.",
            )
        return found

    def _one_sided(self, u: Sequence[Value], v: Sequence[Value]) -> ValueRefusedError:
        one, two = as_arguments(self.mechanism, u, v)
        return ValueRefusedError(
            f"{self} says that {show(one)} and {show(two)} are adjacent in one direction only",
            rule="Adjacency is symmetric: if u′ is adjacent to u, then u is adjacent to u′.",
            way_out=f"Return the same from {self}(u, v) and {self}(v, u).",
        )

    # All reals --------------------------------------------------------------------------

    def polytopes(self, first: Sequence[Value], second: Sequence[Value], count: int) -> list[Ball]:
        """Return closed polyhedra that contain the adjacent pairs with given finite entries."""
        everything = tuple(range(count))
        return [
            (everything, [_side(row, count) for row in piece.rows])
            for piece in self._adjacent(tuple(first), tuple(second))
        ]

    def _adjacent(self, first: tuple[Value, ...], second: tuple[Value, ...]) -> list[LinearPiece]:
        """Return where the function is True; refuse it if that is not symmetric."""
        u, v = self._symbols(first, _FIRST), self._symbols(second, _SECOND)
        listed = list(pieces(self.function.machine, as_arguments(self.mechanism, u, v)))
        found = [piece for piece in listed if self._read(piece.output)]
        swapped = list(pieces(self.function.machine, as_arguments(self.mechanism, v, u)))
        others = [piece for piece in swapped if not self._read(piece.output)]
        for one, two in product(found, others):
            if feasible((*one.rows, *two.rows)):
                point = solution((*one.rows, *two.rows)) or {}
                sides = ([_number(x, point) for x in each] for each in (u, v))
                raise self._one_sided(*sides)
        return found

    def _symbols(self, finite: Sequence[Value], name: str) -> list[Value]:
        rest, count, found = iter(finite), 0, []
        for kind in kinds(self.mechanism.inputs):
            if kind is None:
                found.append(Linear.symbol(f"{name}[{count}]"))
                count += 1
            else:
                found.append(next(rest))
        return found

    @cached_property
    def _bounded(self) -> list[tuple[Fraction, ...]]:
        """Changes whose convex hull contains all others; empty if they are unbounded.

        A pair is a sum of multiples of the rays of a cone of (ε, u, u′ − u), so its change is a
        convex combination of those of the rays with ε = 1.
        """
        domains = kinds(self.mechanism.inputs)
        if any(kind is not None for kind in domains):
            return []
        found: dict[tuple[Fraction, ...], None] = {}
        count = len(domains)
        positive = tuple(Fraction(k == 0) for k in range(1 + 2 * count))
        for _, sides in self.polytopes((), (), count):
            rows = [
                (side.most, *(-q for q in side.inputs), *(-q for q in side.changes))
                for side in sides
            ]
            cone = Cone.of(1 + 2 * count, [positive, *rows])
            for ray in (*cone.rays, *cone.lines):
                change = ray[1 + count :]
                if not ray[0] and any(change):
                    return []
                if ray[0]:
                    found[tuple(Fraction(x, ray[0]) for x in change)] = None
        return list(found)

    def corners(self, count: int) -> list[tuple[Fraction, ...]]:
        """Return changes whose convex hull contains all others; an empty list if unbounded."""
        del count
        return self._bounded

    def __str__(self) -> str:
        return self.function.__name__


def _side(row: Halfspace, count: int) -> DifferenceBound:
    """Return a condition Σ a·u + Σ b·u′ + c ≥ 0 in terms of u and u′ − u."""
    of = row.form.coefficients
    before = [Fraction(of.get(f"{_FIRST}[{k}]", 0)) for k in range(count)]
    after = [Fraction(of.get(f"{_SECOND}[{k}]", 0)) for k in range(count)]
    both = tuple(-a - b for a, b in zip(before, after, strict=True))
    return DifferenceBound(tuple(-b for b in after), Fraction(row.form.constant), both)


def _number(value: Value, point: dict[object, Fraction]) -> Value:
    if not isinstance(value, Linear):
        return value
    (name,) = value.coefficients
    return plain(point.get(name, Fraction(0)))


def read_adjacency(value: object, mechanism: Program) -> Adjacency | Own:
    """Read the adjacency given by a user."""
    if isinstance(value, Adjacency):
        return value
    if is_function(value) and not hasattr(value, "between"):
        kind = input_type(mechanism)
        return Own(in_the_language(value, "adjacency", [kind, kind]), mechanism)
    raise ValueRefusedError(
        f"{shown(value)} is not an adjacency",
        rule="It is linf(d), l1(d), l2(d), one_entry, one_entry(d), hamming(k), or a function of "
        "two inputs that returns True or False.",
        way_out="Write adjacent=linf(1).",
    )

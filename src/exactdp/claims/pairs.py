"""The pairs of inputs that a claim of privacy is about, and their regions of parameters.

A listed pair is a ray, where only ε is free. For all reals the parameters are ε, the first input u
and the difference u′ − u, each multiplied by ε: a cone whose sides say that u and u′ are adjacent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exactdp.claims.adjacency import Adjacency
from exactdp.claims.distances import in_the_language, input_type, is_function
from exactdp.claims.inputs import Grid, as_given, listed, show
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.program import DeterministicProgram, Program
from exactdp.language.values import Value

if TYPE_CHECKING:
    from exactdp.claims.privacy import Privacy

_MOST_PAIRS = 2_000_000

Entries = tuple[Value, ...]
Pair = tuple[Entries, Entries]


class Pairs:
    """Listed pairs of inputs, each taken in both directions, whatever adjacency says."""

    def __init__(self, *pairs: Any) -> None:
        for one in pairs:
            if not isinstance(one, tuple | list) or len(one) != 2:
                raise ValueRefusedError(
                    f"{shown(one)} is not a pair of inputs",
                    rule="Pairs takes pairs (u, v) of inputs.",
                    way_out="Write Pairs((u1, v1), (u2, v2)).",
                )
        if not pairs:
            raise ValueRefusedError("Pairs() has no pair", way_out="Write Pairs((u, v)).")
        self.pairs = tuple(tuple(one) for one in pairs)

    def read(self, mechanism: Program) -> Iterator[Pair]:
        """Yield the pairs by their single values, in both directions."""
        for one in self.pairs:
            u, v = (tuple(entries(mechanism.read_input(side))) for side in one)
            yield u, v
            yield v, u

    def __repr__(self) -> str:
        return f"Pairs({', '.join(map(shown, self.pairs))})"


@dataclass(frozen=True)
class Own:
    """An adjacency that is a function of two inputs in the language."""

    function: DeterministicProgram
    mechanism: Program

    def are(self, u: Sequence[Value], v: Sequence[Value]) -> bool:
        """Whether two inputs are adjacent, asked in both directions."""
        found = [self._asked(*pair) for pair in ((u, v), (v, u))]
        if found[0] != found[1]:
            one, two = (
                as_given(self.mechanism, assembled(self.mechanism.inputs, x)) for x in (u, v)
            )
            raise ValueRefusedError(
                f"{self} says that {show(one)} and {show(two)} are adjacent in one direction only",
                rule="Adjacency is symmetric: if u′ may be the neighbour of u, u is one of u′.",
                way_out=f"Return the same from {self}(u, v) and {self}(v, u).",
            )
        return found[0]

    def _asked(self, u: Sequence[Value], v: Sequence[Value]) -> bool:
        sides = (assembled(self.mechanism.inputs, x) for x in (u, v))
        found = self.function.machine.run(tuple(as_given(self.mechanism, x) for x in sides))
        if not isinstance(found, bool):
            raise ValueRefusedError(
                f"{self} returns {shown(found)}",
                rule="An adjacency returns True or False.",
                way_out="Return a comparison, such as abs(u - v) <= 1.",
            )
        return found

    def __str__(self) -> str:
        return self.function.__name__


def read_adjacency(value: object, mechanism: Program) -> Adjacency | Own:
    """Return the adjacency that a user gives."""
    if isinstance(value, Adjacency):
        return value
    if is_function(value) and not hasattr(value, "between"):
        kind = input_type(mechanism)
        function = in_the_language(value, "adjacency", [kind, kind])
        if len(function.inputs) != 2:
            raise ValueRefusedError(
                f"the adjacency {function.__name__} has {len(function.inputs)} inputs",
                rule="An adjacency is a function of two inputs.",
                way_out="Write def adjacent(u, v): …",
            )
        return Own(function, mechanism)
    raise ValueRefusedError(
        f"{shown(value)} is not an adjacency",
        rule="It is linf(d), l1(d), one_entry, one_entry(d), hamming(k), or a function of two "
        "inputs that returns True or False.",
        way_out="Write adjacent=linf(1).",
    )


def listed_pairs(claim: Privacy) -> tuple[Pair, ...]:
    """Return the ordered pairs of different adjacent inputs, by their single values."""
    mechanism, adjacency = claim.mechanism, claim.adjacency
    if isinstance(claim.inputs, Pairs):
        return tuple(dict.fromkeys(one for one in claim.inputs.read(mechanism) if one[0] != one[1]))
    inputs = [tuple(entries(u)) for u in listed(mechanism, claim.input_set)]
    domains = _domains(claim)
    found: list[Pair] = []
    for u in inputs:
        if isinstance(adjacency, Adjacency) and domains is not None:
            found += ((u, v) for v in adjacency.neighbours(u, domains))
        else:
            found += ((u, v) for v in inputs if u != v and adjacency.are(u, v))
        if len(found) > _MOST_PAIRS:
            raise ValueRefusedError(
                f"there are more than {_MOST_PAIRS:,} adjacent pairs of inputs",
                rule=f"At most {_MOST_PAIRS:,} pairs are checked one by one.",
                way_out="Use AllReals() or Box(lo, hi), or fewer inputs.",
            )
    return tuple(found)


def _domains(claim: Privacy) -> list[Sequence[Value]] | None:
    """Return the values of each entry if the inputs are all combinations of them."""
    given = claim.input_set
    numbers = given.numbers() if isinstance(given, Grid) else None
    if numbers is None and claim.inputs is not None:
        return None
    return [
        numbers or [] if kind is None else kind.members for kind in kinds(claim.mechanism.inputs)
    ]

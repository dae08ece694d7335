"""The inputs of a claim as regions need them: in parts, some of whose single values are free.

A listed input is a part in which nothing is free. All reals, and boxes of them, have a part for
each value of the finite entries; there the real entries are free, between two ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Final, TypeAlias

from exactdp.claims.stated.inputs import AllReals, Box, End, Grid, Inputs, every_input, how_many
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entries, entry_names, kinds
from exactdp.language.program import Program
from exactdp.language.values import Value, plain


class Unfixed(Enum):
    """The mark of a single value that is free."""

    FREE = "free"


FREE: Final = Unfixed.FREE

Part: TypeAlias = tuple[Value | Unfixed, ...]
"""The single values of inputs, with `FREE` for each that is free."""


def with_zeros_in(part: Part) -> list[Value]:
    """Return the single values of an input of a part, whose free ones are 0."""
    return [0 if value is FREE else value for value in part]


@dataclass(frozen=True)
class Scope:
    """The inputs of a claim about a program."""

    program: Program
    given: Inputs

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The names of the entries that are free: all real ones, or none."""
        if not isinstance(self.given, AllReals | Box):
            return ()
        params = self.program.inputs
        named = zip(entry_names(params), kinds(params), strict=True)
        return tuple(name for name, kind in named if kind is None)

    @cached_property
    def ends(self) -> list[tuple[End, End]]:
        """The lower and upper end of each free entry."""
        given = self.given
        return given.ends(len(self.free)) if isinstance(given, AllReals | Box) else []

    @property
    def sides(self) -> list[tuple[Fraction, ...]]:
        """The sides Σ q·θ ≥ 0 of the free entries; θ is ε, then these entries times ε."""
        found = []
        for k, ends in enumerate(self.ends, 1):
            for end, sign in zip(ends, (1, -1), strict=True):
                if isinstance(end, Fraction):
                    side = [Fraction(0)] * (len(self.free) + 1)
                    side[0], side[k] = -sign * end, Fraction(sign)
                    found.append(tuple(side))
        return found

    @property
    def is_bounded(self) -> bool:
        """Whether every free entry is between two numbers."""
        return len(self.sides) == 2 * len(self.free)

    @property
    def has_all(self) -> bool:
        """Whether the free entries are any real numbers: there are no ends."""
        return isinstance(self.given, AllReals)

    @property
    def grid(self) -> list[Value] | None:
        """The real numbers of which inputs have all combinations; None if there is no grid."""
        return self.given.numbers() if isinstance(self.given, Grid) else None

    @property
    def nouns(self) -> tuple[str, str]:
        """The noun for what is counted, singular and plural: inputs, or cells of reals."""
        return ("cell", "cells") if self.free else ("input", "inputs")

    @property
    def is_single(self) -> bool:
        """Whether there is only one input."""
        return not self.free and self.count == 1

    # Parts and inputs -----------------------------------------------------------------

    @property
    def count(self) -> int:
        """The number of parts."""
        if isinstance(self.given, tuple):
            return len(self.given)
        if isinstance(self.given, Grid):
            return how_many(self.program, self.given.count)
        return how_many(self.program, 1)

    def parts(self) -> Iterator[Part]:
        """Yield the parts, the last entry changing fastest."""
        if self.free:
            return self._combined(lambda *_: (FREE,))
        return (tuple(entries(u)) for u in self.listed())

    def listed(self) -> Iterator[tuple[Value, ...]]:
        """Yield the inputs if nothing is free, in the form of `Program.read_input`; else none."""
        if isinstance(self.given, tuple):
            return iter(self.given)
        return iter(()) if self.free else every_input(self.program, self.grid)

    def with_free(
        self, values: Callable[[End, End], Sequence[Value]]
    ) -> Iterator[tuple[Value, ...]]:
        """Yield the inputs with some values, given its ends, for each free entry."""
        if not self.free:
            return self.listed()
        params = self.program.inputs
        return (assembled(params, one) for one in self._combined(values))

    def _combined(self, values: Callable[[End, End], Sequence[Value | Unfixed]]) -> Iterator[Part]:
        ends = iter(self.ends)
        return product(
            *(
                values(*next(ends)) if kind is None else kind.members
                for kind in kinds(self.program.inputs)
            )
        )

    @property
    def some(self) -> tuple[Value, ...]:
        """An input; its free entries are as close to 0 as possible."""
        return next(self.with_free(lambda low, high: [plain(Fraction(min(max(low, 0), high)))]))

    def has_between(self, u: Value) -> bool:
        """Whether free entries are between their ends at an input; False if none are free."""
        each = zip(entries(self.program.read_input(u)), kinds(self.program.inputs), strict=True)
        reals = [Fraction(x) for x, kind in each if kind is None]
        ends = zip(self.ends, reals, strict=False)
        return bool(self.free) and all(low <= x <= high for (low, high), x in ends)

    def require_listed(self, problem: str, *, rule: str = "", way_out: str) -> None:
        """Refuse a question that is answered at listed inputs only."""
        if self.free:
            raise ValueRefusedError(problem, rule=rule, way_out=way_out)

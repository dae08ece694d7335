"""Findings on the regions of a claim: as values, or packed if there are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, overload

from exactdp.claims.decision.problem import Leaf, Problem, Sign
from exactdp.claims.regions.places import PlaceDecision
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.claim import Bound
from exactdp.claims.stated.vacuity import Content, Contents
from exactdp.running.packing import unpack


@dataclass(frozen=True)
class Finding:
    """The results on a region: its cells, decided signs and counterexamples."""

    region: Region
    cells: tuple[Leaf, ...] = ()
    contents: Contents = field(default_factory=Contents)
    """How much the claim says on the cells."""
    decided: tuple[tuple[Problem, Sign], ...] = ()
    failures: tuple[Any, ...] = ()
    left: int = 0
    """The number of undecided problems."""
    missing: str = ""
    """Why they are undecided, if that is known."""

    def with_cell(self, cell: Leaf, content: Content) -> Finding:
        """Return the finding with one more cell."""
        cells, contents = (*self.cells, cell), self.contents.and_one(content)
        return Finding(
            self.region, cells, contents, self.decided, self.failures, self.left, self.missing
        )

    def with_contents(self, contents: Contents) -> Finding:
        """Return the finding with further contents added."""
        return replace(self, contents=self.contents + contents)

    def with_sign(self, problem: Problem, sign: Sign, failure: Any) -> Finding:
        """Return the finding with one more problem decided."""
        is_open = sign.holds is not True and failure is None
        why = sign.why if isinstance(sign, PlaceDecision) and sign.why else self.region.why
        return Finding(
            self.region,
            self.cells,
            self.contents,
            (*self.decided, (problem, sign)),
            self.failures if failure is None else (*self.failures, failure),
            self.left + is_open,
            self.missing or (why if is_open else ""),
        )

    def at(self, region: Region, cell: Leaf) -> Finding:
        """Return the finding at another listed input with equal bounds, given its only cell.

        The places are equal: the regions differ in the input alone.
        """
        due, own = cell.result, self.cells[0].result
        decided = tuple(
            [
                (Problem(region, cell, one.place, there, one.alternative, one.attempt), sign)
                for one, sign in self.decided
                for here, there in zip(own or (), due or (), strict=True)
                if here is one.obligation
            ]
        )
        return Finding(region, (cell,), self.contents, decided, (), self.left, self.missing)

    def has_failed(self, one: Bound) -> bool:
        """Whether an obligation is known to fail."""
        return bool(self.failures) and self.decided[-1][0].obligation is one


@dataclass(frozen=True)
class PackedFindings:
    """Findings as bytes, about thirty per input."""

    count: int
    data: bytes = field(repr=False)

    def __iter__(self) -> Iterator[Finding]:
        found: tuple[Finding, ...] = unpack(self.data)
        return iter(found)


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Sequence[Finding]):
    """A sequence of findings, stored in parts that are unpacked one at a time."""

    parts: tuple[tuple[Finding, ...] | PackedFindings, ...] = ()

    def __repr__(self) -> str:
        return f"<Findings: {len(self)}>"

    def __len__(self) -> int:
        return sum(one.count if isinstance(one, PackedFindings) else len(one) for one in self.parts)

    def __iter__(self) -> Iterator[Finding]:
        for part in self.parts:
            yield from part

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Findings: ...
    def __getitem__(self, index: int | slice) -> Finding | Findings:
        """Return a finding, or some of them."""
        if isinstance(index, slice):
            return Findings((tuple(islice(self, *index.indices(len(self)))),))
        place = index + len(self) if index < 0 else index
        found = next(islice(self, place, None), None) if place >= 0 else None
        if found is None:
            raise IndexError(index)
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(len(self))

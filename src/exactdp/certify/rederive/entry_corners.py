"""A few corners that stand for all: the ideal outputs are lists of independent entries.

Let the entries of the outputs of mechanism and ideal be independent (`entries`), and let each
number of the input be compared for one entry only. The probability of a list is the product of
those of its entries. The corners are of one list and of those that have another value in one entry;
together they have every ideal value of every entry. What is checked, for each entry and value:

- the rows of the numbers of this entry hold wherever the ideal has this value here;
- the probability of this value does not decrease along their directions;
- it is the same function at the corner as that of the first list's value at its corner.

The corner of any list consists of the corners of its values. So its probability is the same
function as at the first corner, and what is proved there holds for every list. The proof is in
`docs/theory.md`.
"""

from __future__ import annotations

from typing import Any

from ..kernel.reading import CertificateReader
from .cones import PolyhedralCone
from .corners import StatedCorner
from .derivation import Derivation
from .implied import ImpliedForms, side_of
from .linear import forms_in, same
from .monotone import Monotone
from .parametric import ProgramOnCone
from .ratios import UnsupportedError

Corners = list[tuple[StatedCorner, list[Any]]]
"""Corners, each with the single values of its input."""


class EntryCorners:
    """Corners at one value of the finite entries of the input; `region` has their parameters."""

    def __init__(
        self,
        reader: CertificateReader,
        derivation: Derivation,
        fixed: list[Any],
        region: PolyhedralCone,
    ) -> None:
        self.require = reader.require
        self.derivation, self.fixed, self.region = derivation, fixed, region
        self.noisy = derivation.entry_parts(fixed, noisy=True)
        self.ideal = derivation.entry_parts(fixed, noisy=False)
        if len(self.noisy) != len(self.ideal):
            raise UnsupportedError("the ideal output has another length")
        pairs = zip(self.noisy, self.ideal, strict=True)
        self.inputs = [a.inputs | b.inputs for a, b in pairs]
        if sum(map(len, self.inputs)) != len(frozenset[int]().union(*self.inputs)):
            raise UnsupportedError("entries of the output depend on the same input")
        self.implied = [ImpliedForms(part.graph) for part in self.ideal]

    def check(self, corners: Corners) -> None:
        """Check the corners."""
        self.require(len(corners) > 1, "dd may be infinite")
        corners = sorted(corners, key=lambda one: bool(one[0].differs))
        first, entries = corners[0]
        count = len(self.inputs)
        lists = [
            corner.output
            for corner, _ in corners
            if isinstance(corner.output, tuple) and len(corner.output) == count
        ]
        right = len(lists) == len(corners) and not any(True for one in lists for _ in forms_in(one))
        self.require(right, "an output of a corner is not a list of values")
        known = {(k, value) for k, value in enumerate(first.output)}
        for (corner, own), output in zip(corners, lists, strict=True):
            differs = [k for k in range(count) if output[k] != first.output[k]]
            right = differs == corner.differs and len(differs) == (corner is not first)
            self.require(right, "an output does not differ from the first one in one entry")
            known |= {(k, output[k]) for k in differs}
            others = set(range(len(own))).difference(*(self.inputs[k] for k in differs))
            right = corner is first or all(own[n] == entries[n] for n in others)
            self.require(right, "a corner differs in inputs of another entry")
        for k, implied in enumerate(self.implied):
            right = all((k, value) in known for value, _ in implied.ends)
            self.require(right, "an ideal value of an entry has no corner")
        self._check_parts(corners)

    def _check_parts(self, corners: Corners) -> None:
        """Check the parts of corners."""
        first, entries = corners[0]
        start = ProgramOnCone(self.derivation, self.region, entries)
        chances = [
            start.entry_chance(part, value)
            for part, value in zip(self.noisy, first.output, strict=True)
        ]
        for k in range(len(self.inputs)):
            self._check_part(first, k)
        for corner, own in corners[1:]:
            (k,) = corner.differs or [0]  # seen above to be one
            here = ProgramOnCone(self.derivation, self.region, own)
            right = here.entry_chance(self.noisy[k], corner.output[k]) == chances[k]
            self.require(right, "an entry has other probabilities at two corners")
            self._check_part(corner, k)

    def _check_part(self, corner: StatedCorner, k: int) -> None:
        """Check the numbers of one entry at a corner."""
        value, own = corner.output[k], self.inputs[k]
        for n, bound in enumerate(corner.bounds):
            self.require(bound != "fixed", "the entries of a corner are shifted")
            if n in own and isinstance(bound, int):
                row = corner.rows[bound]
                right = row.slopes.keys() <= own
                self.require(right, "a row is about inputs of two entries")
                side = side_of(row.slopes, row.constant, strict=False)
                right = self._encloses(k, value, side)
                self.require(right, "an input with an ideal output is outside of a row")
        outside = {n for n, bound in enumerate(corner.bounds) if isinstance(bound, int)}
        right = outside <= frozenset[int]().union(*self.inputs)
        self.require(right, "a row is about an input that does not matter")
        order = Monotone(self.noisy[k].successes.of(value, sup=False), [])
        for direction in corner.directions():
            right = not direction.keys() <= own or order.grows(direction)
            self.require(right, "the chance of an output may fall along a direction")

    def _encloses(self, k: int, value: Any, side: Any) -> bool:
        """Whether all inputs for which the ideal has a value as its k-th entry satisfy a row."""
        implied = self.implied[k]
        return all(implied.holds(way, side) for output, way in implied.ends if same(output, value))

"""Certificates of claims of privacy on cones: for all real inputs, and for outputs with real noise.

A tree of linear forms cuts each space of pairs into parts; on a part both distributions are derived
again from the program's source, and every bound must have a proof on a cone around the part.

**Slopes.** If p(u) does not jump and a·p + Σ c·∂p ≥ 0 on every part, for all corners c of the
adjacency, where ∂ is the derivative in εu, then along the way from u to an adjacent u′ = u + c the
function e^{aεt}·p(u + tc) does not fall; so p(u) ≤ e^{aε}·p(u′). The sum is linear in c, so other
changes follow. Where s·∂p ≥ 0 is proved in each direction, the corner of a cube at which the sum is
least is −s times the radius. The same is true of the density p of the numbers of an output, at
fixed numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..kernel.reading import RejectedError
from .cones import PolyhedralCone, dot, leaves
from .events import Events
from .output_densities import (
    density,
    derivative,
    is_continuous,
    matches_pattern,
    pattern_of,
    reals_in,
    substituted,
)
from .pair_spaces import PairSpace, PairSpaces
from .parametric import ProgramOnCone
from .privacy import Chances
from .proofs import Proofs
from .ratios import Ratio
from .values import counted


class ConePrivacies(PairSpaces):
    """One pass over the certificate of a claim of privacy on cones; raises if it is not proved."""

    # The whole ------------------------------------------------------------------------

    def prepare(self, parts: dict[str, Any], *, is_true: bool) -> None:
        """Read the signs, and whether slopes prove the claim."""
        slopes = parts["slopes"]
        if isinstance(slopes, dict):
            (self.adjacent_tree,) = self.fields(slopes, "adjacent")
        self.require(isinstance(slopes, bool | dict), "slopes are used, or not")
        self.by_slopes = slopes is not False
        Proofs.prepare(self, parts, is_true=is_true)

    def holds(self, parts: dict[str, Any]) -> str:
        """Check the parts of all spaces, and return how the claim is proved."""
        self.where = "the claim"
        trees = parts["regions"]
        right = self.delta == 0 or self.delta.is_nonnegative(self.epsilon)
        self.require(right, "δ is not seen to be ≥ 0")
        spaces = list(self.spaces())
        self.require(spaces and len(spaces) == len(trees), "a region is missing, or there is none")
        count = 0
        for k, (space, tree) in enumerate(zip(spaces, trees, strict=True)):
            for part, leaf in leaves(space.region, tree):
                self.where = f"region {k + 1}, part {count + 1}"
                bounds, falls = self.fields(leaf, "bounds falls")
                if not part.is_full:
                    self.require(bounds == [] and falls is None, "a part without points")
                    continue
                count += 1
                functions = self.needed(
                    "probabilities on parts",
                    lambda: self.required(space, part, falls),  # noqa: B023
                )
                self.bounds_are_proved(part, functions, bounds)
        how = "the slopes of probabilities" if self.by_slopes else "pairs of inputs"
        return (
            f"{counted(count, 'part')} of {counted(len(spaces), 'region')} of {how}, "
            f"with {counted(len(self.signs), 'sign')}"
        )

    # Bounds on a part -----------------------------------------------------------------

    def required(self, space: PairSpace, part: PolyhedralCone, falls: Any) -> list[Ratio]:
        """Return the functions that must not be negative on a part."""
        one = ProgramOnCone(self.derivation, part, space.one)
        if space.two is None:
            if space.pattern is None:
                chances = self.finite(one)
            else:
                self.require(is_continuous(one, space.pattern), "a density may jump")
                chances = {"": density(one, space.pattern)}
            found = list(self.slopes(chances, falls))
            self.require(not one.mechanism.compared, "the mechanism compares inputs without noise")
            return found
        self.require(falls is None, "signs of derivatives are for slopes")
        two = ProgramOnCone(self.derivation, part, space.two)
        if space.pattern is None:
            found = list(self.bounds(self.finite(one), self.finite(two)))
        else:
            found = [self.density_gap(one, two, space.pattern)]
        if not self.is_listed:
            compared = one.mechanism.compared | two.mechanism.compared
            self.require(not compared, "the mechanism compares inputs without noise")
        return found

    def density_gap(self, one: ProgramOnCone, two: ProgramOnCone, pattern: Any) -> Ratio:
        """Return by how much the bound on densities holds; of bounded range, on products."""
        if not self.is_range:
            return self.factor * density(two, pattern) - density(one, pattern)
        first, second = pattern
        after = reals_in(second)
        here, there = (density(program, first, after) for program in (one, two))
        other, allowed = density(two, second), density(one, second)
        return self.factor * there * allowed - here * other

    def finite(self, program: ProgramOnCone) -> Chances:
        """Return the probabilities of outputs without noise."""
        found: Chances = {}
        for way in program.ways:
            pattern = pattern_of(way.output)
            if reals_in(pattern):
                self.require(not self.delta.over, "an output holds noise")
                continue
            key = repr(pattern)
            found[key] = found.get(key, Ratio.number(0)) + program.mass(way, [])
        return {key: chance for key, chance in found.items() if chance != 0}

    def is_proved(self, function: Ratio) -> bool:
        """Return False: a part of a space states the proof of each of its bounds."""
        del function
        return False

    def slopes(self, chances: Chances, falls: Any) -> Iterator[Ratio]:
        """Yield a·p + Σ c·∂p for outputs and corners; where p is monotone, for one corner."""
        reals = self.members.count(None)
        corners = self.corners()
        self.require(self.multiple is not None, "slopes are for multiples of ε")
        signs = [None] * len(chances) if falls is None else self.entries(falls, len(chances))
        for chance, given in zip(chances.values(), signs, strict=True):
            partial = [derivative(chance, k) for k in range(1, 1 + reals)]
            here = corners
            if given is not None:
                turns = [self.integer(s, -1, 1) for s in self.entries(given, reals)]
                self.require(all(turns) and self.adjacency[0] == "linf", "not signs for a cube")
                yield from (form * s for form, s in zip(partial, turns, strict=True))
                here = [tuple(-s * self.adjacency[2] for s in turns)]
            for corner in here:
                total = chance * self.multiple
                for c, form in zip(corner, partial, strict=True):
                    total = total + form * c
                yield total

    # Counterexamples ------------------------------------------------------------------

    def counterexample(self, given: Any) -> None:
        """Check a counterexample; what is not derived is rejected.

        Of a density, `cell` are sides of a cone of (ε, y) that the output is in: what is true at a
        side of it is nearly true close to it inside.
        """
        self.needed("pairs of distributions", lambda: self.seen(given))

    def seen(self, given: Any) -> None:
        """Check a counterexample on a cell on which all comparisons have one answer."""
        super().counterexample(given)

    def gap(self, one: list[Any], two: list[Any], outputs: list[Any], cell: Any) -> Ratio:
        """Return by how much the bound on some outputs, or on a density, holds."""
        if cell is None:
            events = Events(outputs)
            self.require(events.are_disjoint(), "an output occurs twice")
            ray, keys = self.ray(), self.keys(outputs)
            sides = [events.chances(ProgramOnCone(self.derivation, ray, u)) for u in (one, two)]
            return self.loss(sides[0], sides[1], keys)
        right = len(outputs) == 1 + self.is_range and self.delta == 0
        self.require(right, "a density is not compared so")
        pattern, numbers = self.matched(outputs, one, two)
        space = self.pair_space(one, two, pattern, 1, [])
        size = 1 + space.reals
        region = space.region
        at = (Fraction(1), *numbers)
        for side in self.entries(cell):
            form = self.form(side, size)
            self.require(dot(form, at) >= 0, "the output is not in the cell")
            region = region.cut(form)
        self.require(region.is_full, "the cell has no points inside")
        here, there = (ProgramOnCone(self.derivation, region, u) for u in (space.one, two))
        return substituted(self.density_gap(here, there, space.pattern), at)

    def matched(self, outputs: list[Any], u: list[Any], v: list[Any]) -> tuple[Any, list[Fraction]]:
        """Return the pattern of an output, or of a pair, at two inputs, and its numbers."""
        output = tuple(outputs) if self.is_range else outputs[0]
        for pattern in self.patterns(u, v):
            numbers: list[Fraction] = []
            if matches_pattern(pattern, output, numbers):
                return pattern, numbers
        self.require(False, "no such output holds noise")
        raise RejectedError

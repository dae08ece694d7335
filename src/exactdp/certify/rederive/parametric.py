"""Re-derivation of a claim's quantities on a whole cone of parameters (ε, εx, …, εα, εγ).

The program runs with linear forms for its inputs. A comparison of two of them has one answer inside
the cone, otherwise the cone must be cut there; so what is derived holds at every input inside. A
single input is the ray where only ε varies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

from ..kernel.reading import Sum
from .cones import PolyhedralCone, Vector
from .derivation import Derivation, TakenPath
from .distances import entries_match, matches, squared_outputs
from .entries import EntryPart
from .flows import Flows
from .integrals import Integrals
from .lattices import WHOLE
from .linear import LinearForm, same
from .points import InsideCone, number_of, vector_of
from .ratios import BrokenRunError, Ratio, UnsupportedError, WrongProgramError, plus
from .runs import Condition
from .successes import numbers_of


@dataclass(frozen=True)
class At:
    """A number that is a linear form in the parameters, divided by ε."""

    form: Vector


Entry = Any  # an `At`, or a value


def spelled(value: Any, size: int) -> Any:
    """Return an output with vectors for its forms."""
    if isinstance(value, tuple):
        return tuple(spelled(one, size) for one in value)
    if isinstance(value, LinearForm):
        if any(name >= 0 for name in value.coefficients):
            raise UnsupportedError("an ideal output holds noise")
        return At(vector_of(value, size))
    return value


class ProgramOnCone:
    """The program of a claim on one cone; `entries` are the single values of the input.

    The `unit` is 1/ε, or log(b)/ε, where the program has it beside reals.
    """

    def __init__(
        self,
        derivation: Derivation,
        region: PolyhedralCone,
        entries: list[Entry],
        unit: Entry = None,
    ) -> None:
        self.derivation = derivation
        self.region = region
        self.judge = InsideCone(region)
        self.mechanism = InsideCone(region)
        """It knows what the mechanism, or a distance of outputs, compares without noise."""
        given = entries if unit is None else [*entries, unit]
        self.point = [self.value(one) for one in given]

    def value(self, output: Any) -> Any:
        """Return an output, or an entry of the input, to calculate with."""
        if isinstance(output, At):
            return number_of(output.form, self.judge)
        return tuple(map(self.value, output)) if isinstance(output, tuple) else output

    def ideal(self) -> Any:
        """Return the ideal output, its forms as vectors."""
        return spelled(self.derivation.ideal(self.point, self.judge), self.region.size)

    # Probabilities --------------------------------------------------------------------

    @cached_property
    def integrals(self) -> Integrals:
        """The integrals on the cone; those at points are shared."""
        shared = self.derivation.integrals
        size = self.region.size
        return shared if size == 1 else Integrals(size, self.region.judge, shared)

    @cached_property
    def ways(self) -> list[TakenPath]:
        """The ways of the mechanism; it must not fail on one that is possible."""
        every = self.derivation.ways(self.point, self.mechanism)
        for way in every:
            if isinstance(way.output, BrokenRunError) and self.mass(way, []) != 0:
                raise WrongProgramError(str(way.output)) from way.output
        return [way for way in every if not isinstance(way.output, BrokenRunError)]

    def mass(self, way: TakenPath, more: list[Condition]) -> Ratio:
        """Return the probability of a way and more conditions."""
        chance = self.chance(way, more)
        return self.weight(way, more) * Ratio.lifted(chance) if chance else Ratio.number(0)

    def chance(self, way: TakenPath, more: list[Condition]) -> Sum:
        """Return the probability of the conditions on real noise, without the weight of the way."""
        return self.integrals.density(way.path.noises, way.real(more))

    def weight(self, way: TakenPath, more: list[Condition]) -> Ratio:
        """Return the weight of a way with the probability of the conditions on integer noise."""
        if not any(kind in WHOLE for kind, _ in way.path.noises):
            return way.weight
        return way.weight * self.derivation.lattices.mass(way.path.noises, way.whole(more))

    def chances(self, ideal: Any, radius: Any) -> Iterator[tuple[Ratio, Sum]]:
        """Return weights and sums that add up to the probability of being so close to the ideal."""
        distance = self.derivation.spec["output_distance"]
        name, kinds = distance.get("name"), distance.get("entries")
        if radius == inf or (name == "discrete" and radius >= 1):
            yield Ratio.number(1), {((), ()): Fraction(1)}
            return
        wanted = self.value(ideal)
        if name in ("discrete", "sup"):
            merged = self.merged(wanted, radius if name == "sup" else None)
            if merged is not None:
                yield Ratio.number(1), merged
                return
        for way in self.ways:
            more: list[Condition] = []
            if name == "l2":
                close = bool(squared_outputs(wanted, way.output) <= radius * radius)
            elif name in ("discrete", "sup"):
                orders, around = self.derivation.orders, radius if name == "sup" else None
                close = matches(way.output, wanted, around, more, orders)
            elif kinds is not None:
                u = self.derivation.assembled(self.point)
                close = entries_match(kinds, u, way.output, wanted, radius, more)
            else:
                close = bool(self.gap(wanted, way.output) <= radius)
            if close:
                yield self.weight(way, more), self.chance(way, more)

    def exactly(self, output: Any) -> Ratio:
        """Return the probability of an output without numbers."""
        merged = self.merged(output, None)
        if merged is not None:
            return Ratio.lifted(merged)
        own = [way for way in self.ways if same(way.output, output)]
        return sum((self.mass(way, []) for way in own), Ratio.number(0))

    def merged(self, wanted: Any, radius: Any) -> Sum | None:
        """Return the probability on merged runs; None if they are not merged.

        Without a radius the output must be the wanted one.
        """
        if None not in self.fixed:  # then nothing is compared
            return None
        found = self.by_entries(wanted) if radius is None else None
        if found is not None:
            return found
        size = self.region.size
        try:
            successes = self.derivation.successes(self.fixed)
            success = successes.of(wanted, sup=radius is not None)
            numbers = [vector_of(one, size) for one in numbers_of(wanted)]
            around = None if radius is None else vector_of(radius, size)
            return self.flows.chance(success, self.vectors, numbers, around)
        except (UnsupportedError, RecursionError):
            return None

    def by_entries(self, wanted: Any) -> Sum | None:
        """Return the probability of a list of independent entries; None if they are not seen."""
        try:
            parts = self.derivation.entry_parts(self.fixed, noisy=True)
            if not isinstance(wanted, tuple) or len(wanted) != len(parts):
                return None
            total = Ratio.number(1)
            for part, value in zip(parts, wanted, strict=True):
                total = total * self.entry_chance(part, value)
                self.integrals.spend(len(total.over))
        except (UnsupportedError, RecursionError):
            return None
        return total.over

    def entry_chance(self, part: EntryPart, value: Any) -> Ratio:
        """Return the probability that an entry of the output has a value."""
        success = part.successes.of(value, sup=False)
        return Ratio.lifted(self.flows.chance(success, self.vectors, [], None))

    @cached_property
    def fixed(self) -> list[Any]:
        """The finite entries of the input; None for reals."""
        pairs = zip(self.point, self.derivation.members, strict=False)  # and perhaps the unit
        return [None if members is None else one for one, members in pairs]

    @cached_property
    def vectors(self) -> list[Vector | None]:
        """The real entries of the input, as forms in the parameters; None for finite ones."""
        pairs = zip(self.point, self.derivation.members, strict=False)
        return [
            vector_of(one, self.region.size) if members is None else None for one, members in pairs
        ]

    @cached_property
    def flows(self) -> Flows:
        """Densities on merged runs."""
        return self.derivation.flows(self.region, self.integrals)

    def probability(self, ideal: Any, radius: Any) -> Ratio:
        """Return the probability of being so close to the ideal."""
        alone: Sum = {}
        total = Ratio.number(0)
        for weight, chance in self.chances(ideal, radius):
            if weight == 1:
                alone = plus(alone, chance)
            else:
                total = total + weight * Ratio.lifted(chance)
        return total + Ratio.lifted(alone)

    def gap(self, ideal: Any, output: Any) -> Any:
        """Return the distance of two finite outputs.

        Where a distance that is a function compares inputs, it may jump as the mechanism does.
        """
        distance = self.derivation.spec["output_distance"]
        if distance.get("name") == "score_gap" and self.region.size > 1:
            raise UnsupportedError("scores on a cone of inputs")
        point = self.point
        if "name" not in distance:
            point = [
                LinearForm(one.coefficients, one.constant, self.mechanism)
                if isinstance(one, LinearForm)
                else one
                for one in point
            ]
        u = self.derivation.assembled(point)
        return self.derivation.output_distance(u, ideal, output)

    def steps(self, ideal: Any) -> list[Any]:
        """Return the values of the output distance with a positive probability, and 0."""
        wanted = self.value(ideal)
        listed: list[Any] = [Fraction(0)]
        for way in self.ways:
            if self.mass(way, []) != 0:
                gap = self.gap(wanted, way.output)
                if not any(bool(gap == other) for other in listed):
                    listed.insert(sum(bool(other < gap) for other in listed), gap)
        return listed

    # The distance to disagreement -----------------------------------------------------

    def reached(
        self, ideal: Any, near: list[Entry], towards: list[Fraction] | None, *, with_germs: bool
    ) -> Any:
        """Return a distance within which inputs disagree; None if those given do not."""
        there = [self.value(one) for one in near]
        here, wanted = self.point[: len(near)], self.value(ideal)
        return self.derivation.reached(
            here, wanted, there, towards, self.judge, with_germs=with_germs
        )

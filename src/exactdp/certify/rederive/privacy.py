"""Certificates of claims of privacy: at listed inputs, in a box and for all reals.

The checker lists spaces of pairs of adjacent inputs (`pair_spaces`). At two inputs, or on a part of
a space, it derives both distributions from the program's source. Then these must be proved:

    δ = 0:  e^b·p(u′, o) − p(u, o) ≥ 0 for each output o;
    δ > 0:  with g(o) = p(u, o) − e^b·p(u′, o), each output has g ≤ 0 proved, or g ≥ 0 proved, or is
            one of a few others; δ minus the sum of g over the second kind and any set of the others
            is proved to be ≥ 0. No set of outputs has a larger sum.
    bounded range:  e^b·p(u′, o)·p(u, o′) − p(u, o)·p(u′, o′) ≥ 0 for all outputs o, o′.

**At listed inputs** the certificate states the distribution of each input once, as probabilities of
events: outputs, integers far out (`events`), and real numbers in intervals. A bound is a function
of ε, and it is proved if it is among those with a proof. Where densities p(y), p′(y) are compared,
y moves, too: on the cone of (ε, y) with y in an interval p − e^b·p′ is proved to have one sign.

**On cones.** All other spaces have more parameters. A tree of linear forms cuts each of them into
parts; on a part densities and probabilities are derived again, and each bound states its proof on a
cone around the part.

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
from itertools import combinations, permutations, product
from typing import Any

from ..kernel.reading import RejectedError
from . import values
from .cones import PolyhedralCone, dot
from .derivation import Input, single
from .evaluation import EvaluationPoint
from .events import Events, has_reals
from .orders import covers
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
from .programs import frozen
from .proved_functions import ProvedFunctions
from .ratios import Ratio
from .values import counted

_COUNTEREXAMPLE = "inputs outputs eps cell bits"
_MOST_OTHERS = 8

Chances = dict[str, Ratio]


class Privacies(PairSpaces):
    """One pass over the certificate of a claim of privacy; raises if something is not proved."""

    def __init__(self) -> None:
        super().__init__()
        self.functions = ProvedFunctions()
        self.events = Events([])
        self.chances: list[Chances | None] = []
        self.mixed: dict[str, Any] = {}
        self.far: dict[int, dict[str, list[Ratio]]] = {}
        self.densities: dict[object, Ratio] = {}
        self.signs_at: dict[str, int] = {}
        """The sign that p − e^b·p′ has on each event with real numbers, at two listed inputs."""

    # The whole ------------------------------------------------------------------------

    def prepare(self, parts: dict[str, Any], *, is_true: bool) -> None:
        """Read the signs, the distributions at listed inputs, and whether slopes are examined."""
        slopes = parts["slopes"]
        if isinstance(slopes, dict):
            (self.adjacent_tree,) = self.fields(slopes, "adjacent")
        right = slopes is False or (not self.is_listed and isinstance(slopes, bool | dict))
        self.require(right, "slopes are used, or not")
        self.by_slopes = slopes is not False
        super().prepare(parts, is_true=is_true)
        for proof in self.signs:
            if proof.on is not None and covers(proof.on, self.epsilon):  # not a sign on a cone
                self.functions.add(proof.function)
        self.read_distributions(parts["distributions"])
        self.derive_distributions()

    def is_proved(self, function: Ratio) -> bool:
        """Whether a function is proved to be ≥ 0 for every ε; on cones each part states proofs."""
        return self.is_listed and (function == 0 or self.functions.has(function))

    def holds(self, parts: dict[str, Any]) -> str:
        """Check the bounds on all spaces, and return how the claim is proved."""
        self.where = "the claim"
        known = self.delta == 0 or self.is_proved(self.delta)
        right = known or self.delta.is_nonnegative(self.epsilon)
        self.require(right, "δ is not seen to be ≥ 0")
        self.require(not (self.mixed and self.not_derived), "masses far out are not derived")
        self.require(not (self.mixed and self.is_range), "masses far out fall at different rates")
        trees, bounds, count, spaces = iter(parts["regions"]), 0, 0, 0
        for k, space in enumerate(self.spaces()):
            spaces += 1
            if space.places is not None and space.event is None:
                self.where = f"the pair {space.places[0]}, {space.places[1]}"
                bounds += self.pair_is_proved(*space.places)
                continue
            self.where = f"region {k + 1}"
            tree = next(trees, None)
            self.require(tree is not None, "it is missing")
            count += self.parts_are_proved(
                space.region,
                tree,
                "signs",
                lambda part, signs: self.needed(
                    "probabilities on parts",
                    lambda: self.required(space, part, signs),  # noqa: B023
                ),
            )
        self.where = "the regions"
        self.require(spaces and not [*trees], "there are more, or none")
        if self.is_listed:
            also = f", {counted(count, 'part')} of densities" if count else ""
            where = counted(len(self.pairs), "pair")
            return f"{counted(bounds, 'bound')} at {where} of inputs{also}, each is proved"
        how = "the slopes of probabilities" if self.by_slopes else "pairs of inputs"
        return (
            f"{counted(count, 'part')} of {counted(spaces, 'region')} of {how}, "
            f"with {counted(len(self.signs), 'sign')}"
        )

    # Distributions at listed inputs ---------------------------------------------------

    def read_distributions(self, given: Any) -> None:
        """Read the probabilities of events at each listed input, or null where not needed."""
        every: dict[str, Any] = {}
        self.chances = []
        for k, listed in enumerate(self.entries(given, len(self.inputs) if self.is_listed else 0)):
            self.where = f"the distribution {k}"
            stated: Chances = {}
            for one in () if listed is None else self.entries(listed):
                output, form = self.pair(one)
                event = values.value(self, output)
                key = repr(event)
                self.require(key not in stated, "an output occurs twice")
                every[key], stated[key] = event, self.quotient(form)
            total = sum(stated.values(), Ratio.number(0))
            self.require(listed is None or total == 1, "the probabilities do not sum to 1")
            self.chances.append(None if listed is None else stated)
        self.where = "the outputs"
        self.events = Events(list(every.values()))
        self.require(self.events.are_disjoint(), "an event has an output of another one")
        self.real_events = {key: one for key, one in every.items() if has_reals(one)}

    def derive_distributions(self) -> None:
        """Check that the stated distributions are those of the program."""
        for k, stated in enumerate(self.chances):
            if stated is None:
                continue
            self.where = f"the distribution {k}"
            u = self.inputs[k]
            found = self.derive("distributions", lambda: self.events.chances(self.at(u)))  # noqa: B023
            self.require(found is None or found == stated, "it is not that of the program")
        self.mixed = self.events.mixed

    def at(self, u: Input) -> ProgramOnCone:
        """Return the program at a listed input."""
        return ProgramOnCone(self.derivation, self.ray(), single(u))

    def stated(self, k: int) -> Chances:
        """Return the stated distribution at an input."""
        found = self.chances[k]
        if found is None:
            raise RejectedError(f"{self.where}: a distribution is missing")
        return found

    def real_events_at(self, i: int, j: int) -> Iterator[Any]:
        """Yield the events with real numbers that are compared at two listed inputs.

        An event without probability at u needs no bound; for bounded range, likewise each of two.
        """
        one = [event for event in self.events.every if repr(event) in self.stated(i)]
        if not self.is_range:
            yield from (event for event in one if repr(event) in self.real_events)
            return
        two = [event for event in self.events.every if repr(event) in self.stated(j)]
        yield from (both for both in product(one, two) if has_reals(both))

    def pair_is_proved(self, i: int, j: int) -> int:
        """Check the bounds of two listed inputs that are functions of ε; return their number."""
        count, far = 0, self.differences(i, j)
        for bound in self.bounds(self.stated(i), self.stated(j), far):
            count += 1
            self.require(self.is_proved(bound), "a bound is not proved")
        self.signs_at = {}
        return count

    def differences(self, i: int, j: int) -> dict[str, list[Ratio]]:
        """Return the numbers d_j of p − e^b·p′; with δ, the sign of each must be proved."""
        one, two = self.steps_at(i), self.steps_at(j)
        found = {
            key: [a - self.factor * b for a, b in zip(one[key], two[key], strict=True)]
            for key in one
        }
        for key, steps in found.items() if self.delta != 0 else ():
            self.signs_at[key] = 1 if all(map(self.is_proved, steps)) else -1
            right = all(self.is_proved(step * self.signs_at[key]) for step in steps)
            self.require(right, "the sign of masses far out is not proved")
        return found

    def steps_at(self, k: int) -> dict[str, list[Ratio]]:
        """Return the numbers d_j of the masses far out at an input, for events that need them."""
        events = self.events
        if self.mixed and k not in self.far:
            program = self.at(self.inputs[k])
            self.far[k] = self.needed(
                "masses far out",
                lambda: {key: events.steps(one, program) for key, one in self.mixed.items()},
            )
        return self.far.get(k, {})

    # Bounds ---------------------------------------------------------------------------

    def bounds(
        self, one: Chances, two: Chances, far: dict[str, list[Ratio]] | None = None
    ) -> Iterator[Ratio]:
        """Yield what must be proved to be ≥ 0 of two distributions, besides densities."""
        none, real = Ratio.number(0), self.real_events
        if self.is_range:
            if len({**one, **two}) == 1 and self.multiple is None:  # with itself
                excess = self.factor - 1
                right = self.is_proved(excess) or excess.is_nonnegative(self.epsilon)
                self.require(right, "the budget is not seen to be ≥ 0")
            for first, second in permutations({**one, **two}, 2):
                if first in one and second in two and not (first in real or second in real):
                    yield self.loss(one, two, [first, second])
            return
        gains = {key: one[key] - self.factor * two.get(key, none) for key in one}
        if self.delta == 0:
            for key, gain in gains.items():
                if key not in real:
                    yield from (-step for step in (far or {}).get(key, [gain]))
            return
        apart = self.signs_at
        self.require(real.keys() & gains.keys() <= apart.keys(), "densities are not compared")
        left = {
            key: gain
            for key, gain in gains.items()
            if (apart[key] > 0 if key in apart else not self.is_proved(-gain))
        }
        up = {key for key, gain in left.items() if key in apart or self.is_proved(gain)}
        always = sum((left[key] for key in up), none)
        others = [gain for key, gain in left.items() if key not in up]
        self.require(len(others) <= _MOST_OTHERS, "too many signs of outputs are not proved")
        for size in range(0 if up else 1, len(others) + 1):  # δ ≥ 0 is known
            for chosen in combinations(others, size):
                yield self.delta - always - sum(chosen, none)

    def loss(self, one: Chances, two: Chances, outputs: list[str]) -> Ratio:
        """Return by how much a bound on outputs holds."""
        none = Ratio.number(0)
        if self.is_range:
            first, second = outputs
            allowed = self.factor * two.get(first, none) * one.get(second, none)
            return allowed - one.get(first, none) * two.get(second, none)
        found = self.delta
        for key in outputs:
            found = found + self.factor * two.get(key, none) - one.get(key, none)
        return found

    def required(self, space: PairSpace, part: PolyhedralCone, signs: Any) -> list[Ratio]:
        """Return the functions that must not be negative on a part of a space."""
        one = ProgramOnCone(self.derivation, part, space.one)
        if space.two is None:
            if space.pattern is None:
                chances = self.finite(one)
            else:
                self.require(is_continuous(one, space.pattern), "a density may jump")
                chances = {"": density(one, space.pattern)}
            found = list(self.slopes(chances, signs))
            self.require(not one.mechanism.compared, "the mechanism compares inputs without noise")
            return found
        two = ProgramOnCone(self.derivation, part, space.two)
        if space.event is not None:
            return [self.density_gap(one, two, space.pattern) * -self.sign_on(space, signs)]
        self.require(signs is None, "signs are for slopes, and for densities with δ")
        if space.pattern is None:
            found = list(self.bounds(self.finite(one), self.finite(two)))
        else:
            found = [self.density_gap(one, two, space.pattern)]
        compared = one.mechanism.compared | two.mechanism.compared
        self.require(not compared, "the mechanism compares inputs without noise")
        return found

    def sign_on(self, space: PairSpace, signs: Any) -> int:
        """Return the sign of p − e^b·p′ on an event: stated on each part with δ, else −1."""
        if self.delta == 0:
            self.require(signs is None, "without δ the sign is known")
            return -1
        sign = self.integer(self.entries(signs, 1)[0], -1, 1)
        same = self.signs_at.setdefault(repr(space.event), sign) == sign
        self.require(sign and same, "a sign is 0, or another one on another part")
        return sign

    def density_gap(self, one: ProgramOnCone, two: ProgramOnCone, pattern: Any) -> Ratio:
        """Return by how much the bound on densities holds; of bounded range, on products."""
        if not self.is_range:
            return self.factor * self.density(two, pattern) - self.density(one, pattern)
        first, second = pattern
        after = reals_in(second)
        here, there = (self.density(program, first, after) for program in (one, two))
        other, allowed = self.density(two, second), self.density(one, second)
        return self.factor * there * allowed - here * other

    def density(self, program: ProgramOnCone, pattern: Any, after: int = 0) -> Ratio:
        """Return a density (see `density`), which at a listed input is derived for one pair."""
        if not self.is_listed:
            return density(program, pattern, after)
        key = repr(program.point), repr(pattern), after, program.region.sides
        if key not in self.densities:
            self.densities[key] = density(program, pattern, after)
        return self.densities[key]

    def finite(self, program: ProgramOnCone) -> Chances:
        """Return the probabilities of outputs without noise."""
        noisy = [reals_in(pattern_of(way.output)) for way in program.ways]
        self.require(not (self.delta.over and any(noisy)), "an output holds noise")
        return Events([]).chances(program)

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
        """Check that at two adjacent inputs, an ε and some outputs the claim is false.

        Of a density, `cell` are sides of a cone of (ε, y) that the output is in: what is true at a
        side of it is nearly true close to it inside.
        """
        inputs, outputs, eps, cell, bits = self.fields(given, _COUNTEREXAMPLE)
        pair = [self.input_of_claim(one) for one in self.pair(inputs)]
        u, v = map(single, pair)
        if self.is_listed:
            places = tuple(self.inputs.index(one) for one in pair)
            self.require(places in self.pairs, "the inputs are not adjacent")
        else:
            self.require(u != v and self.are(u, v), "the inputs are not adjacent")
        point, precision = self.rational(eps), self.bits(bits)
        self.require(self.epsilon.has(point), "ε is not one of the claim")
        listed = [values.value(self, one) for one in self.entries(outputs)]
        if cell is not None:
            gap = self.needed("densities", lambda: self.density_at(u, v, listed, cell))
        elif self.is_listed:
            one, two = (self.stated(self.inputs.index(each)) for each in pair)
            gap = self.loss(one, two, self.keys(listed))
        else:
            events = Events(listed)
            self.require(events.are_disjoint(), "an output occurs twice")
            one, two = self.needed(
                "pairs of distributions", lambda: [events.chances(self.at(each)) for each in pair]
            )
            gap = self.loss(one, two, self.keys(listed))
        self.require(self.sign_of(gap, EvaluationPoint(point, precision)) < 0, "it is none")

    def density_at(self, u: list[Any], v: list[Any], outputs: list[Any], cell: Any) -> Ratio:
        """Return by how much the bound on a density holds at an output, as a function of ε."""
        right = len(outputs) == 1 + self.is_range and self.delta == 0
        self.require(right, "a density is not compared so")
        pattern, numbers = self.matched(outputs, u, v)
        space = self.pair_space(u, v, pattern, 1, [])
        region, at = space.region, (Fraction(1), *numbers)
        for side in self.entries(cell):
            form = self.form(side, region.size)
            self.require(dot(form, at) >= 0, "the output is not in the cell")
            region = region.cut(form)
        self.require(region.is_full, "the cell has no points inside")
        here, there = (ProgramOnCone(self.derivation, region, each) for each in (u, v))
        return substituted(self.density_gap(here, there, pattern), at)

    def matched(self, outputs: list[Any], u: list[Any], v: list[Any]) -> tuple[Any, list[Fraction]]:
        """Return the pattern of an output, or of a pair, at two inputs, and its numbers."""
        output = tuple(outputs) if self.is_range else outputs[0]
        for pattern in self.patterns(u, v):
            numbers: list[Fraction] = []
            if matches_pattern(pattern, output, numbers):
                return pattern, numbers
        self.require(False, "no such output holds noise")
        raise RejectedError

    def keys(self, outputs: list[Any]) -> list[str]:
        """Return the keys of different outputs, two for bounded range."""
        found = [repr(frozen(one)) for one in outputs]
        right = len(set(found)) == len(found) and (not self.is_range or len(found) == 2)
        self.require(right, "the outputs are not as they must be")
        return found

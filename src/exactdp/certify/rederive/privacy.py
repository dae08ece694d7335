"""Certificates of claims of privacy at listed inputs, with finitely many outputs.

The checker re-derives all ordered pairs of adjacent inputs from the claim, and the probabilities of
all outputs at each input from the program's source. For each pair every bound must have a proof:

    δ = 0:  e^b·p(u′, o) − p(u, o) ≥ 0 for each output o;
    δ > 0:  with g(o) = p(u, o) − e^b·p(u′, o), each output has g ≤ 0 proved, or g ≥ 0 proved, or is
            one of a few others; δ minus the sum of g over the second kind and any set of the others
            is proved to be ≥ 0. No set of outputs has a larger sum. Real outputs come in intervals
            on which p(u, y) − e^b·p(u′, y), of densities, is proved to have one sign. Integers
            far out are one event, of one sign as well (`events`).
    bounded range:  e^b·p(u′, o)·p(u, o′) − p(u, o)·p(u′, o′) ≥ 0 for all outputs o, o′.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from ..kernel.reading import short
from . import values
from .cones import PolyhedralCone, axis
from .derivation import Input, single
from .distances import is_beyond, norm
from .evaluation import EvaluationPoint
from .events import Events, has_reals, interval_sides, wanted
from .orders import covers
from .output_densities import density
from .parametric import ProgramOnCone
from .programs import frozen
from .proofs import Proofs
from .proved_functions import ProvedFunctions
from .ratios import EPS, Ratio, UnsupportedError, WrongProgramError
from .values import counted

_PARTS = "mechanism budget delta adjacent measure epsilon inputs"
_COUNTEREXAMPLE = "inputs outputs eps cell bits"
_MOST_OTHERS = 8
_MOST_INPUTS = 3_000

Chances = dict[str, Ratio]


class Privacies(Proofs):
    """One pass over the certificate of a claim of privacy; raises if something is not proved."""

    def __init__(self) -> None:
        super().__init__()
        self.adjacency: tuple[str, Any, Any] = "pairs", None, None
        self.parted: dict[str, int] = {}
        self.far: dict[str, list[Ratio]] = {}
        self.functions = ProvedFunctions()

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.require(spec["measure"] in ("privacy", "bounded_range"), "the measure is not known")
        self.is_range = spec["measure"] == "bounded_range"
        budget = self.read_budget(spec["budget"])
        self.delta = self.quotient(spec["delta"])
        self.require(not self.is_range or self.delta == 0, "bounded range has no δ")
        self.read_program(spec)
        self.pairs = list(self.adjacent(spec["adjacent"]))
        function = self.derivation.mechanism.function
        assert function is not None
        what = "of bounded range" if self.is_range else "private"
        also = " and the stated δ" if self.delta != 0 else ""
        self.claim = (
            f"{short(function.name)} is {what} with {budget}{also} "
            f"{self.where_claimed}, for every ε in {self.epsilon.text()}"
        )

    def read_budget(self, given: Any) -> str:
        """Read the budget, a multiple of ε or a logarithm, and return it as words."""
        self.multiple: Fraction | None = None
        if isinstance(given, dict):
            (form,) = self.fields(given, "log")
            self.factor = self.quotient(form)
            return "a stated logarithm as its budget"
        self.multiple = self.rational(given)
        self.require(self.multiple >= 0, "the budget is negative")
        self.factor = (EPS * self.multiple).exp()
        return f"the budget {self.multiple}·ε"

    @property
    def where_claimed(self) -> str:
        """The inputs that the claim is about, as words."""
        if self.is_listed:
            return f"at {counted(len(self.pairs), 'pair')} of inputs"
        return "on all real inputs" if self.ends is None else "on all inputs of a box of reals"

    def adjacent(self, given: Any) -> Iterator[tuple[int, int]]:
        """Yield the ordered pairs of different adjacent inputs, by their places."""
        self.require(isinstance(given, dict) and len(given) == 1, "the adjacency is not known")
        ((name, size),) = given.items()
        count = len(self.inputs) if self.is_listed else 0
        if name == "pairs":
            self.require(self.is_listed, "pairs of inputs that are not listed")
            self.adjacency = name, None, None
            for one in self.entries(size):
                first, second = (self.integer(k, 0, count - 1) for k in self.pair(one))
                yield from ((first, second), (second, first))
            return
        if name == "source":
            self.require(isinstance(size, str), "the adjacency is not source text")
            most, change = size, None
        elif name == "entries":
            most, change = self.pair(size)
            self.integer(most, 1)
            change = None if change is None else self.rational(change)
        else:
            self.require(name in ("linf", "l1", "l2"), "the adjacency is not known")
            most, change = name, self.rational(size)
        self.adjacency = name, most, change
        if not self.is_listed:
            return
        self.require(count <= _MOST_INPUTS, "there are too many inputs")
        listed = [single(u) for u in self.inputs]
        for i, u in enumerate(listed):
            for j, v in enumerate(listed):
                if i != j and u != v and self.are(u, v):
                    yield i, j

    def are(self, u: list[Any], v: list[Any]) -> bool:
        """Whether two inputs are adjacent, given by their single values."""
        name, most, change = self.adjacency
        if name != "source":
            return _are_adjacent(u, v, most, change)
        try:
            found = [self.derivation.related(most, *pair) for pair in ((u, v), (v, u))]
        except (UnsupportedError, WrongProgramError) as error:
            self.require(False, f"the adjacency is not derived: {error}")
        right = all(type(one) is bool for one in found) and found[0] == found[1]
        self.require(right, "the adjacency is not symmetric, or not True or False")
        return bool(found[0])

    # The whole ------------------------------------------------------------------------

    def prepare(self, parts: dict[str, Any], *, is_true: bool) -> None:
        """Read the signs and the distributions."""
        self.read_signs(self.entries(parts["signs"]))
        for proof in self.signs:
            if proof.on is not None and covers(proof.on, self.epsilon):  # not a sign on a cone
                self.functions.add(proof.function)
        given = self.entries(parts["distributions"], len(self.inputs))
        self.read_events(given)
        self.chances = [self.distribution(k, one) for k, one in enumerate(given)]
        self.require(is_true or not self.entries(parts["pieces"]), "nothing else is proved")

    def is_proved(self, function: Ratio) -> bool:
        """Whether a function is proved to be ≥ 0 for every ε of the claim."""
        return function == 0 or self.functions.has(function)

    def holds(self, parts: dict[str, Any]) -> str:
        """Check the bounds at all pairs, and return how the claim is proved."""
        self.where = "the claim"
        mixed = self.events.mixed
        self.require(not (mixed and self.not_derived), "masses far out are not derived")
        self.require(not (mixed and self.is_range), "masses far out fall at different rates")
        far = [self.steps_at(u, mixed) for u in self.inputs]
        right = self.is_proved(self.delta)
        self.require(right and self.pairs, "it says nothing, or δ is not seen to be ≥ 0")
        pieces = self.entries(parts["pieces"], len(self.pairs) if self.real_events else 0)
        bounds = 0
        for k, (i, j) in enumerate(self.pairs):
            self.where = f"the pair {i}, {j}"
            self.parted = self.densities(i, j, pieces[k]) if pieces else {}
            self.far = self.differences(far[i], far[j])
            for bound in self.bounds(self.chances[i], self.chances[j]):
                bounds += 1
                self.require(self.is_proved(bound), "a bound is not proved")
        return (
            f"{counted(bounds, 'bound')} at {counted(len(self.pairs), 'pair')} of inputs, "
            "each is proved"
        )

    # Distributions --------------------------------------------------------------------

    def read_events(self, given: list[Any]) -> None:
        """Read the outputs that have a probability at some input, by events."""
        self.where = "the outputs"
        listed = [
            values.value(self, self.pair(one)[0]) for each in given for one in self.entries(each)
        ]
        self.events = Events(list({repr(one): one for one in listed}.values()))
        self.require(self.events.are_disjoint(), "an event has an output of another one")
        self.real_events = [one for one in self.events.every if has_reals(one)]
        right = not self.real_events or not (self.is_range or self.delta == 0)
        self.require(right, "intervals of reals are compared for δ")

    def densities(self, i: int, j: int, given: Any) -> dict[str, int]:
        """Return the sign that p − e^b·p′ has on each event with real numbers, as is proved.

        p and p′ are densities on the cone of (ε, y) with y in the event.
        """
        found: dict[str, int] = {}
        listed = self.entries(given, len(self.real_events))
        for event, one in zip(self.real_events, listed, strict=True):
            turn, proof = self.pair(one)
            sides = interval_sides(event)
            region = PolyhedralCone(1 + len(sides), self)
            region = region.cut(axis(0, 1 + len(sides)))
            for side in (side for pair in sides for side in pair):
                region = region.cut(side)
            p, q = (self.density(region, k, wanted(event)) for k in (i, j))
            sign = self.integer(turn, -1, 1)
            self.require(sign, "a sign is 0")
            self.bound_is_proved(region, (p - self.factor * q) * sign, proof)
            found[repr(event)] = sign
        return found

    def density(self, region: PolyhedralCone, k: int, pattern: Any) -> Ratio:
        """Return the density of the numbers of a pattern at an input, from the program."""
        program = ProgramOnCone(self.derivation, region, single(self.inputs[k]))
        return self.needed("densities", lambda: density(program, pattern))

    def steps_at(self, u: Input, mixed: dict[str, Any]) -> dict[str, list[Ratio]]:
        """Return the numbers d_j of the masses far out at an input, for events that need them."""
        if not mixed:
            return {}
        program = ProgramOnCone(self.derivation, self.ray(), single(u))
        return self.needed(
            "masses far out",
            lambda: {key: self.events.steps(event, program) for key, event in mixed.items()},
        )

    def differences(
        self, one: dict[str, list[Ratio]], two: dict[str, list[Ratio]]
    ) -> dict[str, list[Ratio]]:
        """Return the numbers d_j of p − e^b·p′; with δ, the sign of each must be proved."""
        found = {
            key: [a - self.factor * b for a, b in zip(one[key], two[key], strict=True)]
            for key in one
        }
        for key, steps in found.items() if self.delta != 0 else ():
            self.parted[key] = 1 if all(map(self.is_proved, steps)) else -1
            right = all(self.is_proved(step * self.parted[key]) for step in steps)
            self.require(right, "the sign of masses far out is not proved")
        return found

    def distribution(self, k: int, given: Any) -> Chances:
        """Return the probabilities of outputs at an input: as stated, and derived again."""
        self.where = f"the distribution {k}"
        stated: Chances = {}
        for one in self.entries(given):
            output, form = self.pair(one)
            key = repr(values.value(self, output))
            self.require(key not in stated, "an output occurs twice")
            stated[key] = self.quotient(form)
        found = self.derive("distributions", lambda: self.outcomes(self.inputs[k]))
        if found is not None:
            right = found.keys() == stated.keys()
            right = right and all(found[key] == stated[key] for key in found)
            self.require(right, "it is not that of the program")
        total = sum(stated.values(), Ratio.number(0))
        self.require(total == 1, "the probabilities do not sum to 1")
        return stated

    def outcomes(self, u: Input) -> Chances:
        """Return the probabilities of outputs at an input, from the program."""
        return self.events.chances(ProgramOnCone(self.derivation, self.ray(), single(u)))

    # Bounds ---------------------------------------------------------------------------

    def bounds(self, one: Chances, two: Chances) -> Iterator[Ratio]:
        """Yield what must be proved to be ≥ 0 at a pair of inputs."""
        none = Ratio.number(0)
        if self.is_range:
            for first, second in permutations({**one, **two}, 2):
                if first in one and second in two:
                    yield self.loss(one, two, [first, second])
            return
        gains = {key: one[key] - self.factor * two.get(key, none) for key in one}
        if self.delta == 0:
            for key, gain in gains.items():
                yield from (-step for step in self.far.get(key, [gain]))
            return
        apart = self.parted
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

    # Counterexamples ------------------------------------------------------------------

    def counterexample(self, given: Any) -> None:
        """Check that at two adjacent inputs, an ε and some outputs the claim is false."""
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
        gap = self.gap(u, v, listed, cell)
        self.require(self.sign_of(gap, EvaluationPoint(point, precision)) < 0, "it is none")

    def gap(self, u: list[Any], v: list[Any], outputs: list[Any], cell: Any) -> Ratio:
        """Return by how much the bound on some outputs holds, with the stated probabilities."""
        self.require(cell is None, "a density is not compared so")
        listed = [single(one) for one in self.inputs]
        one, two = (self.chances[listed.index(each)] for each in (u, v))
        return self.loss(one, two, self.keys(outputs))

    def keys(self, outputs: list[Any]) -> list[str]:
        """Return the keys of different outputs, two for bounded range."""
        found = [repr(frozen(one)) for one in outputs]
        right = len(set(found)) == len(found) and (not self.is_range or len(found) == 2)
        self.require(right, "the outputs are not as they must be")
        return found


def _are_adjacent(u: list[Any], v: list[Any], most: Any, change: Fraction | None) -> bool:
    """Whether two inputs are adjacent by linf, l1, or a number of entries that change."""
    if isinstance(most, int):
        moved = [(a, b) for a, b in zip(u, v, strict=True) if a != b]
        return len(moved) <= most and (
            change is None or all(abs(Fraction(a) - Fraction(b)) <= change for a, b in moved)
        )
    gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(u, v, strict=True)]
    assert change is not None
    return not is_beyond(most, norm(most, gaps), change, strict=False)

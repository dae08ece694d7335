"""Outputs with noise by events: integers one by one or from some on, and intervals of reals.

A number with real noise is any given number with probability 0. So an interval means the numbers
with real noise in it, and a number without noise in it is another event: the one has a density, the
other is a set without length.

**Far out.** From some integer on, the masses at all inputs must be multiples of e^{rεn}, with one r
for all of them: then p(u, n)/p(u′, n) is the same for every such n, and equal to the ratio of the
probabilities of the whole event. So what is proved of the event holds for each of its outputs.

If they are sums of several n^i·e^{rεn}, let x₁ ≤ … ≤ x_m be the factors e^{±rε} from an integer to
the next one, each as often as it has powers, and d_j = [(E − x₁)…(E − x_{j−1}) g](N), with E the
shift, for g = p − e^b·p′ and the first integer N. By Newton's form of k ↦ x^k, g(N + k) is a sum of
nonnegative multiples of all d_j. So if no d_j is positive, then g is not; likewise for ≥ 0.
A counterexample needs only the probabilities of its own outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

from .derivation import TakenPath
from .distances import holds_noise, is_integer_noise
from .lattices import Masses, antidifference, grown, scale, total_of, whole_rows
from .linear import LinearForm, is_number
from .output_densities import REAL
from .parametric import ProgramOnCone
from .programs import frozen
from .ratios import Ratio, UnsupportedError
from .runs import Condition
from .values import OutputRange

Far = list[tuple[LinearForm, OutputRange]]
Sequences = set[tuple[tuple[int, ...], tuple[Fraction, ...]]]  # powers i and rates r


def has_stretch(event: Any) -> bool:
    """Whether an event has more than one output."""
    return (
        any(map(has_stretch, event)) if isinstance(event, tuple) else isinstance(event, OutputRange)
    )


def overlap(one: Any, two: Any) -> bool:
    """Whether two events may have an output in common; single numbers of reals do not count."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(overlap, one, two))
    if isinstance(two, OutputRange):
        one, two = two, one
    if not isinstance(one, OutputRange):
        return repr(one) == repr(two)
    if isinstance(two, OutputRange):
        if one.is_whole != two.is_whole:
            return True
        low, high = max(one.lower, two.lower), min(one.upper, two.upper)
        return low <= high if one.is_whole else low < high
    return one.is_whole and is_number(two) and bool(one.lower <= two <= one.upper)


def has_reals(event: Any) -> bool:
    """Whether an event has an interval of reals."""
    if isinstance(event, tuple):
        return any(map(has_reals, event))
    return isinstance(event, OutputRange) and not event.is_whole


def wanted(event: Any) -> Any:
    """Return the pattern of the outputs of an event."""
    if isinstance(event, tuple):
        return tuple(map(wanted, event))
    return REAL if isinstance(event, OutputRange) else event


def interval_sides(event: Any) -> list[list[tuple[Fraction, ...]]]:
    """Return, for each real number y of an event, the sides of the cone of (ε, y, …) it is in."""
    parts = _intervals(event)
    found = []
    for k, part in enumerate(parts, start=1):
        unit = [Fraction(j == k) for j in range(1 + len(parts))]
        sides = []
        for end, sign in ((part.lower, 1), (part.upper, -1)):
            if isinstance(end, Fraction):
                sides.append((-sign * end, *(sign * q for q in unit[1:])))
        found.append(sides)
    return found


def _intervals(event: Any) -> list[OutputRange]:
    if isinstance(event, tuple):
        return [part for one in event for part in _intervals(one)]
    return [event] if isinstance(event, OutputRange) else []


class Events:
    """The events of a claim, and the rates of those far out."""

    def __init__(self, every: Sequence[Any]) -> None:
        self.every = list(every)
        self.sequences: dict[str, Sequences] = {}

    @property
    def mixed(self) -> dict[str, Any]:
        """The events far out whose masses are not multiples of one e^{rεn}."""
        return {
            key: event
            for event in self.every
            if (key := repr(event)) in self.sequences
            and (len(self.sequences[key]) > 1 or any(any(p) for p, _ in self.sequences[key]))
        }

    def steps(self, event: Any, program: ProgramOnCone) -> list[Ratio]:
        """Return the numbers d_j of the masses of an event far out."""
        stretches = _intervals(event)
        if len(stretches) != 1:
            raise UnsupportedError("far out, several integers fall at several rates")
        (part,) = stretches
        turn = 1 if part.upper == inf else -1
        powers: dict[Fraction, int] = {}
        for (power,), (rate,) in self.sequences[repr(event)]:
            powers[turn * rate] = max(power + 1, powers.get(turn * rate, 0))
        factors = [Ratio(grown(r)) for r in sorted(powers) for _ in range(powers[r])]
        singles = [_at(event, int(part.end) + turn * k) for k in range(len(factors))]
        chances = Events(singles).chances(program)
        row = [chances.get(repr(one), Ratio.number(0)) for one in singles]
        found = []
        for factor in factors:
            found.append(row[0])
            row = [b - factor * a for a, b in pairwise(row)]
        return found

    def are_disjoint(self) -> bool:
        """Whether no event of more than one output has one in common with another event."""
        return not any(
            has_stretch(one) and overlap(one, two)
            for k, one in enumerate(self.every)
            for j, two in enumerate(self.every)
            if j != k
        )

    def chances(self, program: ProgramOnCone) -> dict[str, Ratio]:
        """Return the probabilities of the events, except of those that have none."""
        found: dict[str, Ratio] = {}

        def add(event: Any, mass: Ratio) -> None:
            if mass != 0:
                key = repr(event)
                found[key] = found[key] + mass if key in found else mass

        for way in program.ways:
            if not holds_noise(way.output):
                add(frozen(way.output), program.mass(way, []))
                continue
            for event in self.every:
                conditions: list[Condition] = []
                far: Far = []
                if _fits(way.output, event, conditions, far):
                    add(event, self._mass(program, way, event, conditions, far))
        return {key: chance for key, chance in found.items() if chance != 0}

    def _mass(
        self,
        program: ProgramOnCone,
        way: TakenPath,
        event: Any,
        conditions: list[Condition],
        far: Far,
    ) -> Ratio:
        """Return the probability of a way with conditions, and integers far out."""
        if not far:
            return program.mass(way, conditions)
        path, lattices = way.path, program.derivation.lattices
        rest = Ratio.lifted(program.chance(way, []))
        whole = way.whole(conditions)
        places = range(len(path.noises), len(path.noises) + len(far))
        own: list[Condition] = []
        for place, (form, part) in zip(places, far, strict=True):
            number = LinearForm({place: Fraction(1)}, Fraction(0), path)
            whole.append((form - number, "=="))
            own.append((number - part.end, ">=" if part.upper == inf else "<="))
        names = sorted({name for form, _ in whole for name in form.coefficients} - {*places})
        rows = whole_rows([*whole, *own], [*names, *places])
        if rows is None:
            return Ratio.number(0)
        cells = lattices.summed([path.noises[name] for name in names], rows, len(far))
        left = whole_rows(own, [*names, *places])
        if any(one != left for one in cells):
            raise UnsupportedError("far out, integers are not compared with noise in one way")
        masses = cells.get(left, {}) if left is not None else {}
        for_all = way.weight * rest * scale(path.noises, names)
        return self._geometric(event, masses, far, len(names)) * for_all

    def _geometric(self, event: Any, masses: Masses, far: Far, count: int) -> Ratio:
        """Return the sum of masses over all integers far out: sums of n^i·e^{rεn}."""
        found = Ratio.number(0)
        for kind in {(key[0][count:], key[1][count:]) for key in masses}:
            self.sequences.setdefault(repr(event), set()).add(kind)
            alike = (key for key in masses if (key[0][count:], key[1][count:]) == kind)
            part = total_of({key: masses[key] for key in alike})
            for power, r, (_, stretch) in zip(*kind, far, strict=True):
                if r == 0 or (r < 0) != (stretch.upper == inf):
                    raise UnsupportedError("far out, the masses of integers do not fall")
                part = part * _tail(power, r, stretch)
            found = found + part
        return found


def _tail(power: int, r: Fraction, part: OutputRange) -> Ratio:
    """Return Σ n^i·e^{rεn} over all integers of a stretch to ∞, or from −∞."""
    end = Fraction(part.end)
    if part.upper != inf:  # Σ over m ≥ −end of (−m)^i·e^{−rεm}
        end, r = -end, -r
    under = Ratio(grown(abs(r))) - 1
    parts = enumerate(antidifference(power, r))
    found = sum((Ratio(over) * end**j / under**n for j, (over, n) in parts), Ratio.number(0))
    sign = -1 if part.upper == inf or power % 2 == 0 else 1
    return found * sign * Ratio(grown(r * end))


def _at(event: Any, number: int) -> Any:
    """Return an event with an integer for its stretch."""
    if isinstance(event, tuple):
        return tuple(_at(one, number) for one in event)
    return number if isinstance(event, OutputRange) else event


def _fits(output: Any, event: Any, conditions: list[Condition], far: Far) -> bool:
    """Whether an output with noise can be in an event; the conditions go to two lists."""
    if isinstance(output, tuple) or isinstance(event, tuple):
        if not (
            isinstance(output, tuple) and isinstance(event, tuple) and len(output) == len(event)
        ):
            return False
        pairs = zip(output, event, strict=True)
        return all(_fits(a, b, conditions, far) for a, b in pairs)
    if not holds_noise(output):
        if isinstance(event, OutputRange):
            if is_number(output) and overlap(event, output):
                raise UnsupportedError("a number without noise is in an interval of outputs")
            return False
        return repr(frozen(output)) == repr(event)
    if is_integer_noise(output):
        if isinstance(event, OutputRange):
            if not event.is_whole:
                return False
            far.append((output, event))
            return True
        if is_number(event):
            conditions.append((output - event, "=="))
        return is_number(event)
    if not isinstance(event, OutputRange) or event.is_whole:
        return False  # real noise equals a number with probability 0
    for end, op in ((event.lower, ">="), (event.upper, "<=")):
        if not isinstance(end, float):
            conditions.append((output - end, op))
    return True

"""The pairs of inputs of a privacy claim, and their regions of parameters.

A listed pair is a ray, on which only ε is free. Where entries of u and u′ are free, parameters are
ε, the first input u and the difference u′ − u, the latter two multiplied by ε: a cone whose sides
express that u and u′ are adjacent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.patterns import reals_in
from exactdp.claims.regions.of_inputs import (
    basis,
    combined,
    entry_forms,
    region_at,
    sides_within,
)
from exactdp.claims.regions.region import Combination, Region
from exactdp.claims.stated.adjacency import Adjacency, Ball
from exactdp.claims.stated.inputs import (
    Grid,
    as_given,
)
from exactdp.claims.stated.scope import FREE, Part, with_zeros_in
from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.events import State
from exactdp.language.layout import assembled, entries, entry_names, kinds
from exactdp.language.program import Program
from exactdp.language.values import Value, plain
from exactdp.reals.numbers import inf
from exactdp.semantics.by_epsilon import sides_of_eps
from exactdp.semantics.engine import Engine

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy

_ZERO = Fraction(0)
_MOST_PAIRS = 2_000_000
_MOST_SAMPLES = 243
_MOST_MOVED = 500

Entries = tuple[Value, ...]
Pair = tuple[Entries, Entries]


class Pairs:
    """Listed pairs of inputs, each taken in both directions, regardless of adjacency.

    >>> from exactdp import Mechanism, Pairs, Privacy
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> Privacy(count, inputs=Pairs((0, 1))).check().holds
    True
    """

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
        """Yield the pairs as flat tuples, in both directions."""
        for one in self.pairs:
            u, v = (tuple(entries(mechanism.read_input(side))) for side in one)
            yield u, v
            yield v, u

    def __repr__(self) -> str:
        return f"Pairs({', '.join(map(shown, self.pairs))})"


def listed_pairs(claim: Privacy) -> tuple[Pair, ...]:
    """Return the ordered pairs of distinct adjacent inputs, as flat tuples."""
    mechanism, adjacency = claim.mechanism, claim.adjacency
    if isinstance(claim.inputs, Pairs):
        return tuple(dict.fromkeys(one for one in claim.inputs.read(mechanism) if one[0] != one[1]))
    inputs = [tuple(entries(u)) for u in claim.scope.listed()]
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
    numbers = claim.scope.grid
    if numbers is None and claim.inputs is not None:
        return None
    return [
        numbers or [] if kind is None else kind.members for kind in kinds(claim.mechanism.inputs)
    ]


def pairs_of_parts(claim: Privacy) -> tuple[Pair, ...]:
    """Return the ordered pairs of parts that contain distinct adjacent inputs."""
    if not claim.scope.free:
        return listed_pairs(claim)
    parts = list(claim.scope.parts())
    return tuple([(u, v) for u, v in product(parts, repeat=2) if _balls(claim, u, v)])


# Regions ------------------------------------------------------------------------------


def _balls(claim: Privacy, u: Part, v: Part) -> list[Ball]:
    """Return polytopes whose union is the set of changes between two parts of the inputs."""
    one, two = ([value for value in part if value is not FREE] for part in (u, v))
    return claim.adjacency.polytopes(one, two, u.count(FREE))


def regions_of_pair(
    claim: Privacy, u: Part, v: Part, known: set[object] | None = None
) -> Iterator[Region]:
    """Yield the regions of two parts of the inputs: for all finite outputs and for each pattern.

    Patterns with the same data as another pair (`known`) are skipped.
    """
    patterns = claim.losses.patterns(u, v)
    if known is not None and patterns:
        seen = [claim.losses.seen_of(u, v, one) for one in patterns]
        patterns = [one for one, key in zip(patterns, seen, strict=True) if key not in known]
        known.update(seen)
    if FREE in u:
        yield from regions_of_parts(claim, (u, v), [None, *patterns], _balls(claim, u, v))
        return
    yield region_at(claim.scope, (*u, *v), constants_at(claim, u, v), claim.epsilon)
    yield from regions_of_parts(claim, (u, v), patterns)


def constants_at(claim: Privacy, *parts: Part) -> tuple[str, ...]:
    """Return the parameter for 1/ε or a logarithm over ε that is combined with reals, if any.

    It is the one that occurs in some of the given parts of the inputs.
    """
    if not claim.has_inverse_eps:
        return ()
    given = (assembled(claim.mechanism.inputs, with_zeros_in(one)) for one in parts)
    return (claim.mechanism.kept(Engine).unit("Privacy is decided", *given),)


def released(pattern: Value, taken: Sequence[str] = ()) -> list[str]:
    """Return names for the real numbers of an output."""
    return _unused("output", reals_in(pattern), taken)


def _unused(name: str, count: int, taken: Sequence[str]) -> list[str]:
    """Return names for parameters that differ from those of the inputs."""
    while any(one.partition("[")[0] == name for one in taken):
        name += "_"
    return [f"{name}[{k}]" for k in range(count)]


def regions_of_parts(
    claim: Privacy,
    parts: Sequence[Part],
    patterns: Sequence[Value | None],
    balls: Sequence[Ball] = (((), []),),
) -> Iterator[Region]:
    """Yield a region for each polytope of changes between two parts of the inputs and each pattern.

    The real numbers of a pattern are parameters; there are none without a pattern. A part may be
    alone.
    """
    program, labels = claim.mechanism, entry_names(claim.mechanism.inputs)
    reals = claim.scope.free_in(parts[0])
    units = constants_at(claim, *parts)
    steady = claim.has_inverse_eps and not program.kept(Engine).jumps_in_eps
    for (moving, sides), pattern in product(balls, patterns):
        changes = _unused("change", len(moving), labels)
        outputs = [] if pattern is None else released(pattern, labels if reals else ())
        names = ("eps", *units, *reals, *changes, *outputs)
        unit = basis(names)
        one = [unit[name] for name in reals]
        two, moves = list(one), [unit[change] for change in changes]
        for k, move in zip(moving, moves, strict=True):
            two[k] = combined((Fraction(1), Fraction(1)), (one[k], move))
        walls = sides_of_eps(claim.epsilon, units, names)
        for side in sides:
            factors = side.most, *(-q for q in side.changes), *(-q for q in side.inputs)
            walls.append(combined(factors, [unit["eps"], *moves, *one[: len(side.inputs)]]))
        entries: list[Value | Combination] = []
        for place, part in zip((one, two), parts, strict=False):
            if reals:
                walls += sides_within(claim.scope, unit["eps"], place)
            entries += entry_forms(program, part, unit["eps"] if units else None, place)
        if pattern is not None:
            entries += [pattern, *(Combination(unit[name]) for name in outputs)]
        about = None if pattern is None else State(-1, (pattern,))
        cone = Cone.of(len(names), walls)
        region = Region(names, cone, tuple(entries), claim.epsilon, output=about)
        if not reals:
            yield region
        elif (whole := replace(region, is_steady=steady and len(parts) > 1).hull()) is not None:
            u, v = whole.entries[: len(labels)], whole.entries[len(labels) : 2 * len(labels)]
            if len(parts) == 1 or u != v:  # in a box with one input nothing is left to compare
                yield whole


def refuse_everywhere(claim: Privacy) -> None:
    """Refuse claims that are not supported for all reals."""
    if claim.mechanism.kept(Engine).divides:
        raise ValueRefusedError(
            "a quotient of noise is released, and the claim is about all real inputs",
            rule="A quotient of noise can only be compared: its density is not a closed form in ε.",
            way_out="Release the parts, or what the quotient is compared with.",
        )
    if claim.mechanism.kept(Engine).has_integers:
        raise ValueRefusedError(
            "the mechanism samples integers or rounds, and the claim is about all real inputs",
            rule="Claims about all real inputs need real noise (lap, expo).",
            way_out="Give inputs=Grid(lo, hi) or a list, or use Dom inputs.",
        )
    adjacency, domains = claim.adjacency, kinds(claim.mechanism.inputs)
    reals = domains.count(None)
    some = [kind.members[0] for kind in domains if kind is not None]
    adjacency.polytopes(some, some, reals)  # refuses what is not a set of linear conditions
    if isinstance(adjacency, Own) or not claim.scope.has_all:
        return
    # A mechanism that compares inputs without noise may clamp them.
    if not adjacency.corners(reals) and not claim.mechanism.kept(Engine).jumps:
        raise ValueRefusedError(
            f"by {adjacency} a real entry of the input may change by any amount",
            rule="For all real inputs the change must be bounded, unless the mechanism clamps its "
            "inputs: no noise hides arbitrary changes.",
            way_out="Write one_entry(d) with the largest change d, clamp inputs, or give a Box.",
        )


def samples_of(claim: Privacy) -> Grid | list[Value] | Pairs | None:
    """Return a few inputs of a set of reals, including neighbours; None if there are too many.

    If adjacency is a function, their neighbours are at its corners, and pairs are returned; also if
    there are so many real numbers that only zeros are compared with the corners.
    """
    if not claim.scope.free:
        return None
    mechanism, adjacency = claim.mechanism, claim.adjacency
    domains, is_own = kinds(mechanism.inputs), isinstance(adjacency, Own)
    corners = adjacency.corners(domains.count(None))
    radius = max((abs(q) for corner in corners for q in corner), default=Fraction(0)) or Fraction(1)
    ends = iter(claim.scope.ends)
    numbers = [
        list(kind.members) if kind is not None else _near(*next(ends), radius) for kind in domains
    ]
    count = prod(map(len, numbers))
    is_all = claim.scope.has_all and not any(domains) and not is_own
    if count > _MOST_SAMPLES:
        if not is_all or not 0 < len(corners) <= _MOST_SAMPLES:
            return None
        zeros: Entries = (0,) * len(domains)
        return Pairs(*(claim.told(zeros, tuple(map(plain, one))) for one in corners))
    if is_all:
        return Grid(-radius, radius, radius)
    listed: list[Entries] = [tuple(plain(x) for x in one) for one in product(*numbers)]
    if not is_own:
        return [as_given(mechanism, assembled(mechanism.inputs, u)) for u in listed]
    moved = corners if count * len(corners) <= _MOST_MOVED else []
    pairs = [(u, v) for u in listed for v in (*listed, *_moved(claim, u, moved))]
    found = dict.fromkeys((u, v) for u, v in pairs if u != v and adjacency.are(u, v))
    return Pairs(*(claim.told(u, v) for u, v in found)) if found else None


def _near(low: Any, high: Any, radius: Fraction) -> list[Value]:
    """Return a number between two bounds, which may be infinite, and two numbers near it."""
    middle = (low + high) / 2 if -inf < low and high < inf else min(max(Fraction(0), low), high)
    return sorted({max(low, middle - radius), middle, min(high, middle + radius)})


def _moved(
    claim: Privacy, u: Entries, corners: Sequence[tuple[Fraction, ...]]
) -> Iterator[Entries]:
    """Yield the inputs of a claim that differ from one of real numbers by a corner."""
    ends = claim.scope.ends
    for corner in corners:
        v = tuple(Fraction(x) + q for x, q in zip(u, corner, strict=True))
        if all(low <= x <= high for x, (low, high) in zip(v, ends, strict=True)):
            yield tuple(plain(x) for x in v)

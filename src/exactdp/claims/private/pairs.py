"""The pairs of inputs of a privacy claim, and their regions of parameters.

A listed pair is a ray, on which only ε is free. For all reals, the parameters are ε, the first
input u and the difference u′ − u, the latter two multiplied by ε: a cone whose sides express that u
and u′ are adjacent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.patterns import reals_in
from exactdp.claims.regions.of_inputs import (
    basis,
    combined,
    listed_forms,
    real_forms,
    region_at,
    sides_within,
)
from exactdp.claims.regions.region import Combination, Region
from exactdp.claims.stated.adjacency import Adjacency, Ball
from exactdp.claims.stated.inputs import (
    Grid,
    as_given,
)
from exactdp.claims.stated.scope import FREE
from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError, shown
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


# All reals and boxes ------------------------------------------------------------------


def pairs_everywhere(claim: Privacy) -> Iterator[tuple[Region, ...]]:
    """Yield the regions of all pairs of reals, for each pair of finite parts of the inputs."""
    domains = kinds(claim.mechanism.inputs)
    members = [kind.members for kind in domains if kind is not None]
    for u in product(*members):
        for v in product(*members):
            balls = claim.adjacency.polytopes(u, v, domains.count(None))
            if balls:
                yield tuple(regions_of_reals(claim, balls, u, v))


def regions_of_pair(
    claim: Privacy, u: Entries, v: Entries, known: set[object] | None = None
) -> Iterator[Region]:
    """Yield the regions of a listed pair: one for all finite outputs, one for each other pattern.

    In the latter, the real numbers of the output are parameters. Patterns with the same data as
    another pair (`known`) are skipped.
    """
    on, units = claim.epsilon, constants_at(claim, u, v)
    yield region_at(claim.mechanism, (*u, *v), units, on)
    for pattern in claim.losses.patterns(u, v):
        if known is not None:
            seen = claim.losses.seen_of(u, v, pattern)
            if seen in known:
                continue
            known.add(seen)
        outputs = released(pattern)
        names = ("eps", *units, *outputs)
        numbers = [Combination(basis(names)[name]) for name in outputs]
        given = listed_forms(claim.mechanism, (*u, *v), len(names)) if units else (*u, *v)
        cone = Cone.of(len(names), sides_of_eps(on, units, names))
        yield Region(names, cone, (*given, pattern, *numbers), on)


def constants_at(claim: Privacy, *inputs: Entries) -> tuple[str, ...]:
    """Return the parameter for 1/ε or a logarithm over ε that is combined with reals, if any.

    It is the one that occurs at some of the given inputs, of which only the finite parts matter.
    """
    if not claim.has_inverse_eps:
        return ()
    given = (assembled(claim.mechanism.inputs, u) for u in inputs)
    return (claim.mechanism.kept(Engine).unit("Privacy is decided", *given),)


def released(pattern: Value, taken: Sequence[str] = ()) -> list[str]:
    """Return names for the real numbers of an output."""
    return _unused("output", reals_in(pattern), taken)


def _unused(name: str, count: int, taken: Sequence[str]) -> list[str]:
    """Return names for parameters that differ from those of the inputs."""
    while any(one.partition("[")[0] == name for one in taken):
        name += "_"
    return [f"{name}[{k}]" for k in range(count)]


def regions_of_reals(
    claim: Privacy, balls: Sequence[Ball], first: Entries, second: Entries | None
) -> Iterator[Region]:
    """Yield a region of parameters for each polytope of differences; for one input if it is alone.

    `first` and `second` are the finite entries of the inputs.
    """
    domains = kinds(claim.mechanism.inputs)
    labels = entry_names(claim.mechanism.inputs)
    reals = [name for name, kind in zip(labels, domains, strict=True) if kind is None]
    listed = [first] if second is None else [first, second]
    units = constants_at(claim, *(_whole(claim, finite) for finite in listed))
    for (moving, sides), pattern in product(balls, (None, *_patterns(claim, listed))):
        changes = _unused("change", len(moving), labels)
        outputs = [] if pattern is None else released(pattern, labels)
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
        for place, finite in zip((one, two), listed, strict=False):
            walls += sides_within(claim.scope, unit["eps"], place)
            entries += real_forms(_whole(claim, finite, FREE), place)
        if pattern is not None:
            entries += [pattern, *(Combination(unit[name]) for name in outputs)]
        cone = Cone.of(len(names), walls)
        steady = claim.has_inverse_eps and not claim.mechanism.kept(Engine).jumps_in_eps
        steady = steady and second is not None
        whole = Region(names, cone, tuple(entries), claim.epsilon, is_steady=steady).hull()
        if whole is not None:
            yield whole


def _patterns(claim: Privacy, listed: Sequence[Entries]) -> list[Value]:
    """Return the patterns of outputs with real numbers, for finite parts of the inputs."""
    if claim.delta_form:
        return []  # outputs are not compared by densities
    engine = claim.mechanism.kept(Engine)
    found: dict[Value, None] = {}
    for finite in listed:
        whole = assembled(claim.mechanism.inputs, _whole(claim, finite))
        found |= dict.fromkeys(engine.patterns(whole))
    return claim.losses.with_reals(found)


def _whole(claim: Privacy, finite: Entries, real: Any = _ZERO) -> Entries:
    """Return the entries of an input with certain finite ones; the real ones are all the same."""
    rest = iter(finite)
    domains = kinds(claim.mechanism.inputs)
    return tuple(real if kind is None else next(rest) for kind in domains)


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

"""The spaces of parameters of a claim of privacy: pairs of adjacent inputs and their outputs.

A pair of inputs is a point of a space (ε, u, u′ − u, y), each multiplied by ε, with y the real
numbers of the output; the adjacency is a polytope of u′ − u. The checker lists these spaces itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple

from .cones import PolyhedralCone, UndecidedError, axes, axis
from .derivation import single
from .output_densities import pattern_of, reals_in
from .parametric import At, ProgramOnCone
from .points import InsideCone, number_of
from .privacy import Privacies
from .ratios import UnsupportedError

Ball = tuple[tuple[int, ...], list[tuple[tuple[Fraction, ...], Fraction]]]
"""Entries that move, and sides Σ q·d ≤ c of their differences d."""


class PairSpace(NamedTuple):
    """Parameters, and two inputs as linear forms in them; for slopes there is only one."""

    one: list[Any]
    two: list[Any] | None
    pattern: Any
    """The pattern of outputs that is compared by densities (for bounded range, a pair of them);
    None for all finite outputs."""
    reals: int
    """How many real numbers it has; they are the last parameters."""
    region: PolyhedralCone


class PairSpaces(Privacies):
    """A claim of privacy, and its spaces of pairs."""

    by_slopes = False
    adjacent_tree: Any = None
    """Where an adjacency that is a function holds."""
    found_corners: list[tuple[Fraction, ...]] | None = None

    @property
    def members(self) -> list[tuple[Any, ...] | None]:
        """The members of the domains of single values; None for reals."""
        return self.derivation.members

    def spaces(self) -> Iterator[PairSpace]:
        """Yield spaces that together contain all pairs of the claim."""
        if self.is_listed:
            for i, j in self.pairs:
                one, two = single(self.inputs[i]), single(self.inputs[j])
                for pattern in (None, *self.patterns(one, two)):
                    yield self.pair_space(one, two, pattern, 1, [])
            return
        reals = self.members.count(None)
        if self.by_slopes:
            right = reals == len(self.members) and not self.delta.over and not self.is_range
            self.require(right, "slopes are for real inputs and δ = 0")
            one = self.moving(1, 1 + reals)
            for pattern in (None, *self.patterns(one, one, 1 + reals)):
                yield self.pair_space(one, None, pattern, 1 + reals, [])
            return
        finite = [members for members in self.members if members is not None]
        for first in product(*finite):
            for second in product(*finite):
                for ball in self.balls(first, second):
                    yield from self.of_ball(first, second, *ball)

    def of_ball(
        self,
        first: tuple[Any, ...],
        second: tuple[Any, ...],
        moving: tuple[int, ...],
        sides: list[tuple[tuple[Fraction, ...], Fraction]],
    ) -> Iterator[PairSpace]:
        """Yield the spaces of a polytope of differences, for finite parts of both inputs."""
        reals = self.members.count(None)
        size = 1 + reals + len(moving)
        one = self.moving(1, size, first)
        changed = iter(range(reals))
        two, rest = [], iter(second)
        for entry, members in zip(one, self.members, strict=True):
            if members is not None:
                two.append(next(rest))
                continue
            k, form = next(changed), list(entry.form)
            if k in moving:
                form[1 + reals + moving.index(k)] = Fraction(1)
            two.append(At(tuple(form)))
        walls = [(most, *[Fraction(0)] * reals, *(-q for q in factors)) for factors, most in sides]
        for pattern in (None, *self.patterns(one, two, size)):
            yield self.pair_space(one, two, pattern, size, walls)

    def moving(self, start: int, size: int, finite: tuple[Any, ...] = ()) -> list[Any]:
        """Return the entries of an input whose reals are parameters from a place on."""
        rest, k, found = iter(finite), start, []
        for members in self.members:
            if members is None:
                found.append(At(axis(k, size)))
                k += 1
            else:
                found.append(next(rest))
        return found

    def pair_space(
        self, one: list[Any], two: list[Any] | None, pattern: Any, size: int, walls: Sequence[Any]
    ) -> PairSpace:
        """Return a space with parameters for the real numbers of an output."""
        more = reals_in(pattern)
        whole = size + more

        def wider(form: Sequence[Fraction]) -> tuple[Fraction, ...]:
            return (*form, *(Fraction(0),) * (whole - len(form)))

        both = [
            None if each is None else [At(wider(x.form)) if isinstance(x, At) else x for x in each]
            for each in (one, two)
        ]
        unit = axis(0, whole)
        region = PolyhedralCone(whole, self).cut(unit)
        for wall in walls:
            region = region.cut(wider(wall))
        for each in both:
            for side in self.box_sides(each or [], unit):
                region = region.cut(side)
        assert both[0] is not None
        return PairSpace(both[0], both[1], pattern, more, region)

    def balls(self, first: tuple[Any, ...], second: tuple[Any, ...]) -> list[Ball]:
        """Return polytopes of changes of the real entries: the entries that move, and sides."""
        reals = self.members.count(None)
        units = axes(reals)
        name, most, change = self.adjacency
        self.require(name != "source", "an adjacency that is a function is followed for slopes")
        changed = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
        if name == "entries":
            left = most - len(changed)
            small = change is None or all(
                abs(Fraction(a) - Fraction(b)) <= change for a, b in changed
            )
            if left < 0 or not small:
                return []
            found = []
            for moving in combinations(range(reals), min(left, reals)):
                own = [] if change is None else axes(len(moving))
                sides = [(tuple(s * q for q in unit), change) for unit in own for s in (1, -1)]
                found.append((moving, sides))
            return found
        gaps = [abs(Fraction(a) - Fraction(b)) for a, b in changed]
        if name == "l2":
            self.require(reals == 1 and not gaps, "the changes are not a polytope")
        if name in ("linf", "l2"):
            if max(gaps, default=Fraction(0)) > change:
                return []
            return [
                (
                    tuple(range(reals)),
                    [(tuple(s * q for q in unit), change) for unit in units for s in (1, -1)],
                )
            ]
        rest = change - sum(gaps)
        signs = product((Fraction(1), Fraction(-1)), repeat=reals)
        return [(tuple(range(reals)), [(one, rest) for one in signs])] if rest >= 0 else []

    def corners(self) -> list[tuple[Fraction, ...]]:
        """Return changes of which all others are convex combinations."""
        reals = self.members.count(None)
        name, most, size = self.adjacency
        if name == "source":
            if self.found_corners is None:
                self.found_corners = self.own_corners()
            return self.found_corners
        self.require(size is not None, "a change has no bound")
        if name in ("linf", "l2"):
            return list(product((size, -size), repeat=reals))
        found = []
        for moving in combinations(range(reals), min(most, reals) if name == "entries" else 1):
            for ends in product((size, -size), repeat=len(moving)):
                chosen = dict(zip(moving, ends, strict=True))
                found.append(tuple(chosen.get(k, Fraction(0)) for k in range(reals)))
        return found

    def own_corners(self) -> list[tuple[Fraction, ...]]:
        """Return the corners of an adjacency that is a function.

        Adjacent pairs are points of cones of (ε, u, u′ − u). A point is a sum of multiples of the
        rays of its cone; so u′ − u is a convex combination of those of the rays with ε = 1.
        """
        reals = self.members.count(None)
        found: dict[tuple[Fraction, ...], None] = {}
        for part in self.adjacent_parts(self.adjacent_tree):
            for ray in part.generators:
                change = ray[1 + reals :]
                self.require(ray[0] or not any(change), "a change has no bound")
                if ray[0]:
                    found[tuple(Fraction(q, ray[0]) for q in change)] = None
        self.require(found, "no two inputs are adjacent")
        return list(found)

    def adjacent_parts(self, tree: Any) -> list[PolyhedralCone]:
        """Return closed cones of (ε, u, u′ − u) that hold all adjacent pairs of real inputs.

        A tree cuts all pairs where forms are ≥ 0, ≤ 0 and 0, so that inside each part, which may be
        a face, every comparison of the function has one answer. It states whether the inputs are
        adjacent there; or, by its place, an adjacent part found before that contains the part.
        """
        size = 1 + 2 * self.members.count(None)
        waiting = [(PolyhedralCone(size, self).cut(axis(0, size)), tree)]
        found: list[PolyhedralCone] = []
        while waiting:
            part, node = waiting.pop()
            if isinstance(node, dict):
                listed, above, below, at = self.fields(node, "form above below at")
                form = self.form(listed, size)
                minus = tuple(-q for q in form)
                up = part.cut(form)
                waiting += [(up.cut(minus), at), (part.cut(minus), below), (up, above)]
            elif type(node) is int:
                other = found[self.integer(node, 0, len(found) - 1)]
                right = part.is_within(other.sides)
                self.require(right, "a part of the adjacency is not in another one")
            elif any(ray[0] for ray in part.generators):
                is_adjacent = self.needed("adjacencies", lambda: self.is_adjacent(part))  # noqa: B023
                self.require(node is is_adjacent, "a part of the adjacency is not as stated")
                found += [part] if is_adjacent else []
        return found

    def is_adjacent(self, part: PolyhedralCone) -> bool:
        """Whether all pairs inside a cone of (ε, u, u′ − u) are adjacent, or else none is."""
        judge, reals, units = InsideCone(part), self.members.count(None), axes(part.size)
        one = [number_of(units[1 + k], judge) for k in range(reals)]
        two = [x + number_of(units[1 + reals + k], judge) for k, x in enumerate(one)]
        return self.are(one, two)

    def patterns(self, one: list[Any], two: list[Any], size: int = 1) -> list[Any]:
        """Return the patterns with real noise at two inputs; for bounded range, pairs of them."""
        if self.delta.over:
            return []
        region = PolyhedralCone(size, self).cut(axis(0, size))
        found: dict[str, Any] = {}
        for entries in (one, two):
            program = ProgramOnCone(self.derivation, region, entries)
            try:
                for way in program.ways:
                    pattern = pattern_of(way.output)
                    found.setdefault(repr(pattern), pattern)
            except UndecidedError:
                self.require(False, "the mechanism compares inputs without noise")
            except UnsupportedError as error:
                self.require(False, f"the outputs are not derived: {error}")
        every: list[Any] = [found[key] for key in sorted(found)]
        if self.is_range:
            every = list(product(every, repeat=2))
        return [pattern for pattern in every if reals_in(pattern)]

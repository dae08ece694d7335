"""What a claim of privacy says, and its spaces of parameters: pairs of adjacent inputs.

A pair of inputs is a point of a space (ε, u, u′ − u, y), each multiplied by ε, with y the real
numbers of the output; the adjacency is a polytope of u′ − u. At a listed pair only ε and y move.
The checker lists these spaces itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple

from ..kernel.reading import short
from .cones import PolyhedralCone, UndecidedError, axes, axis
from .derivation import single
from .distances import is_beyond, norm
from .events import interval_sides, wanted
from .formulas import say
from .output_densities import pattern_of, reals_in
from .parametric import At, ProgramOnCone
from .points import InsideCone, number_of
from .proofs import Proofs
from .ratios import EPS, UnsupportedError, WrongProgramError
from .values import counted

_PARTS = "mechanism budget delta adjacent measure epsilon inputs"
_MOST_INPUTS = 3_000

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
    places: tuple[int, int] | None = None
    """The places of two listed inputs."""
    event: Any = None
    """The event with real numbers that is compared at listed inputs (of bounded range, two)."""


class PairSpaces(Proofs):
    """A claim of privacy, and its spaces of pairs."""

    adjacency: tuple[str, Any, Any] = "pairs", None, None
    by_slopes = False
    adjacent_tree: Any = None
    """Where an adjacency that is a function holds."""
    found_corners: list[tuple[Fraction, ...]] | None = None

    # What is claimed ------------------------------------------------------------------

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
        self.pairs = list(dict.fromkeys(self.adjacent(spec["adjacent"])))
        function = self.derivation.mechanism.function
        assert function is not None
        what = "of bounded range" if self.is_range else "private"
        also = f" and δ = {say(('form', self.delta))}" if self.delta != 0 else ""
        self.claim = (
            f"{short(function.name)} is {what} with {budget}{also} "
            f"{self.where_claimed}, for every ε in {self.epsilon.text()}"
            f"{self.facts(spec, 'adjacent inputs mechanism')}"
        )

    def read_budget(self, given: Any) -> str:
        """Read the budget, a multiple of ε or a logarithm, and return it as words."""
        self.multiple: Fraction | None = None
        if isinstance(given, dict):
            (form,) = self.fields(given, "log")
            self.factor = self.quotient(form)
            return f"the budget log({say(('form', self.factor))})"
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
        self.spend(count**2 * (1 + len(listed[0]) // 8), 0)
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

    # Spaces ---------------------------------------------------------------------------

    @property
    def members(self) -> list[tuple[Any, ...] | None]:
        """The members of the domains of single values; None for reals."""
        return self.derivation.members

    def spaces(self) -> Iterator[PairSpace]:
        """Yield spaces that together contain all pairs of the claim."""
        if self.is_listed:
            ray = self.ray()
            for i, j in self.pairs:
                one, two = single(self.inputs[i]), single(self.inputs[j])
                for event in self.real_events_at(i, j):
                    sides = [side for each in interval_sides(event) for side in each]
                    space = self.pair_space(one, two, wanted(event), 1, sides)
                    yield space._replace(places=(i, j), event=event)
                yield PairSpace(one, two, None, 0, ray, (i, j))
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

    def real_events_at(self, i: int, j: int) -> Iterator[Any]:
        """Yield the events with real numbers that are compared at two listed inputs."""
        raise NotImplementedError

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

"""The results computed so far for a claim: cells of regions and signs, kept for later questions.

**Faces.** Under linf and l1, an input u on a face of a cell has arbitrarily small d(u, u′) for u′
in the interior. So if anything is claimed at u (dd > 0), its neighbours have the same ideal output,
and its obligation is the limit of theirs: probability, dd and β are continuous. Under other
distances, and if inputs with dd = α are checked, too, the faces on which the ideal changes are
separate regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from exactdp.claims.decision.problem import Leaf, Problem, Sign
from exactdp.claims.decision.progress import Hear, nobody
from exactdp.claims.regions.places import OnCone, OnCurve, OnLine, OnRay, PlaceDecision, SignPlace
from exactdp.claims.regions.region import RAY, Region, Vector
from exactdp.claims.regions.shapes import Shape
from exactdp.claims.stated.claim import Bound, Due
from exactdp.claims.stated.vacuity import Content
from exactdp.cones import Cone, ConeDecision
from exactdp.language.linear import units_in
from exactdp.reals import ClosedForm, Decision, SolutionSet, nonnegative, supremum
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_ratio import ExpRatio
from exactdp.reals.interval import Interval
from exactdp.reals.spans import as_stretch
from exactdp.running.shared import SharedHashes
from exactdp.semantics.by_epsilon import interval_at_constants
from exactdp.semantics.cells import (
    MOST_CELLS,
    Cell,
    inside,
    next_cell,
    require_few_cells,
    too_many_cells,
)
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Trace, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim
    from exactdp.claims.decision.findings import Finding

Index: TypeAlias = tuple[int, int, int]
"""Of a place, an obligation and an alternative of β on a cell."""

_MOST_AT_INPUT = 400  # cells of (ε, εα, εγ); integer noise has one for each whole number below γ
_MOST_REGIONS, _MOST_SIGNS = 2_000, 20_000  # of earlier groups that are kept
_CUTS = 400  # for each closed form that replaces a maximum
_FEW_CUTS = 20  # to prove that a sum is positive for any value of a logarithm
_ENOUGH_AT_INPUT = 40  # to find a simple counterexample if there are infinitely many cells


@dataclass(frozen=True)
class Frontier:
    """The state of the exploration of a region; immutable, so that an interruption is harmless."""

    waiting: tuple[Cone, ...]
    weights: tuple[float, ...] = (1.0,)
    """The approximate fraction of the region that each of the cones covers."""
    cells: tuple[Leaf, ...] = ()
    sides: frozenset[tuple[Vector, bool]] = frozenset()
    """Where the claim may jump: always, or where the ideal changes."""


@dataclass(frozen=True)
class Explored:
    """A cell of a region, the places in it where signs are decided, and the fraction done."""

    cell: Leaf
    places: tuple[SignPlace, ...]
    share: float
    content: Content | None = None
    """How much the claim says there, if that is known."""
    left: tuple[int, ...] | None = None
    """The indices of obligations that are not decided on another cell; None for all."""
    known: Mapping[Index, Shape | None] = field(default_factory=dict)
    """A known property of problems."""
    name: str = ""
    """The name of the property."""

    def problems(self, region: Region) -> Iterator[Problem]:
        """Yield the sign problems."""
        for _, found in self.indexed(region):
            yield found

    def indexed(self, region: Region) -> Iterator[tuple[Index, Problem]]:
        """Yield the sign problems with the indices of place, obligation and alternative."""
        due = self.cell.result.obligations if self.cell.result else ()
        for p, place in enumerate(self.places):
            for k in range(len(due)) if self.left is None else self.left:
                for alternative in range(len(due[k].beta)):
                    found = Problem(region, self.cell, place, due[k], alternative)
                    index = p, k, alternative
                    if index in self.known:
                        vars(found)[self.name] = self.known[index]
                    yield index, found


class EndlessError(Exception):
    """Raised when a region at a listed input has more cells than the limit."""

    def __init__(self) -> None:
        super().__init__(
            "too many cases of α and γ, as with integer noise and a γ without bound; restrict "
            "gamma, epsilon or alpha"
        )


class Helpers(Protocol):
    """Other processes that explore regions."""

    def expect(self, regions: Sequence[Region]) -> None:
        """Announce which regions are requested next."""

    def steps(self, region: Region) -> Iterator[Explored]:
        """Yield the cells of a region, in the order in which one process finds them."""


@dataclass
class Explorer:
    """The cells of one claim and the decided signs; equal problems are decided once."""

    claim: Claim
    helpers: Helpers | None = None
    shared: SharedHashes | None = None
    """Problems on rays proved by any process, while several work on listed inputs."""
    _explored: dict[Region, Frontier] = field(default_factory=dict)
    _on_rays: dict[object, Decision | PlaceDecision] = field(default_factory=dict)
    _on_cones: dict[Shape, ConeDecision] = field(default_factory=dict)
    _ones: dict[object, bool] = field(default_factory=dict)
    _first: dict[bytes, Cone] = field(default_factory=dict)
    """The first cell with an obligation, by its mark."""
    _told: set[Shape] = field(default_factory=set)
    """Problems on cones decided by other processes and not yet requested."""
    _asked: set[Shape] = field(default_factory=set)
    """Problems requested in the current question."""
    _spread: set[Region] = field(default_factory=set)
    """The regions whose cells other processes explored."""
    _like: dict[object, Finding] = field(default_factory=dict)
    """Findings at listed inputs, by the closed forms in their bounds."""
    _unused: Trace = field(default_factory=lambda: Trace(("eps",), (1,)))
    """The trace on rays, where ε is the only parameter."""

    def steps(self, region: Region) -> Iterator[Explored]:
        """Yield the cells of a region, resuming after an interruption."""
        if region.is_ray:
            yield from self._on_ray(region)
            return
        if region.moves_inputs and region not in self._explored:
            times = 1 if self._explored else self.claim.how_many_groups()
            require_few_cells(region.names, region.cone, partial(self.claim.due, region), times)
        found = self._explored.setdefault(region, Frontier((region.cone,)))
        if self.helpers is not None and region.moves_inputs and found.waiting:
            self._spread.add(region)
            yield from self.helpers.steps(region)
            return
        known = 0
        while True:
            for cell in found.cells[known:]:
                yield self.explored(region, cell, 1 - sum(found.weights))
            known = len(found.cells)
            if not found.waiting:
                return
            self.require_few(region, known)
            found = self._explored[region] = self.next(region, found)

    def explored(
        self, region: Region, cell: Leaf, share: float, marks: Sequence[bytes] | None = None
    ) -> Explored:
        """Return a cell with the places where signs are decided, given marks if they are known."""
        if marks is None:
            marks = self.claim.marks(region, cell)
        first = (self._first.setdefault(mark, cell.cone) == cell.cone for mark in marks)
        left = tuple(k for k, is_first in enumerate(first) if is_first) if marks else None
        return Explored(cell, tuple(self._places(region, cell)), share, left=left)

    def frontier(self, region: Region) -> Frontier:
        """Return the state of the exploration of a region."""
        return self._explored.get(region) or Frontier((region.cone,))

    def keep(self, region: Region, found: Frontier) -> None:
        """Store the state of the exploration of a region."""
        self._explored[region] = found

    def keep_cells(self, other: Explorer) -> None:
        """Store the cells of the same claim for other ε, on which they do not depend."""
        mine, others = self.claim, other.claim
        for region, found in other._explored.items():
            if region.on == others.epsilon and region.stretch is None:
                self._explored[replace(region, on=mine.epsilon)] = found

    def cells(self, region: Region) -> tuple[Leaf, ...]:
        """Return the cells of a region, with their obligations."""
        if region.is_ray:
            return tuple(step.cell for step in self._on_ray(region))
        for _ in self.steps(region):
            pass
        found = self._explored[region].cells
        if region not in self._spread:
            return found
        # Other processes leave out obligations that are equal to those of earlier cells.
        return tuple(
            replace(cell, result=self.claim.due(region, Trace(region.names, inside(cell.cone))))
            for cell in found
        )

    def _on_ray(self, region: Region) -> Iterator[Explored]:
        """Yield the cell of a ray; if β is the maximum of several, one for each obligation."""
        trace = self._unused
        due = self.claim.due(region, trace)
        if not region.above or due is None:
            place = OnRay(region.on, region.stretch)
            yield Explored(Cell(RAY, due, ()), (place,), 1.0)
            return
        others = [self.claim.due(replace(region, beta=other), trace) for other in region.above]
        for k, one in enumerate(due):
            stretches = OnRay(region.on, region.stretch).where(
                mine - yours
                for other in others
                if other is not None
                for mine, yours in zip(one.beta, other.obligations[k].beta, strict=True)
            )
            places = tuple(OnRay(region.on, stretch) for stretch in stretches)
            alone: Due[Any] | None = replace(due, obligations=(one,))
            yield Explored(Cell(RAY, alone, ()), places, 1.0)

    def like(self, region: Region, step: Explored) -> Finding | None:
        """Return a finding at another listed input with the same closed forms, if there is one."""
        return self._like.get(_forms(region, step.cell)) if region.is_ray else None

    def keep_like(self, finding: Finding) -> None:
        """Keep a finding at a listed input where the claim did not fail."""
        region, cells = finding.region, finding.cells
        if region.is_ray and len(cells) == 1 and not finding.failures:
            self._like.setdefault(_forms(region, cells[0]), finding)

    def next(self, region: Region, found: Frontier) -> Frontier:
        """Return an exploration with one more cell, or with one of its cones halved."""
        sides = set(found.sides)

        def run(trace: Trace) -> Due[Bound] | None:
            due = self.claim.due(region, trace)
            sides.update((rational_vector(side), always) for side, always in trace.sides.items())
            return due

        cell, waiting = next_cell(region.names, region.cone, found.waiting, run)
        *known, weight = found.weights
        new = len(waiting) - len(known)
        # Each comparison splits the remainder in two; without a cell, the cone itself was halved.
        parts = (weight / 2 ** (k if cell else 1) for k in range(1, new + 1))
        return Frontier(
            waiting,
            (*known, *parts),
            found.cells if cell is None else (*found.cells, cell),
            frozenset(sides),
        )

    def require_few(self, region: Region, count: int) -> None:
        """Raise an error if a region has too many cells."""
        if region.moves_inputs:
            others = (len(two.cells) for one, two in self._explored.items() if one != region)
            if sum(others) + count >= MOST_CELLS:
                raise too_many_cells(f"more than {MOST_CELLS:,}")
        elif count >= self._most_at_input(region):
            raise EndlessError

    def _most_at_input(self, region: Region) -> int:
        """Return the largest number of cells examined at a listed input."""
        if not self.claim.mechanism.kept(Engine).has_integers:
            return _MOST_AT_INPUT
        if region.curve is None:
            place = region.names.index("gamma") if "gamma" in region.names else 0
            bounded = not any(ray[place] and not ray[0] for ray in region.cone.rays)
            return _MOST_AT_INPUT if bounded else _ENOUGH_AT_INPUT
        gamma = region.levels.get("gamma")
        bounded = gamma is None or supremum(gamma, region.on).is_finite
        return _MOST_AT_INPUT if bounded else _ENOUGH_AT_INPUT

    def _places(self, region: Region, cell: Leaf) -> Iterator[SignPlace]:
        """Yield the places in a cell where signs are decided."""
        units = units_in(region.names)
        if len(units) > 1 and len(region.names) == 1 + len(units):
            on = interval_at_constants(cell.cone, units, region.on, outer=True)
            if on is not None:
                yield OnLine(units, on)
        elif region.curve is None:
            yield OnCone(region.names, cell.cone, region.window)
        elif cell.result is not None:
            whole = as_stretch(region.stretch or region.on)
            for stretch in region.curve.inside(cell.cone, SolutionSet((whole,))):
                if stretch.lower != stretch.upper:  # a neighbour of the cell has single points
                    yield OnCurve(region.curve, stretch)

    def with_faces(self, group: tuple[Region, ...], hear: Hear) -> Iterator[tuple[Region, Hear]]:
        """Yield regions and, once they are explored, their faces, each with a progress callback."""
        waiting, seen = list(group), set[Region]()
        done = 0
        first = 1.0 if self.claim.is_continuous else 0.5  # the remaining progress is for faces
        while waiting:
            if self.helpers is not None:
                self.helpers.expect(waiting[::-1])
            region = waiting.pop()

            def part(share: float, before: int = done, after: int = len(waiting)) -> None:
                if before < len(group):
                    hear(first * (before + share) / len(group))
                else:
                    faces = before - len(group)
                    hear(first + (1 - first) * (faces + share) / (faces + after + 1))

            yield region, part
            done += 1
            if not region.is_ray:
                seen = seen or set(group)
                faces = [one for one in self._faces(region) if one not in seen]
                waiting += faces
                seen |= set(faces)

    def trim(self) -> None:
        """Discard cached results if there are many: each group is examined once."""
        for kept, most in (
            (self._explored, _MOST_REGIONS),
            (self._on_rays, _MOST_SIGNS),
            (self._on_cones, _MOST_SIGNS),
            (self._ones, _MOST_SIGNS),
            (self._like, _MOST_REGIONS),
        ):
            if len(kept) > most:
                kept.clear()

    def is_in_eps_alone(self) -> bool:
        """Whether all that must be proved is about ε alone; stops at the first exception."""
        try:
            return all(
                not (region.is_unknown or (region.levels and region.curve is None))
                and all(
                    one.alone is not None
                    for step in self.steps(region)
                    for one in step.problems(region)
                )
                for group in self.claim.regions()
                for region, _ in self.with_faces(group, nobody)
            )
        except EndlessError:
            return False

    def _faces(self, region: Region) -> list[Region]:
        """Return the faces of an explored region on which the claim may jump."""
        found = self._explored.get(region)
        faces = [
            whole
            for side, always in sorted(found.sides if found is not None else ())
            if (always or not self.claim.is_continuous)
            and (face := region.face(side)) is not None
            and (whole := face.hull()) is not None
        ]
        return list(dict.fromkeys(faces))

    def content(self, step: Explored) -> Content:
        """Return how much the claim says on a cell."""
        if step.content is not None:
            return step.content
        return max(
            (
                self.claim.content(step.cell.result, self._is_at_least_one(one))
                for one in step.places
            ),
            default=Content.NOTHING,
        )

    def _is_at_least_one(self, place: SignPlace) -> Callable[[ClosedForm], bool]:
        """Return a function that decides β ≥ 1 at a place."""
        if not isinstance(place, OnRay):
            return place.is_at_least_one

        def decided(beta: ClosedForm) -> bool:
            key = place.on, place.stretch, beta
            found = self._ones.get(key)
            if found is None:
                found = self._ones[key] = place.is_at_least_one(beta)
            return found

        return decided

    def shape_of(self, problem: Problem, sign: Sign) -> Shape:
        """Return the shape for which a problem on a cone was decided."""
        raw = problem.raw_shape
        return raw if raw is not None and self._on_cones.get(raw) is sign else problem.shape

    def sign(self, problem: Problem, hear: Hear = nobody) -> Sign:
        """Return the decision of a problem."""
        place = problem.place
        if isinstance(place, OnLine):
            is_tight = any(proved_quickly(one) for _, one in problem.from_vertices)
            return PlaceDecision(True) if is_tight else place.decision(problem.gap)
        if isinstance(place, OnCurve):
            return place.decision(problem.gap)
        if isinstance(place, OnRay):
            if place.stretch is not None:
                return place.decision(problem.gap)
            key = place.on, problem.obligation.probability, problem.beta
            found = self._on_rays.get(key)
            if found is None:
                found = self._on_rays[key] = self._on_ray_decided(problem, place.on)
            return found
        raw = problem.raw_shape
        if raw is not None:
            if raw not in self._on_cones:
                self._on_cones[raw] = raw.decision(budget=_FEW_CUTS)
            if self._on_cones[raw].holds:
                return self._on_cones[raw]
        if any(proved_quickly(one) for _, one in problem.from_vertices):
            return PlaceDecision(True)
        shape = problem.shape
        known = self._on_cones.get(shape)
        if shape in self._told:
            self._told.remove(shape)
        elif known is None or known.holds is None:
            many = problem.obligation.largest_of or len(units_in(problem.region.names)) > 1
            budget = {"budget": _CUTS} if many else {}
            known = self._on_cones[shape] = shape.decision(resume=known, progress=hear, **budget)
        if self.helpers is not None:
            self._asked.add(shape)
        assert known is not None
        return known

    def _on_ray_decided(self, problem: Problem, on: Interval) -> Decision | PlaceDecision:
        """Return the decision of a problem on a ray; one proved by another process holds."""
        hashed = None
        forms = problem.obligation.probability, problem.beta
        if self.shared is not None and all(isinstance(one, ExpPoly | ExpRatio) for one in forms):
            words = [form.written for one in forms for form in (one.numerator, one.denominator)]
            hashed = self.shared.of(f"{on} {words}")
            if hashed in self.shared:
                return Decision(problem.gap, ">=", on, holds=True, _proof=None)
        try:
            found = nonnegative(problem.gap, on)
        except OpenSignError as error:
            return PlaceDecision(None, why=error.message)
        if self.shared is not None and hashed is not None and found.holds:
            self.shared.add(hashed)
        return found

    def known(self, shape: Shape) -> ConeDecision | None:
        """Return the known decision of a problem on a cone, or None."""
        return self._on_cones.get(shape)

    def begin(self, helpers: Helpers | None) -> None:
        """Begin a question, with other processes that explore regions; or end one (None)."""
        self.helpers = helpers
        self._told.clear()
        self._asked.clear()

    def hear_of(self, shape: Shape, decision: ConeDecision) -> None:
        """Store a decision of another process, to be used when it is first requested."""
        if shape not in self._asked and shape not in self._told:
            self._on_cones[shape] = decision
            self._told.add(shape)


def _forms(region: Region, cell: Leaf) -> object:
    """Return a key on which the finding at a listed input depends, if what it names is kept."""
    due = cell.result
    if due is None:
        return id(region.on), region.stretch, region.why
    bounds = [(id(one.probability), id(one.beta), one.allows_all, one.largest_of) for one in due]
    return id(region.on), region.stretch, region.why, due.allows_all, *bounds


def proved_quickly(shape: Shape) -> ConeDecision | None:
    """Return the decision of a problem on a cone that is proved quickly, else None."""
    found = shape.decision(budget=_FEW_CUTS)
    return found if found.holds else None

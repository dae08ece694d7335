"""What was computed for a claim so far: cells of regions and signs, kept to go on later.

**Faces.** An input on a side of a cell has d(u, u′) as small as one likes for u′ inside, under
linf and l1. So if it claims anything (dd > 0), its neighbours have the same ideal output, and its
obligation is the limit of theirs: probability, dd and β are continuous. Under other distances, and
where inputs with dd = α are checked too, the sides on which the ideal changes are regions of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, Protocol, TypeAlias

from exactdp.claims.decision.progress import Hear, nobody
from exactdp.claims.regions.places import OnCone, OnCurve, OnRay, Place, PlaceDecision
from exactdp.claims.regions.region import RAY, Region, Vector
from exactdp.claims.regions.shapes import Shape, shape_of
from exactdp.claims.stated.claim import Bound, Claim, Due
from exactdp.claims.stated.inputs import is_listed
from exactdp.claims.stated.vacuity import Content
from exactdp.cones import Cone, ConeDecision, OrderedSum, nonnegative_on
from exactdp.language.linear import unit_in
from exactdp.reals import ClosedForm, Decision, SolutionSet, Stretch, nonnegative, supremum
from exactdp.reals.certified import OpenSignError
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_ratio import ExpRatio
from exactdp.reals.interval import Interval
from exactdp.reals.logs import LogForm
from exactdp.running.shared import SharedHashes
from exactdp.semantics.cells import MOST_CELLS, Cell, next_cell, require_few_cells, too_many_cells
from exactdp.semantics.distribution import Engine
from exactdp.semantics.spots import Trace, rational_vector

Leaf: TypeAlias = Cell[Due[Any] | None]
Sign: TypeAlias = Decision | ConeDecision | PlaceDecision

_MOST_AT_INPUT = 400  # cells of (ε, εα, εγ); integer noise has one for each whole number below γ
_MOST_REGIONS, _MOST_SIGNS = 2_000, 20_000  # of listed inputs that are kept
_FEW_CUTS = 20  # where a sum may be seen to be positive for any value of a logarithm
_ENOUGH_AT_INPUT = 40  # to find a simple counterexample where there is no end of cells


@dataclass(frozen=True)
class Problem:
    """A bound at a place: probability − 1 + β ≥ 0 there."""

    region: Region
    cell: Leaf
    place: Place
    obligation: Bound
    alternative: int
    """Which of the alternatives of β."""

    def __reduce__(self) -> tuple[object, ...]:
        given = (self.region, self.cell, self.place, self.obligation, self.alternative)
        return Problem, given

    @property
    def beta(self) -> ClosedForm:
        """β as claimed."""
        return self.obligation.beta[self.alternative]

    @property
    def gap(self) -> ClosedForm:
        """By how much the claim holds."""
        gap = self.obligation.probability - 1 + self.beta
        found = LogForm.of(gap)
        return gap if found is None else found.form

    @property
    def is_in_eps_alone(self) -> bool:
        """Whether it is one about ε alone, at each ε of the region.

        Cones are closed under scaling, so a cell that has a point with some ε has one with each,
        unless another parameter is fixed.
        """
        if isinstance(self.place, OnCone):
            return unit_in(self.place.names) is None and set(self.gap.parameters) <= {"eps"}
        return isinstance(self.place, OnRay)

    @cached_property
    def shape(self) -> Shape:
        """The problem on a cone, in parameters with standard names."""
        assert isinstance(self.place, OnCone)
        return self.place.shape(self.gap)

    @cached_property
    def raw_shape(self) -> Shape | None:
        """The problem with a parameter for every power of a logarithm; None if there is none.

        It may be true for every value of the parameter, which is easier to see where it is tight.
        """
        gap = self.obligation.probability - 1 + self.beta
        if not isinstance(self.place, OnCone) or LogForm.of(gap) is None:
            return None
        return self.place.shape(gap)

    @cached_property
    def ratio(self) -> Shape | None:
        """The error and β on a cone, in parameters with standard names; None without an error."""
        error, beta = 1 - self.obligation.probability, self.beta
        if not error.numerator:
            return None
        names = self.region.names
        under = error.denominator * beta.denominator
        positive = under if under == 1 else under * under
        over, below = (OrderedSum((form * positive).numerator, names) for form in (beta, error))
        return shape_of(below, self.cell.cone, self.region.window, over)


@dataclass(frozen=True)
class Frontier:
    """How far a region is explored; a value, so that an interruption breaks nothing."""

    waiting: tuple[Cone, ...]
    weights: tuple[float, ...] = (1.0,)
    """About what part of the region each of the cones is."""
    cells: tuple[Leaf, ...] = ()
    sides: frozenset[tuple[Vector, bool]] = frozenset()
    """Where the claim may jump: always, or where the ideal changes."""


@dataclass(frozen=True)
class Explored:
    """A cell of a region, the places in it where signs are asked, and the share that is done."""

    cell: Leaf
    places: tuple[Place, ...]
    share: float
    content: Content | None = None
    """How much the claim says there, if that is known."""
    shapes: tuple[tuple[str, Shape | None], ...] = ()
    """A property of each of the problems that is known, and its name."""

    def problems(self, region: Region) -> Iterator[Problem]:
        """Yield the sign problems."""
        known = iter(self.shapes)
        for place in self.places:
            for one in self.cell.result or ():
                for alternative in range(len(one.beta)):
                    found = Problem(region, self.cell, place, one, alternative)
                    for name, shape in islice(known, 1):
                        vars(found)[name] = shape
                    yield found


class EndlessError(Exception):
    """A region at a listed input has more cells than are looked at."""

    def __init__(self) -> None:
        super().__init__(
            "too many cases of α and γ, as with integer noise and a γ without bound; restrict "
            "epsilon or alpha"
        )


class Helpers(Protocol):
    """Others who explore regions."""

    def expect(self, regions: Sequence[Region]) -> None:
        """Hear which regions are asked for next."""

    def steps(self, region: Region) -> Iterator[Explored]:
        """Yield the cells of a region, in the order in which one process finds them."""


@dataclass
class Explorer:
    """The cells of one claim and the signs that are decided; equal problems are decided once."""

    claim: Claim
    helpers: Helpers | None = None
    shared: SharedHashes | None = None
    """Problems on rays that some process has seen to hold, while several work on listed inputs."""
    _explored: dict[Region, Frontier] = field(default_factory=dict)
    _on_rays: dict[object, Decision | PlaceDecision] = field(default_factory=dict)
    _on_cones: dict[Shape, ConeDecision] = field(default_factory=dict)
    _ones: dict[object, bool] = field(default_factory=dict)
    _told: set[Shape] = field(default_factory=set)
    """Problems on cones that others decided, and that were not asked for yet."""
    _asked: set[Shape] = field(default_factory=set)
    """Those that were asked for in the question under way."""
    _unused: Trace = field(default_factory=lambda: Trace(("eps",), (1,)))
    """The trace on rays, where nothing depends on parameters but ε."""

    def steps(self, region: Region) -> Iterator[Explored]:
        """Yield the cells of a region; what was found before an interruption is kept."""
        if region.is_ray:
            yield from self._on_ray(region)
            return
        if region.moves_inputs and region not in self._explored:
            times = 1 if self._explored else self.claim.how_many_groups()
            require_few_cells(region.names, region.cone, partial(self.claim.due, region), times)
        found = self._explored.setdefault(region, Frontier((region.cone,)))
        if self.helpers is not None and region.moves_inputs and found.waiting:
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

    def explored(self, region: Region, cell: Leaf, share: float) -> Explored:
        """Return what is asked of a cell."""
        left = self.claim.reduced(region, cell)
        return Explored(left, tuple(self._places(region, cell)), share)

    def frontier(self, region: Region) -> Frontier:
        """Return how far a region is explored."""
        return self._explored.get(region) or Frontier((region.cone,))

    def keep(self, region: Region, found: Frontier) -> None:
        """Keep how far a region is explored."""
        self._explored[region] = found

    def cells(self, region: Region) -> tuple[Leaf, ...]:
        """Return the cells of a region, with all that is due on them."""
        if region.is_ray:
            return tuple(step.cell for step in self._on_ray(region))
        for _ in self.steps(region):
            pass
        return self._explored[region].cells

    def _on_ray(self, region: Region) -> Iterator[Explored]:
        """Yield the cell of a ray; where β is the largest of several, one for each obligation."""
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
        # Each comparison parts what is left in two; without a cell the cone itself was halved.
        parts = (weight / 2 ** (k if cell else 1) for k in range(1, new + 1))
        return Frontier(
            waiting,
            (*known, *parts),
            found.cells if cell is None else (*found.cells, cell),
            frozenset(sides),
        )

    def require_few(self, region: Region, count: int) -> None:
        """Refuse to go on where a region has so many cells that there are too many."""
        if region.moves_inputs:
            others = (len(two.cells) for one, two in self._explored.items() if one != region)
            if sum(others) + count >= MOST_CELLS:
                raise too_many_cells(f"more than {MOST_CELLS:,}")
        elif count >= self._most_at_input(region):
            raise EndlessError

    def _most_at_input(self, region: Region) -> int:
        """Return how many cells of a listed input are looked at."""
        if region.curve is None or not self.claim.mechanism.kept(Engine).has_integers:
            return _MOST_AT_INPUT
        gamma = region.levels.get("gamma")
        bounded = gamma is None or supremum(gamma, region.on).is_finite
        return _MOST_AT_INPUT if bounded else _ENOUGH_AT_INPUT

    def _places(self, region: Region, cell: Leaf) -> Iterator[Place]:
        """Yield where in a cell signs are asked."""
        if region.curve is None:
            yield OnCone(region.names, cell.cone, region.window)
        elif cell.result is not None:
            on = region.on
            whole = region.stretch or Stretch(on.lower, on.upper, on.lower_open, on.upper_open)
            for stretch in region.curve.inside(cell.cone, SolutionSet((whole,))):
                if stretch.lower != stretch.upper:  # a neighbour of the cell has single points
                    yield OnCurve(region.curve, stretch)

    def with_faces(self, group: tuple[Region, ...], hear: Hear) -> Iterator[tuple[Region, Hear]]:
        """Yield regions and, once they are explored, their faces; each with who hears of it."""
        waiting, seen = list(group), set[Region]()
        done = 0
        first = 1.0 if self.claim.is_continuous else 0.5  # the rest is for faces
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
        """Forget what is kept of many listed inputs: each is looked at once."""
        if not is_listed(self.claim.input_set):
            return
        for kept, most in (
            (self._explored, _MOST_REGIONS),
            (self._on_rays, _MOST_SIGNS),
            (self._on_cones, _MOST_SIGNS),
            (self._ones, _MOST_SIGNS),
        ):
            if len(kept) > most:
                kept.clear()

    def is_in_eps_alone(self) -> bool:
        """Whether everything that must be proved is about ε alone; stops where it is not."""
        try:
            return all(
                not (region.is_unknown or region.levels)
                and all(
                    one.is_in_eps_alone
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

    def _is_at_least_one(self, place: Place) -> Callable[[ClosedForm], bool]:
        """Return what decides β ≥ 1 at a place."""
        if not isinstance(place, OnRay):
            return place.is_at_least_one

        def decided(beta: ClosedForm) -> bool:
            key = place.on, place.stretch, beta
            if key not in self._ones:
                self._ones[key] = place.is_at_least_one(beta)
            return self._ones[key]

        return decided

    def shape_of(self, problem: Problem, sign: Sign) -> Shape:
        """Return as which shape a problem on a cone was decided."""
        raw = problem.raw_shape
        return raw if raw is not None and self._on_cones.get(raw) is sign else problem.shape

    def sign(self, problem: Problem, hear: Hear = nobody) -> Sign:
        """Return the decision of a problem."""
        place = problem.place
        if isinstance(place, OnCurve):
            return place.decision(problem.gap)
        if isinstance(place, OnRay):
            if place.stretch is not None:
                return place.decision(problem.gap)
            key = place.on, problem.obligation.probability, problem.beta
            if key not in self._on_rays:
                self._on_rays[key] = self._on_ray_decided(problem, place.on)
            return self._on_rays[key]
        raw = problem.raw_shape
        if raw is not None:
            if raw not in self._on_cones:
                self._on_cones[raw] = nonnegative_on(
                    raw.function, raw.cone, budget=_FEW_CUTS, window=raw.window
                )
            if self._on_cones[raw].holds:
                return self._on_cones[raw]
        shape = problem.shape
        known = self._on_cones.get(shape)
        if shape in self._told:
            self._told.remove(shape)
        elif known is None or known.holds is None:
            known = self._on_cones[shape] = decided(shape, known, hear)
        if self.helpers is not None:
            self._asked.add(shape)
        assert known is not None
        return known

    def _on_ray_decided(self, problem: Problem, on: Interval) -> Decision | PlaceDecision:
        """Return the decision of a problem on a ray; what another process has seen is true."""
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
        """Return what is known of a problem on a cone."""
        return self._on_cones.get(shape)

    def begin(self, helpers: Helpers | None) -> None:
        """Begin another question, with others who explore regions; or end one."""
        self.helpers = helpers
        self._told.clear()
        self._asked.clear()

    def hear_of(self, shape: Shape, decision: ConeDecision) -> None:
        """Keep what others found on a cone, as if it was found when it is asked for first."""
        if shape not in self._asked and shape not in self._told:
            self._on_cones[shape] = decision
            self._told.add(shape)


def decided(shape: Shape, known: ConeDecision | None, hear: Hear = nobody) -> ConeDecision:
    """Return the decision of a problem on a cone, from what is known of it on."""
    return nonnegative_on(
        shape.function, shape.cone, resume=known, progress=hear, window=shape.window
    )

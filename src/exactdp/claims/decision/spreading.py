"""Explores regions in several processes: a unit of work is a few consecutive waiting cones.

Exploring a region is a traversal of a tree of cones, and the result in a cone depends on nothing
outside it. So any waiting cones may be explored by other processes; their results, and the cones
that they leave, replace those cones. Cells are yielded in the order in which a single process finds
them, and equal problems get the same decisions.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from exactdp.claims.decision.problem import Leaf
from exactdp.claims.decision.work import Explored, Frontier, Index
from exactdp.claims.regions.region import Region
from exactdp.claims.regions.shapes import Shape
from exactdp.claims.stated.vacuity import Content
from exactdp.cones import Cone, ConeDecision
from exactdp.errors import ExactdpError, counted
from exactdp.running import pace
from exactdp.running.conduct import Conduct
from exactdp.running.crew import Crew, LostUnitError, UnsendableError, width_of
from exactdp.running.packing import UnreadableError, unpack

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim

Prepared: TypeAlias = Literal["", "shape", "ratio"]
"""The property of problems on cones to compute: for signs, or for best constants."""

_MOST_CONES = 32  # in a unit


@dataclass(frozen=True)
class CellUnit:
    """Waiting cones of a region, the next one last, and the time after which to stop."""

    region: Region
    waiting: tuple[Cone, ...]
    weights: tuple[float, ...]
    prepare: Prepared
    seconds: float


@dataclass(frozen=True)
class FoundCell:
    """A cell, how much the claim says on it, and shapes of its problems."""

    cell: Leaf
    content: Content
    marks: tuple[bytes, ...]
    shapes: Mapping[Index, Shape | None]


@dataclass(frozen=True)
class CellPart:
    """The results in some cones, and the cones that are left."""

    given: tuple[Cone, ...]
    cells: tuple[FoundCell, ...] = ()
    left: Frontier = field(default_factory=lambda: Frontier((), ()))
    """Cones that still wait, and the sides found."""
    signs: tuple[tuple[Shape, ConeDecision], ...] = ()
    seconds: float = field(default=0.0, compare=False)
    error: ExactdpError | None = None


class CellDesk:
    """Explores cones; each problem is decided starting from what was known at the beginning."""

    def __init__(self, claim: Claim) -> None:
        self._work = claim.work
        self._signs: dict[Shape, tuple[Shape, ConeDecision]] = {}

    def done(self, unit: CellUnit) -> CellPart:
        """Explore the cones of a unit until its time is up."""
        begin = time.process_time()
        found = Frontier(unit.waiting, unit.weights)
        cells: list[FoundCell] = []
        signs: dict[Shape, ConeDecision] = {}
        seen: dict[bytes, Cone] = {}
        error = None
        while found.waiting:
            known = len(found.cells)
            try:
                found = self._work.next(unit.region, found)
                for cell in found.cells[known:]:
                    cells.append(self._prepared(unit, cell, signs, seen))
            except ExactdpError as refusal:
                error = refusal
                break
            fails = any(one.holds is False for one in signs.values())
            if fails or time.process_time() - begin > unit.seconds:
                break
        left = replace(found, cells=())
        spent = time.process_time() - begin
        return CellPart(unit.waiting, tuple(cells), left, tuple(signs.items()), spent, error)

    def _prepared(
        self,
        unit: CellUnit,
        cell: Leaf,
        signs: dict[Shape, ConeDecision],
        seen: dict[bytes, Cone],
    ) -> FoundCell:
        """Return a cell with the requested properties, without obligations sent with another."""
        marks = self._work.claim.marks(unit.region, cell)
        if cell.result is not None and marks:
            pairs = zip(marks, cell.result, strict=True)
            left = [one for one in pairs if seen.setdefault(one[0], cell.cone) == cell.cone]
            marks = tuple(mark for mark, _ in left)
            due = replace(cell.result, obligations=tuple(one for _, one in left))
            cell = replace(cell, result=due)
        step = self._work.explored(unit.region, cell, 0.0, marks)
        shapes: dict[Index, Shape | None] = {}
        is_asked = unit.prepare and unit.region.curve is None
        for index, problem in step.indexed(unit.region) if is_asked else ():
            shape: Shape | None = getattr(problem, unit.prepare)
            if unit.prepare == "shape":
                assert shape is not None
                shape, signs[shape] = self._decided(shape)
            shapes[index] = shape
        return FoundCell(cell, self._work.content(step), marks, shapes)

    def _decided(self, shape: Shape) -> tuple[Shape, ConeDecision]:
        """Return a problem, in its first form, with its decision."""
        if shape not in self._signs:
            known = self._work.known(shape)
            if known is None or known.holds is None:
                known = shape.decision(resume=known)
            self._signs[shape] = shape, known
        return self._signs[shape]


class Spreading:
    """The regions of a question, with their cones: waiting, in progress, or done."""

    def __init__(
        self,
        claim: Claim,
        prepare: Prepared,
        conduct: Conduct,
        hired: Callable[[], Crew],
    ) -> None:
        self._claim, self._work = claim, claim.work
        self._prepare, self._conduct, self._hired = prepare, conduct, hired
        self._desk = CellDesk(claim)
        self._lines: dict[Region, _ConeQueue] = {}
        self._expected: list[Region] = []
        self._under_way: dict[int, tuple[Region, CellUnit]] = {}
        self._numbers = count()
        self._crew: Crew | None = None
        self._seconds = 0.0

    # For the explorer -------------------------------------------------------------------

    def expect(self, regions: Sequence[Region]) -> None:
        """Announce which regions are requested next."""
        self._expected = [one for one in regions if one.moves_inputs and not one.is_ray]

    def steps(self, region: Region) -> Iterator[Explored]:
        """Yield the cells of a region, in the order in which one process finds them."""
        self._expected = [region, *(one for one in self._expected if one != region)]
        begun = self._work.frontier(region)
        for cell in begun.cells:
            yield self._work.explored(region, cell, 1 - sum(begun.weights))
        line, lost = self._line(region), None
        while line.entries:
            while not isinstance(part := line.entries[0], CellPart):
                self._look()
            del line.entries[0]
            for shape, sign in part.signs:
                self._work.hear_of(shape, sign)
            after = _after(begun, part)
            for k, one in enumerate(part.cells):
                self._work.require_few(region, len(begun.cells) + k)
                yield self.step(region, one, 1 - sum(after.weights))
            if isinstance(part.error, LostUnitError):
                lost = part.error
            elif part.error is not None:
                raise part.error
            begun = after
            if lost is None:
                self._work.keep(region, begun)
        del self._lines[region]
        if lost is not None:
            raise lost

    def step(self, region: Region, one: FoundCell, share: float) -> Explored:
        """Return a cell found by any process, without obligations decided on an earlier cell."""
        step = self._work.explored(region, one.cell, share, one.marks)
        return replace(step, content=one.content, known=one.shapes, name=self._prepare)

    def close(self) -> None:
        """Stop the workers."""
        self._dismiss()

    def _dismiss(self) -> None:
        if self._crew is not None:
            self._crew.close()

    # Distribution of work ---------------------------------------------------------------

    def _line(self, region: Region) -> _ConeQueue:
        if region not in self._lines:
            self._lines[region] = _ConeQueue(self._work.frontier(region))
        return self._lines[region]

    def _look(self) -> None:
        """Do some work, or wait for the workers."""
        if self._crew is None:
            self._alone()
            return
        while (lane := self._crew.lane) is not None:
            given = self._next(pace.UNIT)
            if given is None:
                break
            number, unit = given
            self._crew.give(number, pickle.dumps(unit), lane)
        for number, news in self._crew.news():
            if not isinstance(news, bytes):
                told = f"{counted(len(self._under_way[number][1].waiting), 'cone')} of inputs"
                lost = LostUnitError(f"{told}: {news.message}")
                self._note(number, CellPart(self._under_way[number][1].waiting, error=lost))
                continue
            part = received(news)
            if part is None or isinstance(part.error, UnsendableError):
                self._go_on_alone()
                return
            self._note(number, part)

    def _go_on_alone(self) -> None:
        """Do the rest in this process, because results cannot be sent."""
        self._dismiss()
        self._crew, self._conduct = None, replace(self._conduct, jobs=1, executor=None)
        for number, (region, unit) in self._under_way.items():
            self._lines[region].put_back(number, unit)
        self._under_way.clear()

    def _alone(self) -> None:
        """Explore some cones here; distribute the others if that is worthwhile."""
        given = self._next(pace.UNIT if self._conduct.is_alone else pace.FIRST)
        if given is None:
            return
        number, unit = given
        self._note(number, self._desk.done(unit))
        waits = sum(one.waits() for one in self._lines.values())
        if not self._conduct.is_alone and self._seconds >= pace.FIRST and waits > 1:
            self._crew = self._hired()

    def _next(self, seconds: float) -> tuple[int, CellUnit] | None:
        """Return the next unit."""
        for region in self._expected:
            line = self._line(region)
            while (place := line.next()) is not None:
                most = 1 if self._crew is None else line.waits() // (4 * self._workers)
                number = next(self._numbers)
                waiting, weights = line.take(place, max(1, min(most, _MOST_CONES)), number)
                if self._crew is not None and line.waits() < 4 * self._workers:
                    seconds = pace.SCARCE
                unit = CellUnit(region, waiting, weights, self._prepare, seconds)
                self._under_way[number] = region, unit
                return number, unit
        return None

    @property
    def _workers(self) -> int:
        executor = self._conduct.executor
        return self._conduct.jobs if executor is None else width_of(executor)

    def _note(self, number: int, part: CellPart) -> None:
        """Replace the cones of a finished part by its results."""
        region, _ = self._under_way.pop(number)
        self._seconds += part.seconds
        line = self._lines[region]
        line.found(line.entries.index(number), 1, part)


class _ConeQueue:
    """The cones of a region in order, next first: waiting, in progress (a number), or done."""

    def __init__(self, begun: Frontier) -> None:
        self.entries: list[tuple[Cone, float] | int | CellPart] = _in_order(begun)

    def next(self) -> int | None:
        """Return the place of the first waiting cone."""
        places = (k for k, one in enumerate(self.entries) if isinstance(one, tuple))
        return next(places, None)

    def waits(self) -> int:
        """Return the number of waiting cones."""
        return sum(isinstance(one, tuple) for one in self.entries)

    def has(self, place: int, given: tuple[Cone, ...]) -> bool:
        """Whether the given cones, the next one last, wait at a place."""
        there = self.entries[place : place + len(given)]
        waiting = (one[0] if isinstance(one, tuple) else None for one in there)
        return tuple(waiting) == given[::-1]

    def take(
        self, place: int, most: int, number: int
    ) -> tuple[tuple[Cone, ...], tuple[float, ...]]:
        """Mark consecutive waiting cones as in progress, under a number."""
        taken = []
        for one in self.entries[place : place + most]:
            if not isinstance(one, tuple):
                break
            taken.append(one)
        self.entries[place : place + len(taken)] = [number]
        cones, weights = zip(*reversed(taken), strict=True)
        return cones, weights

    def put_back(self, number: int, unit: CellUnit) -> None:
        """Mark cones in progress as waiting again."""
        begun = Frontier(unit.waiting, unit.weights)
        place = self.entries.index(number)
        self.entries[place : place + 1] = _in_order(begun)

    def found(self, place: int, width: int, part: CellPart) -> None:
        """Replace entries by the results and the cones that are left."""
        self.entries[place : place + width] = [part, *_in_order(part.left)]


def _after(begun: Frontier, part: CellPart) -> Frontier:
    """Return the exploration of a region extended by the results in its next cones."""
    rest = len(begun.waiting) - len(part.given)
    assert begun.waiting[rest:] == part.given
    return Frontier(
        (*begun.waiting[:rest], *part.left.waiting),
        (*begun.weights[:rest], *part.left.weights),
        (*begun.cells, *(one.cell for one in part.cells)),
        begun.sides | part.left.sides,
    )


def received(news: bytes) -> Any:
    """Return the message of another process; None if it cannot be read."""
    try:
        return unpack(news)
    except UnreadableError:
        return None


def _in_order(begun: Frontier) -> list[tuple[Cone, float] | int | CellPart]:
    """Return the waiting cones, the next one first."""
    return list(zip(reversed(begun.waiting), reversed(begun.weights), strict=True))

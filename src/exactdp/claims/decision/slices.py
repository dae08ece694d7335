"""Questions about a claim, answered by slices: units of work for processes and executors.

A claim about listed inputs has a group of regions for each. A slice is a range of groups; its
result is a value that is sent and stored as bytes. Slices are combined in order, so answers depend
neither on the workers nor on the boundaries of slices.
"""

from __future__ import annotations

import pickle
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count, islice
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from exactdp.claims.decision.progress import Hear, Meter, nobody
from exactdp.claims.decision.spreading import (
    CellDesk,
    CellPart,
    CellUnit,
    Prepared,
    Spreading,
    received,
)
from exactdp.claims.stated.identity import blob_of, claim_of
from exactdp.errors import ExactdpError, counted
from exactdp.running import pace
from exactdp.running.conduct import Conduct
from exactdp.running.crew import (
    Crew,
    Forked,
    Handed,
    LostUnitError,
    UnsendableError,
    unsendable,
    width_of,
)
from exactdp.running.packing import pack
from exactdp.running.shared import SharedHashes
from exactdp.running.version import require_same, version

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim
    from exactdp.claims.regions.region import Region

_ALL = 2**62
_MANY = 16  # groups of all reals; if there are more, whole groups are units


class Fold(ABC):
    """The results of a question, accumulated group by group."""

    @property
    def is_over(self) -> bool:
        """Whether the results so far answer the question."""
        return False

    @abstractmethod
    def add(self, group: tuple[Region, ...], hear: Hear) -> None:
        """Process another group."""

    @abstractmethod
    def answer(self) -> Any:
        """Return the results, as a value that can be pickled."""


class SlicedQuestion(ABC):
    """A question whose answer for all groups follows from its answers for slices of them.

    It can be pickled; its `repr` contains everything that the answer depends on.
    """

    asked: ClassVar[str]
    """A description of the question."""
    prepare: ClassVar[Prepared] = ""
    """The property of problems on cones to compute, if other processes explore cells."""
    span: ClassVar[int | None] = None
    """The largest number of groups in a slice if one process handles all of them."""

    @property
    def each(self) -> bool:
        """Whether listed inputs with equal obligations are examined one by one."""
        return False

    @abstractmethod
    def on(self, claim: Any, kept: dict[Any, Any]) -> Fold:
        """Return the initial fold; `kept` may cache what slices share, without changing answers."""


@dataclass(frozen=True)
class SliceUnit:
    """The groups from `start` to `stop`, and the time after which to return the rest."""

    question: SlicedQuestion
    start: int
    stop: int
    seconds: float


@dataclass(frozen=True)
class Part:
    """The results of a question on the groups from `start` to `stop`."""

    start: int
    stop: int
    is_over: bool
    answer: Any
    inputs: int = 0
    """The number of inputs that the groups represent."""
    seconds: float = field(default=0.0, compare=False)
    error: ExactdpError | None = None


class Desk:
    """Processes slices of a claim; for consecutive slices, no groups need to be skipped."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self._begin(each=False)
        self._kept: dict[SlicedQuestion, dict[Any, Any]] = {}
        self._cells = CellDesk(claim)

    def _begin(self, *, each: bool, first: int = 0) -> None:
        self._each, self._at = each, first
        self._groups = iter(self.claim.regions(each=each, first=first))

    def done(self, unit: SliceUnit, meter: Meter | None = None) -> Part:
        """Process the groups of a slice, or as many of them as there is time for."""
        begin, until = time.process_time(), time.monotonic() + unit.seconds
        each = unit.question.each
        if unit.start != self._at or each != self._each:
            self._begin(each=each, first=unit.start)
        fold = unit.question.on(self.claim, self._kept.setdefault(unit.question, {}))
        inputs = 0
        hear = nobody if meter is None else meter.part
        for group in islice(self._groups, unit.stop - unit.start):
            if self._at:
                self.claim.work.trim()
            self._at += 1
            fold.add(group, hear)
            count = group[0].inputs if group else 1
            inputs += count
            if meter is not None:
                meter.one_more(count)
            if fold.is_over or time.monotonic() > until:  # cheaper than the processor time
                break
        spent = time.process_time() - begin
        return Part(unit.start, self._at, fold.is_over, fold.answer(), inputs, spent)

    def serve(self, data: bytes) -> bytes:
        """Process a unit received as bytes; out of memory, exit so that another process tries."""
        unit: SliceUnit | CellUnit = pickle.loads(data)
        if isinstance(unit, CellUnit):
            return self._serve_cells(unit)
        try:
            return pack(self.done(unit))
        except ExactdpError as error:
            return pack(Part(unit.start, max(self._at, unit.start + 1), True, None, error=error))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            found = unsendable(error)
            return pack(Part(unit.start, unit.stop, False, None, error=found))
        except MemoryError:
            raise
        except Exception as error:
            self._begin(each=self._each)
            told = "".join(traceback.format_exception(error)[-3:])
            return pack(Part(unit.start, unit.start + 1, True, None, error=_mistake(told)))

    def _serve_cells(self, unit: CellUnit) -> bytes:
        try:
            return pack(self._cells.done(unit))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            return pack(CellPart(unit.waiting, error=unsendable(error)))
        except MemoryError:
            raise
        except Exception as error:
            told = "".join(traceback.format_exception(error)[-3:])
            return pack(CellPart(unit.waiting, error=_mistake(told)))


def _mistake(told: str) -> ExactdpError:
    return ExactdpError(
        f"a unit of work failed:\n{told}",
        rule="This is a bug in exactdp, not a mistake in your file.",
        way_out="Please report it with the claim; jobs=1 may still work.",
    )


# For executors ------------------------------------------------------------------------

_ONE_AT_A_TIME = threading.Lock()  # the precision of arithmetic is global to a process


@lru_cache(maxsize=4)
def _desk(claim: bytes) -> Desk:
    return Desk(claim_of(claim))


@dataclass(frozen=True)
class SentClaim:
    """A claim as bytes with the version of exactdp that sends it; called by a worker."""

    claim: bytes
    version: str

    def __call__(self, unit: bytes) -> bytes:
        """Process a unit."""
        require_same(self.version)
        with _ONE_AT_A_TIME:
            return _desk(self.claim).serve(unit)


# Combining slices ---------------------------------------------------------------------


def parts(claim: Claim, question: SlicedQuestion, conduct: Conduct) -> Iterator[Part]:
    """Yield the results of a question on slices, in order, up to one that answers it.

    If a unit is lost, its part has an error, a `LostUnitError`.
    """
    meter = Meter(claim, conduct.hear)
    if isinstance(conduct.executor, ThreadPoolExecutor):
        conduct = replace(conduct, executor=None, jobs=1)  # threads would block each other
    if conduct.is_alone:
        yield from _here(claim, question, meter)
    elif claim.scope.free and claim.how_many_groups() < _MANY:
        yield from _by_cells(claim, question, conduct, meter)
    else:
        slicing = _Slicing(claim, question, conduct, meter)
        claim.work.shared = None if conduct.is_alone or conduct.executor else SharedHashes()
        try:
            yield from slicing.parts()
        finally:
            claim.work.shared = None
            slicing.close()


def _here(claim: Claim, question: SlicedQuestion, meter: Meter) -> Iterator[Part]:
    """Yield the results, computed in this process."""
    desk, start = Desk(claim), 0
    span = question.span or _ALL
    while True:
        part = desk.done(SliceUnit(question, start, start + span, float("inf")), meter)
        yield part
        if part.is_over or part.stop < start + span:
            return
        start = part.stop


def _by_cells(
    claim: Claim, question: SlicedQuestion, conduct: Conduct, meter: Meter
) -> Iterator[Part]:
    """Yield the results, computed in this process while others explore regions."""
    desk = Desk(claim)
    spreading = Spreading(claim, question.prepare, conduct, lambda: hired(desk, conduct))
    claim.work.begin(spreading)
    try:
        yield from _here(claim, question, meter)
    finally:
        claim.work.begin(None)
        spreading.close()


def hired(desk: Desk, conduct: Conduct) -> Crew:
    """Return the workers that process units of a claim."""
    if conduct.executor is not None:
        serve = SentClaim(blob_of(desk.claim), version())
        return Handed(conduct.executor, serve, width_of(conduct.executor))
    return Forked(desk.serve, conduct.jobs, conduct.slots)


def _count(claim: Claim, question: SlicedQuestion) -> int:
    """Return the number of groups."""
    classes = None if question.each else claim.classes
    return claim.how_many_groups() if classes is None else len(classes)


class _Slicing:
    """The slices of a claim: done, in progress, or waiting."""

    def __init__(
        self, claim: Claim, question: SlicedQuestion, conduct: Conduct, meter: Meter
    ) -> None:
        self.claim, self.question, self.conduct, self.meter = claim, question, conduct, meter
        self.total = self.limit = _count(claim, question)
        self.waiting = [(0, self.total)]
        """Ranges of groups that are not yet in progress."""
        self.ends: dict[int, int] = {}
        """The group with which each worker continues."""
        self.found: dict[int, Part] = {}
        self.under_way: dict[int, SliceUnit] = {}
        self.numbers = count()
        self.rate = 0.0
        """Groups done per second."""
        self.desk = Desk(claim)
        self.crew: Crew | None = None

    def parts(self) -> Iterator[Part]:
        """Yield the parts in order."""
        cursor = 0
        while cursor < self.total:
            while cursor not in self.found:
                self._look()
            part = self.found.pop(cursor)
            if part.error is not None and not isinstance(part.error, LostUnitError):
                raise part.error
            yield part
            cursor = part.stop
            if part.is_over:
                break

    def _look(self) -> None:
        """Do some work, or wait for the workers."""
        if self.crew is None:
            self._alone()
            return
        while (lane := self.crew.lane) is not None:
            unit = self._next(pace.LONGEST, lane)
            if unit is None:
                break
            number = next(self.numbers)
            self.under_way[number] = unit
            self.crew.give(number, pickle.dumps(unit), lane)
        for number, news in self.crew.news():
            unit = self.under_way[number]
            if isinstance(news, bytes):
                part = received(news)
                if part is None or isinstance(part.error, UnsendableError):
                    self._go_on_alone()
                    return
                del self.under_way[number]
                self._note(part, unit)
            else:
                del self.under_way[number]
                regions = self.claim.regions(each=self.question.each, first=unit.start)
                groups = islice(regions, unit.stop - unit.start)
                inputs = sum(group[0].inputs if group else 1 for group in groups)
                self._add(Part(unit.start, unit.stop, False, None, inputs, error=news))

    def _go_on_alone(self) -> None:
        """Do the rest in this process, because results cannot be sent."""
        assert self.crew is not None
        self.crew.close()
        self.crew, self.conduct = None, replace(self.conduct, jobs=1, executor=None)
        self.desk = Desk(self.claim)
        for unit in self.under_way.values():
            self._wait(unit.start, unit.stop)
        self.under_way.clear()

    def _alone(self) -> None:
        """Process a slice here; distribute the others if that is worthwhile."""
        unit = self._next(pace.UNIT if self.conduct.is_alone else pace.FIRST)
        if unit is None:
            return
        self._note(self.desk.done(unit), unit)
        left = sum(stop - start for start, stop in self.waiting)
        if not self.conduct.is_alone and left > max(1, pace.WORTH * self.rate):
            self.crew = hired(self.desk, self.conduct)

    def _next(self, seconds: float, lane: int = 0) -> SliceUnit | None:
        """Return the next unit."""
        if not self.waiting:
            return None
        start, stop = self._range(lane)
        end = min(stop, start + self._size(self.limit - start))
        self._wait(end, stop)
        self.ends[lane] = end
        return SliceUnit(self.question, start, end, seconds)

    def _range(self, lane: int) -> tuple[int, int]:
        """Remove and return a waiting range, if possible where a lane continues.

        Neighbouring inputs share much work, so each worker stays in its own part of them.
        """
        others = {end for number, end in self.ends.items() if number != lane}
        free = [one for one in self.waiting if one[0] not in others]
        start, stop = min(free) if free else max(self.waiting, key=lambda one: one[1] - one[0])
        self.waiting.remove((start, stop))
        if not free and stop - start > 1:
            middle = (start + stop) // 2
            self._wait(start, middle)
            return middle, stop
        return start, stop

    def _wait(self, start: int, stop: int) -> None:
        """Queue groups, unless they no longer matter."""
        stop = min(stop, self.limit)
        if start < stop:
            self.waiting.append((start, stop))

    def _size(self, left: int) -> int:
        """Return the number of groups in a unit, given the number of groups left."""
        if not self.rate:
            return self.total
        executor = self.conduct.executor
        workers = self.conduct.jobs if executor is None else width_of(executor)
        least = max(1, int(self.rate * pace.SHORTEST))
        return max(least, min(int(self.rate * pace.UNIT), ceil(left / (pace.SHARES * workers))))

    def _note(self, part: Part, unit: SliceUnit) -> None:
        """Record a finished part, and queue the rest of its unit."""
        if part.error is None:
            self.rate = (part.stop - part.start) / max(part.seconds, 1e-9)
            if not part.is_over:
                self._wait(part.stop, unit.stop)
        self._add(part)

    def _add(self, part: Part) -> None:
        if part.is_over:  # later parts no longer matter
            self.limit = min(self.limit, part.stop)
            ranges, self.waiting = self.waiting, []
            for one in ranges:
                self._wait(*one)
        self.found[part.start] = part
        self.meter.more(part.inputs)

    def close(self) -> None:
        """Stop the workers."""
        if self.crew is not None:
            self.crew.close()


def lost_told(claim: Claim, part: Part) -> str:
    """Describe which groups were lost, and why."""
    one, many = claim.nouns
    if claim.classes is not None:
        one, many = f"class of {many}", f"classes of {many}"
    where = f"{many} {part.start + 1:,} to {part.stop:,}"
    if part.stop == part.start + 1:
        where = f"{one} {part.stop:,}"
    assert part.error is not None
    return f"{where} ({counted(part.inputs, claim.nouns[0])}): {part.error.message}"


def whole(claim: Claim, question: SlicedQuestion, conduct: Conduct) -> Iterator[Any]:
    """Yield answers for slices, in order; raise an error for a lost unit at the end."""
    lost = None
    for part in parts(claim, question, conduct):
        if part.error is None:
            yield part.answer
        else:
            lost = lost or part
    if lost is not None:
        raise LostUnitError(
            f"{question.asked} is not known: {lost_told(claim, lost)}",
            way_out="Give the processes more memory, or fewer jobs.",
        )

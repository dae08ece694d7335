"""The workers: forked processes, or any executor that a user passes.

Units and answers are sent as bytes. If a process dies, its unit is given to another one; a unit
that kills three processes is lost.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeAlias

from exactdp.errors import ExactdpError, shown
from exactdp.interrupts import holding_interrupts, ignore_interrupts

Serve: TypeAlias = Callable[[bytes], bytes]
"""Computes a unit; raises nothing."""
News: TypeAlias = bytes | ExactdpError

_LOOK = 0.2  # seconds between two polls of the workers
_WATCH = 0.5  # seconds between two checks of a process for its parent
MOST_DEATHS = 3


class LostUnitError(ExactdpError):
    """A unit of work killed three processes."""


class UnsendableError(ExactdpError):
    """A claim cannot be sent to another machine."""


class Slots(Protocol):
    """Limits the number of processes over several crews; a semaphore is one."""

    def acquire(self, block: bool = True) -> bool:
        """Acquire a slot, if one is free."""

    def release(self) -> None:
        """Release a slot."""


class Crew(Protocol):
    """The workers that compute units."""

    @property
    def lane(self) -> int | None:
        """The worker that can take another unit now; None if all have enough."""

    def give(self, number: int, unit: bytes, lane: int) -> None:
        """Submit a unit, if possible to the given worker."""

    def news(self) -> Iterator[tuple[int, News]]:
        """Wait briefly, and yield units that are done or lost."""

    def close(self) -> None:
        """Stop; discard units in progress."""


@dataclass(frozen=True)
class _Given:
    """A unit, and the lane of those before and behind it."""

    number: int
    unit: bytes
    lane: int


class Forked:
    """Forks of this process, which share its state: only units are sent."""

    def __init__(self, serve: Serve, count: int, slots: Slots | None = None) -> None:
        self._serve, self._count, self._slots = serve, count, slots
        self._waiting: deque[_Given] = deque()
        self._busy: dict[Connection, tuple[int, _Given]] = {}  # process, unit
        self._idle: list[tuple[Connection, int]] = []
        self._lanes: dict[Connection, int] = {}  # in which a process worked last
        self._deaths: dict[int, int] = {}

    @property
    def lane(self) -> int | None:
        """Each process has one unit waiting besides its current one, so that none is idle."""
        given = Counter(
            one.lane for one in (*self._waiting, *(one for _, one in self._busy.values()))
        )
        lane = min(range(self._count), key=lambda one: given[one])
        return lane if given[lane] < 2 else None

    def give(self, number: int, unit: bytes, lane: int) -> None:
        """Submit a unit, to a new process if none is idle."""
        self._waiting.append(_Given(number, unit, lane))
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and (self._idle or self._may_start()):
            if not self._idle:
                self._start()
            connection, process = self._idle.pop()
            one = self._chosen(self._lanes.get(connection))
            self._waiting.remove(one)
            self._busy[connection], self._lanes[connection] = (process, one), one.lane
            try:
                connection.send_bytes(one.unit)
            except OSError:
                continue  # it is dead, which the next poll detects

    def _chosen(self, lane: int | None) -> _Given:
        """Return the unit for a process: of its lane, or of one without a worker."""
        taken = {self._lanes[one] for one in self._busy}
        mine = (one for one in self._waiting if one.lane == lane)
        free = (one for one in self._waiting if one.lane not in taken)
        return next(mine, None) or next(free, None) or self._waiting[0]

    def _may_start(self) -> bool:
        working = len(self._busy)
        if working >= self._count:
            return False
        return working == 0 or self._slots is None or self._slots.acquire(block=False)

    def _start(self) -> None:
        here, there = Pipe()
        ours = [here, *self._busy, *(one for one, _ in self._idle)]
        sys.stdout.flush()
        sys.stderr.flush()
        with holding_interrupts():
            process = os.fork()
            if process == 0:
                _work(self._serve, there, ours)
            there.close()
            self._idle.append((here, process))

    def news(self) -> Iterator[tuple[int, News]]:
        """Yield units that are done, or lost."""
        self._hand_out()
        if self._slots is not None and self._busy:
            self._retire()
        for connection in wait(list(self._busy), _LOOK):
            assert isinstance(connection, Connection)
            process, one = self._busy.pop(connection)
            number = one.number
            try:
                answer: News = connection.recv_bytes()
            except (EOFError, OSError):
                connection.close()
                _ended(process)
                self._give_back()
                deaths = self._deaths[number] = self._deaths.get(number, 0) + 1
                if deaths < MOST_DEATHS:
                    self._waiting.appendleft(one)
                    continue
                answer = _lost()
            else:
                self._idle.append((connection, process))
            self._hand_out()
            yield number, answer
        self._hand_out()

    def _retire(self) -> None:
        """Stop idle processes, so that other crews may start some."""
        while self._idle:
            connection, process = self._idle.pop()
            connection.close()  # it reads the end of file and exits
            _ended(process)
            self._give_back()

    def _give_back(self) -> None:
        if self._slots is not None and len(self._busy) + len(self._idle) > 0:
            self._slots.release()

    def close(self) -> None:
        """End all processes."""
        alive = [(one, process) for one, (process, *_) in self._busy.items()] + self._idle
        self._busy, self._idle = {}, []
        self._waiting.clear()
        for connection, process in alive:
            connection.close()
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for _, process in alive:
            _ended(process)
        if self._slots is not None:
            for _ in alive[1:]:
                self._slots.release()


def _ended(process: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)


def _lost() -> LostUnitError:
    return LostUnitError(
        f"{MOST_DEATHS} processes ended while they worked on it (killed, or out of memory)"
    )


def _work(serve: Serve, line: Connection, others: list[Connection]) -> None:
    """Compute units until there are no more or the parent is gone (in a child; never returns)."""
    code = 1
    try:
        gc.freeze()  # what is shared with the parent stays shared
        for other in others:
            other.close()
        ignore_interrupts()
        leave_with_parent()
        with contextlib.suppress(EOFError, OSError):
            while True:
                line.send_bytes(serve(line.recv_bytes()))
        code = 0
    finally:
        os._exit(code)


def leave_with_parent() -> None:
    """Exit this process when its parent exits, for whatever reason."""
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH)
    os._exit(1)


# Executors ----------------------------------------------------------------------------


class Handed:
    """An executor passed by a user: the claim is sent with each unit."""

    def __init__(self, executor: Executor, serve: Serve, width: int) -> None:
        self._executor, self._serve, self._width = executor, serve, width
        self._under_way: dict[Future[bytes], tuple[int, bytes]] = {}
        self._deaths: dict[int, int] = {}

    @property
    def lane(self) -> int | None:
        """Twice as many units as workers are in progress; any worker takes any unit."""
        return None if len(self._under_way) >= 2 * self._width else 0

    def give(self, number: int, unit: bytes, lane: int = 0) -> None:
        """Hand out a unit."""
        del lane  # who does it is up to the executor
        try:
            self._under_way[self._executor.submit(self._serve, unit)] = number, unit
        except Exception as error:  # whatever its author lets out
            raise _no_longer(error) from error

    def news(self) -> Iterator[tuple[int, News]]:
        """Yield units that are done, or lost."""
        done, _ = wait_for(list(self._under_way), _LOOK, FIRST_COMPLETED)
        for future in done:
            number, unit = self._under_way.pop(future)
            try:
                found = future.result()
                if not isinstance(found, bytes):
                    raise _no_longer(TypeError(f"it returned {shown(found)}"))
                yield number, found
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise unsendable(error) from error
            except (CancelledError, BrokenExecutor) as error:
                raise _no_longer(error) from error
            except ExactdpError:
                raise
            except Exception as error:
                self._failed(number, unit, error)
                if self._deaths[number] == MOST_DEATHS:
                    yield number, LostUnitError(f"it failed {MOST_DEATHS} times ({_named(error)})")

    def _failed(self, number: int, unit: bytes, error: Exception) -> None:
        """Submit a unit again, unless the executor reports that it killed workers."""
        count = self._deaths.get(number, 0) + 1
        if type(error).__name__ == "KilledWorker":  # of Dask, which has tried several times
            count = MOST_DEATHS
        self._deaths[number] = count
        if count < MOST_DEATHS:
            self.give(number, unit)

    def close(self) -> None:
        """Cancel what has not started; the executor itself belongs to its owner."""
        for future in self._under_way:
            future.cancel()
        self._under_way.clear()


def _no_longer(error: BaseException) -> ExactdpError:
    return ExactdpError(
        f"the executor has stopped ({_named(error)})",
        way_out="Start the executor, or its scheduler, again, and ask again.",
    )


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def unsendable(error: BaseException) -> UnsendableError:
    """Return the error for a claim that cannot be pickled."""
    return UnsendableError(
        f"the claim cannot be sent to another process: {error}",
        rule="An executor gets the text of the program and the values of the claim; a Python "
        "function is included if it can be imported there, or if cloudpickle is installed.",
        way_out="Define the function in a module, install exactdp[cluster], or use jobs=.",
    )


def width_of(executor: Any) -> int:
    """Return the approximate number of workers of an executor."""
    found = getattr(executor, "_max_workers", None)
    return found if isinstance(found, int) and found > 0 else 2 * (os.cpu_count() or 1)

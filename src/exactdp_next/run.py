"""Run: what belongs to a call of exactdp and not to its question. The only global state.

It is a context variable with the memo (`remembered`), the processes that share work (`Run.map`),
and what is said meanwhile (`progress`). An answer depends on none of it.

`KeyboardInterrupt` passes through everything: a memo row is written once its value is there, and at
the end `running` erases its line on the terminal and ends its processes. Signals keep the handlers
that they have.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache, wraps
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from .errors import fail

if TYPE_CHECKING:  # loading it loads threading, and of its executors multiprocessing
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

Hear = Callable[[int, int | None, str], object]
"""Called with how much is done, how much there is if that is known, and what it is."""

PATIENCE = 2.0
"""Seconds of a call before it says what it is doing."""

PACE = 0.2
"""Seconds between two lines: seen to go on, and some ten microseconds each."""

MOST_ROWS = 1_000
"""Rows of the memo for a function: a question needs some hundreds, a sweep over inputs many."""


class Run:
    """One call, or what goes on between calls: then nothing is said, and no process works."""

    def __init__(
        self, jobs: int = 1, executor: Executor | None = None, hear: Hear | None = None
    ) -> None:
        self.jobs, self.executor, self.hear = jobs, executor, hear
        self.memo: dict[Callable[..., Any], Callable[..., Any]] = {}
        self.is_going = False
        self.due = inf  # when the next line is due
        self._began = monotonic()
        self._shown = 0  # characters of the line on the terminal
        self._around = ""  # what contains the work that is told, "input 3 of 100, "
        self._pool: ProcessPoolExecutor | None = None

    def begin(self) -> None:
        """Start the clock of a call; without a hearer or a terminal nothing will ever be due."""
        self.is_going = True
        if self.hear is not None:
            self.due = 0
        elif _is_terminal():
            self.due = self._began + PATIENCE

    def end(self) -> None:
        """Leave the terminal as it was, and no process behind."""
        self.due = inf
        self._write("")
        self._end_workers()

    def forget(self) -> None:
        """Remove what is remembered."""
        self.memo.clear()

    def say(self, done: int, total: int | None, what: str) -> None:
        """Say what is being done: to the hearer, or on the terminal."""
        now = monotonic()
        self.due = now + PACE
        if self.hear is not None:
            self.hear(done, total, self._around + what)
        else:
            of = "" if total is None else f" of {total:,}"
            count = f" {done + 1:,}{of}" if done or of else ""
            self._write(f"{self._around}{what}{count}, {now - self._began:.0f} s")

    def _write(self, line: str) -> None:
        """Replace the line on the terminal."""
        if not line and not self._shown:
            return
        with suppress(OSError, ValueError):  # the terminal is gone: that is no reason to stop
            line = line[: _columns() - 1]
            covering = line.ljust(self._shown)  # what is there, also if Ctrl-C comes in between
            self._shown = len(covering)
            sys.stderr.write(f"\r{covering}" if line else f"\r{covering}\r")
            sys.stderr.flush()
            self._shown = len(line)

    def map(
        self, function: Callable[[T], R], items: Sequence[T], what: str = "part"
    ) -> Iterator[R]:
        """Yield the values of a function in the order of the items, as they are finished.

        They are computed by the executor, by `jobs` processes, or in place: if there is but one
        process or item, or none can be started. What is not yielded any more is not computed.
        """
        futures = self._submitted(function, items)
        if futures is None:
            yield from self._in_place(function, items, what)
            return
        from concurrent.futures import BrokenExecutor, wait  # noqa: PLC0415

        try:
            for done, future in enumerate(futures):
                while not future.done():
                    wait([future], timeout=PACE)
                    progress(done, len(futures), what)
                yield future.result()
        except BrokenExecutor:
            self._pool = None
            fail("worker-ended")
        finally:
            if not all(one.done() for one in futures):
                self._abandon(futures)

    def _in_place(self, function: Callable[[T], R], items: Sequence[T], what: str) -> Iterator[R]:
        before = self._around
        for done, item in enumerate(items):
            progress(done, len(items), what)
            self._around = f"{before}{what} {done + 1:,} of {len(items):,}, "
            try:
                value = function(item)
            finally:
                self._around = before
            yield value

    def _submitted(self, function: Callable[[T], R], items: Sequence[T]) -> list[Future[R]] | None:
        """Hand all items to the executor; None if they have to be computed in place."""
        if len(items) < 2 or (self.executor is None and self.jobs == 1):
            return None
        futures: list[Future[R]] = []
        try:
            with _holding_interrupts():  # a process that is just being made would report it
                pool = self.executor or self._workers()
                futures += (pool.submit(function, item) for item in items)
        except (ImportError, NotImplementedError, OSError):  # as in a browser
            pass
        except RuntimeError as error:
            if "process pool" in str(error):
                self._pool = None
                fail("worker-ended")
            if "start new thread" not in str(error):
                raise
        else:
            return futures
        self._abandon(futures)
        return None

    def _workers(self) -> ProcessPoolExecutor:
        """Return the processes of this run.

        They are forked: a new interpreter would run the user's script again, which has no
        `if __name__ == "__main__"`.
        """
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
        from multiprocessing import get_all_start_methods, get_context  # noqa: PLC0415

        if "fork" not in get_all_start_methods() or sys.platform == "emscripten":
            raise NotImplementedError
        if self._pool is None:
            many, fork = self.jobs or os.cpu_count() or 1, get_context("fork")
            self._pool = ProcessPoolExecutor(many, mp_context=fork, initializer=_begin_worker)
        return self._pool

    def _abandon(self, futures: list[Future[R]]) -> None:
        """Stop computing what nobody waits for; an executor of the user finishes what it began."""
        if self.executor is None:
            self._end_workers()
            return
        for one in futures:
            one.cancel()

    def _end_workers(self) -> None:
        """End the processes of this run, also in the middle of their work.

        No future is cancelled: its thread expects to be the first to say that a process has ended.
        """
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown()


_CURRENT: ContextVar[Run] = ContextVar("run", default=Run())  # noqa: B039 it is meant to be shared

current = _CURRENT.get
"""Return the run that is going on."""


@contextmanager
def running(
    jobs: int = 1, executor: Executor | None = None, hear: Hear | None = None
) -> Iterator[Run]:
    """Be in a run: each call of a public function begins one, unless one is going on already.

    Its memo is that of the run around it, so a next question knows what this one has found.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 0:
        fail("jobs", value=jobs)
    if executor is not None and not hasattr(executor, "submit"):
        fail("executor", value=executor)
    around = current()
    if around.is_going and (jobs, executor, hear) == (1, None, None):
        yield around
        return
    run = Run(jobs, executor, hear)
    run.memo = around.memo
    token = _CURRENT.set(run)
    try:
        run.begin()
        yield run
    finally:
        _CURRENT.reset(token)
        run.end()


def progress(done: int, total: int | None, what: str) -> None:
    """Tell what a loop works at: `progress(i, len(nodes), "node")`; the total may be unknown.

    It costs a sixth of a microsecond until a line is due.
    """
    run = current()
    if monotonic() >= run.due:
        run.say(done, total, what)


def working(what: str) -> None:
    """Tell what is being done, where nothing can be counted."""
    progress(0, None, what)


@overload
def remembered(function: Callable[P, T], /) -> Callable[P, T]: ...
@overload
def remembered(*, most: int) -> Callable[[Callable[P, T]], Callable[P, T]]: ...
def remembered(function: Any = None, /, *, most: int = MOST_ROWS) -> Any:
    """Compute a function once for equal arguments in a run.

    Arguments are equal if they have the same type and value, also inside of tuples: True is not 1.
    (Value objects compare themselves.) Of more than `most` rows the one not used longest goes.
    """
    if function is None:
        return lambda one: remembered(one, most=most)  # type: ignore[call-overload]

    @wraps(function)
    def found(*args: Any, **kwargs: Any) -> Any:
        memo = current().memo
        rows = memo.get(function)
        if rows is None:
            rows = memo[function] = lru_cache(most, typed=True)(computed)
        for value in (*args, *kwargs.values()) if kwargs else args:
            if type(value) in _CONTAINERS:
                return rows(_types((*args, *kwargs.values())), *args, **kwargs)
        return rows((), *args, **kwargs)

    def computed(_types: Hashable, /, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return found


_CONTAINERS = frozenset({tuple, frozenset})


def _types(values: Iterable[object]) -> tuple[Hashable, ...]:
    """Return the types in containers; `lru_cache` distinguishes those of the values themselves."""
    return tuple([_inside(value) for value in values if type(value) in _CONTAINERS])


def _inside(value: Any) -> Hashable:
    if type(value) is frozenset:
        return frozenset((type(one), one) for one in value)
    types = tuple(map(type, value))
    return types if _CONTAINERS.isdisjoint(types) else (types, _types(value))


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """For the command line: Ctrl-C ends it with one sentence.

    Python drops what is raised in finalizers and in callbacks of weak references, which imports
    have: there Ctrl-C is repeated.
    """
    import _thread  # noqa: PLC0415
    import threading  # noqa: PLC0415

    before = sys.unraisablehook

    def repeat(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type is KeyboardInterrupt:
            threading.Timer(0.01, _thread.interrupt_main).start()
        else:
            before(dropped)

    sys.unraisablehook = repeat
    try:
        yield
    except KeyboardInterrupt:
        print("Interrupted: the question has no answer yet.", file=sys.stderr)
        raise SystemExit(130) from None  # as shells report it
    finally:
        sys.unraisablehook = before


@contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Defer Ctrl-C: what is forked must not receive it before it can ignore it."""
    import signal  # noqa: PLC0415

    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, end with it, and do all work in place."""
    import signal  # noqa: PLC0415
    from multiprocessing import parent_process  # noqa: PLC0415
    from threading import Thread  # noqa: PLC0415

    def end_with(parent: Any) -> None:
        parent.join()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    Thread(target=end_with, args=[parent_process()], daemon=True).start()
    run = Run()
    run.memo = current().memo
    _CURRENT.set(run)


def _is_terminal() -> bool:
    with suppress(AttributeError, ValueError):  # there is no stderr, or it is closed
        return sys.stderr.isatty()
    return False


def _columns() -> int:
    with suppress(OSError, AttributeError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80

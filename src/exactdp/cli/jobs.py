"""Long computations in child processes, so that Ctrl-C ends them at once.

A call into a numeric library cannot be interrupted, but a process can be terminated. Children are
forked, so they have the claims without pickling; their results are plain JSON. Where there is no
fork (Windows), jobs run in this process, one after the other.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Protocol

from exactdp.cli.files import problem, with_place
from exactdp.cli.output import CommandOutput, Json, StoppedError, mistake
from exactdp.cli.sharing import (
    ChildSlots,
    SharedSlots,
    Sharing,
    conducted,
)
from exactdp.errors import ExactdpError, TimeoutRefusedError
from exactdp.interrupts import holding_interrupts, ignore_interrupts
from exactdp.running.conduct import Progress
from exactdp.running.crew import leave_with_parent

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from rich.live import Live
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_LOOK = 0.1  # seconds between two polls of the children
_SEND = 0.05  # seconds between two reports of a child


@dataclass(frozen=True)
class Job:
    """A unit of work, its name, and the file that it comes from."""

    title: str
    file: str
    run: Callable[[Progress], Json]


def results(jobs: list[Job], output: CommandOutput) -> Iterator[tuple[int, Json | ExactdpError]]:
    """Yield the number and the result of each job, in order, as soon as all earlier ones are done.

    On Ctrl-C, yields the remaining finished results and raises `StoppedError`. At most --jobs
    processes run at a time: one for each job, and the rest for units of work of running jobs.
    """
    ready: dict[int, Json | ExactdpError] = {}
    following = 0
    display = _Display(jobs, output)
    sharing = output.sharing or Sharing()
    with contextlib.closing(_workers(jobs, sharing, output.timeout)) as workers:
        try:
            with display:
                while following < len(jobs):
                    for number, news in workers.news():
                        if isinstance(news, tuple):
                            display.progress(number, *news)
                        else:
                            ready[number] = news
                            display.done(number)
                    display.refresh(workers.busy())
                    while following in ready:
                        display.hide()
                        yield following, ready.pop(following)
                        display.show()
                        following += 1
            return
        except KeyboardInterrupt:
            workers.close()
    undone = [n for n in range(following, len(jobs)) if n not in ready]
    yield from sorted(ready.items(), key=lambda one: one[0])
    raise StoppedError([jobs[number].title + display.how_far(number) for number in undone])


def result(
    output: CommandOutput, target: str, run: Callable[[Progress], Json], title: str = ""
) -> Json:
    """Return the result of one job about a target, or raise its error."""
    job = Job(title or target, target.partition("::")[0], run)
    ((_, found),) = results([job], output)
    if isinstance(found, ExactdpError):
        raise found
    return found


class _Workers(Protocol):
    def news(self) -> Iterator[tuple[int, Any]]: ...
    def busy(self) -> list[int]: ...
    def close(self) -> None: ...


def _workers(jobs: list[Job], sharing: Sharing, timeout: float | None) -> _Workers:
    forks = "fork" in multiprocessing.get_all_start_methods()
    return _Children(jobs, sharing, timeout) if forks else _Here(jobs, sharing)


class _Here:
    """Runs jobs in this process, where Ctrl-C takes effect when a library call returns."""

    def __init__(self, jobs: list[Job], sharing: Sharing) -> None:
        self._jobs = jobs
        self._sharing = sharing
        self._waiting = iter(range(len(jobs)))

    def news(self) -> Iterator[tuple[int, Any]]:
        """Run the next job and yield its result or its error."""
        number = next(self._waiting)
        with contextlib.redirect_stdout(sys.stderr):
            found = _done(self._jobs[number], lambda *_: None, self._sharing)
        yield number, found

    def busy(self) -> list[int]:
        """Return nothing: no job runs in the background."""
        return []

    def close(self) -> None:
        """Do nothing: nothing was started."""


class _Children:
    """Runs jobs in child processes; each requests the next job when it has finished one."""

    def __init__(self, jobs: list[Job], sharing: Sharing, timeout: float | None = None) -> None:
        self._jobs = jobs
        self._timeout = timeout
        self._sharing = sharing
        count = min(sharing.jobs, len(jobs))
        self._slots = SharedSlots(sharing.jobs, count)
        self._places = list(range(count))
        self._at: dict[int, int] = {}  # the place of a process among the children
        self._begun: dict[int, float] = {}
        self._waiting = iter(range(len(jobs)))
        self._busy: dict[Connection, tuple[BaseProcess, int]] = {}
        self._missing = count  # children to start

    def _start(self) -> None:
        """Start a child, and give it the next job."""
        context = multiprocessing.get_context("fork")
        # Ctrl-C is sent to all processes of the terminal; only the parent handles it. A child that
        # is ended before it has begun must not run the parent's handlers.
        with holding_interrupts():
            here, there = context.Pipe()
            ours = [here, *self._busy]
            place = self._places.pop()
            slots = self._slots.of(place)
            given = (self._jobs, there, ours, self._sharing, slots)
            child = context.Process(target=_serve, args=given, daemon=True)
            child.start()
            assert child.pid is not None
            self._at[child.pid] = place
            there.close()
            self._next(here, child)

    def _next(self, connection: Connection, child: BaseProcess) -> None:
        number = next(self._waiting, None)
        if number is None:
            connection.close()  # the child sees the end of the stream and exits
        else:
            connection.send(number)
            self._busy[connection] = child, number
            self._begun[number] = time.monotonic()

    def news(self) -> Iterator[tuple[int, Any]]:
        """Yield messages of children: (done, total), a result, or an error."""
        while self._missing:
            self._missing -= 1
            self._start()
        for connection in wait(list(self._busy), _LOOK):
            assert isinstance(connection, Connection)
            child, number = self._busy[connection]
            try:
                news = connection.recv()
            except (EOFError, OSError):
                del self._busy[connection]
                child.join()
                self._gone(child)
                yield number, _died(self._jobs[number], child)
                self._start()  # another for the jobs that are left
                continue
            if not isinstance(news, tuple):
                del self._busy[connection]
                self._next(connection, child)
            yield number, news
        yield from self._late()

    def _late(self) -> Iterator[tuple[int, ExactdpError]]:
        """End children whose jobs exceed the time limit, and yield the errors."""
        if self._timeout is None:
            return
        now = time.monotonic()
        for connection, (child, number) in list(self._busy.items()):
            if now - self._begun[number] > self._timeout:
                del self._busy[connection]
                _kill(child)
                child.join()
                self._gone(child)
                connection.close()
                yield number, _too_late(self._jobs[number], self._timeout)
                self._start()

    def _gone(self, child: BaseProcess) -> None:
        """Release the slots of a dead child."""
        assert child.pid is not None
        place = self._at.pop(child.pid)
        self._slots.free(place)
        self._places.append(place)

    def busy(self) -> list[int]:
        """Return the running jobs."""
        return [number for _, number in self._busy.values()]

    def close(self) -> None:
        """End all children."""
        for child, _ in self._busy.values():
            _kill(child)
        for child, _ in self._busy.values():
            child.join()
        self._busy.clear()


def _kill(child: BaseProcess) -> None:
    """End a child and all processes that it started."""
    assert child.pid is not None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.kill()


def _too_late(job: Job, seconds: float) -> ExactdpError:
    return TimeoutRefusedError(
        f"{job.title}: no answer within {seconds:g} s",
        rule="--timeout is the number of seconds that a claim may take.",
        way_out="Increase --timeout, or use fewer inputs.",
    )


def _died(job: Job, child: BaseProcess) -> ExactdpError:
    return ExactdpError(
        f"{job.title}: its process ended (code {child.exitcode})",
        way_out="Perhaps memory ran out: try fewer inputs, or fewer --jobs.",
    )


def _serve(
    jobs: list[Job],
    connection: Connection,
    others: list[Connection],
    sharing: Sharing,
    slots: ChildSlots,
) -> None:
    """Run jobs by number until the parent has no more, or is gone (in a child)."""
    ignore_interrupts()
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)  # so that processes started here are ended, too
    leave_with_parent()
    for other in others:  # inherited ends of the parent: if open, its exit would go unnoticed
        other.close()
    os.dup2(2, 1)  # the output of a user's function is a message, not an answer
    sys.stdout = sys.stderr
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _SEND:
            last = now
            connection.send((done, total))

    with contextlib.suppress(EOFError, OSError):
        while True:
            job = jobs[connection.recv()]
            slots.acquire()
            try:
                news = _done(job, report, sharing, slots)
            except KeyboardInterrupt as error:  # raised by the file: a child ignores Ctrl-C
                news = _said(error, job)
            slots.release()
            connection.send(news)


def _done(
    job: Job, report: Progress, sharing: Sharing, slots: ChildSlots | None = None
) -> Json | ExactdpError:
    """Return the result of a job, or its error."""
    try:
        return job.run(conducted(sharing, report, slots))
    except KeyboardInterrupt:
        raise
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return ExactdpError(f"{job.title}: {what}")
    except BaseException as error:  # a function of the file may also call sys.exit
        return _said(error, job)


def _said(error: BaseException, job: Job) -> ExactdpError:
    """Return an error that names the job; a mistake in the user's file shows its line."""
    if isinstance(error, ExactdpError):
        if error.place is None:
            error.message = f"{job.title}: {error.message}"
        return with_place(error, job.file)
    found = problem(error, job.file)
    return mistake(error, f"{job.title}: ") if found.place is None else found


class _Display:
    """The live progress display on stderr; nothing where stderr is not a terminal."""

    def __init__(self, jobs: list[Job], output: CommandOutput) -> None:
        self._output = output
        self._jobs = jobs
        self._far: dict[int, tuple[int, int]] = {}
        self._tasks: dict[int, TaskID] = {}
        self._bars: Bars | None = None
        self._live: Live | None = None

    def __enter__(self) -> _Display:
        if self._output.messages.is_terminal:
            from rich import progress  # noqa: PLC0415

            self._bars = progress.Progress(
                progress.TextColumn("{task.description}", markup=False),
                progress.BarColumn(bar_width=24),
                progress.MofNCompleteColumn(),
                progress.TimeElapsedColumn(),
                console=self._output.messages,
                auto_refresh=False,
            )
            if len(self._jobs) > 1:
                self._tasks[-1] = self._bars.add_task("all", total=len(self._jobs))
        self.show()
        return self

    def __exit__(self, *error: object) -> None:
        self.hide()

    def show(self) -> None:
        """Start the display."""
        if self._bars is not None:
            from rich.live import Live  # noqa: PLC0415

            self._live = Live(
                self._bars, console=self._output.messages, transient=True, auto_refresh=False
            )
            self._live.start()

    def hide(self) -> None:
        """Remove the display, so that something else can be printed."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def refresh(self, busy: list[int]) -> None:
        """Redraw the display, with a bar for each running job."""
        if self._live is not None and self._bars is not None:
            for number in busy:
                if number not in self._tasks:
                    title = self._jobs[number].title
                    self._tasks[number] = self._bars.add_task(title, total=None)
            self._live.refresh()

    def progress(self, number: int, done: int, total: int) -> None:
        """Record the progress of a job."""
        self._far[number] = done, total
        if self._bars is not None and number in self._tasks:
            self._bars.update(self._tasks[number], completed=done, total=total)

    def done(self, number: int) -> None:
        """Record that a job is done."""
        if self._bars is not None:
            if number in self._tasks:
                self._bars.remove_task(self._tasks.pop(number))
            if -1 in self._tasks:
                self._bars.advance(self._tasks[-1])

    def how_far(self, number: int) -> str:
        """Return the progress of a job in words."""
        if number not in self._far:
            return ""
        done, total = self._far[number]
        return f" (stopped at {done:,} of {total:,})"

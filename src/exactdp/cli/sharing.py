"""Options for long computations: --jobs and --scheduler; sharing of processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from exactdp.errors import ExactdpError
from exactdp.running.conduct import Conduct, can_fork
from exactdp.running.store import refuse_store

_PAUSE = 0.05  # seconds between two attempts to get a free process


@dataclass
class Sharing:
    """How the work of one command is done."""

    jobs: int = 1
    """The number of processes that run at a time."""
    scheduler: str | None = None


class SharedSlots:
    """The limit on processes over all children of a command; each child holds some slots."""

    def __init__(self, most: int, children: int) -> None:
        self._held: Any = multiprocessing.get_context("fork").Array("i", max(children, 1))
        self._most = most

    def of(self, child: int) -> ChildSlots:
        """Return the slots of a child."""
        return ChildSlots(self, child)

    def change(self, child: int, by: int) -> bool:
        """Let a child hold one slot more, if one is free, or one less."""
        with self._locked():
            if by > 0 and sum(self._held.get_obj()) >= self._most:
                return False
            self._held.get_obj()[child] += by
            return True

    def free(self, child: int) -> None:
        """Release all slots of a child that has died."""
        with self._locked():
            self._held.get_obj()[child] = 0

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # A child may be killed while it holds the lock.
        got = self._held.get_lock().acquire(timeout=1)
        try:
            yield
        finally:
            if got:
                self._held.get_lock().release()


@dataclass(frozen=True)
class ChildSlots:
    """The processes that one child of a command may start."""

    all: SharedSlots
    child: int

    def acquire(self, block: bool = True) -> bool:
        """Take a slot; if `block`, wait for it."""
        while not self.all.change(self.child, 1):
            if not block:
                return False
            time.sleep(_PAUSE)
        return True

    def release(self) -> None:
        """Release a slot."""
        self.all.change(self.child, -1)


def conducted(
    sharing: Sharing, report: Callable[[int, int], None], slots: ChildSlots | None
) -> Conduct:
    """Return how the work of a job is done, in the process that does it."""
    executor = None
    if sharing.scheduler is not None:
        from exactdp.running.cluster import client_of, executor_of  # noqa: PLC0415

        executor = executor_of(client_of(sharing.scheduler))
    return Conduct(sharing.jobs if slots else 1, executor, slots, report)


# Options ------------------------------------------------------------------------------


SHARING = {
    "jobs": click.option(
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help="Use N processes at a time; by default one per core.",
    ),
    "store": click.option(
        "--store",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        hidden=True,  # refused for now
    ),
    "resume": click.option("--resume", is_flag=True, hidden=True),
    "scheduler": click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Use the workers of a Dask scheduler, such as tcp://host:8786.",
    ),
}
"""The options for processes, by parameter of `shared`."""


def shared(jobs: int | None, store: Path | None, resume: bool, scheduler: str | None) -> Sharing:
    """Return how the work of a command is done, as its options say."""
    if store is not None or resume:
        refuse_store()
    if scheduler is not None and "://" not in scheduler:
        raise ExactdpError(
            f"--scheduler {scheduler} is not an address",
            rule="The address of a Dask scheduler is such as tcp://host:8786.",
            way_out=f"Write --scheduler tcp://{scheduler}.",
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processes = (jobs or cores or 1) if can_fork() else 1
    return Sharing(processes, scheduler)

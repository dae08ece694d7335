"""How work is done: by how many processes or which executor, with which store, and who hears of it.

A `Conduct` goes along as the `progress` of a question, for it is called like one.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from exactdp.errors import ValueRefusedError, shown
from exactdp.running.crew import Slots
from exactdp.running.store import Store

Progress: TypeAlias = Callable[[int, int], None]


class How(TypedDict, total=False):
    """How a question is worked on; the answer is the same however it is."""

    jobs: int
    """How many processes work at a time on this machine; 0 stands for one on each core."""
    executor: Executor | Any | None
    """A `concurrent.futures.Executor` or a `distributed.Client` that does the work instead."""
    store: Store | str | Path | None
    """A file in which finished units of work are kept."""


@dataclass(frozen=True)
class Conduct:
    """How a question is worked on, and who hears how far it is."""

    jobs: int = 1
    executor: Executor | None = None
    store: Store | None = None
    slots: Slots | None = None
    """Shared with others, if several questions are worked on at a time."""
    hear: Progress | None = None

    @property
    def is_alone(self) -> bool:
        """Whether this process does all the work."""
        return self.executor is None and (self.jobs == 1 or not can_fork())

    @property
    def is_plain(self) -> bool:
        """Whether this process does all the work, and nothing is kept."""
        return self.is_alone and self.store is None

    def __call__(self, done: int, total: int) -> None:
        """Tell how much is done and how much there is."""
        if self.hear is not None:
            self.hear(done, total)

    @property
    def quiet(self) -> Conduct:
        """The same, and nobody hears of it."""
        return replace(self, hear=None)


ALONE = Conduct()


def can_fork() -> bool:
    """Whether this system copies processes."""
    return "fork" in multiprocessing.get_all_start_methods()


def conduct(progress: Progress | None, how: How) -> Conduct | Progress | None:
    """Return the progress of a question with how it is worked on."""
    unknown = [name for name in how if name not in How.__annotations__]
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}")
    if not how:
        return progress
    jobs = how.get("jobs", 1)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 0:
        raise ValueRefusedError(
            f"jobs is {shown(jobs)}",
            rule="jobs is how many processes work at a time; 0 is one on each core.",
            way_out="Write jobs=2.",
        )
    given = how.get("store")
    store = given if given is None or isinstance(given, Store) else Store(given)
    base = conduct_of(progress)
    return replace(
        base,
        jobs=jobs or os.cpu_count() or 1,
        executor=_executor(how.get("executor")),
        store=store if store is not None else base.store,
    )


def conduct_of(progress: Progress | None) -> Conduct:
    """Return how a question is worked on: alone, unless its progress says otherwise."""
    if isinstance(progress, Conduct):
        return progress
    return ALONE if progress is None else Conduct(hear=progress)


def _executor(given: Any) -> Any:
    """Return an executor, or that of a client of Dask."""
    if given is None or (hasattr(given, "submit") and not hasattr(given, "get_executor")):
        return given
    if hasattr(given, "get_executor"):
        from exactdp.running.cluster import executor_of  # noqa: PLC0415

        return executor_of(given)
    raise ValueRefusedError(
        f"{shown(given)} is not an executor",
        rule="executor is a concurrent.futures.Executor or a distributed.Client.",
        way_out="Write executor=ProcessPoolExecutor(2), or jobs=2.",
    )

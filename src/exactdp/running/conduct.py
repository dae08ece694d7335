"""How work is done: the number of processes or an executor, and the progress hook.

A `Conduct` is passed as the `progress` of a question, because it can be called like one.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict

from exactdp.errors import ValueRefusedError, shown
from exactdp.running.crew import Slots
from exactdp.running.store import refuse_store

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the amount done and the total: listed inputs, or thousandths of the work."""


class How(TypedDict, total=False):
    """How a question is computed; the answer does not depend on it."""

    jobs: int
    """The number of processes on this machine; 0 means one per core."""
    executor: Executor | Any | None
    """A `concurrent.futures.Executor` or a `distributed.Client` that does the work instead."""
    store: None
    """Refused for now (see `Store`)."""


@dataclass(frozen=True)
class Conduct:
    """How a question is computed, and the hook that receives its progress."""

    jobs: int = 1
    executor: Executor | None = None
    slots: Slots | None = None
    """Shared if several questions are computed at a time."""
    hear: Progress | None = None

    @property
    def is_alone(self) -> bool:
        """Whether this process does all the work."""
        return self.executor is None and (self.jobs == 1 or not can_fork())

    def __call__(self, done: int, total: int) -> None:
        """Report how much is done and how much there is."""
        if self.hear is not None:
            self.hear(done, total)

    @property
    def quiet(self) -> Conduct:
        """The same without progress reports."""
        return replace(self, hear=None)


ALONE = Conduct()


def can_fork() -> bool:
    """Whether this system can fork processes."""
    return "fork" in multiprocessing.get_all_start_methods()


def conduct(progress: Progress | None, how: How) -> Conduct | Progress | None:
    """Return the progress of a question combined with how it is computed."""
    unknown = [name for name in how if name not in How.__annotations__]
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}")
    if not how:
        return progress
    jobs = how.get("jobs", 1)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 0:
        raise ValueRefusedError(
            f"jobs is {shown(jobs)}",
            rule="jobs is the number of processes; 0 means one per core.",
            way_out="Write jobs=2.",
        )
    if how.get("store") is not None:
        refuse_store()
    processes = jobs or os.cpu_count() or 1
    executor = _executor(how.get("executor"))
    return replace(conduct_of(progress), jobs=processes, executor=executor)


def conduct_of(progress: Progress | None) -> Conduct:
    """Return how a question is computed: in this process, unless its progress is a `Conduct`."""
    if isinstance(progress, Conduct):
        return progress
    return ALONE if progress is None else Conduct(hear=progress)


def _executor(given: Any) -> Any:
    """Return an executor, or that of a Dask client."""
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

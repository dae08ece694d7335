"""Dask: workers on other machines, which need only exactdp. Imported on first use."""

from __future__ import annotations

from concurrent.futures import Executor
from importlib import import_module
from typing import Any

from exactdp.errors import ExactdpError


def client_of(address: str) -> Any:
    """Return a client of the scheduler at an address such as tcp://host:8786."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ExactdpError(
            "Dask is not installed",
            rule="A scheduler is one of Dask, with workers that have exactdp installed.",
            way_out="Run: pip install 'exactdp[cluster]'.",
        ) from None
    try:
        return distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ExactdpError(
            f"there is no scheduler at {address}: {error}",
            rule="An address is that of a Dask scheduler, such as tcp://host:8786.",
            way_out="Start one: dask scheduler; and workers: dask worker tcp://host:8786.",
        ) from None


def executor_of(client: Any) -> Executor:
    """Return a client of Dask as an executor."""
    executor: Any = client.get_executor(pure=False)
    workers = sum(client.nthreads().values())
    if not workers:
        raise ExactdpError(
            "the scheduler has no workers",
            way_out=f"Start some: dask worker {client.scheduler.address}.",
        )
    executor._max_workers = workers
    return executor  # type: ignore[no-any-return]

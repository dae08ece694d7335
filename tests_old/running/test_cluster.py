"""Dask: a real scheduler with worker processes on loopback.

Some twenty seconds, so only where `EXACTDP_CLUSTER=1` asks for it: `make soak` does.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import exactdp
from exactdp import ExactdpError
from exactdp.running import pace

from .test_units import accurate, told

pytestmark = [
    pytest.mark.skipif(not os.environ.get("EXACTDP_CLUSTER"), reason="EXACTDP_CLUSTER is not set"),
    pytest.mark.filterwarnings("ignore"),
]


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        flags = ["--scheduler-file", str(file), "--port", "0", "--no-dashboard"]
        self.scheduler = self._start("scheduler", *flags, "--host", "127.0.0.1")
        while not file.exists():
            time.sleep(0.1)
        import distributed  # noqa: PLC0415

        client: Any = distributed.Client  # without types
        self.client = client(scheduler_file=str(file), timeout="20s")

    def _start(self, kind: str, *flags: str, path: str = "") -> subprocess.Popen[bytes]:
        source = str(Path(exactdp.__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": path or source}
        with (self.folder / f"{kind}.log").open("ab") as log:
            found = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + kind, *flags],
                stdout=log,
                stderr=log,
                env=environment,
                cwd=self.folder,
                start_new_session=True,
            )
        self.processes.append(found)
        return found

    def worker(self, path: str = "") -> subprocess.Popen[bytes]:
        """Start another worker and wait for it."""
        before = len(self.client.nthreads())
        address = self.client.scheduler.address
        found = self._start(
            "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", path=path
        )
        self.client.wait_for_workers(before + 1, timeout=60)
        return found

    def close(self) -> None:
        """End all of it."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.client.close(timeout=1)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    for name, seconds in (("FIRST", 0), ("WORTH", 0), ("UNIT", 0.01), ("SHORTEST", 0)):
        monkeypatch.setattr(pace, name, seconds)
    found = Cluster(tmp_path)
    yield found
    found.close()


def test_answers_and_deaths(cluster: Cluster) -> None:
    """The same answers; with a worker killed in the middle; without a scheduler an error."""
    alone = told(accurate().check()), told(accurate().tightest())
    first, _ = cluster.worker(), cluster.worker()
    assert told(accurate().check(executor=cluster.client)) == alone[0]
    assert told(accurate().tightest(executor=cluster.client)) == alone[1]
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        del total
        if done > 5 and not killed:
            killed.append(done)
            first.send_signal(signal.SIGKILL)

    assert told(accurate().check(executor=cluster.client, progress=kill)) == alone[0]
    assert killed

    def end(done: int, total: int) -> None:
        del total
        if done > 5 and cluster.scheduler.poll() is None:
            cluster.scheduler.kill()
            cluster.scheduler.wait()

    with pytest.raises(ExactdpError, match="the executor has stopped"):
        accurate().check(executor=cluster.client, progress=end)


def test_another_version_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    source = Path(exactdp.__file__).parent
    shutil.copytree(source, tmp_path / "other" / "exactdp")
    file = tmp_path / "other" / "exactdp" / "__init__.py"
    file.write_text(file.read_text().replace(exactdp.__version__, "9.9.9"))
    cluster.worker(str(tmp_path / "other"))
    with pytest.raises(ExactdpError, match=r"9\.9\.9") as refused:
        accurate().check(executor=cluster.client)
    assert f"exactdp {exactdp.__version__}" in str(refused.value)
